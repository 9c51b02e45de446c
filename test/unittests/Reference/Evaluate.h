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
#include "gtest/gtest.h"

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

/// Types of a layer with one batch entry, one head, queries of two lanes.
inline const char *const aliases = R"(
!q = tensor<1x1x2x2xf32>
!k = tensor<1x1x3x2xf32>
!lse = tensor<1x1x2xf32>
!row = tensor<2xf32>
)";

/// A layer of two queries and three keys; `operands` goes before the regions,
/// `rest` holds regions and attributes.
inline std::string layer(const std::string &rest,
                         const std::string &operands = "",
                         const std::string &parameters = "") {
  return std::string(aliases) + "func.func @f(%q: !q, %k: !k, %v: !k" +
         parameters + ") -> (!q, !lse) {\n  %out, %lse = goat.attention " +
         "%q, %k, %v " + operands + " " + rest +
         " : (!q, !k, !k) -> (!q, !lse)\n  return %out, %lse : !q, !lse\n}";
}

/// q = 0, so that all keys weigh the same; values (1, 0), (0, 1), (3, 3).
inline std::vector<reference::Tensor> plainArguments() {
  return {{{1, 1, 2, 2}, {0, 0, 0, 0}},
          {{1, 1, 3, 2}, {1, 0, 0, 1, 1, 1}},
          {{1, 1, 3, 2}, {1, 0, 0, 1, 3, 3}}};
}

/// The error of a layer that is refused.
inline std::string refuse(const std::string &text,
                          const std::vector<reference::Tensor> &arguments) {
  Evaluator evaluator;
  EXPECT_TRUE(evaluator.evaluate(text, arguments).empty());
  return evaluator.messages;
}

} // namespace goat::test

#endif // GOAT_TEST_UNITTESTS_REFERENCE_EVALUATE_H
