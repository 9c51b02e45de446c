//===- kernels.cu - CUDA C++ kernels for the tests of the simulator -------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people write by hand, compiled by NVIDIA's compiler: reductions,
// transposes, divergence, stack arrays, device functions, fp64, half precision,
// atomics, asynchronous copies. The PTX is committed next to it.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float warpSum(float value) {
  for (int offset = 16; offset; offset >>= 1)
    value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

// Sum of n floats: one partial sum for each block, then one atomic.
extern "C" __global__ void reduce(const float *in, float *out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = warpSum(sum);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    sum = warpSum(sum);
    if (threadIdx.x == 0)
      atomicAdd(out, sum);
  }
}

// A tile of 32 x 32, blocks of 32 x 8 threads; Pad decides about conflicts.
template <int Pad>
__device__ void transposeTile(const float *in, float *out, int rows,
                              int columns) {
  __shared__ float tile[32][32 + Pad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < columns && y + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < columns)
      out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_conflicts(const float *in, float *out,
                                               int rows, int columns) {
  transposeTile<0>(in, out, rows, columns);
}
extern "C" __global__ void transpose_padded(const float *in, float *out,
                                            int rows, int columns) {
  transposeTile<1>(in, out, rows, columns);
}

// Steps of the Collatz sequence, with a break and an early return.
extern "C" __global__ void collatz(const uint32_t *in, uint32_t *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t x = in[i], steps = 0;
  while (true) {
    if (x == 1)
      break;
    if (x & 1)
      x = 3 * x + 1;
    else
      x /= 2;
    if (++steps == 200)
      break;
  }
  out[i] = steps;
}

// Insertion sort of eight numbers on the stack, indexed at run time.
extern "C" __global__ void sort8(const int *in, int *out) {
  int a[8];
  int base = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  for (int i = 0; i < 8; ++i) {
    int value = in[base + i], j = i;
    while (j > 0 && a[j - 1] > value) {
      a[j] = a[j - 1];
      --j;
    }
    a[j] = value;
  }
  for (int i = 0; i < 8; ++i)
    out[base + i] = a[i];
}

__device__ __noinline__ int64_t power(int64_t base, int exponent) {
  if (exponent == 0)
    return 1;
  int64_t half = power(base, exponent / 2);
  return exponent % 2 ? half * half * base : half * half;
}
struct Spread {
  double x, y, z, w;
};
__device__ __noinline__ Spread spread(double x) {
  return {x, x * x, sqrt(x), 1.0 / x};
}

// Recursion, structures by value, fp64 and 64-bit integers.
extern "C" __global__ void functions(const int *in, double *out,
                                     int64_t *integers) {
  int i = threadIdx.x;
  Spread s = spread(in[i]);
  out[i] = s.x + s.y * s.z - s.w;
  integers[i] = power(in[i], 5) / 7 + power(-3, i % 8) % 11;
}

// Library functions with slow paths for large arguments.
extern "C" __global__ void libraryMath(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  out[5 * i] = sinf(x);
  out[5 * i + 1] = expf(-fabsf(x) / 100.0f);
  out[5 * i + 2] = logf(fabsf(x) + 1.0f);
  out[5 * i + 3] = powf(fabsf(x), 0.37f);
  out[5 * i + 4] = erff(x / 10.0f);
}

// a·x + y in three formats, packed.
extern "C" __global__ void halves(const __half2 *hx, const __half2 *hy,
                                  __half2 *hout, const __nv_bfloat162 *bx,
                                  const __nv_bfloat162 *by,
                                  __nv_bfloat162 *bout, int *exact) {
  int i = threadIdx.x;
  hout[i] = __hfma2(hx[i], __float2half2_rn(1.5f), hy[i]);
  bout[i] = __hfma2(bx[i], __float2bfloat162_rn(1.5f), by[i]);
  float low = __low2float(hx[i]);
  exact[i] = __half2int_rz(__float2half_rn(low * 3.0f)) + __float2int_rn(low);
}

// Histogram in shared memory, merged with global atomics; compare-and-swap for
// a maximum of floats.
extern "C" __global__ void histogram(const uint8_t *in, int n, int *bins,
                                     float *most) {
  __shared__ int local[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i] & 63], 1);
    float value = in[i] * 0.5f;
    int *word = reinterpret_cast<int *>(most);
    int seen = *reinterpret_cast<volatile int *>(word);
    while (value > __int_as_float(seen)) {
      int before = atomicCAS(word, seen, __float_as_int(value));
      if (before == seen)
        break;
      seen = before;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    if (local[i])
      atomicAdd(&bins[i], local[i]);
}

// Rows of 128 floats in a ring of three buffers filled by cp.async; y = the
// running sum over rows.
extern "C" __global__ void pipeline(const float4 *in, float *out, int rows) {
  __shared__ __align__(16) float4 buffer[3][32];
  int lane = threadIdx.x;
  auto fetch = [&](int row) {
    if (row < rows && lane < 32) {
      uint32_t address = static_cast<uint32_t>(
          __cvta_generic_to_shared(&buffer[row % 3][lane]));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address),
                   "l"(&in[row * 32 + lane]));
    }
    asm volatile("cp.async.commit_group;");
  };
  fetch(0);
  fetch(1);
  float sum = 0;
  for (int row = 0; row < rows; ++row) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    fetch(row + 2);
    sum += reinterpret_cast<const float *>(buffer[row % 3])[lane];
    out[row * 128 + lane] = sum;
  }
}

// Ballot, match and reductions inside a warp.
extern "C" __global__ void votes(const int *in, uint32_t *out) {
  int i = threadIdx.x;
  int value = in[i];
  out[4 * i] = __ballot_sync(~0u, value > 3);
  out[4 * i + 1] = __match_any_sync(~0u, value);
  out[4 * i + 2] = static_cast<uint32_t>(__reduce_max_sync(~0u, value));
  out[4 * i + 3] = __popc(__activemask()) + __ffs(value) + __clz(value) +
                   __brev(value) + __byte_perm(value, i, 0x5140);
}
