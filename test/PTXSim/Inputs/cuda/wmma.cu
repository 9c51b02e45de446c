//===- wmma.cu - matrix products by nvcuda::wmma --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ interface to the tensor cores: every shape, both orders, and an
// epilogue on the elements of a fragment.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <mma.h>

using namespace nvcuda;

// C = 2 A B + C: A row-major, B column-major, all in global memory with a
// pitch; a warp for each tile of C.
extern "C" __global__ void wmmaHalf(const __half *a, const __half *b, float *c,
                                    int k, int pitchC) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
  float *tile = c + blockIdx.y * 16 * pitchC + blockIdx.x * 16;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(left, a + blockIdx.y * 16 * k + i, k);
    wmma::load_matrix_sync(right, b + blockIdx.x * 16 * k + i, k);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::load_matrix_sync(old, tile, pitchC, wmma::mem_row_major);
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] = 2.0f * sum.x[i] + old.x[i];
  wmma::store_matrix_sync(tile, sum, pitchC, wmma::mem_row_major);
}

// Tall and flat tiles from shared memory, A column-major, B row-major; sums in
// fp16, stored column-major.
template <int M, int N>
__device__ void halfSums(const __half *a, const __half *b, __half *c) {
  __shared__ __half left[16 * M], right[16 * N], result[M * N];
  for (int i = threadIdx.x; i < 16 * M; i += 32)
    left[i] = a[i];
  for (int i = threadIdx.x; i < 16 * N; i += 32)
    right[i] = b[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, 16, __half, wmma::col_major> x;
  wmma::fragment<wmma::matrix_b, M, N, 16, __half, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, M, N, 16, __half> sum;
  wmma::fill_fragment(sum, __float2half(0.5f));
  wmma::load_matrix_sync(x, left, M);
  wmma::load_matrix_sync(y, right, N);
  wmma::mma_sync(sum, x, y, sum);
  wmma::store_matrix_sync(result, sum, M, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < M * N; i += 32)
    c[i] = result[i];
}
extern "C" __global__ void wmmaTall(const __half *a, const __half *b,
                                    __half *c) {
  halfSums<32, 8>(a, b, c);
}
extern "C" __global__ void wmmaFlat(const __half *a, const __half *b,
                                    __half *c) {
  halfSums<8, 32>(a, b, c);
}

#define PLAIN(NAME, IN, FRAGMENT, OUT, M, N, K)                                \
  extern "C" __global__ void NAME(const IN *a, const IN *b, OUT *c) {          \
    wmma::fragment<wmma::matrix_a, M, N, K, FRAGMENT, wmma::row_major> x;      \
    wmma::fragment<wmma::matrix_b, M, N, K, FRAGMENT, wmma::row_major> y;      \
    wmma::fragment<wmma::accumulator, M, N, K, OUT> sum;                       \
    wmma::fill_fragment(sum, OUT(1));                                          \
    wmma::load_matrix_sync(x, a, K);                                           \
    wmma::load_matrix_sync(y, b, N);                                           \
    wmma::mma_sync(sum, x, y, sum);                                            \
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);                   \
  }
PLAIN(wmmaBF16, __nv_bfloat16, __nv_bfloat16, float, 16, 16, 16)
PLAIN(wmmaTF32, float, wmma::precision::tf32, float, 16, 16, 8)
PLAIN(wmmaS8, signed char, signed char, int, 16, 16, 16)
PLAIN(wmmaU8, unsigned char, unsigned char, int, 32, 8, 16)
PLAIN(wmmaF64, double, double, double, 8, 8, 4)
