//===- algorithms.h - code that both kernels and tests compile ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer algorithms of one thread. The kernels here and the host tests compile
// this same text: what the simulator makes of nvcc's PTX has to agree with what
// the host's compiler makes of it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_PTXSIM_INPUTS_CUDA_ALGORITHMS_H
#define GOAT_TEST_PTXSIM_INPUTS_CUDA_ALGORITHMS_H

#include <cstdint>

#ifdef __CUDACC__
#define EITHER __host__ __device__
#else
#define EITHER inline
#endif

/// Nested loops with break, continue, goto and a return in the middle.
EITHER int tangle(int x) {
  int sum = 0;
  for (int a = 0; a < (x & 7); ++a) {
    if (a == 3 && (x & 8))
      continue;
    for (int b = 0; b < 6; ++b) {
      if (b > a)
        break;
      if ((x >> b) & 1) {
        sum += b + 1;
        if (sum > 40)
          return -sum;
      } else if (a & 1) {
        sum ^= b << 2;
      } else {
        int c = x & 0xffff;
        while (c > 3) {
          c >>= 1;
          if (c == 5)
            goto done;
          ++sum;
        }
      }
    }
  }
done:
  return sum;
}

enum Opcode : uint8_t {
  Push,
  Add,
  Subtract,
  Multiply,
  Duplicate,
  Swap,
  Xor,
  Shift,
  JumpIfNotZero,
  Drop,
  Over,
  Halt
};

/// A stack machine: a switch in a loop, an array indexed at run time. Returns
/// the top of the stack, or the step it was stopped at with the sign bit set.
EITHER uint32_t interpret(const uint8_t *code, uint32_t argument) {
  uint32_t stack[16];
  uint32_t top = 0, pc = 0;
  stack[0] = argument;
  for (uint32_t steps = 0; steps < 500; ++steps) {
    uint8_t op = code[pc++];
    switch (op) {
    case Push:
      stack[++top & 15] = code[pc++];
      break;
    case Add:
      --top;
      stack[top & 15] += stack[(top + 1) & 15];
      break;
    case Subtract:
      --top;
      stack[top & 15] -= stack[(top + 1) & 15];
      break;
    case Multiply:
      --top;
      stack[top & 15] *= stack[(top + 1) & 15];
      break;
    case Duplicate:
      ++top;
      stack[top & 15] = stack[(top - 1) & 15];
      break;
    case Swap: {
      uint32_t value = stack[top & 15];
      stack[top & 15] = stack[(top - 1) & 15];
      stack[(top - 1) & 15] = value;
      break;
    }
    case Xor:
      --top;
      stack[top & 15] ^= stack[(top + 1) & 15];
      break;
    case Shift:
      stack[top & 15] = stack[top & 15] << 5 | stack[top & 15] >> 27;
      break;
    case JumpIfNotZero: {
      uint8_t target = code[pc++];
      if (stack[top & 15] != 0)
        pc = target;
      break;
    }
    case Drop:
      --top;
      break;
    case Over:
      ++top;
      stack[top & 15] = stack[(top - 2) & 15];
      break;
    case Halt:
      return stack[top & 15];
    }
  }
  return 0x80000000u | pc;
}

/// Quicksort with its own stack of ranges.
EITHER void quicksort(int *a, int count) {
  int low[16], high[16], depth = 1;
  low[0] = 0;
  high[0] = count - 1;
  while (depth) {
    --depth;
    int from = low[depth], to = high[depth];
    while (from < to) {
      int pivot = a[(from + to) / 2], i = from, j = to;
      while (i <= j) {
        while (a[i] < pivot)
          ++i;
        while (a[j] > pivot)
          --j;
        if (i <= j) {
          int value = a[i];
          a[i++] = a[j];
          a[j--] = value;
        }
      }
      // The shorter side now, the longer one later: the stack stays short.
      if (j - from < to - i) {
        low[depth] = i;
        high[depth++] = to;
        to = j;
      } else {
        low[depth] = from;
        high[depth++] = j;
        from = i;
      }
    }
  }
}

/// Ways to place queens on rows row..n-1 of a board with n columns.
#ifdef __CUDACC__
__host__ __device__ __noinline__
#else
inline
#endif
    int queens(int *columnOf, int row, int n) {
  if (row == n)
    return 1;
  int ways = 0;
  for (int column = 0; column < n; ++column) {
    bool isFree = true;
    for (int above = 0; above < row; ++above) {
      int distance = columnOf[above] - column;
      if (distance == 0 || distance == row - above || distance == above - row) {
        isFree = false;
        break;
      }
    }
    if (isFree) {
      columnOf[row] = column;
      ways += queens(columnOf, row + 1, n);
    }
  }
  return ways;
}

/// One block of SHA-256 (FIPS 180-4) over `state`; `k` are the round constants.
EITHER uint32_t rotateRight(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}
EITHER void sha256Block(uint32_t state[8], const uint32_t message[16],
                        const uint32_t *k) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = message[i];
  for (int i = 16; i < 64; ++i) {
    uint32_t s0 =
        rotateRight(w[i - 15], 7) ^ rotateRight(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t s1 =
        rotateRight(w[i - 2], 17) ^ rotateRight(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint32_t v[8];
  for (int i = 0; i < 8; ++i)
    v[i] = state[i];
  for (int i = 0; i < 64; ++i) {
    uint32_t s1 =
        rotateRight(v[4], 6) ^ rotateRight(v[4], 11) ^ rotateRight(v[4], 25);
    uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    uint32_t first = v[7] + s1 + choice + k[i] + w[i];
    uint32_t s0 =
        rotateRight(v[0], 2) ^ rotateRight(v[0], 13) ^ rotateRight(v[0], 22);
    uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    uint32_t second = s0 + majority;
    for (int j = 7; j > 0; --j)
      v[j] = v[j - 1];
    v[4] += first;
    v[0] = first + second;
  }
  for (int i = 0; i < 8; ++i)
    state[i] += v[i];
}

/// Philox 4x32 with ten rounds (Salmon et al., SC'11).
EITHER void philox(uint32_t counter[4], uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53u) * counter[0];
    uint64_t p1 = uint64_t(0xCD9E8D57u) * counter[2];
    uint32_t a = static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key0;
    uint32_t b = static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key1;
    counter[0] = a;
    counter[1] = static_cast<uint32_t>(p1);
    counter[2] = b;
    counter[3] = static_cast<uint32_t>(p0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

/// What each kind of shape does to a number; C++ calls one by its vtable.
EITHER int mixed(int kind, int x) {
  switch (kind) {
  case 0:
    return 3 * x + 1;
  case 1:
    return x * x - 7;
  case 2:
    return (x << 4) ^ (x >> 3);
  default:
    return x < 0 ? -x / 3 : x % 5;
  }
}

/// Insertions, deletions and replacements between two words that end at 0 or
/// after 16 letters.
EITHER int editDistance(const char *a, const char *b) {
  int row[17], m = 0, n = 0;
  while (m < 16 && a[m])
    ++m;
  while (n < 16 && b[n])
    ++n;
  for (int j = 0; j <= n; ++j)
    row[j] = j;
  for (int i = 1; i <= m; ++i) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= n; ++j) {
      int best = corner + (a[i - 1] != b[j - 1]);
      best = best < row[j] + 1 ? best : row[j] + 1;
      best = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
      corner = row[j];
      row[j] = best;
    }
  }
  return row[n];
}

/// What 128-bit integers make of four words.
EITHER void wideSteps(const unsigned long long *in, unsigned long long *out) {
  typedef unsigned __int128 Wide;
  Wide a = Wide(in[0]) << 64 | in[1], b = Wide(in[2] >> 20) << 64 | in[3];
  Wide product = a * b, quotient = a / (b | 1), rest = a % (b | 1);
  __int128 negative = -static_cast<__int128>(a >> 1);
  out[0] = static_cast<unsigned long long>(product >> 64);
  out[1] = static_cast<unsigned long long>(product);
  out[2] = static_cast<unsigned long long>(quotient >> 3);
  out[3] = static_cast<unsigned long long>(rest ^ rest >> 64);
  out[4] = static_cast<unsigned long long>(negative >> 57);
  out[5] = static_cast<unsigned long long>(negative / 1000003) + (a > b);
}

#endif // GOAT_TEST_PTXSIM_INPUTS_CUDA_ALGORITHMS_H
