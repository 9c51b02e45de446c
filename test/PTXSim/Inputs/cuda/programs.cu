//===- programs.cu - small whole programs ---------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ordinary kernels do: text, graphs, stencils in three dimensions,
// convolutions, elimination, quantised products, selection, device functions
// that call the driver.
//
//===----------------------------------------------------------------------===//

#include "algorithms.h"

#include <cassert>
#include <cstdio>

// Upper case, words and vowels of a text; bytes in and out.
extern "C" __global__ void textBytes(const char *in, char *out, int *counts,
                                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  char c = in[i], before = i ? in[i - 1] : ' ';
  bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  bool wasLetter =
      (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
  out[i] = c >= 'a' && c <= 'z' ? c - 32 : c;
  if (isLetter && !wasLetter)
    atomicAdd(&counts[0], 1);
  switch (c | 32) {
  case 'a':
  case 'e':
  case 'i':
  case 'o':
  case 'u':
    atomicAdd(&counts[1], 1);
    break;
  case 'y':
    atomicAdd(&counts[2], 1);
  }
}

// Distances of Levenshtein between pairs of words of 16 bytes.
extern "C" __global__ void editDistances(const char *words, int *out) {
  int i = threadIdx.x;
  out[i] = editDistance(words + 32 * i, words + 32 * i + 16);
}

// A breadth-first step: neighbours that nobody has reached join the frontier.
extern "C" __global__ void breadthFirst(const int *starts, const int *edges,
                                        int *level, const int *frontier,
                                        int frontierSize, int *next,
                                        int *nextSize, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontierSize)
    return;
  int node = frontier[i];
  for (int e = starts[node]; e < starts[node + 1]; ++e)
    if (atomicCAS(&level[edges[e]], -1, depth) == -1)
      next[atomicAdd(nextSize, 1)] = edges[e];
}

// Seven points in three dimensions, planes kept in registers and shared memory.
extern "C" __global__ void stencil3d(const float *in, float *out, int nx,
                                     int ny, int nz) {
  __shared__ float plane[10][34];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  bool inside = x < nx && y < ny;
  auto at = [&](int i, int j, int k) {
    return i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz
               ? in[(k * ny + j) * nx + i]
               : 0.0f;
  };
  float below = 0, here = at(x, y, 0);
  for (int z = 0; z < nz; ++z) {
    float above = at(x, y, z + 1);
    __syncthreads();
    plane[ty][tx] = here;
    if (threadIdx.x == 0)
      plane[ty][0] = at(x - 1, y, z);
    if (threadIdx.x == 31)
      plane[ty][33] = at(x + 1, y, z);
    if (threadIdx.y == 0)
      plane[0][tx] = at(x, y - 1, z);
    if (threadIdx.y == 7)
      plane[9][tx] = at(x, y + 1, z);
    __syncthreads();
    if (inside)
      out[(z * ny + y) * nx + x] =
          -6.0f * here + below + above + plane[ty][tx - 1] +
          plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx];
    below = here;
    here = above;
  }
}

// Convolution of images with several channels, by threads of three dimensions.
extern "C" __global__ void conv2d(const float *in, const float *weights,
                                  float *out, int channels, int height,
                                  int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int c = 0; c < channels; ++c)
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) {
        int sx = x + dx, sy = y + dy;
        if (sx >= 0 && sx < width && sy >= 0 && sy < height)
          sum += in[(c * height + sy) * width + sx] *
                 weights[((o * channels + c) * 3 + dy + 1) * 3 + dx + 1];
      }
  out[(o * height + y) * width + x] = sum;
}

// Elimination with pivoting in fp64, one block for each system.
extern "C" __global__ void solveSystems(const double *in, double *out, int n) {
  extern __shared__ double rows[]; // n rows of n + 1
  __shared__ int pivot;
  const double *mine = in + blockIdx.x * n * (n + 1);
  for (int i = threadIdx.x; i < n * (n + 1); i += blockDim.x)
    rows[i] = mine[i];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) {
      pivot = k;
      for (int i = k + 1; i < n; ++i)
        if (fabs(rows[i * (n + 1) + k]) > fabs(rows[pivot * (n + 1) + k]))
          pivot = i;
    }
    __syncthreads();
    for (int j = threadIdx.x; j <= n; j += blockDim.x) {
      double t = rows[k * (n + 1) + j];
      rows[k * (n + 1) + j] = rows[pivot * (n + 1) + j];
      rows[pivot * (n + 1) + j] = t;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      if (i != k) {
        double factor = rows[i * (n + 1) + k] / rows[k * (n + 1) + k];
        for (int j = k + 1; j <= n; ++j)
          rows[i * (n + 1) + j] -= factor * rows[k * (n + 1) + j];
      }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = rows[i * (n + 1) + n] / rows[i * (n + 1) + i];
}

// Products of bytes, four at a time.
extern "C" __global__ void bytesMatmul(const int *a, const int *b, int *c,
                                       int n, int words) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < words; ++k)
    sum = __dp4a(a[row * words + k], b[column * words + k], sum);
  c[row * n + column] = sum;
}

// Weights of 4 bits: eight in a word, unpacked by bit tricks to fp16, with a
// scale for each group of 32.
#include <cuda_fp16.h>
extern "C" __global__ void dequantise(const unsigned *packed,
                                      const __half *scales, __half *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned word = packed[i];
  __half2 scale = __half2half2(scales[i / 4]);
  // 0x6400 is 1024: the four bits become the lowest of its mantissa.
  for (int k = 0; k < 4; ++k) {
    unsigned pair;
    asm("lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;"
        : "=r"(pair)
        : "r"(word >> 4 * k));
    __half2 value = __hsub2(*reinterpret_cast<__half2 *>(&pair),
                            __floats2half2_rn(1032.0f, 1032.0f));
    reinterpret_cast<__half2 *>(out)[4 * i + k] = __hmul2(value, scale);
  }
}

// The eight largest of each row, by insertion in registers and shuffles.
extern "C" __global__ void topEight(const float *in, float *values, int *places,
                                    int columns) {
  const float *row = in + blockIdx.x * columns;
  float best[8];
  int where[8];
  for (int k = 0; k < 8; ++k) {
    best[k] = -INFINITY;
    where[k] = -1;
  }
  for (int i = threadIdx.x; i < columns; i += 32) {
    float value = row[i];
    int place = i;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (value > best[k]) {
        float t = best[k];
        int p = where[k];
        best[k] = value;
        where[k] = place;
        value = t;
        place = p;
      }
  }
  for (int k = 0; k < 8; ++k) {
    float most = best[0];
    int place = where[0];
    for (int offset = 16; offset; offset /= 2) {
      float other = __shfl_xor_sync(~0u, most, offset);
      int otherPlace = __shfl_xor_sync(~0u, place, offset);
      if (other > most || (other == most && otherPlace < place)) {
        most = other;
        place = otherPlace;
      }
    }
    if (threadIdx.x == 0) {
      values[blockIdx.x * 8 + k] = most;
      places[blockIdx.x * 8 + k] = place;
    }
    if (where[0] == place) { // the winner takes its next
#pragma unroll
      for (int j = 0; j < 7; ++j) {
        best[j] = best[j + 1];
        where[j] = where[j + 1];
      }
      best[7] = -INFINITY;
      where[7] = -1;
    }
  }
}

// 128-bit integers: products, divisions, shifts, comparisons.
extern "C" __global__ void integers128(const unsigned long long *in,
                                        unsigned long long *out) {
  int i = threadIdx.x;
  wideSteps(in + 4 * i, out + 6 * i);
}

// A message, a check that holds, memory from the heap and from the stack.
extern "C" __global__ void systemCalls(const int *in, int *out, int n) {
  int i = threadIdx.x;
  assert(in[i] >= 0);
  int *list = static_cast<int *>(malloc(n * sizeof(int)));
  int *squares = static_cast<int *>(alloca(n * sizeof(int)));
  for (int k = 0; k < n; ++k) {
    list[k] = in[i] + k;
    squares[k] = k * k;
  }
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += list[k] * squares[n - 1 - k];
  free(list);
  if (i == 0)
    out[blockDim.x] = printf("%d of %s\n", sum, "them");
  out[i] = sum;
}

// Components of a graph: roots are hung on smaller ones until none moves.
extern "C" __global__ void hookRoots(const int2 *edges, int numEdges,
                                     int *parent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= numEdges)
    return;
  int a = edges[i].x, b = edges[i].y;
  while (a != b) {
    int larger = a > b ? a : b, smaller = a > b ? b : a;
    int old = atomicMin(&parent[larger], smaller);
    if (old == larger)
      break;
    a = smaller;
    b = old;
  }
}
