//===- clusters.cu - blocks that share their shared memory ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of sm_90: reductions and histograms over distributed shared memory,
// barriers of the cluster, mbarriers in another block.
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

// Where a block stands in a cluster of 2 x 2.
extern "C" __global__ void __cluster_dims__(2, 2, 1) clusterRanks(int *out) {
  cg::cluster_group cluster = cg::this_cluster();
  dim3 index = cluster.block_index(), size = cluster.dim_blocks();
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0) {
    out[4 * block] = cluster.block_rank() + 100 * cluster.num_blocks();
    out[4 * block + 1] = index.x + 10 * index.y;
    out[4 * block + 2] = size.x + 10 * size.y + 100 * size.z;
    out[4 * block + 3] = cluster.thread_rank() + 1000 * cluster.num_threads();
  }
}

// Every block sums its part; the first block of the cluster adds up the others'.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    clusterSum(const int *in, int *out) {
  __shared__ int total;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  atomicAdd(&total, in[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x < 32) {
    int sum = threadIdx.x < cluster.num_blocks()
                  ? *cluster.map_shared_rank(&total, threadIdx.x)
                  : 0;
    for (int offset = 16; offset; offset /= 2)
      sum += __shfl_down_sync(~0u, sum, offset);
    if (threadIdx.x == 0)
      out[blockIdx.x / 4] = sum;
  }
  cluster.sync(); // nobody leaves while its memory is read
}

// Bins spread over the blocks of the cluster, atomics into the other's memory.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    clusterHistogram(const uint8_t *in, int *bins, int n) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    mine[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    int bin = in[i] & 127;
    atomicAdd(cluster.map_shared_rank(mine, bin / 64) + bin % 64, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    atomicAdd(&bins[64 * cluster.block_rank() + i], mine[i]);
}

// Values travel around the ring of blocks; arrival and waiting are apart.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    clusterRing(const int *in, int *out, int rounds) {
  __shared__ int slot[2][64];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), next = (rank + 1) % 4;
  int i = threadIdx.x, value = in[blockIdx.x * 64 + i], work = 0;
  cluster.sync();
  for (int round = 0; round < rounds; ++round) {
    cluster.map_shared_rank(&slot[round % 2][0], next)[i] = value + round;
    auto token = cluster.barrier_arrive();
    work = work * 3 + value;
    cluster.barrier_wait(std::move(token));
    value = slot[round % 2][63 - i];
  }
  cluster.sync();
  out[blockIdx.x * 64 + i] = value + work;
}

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
__device__ void waitPhase(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n\t.reg .pred done;\n"
               "again:\n\t"
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, "
               "[%0], %1;\n\t@!done bra again;\n\t}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

// Block 0 writes into block 1 and tells it so on a mbarrier there; block 1
// answers on one in block 0.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    remoteBarriers(const int *in, int *out, int rounds) {
  __shared__ int data[32];
  __shared__ __align__(8) uint64_t barrier;
  uint32_t rank, local = sharedAddress(&barrier), remote, remoteData;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  int i = threadIdx.x;
  if (i == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(local)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(local), "r"(rank ^ 1));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remoteData)
               : "r"(sharedAddress(&data[i])), "r"(rank ^ 1));
  auto tell = [&] {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                 ::"r"(remote)
                 : "memory");
  };
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      if (round) // block 1 has read what came before
        waitPhase(local, (round - 1) & 1);
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remoteData),
                   "r"(in[32 * round + i])
                   : "memory");
      tell();
    } else {
      waitPhase(local, round & 1);
      sum = sum * 3 + data[31 - i];
      if (round + 1 < rounds)
        tell();
    }
  }
  if (rank == 1)
    out[i] = sum;
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
