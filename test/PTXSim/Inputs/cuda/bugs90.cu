//===- bugs90.cu - planted bugs with the asynchronous units of sm_90 ------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mistake with mbarriers, bulk copies, clusters or wgmma in each kernel.
// NAME_fixed is the same text without the mistake.
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_bf16.h>

namespace cg = cooperative_groups;

#define UNPAREN(...) __VA_ARGS__
#define TWINS(ATTRIBUTES, NAME, PARAMETERS, ARGUMENTS)                         \
  extern "C" __global__ void ATTRIBUTES NAME(UNPAREN PARAMETERS) {             \
    NAME##Body<false>(UNPAREN ARGUMENTS);                                      \
  }                                                                            \
  extern "C" __global__ void ATTRIBUTES NAME##_fixed(UNPAREN PARAMETERS) {     \
    NAME##Body<true>(UNPAREN ARGUMENTS);                                       \
  }

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
__device__ void initBarrier(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   sharedAddress(barrier)),
               "r"(count)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                   sharedAddress(barrier))
               : "memory");
}
__device__ void expect(uint64_t *barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   sharedAddress(barrier)),
               "r"(bytes)
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
__device__ void copyIn(void *shared, const void *global, int bytes,
                       uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%0], [%1], %2, [%3];" ::"r"(sharedAddress(shared)),
               "l"(global), "r"(bytes), "r"(sharedAddress(barrier))
               : "memory");
}
__device__ void copyOut(void *global, const void *shared, int bytes) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
          global),
      "r"(sharedAddress(shared)), "r"(bytes)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void fenceAsync() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Reads the row without waiting for the copy.
template <bool Fixed>
__device__ void bulkNotAwaitedBody(const int *in, int *out) {
  __shared__ __align__(16) int row[64];
  __shared__ __align__(8) uint64_t full;
  if (threadIdx.x == 0) {
    initBarrier(&full, 1);
    expect(&full, 256);
    copyIn(row, in, 256, &full);
  }
  __syncthreads();
  if (Fixed)
    wait(&full, 0);
  out[threadIdx.x] = row[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    wait(&full, 0);
}
TWINS(, bulkNotAwaited, (const int *in, int *out), (in, out))

// Announces fewer bytes than come.
template <bool Fixed>
__device__ void bytesMiscountedBody(const int *in, int *out) {
  __shared__ __align__(16) int row[64];
  __shared__ __align__(8) uint64_t full;
  if (threadIdx.x == 0) {
    initBarrier(&full, 1);
    expect(&full, Fixed ? 256 : 512);
    copyIn(row, in, 256, &full);
  }
  __syncthreads();
  wait(&full, 0);
  out[threadIdx.x] = row[threadIdx.x];
}
TWINS(, bytesMiscounted, (const int *in, int *out), (in, out))

// Results written by threads leave by the async proxy without a fence.
template <bool Fixed>
__device__ void storeWithoutFenceBody(const int *in, int *out) {
  __shared__ __align__(16) int row[64];
  row[threadIdx.x] = in[threadIdx.x] * 2;
  if (Fixed)
    fenceAsync();
  __syncthreads();
  if (threadIdx.x == 0) {
    copyOut(out, row, 256);
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
TWINS(, storeWithoutFence, (const int *in, int *out), (in, out))

// A bulk copy fills a buffer that threads have cleared, without a fence.
template <bool Fixed>
__device__ void clearedWithoutFenceBody(const int *in, int *out, int count) {
  __shared__ __align__(16) int row[64];
  __shared__ __align__(8) uint64_t full;
  row[threadIdx.x] = 0;
  if (Fixed)
    fenceAsync();
  if (threadIdx.x == 0)
    initBarrier(&full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&full, 4 * count);
    copyIn(row, in, 4 * count, &full);
  }
  wait(&full, 0);
  out[threadIdx.x] = row[threadIdx.x];
}
TWINS(, clearedWithoutFence, (const int *in, int *out, int count),
      (in, out, count))

// A fence of the async proxy, but for global memory.
template <bool Fixed>
__device__ void fenceOfOtherSpaceBody(const int *in, int *out) {
  __shared__ __align__(16) int row[64];
  row[threadIdx.x] = in[threadIdx.x] + 1;
  if (Fixed)
    fenceAsync();
  else
    asm volatile("fence.proxy.async.global;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    copyOut(out, row, 256);
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
TWINS(, fenceOfOtherSpace, (const int *in, int *out), (in, out))

// The buffer of a bulk store is overwritten before it has been read.
template <bool Fixed>
__device__ void storeOverwrittenBody(const int *in, int *out) {
  __shared__ __align__(16) int row[64];
  for (int round = 0; round < 2; ++round) {
    row[threadIdx.x] = in[64 * round + threadIdx.x];
    fenceAsync();
    __syncthreads();
    if (threadIdx.x == 0) {
      copyOut(out + 64 * round, row, 256);
      if (Fixed)
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
TWINS(, storeOverwritten, (const int *in, int *out), (in, out))

// A ring of two buffers whose producer does not wait until they are free.
template <bool Fixed>
__device__ void ringNotEmptyBody(const int *in, int *out, int rows) {
  __shared__ __align__(16) int ring[2][64];
  __shared__ __align__(8) uint64_t full[2], empty[2];
  int i = threadIdx.x;
  if (i == 0)
    for (int stage = 0; stage < 2; ++stage) {
      initBarrier(&full[stage], 1);
      initBarrier(&empty[stage], 64);
    }
  __syncthreads();
  if (i == 64) {
    for (int row = 0; row < rows; ++row) {
      if (Fixed && row >= 2)
        wait(&empty[row % 2], (row / 2 - 1) & 1);
      expect(&full[row % 2], 256);
      copyIn(ring[row % 2], in + 64 * row, 256, &full[row % 2]);
    }
  } else if (i < 64) {
    int sum = 0;
    for (int row = 0; row < rows; ++row) {
      wait(&full[row % 2], row / 2 & 1);
      sum += ring[row % 2][i];
      arrive(&empty[row % 2]);
    }
    out[i] = sum;
  }
}
TWINS(, ringNotEmpty, (const int *in, int *out, int rows), (in, out, rows))

// One thread too few arrives.
template <bool Fixed> __device__ void arrivalMissingBody(int *out) {
  __shared__ __align__(8) uint64_t barrier;
  if (threadIdx.x == 0)
    initBarrier(&barrier, 64);
  __syncthreads();
  if (Fixed || threadIdx.x != 5)
    arrive(&barrier);
  wait(&barrier, 0);
  out[threadIdx.x] = threadIdx.x;
}
TWINS(, arrivalMissing, (int *out), (out))

// Other threads use an mbarrier that may not have been initialised yet.
template <bool Fixed> __device__ void barrierTooEarlyBody(int *out) {
  __shared__ __align__(8) uint64_t barrier;
  if (threadIdx.x == 0)
    initBarrier(&barrier, 64);
  if (Fixed)
    __syncthreads();
  arrive(&barrier);
  wait(&barrier, 0);
  out[threadIdx.x] = threadIdx.x;
}
TWINS(, barrierTooEarly, (int *out), (out))

// Reads a neighbour's shared memory without a barrier of the cluster.
template <bool Fixed>
__device__ void peerNotSynchronisedBody(const int *in, int *out) {
  __shared__ int mine[32];
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  if (Fixed)
    cluster.sync();
  else
    __syncthreads();
  int *peer = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  out[blockIdx.x * 32 + threadIdx.x] = peer[threadIdx.x];
  cluster.sync();
}
TWINS(__cluster_dims__(2, 1, 1), peerNotSynchronised,
      (const int *in, int *out), (in, out))

// Leaves while the neighbour still reads its shared memory.
template <bool Fixed>
__device__ void peerLeavesBody(const int *in, int *out) {
  __shared__ int mine[32];
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  cluster.sync();
  if (cluster.block_rank() == 0) {
    int *peer = cluster.map_shared_rank(mine, 1);
    out[blockIdx.x * 32 + threadIdx.x] = peer[threadIdx.x];
  }
  if (Fixed)
    cluster.sync();
}
TWINS(__cluster_dims__(2, 1, 1), peerLeaves, (const int *in, int *out),
      (in, out))

__device__ void multiply(float (&d)[4], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(a), "l"(b));
}
// A (64 x 16) and B (8 x 16) in core matrices of 8 rows by 16 bytes.
__device__ void loadCores(const uint4 *in, uint4 *tile, int rows) {
  for (int i = threadIdx.x; i < 2 * rows; i += 128)
    tile[i / 2 % 8 + i / 16 * 8 + i % 2 * rows] = in[i];
}
__device__ uint64_t coreDescriptor(const void *tile, int rows) {
  return (sharedAddress(tile) & 0x3ffff) >> 4 | uint64_t(rows) << 16 |
         uint64_t(8) << 32;
}

enum Mistake { NoProxyFence, NoWait, NoFence };
template <Mistake Which, bool Fixed>
__device__ void wgmmaWith(const uint4 *a, const uint4 *b, float *c) {
  __shared__ __align__(128) uint4 left[128], right[16];
  loadCores(a, left, 64);
  loadCores(b, right, 8);
  if (Fixed || Which != NoProxyFence)
    fenceAsync();
  __syncthreads();
  float d[4];
  for (int i = 0; i < 4; ++i) {
    d[i] = a[threadIdx.x].x == 77 ? 1.0f : 0.0f;
    asm volatile("" : "+f"(d[i])::"memory");
  }
  if (Fixed || Which != NoFence)
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  multiply(d, coreDescriptor(left, 64), coreDescriptor(right, 8));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  if (Fixed || Which != NoWait)
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i)
    asm volatile("" : "+f"(d[i])::"memory");
  for (int i = 0; i < 4; ++i)
    c[4 * threadIdx.x + i] = d[i];
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
#define WGMMA(NAME, MISTAKE)                                                   \
  template <bool Fixed>                                                        \
  __device__ void NAME##Body(const uint4 *a, const uint4 *b, float *c) {       \
    wgmmaWith<MISTAKE, Fixed>(a, b, c);                                        \
  }                                                                            \
  TWINS(, NAME, (const uint4 *a, const uint4 *b, float *c), (a, b, c))
// The operands were written by threads and are read by the async proxy.
WGMMA(wgmmaWithoutProxyFence, NoProxyFence)
// The accumulators are read while the product is under way.
WGMMA(wgmmaNotAwaited, NoWait)
// The accumulators were written without a wgmma.fence after it.
WGMMA(wgmmaWithoutFence, NoFence)
