//===- tensor.cu - mma.sync and ldmatrix ----------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One warp multiplies one tile in every shape and type of sm_80, with the
// fragments gathered by hand; then a matrix product and an attention as people
// write them, with swizzled shared memory and copies that run ahead.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// The part of A (rows x K, row-major) that this lane holds: register r has row
// lane/4 + 8 (r & 1) and the elements from E (lane % 4) + 4 E (r / 2) on, E
// being the elements of 32 bits.
template <typename T, int K, int Registers>
__device__ void gatherA(const T *a, uint32_t (&fragment)[Registers]) {
  constexpr int each = 4 / sizeof(T);
  int lane = threadIdx.x & 31;
  for (int r = 0; r < Registers; ++r) {
    int row = lane / 4 + 8 * (r & 1);
    int column = each * (lane % 4) + 4 * each * (r / 2);
    fragment[r] = *reinterpret_cast<const uint32_t *>(a + row * K + column);
  }
}
// The same for B, given transposed: n rows of K.
template <typename T, int K, int Registers>
__device__ void gatherB(const T *b, uint32_t (&fragment)[Registers]) {
  constexpr int each = 4 / sizeof(T);
  int lane = threadIdx.x & 31;
  for (int r = 0; r < Registers; ++r)
    fragment[r] = *reinterpret_cast<const uint32_t *>(
        b + lane / 4 * K + each * (lane % 4) + 4 * each * r);
}
// Element i of C lies in row lane/4 + 8 (i / 2), column 2 (lane % 4) + i % 2.
template <typename T> __device__ void scatter(T *c, const T (&fragment)[4]) {
  int lane = threadIdx.x & 31;
  for (int i = 0; i < 4; ++i)
    c[(lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2] = fragment[i];
}

#define MMA_FLOAT(NAME, TYPE, SHAPE, TYPES, K, A_REGISTERS, B_REGISTERS,       \
                  A_TEXT, B_TEXT, INPUTS)                                      \
  extern "C" __global__ void NAME(const TYPE *a, const TYPE *b, float *c) {    \
    uint32_t x[A_REGISTERS], y[B_REGISTERS];                                   \
    gatherA<TYPE, K>(a, x);                                                    \
    gatherB<TYPE, K>(b, y);                                                    \
    float d[4] = {1, 2, 3, 4};                                                 \
    asm volatile("mma.sync.aligned." SHAPE ".row.col.f32." TYPES ".f32 "       \
                 "{%0, %1, %2, %3}, " A_TEXT ", " B_TEXT ", {%0, %1, %2, %3};" \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])              \
                 : INPUTS);                                                    \
    scatter(c, d);                                                             \
  }
#define R4_2 "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1])
#define R2_1 "r"(x[0]), "r"(x[1]), "r"(y[0])
MMA_FLOAT(mmaF16, __half, "m16n8k16", "f16.f16", 16, 4, 2, "{%4, %5, %6, %7}",
          "{%8, %9}", R4_2)
MMA_FLOAT(mmaF16Short, __half, "m16n8k8", "f16.f16", 8, 2, 1, "{%4, %5}",
          "{%6}", R2_1)
MMA_FLOAT(mmaBF16, __nv_bfloat16, "m16n8k16", "bf16.bf16", 16, 4, 2,
          "{%4, %5, %6, %7}", "{%8, %9}", R4_2)
MMA_FLOAT(mmaBF16Short, __nv_bfloat16, "m16n8k8", "bf16.bf16", 8, 2, 1,
          "{%4, %5}", "{%6}", R2_1)
MMA_FLOAT(mmaTF32, float, "m16n8k8", "tf32.tf32", 8, 4, 2, "{%4, %5, %6, %7}",
          "{%8, %9}", R4_2)
MMA_FLOAT(mmaTF32Short, float, "m16n8k4", "tf32.tf32", 4, 2, 1, "{%4, %5}",
          "{%6}", R2_1)

// Sums in fp16, in both lengths.
extern "C" __global__ void mmaF16Sums(const __half *a, const __half *b,
                                      uint32_t *c) {
  uint32_t x[4], y[2], d[2] = {0x3c003c00, 0x40004000};
  gatherA<__half, 16>(a, x);
  gatherB<__half, 16>(b, y);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, "
               "{%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : R4_2);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, "
               "{%2, %3}, {%4}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : R2_1);
  int lane = threadIdx.x;
  for (int i = 0; i < 2; ++i)
    c[(lane / 4 + 8 * i) * 4 + lane % 4] = d[i];
}

#define MMA_INTEGER(NAME, A_TYPE, B_TYPE, TYPES)                               \
  extern "C" __global__ void NAME(const A_TYPE *a, const B_TYPE *b, int *c) {  \
    uint32_t x[4], y[2];                                                       \
    gatherA<A_TYPE, 32>(a, x);                                                 \
    gatherB<B_TYPE, 32>(b, y);                                                 \
    int d[4] = {1, -2, 3, 2147000000};                                         \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32." TYPES      \
                 ".s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "         \
                 "{%0, %1, %2, %3};"                                           \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])              \
                 : R4_2);                                                      \
    scatter(c, d);                                                             \
  }
MMA_INTEGER(mmaS8, int8_t, int8_t, "s8.s8")
MMA_INTEGER(mmaU8S8, uint8_t, int8_t, "u8.s8")

// fp64: each lane holds one element of A and of B and two of C.
extern "C" __global__ void mmaF64(const double *a, const double *b, double *c) {
  int lane = threadIdx.x;
  double d[2] = {0.5, -0.5};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, "
               "{%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a[lane / 4 * 4 + lane % 4]), "d"(b[lane / 4 * 4 + lane % 4]));
  for (int i = 0; i < 2; ++i)
    c[lane / 4 * 8 + 2 * (lane % 4) + i] = d[i];
}

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
__device__ void copy16(void *shared, const void *global, bool isInside) {
  int bytes = isInside ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   sharedAddress(shared)),
               "l"(global), "r"(bytes)
               : "memory");
}
#define LOAD_MATRIX(SUFFIX)                                                    \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" SUFFIX                          \
               ".shared.b16 {%0, %1, %2, %3}, [%4];"                           \
               : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])                \
               : "r"(sharedAddress(pointer))                                   \
               : "memory")
__device__ void loadMatrix(uint32_t *f, const void *pointer) { LOAD_MATRIX(""); }
__device__ void loadTransposed(uint32_t *f, const void *pointer) {
  LOAD_MATRIX(".trans");
}
__device__ void multiply(float *d, const uint32_t *a, uint32_t b0,
                         uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Transposes 8 x 8 tiles: ldmatrix reads four, .trans turns two more.
extern "C" __global__ void matrixLoads(const uint4 *in, uint32_t *out) {
  __shared__ uint4 tile[32];
  int lane = threadIdx.x;
  tile[lane] = in[lane];
  __syncwarp();
  uint32_t f[4], t[2], single;
  loadMatrix(f, &tile[lane]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(t[0]), "=r"(t[1])
               : "r"(sharedAddress(&tile[16 + lane % 16]))
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(single)
               : "r"(sharedAddress(&tile[8 + lane % 8]))
               : "memory");
  for (int i = 0; i < 4; ++i)
    out[7 * lane + i] = f[i];
  out[7 * lane + 4] = t[0];
  out[7 * lane + 5] = t[1];
  out[7 * lane + 6] = single;
}

// C = A B^T + C0 in bf16: blocks of four warps, tiles of 64 x 64 x 32 in three
// buffers, chunks of 16 bytes swizzled against bank conflicts; rows past the
// end are filled with zeros by the copies.
extern "C" __global__ void __launch_bounds__(128)
    matmulBF16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int m,
               int n, int k) {
  constexpr int stages = 3;
  __shared__ __align__(128) __nv_bfloat16 left[stages][64][32];
  __shared__ __align__(128) __nv_bfloat16 right[stages][64][32];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  int firstRow = blockIdx.y * 64, firstColumn = blockIdx.x * 64;
  // Four chunks in a row of 64 bytes; two rows share the 128 bytes of all banks.
  auto swizzled = [](int row, int chunk) {
    return 8 * (chunk ^ (row / 2 & 3));
  };
  auto fetch = [&](int step) {
    int stage = step % stages;
    for (int i = thread; i < 256; i += 128) {
      int row = i / 4, chunk = i % 4, column = 32 * step + 8 * chunk;
      bool isInside = firstRow + row < m && column < k;
      copy16(&left[stage][row][swizzled(row, chunk)],
             isInside ? a + (firstRow + row) * k + column : a, isInside);
      isInside = firstColumn + row < n && column < k;
      copy16(&right[stage][row][swizzled(row, chunk)],
             isInside ? b + (firstColumn + row) * k + column : b, isInside);
    }
  };
  int steps = (k + 31) / 32;
  for (int step = 0; step < stages - 1; ++step) {
    if (step < steps)
      fetch(step);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  float sums[8][4] = {};
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    if (step + stages - 1 < steps)
      fetch(step + stages - 1);
    asm volatile("cp.async.commit_group;" ::: "memory");
    int stage = step % stages;
    for (int half = 0; half < 2; ++half) {
      uint32_t fragment[4];
      int row = 16 * warp + lane % 16;
      loadMatrix(fragment,
                 &left[stage][row][swizzled(row, 2 * half + lane / 16)]);
      for (int tile = 0; tile < 8; tile += 2) {
        uint32_t other[4];
        int column = 8 * tile + lane % 8 + lane / 16 * 8;
        loadMatrix(other, &right[stage][column][swizzled(
                              column, 2 * half + lane / 8 % 2)]);
        multiply(sums[tile], fragment, other[0], other[1]);
        multiply(sums[tile + 1], fragment, other[2], other[3]);
      }
    }
  }
  for (int tile = 0; tile < 8; ++tile)
    for (int i = 0; i < 4; ++i) {
      int row = firstRow + 16 * warp + lane / 4 + 8 * (i / 2);
      int column = firstColumn + 8 * tile + 2 * (lane % 4) + i % 2;
      if (row < m && column < n)
        c[row * n + column] = sums[tile][i];
    }
}

// Attention of 32 query rows by two warps over keys in tiles of 16, D = 32: the
// scores stay in registers and become the left operand of the second product.
extern "C" __global__ void __launch_bounds__(64)
    attentionBF16(const __nv_bfloat16 *q, const __nv_bfloat16 *k,
                  const __nv_bfloat16 *v, float *out, int keys,
                  float scaleLog2) {
  __shared__ __align__(16) __nv_bfloat16 keyTile[16][40], valueTile[16][40];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  int firstRow = blockIdx.x * 32 + 16 * warp;
  uint32_t query[2][4];
  for (int part = 0; part < 2; ++part)
    for (int r = 0; r < 4; ++r)
      query[part][r] = *reinterpret_cast<const uint32_t *>(
          q + (firstRow + lane / 4 + 8 * (r & 1)) * 32 + 16 * part +
          2 * (lane % 4) + 8 * (r / 2));
  float acc[4][4] = {}, most[2] = {-INFINITY, -INFINITY}, total[2] = {};
  for (int start = 0; start < keys; start += 16) {
    __syncthreads();
    {
      int row = thread / 4, chunk = thread % 4;
      bool isInside = start + row < keys;
      const int at = isInside ? (start + row) * 32 + 8 * chunk : 0;
      copy16(&keyTile[row][8 * chunk], k + at, isInside);
      copy16(&valueTile[row][8 * chunk], v + at, isInside);
      asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    float scores[2][4] = {};
    for (int part = 0; part < 2; ++part) {
      uint32_t other[4];
      loadMatrix(other, &keyTile[lane % 8 + lane / 16 * 8]
                                [16 * part + lane / 8 % 2 * 8]);
      multiply(scores[0], query[part], other[0], other[1]);
      multiply(scores[1], query[part], other[2], other[3]);
    }
    uint32_t weights[4];
    for (int half = 0; half < 2; ++half) {
      float next = most[half];
      for (int tile = 0; tile < 2; ++tile)
        for (int i = 0; i < 2; ++i) {
          float &x = scores[tile][2 * half + i];
          bool isKey = start + 8 * tile + 2 * (lane % 4) + i < keys;
          x = isKey ? x * scaleLog2 : -INFINITY;
          next = fmaxf(next, x);
        }
      next = fmaxf(next, __shfl_xor_sync(~0u, next, 1));
      next = fmaxf(next, __shfl_xor_sync(~0u, next, 2));
      float shrink = exp2f(most[half] - next);
      most[half] = next;
      total[half] *= shrink;
      for (int tile = 0; tile < 4; ++tile)
        for (int i = 0; i < 2; ++i)
          acc[tile][2 * half + i] *= shrink;
      for (int tile = 0; tile < 2; ++tile) {
        float first = exp2f(scores[tile][2 * half] - next);
        float second = exp2f(scores[tile][2 * half + 1] - next);
        __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
        total[half] += __low2float(pair) + __high2float(pair);
        weights[2 * tile + half] = *reinterpret_cast<uint32_t *>(&pair);
      }
    }
    for (int tile = 0; tile < 4; tile += 2) {
      uint32_t other[4];
      loadTransposed(other,
                     &valueTile[lane % 16][8 * tile + lane / 16 * 8]);
      multiply(acc[tile], weights, other[0], other[1]);
      multiply(acc[tile + 1], weights, other[2], other[3]);
    }
  }
  for (int half = 0; half < 2; ++half) {
    float sum = total[half] + __shfl_xor_sync(~0u, total[half], 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    for (int tile = 0; tile < 4; ++tile)
      for (int i = 0; i < 2; ++i)
        out[(firstRow + lane / 4 + 8 * half) * 32 + 8 * tile +
            2 * (lane % 4) + i] = acc[tile][2 * half + i] / sum;
  }
}
