//===- arithmetic.cu - integers, floats, conversions ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of one thread in every width: 64- and 128-bit integers, carries,
// packed bytes, the four rounding modes of fp32 and fp64, conversions, fp16 and
// bf16 pairs, random numbers, SHA-256.
//
//===----------------------------------------------------------------------===//

#include "algorithms.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void wideIntegers(const uint64_t *a, const uint64_t *b,
                                        uint64_t *out) {
  int i = threadIdx.x;
  uint64_t x = a[i], y = b[i];
  int64_t sx = static_cast<int64_t>(x), sy = static_cast<int64_t>(y);
  uint64_t *o = out + 16 * i;
  o[0] = x * y;
  o[1] = __umul64hi(x, y);
  o[2] = static_cast<uint64_t>(__mul64hi(sx, sy));
  o[3] = x / y;
  o[4] = x % y;
  o[5] = static_cast<uint64_t>(sx / sy);
  o[6] = static_cast<uint64_t>(sx % sy);
  o[7] = x << (y & 63);
  o[8] = static_cast<uint64_t>(sx >> (y & 63));
  o[9] = __popcll(x) + 100 * __clzll(static_cast<int64_t>(x)) +
         10000 * __ffsll(static_cast<int64_t>(y));
  o[10] = __brevll(x);
  unsigned __int128 product = static_cast<unsigned __int128>(x) * y + x;
  o[11] = static_cast<uint64_t>(product >> 37);
  o[12] = static_cast<uint64_t>(product / (y >> 20 | 1));
  o[13] = min(sx, sy) ^ max(x, y);
  o[14] = static_cast<uint32_t>(x) / (static_cast<uint32_t>(y) | 1) +
          static_cast<uint64_t>(static_cast<uint16_t>(x) %
                                (static_cast<uint16_t>(y) | 1));
  o[15] = static_cast<uint64_t>(static_cast<int64_t>(llabs(sx)) / 10);
}

extern "C" __global__ void bitTricks(const uint32_t *a, const uint32_t *b,
                                     uint32_t *out) {
  int i = threadIdx.x;
  uint32_t x = a[i], y = b[i], *o = out + 16 * i;
  o[0] = __funnelshift_l(x, y, i);
  o[1] = __funnelshift_lc(x, y, 2 * i);
  o[2] = __funnelshift_r(x, y, i + 30);
  o[3] = __funnelshift_rc(x, y, i + 30);
  o[4] = __byte_perm(x, y, x ^ y);
  o[5] = __sad(static_cast<int>(x), static_cast<int>(y), i);
  o[6] = __usad(x, y, i);
  o[7] = static_cast<uint32_t>(
      __hadd(static_cast<int>(x), static_cast<int>(y)));
  o[8] = __urhadd(x, y);
  o[9] = static_cast<uint32_t>(
      __mul24(static_cast<int>(x), static_cast<int>(y)));
  o[10] = __umulhi(x, y);
  o[11] = static_cast<uint32_t>(
      __dp4a(static_cast<int>(x), static_cast<int>(y), i));
  o[12] = __dp4a(x, y, 7u);
  o[13] = __dp2a_lo(x, y, 1u) + __dp2a_hi(x, y, 1u);
  uint32_t field, inserted;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(field) : "r"(x), "r"(i), "r"(y & 15));
  asm("bfi.b32 %0, %1, %2, %3, %4;"
      : "=r"(inserted)
      : "r"(x), "r"(y), "r"(i), "r"(9));
  o[14] = field;
  o[15] = inserted;
}

extern "C" __global__ void packedBytes(const uint32_t *a, const uint32_t *b,
                                       uint32_t *out) {
  int i = threadIdx.x;
  uint32_t x = a[i], y = b[i], *o = out + 8 * i;
  o[0] = __vadd4(x, y);
  o[1] = __vaddss2(x, y);
  o[2] = __vabsdiffu4(x, y);
  o[3] = __vmaxs2(x, y);
  o[4] = __vcmpgtu4(x, y);
  o[5] = __vavgu4(x, y);
  o[6] = __vsubus4(x, y);
  o[7] = __vminu2(x, y);
}

// 256 x 256 -> 512 bits with carry chains.
extern "C" __global__ void multiply256(const uint32_t *a, const uint32_t *b,
                                       uint32_t *out) {
  int i = threadIdx.x;
  uint32_t product[16] = {};
  for (int j = 0; j < 8; ++j) {
    uint32_t factor = b[8 * i + j];
    asm("mad.lo.cc.u32 %0, %1, %2, %0;"
        : "+r"(product[j])
        : "r"(a[8 * i]), "r"(factor));
#pragma unroll
    for (int k = 1; k < 8; ++k)
      asm volatile("madc.lo.cc.u32 %0, %1, %2, %0;"
                   : "+r"(product[j + k])
                   : "r"(a[8 * i + k]), "r"(factor));
    asm volatile("addc.u32 %0, %0, 0;" : "+r"(product[j + 8]));
    asm volatile("mad.hi.cc.u32 %0, %1, %2, %0;"
                 : "+r"(product[j + 1])
                 : "r"(a[8 * i]), "r"(factor));
#pragma unroll
    for (int k = 1; k < 7; ++k)
      asm volatile("madc.hi.cc.u32 %0, %1, %2, %0;"
                   : "+r"(product[j + k + 1])
                   : "r"(a[8 * i + k]), "r"(factor));
    asm volatile("madc.hi.u32 %0, %1, %2, %0;"
                 : "+r"(product[j + 8])
                 : "r"(a[8 * i + 7]), "r"(factor));
  }
  for (int j = 0; j < 16; ++j)
    out[16 * i + j] = product[j];
}

// Every operation of fp32 in the four rounding modes: nearest, zero, down, up.
extern "C" __global__ void roundedFloats(const float *a, const float *b,
                                         const float *c, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = b[i], z = c[i], *o = out + 24 * i;
#define ROUND(MODE, AT)                                                        \
  o[AT] = __fadd_##MODE(x, y);                                                 \
  o[AT + 1] = __fmul_##MODE(x, y);                                             \
  o[AT + 2] = __fmaf_##MODE(x, y, z);                                          \
  o[AT + 3] = __fdiv_##MODE(x, y);                                             \
  o[AT + 4] = __fsqrt_##MODE(fabsf(x));                                        \
  o[AT + 5] = __frcp_##MODE(x);
  ROUND(rn, 0)
  ROUND(rz, 6)
  ROUND(rd, 12)
  ROUND(ru, 18)
}

extern "C" __global__ void roundedDoubles(const double *a, const double *b,
                                          const double *c, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[i], y = b[i], z = c[i], *o = out + 24 * i;
#define ROUND64(MODE, AT)                                                      \
  o[AT] = __dadd_##MODE(x, y);                                                 \
  o[AT + 1] = __dmul_##MODE(x, y);                                             \
  o[AT + 2] = __fma_##MODE(x, y, z);                                           \
  o[AT + 3] = __ddiv_##MODE(x, y);                                             \
  o[AT + 4] = __dsqrt_##MODE(fabs(x));                                         \
  o[AT + 5] = __drcp_##MODE(x);
  ROUND64(rn, 0)
  ROUND64(rz, 6)
  ROUND64(rd, 12)
  ROUND64(ru, 18)
}

// fp64 library functions, with their slow paths.
extern "C" __global__ void doubleMath(const double *in, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = in[i], *o = out + 8 * i;
  o[0] = sin(x);
  o[1] = exp(-fabs(x) * 0.25);
  o[2] = log1p(fabs(x));
  o[3] = cbrt(x);
  o[4] = atan2(x, 3.0);
  o[5] = erf(x * 0.125);
  o[6] = pow(fabs(x), -1.5);
  o[7] = hypot(x, 2.0);
}

#define CONVERT(AT, INSTRUCTION, CONSTRAINT, TYPE, FROM, SOURCE)               \
  {                                                                            \
    TYPE value;                                                                \
    asm(INSTRUCTION " %0, %1;" : "=" CONSTRAINT(value) : FROM(SOURCE));        \
    o[AT] = static_cast<int64_t>(value);                                       \
  }

// fp32 to integers: every width and sign, every rounding; values outside of the
// range saturate.
extern "C" __global__ void floatToInteger(const float *in, int64_t *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  int64_t *o = out + 32 * i;
#define ROUNDINGS(AT, TYPE, C, TO)                                             \
  CONVERT(AT, "cvt.rni." TO ".f32", C, TYPE, "f", x)                           \
  CONVERT(AT + 1, "cvt.rzi." TO ".f32", C, TYPE, "f", x)                       \
  CONVERT(AT + 2, "cvt.rmi." TO ".f32", C, TYPE, "f", x)                       \
  CONVERT(AT + 3, "cvt.rpi." TO ".f32", C, TYPE, "f", x)
  ROUNDINGS(0, int32_t, "r", "s8")
  ROUNDINGS(4, uint32_t, "r", "u8")
  ROUNDINGS(8, int16_t, "h", "s16")
  ROUNDINGS(12, uint16_t, "h", "u16")
  ROUNDINGS(16, int32_t, "r", "s32")
  ROUNDINGS(20, uint32_t, "r", "u32")
  ROUNDINGS(24, int64_t, "l", "s64")
  ROUNDINGS(28, uint64_t, "l", "u64")
}

// The same from fp64, and from fp16 toward zero.
extern "C" __global__ void doubleToInteger(const double *in, int64_t *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = in[i];
  int64_t *o = out + 32 * i;
#define ROUNDINGS64(AT, TYPE, C, TO)                                           \
  CONVERT(AT, "cvt.rni." TO ".f64", C, TYPE, "d", x)                           \
  CONVERT(AT + 1, "cvt.rzi." TO ".f64", C, TYPE, "d", x)                       \
  CONVERT(AT + 2, "cvt.rmi." TO ".f64", C, TYPE, "d", x)                       \
  CONVERT(AT + 3, "cvt.rpi." TO ".f64", C, TYPE, "d", x)
  ROUNDINGS64(0, int32_t, "r", "s8")
  ROUNDINGS64(4, uint32_t, "r", "u8")
  ROUNDINGS64(8, int16_t, "h", "s16")
  ROUNDINGS64(12, uint16_t, "h", "u16")
  ROUNDINGS64(16, int32_t, "r", "s32")
  ROUNDINGS64(20, uint32_t, "r", "u32")
  ROUNDINGS64(24, int64_t, "l", "s64")
  ROUNDINGS64(28, uint64_t, "l", "u64")
}

// Integers to narrower ones with saturation, and to floats in four roundings.
extern "C" __global__ void integerConversions(const int64_t *in, int64_t *out,
                                              float *floats, double *doubles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int64_t x = in[i], *o = out + 8 * i;
  uint64_t u = static_cast<uint64_t>(x);
  int32_t narrow = static_cast<int32_t>(x);
  CONVERT(0, "cvt.sat.s8.s64", "r", int32_t, "l", x)
  CONVERT(1, "cvt.sat.u8.s64", "r", uint32_t, "l", x)
  CONVERT(2, "cvt.sat.s16.s64", "h", int16_t, "l", x)
  CONVERT(3, "cvt.sat.u16.s32", "h", uint16_t, "r", narrow)
  CONVERT(4, "cvt.sat.s32.s64", "r", int32_t, "l", x)
  CONVERT(5, "cvt.sat.u32.s64", "r", uint32_t, "l", x)
  CONVERT(6, "cvt.sat.s32.u64", "r", int32_t, "l", u)
  CONVERT(7, "cvt.sat.u64.s64", "l", uint64_t, "l", x)
  float *f = floats + 12 * i;
  f[0] = __ll2float_rn(x);
  f[1] = __ll2float_rz(x);
  f[2] = __ll2float_rd(x);
  f[3] = __ll2float_ru(x);
  f[4] = __ull2float_rn(u);
  f[5] = __ull2float_rz(u);
  f[6] = __ull2float_rd(u);
  f[7] = __ull2float_ru(u);
  f[8] = __int2float_rn(narrow);
  f[9] = __int2float_rz(narrow);
  f[10] = __uint2float_rd(static_cast<uint32_t>(narrow));
  f[11] = __uint2float_ru(static_cast<uint32_t>(narrow));
  double *d = doubles + 4 * i;
  d[0] = __ll2double_rn(x);
  d[1] = __ll2double_rz(x);
  d[2] = __ull2double_rd(u);
  d[3] = __ull2double_ru(u);
}

// Between float formats: fp64 -> fp32 in four roundings, fp32 -> fp16 in two,
// bf16 in two, tf32, relu and saturation to [0, 1]; integral values in fp32.
extern "C" __global__ void floatConversions(const double *in, float *floats,
                                            uint16_t *halves) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = in[i];
  float y = static_cast<float>(x), *f = floats + 12 * i;
  f[0] = __double2float_rn(x);
  f[1] = __double2float_rz(x);
  f[2] = __double2float_rd(x);
  f[3] = __double2float_ru(x);
  f[4] = __saturatef(y);
  f[5] = rintf(y);
  f[6] = truncf(y);
  f[7] = floorf(y);
  f[8] = ceilf(y);
  uint32_t tf32;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(tf32) : "f"(y));
  f[9] = __uint_as_float(tf32);
  f[10] = static_cast<float>(__float2half_rn(y));
  f[11] = roundf(y);
  uint16_t *h = halves + 8 * i;
  h[0] = __half_as_ushort(__float2half_rn(y));
  h[1] = __half_as_ushort(__float2half_rz(y));
  h[2] = __bfloat16_as_ushort(__float2bfloat16_rn(y));
  h[3] = __bfloat16_as_ushort(__float2bfloat16_rz(y));
  __half2 pair = __floats2half2_rn(y, -y);
  h[4] = __half_as_ushort(__low2half(pair));
  h[5] = __half_as_ushort(__high2half(pair));
  uint32_t relu;
  asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(relu) : "f"(y), "f"(-y));
  h[6] = static_cast<uint16_t>(relu);
  h[7] = static_cast<uint16_t>(relu >> 16);
}

// Pairs of fp16: sums, minima, comparisons, saturated and clamped fma.
extern "C" __global__ void halfPairs(const __half2 *a, const __half2 *b,
                                     __half2 *out, uint32_t *flags) {
  int i = threadIdx.x;
  __half2 x = a[i], y = b[i], *o = out + 8 * i;
  o[0] = __hadd2(x, y);
  o[1] = __hmul2_sat(x, y);
  o[2] = __hfma2_relu(x, y, y);
  o[3] = __hmin2(x, y);
  o[4] = __hmax2(__habs2(x), __hneg2(y));
  o[5] = __hsub2_sat(x, y);
  o[6] = __lows2half2(x, y);
  o[7] = __hfma2_sat(x, x, y);
  flags[i] = __hgt2_mask(x, y) ^ (__hbeq2(x, y) ? 0x10001u : 0u);
}

// The same in bf16.
extern "C" __global__ void bfloatPairs(const __nv_bfloat162 *a,
                                       const __nv_bfloat162 *b,
                                       __nv_bfloat162 *out) {
  int i = threadIdx.x;
  __nv_bfloat162 x = a[i], y = b[i], *o = out + 6 * i;
  o[0] = __hadd2(x, y);
  o[1] = __hmul2(x, y);
  o[2] = __hfma2_relu(x, y, y);
  o[3] = __hmin2(x, y);
  o[4] = __hmax2(__habs2(x), __hneg2(y));
  o[5] = __hsub2(x, y);
}

// Four random words for each counter.
extern "C" __global__ void randomNumbers(uint32_t *out, uint32_t key0,
                                         uint32_t key1) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t counter[4] = {i, 0, i * i, 0};
  philox(counter, key0, key1);
  reinterpret_cast<uint4 *>(out)[i] =
      make_uint4(counter[0], counter[1], counter[2], counter[3]);
}

__constant__ uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256 of messages that fit into one block, padded by the host.
extern "C" __global__ void sha256(const uint32_t *messages, uint32_t *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint32_t message[16];
  for (int j = 0; j < 16; ++j)
    message[j] = messages[16 * i + j];
  sha256Block(state, message, rounds);
  for (int j = 0; j < 8; ++j)
    out[8 * i + j] = state[j];
}
