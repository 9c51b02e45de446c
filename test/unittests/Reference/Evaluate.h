//===- Evaluate.h - running MLIR text through the reference -----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses text, evaluates its first function and keeps the diagnostics, for the
// tests of the reference.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_REFERENCE_EVALUATE_H
#define GOAT_TEST_UNITTESTS_REFERENCE_EVALUATE_H

#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Reference/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

namespace goat::test {

class Evaluator {
public:
  Evaluator() {
    context.loadDialect<GoatDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::tensor::TensorDialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return mlir::success();
    });
  }

  /// Results of the first function of `text`; none after an error, whose text
  /// is then in `messages`.
  std::vector<reference::Tensor>
  evaluate(llvm::StringRef text, llvm::ArrayRef<reference::Tensor> arguments) {
    messages.clear();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return {};
    auto results = reference::evaluate(
        *module->getOps<mlir::func::FuncOp>().begin(), arguments);
    return mlir::failed(results) ? std::vector<reference::Tensor>()
                                 : std::move(*results);
  }

  mlir::MLIRContext context;
  std::string messages;
};

} // namespace goat::test

#endif // GOAT_TEST_UNITTESTS_REFERENCE_EVALUATE_H
