//===- hopper.cu - single instructions of sm_89 and sm_90 -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stmatrix, elect, fp8 conversions, native bf16, the dynamic-programming
// instructions and atomics on vectors.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Four matrices stored as they are, two transposed, one alone.
extern "C" __global__ void matrixStores(const uint32_t *in, uint16_t *out) {
  __shared__ __align__(16) uint16_t tile[7][8][8];
  int lane = threadIdx.x;
  uint32_t r[7];
  for (int i = 0; i < 7; ++i)
    r[i] = in[7 * lane + i];
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, "
               "%4};" ::"r"(sharedAddress(&tile[lane / 8][lane % 8])),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
               ::"r"(sharedAddress(&tile[4 + lane / 8 % 2][lane % 8])),
               "r"(r[4]), "r"(r[5])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(
                   sharedAddress(&tile[6][lane % 8])),
               "r"(r[6])
               : "memory");
  __syncwarp();
  for (int i = lane; i < 448; i += 32)
    out[i] = (&tile[0][0][0])[i];
}

// One lane of those here, whichever; the others agree on it.
extern "C" __global__ void electedLane(int *out) {
  int lane = threadIdx.x;
  uint32_t chosen = 99, isChosen = 0;
  if (lane >= 8)
    asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffff00;\n\t"
                 "selp.u32 %1, 1, 0, p;}"
                 : "=r"(chosen), "=r"(isChosen));
  out[2 * lane] = chosen;
  out[2 * lane + 1] = isChosen;
}

// fp32 -> fp8 in both formats and back, by pairs.
extern "C" __global__ void fp8Conversions(const float2 *in, uint16_t *packed,
                                          float2 *back) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 x = in[i];
  __nv_fp8x2_e4m3 four(x);
  __nv_fp8x2_e5m2 five(x);
  packed[2 * i] = four.__x;
  packed[2 * i + 1] = five.__x;
  back[2 * i] = static_cast<float2>(four);
  back[2 * i + 1] = static_cast<float2>(five);
}

// What sm_80 composes of fma, sm_90 has on its own.
extern "C" __global__ void nativeBfloat(const __nv_bfloat162 *a,
                                        const __nv_bfloat162 *b,
                                        __nv_bfloat162 *out, float *single) {
  int i = threadIdx.x;
  __nv_bfloat162 x = a[i], y = b[i], *o = out + 4 * i;
  o[0] = __hadd2(x, y);
  o[1] = __hmul2(x, y);
  o[2] = __hsub2(x, y);
  o[3] = __hgt2(x, y);
  single[2 * i] = __bfloat162float(__hadd(x.x, y.y));
  single[2 * i + 1] = __bfloat162float(hexp2(x.x));
}

// Minima and maxima of three, of sums, clamped at 0, also in halfwords.
extern "C" __global__ void dynamicProgramming(const int *a, const int *b,
                                              const int *c, int *out) {
  int i = threadIdx.x, x = a[i], y = b[i], z = c[i], *o = out + 8 * i;
  o[0] = __vimax3_s32(x, y, z);
  o[1] = __vimin3_s32_relu(x, y, z);
  o[2] = __viaddmax_s32(x, y, z);
  o[3] = __viaddmin_s32_relu(x, y, z);
  o[4] = static_cast<int>(__vimax3_s16x2(x, y, z));
  o[5] = static_cast<int>(__viaddmax_s16x2(x, y, z));
  bool isFirst;
  o[6] = __vibmax_s32(x, y, &isFirst);
  o[7] = isFirst;
}

// Sums of two and four floats in one instruction.
extern "C" __global__ void vectorAtomics(const float4 *in, float4 *sums,
                                         float2 *pairs) {
  float4 x = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(sums, x);
  float2 old = atomicAdd(pairs, make_float2(x.x, x.w));
  if (old.x < -1e9f)
    sums->x = old.y;
}
