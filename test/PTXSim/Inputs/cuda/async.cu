//===- async.cu - asynchronous copies and barriers of sm_80 ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interfaces of CUDA to cp.async and to mbarriers: primitives, pipelines of
// a thread and of a block, cuda::barrier, memcpy_async of a group.
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// Sums of neighbours over chunks that are fetched two ahead.
extern "C" __global__ void pipelinePrimitives(const int4 *in, int *out,
                                              int chunks) {
  __shared__ int4 buffer[3][64];
  int i = threadIdx.x;
  auto fetch = [&](int chunk) {
    if (chunk < chunks)
      __pipeline_memcpy_async(&buffer[chunk % 3][i], &in[64 * chunk + i], 16);
    __pipeline_commit();
  };
  fetch(0);
  fetch(1);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fetch(chunk + 2);
    int4 mine = buffer[chunk % 3][i], next = buffer[chunk % 3][(i + 1) % 64];
    out[64 * chunk + i] = mine.x + mine.y * 2 + next.z + next.w * 3;
  }
}

// Copies of 4 and 8 bytes, some filled with zeros.
extern "C" __global__ void smallAsyncCopies(const float *in, float *out, int n) {
  __shared__ float one[64];
  __shared__ float2 two[64];
  int i = threadIdx.x;
  __pipeline_memcpy_async(&one[i], &in[i < n ? i : 0], 4, i < n ? 0 : 4);
  __pipeline_memcpy_async(&two[i], reinterpret_cast<const float2 *>(in) + i / 2,
                          8, i % 2 ? 4 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = one[63 - i] + two[63 - i].x * 10 + two[63 - i].y * 100;
}

// cuda::pipeline of one thread.
extern "C" __global__ void threadPipeline(const int *in, int *out, int rows) {
  __shared__ int buffer[2][64];
  int i = threadIdx.x;
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  auto fetch = [&](int row) {
    pipe.producer_acquire();
    if (row < rows)
      cuda::memcpy_async(&buffer[row % 2][i], &in[64 * row + i],
                         cuda::aligned_size_t<4>(4), pipe);
    pipe.producer_commit();
  };
  fetch(0);
  int sum = 0;
  for (int row = 0; row < rows; ++row) {
    fetch(row + 1);
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    sum = sum * 3 + buffer[row % 2][i];
    pipe.consumer_release();
  }
  out[i] = sum;
}

// cuda::pipeline of the block, with its state in shared memory.
extern "C" __global__ void blockPipeline(const int *in, int *out, int rows) {
  constexpr int stages = 2;
  __shared__ __align__(16) int buffer[stages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int i = threadIdx.x, sum = 0;
  for (int row = 0, fetched = 0; row < rows; ++row) {
    for (; fetched < rows && fetched < row + stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetched % stages], in + 128 * fetched,
                         cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 3 + buffer[row % stages][127 - i];
    pipe.consumer_release();
  }
  out[i] = sum;
}

// Two warps produce and two consume, through a pipeline with roles.
extern "C" __global__ void rolePipeline(const int *in, int *out, int rows) {
  constexpr int stages = 3;
  __shared__ int buffer[stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  cg::thread_block block = cg::this_thread_block();
  bool isProducer = threadIdx.x < 64;
  auto pipe = cuda::make_pipeline(block, &state,
                                  isProducer ? cuda::pipeline_role::producer
                                             : cuda::pipeline_role::consumer);
  int i = threadIdx.x % 64;
  if (isProducer) {
    for (int row = 0; row < rows; ++row) {
      pipe.producer_acquire();
      buffer[row % stages][i] = in[64 * row + i] + row;
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int row = 0; row < rows; ++row) {
      pipe.consumer_wait();
      sum = sum * 3 + buffer[row % stages][63 - i];
      pipe.consumer_release();
    }
    out[i] = sum;
  }
}

// cuda::barrier: arrive, do something else, wait; phases in a loop.
extern "C" __global__ void splitBarrier(const int *in, int *out, int rounds) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ int cell[2][96];
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  Barrier &barrier = *reinterpret_cast<Barrier *>(storage);
  int i = threadIdx.x;
  if (i == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  int value = in[i], other = 0;
  for (int round = 0; round < rounds; ++round) {
    cell[round % 2][i] = value;
    Barrier::arrival_token token = barrier.arrive();
    other = other * 5 + value; // does not depend on the others
    barrier.wait(cuda::std::move(token));
    value += cell[round % 2][(i + 41) % 96] - other % 7;
  }
  out[i] = value;
}

// A warp leaves the barrier for good after each round.
extern "C" __global__ void barrierDrops(int *out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  __shared__ int rounds;
  Barrier &barrier = *reinterpret_cast<Barrier *>(storage);
  int i = threadIdx.x, warp = i / 32;
  if (i == 0) {
    init(&barrier, blockDim.x);
    rounds = 0;
  }
  __syncthreads();
  for (int round = 0;; ++round) {
    if (round == warp) {
      atomicAdd(&rounds, 1 + round);
      barrier.arrive_and_drop();
      break;
    }
    barrier.arrive_and_wait();
  }
  __syncthreads();
  out[i] = rounds;
}

// A group copies a row to shared memory and waits for it.
extern "C" __global__ void groupCopy(const float *in, float *out, int rows) {
  __shared__ __align__(16) float row[128];
  cg::thread_block block = cg::this_thread_block();
  float sum = 0;
  for (int i = 0; i < rows; ++i) {
    cg::memcpy_async(block, row, in + 128 * i, cuda::aligned_size_t<16>(512));
    cg::wait(block);
    sum += row[(threadIdx.x * 3 + i) % 128];
    block.sync();
  }
  out[threadIdx.x] = sum;
}

// memcpy_async on a cuda::barrier: the barrier's phase ends with the copies.
extern "C" __global__ void barrierCopy(const int *in, int *out, int rows) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ __align__(16) int buffer[2][128];
  __shared__ alignas(Barrier) char storage[2 * sizeof(Barrier)];
  Barrier *barriers = reinterpret_cast<Barrier *>(storage);
  cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x < 2)
    init(&barriers[threadIdx.x], blockDim.x);
  __syncthreads();
  cuda::memcpy_async(block, buffer[0], in, cuda::aligned_size_t<16>(512),
                     barriers[0]);
  int sum = 0;
  for (int row = 0; row < rows; ++row) {
    if (row + 1 < rows)
      cuda::memcpy_async(block, buffer[(row + 1) % 2], in + 128 * (row + 1),
                         cuda::aligned_size_t<16>(512),
                         barriers[(row + 1) % 2]);
    barriers[row % 2].arrive_and_wait();
    sum = sum * 3 + buffer[row % 2][127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
