//===- wgmma.cu - products of warpgroups ----------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async of sm_90a: operands in shared memory under every swizzle and
// in both orders, A from registers, every type; then a matrix product with
// warps that only copy, tensor maps, and registers handed from one to the other.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Where an operand of `Rows` (the m or n side) times 64 elements of 16 bits lies
// in shared memory. Span is the swizzle in bytes, 16 for none. By rows, k is
// contiguous; turned, the rows are.
template <int Span, bool Turned, int Rows> struct Operand {
  static constexpr int each = Span / 2;
  static constexpr int bytes = Rows * 128;

  __device__ static int offsetOf(int row, int k) {
    int at;
    if (Turned)
      at = row / each * leading() + k / 8 * stride() + k % 8 * Span +
           row % each * 2;
    else
      at = k / each * (Span == 16 ? leading() : Rows * Span) +
           row / 8 * stride() + row % 8 * Span + k % each * 2;
    if (Span == 128)
      at ^= at >> 3 & 0x70;
    else if (Span == 64)
      at ^= at >> 3 & 0x30;
    else if (Span == 32)
      at ^= at >> 3 & 0x10;
    return at;
  }
  // Without a swizzle and turned, the two offsets of the descriptor change
  // their roles: offsetOf is written in terms of what moves along the rows
  // (leading) and along k (stride).
  __device__ static constexpr int leading() {
    if (!Turned)
      return Rows / 8 * 128;
    return Span == 16 ? 128 : 64 * Span;
  }
  __device__ static constexpr int stride() {
    if (Turned && Span == 16)
      return Rows / 8 * 128;
    return 8 * Span;
  }
  // The descriptor of 16 elements of k from 16 * step on.
  __device__ static uint64_t descriptor(uint32_t base, int step) {
    int k = 16 * step;
    if (Turned)
      base += k / 8 * stride();
    else
      base += k / each * (Span == 16 ? leading() : Rows * Span) + k % each * 2;
    constexpr bool isSwapped = Turned && Span == 16;
    uint64_t lead = isSwapped ? stride() : leading();
    uint64_t apart = isSwapped ? leading() : stride();
    constexpr uint64_t mode = Span == 128 ? 1 : Span == 64 ? 2 : Span == 32 ? 3 : 0;
    return (base & 0x3ffff) >> 4 | (lead >> 4) << 16 | (apart >> 4) << 32 |
           mode << 62;
  }
};

// The compiler must have put the accumulators into their registers before the
// fence.
template <typename T, int Count> __device__ void fenceWarpgroup(T (&d)[Count]) {
  for (int i = 0; i < Count; ++i)
    if constexpr (sizeof(T) == 4 && T(0.5f) != T(0))
      asm volatile("" : "+f"(d[i])::"memory");
    else
      asm volatile("" : "+r"(d[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void commitAndWait() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define SUMS16                                                                 \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),      \
      "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),             \
      "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define LIST16                                                                 \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"

template <bool TurnedA, bool TurnedB>
__device__ void multiply(float (&d)[16], uint64_t a, uint64_t b, bool isFirst) {
  asm volatile("{.reg .pred p; setp.ne.b32 p, %18, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 " LIST16
               ", %16, %17, p, 1, 1, %19, %20;}"
               : SUMS16
               : "l"(a), "l"(b), "r"(static_cast<int>(!isFirst)), "n"(TurnedA),
                 "n"(TurnedB));
}
// Element i lies in row 16 (warp % 4) + lane/4 + 8 (i / 2 % 2), column
// 8 (i / 4) + 2 (lane % 4) + i % 2.
template <typename T>
__device__ void scatter(T *c, const T (&d)[16], int pitch = 32) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  for (int i = 0; i < 16; ++i)
    c[(16 * warp + lane / 4 + 8 * (i / 2 % 2)) * pitch + 8 * (i / 4) +
      2 * (lane % 4) + i % 2] = d[i];
}

// C (64 x 32) = A B^T, a is 64 x 64, b is 32 x 64, both by rows in global memory.
template <int Span, bool TurnedA, bool TurnedB>
__device__ void product(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                        float *c, char *memory) {
  using A = Operand<Span, TurnedA, 64>;
  using B = Operand<Span, TurnedB, 32>;
  char *left = memory, *right = memory + A::bytes;
#pragma unroll 1
  for (int i = threadIdx.x; i < 64 * 64; i += 128)
    *reinterpret_cast<__nv_bfloat16 *>(left + A::offsetOf(i / 64, i % 64)) =
        a[i];
#pragma unroll 1
  for (int i = threadIdx.x; i < 32 * 64; i += 128)
    *reinterpret_cast<__nv_bfloat16 *>(right + B::offsetOf(i / 64, i % 64)) =
        b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[16];
  fenceWarpgroup(d);
  for (int step = 0; step < 4; ++step)
    multiply<TurnedA, TurnedB>(d, A::descriptor(sharedAddress(left), step),
                               B::descriptor(sharedAddress(right), step),
                               step == 0);
  commitAndWait();
  scatter(c, d);
}

#define EVERY_ORDER(NAME, SPAN)                                                \
  extern "C" __global__ void __launch_bounds__(128)                            \
      NAME(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c,           \
           int order) {                                                        \
    extern __shared__ __align__(1024) char memory[];                           \
    if (order == 0)                                                            \
      product<SPAN, false, false>(a, b, c, memory);                            \
    else if (order == 1)                                                       \
      product<SPAN, true, false>(a, b, c, memory);                             \
    else if (order == 2)                                                       \
      product<SPAN, false, true>(a, b, c, memory);                             \
    else                                                                       \
      product<SPAN, true, true>(a, b, c, memory);                              \
  }
EVERY_ORDER(wgmmaPlain, 16)
EVERY_ORDER(wgmmaSwizzle32, 32)
EVERY_ORDER(wgmmaSwizzle64, 64)
EVERY_ORDER(wgmmaSwizzle128, 128)

// A from registers, scaled on the way; -A B^T is subtracted by the instruction.
extern "C" __global__ void __launch_bounds__(128)
    wgmmaRegisters(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
  extern __shared__ __align__(1024) char memory[];
  using B = Operand<128, false, 32>;
#pragma unroll 1
  for (int i = threadIdx.x; i < 32 * 64; i += 128)
    *reinterpret_cast<__nv_bfloat16 *>(memory + B::offsetOf(i / 64, i % 64)) =
        b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t x[4][4];
  for (int step = 0; step < 4; ++step)
    for (int r = 0; r < 4; ++r) {
      int row = 16 * warp + lane / 4 + 8 * (r & 1);
      int k = 16 * step + 2 * (lane % 4) + 8 * (r / 2);
      __nv_bfloat162 pair =
          *reinterpret_cast<const __nv_bfloat162 *>(a + 64 * row + k);
      pair = __hmul2(pair, __float2bfloat162_rn(2.0f));
      x[step][r] = *reinterpret_cast<uint32_t *>(&pair);
    }
  float d[16];
  for (int i = 0; i < 16; ++i)
    d[i] = 100.0f + i;
  fenceWarpgroup(d);
  for (int step = 0; step < 4; ++step) {
    uint64_t right = B::descriptor(sharedAddress(memory), step);
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 " LIST16
                 ", {%16, %17, %18, %19}, %20, 1, -1, 1, 0;"
                 : SUMS16
                 : "r"(x[step][0]), "r"(x[step][1]), "r"(x[step][2]),
                   "r"(x[step][3]), "l"(right));
  }
  commitAndWait();
  scatter(c, d);
}

// Rows of 128 bytes under the 128-byte swizzle, in 8, 16 and 32 bits; 32 bytes
// of k at a time.
template <int Rows>
__device__ void loadRows(const uint32_t *from, char *to) {
#pragma unroll 1
  for (int i = threadIdx.x; i < Rows * 32; i += 128) {
    int at = 4 * i;
    at ^= at >> 3 & 0x70;
    *reinterpret_cast<uint32_t *>(to + at) = from[i];
  }
}
#define EVERY_TYPE(NAME, OUT, CONSTRAINT, TYPES, TAIL)                         \
  extern "C" __global__ void __launch_bounds__(128)                            \
      NAME(const uint32_t *a, const uint32_t *b, OUT *c) {                     \
    extern __shared__ __align__(1024) char memory[];                           \
    loadRows<64>(a, memory);                                                   \
    loadRows<32>(b, memory + 8192);                                            \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");               \
    __syncthreads();                                                           \
    OUT d[16];                                                                 \
    for (int i = 0; i < 16; ++i)                                               \
      d[i] = OUT(i);                                                           \
    fenceWarpgroup(d);                                                          \
    for (int step = 0; step < 4; ++step) {                                     \
      uint64_t constants = uint64_t(1) << 16 | uint64_t(64) << 32 |            \
                           uint64_t(1) << 62;                                  \
      uint64_t left = (sharedAddress(memory) + 32 * step) >> 4 | constants;    \
      uint64_t right =                                                         \
          (sharedAddress(memory) + 8192 + 32 * step) >> 4 | constants;         \
      asm volatile("wgmma.mma_async.sync.aligned.m64n32" TYPES " " LIST16      \
                   ", %16, %17, 1" TAIL ";"                                    \
                   : CONSTRAINT                                                \
                   : "l"(left), "l"(right));                                   \
    }                                                                          \
    commitAndWait();                                                           \
    scatter(c, d);                                                             \
  }
#define INTEGERS16                                                             \
  "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]),      \
      "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]),             \
      "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15])
EVERY_TYPE(wgmmaF16, float, SUMS16, "k16.f32.f16.f16", ", 1, 1, 0, 0")
EVERY_TYPE(wgmmaTF32, float, SUMS16, "k8.f32.tf32.tf32", ", 1, 1")
EVERY_TYPE(wgmmaE4M3, float, SUMS16, "k32.f32.e4m3.e4m3", ", 1, 1")
EVERY_TYPE(wgmmaE5M2, float, SUMS16, "k32.f32.e5m2.e4m3", ", 1, 1")
EVERY_TYPE(wgmmaS8, int, INTEGERS16, "k32.s32.s8.s8", "")
EVERY_TYPE(wgmmaU8, int, INTEGERS16, "k32.s32.u8.s8", "")

// Sums in fp16: two elements in a register.
extern "C" __global__ void __launch_bounds__(128)
    wgmmaHalfSums(const uint32_t *a, const uint32_t *b, __half2 *c) {
  extern __shared__ __align__(1024) char memory[];
  loadRows<64>(a, memory);
  loadRows<32>(b, memory + 8192);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  uint32_t d[8] = {};
  fenceWarpgroup(d);
  for (int step = 0; step < 4; ++step) {
    uint64_t constants =
        uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62;
    uint64_t left = (sharedAddress(memory) + 32 * step) >> 4 | constants;
    uint64_t right = (sharedAddress(memory) + 8192 + 32 * step) >> 4 | constants;
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f16.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1, 0, 0;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]),
                   "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
                 : "l"(left), "l"(right));
  }
  commitAndWait();
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < 8; ++i)
    c[(16 * warp + lane / 4 + 8 * (i % 2)) * 16 + 4 * (i / 2) + lane % 4] =
        *reinterpret_cast<__half2 *>(&d[i]);
}

__device__ void initBarrier(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   sharedAddress(barrier)),
               "r"(count)
               : "memory");
}
__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                   sharedAddress(barrier))
               : "memory");
}
__device__ void wait(uint64_t *barrier, int parity) {
  asm volatile("{\n\t.reg .pred done;\n"
               "again:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
               "@!done bra again;\n\t}" ::"r"(sharedAddress(barrier)),
               "r"(parity)
               : "memory");
}
__device__ void fetchBox(void *to, const CUtensorMap *map, int x, int y,
                         uint64_t *barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
               "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   sharedAddress(to)),
               "l"(map), "r"(x), "r"(y), "r"(sharedAddress(barrier))
               : "memory");
}

// C = A B^T in bf16, tiles of 128 x 32 and 64 of k: one warpgroup copies by
// tensor maps into three buffers, two multiply 64 rows each.
extern "C" __global__ void __launch_bounds__(384)
    matmulHopper(const __grid_constant__ CUtensorMap a,
                 const __grid_constant__ CUtensorMap b, float *c, int k,
                 int pitch) {
  extern __shared__ __align__(1024) char memory[];
  constexpr int stages = 3, leftBytes = 128 * 128, rightBytes = 32 * 128;
  constexpr int stageBytes = leftBytes + rightBytes;
  __shared__ __align__(8) uint64_t full[stages], empty[stages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      initBarrier(&full[i], 1);
      initBarrier(&empty[i], 2);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  int group = threadIdx.x / 128, steps = k / 64;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; ++step) {
        int stage = step % stages;
        if (step >= stages)
          wait(&empty[stage], (step / stages - 1) & 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     ::"r"(sharedAddress(&full[stage])),
                     "r"(stageBytes)
                     : "memory");
        fetchBox(memory + stage * stageBytes, &a, 64 * step, 128 * blockIdx.y,
                 &full[stage]);
        fetchBox(memory + stage * stageBytes + leftBytes, &b, 64 * step,
                 32 * blockIdx.x, &full[stage]);
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  using A = Operand<128, false, 64>;
  using B = Operand<128, false, 32>;
  float d[16];
  for (int step = 0; step < steps; ++step) {
    int stage = step % stages;
    wait(&full[stage], step / stages & 1);
    uint32_t left =
        sharedAddress(memory + stage * stageBytes) + 64 * 128 * (group - 1);
    uint32_t right = sharedAddress(memory + stage * stageBytes + leftBytes);
    fenceWarpgroup(d);
    for (int part = 0; part < 4; ++part)
      multiply<false, false>(d, A::descriptor(left, part),
                             B::descriptor(right, part),
                             step == 0 && part == 0);
    commitAndWait();
    if (threadIdx.x % 128 == 0)
      arrive(&empty[stage]);
  }
  scatter(c + (128 * blockIdx.y + 64 * (group - 1)) * pitch + 32 * blockIdx.x,
          d, pitch);
}
