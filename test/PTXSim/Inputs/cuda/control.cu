//===- control.cu - divergence, stacks, calls -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow that lanes of a warp take differently: loops they leave at
// different times, a switch in a loop, recursion, stacks in local memory, and
// calls through pointers.
//
//===----------------------------------------------------------------------===//

#include "algorithms.h"

// Steps until z^2 + c leaves the disc of radius 2; every operation is rounded
// on its own, so that the host gets the same numbers.
extern "C" __global__ void mandelbrot(int *out, int width, int height,
                                      int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float cr = __fadd_rn(-2.0f, __fmul_rn(x, 0.0625f));
  float ci = __fadd_rn(-1.25f, __fmul_rn(y, 0.078125f));
  float zr = 0, zi = 0;
  int steps = 0;
  for (; steps < limit; ++steps) {
    float r2 = __fmul_rn(zr, zr), i2 = __fmul_rn(zi, zi);
    if (__fadd_rn(r2, i2) > 4.0f)
      break;
    zi = __fmaf_rn(2.0f * zr, zi, ci);
    zr = __fadd_rn(__fsub_rn(r2, i2), cr);
  }
  out[y * width + x] = steps;
}

extern "C" __global__ void tangled(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = tangle(in[i]);
}

// Lanes of one warp run different programs.
extern "C" __global__ void interpreter(const uint8_t *programs,
                                       const uint32_t *in, uint32_t *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = interpret(programs + 32 * (i % 4), in[i]);
}

// Each thread sorts 24 numbers on its stack.
extern "C" __global__ void quicksorts(const int *in, int *out) {
  int a[24], base = 24 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 0; i < 24; ++i)
    a[i] = in[base + i];
  quicksort(a, 24);
  for (int i = 0; i < 24; ++i)
    out[base + i] = a[i];
}

// Recursion to a depth that differs from lane to lane.
extern "C" __global__ void queenCounts(int *out) {
  int columnOf[8];
  out[threadIdx.x] = queens(columnOf, 0, threadIdx.x % 6 + 1);
}

__device__ __noinline__ bool isOdd(unsigned n);
__device__ __noinline__ bool isEven(unsigned n) {
  return n == 0 || isOdd(n - 1);
}
__device__ __noinline__ bool isOdd(unsigned n) { return n && isEven(n - 1); }
__device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// Two functions that call each other, and one that calls itself twice.
extern "C" __global__ void recursions(unsigned *out) {
  unsigned i = threadIdx.x;
  out[2 * i] = isEven(i) + 2 * isOdd(i / 3);
  out[2 * i + 1] = fibonacci(i % 9);
}

// Prefix maximum by a loop whose trip count is the lane, with a vote in the
// middle of divergent code.
extern "C" __global__ void trianglesAndVotes(const int *in, int *out) {
  int lane = threadIdx.x % 32, base = threadIdx.x - lane;
  int most = in[base];
  for (int j = 1; j <= lane; ++j)
    most = max(most, in[base + j]);
  unsigned above = 0;
  if (lane & 1)
    above = __ballot_sync(0xaaaaaaaau, most > 10);
  else if (lane & 2)
    above = __ballot_sync(0x44444444u, most > 20);
  out[2 * threadIdx.x] = most;
  out[2 * threadIdx.x + 1] = static_cast<int>(above);
}

// Warps of one block take different ways through loops with barriers: the
// number of barriers is the same for all.
extern "C" __global__ void barrierLoop(const int *in, int *out, int rounds) {
  __shared__ int cell[128];
  int i = threadIdx.x;
  cell[i] = in[i];
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    int left = cell[(i + 127) % 128], right = cell[(i + 1) % 128];
    __syncthreads();
    if ((i / 32 + round) % 2 == 0)
      cell[i] += left;
    else if (right & 1)
      cell[i] -= right;
    else
      cell[i] ^= left + right;
  }
  out[i] = cell[i];
}
