//===- blackwell.cu - what sm_100 adds to every thread --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of fp32, formats of 4 and 6 bits with scales, reductions of fp32,
// accesses of 32 bytes, rows gathered through a tensor map.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

// A polynomial and its derivative, two numbers at a time.
extern "C" __global__ void pairPolynomials(const float2 *x, float2 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 t = x[i], value = {1.0f, 2.0f}, slope = {0.0f, 0.0f};
  for (int k = 0; k < 4; ++k) {
    slope = __ffma2_rn(slope, t, value);
    value = __ffma2_rn(value, t, make_float2(0.5f * k, -0.25f * k));
  }
  out[2 * i] = value;
  out[2 * i + 1] = __fmul2_rn(slope, __fadd2_rn(t, t));
}

// To each small format and back.
extern "C" __global__ void smallFloats(const float2 *in, float2 *out) {
  int i = threadIdx.x;
  float2 x = in[i];
  out[5 * i] = float2(__nv_fp4x2_e2m1(x));
  out[5 * i + 1] = float2(__nv_fp6x2_e2m3(x));
  out[5 * i + 2] = float2(__nv_fp6x2_e3m2(x));
  out[5 * i + 3] = make_float2(float(__nv_fp8_e8m0(x.x)),
                               float(__nv_fp8_e8m0(x.y)));
  out[5 * i + 4] = make_float2(float(__nv_fp8_e4m3(x.x)),
                               float(__nv_fp8_e5m2(x.y)));
}

__device__ float reduceMax(float x) {
  float result;
  asm("redux.sync.max.abs.NaN.f32 %0, %1, 0xffffffff;" : "=f"(result) : "f"(x));
  return result;
}
__device__ float reduceMin(float x) {
  float result;
  asm("redux.sync.min.f32 %0, %1, 0xffffffff;" : "=f"(result) : "f"(x));
  return result;
}

// Rows of 32 blocks of 32 numbers, each quantised with a scale of its own.
extern "C" __global__ void blockScales(const float *in, float *scales,
                                       uint8_t *out, float *smallest) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  float x = in[32 * warp + lane];
  float most = reduceMax(x);
  __nv_fp8_e8m0 scale(most / 6.0f);
  float step = float(scale);
  __nv_fp4_e2m1 code(x / step);
  unsigned bits = code.__x & 15;
  unsigned other = __shfl_down_sync(~0u, bits, 1);
  if (lane % 2 == 0)
    out[16 * warp + lane / 2] = bits | other << 4;
  float least = reduceMin(x);
  if (lane == 0) {
    scales[warp] = step;
    smallest[warp] = least;
  }
}

// Eight floats at a time, and four doubles.
extern "C" __global__ void wideCopies(const float *in, float *out,
                                      const double *din, double *dout) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[8];
  asm volatile("ld.global.L1::no_allocate.v8.f32 {%0, %1, %2, %3, %4, %5, %6, "
               "%7}, [%8];"
               : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]),
                 "=f"(v[5]), "=f"(v[6]), "=f"(v[7])
               : "l"(in + 8 * i));
  asm volatile("st.global.v8.f32 [%8], {%7, %6, %5, %4, %3, %2, %1, %0};" ::"f"(
                   v[0]),
               "f"(v[1]), "f"(v[2]), "f"(v[3]), "f"(v[4]), "f"(v[5]),
               "f"(v[6]), "f"(v[7]), "l"(out + 8 * i)
               : "memory");
  double d[4];
  asm volatile("ld.global.v4.f64 {%0, %1, %2, %3}, [%4];"
               : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
               : "l"(din + 4 * i));
  asm volatile("st.global.v4.f64 [%4], {%3, %2, %1, %0};" ::"d"(d[0]),
               "d"(d[1]), "d"(d[2]), "d"(d[3]), "l"(dout + 4 * i)
               : "memory");
}

// Sums in fp32 of what lies in fp16.
extern "C" __global__ void mixedSums(const __half *a, const __half *b,
                                     float *out, int n) {
  int i = threadIdx.x;
  float sum = 0, dot = 0;
  for (int k = 0; k < n; ++k) {
    __half x = a[n * i + k], y = b[n * i + k];
    asm("add.f32.f16 %0, %1, %0;" : "+f"(sum) : "h"(__half_as_ushort(x)));
    asm("fma.rn.f32.f16 %0, %1, %2, %0;"
        : "+f"(dot)
        : "h"(__half_as_ushort(x)), "h"(__half_as_ushort(y)));
  }
  float most;
  asm("max.abs.f32 %0, %1, %2, %3;"
      : "=f"(most)
      : "f"(sum), "f"(dot), "f"(0.25f));
  out[3 * i] = sum;
  out[3 * i + 1] = dot;
  out[3 * i + 2] = most;
}

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Embedding: rows of a table by their numbers, four with one copy.
extern "C" __global__ void embedRows(const __grid_constant__ CUtensorMap table,
                                     const int *tokens, float *out) {
  __shared__ __align__(128) float rows[4][64];
  __shared__ __align__(8) uint64_t full;
  int base = 4 * blockIdx.x;
  if (threadIdx.x == 0) {
    uint32_t barrier = sharedAddress(&full);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                 "fence.mbarrier_init.release.cluster;\n\t"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(
                     barrier)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::"
        "complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(
            sharedAddress(rows)),
        "l"(&table), "r"(0), "r"(tokens[base]), "r"(tokens[base + 1]),
        "r"(tokens[base + 2]), "r"(tokens[base + 3]), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  asm volatile("{\n\t.reg .pred done;\n"
               "again:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t"
               "@!done bra again;\n\t}" ::"r"(sharedAddress(&full))
               : "memory");
  for (int row = 0; row < 4; ++row)
    out[64 * (base + row) + threadIdx.x] = rows[row][threadIdx.x];
}
