//===- Types.cpp - PTX scalar types ---------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spellings and widths of the fundamental types.
//
//===----------------------------------------------------------------------===//

#include "Types.h"

namespace goat::ptxsim {

namespace {
struct TypeRow {
  std::string_view name;
  Type type;
  unsigned bits;
};
constexpr TypeRow typeRows[] = {
    {"pred", Type::Pred, 1},  {"b8", Type::B8, 8},
    {"b16", Type::B16, 16},   {"b32", Type::B32, 32},
    {"b64", Type::B64, 64},   {"b128", Type::B128, 128},
    {"u8", Type::U8, 8},      {"u16", Type::U16, 16},
    {"u32", Type::U32, 32},   {"u64", Type::U64, 64},
    {"s8", Type::S8, 8},      {"s16", Type::S16, 16},
    {"s32", Type::S32, 32},   {"s64", Type::S64, 64},
    {"f16", Type::F16, 16},   {"f16x2", Type::F16x2, 32},
    {"bf16", Type::BF16, 16}, {"bf16x2", Type::BF16x2, 32},
    {"tf32", Type::TF32, 32}, {"f32", Type::F32, 32},
    {"f64", Type::F64, 64},
};
} // namespace

Type parseType(std::string_view name) {
  for (const TypeRow &row : typeRows)
    if (row.name == name)
      return row.type;
  return Type::None;
}

unsigned bitWidth(Type type) {
  for (const TypeRow &row : typeRows)
    if (row.type == type)
      return row.bits;
  return 0;
}

} // namespace goat::ptxsim
