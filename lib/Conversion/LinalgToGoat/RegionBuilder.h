//===- RegionBuilder.h - expressions as regions of an attention -*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_CONVERSION_LINALGTOGOAT_REGIONBUILDER_H
#define LIB_CONVERSION_LINALGTOGOAT_REGIONBUILDER_H

#include "Element.h"

#include "mlir/IR/Builders.h"

namespace goat::raise {

/// Says an expression in ops, in f32 whatever its floating-point types were.
class RegionBuilder {
public:
  RegionBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// What a node, or a variable, is called here.
  void bind(const Element *element, mlir::Value value) {
    values[element] = value;
  }
  void bindVariable(unsigned variable, mlir::Value value) {
    variables[variable] = value;
  }
  /// Makes expressions of `column` rows of `width` elements: element-wise ops
  /// on a tensor, and reductions over the column goat.row_sum and goat.row_max.
  void setRow(ElementGraph &elements, unsigned column, int64_t width) {
    graph = &elements;
    rowVariable = column;
    rowWidth = width;
  }

  /// Lets expressions hold sums beside the product of query and key. A short
  /// one of both is computed anew for each pair; others are read from where the
  /// graph has them.
  void setPair(ElementGraph &elements, unsigned query, unsigned key) {
    sums = &elements;
    queryVariable = query;
    keyVariable = key;
  }

  /// Null, with an error text, when something has no place in a region.
  mlir::Value build(const Element *element);
  /// As `build`; what does not depend on the column becomes a row of copies.
  mlir::Value buildRow(const Element *element);
  llvm::StringRef getProblem() const { return problem; }

private:
  mlir::Value buildIndex(mlir::AffineExpr expression);
  mlir::Value buildOperation(const Element *element);
  mlir::Value buildLoad(const Element *element);
  mlir::Value buildReduction(const Element *element);
  mlir::Value buildSum(const Element *element);
  mlir::Value widened(mlir::Value value);
  bool isRow(const Element *element) const {
    return graph && element->dependsOn(rowVariable);
  }
  mlir::Value fail(const llvm::Twine &message) {
    if (problem.empty())
      problem = message.str();
    return {};
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::DenseMap<const Element *, mlir::Value> values;
  llvm::DenseMap<unsigned, mlir::Value> variables;
  ElementGraph *sums = nullptr;
  unsigned queryVariable = 0, keyVariable = 0;
  ElementGraph *graph = nullptr;
  unsigned rowVariable = 0;
  int64_t rowWidth = 0;
  std::string problem;
};

} // namespace goat::raise

#endif // LIB_CONVERSION_LINALGTOGOAT_REGIONBUILDER_H
