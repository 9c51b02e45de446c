//===- CudaTest.cpp - kernels compiled by nvcc ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA C++ kernels against the same computation in plain C++, under several
// schedules.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <algorithm>
#include <random>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

class Cuda : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    Result<Module> parsed = Module::parse(
        readFile(GOAT_PTXSIM_INPUTS "/cuda/kernels.ptx"), "kernels.ptx");
    ASSERT_TRUE(bool(parsed)) << parsed.error();
    module = new Module(*parsed);
  }
  static void TearDownTestSuite() { delete module; }

  template <typename T>
  uint64_t upload(const std::vector<T> &data, const char *name) {
    uint64_t address = memory.allocate(data.size() * sizeof(T), name);
    memory.write(address, data.data(), data.size() * sizeof(T));
    return address;
  }
  template <typename T>
  std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> data(count);
    EXPECT_TRUE(memory.read(address, data.data(), count * sizeof(T)));
    EXPECT_EQ(memory.countUninitialised(address, count * sizeof(T)), 0u);
    return data;
  }
  LaunchResult run(const char *entry, const Arguments &arguments,
                   LaunchConfig config) {
    Result<LaunchResult> result =
        launch(*module, entry, memory, arguments, config);
    EXPECT_TRUE(bool(result)) << result.error();
    for (const Finding &finding : result->findings)
      ADD_FAILURE() << finding.str();
    EXPECT_TRUE(result->completed);
    return *result;
  }
  static LaunchConfig shape(std::array<uint32_t, 3> grid,
                            std::array<uint32_t, 3> block, uint64_t seed = 0) {
    LaunchConfig config;
    config.grid = grid;
    config.block = block;
    config.seed = seed;
    return config;
  }

  static Module *module;
  Memory memory;
};
Module *Cuda::module = nullptr;

TEST_F(Cuda, Reduce) {
  std::vector<float> in(1000);
  double sum = 0;
  for (size_t i = 0; i < in.size(); ++i)
    sum += in[i] = static_cast<float>(i % 17) - 4.0f; // exact in any order
  for (uint64_t seed = 0; seed < 5; ++seed) {
    memory = Memory();
    uint64_t address = upload(in, "in");
    uint64_t out = memory.allocate(4, "out", 256, Init::Zero);
    LaunchConfig config = shape({3, 1, 1}, {128, 1, 1}, seed);
    config.threads = 2;
    run("reduce", Arguments().pointer(address).pointer(out).i32(1000), config);
    EXPECT_EQ(download<float>(out, 1)[0], sum);
  }
}

TEST_F(Cuda, TransposeWithAndWithoutConflicts) {
  const unsigned rows = 50, columns = 70;
  std::vector<float> in(rows * columns);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  uint64_t address = upload(in, "in");
  uint64_t conflicts[2];
  const char *names[2] = {"transpose_conflicts", "transpose_padded"};
  for (unsigned k = 0; k < 2; ++k) {
    uint64_t out = memory.allocate(4 * in.size(), names[k]);
    LaunchResult result =
        run(names[k],
            Arguments().pointer(address).pointer(out).i32(rows).i32(columns),
            shape({3, 2, 1}, {32, 8, 1}, k));
    std::vector<float> got = download<float>(out, in.size());
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < columns; ++j)
        ASSERT_EQ(got[j * rows + i], in[i * columns + j]);
    conflicts[k] = result.counts.bankConflicts;
  }
  EXPECT_GT(conflicts[0], 1000u);
  EXPECT_EQ(conflicts[1], 0u);
}

TEST_F(Cuda, Collatz) {
  std::vector<uint32_t> in(100);
  for (uint32_t i = 0; i < in.size(); ++i)
    in[i] = i * 7 + 1;
  uint64_t address = upload(in, "in");
  uint64_t out = memory.allocate(400, "out");
  run("collatz", Arguments().pointer(address).pointer(out).i32(100),
      shape({2, 1, 1}, {64, 1, 1}));
  std::vector<uint32_t> got = download<uint32_t>(out, 100);
  for (uint32_t i = 0; i < 100; ++i) {
    uint32_t x = in[i], steps = 0;
    while (x != 1 && steps < 200) {
      x = x & 1 ? 3 * x + 1 : x / 2;
      ++steps;
    }
    EXPECT_EQ(got[i], steps) << in[i];
  }
}

TEST_F(Cuda, SortOnTheStack) {
  std::mt19937 random(1);
  std::vector<int> in(64 * 8);
  for (int &x : in)
    x = static_cast<int>(random() % 100) - 50;
  uint64_t address = upload(in, "in");
  uint64_t out = memory.allocate(4 * in.size(), "out");
  run("sort8", Arguments().pointer(address).pointer(out),
      shape({2, 1, 1}, {32, 1, 1}));
  std::vector<int> got = download<int>(out, in.size());
  for (size_t i = 0; i < in.size(); i += 8)
    std::sort(in.begin() + i, in.begin() + i + 8);
  EXPECT_EQ(got, in);
}

TEST_F(Cuda, FunctionsAndRecursion) {
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i)
    in[i] = i + 1;
  uint64_t address = upload(in, "in");
  uint64_t out = memory.allocate(256, "out");
  uint64_t integers = memory.allocate(256, "integers");
  run("functions", Arguments().pointer(address).pointer(out).pointer(integers),
      shape({1, 1, 1}, {32, 1, 1}));
  std::vector<double> got = download<double>(out, 32);
  std::vector<int64_t> gotIntegers = download<int64_t>(integers, 32);
  for (int i = 0; i < 32; ++i) {
    double x = in[i];
    // The compiler contracts the product and the sum.
    EXPECT_EQ(got[i], std::fma(x * x, std::sqrt(x), x) - 1.0 / x);
    int64_t p = int64_t(in[i]) * in[i] * in[i] * in[i] * in[i], q = 1;
    for (int k = 0; k < i % 8; ++k)
      q *= -3;
    EXPECT_EQ(gotIntegers[i], p / 7 + q % 11);
  }
}

TEST_F(Cuda, LibraryFunctions) {
  std::vector<float> in(64);
  for (int i = 0; i < 64; ++i) // up to where sinf reduces the slow way
    in[i] = (i % 2 ? -1.0f : 1.0f) * std::exp2(i / 3.0f - 4.0f);
  in[63] = 1e20f;
  uint64_t address = upload(in, "in");
  uint64_t out = memory.allocate(5 * 256, "out");
  run("libraryMath", Arguments().pointer(address).pointer(out),
      shape({2, 1, 1}, {32, 1, 1}));
  std::vector<float> got = download<float>(out, 5 * 64);
  for (int i = 0; i < 64; ++i) {
    double x = in[i];
    const double expected[5] = {std::sin(x), std::exp(-std::fabs(x) / 100),
                                std::log(std::fabs(x) + 1.0),
                                std::pow(std::fabs(x), double(0.37f)),
                                std::erf(x / 10)};
    for (int k = 0; k < 5; ++k) // a few units in the last place of fp32
      EXPECT_NEAR(got[5 * i + k], expected[k],
                  4e-7 * std::max(1.0, std::fabs(expected[k])))
          << x << " " << k;
  }
}

TEST_F(Cuda, PackedHalves) {
  std::vector<uint16_t> hx(64), hy(64), bx(64), by(64);
  auto value = [](int i) { return (i - 32) / 4.0f; };
  for (int i = 0; i < 64; ++i) {
    hx[i] = f16Bits(value(i));
    hy[i] = f16Bits(value(63 - i));
    bx[i] = bf16Bits(value(i));
    by[i] = bf16Bits(value(63 - i));
  }
  uint64_t a = upload(hx, "hx"), b = upload(hy, "hy"), c = upload(bx, "bx"),
           d = upload(by, "by");
  uint64_t hout = memory.allocate(128, "hout");
  uint64_t bout = memory.allocate(128, "bout");
  uint64_t exact = memory.allocate(128, "exact");
  run("halves",
      Arguments()
          .pointer(a)
          .pointer(b)
          .pointer(hout)
          .pointer(c)
          .pointer(d)
          .pointer(bout)
          .pointer(exact),
      shape({1, 1, 1}, {32, 1, 1}));
  std::vector<uint16_t> h = download<uint16_t>(hout, 64);
  std::vector<uint16_t> f = download<uint16_t>(bout, 64);
  std::vector<int> e = download<int>(exact, 32);
  for (int i = 0; i < 64; ++i) {
    float expected = value(i) * 1.5f + value(63 - i); // few bits: exact
    EXPECT_EQ(h[i], f16Bits(expected));
    EXPECT_EQ(f[i], bf16Bits(expected));
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(e[i], static_cast<int>(value(2 * i) * 3) +
                        static_cast<int>(std::nearbyint(value(2 * i))));
}

TEST_F(Cuda, Histogram) {
  std::mt19937 random(4);
  std::vector<uint8_t> in(3000);
  std::vector<int> expected(64);
  for (uint8_t &x : in) {
    x = static_cast<uint8_t>(random() % 200);
    ++expected[x & 63];
  }
  for (uint64_t seed = 0; seed < 3; ++seed) {
    memory = Memory();
    uint64_t address = upload(in, "in");
    uint64_t bins = memory.allocate(256, "bins", 256, Init::Zero);
    uint64_t most = memory.allocate(4, "most", 256, Init::Zero);
    LaunchConfig config = shape({4, 1, 1}, {96, 1, 1}, seed);
    config.threads = 2;
    run("histogram",
        Arguments().pointer(address).i32(3000).pointer(bins).pointer(most),
        config);
    EXPECT_EQ(download<int>(bins, 64), expected);
    EXPECT_EQ(download<float>(most, 1)[0],
              *std::max_element(in.begin(), in.end()) * 0.5f);
  }
}

TEST_F(Cuda, AsyncPipeline) {
  const int rows = 9;
  std::vector<float> in(rows * 128);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i % 31);
  for (uint64_t seed = 0; seed < 3; ++seed) {
    memory = Memory();
    uint64_t address = upload(in, "in");
    uint64_t out = memory.allocate(4 * in.size(), "out");
    run("pipeline", Arguments().pointer(address).pointer(out).i32(rows),
        shape({1, 1, 1}, {128, 1, 1}, seed));
    std::vector<float> got = download<float>(out, in.size());
    for (int lane = 0; lane < 128; ++lane) {
      float sum = 0;
      for (int row = 0; row < rows; ++row) {
        sum += in[row * 128 + lane];
        ASSERT_EQ(got[row * 128 + lane], sum);
      }
    }
  }
}

TEST_F(Cuda, Votes) {
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i)
    in[i] = i * i % 7;
  uint64_t address = upload(in, "in");
  uint64_t out = memory.allocate(512, "out");
  run("votes", Arguments().pointer(address).pointer(out),
      shape({1, 1, 1}, {32, 1, 1}));
  std::vector<uint32_t> got = download<uint32_t>(out, 128);
  uint32_t ballot = 0;
  for (int i = 0; i < 32; ++i)
    ballot |= static_cast<uint32_t>(in[i] > 3) << i;
  for (int i = 0; i < 32; ++i) {
    uint32_t value = static_cast<uint32_t>(in[i]), match = 0, reversed = 0;
    for (int j = 0; j < 32; ++j) {
      match |= static_cast<uint32_t>(in[j] == in[i]) << j;
      reversed |= (value >> j & 1) << (31 - j);
    }
    EXPECT_EQ(got[4 * i], ballot);
    EXPECT_EQ(got[4 * i + 1], match);
    EXPECT_EQ(got[4 * i + 2], 4u);
    // __byte_perm(value, i, 0x5140) takes bytes 0, 4, 1, 5.
    uint32_t permuted =
        (value & 0xff) | (i & 0xff) << 8 | (value >> 8 & 0xff) << 16;
    uint32_t leading = value ? static_cast<uint32_t>(__builtin_clz(value)) : 32;
    EXPECT_EQ(got[4 * i + 3], 32 + static_cast<uint32_t>(__builtin_ffs(in[i])) +
                                  leading + reversed + permuted);
  }
}

} // namespace
