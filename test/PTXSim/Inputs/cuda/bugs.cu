//===- bugs.cu - kernels with a planted bug and their repaired twins ------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mistakes people make in CUDA C++, one in each kernel. NAME_fixed is the
// same text without the mistake.
//
//===----------------------------------------------------------------------===//

#include <cassert>
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

#define UNPAREN(...) __VA_ARGS__
// NAME and NAME_fixed, of a body that knows which one it is.
#define TWINS(NAME, PARAMETERS, ARGUMENTS)                                     \
  extern "C" __global__ void NAME(UNPAREN PARAMETERS) {                        \
    NAME##Body<false>(UNPAREN ARGUMENTS);                                      \
  }                                                                            \
  extern "C" __global__ void NAME##_fixed(UNPAREN PARAMETERS) {                \
    NAME##Body<true>(UNPAREN ARGUMENTS);                                       \
  }

// No barrier between writing the tile and reading it across.
template <bool Fixed>
__device__ void transposeNoBarrierBody(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  if (Fixed)
    __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
TWINS(transposeNoBarrier, (const float *in, float *out, int n), (in, out, n))

// The last thread reads one element too far.
template <bool Fixed>
__device__ void differencesOffByOneBody(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (Fixed ? i + 1 < n : i < n)
    out[i] = in[i + 1] - in[i];
}
TWINS(differencesOffByOne, (const float *in, float *out, int n), (in, out, n))

// Every thread past the end of a ragged grid writes.
template <bool Fixed>
__device__ void scaleWithoutTailBody(float *x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!Fixed || i < n)
    x[i] *= factor;
}
TWINS(scaleWithoutTail, (float *x, float factor, int n), (x, factor, n))

// A tile as wide as the block, without room for its halo.
template <bool Fixed>
__device__ void haloTooSmallBody(const float *in, float *out) {
  __shared__ float tile[Fixed ? 66 : 64];
  int i = threadIdx.x;
  tile[i + 1] = in[i];
  if (i == 0)
    tile[0] = 0;
  if (i == 63)
    tile[i + 2] = 0;
  __syncthreads();
  out[i] = tile[i] + tile[i + 1] + tile[i + 2];
}
TWINS(haloTooSmall, (const float *in, float *out), (in, out))

// An index into a local array that is too large for some inputs.
template <bool Fixed>
__device__ void localIndexBody(const int *in, int *out) {
  volatile int counts[8];
  for (int j = 0; j < 8; ++j)
    counts[j] = 0;
  for (int j = 0; j < 16; ++j) {
    int bin = in[16 * threadIdx.x + j];
    counts[Fixed ? bin & 7 : bin] += 1;
  }
  int most = 0;
  for (int j = 0; j < 8; ++j)
    most = max(most, counts[j]);
  out[threadIdx.x] = most;
}
TWINS(localIndex, (const int *in, int *out), (in, out))

// Nobody sets the bins to zero.
template <bool Fixed>
__device__ void binsNotZeroedBody(const uint8_t *in, int *out, int n) {
  __shared__ int bins[64];
  if (Fixed) {
    if (threadIdx.x < 64)
      bins[threadIdx.x] = 0;
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&bins[in[i] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64)
    out[threadIdx.x] = bins[threadIdx.x];
}
TWINS(binsNotZeroed, (const uint8_t *in, int *out, int n), (in, out, n))

// Only full groups of four are summed up; the rest of the buffer is read all
// the same.
template <bool Fixed>
__device__ void halfWrittenBody(const int *in, int *scratch, int *out, int n) {
  int i = threadIdx.x;
  if (Fixed ? i < n : i < n / 4 * 4)
    scratch[i] = in[i] * 2;
  __syncthreads();
  if (i < n)
    out[i] = scratch[n - 1 - i];
}
TWINS(halfWritten, (const int *in, int *scratch, int *out, int n),
      (in, scratch, out, n))

// A register that is written in half of the lanes only.
template <bool Fixed>
__device__ void registerNotSetBody(const int *in, int *out) {
  int value, i = threadIdx.x;
  if (Fixed)
    asm("{.reg .pred p; setp.lt.s32 p, %1, 16; mov.s32 %0, 5;\n\t"
        "@p add.s32 %0, %2, 1;}"
        : "=r"(value)
        : "r"(i), "r"(in[i]));
  else
    asm("{.reg .pred p; setp.lt.s32 p, %1, 16;\n\t"
        "@p add.s32 %0, %2, 1;}"
        : "=r"(value)
        : "r"(i), "r"(in[i]));
  out[i] = value * 3;
}
TWINS(registerNotSet, (const int *in, int *out), (in, out))

__device__ void copyAsync(void *shared, const void *global) {
  uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address),
               "l"(global)
               : "memory");
}

// Waits for all groups but one, and reads the one.
template <bool Fixed>
__device__ void asyncWaitTooShortBody(const float4 *in, float4 *out) {
  __shared__ float4 buffer[2][32];
  int i = threadIdx.x;
  copyAsync(&buffer[0][i], &in[i]);
  asm volatile("cp.async.commit_group;");
  copyAsync(&buffer[1][i], &in[32 + i]);
  asm volatile("cp.async.commit_group;");
  if (Fixed)
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  else
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  float4 a = buffer[0][i], b = buffer[1][i];
  out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
TWINS(asyncWaitTooShort, (const float4 *in, float4 *out), (in, out))

// A ring of buffers that is refilled while other warps still read it.
template <bool Fixed>
__device__ void ringRefilledEarlyBody(const float4 *in, float *out, int rows) {
  __shared__ float4 ring[2][64];
  int i = threadIdx.x;
  float sum = 0;
  copyAsync(&ring[0][i], &in[i]);
  asm volatile("cp.async.commit_group;");
  for (int row = 0; row < rows; ++row) {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    sum += reinterpret_cast<const float *>(ring[row % 2])[255 - i];
    if (Fixed) {
      if (row + 1 < rows)
        copyAsync(&ring[(row + 1) % 2][i], &in[64 * (row + 1) + i]);
    } else {
      if (row + 1 < rows)
        copyAsync(&ring[row % 2][i], &in[64 * (row + 1) + i]);
    }
    asm volatile("cp.async.commit_group;");
  }
  out[i] = sum;
}
TWINS(ringRefilledEarly, (const float4 *in, float *out, int rows),
      (in, out, rows))

// A sum in shared memory without atomics.
template <bool Fixed>
__device__ void plainIncrementBody(const int *in, int *out, int n) {
  __shared__ int total;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (in[i] > 0) {
      if (Fixed)
        atomicAdd(&total, in[i]);
      else
        total += in[i];
    }
  __syncthreads();
  if (threadIdx.x == 0)
    *out = total;
}
TWINS(plainIncrement, (const int *in, int *out, int n), (in, out, n))

// A tree reduction that goes without barriers once 64 threads are left, as if
// they were one warp.
template <bool Fixed>
__device__ void treeTailBody(const int *in, int *out) {
  __shared__ int partial[256];
  int i = threadIdx.x;
  partial[i] = in[i];
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (i < stride)
      partial[i] += partial[i + stride];
    if (Fixed || stride > 64)
      __syncthreads();
  }
  if (i == 0)
    *out = partial[0];
}
TWINS(treeTail, (const int *in, int *out), (in, out))

// The next round overwrites what slower warps still read.
template <bool Fixed>
__device__ void oneBarrierPerRoundBody(const int *in, int *out, int rounds) {
  __shared__ int cell[128];
  int i = threadIdx.x, value = in[i];
  for (int round = 0; round < rounds; ++round) {
    cell[i] = value;
    __syncthreads();
    value += cell[(i + 37) % 128];
    if (Fixed)
      __syncthreads();
  }
  out[i] = value;
}
TWINS(oneBarrierPerRound, (const int *in, int *out, int rounds),
      (in, out, rounds))

// A barrier inside of a condition that lanes of one warp decide differently.
template <bool Fixed>
__device__ void barrierInBranchBody(const int *in, int *out) {
  __shared__ int cell[64];
  int i = threadIdx.x;
  cell[i] = in[i];
  if (!Fixed) {
    if (i < 48) {
      __syncthreads();
      out[i] = cell[63 - i];
    }
  } else {
    __syncthreads();
    if (i < 48)
      out[i] = cell[63 - i];
  }
}
TWINS(barrierInBranch, (const int *in, int *out), (in, out))

// A warp returns before the barrier the others wait at.
template <bool Fixed>
__device__ void returnBeforeBarrierBody(const int *in, int *out, int n) {
  __shared__ int cell[96];
  int i = threadIdx.x;
  if (!Fixed && i >= n)
    return;
  if (i < n)
    cell[i] = in[i];
  __syncthreads();
  if (i < n)
    out[i] = cell[n - 1 - i];
}
TWINS(returnBeforeBarrier, (const int *in, int *out, int n), (in, out, n))

// Warps give a named barrier different numbers of threads.
template <bool Fixed>
__device__ void barrierCountsBody(int *out) {
  int i = threadIdx.x, warp = i / 32;
  int count = Fixed || warp == 0 ? 64 : 96;
  asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");
  out[i] = warp;
}
TWINS(barrierCounts, (int *out), (out))

// Two groups of warps take two named barriers in opposite order.
template <bool Fixed>
__device__ void oppositeBarriersBody(int *out) {
  int i = threadIdx.x;
  if (i < 32 || Fixed) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  out[i] = i;
}
TWINS(oppositeBarriers, (int *out), (out))

// A sum by shuffles of all lanes in a branch that half of them take.
template <bool Fixed>
__device__ void shuffleInBranchBody(const float *in, float *out) {
  int i = threadIdx.x;
  float x = in[i];
  if (i % 32 < 16) {
    for (int offset = 8; offset; offset /= 2)
      x += __shfl_xor_sync(Fixed ? 0xffffu : ~0u, x, offset);
    if (i % 32 == 0)
      out[i / 32] = x;
  }
}
TWINS(shuffleInBranch, (const float *in, float *out), (in, out))

// Takes its value from a lane that is not in the branch.
template <bool Fixed>
__device__ void shuffleFromOutsideBody(const int *in, int *out) {
  int lane = threadIdx.x, x = in[lane];
  if (lane >= 16)
    x = __shfl_sync(0xffff0000u, x, Fixed ? 16 + lane % 4 : lane % 4);
  out[lane] = x;
}
TWINS(shuffleFromOutside, (const int *in, int *out), (in, out))

// Four floats at once from an odd element.
template <bool Fixed>
__device__ void oddVectorBody(const float *in, float *out) {
  int i = threadIdx.x;
  const float *from = in + 4 * i + 1;
  float4 x = Fixed ? make_float4(from[0], from[1], from[2], from[3])
                   : *reinterpret_cast<const float4 *>(from);
  out[i] = x.x + x.y + x.z + x.w;
}
TWINS(oddVector, (const float *in, float *out), (in, out))

__constant__ int limits[4] = {10, 20, 30, 40};

// Writes into constant memory through a pointer without const.
template <bool Fixed>
__device__ void constantWrittenBody(int *spare, int *out) {
  int *target = Fixed ? spare : const_cast<int *>(limits);
  int i = threadIdx.x;
  asm volatile("" : "+l"(target)); // the compiler forgets where it points
  target[i] = i;
  out[i] = limits[i];
}
TWINS(constantWritten, (int *spare, int *out), (spare, out))

// Runs into its own check.
template <bool Fixed>
__device__ void checkFailsBody(const int *in, int *out, int capacity) {
  int i = threadIdx.x, slot = in[i];
  if (Fixed ? slot > capacity : slot >= capacity)
    __trap();
  out[i] = slot;
}
TWINS(checkFails, (const int *in, int *out, int capacity), (in, out, capacity))

// Never ends for 0.
template <bool Fixed>
__device__ void endlessForZeroBody(const unsigned *in, unsigned *out) {
  unsigned x = in[threadIdx.x], steps = 0;
  while (x != 1 && (!Fixed || x != 0)) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    ++steps;
  }
  out[threadIdx.x] = steps;
}
TWINS(endlessForZero, (const unsigned *in, unsigned *out), (in, out))

// A matrix product whose operands one warp loads for all: the barrier stands
// after ldmatrix instead of before it.
template <bool Fixed>
__device__ void fragmentsBeforeBarrierBody(const uint4 *in, uint32_t *out) {
  __shared__ uint4 tile[32];
  int i = threadIdx.x;
  if (i < 32)
    tile[i] = in[i];
  if (Fixed)
    __syncthreads();
  uint32_t address =
      static_cast<uint32_t>(__cvta_generic_to_shared(&tile[i % 32]));
  uint32_t a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(address)
               : "memory");
  if (!Fixed)
    __syncthreads();
  out[i] = a ^ b ^ c ^ d;
}
TWINS(fragmentsBeforeBarrier, (const uint4 *in, uint32_t *out), (in, out))

// Reads what other blocks wrote without a barrier of the grid.
template <bool Fixed>
__device__ void gridNotSyncedBody(const int *in, int *partial, int *out) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  partial[i] = in[i] * 3;
  if (Fixed)
    grid.sync();
  else
    __syncthreads();
  out[i] = partial[grid.size() - 1 - i];
}
TWINS(gridNotSynced, (const int *in, int *partial, int *out),
      (in, partial, out))

// An assertion that the last thread breaks.
template <bool Fixed>
__device__ void assertionFailsBody(const int *in, int *out, int limit) {
  int i = threadIdx.x;
  assert(in[i] < (Fixed ? limit + 1 : limit));
  out[i] = in[i];
}
TWINS(assertionFails, (const int *in, int *out, int limit), (in, out, limit))

// Takes one element too few from the stack.
template <bool Fixed>
__device__ void stackTooShortBody(int *out, int n) {
  int *list = static_cast<int *>(alloca((Fixed ? n + 1 : n) * sizeof(int)));
  for (int k = 0; k <= n; ++k)
    list[k] = k * k;
  out[threadIdx.x] = list[threadIdx.x % (n + 1)];
}
TWINS(stackTooShort, (int *out, int n), (out, n))
