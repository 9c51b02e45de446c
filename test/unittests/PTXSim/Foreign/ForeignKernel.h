//===- ForeignKernel.h - kernels that other compilers emitted -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of kernels compiled by nvcc and Triton, and the simulated device
// they run on. Each FOREIGN_KERNEL makes the kernel's inputs, launches it and
// compares with the same computation in plain C++; the test runs it under
// several seeds and fails on any finding.
//
//   FOREIGN_KERNEL("cuda/kernels", reduce, "shuffles, atomics on floats") {
//     auto in = device.upload(values);
//     auto out = device.zeros<float>(1);
//     device.launch({3}, {128}, in, out, 1000);
//     EXPECT_EQ(device.get(out)[0], sum);
//   }
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_PTXSIM_FOREIGN_FOREIGNKERNEL_H
#define GOAT_TEST_UNITTESTS_PTXSIM_FOREIGN_FOREIGNKERNEL_H

#include "../TestUtils.h"

#include <random>
#include <type_traits>

namespace goat::ptxsim::test {

/// The module of test/PTXSim/Inputs/FILE.ptx, parsed once.
const Module &foreignModule(const std::string &file);

/// How many seeds each kernel runs under: 3, or 100 where GOAT_LONG=1.
uint64_t numSeeds();

/// A device address and how many elements lie there.
template <typename T> struct Buffer {
  uint64_t address = 0;
  size_t count = 0;
};

/// Grid and block sizes with trailing ones left out.
struct Extent {
  uint32_t x = 1, y = 1, z = 1;
};

/// Simulated memory and launches of one kernel under one seed.
class Device {
public:
  Device(std::string file, std::string entry, uint64_t seed)
      : seed(seed), file(std::move(file)), entry(std::move(entry)) {}

  template <typename T>
  Buffer<T> upload(const std::vector<T> &data, const char *name = "input",
                   uint64_t alignment = 256) {
    Buffer<T> buffer{memory.allocate(data.size() * sizeof(T), name, alignment),
                     data.size()};
    memory.write(buffer.address, data.data(), data.size() * sizeof(T));
    return buffer;
  }
  /// Uninitialised elements, for outputs the kernel writes whole.
  template <typename T>
  Buffer<T> empty(size_t count, const char *name = "output") {
    return {memory.allocate(count * sizeof(T), name), count};
  }
  template <typename T>
  Buffer<T> zeros(size_t count, const char *name = "output") {
    return {memory.allocate(count * sizeof(T), name, 256, Init::Zero), count};
  }
  /// Reads back; every byte must have been written.
  template <typename T> std::vector<T> get(const Buffer<T> &buffer) const {
    std::vector<T> data(buffer.count);
    EXPECT_TRUE(
        memory.read(buffer.address, data.data(), buffer.count * sizeof(T)));
    EXPECT_EQ(
        memory.countUninitialised(buffer.address, buffer.count * sizeof(T)),
        0u);
    return data;
  }

  /// Launches with scalars passed at their own size and buffers as pointers;
  /// fails on findings.
  template <typename... Values>
  LaunchResult launch(Extent grid, Extent block, const Values &...values) {
    LaunchResult result = tryLaunch(grid, block, values...);
    for (const Finding &finding : result.findings)
      if (!isTolerated(finding.kind))
        ADD_FAILURE() << finding.str();
    EXPECT_TRUE(result.completed);
    return result;
  }
  /// The same, leaving the findings to the caller.
  template <typename... Values>
  LaunchResult tryLaunch(Extent grid, Extent block, const Values &...values) {
    Arguments arguments;
    (push(arguments, values), ...);
    return launchWith(grid, block, arguments);
  }
  /// The compiler that made the kernel is known to make this mistake.
  void tolerate(FindingKind kind) {
    tolerated.push_back(kind);
    config.maxFindings = 1000; // the launch is not to stop early
  }
  LaunchResult launchWith(Extent grid, Extent block,
                          const Arguments &arguments);

  /// What launches use besides the sizes.
  LaunchConfig config;
  Memory memory;
  const uint64_t seed;
  const std::string file;
  std::string entry;

private:
  bool isTolerated(FindingKind kind) const {
    for (FindingKind known : tolerated)
      if (known == kind)
        return true;
    return false;
  }
  std::vector<FindingKind> tolerated;

  template <typename T>
  static void push(Arguments &arguments, const Buffer<T> &buffer) {
    arguments.pointer(buffer.address);
  }
  template <typename T,
            typename = std::enable_if_t<std::is_trivially_copyable_v<T>>>
  static void push(Arguments &arguments, const T &value) {
    arguments.bytes(&value, sizeof(T));
  }
};

struct ForeignKernel {
  const char *file;
  /// The test; differs from `name` where several files have such a kernel.
  const char *test;
  const char *name;
  const char *exercises;
  void (*check)(Device &);
};

std::vector<ForeignKernel> &foreignKernels();

struct ForeignKernelRegistration {
  explicit ForeignKernelRegistration(ForeignKernel kernel) {
    foreignKernels().push_back(kernel);
  }
};

#define FOREIGN_KERNEL_AS(FILE, TEST, NAME, EXERCISES)                         \
  static void check_##TEST([[maybe_unused]] Device &device);                   \
  static const ForeignKernelRegistration registration_##TEST(                  \
      {FILE, #TEST, #NAME, EXERCISES, check_##TEST});                          \
  static void check_##TEST([[maybe_unused]] Device &device)
#define FOREIGN_KERNEL(FILE, NAME, EXERCISES)                                  \
  FOREIGN_KERNEL_AS(FILE, NAME, NAME, EXERCISES)

/// A kernel with a planted bug: its twin without it carries the same name and
/// `_fixed`, runs the same way and stays clean.
struct PlantedBug {
  const char *file;
  const char *name;
  /// Any of these is a true description of the fault.
  std::vector<FindingKind> kinds;
  const char *fault;
  LaunchResult (*run)(Device &);
};

std::vector<PlantedBug> &plantedBugs();

struct PlantedBugRegistration {
  explicit PlantedBugRegistration(PlantedBug bug) {
    plantedBugs().push_back(std::move(bug));
  }
};

/// The kinds come last, after the description of the fault.
#define PLANTED_BUG(FILE, NAME, FAULT, ...)                                    \
  static LaunchResult run_##NAME(Device &device);                              \
  static const PlantedBugRegistration registration_##NAME(                     \
      {FILE, #NAME, {__VA_ARGS__}, FAULT, run_##NAME});                        \
  static LaunchResult run_##NAME(Device &device)

//===----------------------------------------------------------------------===//
// Host numbers
//===----------------------------------------------------------------------===//

/// fp16 by the compiler's own conversion: rounds to nearest, ties to even.
inline uint16_t halfBits(double value) {
  _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}
inline float halfValue(uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, 2);
  return static_cast<float>(half);
}

/// `count` draws of small multiples of 1/`steps` in [-1, 1].
inline std::vector<float> gridOfUnits(size_t count, int steps,
                                      uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &x : values)
    x = static_cast<float>(static_cast<int>(random() % (2 * steps + 1)) -
                           steps) /
        static_cast<float>(steps);
  return values;
}

inline std::vector<uint32_t> randomWords(size_t count, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t &x : words)
    x = static_cast<uint32_t>(random());
  return words;
}

/// Every element within `relative` of `expected`, measured against `scale`
/// where that is larger than the element.
template <typename T, typename U>
void expectClose(const std::vector<T> &got, const std::vector<U> &expected,
                 double relative, double scale = 0) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    double want = static_cast<double>(expected[i]);
    ASSERT_NEAR(static_cast<double>(got[i]), want,
                relative * std::max(scale, std::fabs(want)))
        << "element " << i;
  }
}

} // namespace goat::ptxsim::test

#endif // GOAT_TEST_UNITTESTS_PTXSIM_FOREIGN_FOREIGNKERNEL_H
