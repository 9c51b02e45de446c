//===- parallel.cu - reductions, scans and sorts of blocks and grids ------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libraries of parallel primitives do: scans and reductions by shuffles,
// radix sort, sparse products, softmax and layer norm, sums over the grid with
// fences, flags and look-back.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

__device__ int warpInclusive(int value) {
  int lane = threadIdx.x & 31;
  for (int offset = 1; offset < 32; offset *= 2) {
    int other = __shfl_up_sync(~0u, value, offset);
    if (lane >= offset)
      value += other;
  }
  return value;
}

// Inclusive sum over the block; `partial` holds one word for each warp.
__device__ int blockInclusive(int value, int *partial) {
  int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  int sum = warpInclusive(value);
  if (lane == 31)
    partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int warps = blockDim.x / 32;
    int before = warpInclusive(lane < warps ? partial[lane] : 0);
    if (lane < warps)
      partial[lane] = before;
  }
  __syncthreads();
  return warp ? sum + partial[warp - 1] : sum;
}

extern "C" __global__ void blockScan(const int *in, int *out) {
  __shared__ int partial[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = blockInclusive(in[i], partial);
}

struct Tile {
  // 0: nothing yet, 1: the tile's own sum, 2: the sum up to the tile's end.
  unsigned flag;
  int sum;
};

// Flag and sum travel as one word of 64 bits.
__device__ Tile loadTile(unsigned long long *tile) {
  unsigned long long word = *const_cast<volatile unsigned long long *>(tile);
  return {static_cast<unsigned>(word), static_cast<int>(word >> 32)};
}
__device__ void storeTile(unsigned long long *tile, unsigned flag, int sum) {
  *const_cast<volatile unsigned long long *>(tile) =
      static_cast<unsigned long long>(static_cast<unsigned>(sum)) << 32 | flag;
}

// Prefix sums of the whole array in one pass: a tile publishes its own sum,
// looks back over the tiles before it until one knows its prefix, and publishes
// its own prefix. Tiles are numbered in the order in which their blocks start.
extern "C" __global__ void lookBackScan(const int *in, int *out,
                                        unsigned long long *tiles,
                                        unsigned *ticket, int n) {
  __shared__ int partial[32];
  __shared__ unsigned tile;
  __shared__ int before;
  if (threadIdx.x == 0)
    tile = atomicAdd(ticket, 1);
  __syncthreads();
  int i = tile * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  int sum = blockInclusive(value, partial);
  if (threadIdx.x == blockDim.x - 1) {
    storeTile(&tiles[tile], tile == 0 ? 2 : 1, sum);
    int prefix = 0;
    for (int back = static_cast<int>(tile) - 1; back >= 0;) {
      Tile seen = loadTile(&tiles[back]);
      if (seen.flag == 0)
        continue;
      prefix += seen.sum;
      if (seen.flag == 2)
        break;
      --back;
    }
    if (tile)
      storeTile(&tiles[tile], 2, prefix + sum);
    before = prefix;
  }
  __syncthreads();
  if (i < n)
    out[i] = before + sum;
}

// The last block to finish adds up what the others left.
extern "C" __global__ void lastBlockSum(const int *in, int n, int *partials,
                                        unsigned *arrived, int *out) {
  __shared__ int partial[32];
  __shared__ bool isLast;
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    value += in[i];
  int sum = blockInclusive(value, partial);
  if (threadIdx.x == blockDim.x - 1) {
    partials[blockIdx.x] = sum;
    __threadfence();
    isLast = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!isLast)
    return;
  __threadfence();
  int total = threadIdx.x < gridDim.x ? __ldcg(&partials[threadIdx.x]) : 0;
  total = blockInclusive(total, partial);
  if (threadIdx.x == blockDim.x - 1)
    *out = total;
}

// Sorts blockDim.x keys by four bits at a time: the rank of a key among equal
// digits of its warp by match, those of warps before it by a table.
extern "C" __global__ void radixSort(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t keys[256];
  __shared__ int counts[16 * 8];
  __shared__ int partial[32];
  int t = threadIdx.x, lane = t & 31, warp = t / 32;
  uint32_t key = in[blockIdx.x * 256 + t];
  for (int shift = 0; shift < 32; shift += 4) {
    uint32_t digit = key >> shift & 15;
    if (t < 128)
      counts[t] = 0;
    __syncthreads();
    unsigned same = __match_any_sync(~0u, digit);
    int rank = __popc(same & ((1u << lane) - 1));
    if (rank == 0)
      counts[digit * 8 + warp] = __popc(same);
    __syncthreads();
    int count = t < 128 ? counts[t] : 0;
    int inclusive = blockInclusive(count, partial);
    if (t < 128)
      counts[t] = inclusive - count;
    __syncthreads();
    keys[counts[digit * 8 + warp] + rank] = key;
    __syncthreads();
    key = keys[t];
  }
  out[blockIdx.x * 256 + t] = key;
}

// y = A x with A in compressed rows: a warp for each row.
extern "C" __global__ void sparseProduct(const int *rowStart, const int *column,
                                         const double *value, const double *x,
                                         double *y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x & 31;
  if (row >= rows)
    return;
  double sum = 0;
  for (int i = rowStart[row] + lane; i < rowStart[row + 1]; i += 32)
    sum += value[i] * x[column[i]];
  for (int offset = 16; offset; offset /= 2)
    sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0)
    y[row] = sum;
}

// Softmax of each row in one pass: maximum and sum travel together.
extern "C" __global__ void softmaxRows(const float *in, float *out,
                                       int columns) {
  __shared__ float most[8], sums[8];
  const float *row = in + blockIdx.x * columns;
  float m = -INFINITY, s = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    float next = fmaxf(m, row[i]);
    s = s * __expf(m - next) + __expf(row[i] - next);
    m = next;
  }
  for (int offset = 16; offset; offset /= 2) {
    float otherM = __shfl_xor_sync(~0u, m, offset);
    float otherS = __shfl_xor_sync(~0u, s, offset);
    float next = fmaxf(m, otherM);
    s = next == -INFINITY
            ? 0
            : s * __expf(m - next) + otherS * __expf(otherM - next);
    m = next;
  }
  int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (threadIdx.x % 32 == 0) {
    most[warp] = m;
    sums[warp] = s;
  }
  __syncthreads();
  m = -INFINITY;
  for (int i = 0; i < warps; ++i)
    m = fmaxf(m, most[i]);
  s = 0;
  for (int i = 0; i < warps; ++i)
    s += sums[i] * __expf(most[i] - m);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = __expf(row[i] - m) / s;
}

// Layer norm with Welford's moments merged over the warp; a warp for each row.
extern "C" __global__ void layerNorm(const float *in, const float2 *scaleShift,
                                     float *out, int columns, float epsilon) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  const float *x = in + row * columns;
  float mean = 0, m2 = 0;
  int count = 0;
  for (int i = threadIdx.x; i < columns; i += 32) {
    float delta = x[i] - mean;
    mean += delta / ++count;
    m2 += delta * (x[i] - mean);
  }
  for (int offset = 16; offset; offset /= 2) {
    float otherMean = __shfl_xor_sync(~0u, mean, offset);
    float otherM2 = __shfl_xor_sync(~0u, m2, offset);
    int otherCount = __shfl_xor_sync(~0u, count, offset);
    int total = count + otherCount;
    if (total) {
      float delta = otherMean - mean;
      mean = (mean * count + otherMean * otherCount) / total;
      m2 += otherM2 + delta * delta * count * otherCount / total;
    }
    count = total;
  }
  float inverse = rsqrtf(m2 / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += 32)
    out[row * columns + i] =
        (x[i] - mean) * inverse * scaleShift[i].x + scaleShift[i].y;
}

// Largest value and where it stands first, packed into 64 bits.
extern "C" __global__ void argmax(const float *in, int n,
                                  unsigned long long *best) {
  unsigned long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    unsigned bits = __float_as_uint(in[i]);
    unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    unsigned long long key =
        static_cast<unsigned long long>(ordered) << 32 | (~0u - i);
    mine = max(mine, key);
  }
  for (int offset = 16; offset; offset /= 2)
    mine = max(mine, __shfl_xor_sync(~0u, mine, offset));
  if (threadIdx.x % 32 == 0)
    atomicMax(best, mine);
}

// Removes negatives and keeps the order within a warp: ballots and one atomic.
extern "C" __global__ void compact(const int *in, int n, int *out, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keeps = i < n && in[i] >= 0;
  unsigned kept = __ballot_sync(~0u, keeps);
  int lane = threadIdx.x & 31, base = 0;
  if (lane == 0 && kept)
    base = atomicAdd(count, __popc(kept));
  base = __shfl_sync(~0u, base, 0);
  if (keeps)
    out[base + __popc(kept & ((1u << lane) - 1))] = in[i];
}
