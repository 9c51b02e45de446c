//===- Expansion.h - pieces of plug-ins' expansions -------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several expansions are made of. Values are scalars, or rows of them.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_DIALECT_GOAT_IR_EXPANSION_H
#define GOAT_LIB_DIALECT_GOAT_IR_EXPANSION_H

#include "mlir/IR/Builders.h"

namespace goat::expansion {

/// A number of an f32, or of every f32 of a row, as `type` says.
mlir::Value number(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Type type, double value);

/// The number as f32.
mlir::Value constantF32(mlir::OpBuilder &builder, mlir::Location loc,
                        float value);

/// An index, or an i32, as f32.
mlir::Value indexToF32(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value index);

/// cos x and sin x for x = ω·δ, of f32 or rows of them. The product is kept in
/// two floats and reduced by multiples of 2π held in two floats (error below
/// 3e-7 for |x| < 4e5), because the hardware's approximations promise an
/// absolute error near 5e-7 on [−π, π] and nothing far outside.
std::pair<mlir::Value, mlir::Value> cosSinOfProduct(mlir::OpBuilder &builder,
                                                    mlir::Location loc,
                                                    mlir::Value omega,
                                                    mlir::Value delta);

} // namespace goat::expansion

#endif // GOAT_LIB_DIALECT_GOAT_IR_EXPANSION_H
