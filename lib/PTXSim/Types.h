//===- Types.h - PTX scalar types and state spaces ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fundamental types and state spaces of PTX, and their spellings.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_TYPES_H
#define GOAT_LIB_PTXSIM_TYPES_H

#include <cstdint>
#include <string_view>

namespace goat::ptxsim {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
};

enum class Space : uint8_t {
  Generic,
  Register,
  Param,
  Global,
  Const,
  Shared,
  SharedCluster,
  Local,
};

/// The type spelled `name` (without the dot), or None.
Type parseType(std::string_view name);

/// Width in bits; 1 for predicates.
unsigned bitWidth(Type type);

inline bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 ||
         type == Type::S64;
}

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_TYPES_H
