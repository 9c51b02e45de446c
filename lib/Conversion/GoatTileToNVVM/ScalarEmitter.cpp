//===- ScalarEmitter.cpp - scalar code of one thread ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarEmitter.h"

#include "NVVMInstructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

bool goat::tile::alwaysHolds(Value condition) {
  return !condition || getConstant(condition).value_or(0) != 0;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScalarEmitter::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

Value ScalarEmitter::add(Value a, Value b) {
  if (std::optional<int64_t> constant = getConstant(b))
    return add(a, *constant);
  if (std::optional<int64_t> constant = getConstant(a))
    return add(b, *constant);
  return arith::AddIOp::create(builder, loc, a, b);
}

Value ScalarEmitter::add(Value a, int64_t b) {
  if (b == 0)
    return a;
  if (std::optional<int64_t> known = getConstant(a))
    return constant(a.getType(), *known + b);
  return arith::AddIOp::create(builder, loc, a, constant(a.getType(), b));
}

Value ScalarEmitter::mul(Value a, Value b) {
  if (std::optional<int64_t> constant = getConstant(b))
    return mul(a, *constant);
  if (std::optional<int64_t> constant = getConstant(a))
    return mul(b, *constant);
  return arith::MulIOp::create(builder, loc, a, b);
}

Value ScalarEmitter::mul(Value a, int64_t b) {
  if (b == 1)
    return a;
  if (std::optional<int64_t> known = getConstant(a))
    return constant(a.getType(), *known * b);
  return arith::MulIOp::create(builder, loc, a, constant(a.getType(), b));
}

Value ScalarEmitter::sub(Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b);
}

Value ScalarEmitter::bitAnd(Value a, int64_t mask) {
  return arith::AndIOp::create(builder, loc, a, constant(a.getType(), mask));
}

Value ScalarEmitter::bitXor(Value a, Value b) {
  return arith::XOrIOp::create(builder, loc, a, b);
}

Value ScalarEmitter::shiftRight(Value a, int64_t count) {
  if (count == 0)
    return a;
  return arith::ShRUIOp::create(builder, loc, a, constant(a.getType(), count));
}

Value ScalarEmitter::divide(Value a, int64_t divisor) {
  if (llvm::isPowerOf2_64(divisor))
    return shiftRight(a, llvm::Log2_64(divisor));
  return arith::DivUIOp::create(builder, loc, a,
                                constant(a.getType(), divisor));
}

Value ScalarEmitter::remainder(Value a, int64_t divisor) {
  if (llvm::isPowerOf2_64(divisor))
    return bitAnd(a, divisor - 1);
  return arith::RemUIOp::create(builder, loc, a,
                                constant(a.getType(), divisor));
}

Value ScalarEmitter::less(Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
}

Value ScalarEmitter::equal(Value a, int64_t b) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a,
                               constant(a.getType(), b));
}

Value ScalarEmitter::both(Value a, Value b) {
  if (alwaysHolds(a))
    return b;
  if (alwaysHolds(b))
    return a;
  return arith::AndIOp::create(builder, loc, a, b);
}

Value ScalarEmitter::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value ScalarEmitter::bitcast(Value a, Type type) {
  if (a.getType() == type)
    return a;
  return LLVM::BitcastOp::create(builder, loc, type, a);
}

Value ScalarEmitter::extend(Value a) {
  Type i64 = builder.getI64Type();
  if (a.getType() == i64)
    return a;
  if (std::optional<int64_t> known = getConstant(a))
    return constant(i64, *known);
  return arith::ExtSIOp::create(builder, loc, i64, a);
}

//===----------------------------------------------------------------------===//
// The thread's place in a layout
//===----------------------------------------------------------------------===//

/// What bit `bit` of the thread index adds to the coordinate along `dim`.
static int32_t threadBasis(const layout::TileLayout &layout, unsigned dim,
                           unsigned bit) {
  constexpr unsigned laneBits = layout::TileLayout::laneBits;
  return bit < laneBits ? layout.laneBasis(bit)[dim]
                        : layout.warpBasis(bit - laneBits)[dim];
}

static unsigned numThreadBits(const layout::TileLayout &layout) {
  return llvm::Log2_32(layout.numLanes() * layout.numWarps());
}

Value ScalarEmitter::threadId() { return nvvm::threadId(builder, loc); }

Value ScalarEmitter::threadBase(const layout::TileLayout &layout,
                                unsigned dim) {
  Value thread, base;
  unsigned numBits = numThreadBits(layout);
  for (unsigned bit = 0, end; bit < numBits; bit = end) {
    int32_t step = threadBasis(layout, dim, bit);
    end = bit + 1;
    if (step == 0)
      continue;
    // Bits that move by doubling steps are one field of the index.
    while (end < numBits && llvm::isPowerOf2_32(step) &&
           threadBasis(layout, dim, end) == step << (end - bit))
      ++end;
    if (!thread)
      thread = threadId();
    Value field = shiftRight(thread, bit);
    if (end < numBits)
      field = bitAnd(field, (1 << (end - bit)) - 1);
    field = mul(field, step);
    base = base ? bitXor(base, field) : field;
  }
  return base ? base : i32(0);
}

Value ScalarEmitter::isFirstHolder(const layout::TileLayout &layout) {
  int64_t redundant = 0;
  for (unsigned bit = 0, end = numThreadBits(layout); bit < end; ++bit) {
    bool moves = false;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      moves |= threadBasis(layout, dim, bit) != 0;
    if (!moves)
      redundant |= int64_t(1) << bit;
  }
  if (!redundant)
    return {};
  return equal(bitAnd(threadId(), redundant), 0);
}

Value ScalarEmitter::isInRange(const layout::TileLayout &vector, unsigned reg,
                               Value base) {
  if (vector.isAlwaysInRange(reg))
    return {};
  int32_t room = vector.shape()[0] - vector.registerOffset(reg)[0];
  return less(base, i32(room));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value ScalarEmitter::swizzledOffset(const layout::SwizzledTile &tile, Value row,
                                    Value colByte) {
  layout::Swizzle swizzle = tile.swizzle();
  int32_t panelBytes = tile.panelBytes();
  Value inside = colByte, panel;
  if (tile.rowBytes() != panelBytes) {
    inside = remainder(colByte, panelBytes);
    panel = mul(divide(colByte, panelBytes), tile.rows() * panelBytes);
  }
  Value linear = add(mul(row, panelBytes), inside);
  Value offset = linear;
  if (swizzle.bits) {
    int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << swizzle.base;
    offset = bitXor(linear, bitAnd(shiftRight(linear, swizzle.shift), mask));
  }
  return panel ? add(offset, panel) : offset;
}

std::pair<Value, int64_t> ScalarEmitter::splitConstant(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return {value, 0};
  if (std::optional<int64_t> constant = getConstant(sum.getRhs())) {
    auto [rest, offset] = splitConstant(sum.getLhs());
    return {rest, offset + *constant};
  }
  auto [left, leftOffset] = splitConstant(sum.getLhs());
  auto [right, rightOffset] = splitConstant(sum.getRhs());
  if (leftOffset + rightOffset == 0)
    return {value, 0};
  return {add(left, right), leftOffset + rightOffset};
}

Value ScalarEmitter::sharedPointer(Value address) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  auto [rest, offset] = splitConstant(address);
  return elementPointer(LLVM::IntToPtrOp::create(builder, loc, type, rest),
                        builder.getI8Type(), i32(offset));
}

Value ScalarEmitter::elementPointer(Value pointer, Type elementType,
                                    Value offset) {
  SmallVector<LLVM::GEPArg> index;
  std::optional<int64_t> known = getConstant(offset);
  if (known == 0)
    return pointer;
  if (known && llvm::isInt<29>(*known))
    index.push_back(static_cast<int32_t>(*known));
  else
    index.push_back(offset);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), elementType,
                             pointer, index);
}
