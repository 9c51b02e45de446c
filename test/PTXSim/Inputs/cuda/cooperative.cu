//===- cooperative.cu - groups of every size, up to the grid --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups and the barriers and pipelines of libcu++: reductions and
// scans of tiles, copies that a group waits for, barriers of the whole grid.
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// Sums of blocks, a barrier of the grid, and the sum of sums in every block.
extern "C" __global__ void gridSum(const int *in, int *partial, int *out,
                                   int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  __shared__ int sums[32];
  int sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    sum += in[i];
  auto tile = cg::tiled_partition<32>(block);
  sum = cg::reduce(tile, sum, cg::plus<int>());
  if (tile.thread_rank() == 0)
    sums[tile.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) {
    int total = 0;
    for (int i = 0; i < tile.meta_group_size(); ++i)
      total += sums[i];
    partial[blockIdx.x] = total;
  }
  grid.sync();
  int all = 0;
  for (int i = 0; i < gridDim.x; ++i)
    all += partial[i];
  out[grid.thread_rank()] = all + grid.thread_rank();
}

// Relaxation of a rod: a barrier of the grid after every step.
extern "C" __global__ void jacobiGrid(float *a, float *b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int step = 0; step < steps; ++step) {
    if (i > 0 && i < n - 1)
      b[i] = 0.5f * (a[i - 1] + a[i + 1]);
    else if (i < n)
      b[i] = a[i];
    grid.sync();
    float *t = a;
    a = b;
    b = t;
  }
}

extern "C" __global__ void tileAlgorithms(const int *in, int *out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int i = block.thread_rank(), n = block.size();
  out[i] = cg::inclusive_scan(tile, in[i]);
  out[n + i] = cg::exclusive_scan(tile, in[i], cg::greater<int>());
  out[2 * n + i] = cg::reduce(tile, in[i], cg::less<int>());
  auto same = cg::labeled_partition(cg::tiled_partition<32>(block), in[i] % 3);
  out[3 * n + i] = cg::reduce(same, in[i], cg::plus<int>());
  auto half = cg::binary_partition(cg::tiled_partition<32>(block), in[i] & 1);
  out[4 * n + i] = half.size() * 100 + half.thread_rank();
  float largest = cg::reduce(tile, 0.5f * in[i], cg::greater<float>());
  out[5 * n + i] = static_cast<int>(2 * largest);
}

// The threads whose number is kept take places that one of them reserves.
extern "C" __global__ void appendPositive(const int *in, int *out, int *count) {
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (value > 0) {
    auto active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0)
      base = atomicAdd(count, active.size());
    out[active.shfl(base, 0) + active.thread_rank()] = value;
  }
}

// A copy by the whole block, awaited as a group.
extern "C" __global__ void awaitedCopy(const int *in, int *out) {
  __shared__ __align__(16) int row[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, row, in + 256 * blockIdx.x, sizeof(row));
  cg::wait(block);
  out[256 * blockIdx.x + threadIdx.x] = row[255 - threadIdx.x];
}

// Phases of a barrier in shared memory instead of __syncthreads.
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void phases(int *out, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int data[128];
  int i = threadIdx.x, n = blockDim.x;
  if (i == 0)
    init(&barrier, n);
  data[i] = i;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    barrier.arrive_and_wait();
    int next = data[(i + 1) % n];
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    data[i] = next + 1;
  }
  out[i] = data[i];
}

// A pipeline of two stages that the whole block feeds and drains.
extern "C" __global__ void pipelineSums(const int *in, int *out, int stages) {
  __shared__ int buffer[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int use = 0, fetch = 0; use < stages; ++use) {
    for (; fetch < stages && fetch < use + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetch % 2], in + 128 * fetch,
                         sizeof(buffer[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += buffer[use % 2][127 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
