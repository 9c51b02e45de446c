//===- memory.cu - the classics in shared memory --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector accesses, parameters by value, dynamic shared memory, and algorithms
// whose warps exchange data through shared memory.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

// Copies with 2, 4, 8 and 16 bytes of elements in pairs and fours.
extern "C" __global__ void vectorCopies(const uint8_t *in, uint8_t *out) {
  int i = threadIdx.x;
  const uint8_t *from = in + 256 * i;
  uint8_t *to = out + 256 * i;
#define COPY(TYPE, AT)                                                         \
  *reinterpret_cast<TYPE *>(to + (AT)) =                                       \
      *reinterpret_cast<const TYPE *>(from + (AT));
  COPY(char2, 0)
  COPY(uchar4, 4)
  COPY(short2, 8)
  COPY(ushort4, 16)
  COPY(int2, 24)
  COPY(float4, 32)
  COPY(double2, 48)
  COPY(ulonglong2, 64)
  COPY(uint8_t, 2)
  COPY(int8_t, 3)
  COPY(uint16_t, 12)
  COPY(int16_t, 14)
  uint4 a = __ldg(reinterpret_cast<const uint4 *>(from + 80));
  __stcs(reinterpret_cast<uint4 *>(to + 80), a);
  float2 b = __ldcg(reinterpret_cast<const float2 *>(from + 96));
  __stwt(reinterpret_cast<float2 *>(to + 96), b);
  double c = __ldcs(reinterpret_cast<const double *>(from + 104));
  __stcg(reinterpret_cast<double *>(to + 104), c);
  for (int j = 112; j < 256; j += 16)
    COPY(int4, j)
}

struct Stencil {
  float weight[3][3];
  int width, height;
  uint16_t radius;
  int8_t sign;
};

// A 3 x 3 stencil over tiles with a halo, in shared memory sized by the launch;
// the weights are a parameter by value.
extern "C" __global__ void stencil(const float *in, float *out,
                                   const Stencil s) {
  extern __shared__ float tile[];
  int pitch = blockDim.x + 2;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int j = threadIdx.y; j < static_cast<int>(blockDim.y) + 2;
       j += blockDim.y)
    for (int i = threadIdx.x; i < pitch; i += blockDim.x) {
      int fromX = static_cast<int>(blockIdx.x * blockDim.x) + i - 1;
      int fromY = static_cast<int>(blockIdx.y * blockDim.y) + j - 1;
      bool isInside =
          fromX >= 0 && fromX < s.width && fromY >= 0 && fromY < s.height;
      tile[j * pitch + i] = isInside ? in[fromY * s.width + fromX] : 0.0f;
    }
  __syncthreads();
  if (x >= s.width || y >= s.height)
    return;
  float sum = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      sum += s.weight[j][i] *
             tile[(threadIdx.y + j) * pitch + threadIdx.x + i];
  out[y * s.width + x] = s.sign * sum + s.radius;
}

// Indexes a parameter at run time.
extern "C" __global__ void parameterTable(int *out, const Stencil s) {
  int i = threadIdx.x;
  out[i] = static_cast<int>(s.weight[i % 3][i / 3 % 3] * 8) + s.width;
}

// C = A B in tiles of 16 x 16 with tails.
extern "C" __global__ void tiledMatmul(const float *a, const float *b, float *c,
                                       int m, int n, int k) {
  __shared__ float left[16][16], right[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < k; start += 16) {
    int inner = start + threadIdx.x, outer = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] =
        row < m && inner < k ? a[row * k + inner] : 0;
    right[threadIdx.y][threadIdx.x] =
        outer < k && column < n ? b[outer * n + column] : 0;
    __syncthreads();
    for (int l = 0; l < 16; ++l)
      sum += left[threadIdx.y][l] * right[l][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// Sorts 2 blockDim.x keys, the size of a power of two.
extern "C" __global__ void bitonicSort(const int *in, int *out) {
  extern __shared__ int keys[];
  int n = 2 * blockDim.x;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    keys[i] = in[blockIdx.x * n + i];
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride; stride /= 2) {
      __syncthreads();
      int i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      bool isUp = (i & size) == 0;
      int first = keys[i], second = keys[i + stride];
      if ((first > second) == isUp) {
        keys[i] = second;
        keys[i + stride] = first;
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = keys[i];
}

// Forces between n bodies, tiles of them in shared memory.
extern "C" __global__ void nbody(const float4 *bodies, float4 *forces, int n,
                                 float softening) {
  extern __shared__ float4 near[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 force = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += blockDim.x) {
    int j = start + threadIdx.x;
    near[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int l = 0; l < static_cast<int>(blockDim.x); ++l) {
      float4 other = near[l];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      float weight = other.w * inverse * inverse * inverse;
      force.x += weight * dx;
      force.y += weight * dy;
      force.z += weight * dz;
    }
    __syncthreads();
  }
  if (i < n)
    forces[i] = make_float4(force.x, force.y, force.z, me.w);
}

// A complex Fourier transform of 256 points with 128 threads: bit reversal,
// then eight rounds of butterflies.
extern "C" __global__ void fft256(const float2 *in, float2 *out) {
  __shared__ float2 x[256];
  int t = threadIdx.x, base = 256 * blockIdx.x;
  for (int i = t; i < 256; i += 128)
    x[__brev(i) >> 24] = in[base + i];
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    int k = t & (half - 1), i = 2 * (t - k) + k;
    float s, c;
    sincospif(-static_cast<float>(k) / static_cast<float>(half), &s, &c);
    float2 a = x[i], b = x[i + half];
    float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    x[i] = make_float2(a.x + turned.x, a.y + turned.y);
    x[i + half] = make_float2(a.x - turned.x, a.y - turned.y);
  }
  __syncthreads();
  for (int i = t; i < 256; i += 128)
    out[base + i] = x[i];
}

// Merges two sorted sequences: every thread finds its diagonal by bisection and
// merges `each` elements from there.
extern "C" __global__ void mergePath(const int *a, int countA, const int *b,
                                     int countB, int *out, int each) {
  int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  if (diagonal >= countA + countB)
    return;
  int low = max(0, diagonal - countB), high = min(diagonal, countA);
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = diagonal - low;
  for (int k = diagonal; k < min(diagonal + each, countA + countB); ++k) {
    bool takesA = j >= countB || (i < countA && a[i] <= b[j]);
    out[k] = takesA ? a[i++] : b[j++];
  }
}

__constant__ int16_t steps[64] = {
    3,  -1, 4,  1,  -5, 9,  2,  -6, 5,  3,  5,  -8, 9,  7,  -9, 3,
    2,  3,  -8, 4,  6,  2,  -6, 4,  3,  3,  -8, 3,  2,  7,  -9, 5,
    0,  2,  8,  -8, 4,  1,  9,  -7, 1,  6,  -9, 3,  9,  9,  -3, 7,
    5,  1,  -5, 8,  2,  0,  9,  -7, 4,  9,  -4, 4,  5,  9,  -2, 3};
__device__ int visits[64];
__device__ const char letters[] = "the quick brown fox jumps over the lazy dog";

// Constant memory indexed by the lane, a global variable and a string.
extern "C" __global__ void moduleVariables(int *out, int walk) {
  int i = threadIdx.x, at = i;
  for (int step = 0; step < walk; ++step)
    at = (at + steps[at] + 64) & 63;
  atomicAdd(&visits[at], 1);
  out[i] = at * 256 + letters[i % 43];
}

// What moduleVariables left behind.
extern "C" __global__ void readVisits(int *out) {
  out[threadIdx.x] = visits[threadIdx.x];
}
