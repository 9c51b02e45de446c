//===- ProblemsTest.cpp - the problems of test/Reference ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates each .mlir file of test/Reference on its ARGUMENT lines and
// compares with its EXPECT lines, which a script computes independently.
//
//===----------------------------------------------------------------------===//

#include "../Tolerances.h"
#include "Evaluate.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using goat::reference::Tensor;

/// The tensor that a line "// MARK name = dense<…> : type" gives.
static Tensor readTensor(StringRef line, MLIRContext &context) {
  auto attribute = dyn_cast_or_null<DenseElementsAttr>(
      parseAttribute(line.split(" = ").second, &context));
  if (!attribute) {
    ADD_FAILURE() << "expected a dense attribute in: " << line.str();
    return {};
  }
  Tensor tensor;
  llvm::append_range(tensor.shape, attribute.getType().getShape());
  if (attribute.getElementType().isInteger(32))
    for (int32_t value : attribute.getValues<int32_t>())
      tensor.data.push_back(value);
  else if (attribute.getElementType().isF32())
    for (float value : attribute.getValues<float>())
      tensor.data.push_back(value);
  else
    for (double value : attribute.getValues<double>())
      tensor.data.push_back(value);
  return tensor;
}

static void runProblem(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(static_cast<bool>(buffer));
  test::Evaluator evaluator;
  std::vector<Tensor> arguments, expected;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    if (line.starts_with("// ARGUMENT "))
      arguments.push_back(readTensor(line, evaluator.context));
    if (line.starts_with("// EXPECT "))
      expected.push_back(readTensor(line, evaluator.context));
  }

  std::vector<Tensor> results =
      evaluator.evaluate((*buffer)->getBuffer(), arguments);
  EXPECT_EQ(evaluator.messages, "");
  ASSERT_EQ(results.size(), expected.size());
  for (size_t n = 0; n < results.size(); ++n) {
    ASSERT_EQ(results[n].shape, expected[n].shape);
    for (size_t at = 0; at < results[n].data.size(); ++at) {
      if (std::isinf(expected[n].data[at]))
        EXPECT_EQ(results[n].data[at], expected[n].data[at]);
      else
        EXPECT_NEAR(results[n].data[at], expected[n].data[at],
                    tolerances::nineDecimals)
            << "result " << n << " at " << at;
    }
  }
}

TEST(Problems, All) {
  std::error_code error;
  int count = 0;
  for (llvm::sys::fs::directory_iterator file(GOAT_PROBLEMS_DIR, error), end;
       file != end && !error; file.increment(error)) {
    if (llvm::sys::path::extension(file->path()) != ".mlir")
      continue;
    SCOPED_TRACE(file->path());
    runProblem(file->path());
    ++count;
  }
  EXPECT_GE(count, 8);
}
