//===- ForeignTest.cpp - run the kernels that other compilers emitted -----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every registered kernel computes what plain C++ computes and stays clean
// under several seeds; every planted bug is found and its repaired twin is
// clean. docs/ptxsim-kernels.md lists them all.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"
#include "ForeignModules.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

namespace goat::ptxsim::test {

constexpr const char *fenceSuffix = "+fences";

std::string withProxyFences(const std::string &file) {
  return file + fenceSuffix;
}

/// The text of the file, or of the one without the suffix changed as it says.
static std::string moduleText(std::string file) {
  size_t suffix = file.find(fenceSuffix);
  std::string text =
      readFile(GOAT_PTXSIM_INPUTS "/" + file.substr(0, suffix) + ".ptx");
  if (suffix == std::string::npos)
    return text;
  std::string fence = "wgmma.fence.sync.aligned;";
  std::string added = "fence.proxy.async.shared::cta; ";
  size_t at = 0;
  while ((at = text.find(fence, at)) != std::string::npos) {
    text.insert(at, added);
    at += added.size() + fence.size();
  }
  return text;
}

const Module &foreignModule(const std::string &file) {
  static std::map<std::string, Module> modules;
  auto it = modules.find(file);
  if (it == modules.end()) {
    Result<Module> module = Module::parse(moduleText(file), file + ".ptx");
    if (!module) {
      ADD_FAILURE() << module.error();
      module = Module::parse(header, "empty.ptx");
    }
    it = modules.emplace(file, *module).first;
  }
  return it->second;
}

uint64_t numSeeds() {
  const char *isLong = std::getenv("GOAT_LONG");
  return isLong && std::string(isLong) == "1" ? 100 : 3;
}

std::vector<ForeignKernel> &foreignKernels() {
  static std::vector<ForeignKernel> kernels;
  return kernels;
}

std::vector<PlantedBug> &plantedBugs() {
  static std::vector<PlantedBug> bugs;
  return bugs;
}

LaunchResult Device::launchWith(Extent grid, Extent block,
                                const Arguments &arguments) {
  config.grid = {grid.x, grid.y, grid.z};
  config.block = {block.x, block.y, block.z};
  config.seed = seed;
  // Blocks run one after the other or next to each other.
  config.threads = 1 + seed % 2;
  Result<LaunchResult> result =
      ptxsim::launch(foreignModule(file), entry, memory, arguments, config);
  EXPECT_TRUE(bool(result)) << result.error();
  return result ? *result : LaunchResult();
}

/// How a failing test names its kernel.
static void PrintTo(const ForeignKernel &kernel, std::ostream *stream) {
  *stream << kernel.file << " " << kernel.name;
}
static void PrintTo(const PlantedBug &bug, std::ostream *stream) {
  *stream << bug.file << " " << bug.name;
}

namespace {

template <typename T> std::vector<T> sorted(std::vector<T> entries) {
  std::sort(entries.begin(), entries.end(), [](const T &a, const T &b) {
    return std::make_pair(std::string(a.file), std::string(a.name)) <
           std::make_pair(std::string(b.file), std::string(b.name));
  });
  return entries;
}

std::string testOf(const ::testing::TestParamInfo<ForeignKernel> &info) {
  return info.param.test;
}
std::string nameOf(const ::testing::TestParamInfo<PlantedBug> &info) {
  return info.param.name;
}

class Foreign : public ::testing::TestWithParam<ForeignKernel> {};

TEST_P(Foreign, RunsRightAndClean) {
  for (uint64_t seed = 0; seed < numSeeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Device device(GetParam().file, GetParam().name, seed);
    GetParam().check(device);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Foreign,
                         ::testing::ValuesIn(sorted(foreignKernels())), testOf);

class Planted : public ::testing::TestWithParam<PlantedBug> {};

TEST_P(Planted, IsFoundAndTheTwinIsClean) {
  const PlantedBug &bug = GetParam();
  for (uint64_t seed = 0; seed < numSeeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Device device(bug.file, bug.name, seed);
    std::vector<Finding> findings = bug.run(device).findings;
    EXPECT_FALSE(findings.empty());
    for (const Finding &finding : findings) {
      EXPECT_EQ(std::count(bug.kinds.begin(), bug.kinds.end(), finding.kind), 1)
          << finding.str();
      EXPECT_EQ(finding.kernel, bug.name);
      EXPECT_GT(finding.line, 0u);
    }
    Device twin(bug.file, std::string(bug.name) + "_fixed", seed);
    LaunchResult clean = bug.run(twin);
    EXPECT_TRUE(clean.completed);
    for (const Finding &finding : clean.findings)
      ADD_FAILURE() << finding.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Bugs, Planted,
                         ::testing::ValuesIn(sorted(plantedBugs())), nameOf);

/// The lines of docs/ptxsim-kernels.md that stand for registered kernels.
std::vector<std::string> rows() {
  std::vector<std::string> lines;
  for (const ForeignKernel &kernel : sorted(foreignKernels()))
    lines.push_back("| `" + std::string(kernel.name) + "` | " + kernel.file +
                    " | " + foreignModule(kernel.file).target() + " | " +
                    kernel.exercises + " |");
  for (const PlantedBug &bug : sorted(plantedBugs())) {
    std::string kinds;
    for (FindingKind kind : bug.kinds)
      kinds += (kinds.empty() ? "" : ", ") + std::string(findingKindName(kind));
    lines.push_back("| `" + std::string(bug.name) + "` | " + bug.file + " | " +
                    bug.fault + " | " + kinds + " |");
  }
  return lines;
}

TEST(ForeignList, ThePageListsEveryKernel) {
  std::vector<std::string> expected = rows(), listed;
  std::string all;
  for (const std::string &row : expected)
    all += row + "\n";
  std::cout << all;
  std::istringstream page(readFile(GOAT_SOURCE "/docs/ptxsim-kernels.md"));
  for (std::string line; std::getline(page, line);)
    if (line.rfind("| `", 0) == 0)
      listed.push_back(line);
  EXPECT_EQ(listed, expected) << "the rows of docs/ptxsim-kernels.md must be\n"
                              << all;
}

TEST(ForeignList, EveryKernelOfEveryFileIsRun) {
  EXPECT_GE(foreignKernels().size(), 40u);
  std::map<std::string, std::vector<std::string>> run;
  for (const ForeignKernel &kernel : foreignKernels())
    run[kernel.file].push_back(kernel.name);
  for (const PlantedBug &bug : plantedBugs()) {
    run[bug.file].push_back(bug.name);
    run[bug.file].push_back(std::string(bug.name) + "_fixed");
  }
  for (const char *folder : {"cuda", "triton"})
    for (const auto &entry : std::filesystem::directory_iterator(
             std::string(GOAT_PTXSIM_INPUTS "/") + folder))
      if (entry.path().extension() == ".ptx")
        EXPECT_EQ(
            run.count(std::string(folder) + "/" + entry.path().stem().string()),
            1u)
            << entry.path();
  for (auto &[file, names] : run) {
    std::vector<std::string> declared;
    for (const KernelInfo &kernel : foreignModule(file).kernels())
      declared.push_back(kernel.name);
    std::sort(declared.begin(), declared.end());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, declared) << file;
  }
}

} // namespace
} // namespace goat::ptxsim::test
