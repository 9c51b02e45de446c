//===- SimulatedCasesTest.cpp - known answers on the simulated PTX --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case of Cases.h that the compiler takes: compiled to PTX, executed in
// the simulator under more than one order of warps and blocks, and held to the
// case's own answers. Nothing here asks the reference.
//
//===----------------------------------------------------------------------===//

#include "../Cases/Cases.h"
#include "../Tolerances.h"

#include "goat/Driver/Compiler.h"
#include "goat/Driver/Registration.h"
#include "goat/Runtime/Runner.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using goat::cases::Case;
using goat::cases::Variant;
using goat::reference::Tensor;

namespace {

/// Compiles text and runs it; keeps what was said on the way.
class Simulation {
public:
  explicit Simulation(StringRef name)
      : chip(llvm::cantFail(ptx::findChip(name))) {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return success();
    });
  }

  /// f32 in small tiles, as the simulator executes each multiply-add of rows
  /// and keys that are not there.
  std::optional<ptx::Artifact> compile(const std::string &text,
                                       StringRef f32Product = "") {
    messages.clear();
    GoatToPTXOptions options;
    if (!f32Product.empty()) {
      options.f32Product = f32Product.str();
      options.tileRows = 32;
      options.warps = 2;
      options.tileKeys = 16;
    }
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text),
                               llvm::SMLoc());
    OwningOpRef<ModuleOp> module = parseSource(sources, &context);
    if (!module)
      return std::nullopt;
    auto artifacts = compileToArtifacts(*module, chip, options);
    if (failed(artifacts) || artifacts->size() != 1)
      return std::nullopt;
    return std::move(artifacts->front());
  }

  std::string messages;

private:
  ptx::ChipDescription chip;
  MLIRContext context;
};

} // namespace

static double largest(const Tensor &tensor) {
  double result = 0.0;
  for (double value : tensor.data)
    if (std::isfinite(value))
      result = std::max(result, std::abs(value));
  return result;
}

/// Holds one result to its answer: infinities exactly, anything else to `unit`
/// times its own magnitude or `floor`, whichever is larger.
static void check(const Tensor &actual, const Tensor &expected, double unit,
                  double floor) {
  ASSERT_EQ(actual.shape, expected.shape);
  ASSERT_EQ(actual.data.size(), expected.data.size());
  for (size_t at = 0; at < actual.data.size(); ++at) {
    double answer = expected.data[at];
    if (std::isinf(answer))
      EXPECT_EQ(actual.data[at], answer) << "at " << at;
    else if (!std::isnan(answer))
      EXPECT_NEAR(actual.data[at], answer,
                  unit * std::max(std::abs(answer), floor))
          << "at " << at;
  }
}

/// How far an output and an lse may be from their answers.
struct Units {
  double output, lse = tolerances::lse;
};

static void runCase(const Case &test, const ptx::Artifact &artifact,
                    const Units &units, uint64_t seed) {
  auto runner = runtime::createSimRunner(artifact, {seed, 0});
  auto result = runner->run(test.arguments, [](uint64_t, uint64_t) {});
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->findings.empty()) << result->findings.front();
  ASSERT_EQ(result->outputs.size(), test.expected.size());
  // Where the values are not all positive a row's weights times their
  // magnitudes sum to more than the answer, but to no more than the largest of
  // them, which is 1 in those cases.
  check(result->outputs[0], test.expected[0], units.output,
        std::min(1.0, largest(test.arguments[2])));
  if (test.expected.size() > 1)
    check(result->outputs[1], test.expected[1], units.lse, 1.0);
}

static void runAll(const std::vector<Case> &cases, StringRef chip, Units units,
                   StringRef f32Product = "") {
  Simulation simulation(chip);
  for (const Case &test : cases) {
    SCOPED_TRACE(test.name);
    std::optional<ptx::Artifact> artifact =
        simulation.compile(test.text, f32Product);
    ASSERT_TRUE(artifact.has_value()) << simulation.messages;
    for (uint64_t seed : {0, 1})
      runCase(test, *artifact, units, seed);
  }
}

constexpr Units bf16{tolerances::bf16Output}, f16{tolerances::f16Output},
    f32{tolerances::f32Output},
    tf32{tolerances::tf32Output, tolerances::tf32Output};

static void runAll(const Variant &variant, StringRef chip, Units units,
                   StringRef f32Product = "") {
  runAll(cases::allCases(variant), chip, units, f32Product);
}

TEST(SimulatedCases, Operands) {
  runAll(cases::operandCases({"bf16", 64, true}), "sm_80", bf16);
  runAll(cases::operandCases({"f16", 40, false}), "sm_90", f16);
  runAll(cases::operandCases({"f32", 12, true}), "sm_80", f32, "exact");
}

TEST(SimulatedCases, Bf16) { runAll({"bf16", 64, false}, "sm_80", bf16); }
TEST(SimulatedCases, F16) { runAll({"f16", 64, false}, "sm_90", f16); }
TEST(SimulatedCases, DynamicSizes) { runAll({"f16", 64, true}, "sm_80", f16); }
TEST(SimulatedCases, NarrowHeads) { runAll({"bf16", 32, true}, "sm_90", bf16); }
TEST(SimulatedCases, WideHeads) { runAll({"f16", 128, true}, "sm_90", f16); }
TEST(SimulatedCases, PaddedHeads) { runAll({"bf16", 40, true}, "sm_80", bf16); }
TEST(SimulatedCases, F32) { runAll({"f32", 12, true}, "sm_80", f32, "exact"); }
TEST(SimulatedCases, TF32) { runAll({"f32", 36, true}, "sm_90", tf32, "tf32"); }

/// z is exactly 0 where a row is parallel to its own value.
TEST(SimulatedCases, ParallelRowIsExactlyZero) {
  Simulation simulation("sm_80");
  Case test = cases::xsaParallel({"bf16", 64, false});
  std::optional<ptx::Artifact> artifact = simulation.compile(test.text);
  ASSERT_TRUE(artifact.has_value()) << simulation.messages;
  auto result = runtime::createSimRunner(*artifact, {})
                    ->run(test.arguments, [](uint64_t, uint64_t) {});
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  for (int64_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(result->outputs[0].data[lane], 0.0) << "at " << lane;
}
