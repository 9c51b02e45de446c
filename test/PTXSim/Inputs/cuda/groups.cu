//===- groups.cu - warps, tiles of them, named barriers -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups of every size, votes and matches, shuffles in every
// direction and width, barriers that count and barriers with names.
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>

namespace cg = cooperative_groups;

// Sums of 8 lanes, maxima of 4, prefix sums of 16, a broadcast inside of 32.
extern "C" __global__ void tiles(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  int i = block.thread_rank(), x = in[i];
  auto eight = cg::tiled_partition<8>(block);
  auto four = cg::tiled_partition<4>(eight);
  auto sixteen = cg::tiled_partition<16>(block);
  auto warp = cg::tiled_partition<32>(block);
  int sum = x;
  for (int offset = eight.size() / 2; offset; offset /= 2)
    sum += eight.shfl_down(sum, offset);
  out[6 * i] = eight.shfl(sum, 0);
  out[6 * i + 1] = cg::reduce(four, x, cg::greater<int>());
  out[6 * i + 2] = cg::inclusive_scan(sixteen, x);
  out[6 * i + 3] = cg::exclusive_scan(sixteen, x, cg::bit_xor<int>());
  out[6 * i + 4] = warp.any(x == 7) + 2 * warp.all(x < 100) +
                   4 * eight.ballot(x & 1) + 2048 * warp.meta_group_rank();
  out[6 * i + 5] = cg::reduce(warp, x, cg::plus<int>());
}

// One atomic for the lanes that happen to be here; lanes with equal labels add
// up among themselves.
extern "C" __global__ void coalesced(const int *in, int *counter, int *slots,
                                     int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
  int slot = -1;
  if (x % 3 == 0) {
    cg::coalesced_group here = cg::coalesced_threads();
    int base = 0;
    if (here.thread_rank() == 0)
      base = atomicAdd(counter, here.size());
    slot = here.shfl(base, 0) + here.thread_rank();
  }
  slots[i] = slot;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto same = cg::labeled_partition(warp, x & 3);
  sums[i] = cg::reduce(same, x, cg::plus<int>());
}

extern "C" __global__ void matches(const uint64_t *in, uint32_t *out) {
  int i = threadIdx.x;
  uint64_t x = in[i];
  uint32_t low = static_cast<uint32_t>(x), *o = out + 10 * i;
  int allEqual;
  o[0] = __match_any_sync(~0u, x);
  o[1] = __match_all_sync(~0u, x >> 40, &allEqual);
  o[2] = allEqual;
  o[3] = __any_sync(~0u, low > 90) | __all_sync(~0u, low < 1000) << 1;
  o[4] = __reduce_add_sync(~0u, low);
  o[5] = __reduce_min_sync(~0u, low) + (__reduce_max_sync(~0u, low) << 16);
  o[6] = __reduce_and_sync(~0u, low | 0x40);
  o[7] = __reduce_or_sync(~0u, low);
  o[8] = __reduce_xor_sync(~0u, low);
  o[9] = 0;
  if (i & 4) // half of the lanes vote on their own
    o[9] = __match_any_sync(0xf0f0f0f0u, low & 1) ^
           __ballot_sync(0xf0f0f0f0u, low & 2);
}

// All four directions in segments of 8, 16 and 32 lanes, fp64 and 16 bits too.
extern "C" __global__ void shuffles(const double *in, double *out) {
  int i = threadIdx.x;
  double x = in[i], *o = out + 8 * i;
  o[0] = __shfl_sync(~0u, x, i * 5 + 3);
  o[1] = __shfl_sync(~0u, x, i + 1, 8);
  o[2] = __shfl_up_sync(~0u, x, 3, 16);
  o[3] = __shfl_down_sync(~0u, x, 5, 8);
  o[4] = __shfl_xor_sync(~0u, x, 9);
  o[5] = __shfl_xor_sync(~0u, static_cast<float>(x), 20, 16);
  o[6] = __shfl_up_sync(~0u, static_cast<int>(x), 1);
  o[7] = __shfl_down_sync(~0u, static_cast<long long>(x), 31);
}

// Barriers that count, and, and or.
extern "C" __global__ void countingBarriers(const int *in, int *out) {
  int i = threadIdx.x, x = in[i];
  int positive = __syncthreads_count(x > 0);
  int every = __syncthreads_and(x > -50);
  int some = __syncthreads_or(x == 49);
  out[i] = positive + 1000 * every + 2000 * some;
}

// One warp produces, three consume: a full and an empty barrier for each of two
// buffers, producers arrive without waiting.
extern "C" __global__ void namedBarriers(const int *in, int *out, int rounds) {
  __shared__ int buffer[2][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  auto wait = [](int name) {
    asm volatile("bar.sync %0, 128;" ::"r"(name) : "memory");
  };
  auto arrive = [](int name) {
    asm volatile("bar.arrive %0, 128;" ::"r"(name) : "memory");
  };
  if (warp == 0) {
    for (int round = 0; round < rounds; ++round) {
      if (round >= 2)
        wait(3 + round % 2);
      buffer[round % 2][lane] = in[32 * round + lane];
      __threadfence_block();
      arrive(1 + round % 2);
    }
  } else {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
      wait(1 + round % 2);
      sum += buffer[round % 2][(lane + warp) % 32] * warp;
      if (round + 2 < rounds)
        arrive(3 + round % 2);
    }
    out[32 * (warp - 1) + lane] = sum;
  }
}
