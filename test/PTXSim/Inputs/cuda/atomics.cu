//===- atomics.cu - atomics of every kind ---------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation and width on global and shared memory, scopes and orders, and
// what is built from them: a hash table, a lock, a list, flags between warps.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// One cell for each operation; the sum of the old values that `exch` gave.
extern "C" __global__ void integerAtomics(const int *in, int *cells,
                                          unsigned long long *wide,
                                          unsigned long long *exchanged) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = in[i];
  unsigned u = static_cast<unsigned>(x);
  atomicAdd(&cells[0], x);
  atomicSub(&cells[1], x);
  atomicMin(&cells[2], x);
  atomicMax(&cells[3], x);
  atomicMin(reinterpret_cast<unsigned *>(&cells[4]), u);
  atomicMax(reinterpret_cast<unsigned *>(&cells[5]), u);
  atomicAnd(&cells[6], x | 0xffff);
  atomicOr(&cells[7], x & 0xff00);
  atomicXor(&cells[8], x);
  atomicInc(reinterpret_cast<unsigned *>(&cells[9]), 16);
  atomicDec(reinterpret_cast<unsigned *>(&cells[10]), 22);
  int old = atomicExch(&cells[11], i + 1);
  atomicAdd(exchanged, static_cast<unsigned long long>(old));
  unsigned long long y = static_cast<unsigned long long>(u) * u + i;
  atomicAdd(&wide[0], y);
  atomicMin(reinterpret_cast<long long *>(&wide[1]), static_cast<long long>(x));
  atomicMax(&wide[2], y);
  atomicAnd(&wide[3], ~(1ull << (i % 60)));
  atomicOr(&wide[4], 1ull << (i % 61));
  atomicXor(&wide[5], y << 17);
}

// The same in shared memory.
extern "C" __global__ void sharedAtomics(const int *in, int *out) {
  __shared__ int cells[8];
  __shared__ unsigned long long wide[2];
  __shared__ float real;
  int i = threadIdx.x;
  if (i < 8)
    cells[i] = 0;
  if (i == 0) {
    wide[0] = wide[1] = 0;
    real = 0;
  }
  __syncthreads();
  int x = in[i];
  atomicAdd(&cells[0], x);
  atomicMin(&cells[1], x);
  atomicMax(&cells[2], x);
  atomicOr(&cells[3], 1 << (x & 31));
  atomicXor(&cells[4], x);
  atomicInc(reinterpret_cast<unsigned *>(&cells[5]), 6);
  atomicAdd_block(&cells[6], 1);
  int old = atomicCAS(&cells[7], 0, i + 1);
  atomicAdd(&wide[0], static_cast<unsigned long long>(x) << 8);
  atomicMax(&wide[1], static_cast<unsigned long long>(x & 0xffff) << 20);
  atomicAdd(&real, 0.5f);
  __syncthreads();
  if (i < 7)
    out[i] = cells[i];
  if (old == 0)
    out[7] = cells[7] == i + 1;
  if (i == 0) {
    out[8] = static_cast<int>(wide[0] >> 8);
    out[9] = static_cast<int>(wide[1] >> 20);
    out[10] = static_cast<int>(real);
  }
}

extern "C" __global__ void floatAtomics(const float *in, float *single,
                                        double *twice, __half2 *pair,
                                        __half *half, __nv_bfloat162 *bfloat) {
  float x = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(single, x);
  atomicAdd_system(twice, static_cast<double>(x) * 1024);
  atomicAdd(pair, __floats2half2_rn(x, -x));
  atomicAdd(half, __float2half_rn(x));
  atomicAdd(bfloat, __floats2bfloat162_rn(x, 0.0f));
}

// Built from compare-and-swap: a product in fp32, a sum in bytes, 16-bit cells.
extern "C" __global__ void casLoops(const int *in, float *product,
                                    uint32_t *bytes, unsigned short *cells,
                                    unsigned long long *wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *word = reinterpret_cast<int *>(product);
  int seen = __float_as_int(1.0f), before;
  float factor = in[i] & 1 ? 2.0f : 0.5f;
  while ((before = atomicCAS(word, seen,
                             __float_as_int(__int_as_float(seen) * factor))) !=
         seen)
    seen = before;
  // A byte within a word.
  uint32_t *target = bytes + (in[i] & 3);
  uint32_t shift = 8 * (in[i] >> 2 & 3), old = 0, expected;
  do {
    expected = old;
    uint32_t byte = ((expected >> shift) + 1) & 0xff;
    old = atomicCAS(target, expected,
                    (expected & ~(0xffu << shift)) | byte << shift);
  } while (old != expected);
  unsigned short have = 0, want;
  do {
    want = have;
    have = atomicCAS(&cells[in[i] & 7], want,
                     static_cast<unsigned short>(want + 3));
  } while (have != want);
  unsigned long long now = 0, then;
  do {
    then = now;
    now = atomicCAS(wide, then, then + (1ull << 33) + 1);
  } while (now != then);
}

// atomic_ref with every order, in three scopes.
extern "C" __global__ void atomicRefs(const int *in, int *cells) {
  int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(cells[0]);
  sum.fetch_add(x, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_system> most(cells[1]);
  most.fetch_max(x, cuda::memory_order_acq_rel);
  cuda::atomic_ref<int, cuda::thread_scope_device> bits(cells[2]);
  bits.fetch_or(1 << (x & 15), cuda::memory_order_seq_cst);
  cuda::atomic_ref<int, cuda::thread_scope_device> sequence(cells[3]);
  int value = sequence.load(cuda::memory_order_acquire);
  while (!sequence.compare_exchange_weak(value, value * 5 + 1,
                                         cuda::memory_order_release,
                                         cuda::memory_order_relaxed)) {
  }
  cuda::atomic_ref<int, cuda::thread_scope_system> last(cells[4]);
  last.store(7, cuda::memory_order_release);
}

// Open addressing with linear probing; counts how often each key came.
extern "C" __global__ void hashTable(const uint32_t *keys, int n,
                                     uint32_t *slots, uint32_t *counts,
                                     uint32_t mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t key = keys[i], at = key * 2654435761u & mask;
  while (true) {
    uint32_t found = atomicCAS(&slots[at], ~0u, key);
    if (found == ~0u || found == key)
      break;
    at = (at + 1) & mask;
  }
  atomicAdd(&counts[at], 1);
}

// One lane of each warp enters at a time; inside, plain loads and stores.
extern "C" __global__ void spinLock(int *lock, int *balance, int rounds) {
  if (threadIdx.x % 32 == 0)
    for (int round = 0; round < rounds; ++round) {
      while (atomicCAS(lock, 0, 1) != 0)
        __nanosleep(20);
      __threadfence();
      volatile int *shared = balance;
      shared[0] = shared[0] + 1;
      shared[1] = shared[1] * 3 + shared[0];
      __threadfence();
      atomicExch(lock, 0);
    }
}

// A lock that lanes of one warp fight for: the way out lies inside of the loop.
extern "C" __global__ void laneLock(int *lock, int *balance) {
  bool isDone = false;
  while (!isDone) {
    if (atomicCAS(lock, 0, 1) == 0) {
      volatile int *shared = balance;
      *shared = *shared + 1;
      __threadfence();
      atomicExch(lock, 0);
      isDone = true;
    }
  }
}

// Threads put nodes in front of a list; `head` ends up as some thread, every
// node is reached once.
extern "C" __global__ void linkedList(int *head, int *next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  next[i] = atomicExch(head, i);
}

// Warp 0 fills a buffer, the others wait for its flag.
extern "C" __global__ void flagBetweenWarps(const int *in, int *out) {
  __shared__ int data[32];
  __shared__ int ready;
  if (threadIdx.x == 0)
    ready = 0;
  __syncthreads();
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    data[lane] = in[lane] * 2;
    __syncwarp();
    if (lane == 0) {
      cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
      flag.store(1, cuda::memory_order_release);
    }
  } else {
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    out[threadIdx.x - 32] = data[lane] + static_cast<int>(threadIdx.x / 32);
  }
}
