//===- RaiseTest.cpp - raising keeps what a graph means -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of the lit tests of the passes, evaluated in double precision
// as it stands, after raising, and after outlining.
//
//===----------------------------------------------------------------------===//

#include "../Tolerances.h"

#include "goat/Conversion/LinalgToGoat/LinalgToGoat.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Reference/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace goat;
using goat::reference::Tensor;

namespace {

/// Numbers a parameter of the type can have; an unknown size is 2.
Tensor randomArgument(Type type, std::mt19937 &random) {
  Tensor tensor;
  auto ranked = cast<RankedTensorType>(type);
  for (int64_t size : ranked.getShape())
    tensor.shape.push_back(ShapedType::isDynamic(size) ? 2 : size);
  for (int64_t n = reference::numElements(tensor.shape); n > 0; --n) {
    double value = std::normal_distribution<double>()(random);
    if (ranked.getElementType().isInteger(1))
      value = value > 0.0;
    tensor.data.push_back(value);
  }
  return tensor;
}

class Graphs : public testing::TestWithParam<std::string> {};

std::vector<std::string> files() {
  std::vector<std::string> found;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(GOAT_GRAPHS_DIR, error), end;
       at != end && !error; at.increment(error))
    if (llvm::sys::path::extension(at->path()) == ".mlir")
      found.push_back(llvm::sys::path::stem(at->path()).str());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::vector<Tensor>>
evaluateAll(ModuleOp module, const std::vector<std::string> &names,
            const std::vector<std::vector<Tensor>> &arguments) {
  std::vector<std::vector<Tensor>> all;
  for (auto [name, given] : llvm::zip(names, arguments)) {
    auto results =
        reference::evaluate(module.lookupSymbol<func::FuncOp>(name), given);
    EXPECT_TRUE(succeeded(results)) << name;
    all.push_back(succeeded(results) ? *results : std::vector<Tensor>());
  }
  return all;
}

void expectEqual(const std::vector<std::vector<Tensor>> &before,
                 const std::vector<std::vector<Tensor>> &after) {
  ASSERT_EQ(before.size(), after.size());
  for (auto [was, is] : llvm::zip(before, after)) {
    ASSERT_EQ(was.size(), is.size());
    for (auto [expected, got] : llvm::zip(was, is)) {
      ASSERT_EQ(expected.shape, got.shape);
      for (size_t at = 0; at < expected.data.size(); ++at)
        ASSERT_NEAR(expected.data[at], got.data[at],
                    tolerances::raisedGraph *
                        std::max(1.0, std::fabs(expected.data[at])))
            << at;
    }
  }
}

TEST_P(Graphs, KeepTheirMeaning) {
  std::string path = std::string(GOAT_GRAPHS_DIR) + "/" + GetParam() + ".mlir";
  auto text = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(static_cast<bool>(text));
  MLIRContext context;
  context.loadDialect<GoatDialect, arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
  // The remarks have tests of their own.
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      ADD_FAILURE() << diagnostic.str();
    return success();
  });
  SmallVector<StringRef> chunks;
  (*text)->getBuffer().split(chunks, "// -----\n");
  for (StringRef chunk : chunks) {
    auto module = parseSourceString<ModuleOp>(chunk, &context);
    ASSERT_TRUE(static_cast<bool>(module));
    std::mt19937 random(1);
    std::vector<std::string> names;
    std::vector<std::vector<Tensor>> arguments;
    for (func::FuncOp function : module->getOps<func::FuncOp>()) {
      names.push_back(function.getName().str());
      arguments.emplace_back();
      for (Type type : function.getArgumentTypes())
        arguments.back().push_back(randomArgument(type, random));
    }
    auto before = evaluateAll(*module, names, arguments);
    PassManager raise(&context);
    raise.addNestedPass<func::FuncOp>(createRaiseAttention());
    ASSERT_TRUE(succeeded(raise.run(*module)));
    expectEqual(before, evaluateAll(*module, names, arguments));
    PassManager outline(&context);
    outline.addPass(createOutlineAttention());
    ASSERT_TRUE(succeeded(outline.run(*module)));
    expectEqual(before, evaluateAll(*module, names, arguments));
  }
}

INSTANTIATE_TEST_SUITE_P(LinalgToGoat, Graphs, testing::ValuesIn(files()),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             if (!std::isalnum(c))
                               c = '_';
                           return name;
                         });

} // namespace
