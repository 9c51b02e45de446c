//===- NVVMInstructions.cpp - the NVVM ops a kernel uses ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVVMInstructions.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace goat::tile {

static SmallVector<Value, 4> unpack(OpBuilder &builder, Location loc,
                                    Value aggregate, unsigned count) {
  SmallVector<Value, 4> fields;
  for (unsigned i = 0; i < count; ++i)
    fields.push_back(LLVM::ExtractValueOp::create(builder, loc, aggregate, i));
  return fields;
}

static Value constant(OpBuilder &builder, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

Value nvvm::threadId(OpBuilder &builder, Location loc) {
  return NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
}

Value nvvm::blockId(OpBuilder &builder, Location loc, unsigned dimension) {
  Type type = builder.getI32Type();
  switch (dimension) {
  case 0:
    return NVVM::BlockIdXOp::create(builder, loc, type);
  case 1:
    return NVVM::BlockIdYOp::create(builder, loc, type);
  default:
    return NVVM::BlockIdZOp::create(builder, loc, type);
  }
}

SmallVector<Value, 4> nvvm::loadMatrix(OpBuilder &builder, Location loc,
                                       Value address, unsigned count,
                                       bool transposed) {
  MLIRContext *context = builder.getContext();
  Type type = builder.getI32Type();
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(context,
                                            SmallVector<Type>(count, type));
  Value loaded = NVVM::LdMatrixOp::create(
      builder, loc, type, address, count,
      transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltType::B16);
  if (count == 1)
    return {loaded};
  return unpack(builder, loc, loaded, count);
}

SmallVector<Value, 4> nvvm::multiplyMatrix(OpBuilder &builder, Location loc,
                                           Type elementType, ValueRange a,
                                           ValueRange b, ValueRange c) {
  NVVM::MMATypes type =
      elementType.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  // f16 fragments are pairs by the op's rules, bf16 fragments are words.
  SmallVector<Value> aWords(a), bWords(b);
  if (type == NVVM::MMATypes::f16)
    for (SmallVector<Value> *words : {&aWords, &bWords})
      for (Value &word : *words)
        word = LLVM::BitcastOp::create(builder, loc,
                                       VectorType::get({2}, elementType), word);
  auto resultType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), SmallVector<Type>(4, builder.getF32Type()));
  Value result = NVVM::MmaOp::create(
      builder, loc, resultType, aWords, bWords, c, ArrayRef<int64_t>{16, 8, 16},
      std::nullopt, std::nullopt, std::array{type, type},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  return unpack(builder, loc, result, 4);
}

static SmallVector<Value, 4> multiplyM16N8K8(OpBuilder &builder, Location loc,
                                             NVVM::MMATypes type, ValueRange a,
                                             ValueRange b, ValueRange c) {
  auto resultType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), SmallVector<Type>(4, builder.getF32Type()));
  Value result = NVVM::MmaOp::create(
      builder, loc, resultType, a, b, c, ArrayRef<int64_t>{16, 8, 8},
      std::nullopt, std::nullopt, std::array{type, type},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  return unpack(builder, loc, result, 4);
}

SmallVector<Value, 4> nvvm::multiplyNarrow(OpBuilder &builder, Location loc,
                                           ValueRange a, Value b,
                                           ValueRange c) {
  return multiplyM16N8K8(builder, loc, NVVM::MMATypes::bf16, a, b, c);
}

SmallVector<Value, 4> nvvm::multiplyTF32(OpBuilder &builder, Location loc,
                                         ValueRange a, ValueRange b,
                                         ValueRange c) {
  return multiplyM16N8K8(builder, loc, NVVM::MMATypes::tf32, a, b, c);
}

Value nvvm::roundToTF32(OpBuilder &builder, Location loc, Value value) {
  if (!value.getType().isF32())
    value = LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), value);
  return NVVM::ConvertFloatToTF32Op::create(builder, loc, builder.getI32Type(),
                                            value, NVVM::FPRoundingMode::RNA);
}

Value nvvm::shuffleXor(OpBuilder &builder, Location loc, Value value,
                       unsigned laneMask) {
  return NVVM::ShflOp::create(builder, loc, value.getType(),
                              constant(builder, loc, -1), value,
                              constant(builder, loc, laneMask),
                              constant(builder, loc, 31), NVVM::ShflKind::bfly,
                              /*return_value_and_is_valid=*/UnitAttr());
}

Value nvvm::shuffleFromQuad(OpBuilder &builder, Location loc, Value value,
                            unsigned lane) {
  // The upper byte keeps the two low bits of the lane free: groups of four.
  constexpr int32_t groupsOfFour = 0x1c1f;
  return NVVM::ShflOp::create(
      builder, loc, value.getType(), constant(builder, loc, -1), value,
      constant(builder, loc, lane), constant(builder, loc, groupsOfFour),
      NVVM::ShflKind::idx,
      /*return_value_and_is_valid=*/UnitAttr());
}

Value nvvm::voteAny(OpBuilder &builder, Location loc, Value condition) {
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(),
                                  constant(builder, loc, -1), condition,
                                  NVVM::VoteSyncKind::any);
}

void nvvm::copyAsync(OpBuilder &builder, Location loc, Value shared,
                     Value global, unsigned bytes, Value sourceBytes,
                     Value condition) {
  const bool isWide = bytes == 16;
  if (!condition) {
    NVVM::CpAsyncOp::create(builder, loc, shared, global, bytes,
                            isWide ? NVVM::LoadCacheModifierKind::CG
                                   : NVVM::LoadCacheModifierKind::CA,
                            sourceBytes);
    return;
  }
  Value address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), shared);
  std::string code = ("@$3 cp.async." + Twine(isWide ? "cg" : "ca") +
                      ".shared.global [$0], [$1], " + Twine(bytes) + ", $2;")
                         .str();
  LLVM::InlineAsmOp::create(
      builder, loc, /*res=*/TypeRange(),
      ValueRange{address, global, sourceBytes, condition}, code,
      "r,l,r,b,~{memory}", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

void nvvm::commitGroup(OpBuilder &builder, Location loc) {
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
}

void nvvm::waitGroup(OpBuilder &builder, Location loc, unsigned pending) {
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, pending);
}

void nvvm::barrier(OpBuilder &builder, Location loc) {
  NVVM::Barrier0Op::create(builder, loc);
}

} // namespace goat::tile
