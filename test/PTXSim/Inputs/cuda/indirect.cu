//===- indirect.cu - calls through pointers -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function pointers from a table, chosen by the block or by the lane, passed as
// arguments; virtual functions.
//
//===----------------------------------------------------------------------===//

#include "algorithms.h"

__device__ int tripled(int x) { return mixed(0, x); }
__device__ int squared(int x) { return mixed(1, x); }
__device__ int scrambled(int x) { return mixed(2, x); }
__device__ int folded(int x) { return mixed(3, x); }
typedef int (*Unary)(int);
__device__ Unary table[4] = {tripled, squared, scrambled, folded};

// The whole block calls one function, then each lane its own.
extern "C" __global__ void functionTable(const int *in, int *out, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = table[(first + blockIdx.x) & 3](in[i]);
  out[i] = table[i & 3](x);
}

__device__ __noinline__ int foldOver(const int *values, int count, Unary f) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum = f(sum + values[i]);
  return sum;
}

// A function pointer as an argument.
extern "C" __global__ void callback(const int *in, int *out) {
  int i = threadIdx.x;
  out[i] = foldOver(in + i, 5, table[i % 3]);
}

struct Shape {
  int offset;
  __device__ Shape(int offset) : offset(offset) {}
  __device__ virtual int apply(int x) const = 0;
};
struct Square : Shape {
  __device__ Square(int offset) : Shape(offset) {}
  __device__ int apply(int x) const override { return mixed(1, x) + offset; }
};
struct Fold : Shape {
  int scale;
  __device__ Fold(int offset, int scale) : Shape(offset), scale(scale) {}
  __device__ int apply(int x) const override {
    return scale * mixed(3, x) - offset;
  }
};

// Objects on the stack, called by their vtables.
extern "C" __global__ void virtualCalls(const int *in, int *out) {
  int i = threadIdx.x;
  Square square(i);
  Fold fold(3, i);
  const Shape *shapes[2] = {&square, &fold};
  int x = in[i];
  for (int round = 0; round < 4; ++round)
    x = shapes[(i >> round) & 1]->apply(x);
  out[i] = x;
}
