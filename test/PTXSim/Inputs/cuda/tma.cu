//===- tma.cu - copies in bulk and by tensor maps -------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensor memory accelerator of sm_90: rows into shared memory and back,
// reductions on the way, boxes of tensors of one to five dimensions, swizzles,
// copies to several blocks of a cluster, stores that signal another block.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda.h>

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
__device__ void fenceAsync() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void copyIn(void *shared, const void *global, int bytes,
                       uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%0], [%1], %2, [%3];" ::"r"(sharedAddress(shared)),
               "l"(global), "r"(bytes), "r"(sharedAddress(barrier))
               : "memory");
}
__device__ void commitBulk() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Rows of 128 numbers in a ring of three buffers; results go back in bulk from
// two others.
extern "C" __global__ void bulkRing(const int *in, int *out, int rows) {
  __shared__ __align__(128) int buffer[3][128], result[2][128];
  __shared__ __align__(8) uint64_t full[3];
  int i = threadIdx.x;
  if (i == 0)
    for (int stage = 0; stage < 3; ++stage)
      initBarrier(&full[stage], 1);
  __syncthreads();
  auto fetch = [&](int row) {
    if (i == 0 && row < rows) {
      expect(&full[row % 3], 512);
      copyIn(buffer[row % 3], in + 128 * row, 512, &full[row % 3]);
    }
  };
  fetch(0);
  fetch(1);
  int sum = 0;
  for (int row = 0; row < rows; ++row) {
    fetch(row + 2);
    wait(&full[row % 3], row / 3 % 2);
    sum += buffer[row % 3][127 - i];
    if (i == 0)
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    __syncthreads();
    result[row % 2][i] = sum;
    fenceAsync();
    __syncthreads();
    if (i == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
                   "512;" ::"l"(out + 128 * row),
                   "r"(sharedAddress(result[row % 2]))
                   : "memory");
      commitBulk();
    }
  }
  if (i == 0)
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Every block adds its row to the result, and takes the maximum of another.
extern "C" __global__ void bulkReduce(const int *in, int *sums, int *most) {
  __shared__ __align__(16) int row[64];
  int i = threadIdx.x;
  row[i] = in[64 * blockIdx.x + i];
  fenceAsync();
  __syncthreads();
  if (i == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 "
                 "[%0], [%1], 256;" ::"l"(sums),
                 "r"(sharedAddress(row))
                 : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 "
                 "[%0], [%1], 256;" ::"l"(most),
                 "r"(sharedAddress(row))
                 : "memory");
    commitBulk();
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

#define TENSOR_IN(RANK, COORDINATES)                                           \
  asm volatile("cp.async.bulk.tensor." RANK ".shared::cluster.global.tile."    \
               "mbarrier::complete_tx::bytes [%0], [%1, {" COORDINATES         \
               "}], [%2];" ::"r"(sharedAddress(tile)),                         \
               "l"(&map), "r"(sharedAddress(&full)), "r"(c[0]), "r"(c[1]),     \
               "r"(c[2]), "r"(c[3]), "r"(c[4])                                 \
               : "memory")

struct Coordinates {
  int at[5];
};

// The box of a tensor map of any rank, as it arrives in shared memory.
extern "C" __global__ void tensorBoxes(const __grid_constant__ CUtensorMap map,
                                       int rank, const Coordinates where,
                                       uint32_t *out, int words) {
  extern __shared__ __align__(1024) uint32_t tile[];
  __shared__ __align__(8) uint64_t full;
  const int *c = where.at;
  if (threadIdx.x == 0)
    initBarrier(&full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&full, 4 * words);
    switch (rank) {
    case 1:
      TENSOR_IN("1d", "%3");
      break;
    case 2:
      TENSOR_IN("2d", "%3, %4");
      break;
    case 3:
      TENSOR_IN("3d", "%3, %4, %5");
      break;
    case 4:
      TENSOR_IN("4d", "%3, %4, %5, %6");
      break;
    default:
      TENSOR_IN("5d", "%3, %4, %5, %6, %7");
    }
  }
  wait(&full, 0);
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    out[i] = tile[i];
}

// Transposes tiles of 32 x 32 floats: in through one map, out through another,
// with chunks of 16 bytes in the order of the 128-byte swizzle.
extern "C" __global__ void tensorTranspose(const __grid_constant__ CUtensorMap in,
                                           const __grid_constant__ CUtensorMap
                                               out) {
  __shared__ __align__(1024) float tile[32][32], turned[32][32];
  __shared__ __align__(8) uint64_t full;
  int lane = threadIdx.x % 32;
  auto swizzled = [](int row, int column) {
    return column ^ 4 * (row % 8);
  };
  if (threadIdx.x == 0) {
    initBarrier(&full, 1);
    expect(&full, 4096);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
                 "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     sharedAddress(tile)),
                 "l"(&in), "r"(32 * blockIdx.x), "r"(32 * blockIdx.y),
                 "r"(sharedAddress(&full))
                 : "memory");
  }
  __syncthreads();
  wait(&full, 0);
  for (int row = threadIdx.x / 32; row < 32; row += blockDim.x / 32)
    turned[lane][swizzled(lane, row)] = tile[row][swizzled(row, lane)];
  fenceAsync();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                 "[%0, {%1, %2}], [%3];" ::"l"(&out),
                 "r"(32 * blockIdx.y), "r"(32 * blockIdx.x),
                 "r"(sharedAddress(turned))
                 : "memory");
    commitBulk();
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

__device__ uint32_t clusterRank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ uint32_t mapTo(const void *pointer, uint32_t rank) {
  uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(sharedAddress(pointer)), "r"(rank));
  return address;
}
__device__ void clusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Each of two blocks fetches one half of a row for both of them.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    multicast(const int *in, int *out) {
  __shared__ __align__(128) int row[128];
  __shared__ __align__(8) uint64_t full;
  uint32_t rank = clusterRank();
  int i = threadIdx.x;
  if (i == 0) {
    initBarrier(&full, 1);
    expect(&full, 512);
  }
  clusterSync();
  if (i == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(
                     sharedAddress(row + 64 * rank)),
                 "l"(in + 128 * (blockIdx.x / 2) + 64 * rank),
                 "r"(sharedAddress(&full)), "h"(static_cast<uint16_t>(3))
                 : "memory");
  wait(&full, 0);
  out[128 * blockIdx.x + i] = row[127 - i] + static_cast<int>(rank);
  clusterSync();
}

// Threads store into the next block, whose mbarrier counts the bytes; then a
// row of shared memory follows in bulk.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    storesAcross(const int *in, int *out) {
  __shared__ __align__(128) int mine[64], first[64], second[64];
  __shared__ __align__(8) uint64_t full;
  uint32_t rank = clusterRank(), next = (rank + 1) % 4;
  int i = threadIdx.x, x = in[64 * blockIdx.x + i];
  mine[i] = x * 2;
  if (i == 0) {
    initBarrier(&full, 1);
    expect(&full, 512);
  }
  fenceAsync();
  clusterSync();
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
               "[%0], %1, [%2];" ::"r"(mapTo(&first[i], next)),
               "r"(x), "r"(mapTo(&full, next))
               : "memory");
  if (i == 0)
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                 "complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                     mapTo(second, next)),
                 "r"(sharedAddress(mine)), "r"(mapTo(&full, next))
                 : "memory");
  wait(&full, 0);
  out[64 * blockIdx.x + i] = first[63 - i] * 1000 + second[i];
  clusterSync();
}
