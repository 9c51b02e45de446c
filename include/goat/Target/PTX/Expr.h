//===- Expr.h - integer expressions of a problem's sizes --------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids, shapes and memory sizes in kernel.json are expressions of the inputs'
// dimensions. This is their value type, evaluator and JSON form:
//
//   expr = integer | {"dim": [input, axis]} | {"op": OP, "args": [expr, ...]}
//   OP   = + * min max            two arguments or more
//        | - ceildiv floordiv mod exactly two; a divisor must be positive
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_EXPR_H
#define GOAT_TARGET_PTX_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class AffineExpr;
} // namespace mlir

namespace goat::ptx {

/// Axis `axis` of input `input`.
struct DimRef {
  int64_t input = 0;
  int64_t axis = 0;
  bool operator==(const DimRef &other) const {
    return input == other.input && axis == other.axis;
  }
};

class Expr {
public:
  enum class Kind {
    Constant,
    Dim,
    Add,
    Subtract,
    Multiply,
    CeilDiv,
    FloorDiv,
    Mod,
    Min,
    Max
  };

  /// The size of a dimension, or why it has none.
  using Sizes = llvm::function_ref<llvm::Expected<int64_t>(DimRef)>;

  Expr(int64_t value = 0) : value(value) {}
  Expr(DimRef dim) : kind(Kind::Dim), dimension(dim) {}
  Expr(Kind kind, std::vector<Expr> arguments)
      : kind(kind), arguments(std::move(arguments)) {}

  /// The expression without `dims` (s0 stands for symbols[0], …). AffineExpr
  /// has no minus: a − b arrives as a + b·(−1).
  static Expr fromAffine(mlir::AffineExpr affine, llvm::ArrayRef<Expr> symbols);

  /// The value at `sizes`. Errors: overflow of 64 bits, a divisor that is not
  /// positive, a size that is not there. floordiv rounds down and ceildiv up
  /// whatever the signs; mod is never negative.
  llvm::Expected<int64_t> evaluate(Sizes sizes) const;

  /// The value of an expression without dimensions that evaluates.
  std::optional<int64_t> asConstant() const;

  /// The expression in usual notation; `name` spells a dimension.
  std::string str(llvm::function_ref<std::string(DimRef)> name) const;

  friend llvm::json::Value toJSON(const Expr &expr);
  friend bool fromJSON(const llvm::json::Value &json, Expr &expr,
                       llvm::json::Path path);

private:
  Kind kind = Kind::Constant;
  int64_t value = 0;
  DimRef dimension;
  std::vector<Expr> arguments;
};

} // namespace goat::ptx

#endif // GOAT_TARGET_PTX_EXPR_H
