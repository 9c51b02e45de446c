//===- Reference.h - goat ops evaluated from their formulas -----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slow, plain answer: a function with goat ops evaluated in double
// precision, straight from the formulas of docs/spec.md. It shares nothing with
// the compiler, so that agreement of the two means something.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_REFERENCE_REFERENCE_H
#define GOAT_REFERENCE_REFERENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <vector>

namespace goat::reference {

/// A value of the evaluation: row major, rank 0 for a scalar. Floats, integers,
/// indices and i1 (0 or 1) are all held in double, which is exact for integers
/// below 2^53.
struct Tensor {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> data;
};

/// Product of the sizes; 1 for rank 0.
int64_t numElements(llvm::ArrayRef<int64_t> shape);

/// A tensor of rank 4 with axes 1 and 2 swapped: (B, L, H, D) for (B, H, L, D).
Tensor swapMiddleAxes(const Tensor &tensor);

/// `value` rounded to the nearest number of the float type, ties to even: what
/// a parameter of that type holds when it is given `value`.
double roundTo(mlir::FloatType type, double value);

/// Gives the results of a function on arguments, or emits an error.
using CallHandler = std::function<mlir::FailureOr<std::vector<Tensor>>(
    mlir::func::FuncOp, llvm::ArrayRef<Tensor>)>;

/// The results of `function` on `arguments`, one tensor per parameter.
///
/// Arguments are taken as they are: round them to the parameters' types first
/// (roundTo). Nothing is rounded after that, except by an arith.truncf of the
/// function's own, results included: the reference is the real number, as far
/// as double goes. Ops of other dialects are evaluated when they implement
/// PluginOpInterface, through the expansion they give.
///
/// The function may be a whole graph of linalg, tensor, arith and math ops with
/// calls, which `calls` evaluates when it is given; otherwise they are
/// evaluated here like the function itself.
///
/// Emits an error and fails when an argument does not fit its parameter, when
/// sizes contradict each other, when an index leaves its tensor, and at an op
/// that it does not know.
mlir::FailureOr<std::vector<Tensor>>
evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
         const CallHandler *calls = nullptr);

} // namespace goat::reference

#endif // GOAT_REFERENCE_REFERENCE_H
