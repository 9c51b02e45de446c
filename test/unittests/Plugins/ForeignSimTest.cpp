//===- ForeignSimTest.cpp - plug-ins from outside, compiled ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Foreign ops all the way to PTX, run by the simulator.
//
//===----------------------------------------------------------------------===//

#include "ForeignCases.h"
#include "ForeignDialect.h"

#include "goat/Driver/Compiler.h"
#include "goat/Driver/Registration.h"
#include "goat/Runtime/Comparison.h"
#include "goat/Runtime/Runner.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace goat;
using namespace mlir;

/// Compiles the case's text and runs it on inputs rounded to their types.
static void runOnSimulator(MLIRContext &context, const cases::Case &test) {
  auto module = parseSourceString<ModuleOp>(test.text, &context);
  ASSERT_TRUE(module);
  auto chip = ptx::findChip("sm_90");
  ASSERT_TRUE(static_cast<bool>(chip));
  FailureOr<std::vector<ptx::Artifact>> artifacts =
      compileToArtifacts(*module, *chip, GoatToPTXOptions());
  ASSERT_TRUE(succeeded(artifacts));
  ASSERT_EQ(artifacts->size(), 1u);
  const ptx::Artifact &artifact = artifacts->front();

  std::vector<runtime::Tensor> inputs = test.arguments;
  for (auto [tensor, input] : llvm::zip_equal(inputs, artifact.kernel.inputs))
    for (double &value : tensor.data)
      value = runtime::roundTo(input.dtype, value);
  std::unique_ptr<runtime::Runner> runner =
      runtime::createSimRunner(artifact, runtime::SimOptions());
  llvm::Expected<runtime::RunResult> result =
      runner->run(inputs, [](uint64_t, uint64_t) {});
  if (!result)
    FAIL() << llvm::toString(result.takeError());
  EXPECT_TRUE(result->findings.empty()) << result->findings.front();
  ASSERT_EQ(result->outputs.size(), 1u);
  ASSERT_EQ(result->outputs[0].shape, test.expected[0].shape);
  const std::vector<double> magnitudes(test.expected[0].data.size() / 8, 8.0);
  runtime::Comparison comparison = runtime::compare(
      result->outputs[0], test.expected[0],
      runtime::boundsOf(test.expected[0], {runtime::DType::BF16}, magnitudes));
  EXPECT_TRUE(comparison.isWithin)
      << "relative L2 error " << comparison.relativeL2 << ", row off by "
      << comparison.worstRowError;
}

TEST(Foreign, Simulator) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<foreign::ForeignDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  for (const cases::Case &test : cases::foreignCases()) {
    SCOPED_TRACE(test.name);
    runOnSimulator(context, test);
  }
}
