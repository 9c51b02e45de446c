//===- ProgramKernels.cpp - small whole programs from nvcc ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of cuda/programs.cu against plain C++, and integer ones
// against the same text compiled for the host.
//
//===----------------------------------------------------------------------===//

#include "../../../PTXSim/Inputs/cuda/algorithms.h"
#include "ForeignKernel.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

FOREIGN_KERNEL("cuda/programs", textBytes,
               "bytes of a text, a switch with holes, counts by atomics") {
  std::string text = "The quick brown fox jumps over the lazy dog; try again "
                     "yesterday, 42 times? Yes!";
  std::vector<char> in(text.begin(), text.end()), expected = in;
  int words = 0, vowels = 0, ys = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    auto isLetter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    words += isLetter(in[i]) && !(i && isLetter(in[i - 1]));
    char low = static_cast<char>(in[i] | 32);
    vowels += std::string("aeiou").find(low) != std::string::npos;
    ys += low == 'y';
    if (in[i] >= 'a' && in[i] <= 'z')
      expected[i] = static_cast<char>(in[i] - 32);
  }
  auto out = device.empty<char>(in.size());
  auto counts = device.zeros<int>(3);
  device.launch({2}, {64}, device.upload(in), out, counts,
                static_cast<int>(in.size()));
  EXPECT_EQ(device.get(out), expected);
  EXPECT_EQ(device.get(counts), (std::vector<int>{words, vowels, ys}));
}

FOREIGN_KERNEL("cuda/programs", editDistances,
               "dynamic programming over an array on the stack, bytes") {
  std::mt19937 random(210);
  std::vector<char> words(32 * 64);
  for (size_t i = 0; i < words.size(); i += 16) {
    unsigned length = random() % 17;
    for (unsigned k = 0; k < 16; ++k)
      words[i + k] = k < length ? static_cast<char>('a' + random() % 4) : '\0';
  }
  auto out = device.empty<int>(64);
  device.launch({1}, {64}, device.upload(words), out);
  std::vector<int> got = device.get(out);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], editDistance(&words[32 * i], &words[32 * i + 16]));
}

FOREIGN_KERNEL("cuda/programs", breadthFirst,
               "a graph by frontiers, compare-and-swap on levels") {
  const int nodes = 60;
  std::mt19937 random(211);
  std::vector<int> starts = {0}, edges;
  for (int i = 0; i < nodes; ++i) {
    for (unsigned k = random() % 5; k > 0; --k)
      edges.push_back(static_cast<int>(random() % nodes));
    starts.push_back(static_cast<int>(edges.size()));
  }
  std::vector<int> level(nodes, -1), reached = {0};
  level[0] = 0;
  auto startBuffer = device.upload(starts), edgeBuffer = device.upload(edges);
  std::vector<int> begin = level;
  auto levels = device.upload(begin);
  std::vector<int> frontier = {0};
  for (int depth = 1; !frontier.empty(); ++depth) {
    auto next = device.zeros<int>(nodes);
    auto size = device.zeros<int>(1);
    device.launch({2}, {32}, startBuffer, edgeBuffer, levels,
                  device.upload(frontier), static_cast<int>(frontier.size()),
                  next, size, depth);
    std::set<int> expected;
    for (int node : frontier)
      for (int e = starts[node]; e < starts[node + 1]; ++e)
        if (level[edges[e]] == -1)
          expected.insert(edges[e]);
    for (int node : expected)
      level[node] = depth;
    std::vector<int> got = device.get(next);
    got.resize(static_cast<size_t>(device.get(size)[0]));
    std::sort(got.begin(), got.end());
    frontier.assign(expected.begin(), expected.end());
    ASSERT_EQ(got, frontier);
  }
  EXPECT_EQ(device.get(levels), level);
}

FOREIGN_KERNEL("cuda/programs", stencil3d,
               "seven points in three dimensions, planes in shared memory") {
  const int nx = 37, ny = 11, nz = 5;
  std::vector<float> in = gridOfUnits(nx * ny * nz, 64, 212);
  auto out = device.empty<float>(in.size());
  device.launch({2, 2}, {32, 8}, device.upload(in), out, nx, ny, nz);
  auto at = [&](int x, int y, int z) {
    return x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz
               ? in[(z * ny + y) * nx + x]
               : 0.0f;
  };
  std::vector<float> got = device.get(out);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        ASSERT_EQ(got[(z * ny + y) * nx + x],
                  -6 * at(x, y, z) + at(x - 1, y, z) + at(x + 1, y, z) +
                      at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) +
                      at(x, y, z + 1));
}

FOREIGN_KERNEL("cuda/programs", conv2d,
               "images with channels, a grid of three dimensions") {
  const int channels = 3, filters = 2, height = 9, width = 21;
  std::vector<float> in = gridOfUnits(channels * height * width, 16, 213);
  std::vector<float> weights = gridOfUnits(filters * channels * 9, 16, 214);
  auto out = device.empty<float>(filters * height * width);
  device.launch({2, 2, filters}, {16, 8}, device.upload(in),
                device.upload(weights), out, channels, height, width);
  std::vector<float> got = device.get(out);
  for (int o = 0; o < filters; ++o)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        double sum = 0;
        for (int c = 0; c < channels; ++c)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              if (y + dy >= 0 && y + dy < height && x + dx >= 0 &&
                  x + dx < width)
                sum += double(in[(c * height + y + dy) * width + x + dx]) *
                       weights[((o * channels + c) * 3 + dy + 1) * 3 + dx + 1];
        ASSERT_EQ(got[(o * height + y) * width + x], sum);
      }
}

FOREIGN_KERNEL("cuda/programs", solveSystems,
               "elimination with pivots in fp64, dynamic shared memory") {
  const int n = 12, systems = 3;
  std::mt19937 random(215);
  std::vector<double> in(systems * n * (n + 1)), expected;
  for (int s = 0; s < systems; ++s) {
    std::vector<double> x(n);
    for (double &value : x)
      value = static_cast<int>(random() % 19) - 9;
    expected.insert(expected.end(), x.begin(), x.end());
    for (int i = 0; i < n; ++i) {
      double *row = &in[(s * n + i) * (n + 1)];
      row[n] = 0;
      for (int j = 0; j < n; ++j) {
        row[j] = static_cast<int>(random() % 41) - 20 + (i == (j + 5) % n) * 99;
        row[n] += row[j] * x[j];
      }
    }
  }
  auto out = device.empty<double>(systems * n);
  device.config.dynamicSharedBytes = n * (n + 1) * 8;
  device.launch({systems}, {32}, device.upload(in), out, n);
  // Well conditioned: about 30 times the unit of fp64.
  expectClose(device.get(out), expected, 1e-13, 9);
}

FOREIGN_KERNEL("cuda/programs", bytesMatmul, "products of bytes by dp4a") {
  const int n = 24, words = 9;
  std::vector<int> a, b;
  for (uint32_t word : randomWords(n * words, 216))
    a.push_back(static_cast<int>(word));
  for (uint32_t word : randomWords(n * words, 217))
    b.push_back(static_cast<int>(word));
  auto c = device.empty<int>(n * n);
  device.launch({3, 3}, {8, 8}, device.upload(a), device.upload(b), c, n,
                words);
  std::vector<int> got = device.get(c);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int k = 0; k < words; ++k)
        for (int byte = 0; byte < 32; byte += 8)
          sum += static_cast<int8_t>(a[i * words + k] >> byte) *
                 static_cast<int8_t>(b[j * words + k] >> byte);
      ASSERT_EQ(got[i * n + j], sum);
    }
}

FOREIGN_KERNEL("cuda/programs", dequantise,
               "weights of 4 bits to fp16 by lop3, scales for groups") {
  const int words = 128;
  std::vector<uint32_t> packed = randomWords(words, 218);
  std::vector<uint16_t> scales;
  for (int i = 0; i < words / 4; ++i)
    scales.push_back(halfBits(0.25 + i / 64.0));
  auto out = device.empty<uint16_t>(8 * words);
  device.launch({2}, {64}, device.upload(packed), device.upload(scales), out);
  std::vector<uint16_t> got = device.get(out);
  for (int i = 0; i < words; ++i)
    for (int k = 0; k < 8; ++k) {
      // Pair k holds the nibbles k and k + 4.
      int nibble = packed[i] >> (4 * (k / 2) + 16 * (k % 2)) & 15;
      EXPECT_EQ(halfValue(got[8 * i + k]),
                (nibble - 8) * halfValue(scales[i / 4]));
    }
}

FOREIGN_KERNEL("cuda/programs", topEight,
               "the largest of rows by insertion in registers and shuffles") {
  const int rows = 3, columns = 200;
  std::vector<float> in = gridOfUnits(rows * columns, 5000, 219);
  auto values = device.empty<float>(rows * 8);
  auto places = device.empty<int>(rows * 8);
  device.launch({rows}, {32}, device.upload(in), values, places, columns);
  std::vector<float> gotValues = device.get(values);
  std::vector<int> gotPlaces = device.get(places);
  for (int row = 0; row < rows; ++row) {
    std::vector<int> order(columns);
    std::iota(order.begin(), order.end(), 0);
    const float *first = &in[row * columns];
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return first[a] > first[b]; });
    for (int k = 0; k < 8; ++k) {
      EXPECT_EQ(gotValues[row * 8 + k], first[order[k]]);
      EXPECT_EQ(gotPlaces[row * 8 + k], order[k]);
    }
  }
}

FOREIGN_KERNEL("cuda/programs", integers128,
               "128-bit integers: products, divisions, shifts") {
  std::vector<unsigned long long> in;
  std::vector<uint32_t> words = randomWords(8 * 32, 220);
  for (size_t i = 0; i < words.size(); i += 2)
    in.push_back(static_cast<unsigned long long>(words[i]) << 32 |
                 words[i + 1]);
  auto out = device.empty<unsigned long long>(6 * 32);
  device.launch({1}, {32}, device.upload(in), out);
  std::vector<unsigned long long> expected(6 * 32);
  for (int i = 0; i < 32; ++i)
    wideSteps(&in[4 * i], &expected[6 * i]);
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/programs", systemCalls,
               "printf, assert, malloc, free and alloca") {
  const int n = 9, threads = 64;
  std::vector<int> in(threads), expected;
  for (int i = 0; i < threads; ++i)
    in[i] = 3 * i;
  auto out = device.empty<int>(threads + 1);
  device.launch({1}, {threads}, device.upload(in), out, n);
  for (int i = 0; i < threads; ++i) {
    int sum = 0;
    for (int k = 0; k < n; ++k)
      sum += (in[i] + k) * (n - 1 - k) * (n - 1 - k);
    expected.push_back(sum);
  }
  expected.push_back(2); // what printf returns
  EXPECT_EQ(device.get(out), expected);
}

FOREIGN_KERNEL("cuda/programs", hookRoots,
               "components of a graph by atomic minima") {
  const int nodes = 100;
  std::mt19937 random(221);
  struct Edge {
    int a, b;
  };
  std::vector<Edge> edges(70);
  for (Edge &edge : edges)
    edge = {static_cast<int>(random() % nodes),
            static_cast<int>(random() % nodes)};
  std::vector<int> parent(nodes);
  std::iota(parent.begin(), parent.end(), 0);
  auto buffer = device.upload(parent);
  device.launch({3}, {32}, device.upload(edges), 70, buffer);
  std::vector<int> got = device.get(buffer);
  auto root = [](const std::vector<int> &links, int node) {
    while (links[node] != node)
      node = links[node];
    return node;
  };
  for (const Edge &edge : edges) {
    int a = root(parent, edge.a), b = root(parent, edge.b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  for (int i = 0; i < nodes; ++i)
    EXPECT_EQ(root(got, i), root(parent, i)) << i;
}

} // namespace
