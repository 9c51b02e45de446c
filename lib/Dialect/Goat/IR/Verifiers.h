//===- Verifiers.h - what several verifiers of goat ops share ---*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_DIALECT_GOAT_IR_VERIFIERS_H
#define GOAT_LIB_DIALECT_GOAT_IR_VERIFIERS_H

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include <string>

namespace goat {

/// Two static or dynamic sizes that do not contradict each other.
inline bool agree(int64_t a, int64_t b) {
  return mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b) ||
         a == b;
}

inline std::string sizeText(int64_t size) {
  return mlir::ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

/// That `op` stands inside a region of goat.attention; `constraint` is "C1",
/// `read` what it reads of the attention.
mlir::LogicalResult verifyInsideAttention(mlir::Operation *op,
                                          llvm::StringRef constraint,
                                          llvm::StringRef read = "offsets");

/// (C1) of every op on rows.
mlir::LogicalResult verifyRowSize(mlir::Operation *op, mlir::Type type);

} // namespace goat

#endif // GOAT_LIB_DIALECT_GOAT_IR_VERIFIERS_H
