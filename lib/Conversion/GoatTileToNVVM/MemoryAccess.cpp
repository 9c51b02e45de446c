//===- MemoryAccess.cpp - predicated loads and stores ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace goat::tile;

/// A vector of elements, or the one element.
static Value gather(ScalarEmitter &emitter, ValueRange values) {
  if (values.size() == 1)
    return values[0];
  OpBuilder &builder = emitter.getBuilder();
  auto type = VectorType::get({static_cast<int64_t>(values.size())},
                              values[0].getType());
  Value vector = LLVM::PoisonOp::create(builder, emitter.getLoc(), type);
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(builder, emitter.getLoc(), vector,
                                           value, emitter.i32(i));
  return vector;
}

/// The elements of `gather`.
static SmallVector<Value> scatter(ScalarEmitter &emitter, Value vector,
                                  unsigned count) {
  if (count == 1)
    return {vector};
  SmallVector<Value> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractElementOp::create(
        emitter.getBuilder(), emitter.getLoc(), vector, emitter.i32(i)));
  return values;
}

Value goat::tile::packPair(ScalarEmitter &emitter, Value low, Value high) {
  // LLVM selects one packed conversion when both halves are truncated floats.
  return emitter.bitcast(gather(emitter, {low, high}),
                         emitter.getBuilder().getI32Type());
}

namespace {

/// How elements travel through the registers of inline PTX.
struct Words {
  unsigned count;       // registers
  unsigned bits;        // of each
  unsigned elements;    // in each
  StringRef constraint; // of LLVM's inline assembly
  Type type;            // an integer of `bits` bits
  bool bytes = false;   // 8-bit elements travel in 16-bit registers
};

} // namespace

static Words getWords(OpBuilder &builder, Type elementType, unsigned count) {
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (bits == 8)
    return {count, 8, 1, "h", builder.getI16Type(), true};
  if (bits == 16 && count % 2 == 0)
    return {count / 2, 32, 2, "r", builder.getI32Type()};
  if (bits == 16)
    return {count, 16, 1, "h", builder.getI16Type()};
  if (bits == 32)
    return {count, 32, 1, "r", builder.getI32Type()};
  return {count, 64, 1, "l", builder.getI64Type()};
}

/// ".v2" and the like.
static std::string vectorSuffix(unsigned count) {
  return count == 1 ? "" : ".v" + std::to_string(count);
}

/// "{$0, $1}" or "$0", of `count` operands from `first`.
static std::string operandList(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? text : "{" + text + "}";
}

static bool isShared(Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 3;
}

static std::string spaceName(Value pointer) {
  return isShared(pointer) ? ".shared" : ".global";
}

/// An address as an operand of inline PTX. Those of shared memory are 32 bits
/// wide whatever the width of LLVM's pointers.
static std::pair<Value, StringRef> addressOperand(ScalarEmitter &emitter,
                                                  Value pointer) {
  if (!isShared(pointer))
    return {pointer, "l"};
  OpBuilder &builder = emitter.getBuilder();
  return {LLVM::PtrToIntOp::create(builder, emitter.getLoc(),
                                   builder.getI32Type(), pointer),
          "r"};
}

/// "[$n+16]", with the constant part of an address in bytes.
static std::string addressText(unsigned operand, ElementAddress address) {
  int64_t bytes =
      address.offset * address.elementType.getIntOrFloatBitWidth() / 8;
  std::string text = "[$" + std::to_string(operand);
  if (bytes)
    text += (bytes < 0 ? "" : "+") + std::to_string(bytes);
  return text + "]";
}

static std::string typeSuffix(const Words &words) {
  return words.bytes ? ".u8" : ".b" + std::to_string(words.bits);
}

SmallVector<Value> goat::tile::loadElements(ScalarEmitter &emitter,
                                            ElementAddress address,
                                            unsigned count, Value condition) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  if (alwaysHolds(condition)) {
    Value pointer = emitter.elementPointer(address.pointer, address.elementType,
                                           emitter.i32(address.offset));
    Type type = address.elementType;
    if (count > 1)
      type = VectorType::get({count}, type);
    unsigned bytes = count * address.elementType.getIntOrFloatBitWidth() / 8;
    Value loaded = LLVM::LoadOp::create(builder, loc, type, pointer, bytes);
    return scatter(emitter, loaded, count);
  }

  Words words = getWords(builder, address.elementType, count);
  std::string text, constraints;
  for (unsigned i = 0; i < words.count; ++i) {
    text += "mov.b" + std::to_string(words.type.getIntOrFloatBitWidth()) +
            " $" + std::to_string(i) + ", 0;\n\t";
    // The zero is written before the address is read.
    constraints += "=&" + words.constraint.str() + ",";
  }
  text += "@$" + std::to_string(words.count + 1) + " ld" +
          spaceName(address.pointer) + vectorSuffix(words.count) +
          typeSuffix(words) + " " + operandList(0, words.count) + ", " +
          addressText(words.count, address) + ";";
  auto [pointer, constraint] = addressOperand(emitter, address.pointer);
  constraints += constraint.str() + ",b,~{memory}";
  Type resultType = words.type;
  if (words.count > 1)
    resultType = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), SmallVector<Type>(words.count, words.type));
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, resultType, ValueRange{pointer, condition}, text,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> elements;
  for (unsigned i = 0; i < words.count; ++i) {
    Value word = assembly.getRes();
    if (words.count > 1)
      word = LLVM::ExtractValueOp::create(builder, loc, word, i);
    if (words.bytes)
      word = LLVM::TruncOp::create(builder, loc, builder.getI8Type(), word);
    Type type = address.elementType;
    if (words.elements > 1)
      type = VectorType::get({words.elements}, type);
    elements.append(
        scatter(emitter, emitter.bitcast(word, type), words.elements));
  }
  return elements;
}

void goat::tile::storeElements(ScalarEmitter &emitter, ElementAddress address,
                               ValueRange values, Value condition) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = emitter.getLoc();
  if (alwaysHolds(condition)) {
    Value pointer = emitter.elementPointer(address.pointer, address.elementType,
                                           emitter.i32(address.offset));
    unsigned bytes =
        values.size() * address.elementType.getIntOrFloatBitWidth() / 8;
    LLVM::StoreOp::create(builder, loc, gather(emitter, values), pointer,
                          bytes);
    return;
  }

  Words words = getWords(builder, address.elementType, values.size());
  auto [pointer, constraint] = addressOperand(emitter, address.pointer);
  SmallVector<Value> operands = {pointer, condition};
  std::string constraints = constraint.str() + ",b";
  for (unsigned i = 0; i < words.count; ++i) {
    Value word =
        gather(emitter, values.slice(i * words.elements, words.elements));
    if (words.bytes) {
      Type narrow =
          builder.getIntegerType(address.elementType.getIntOrFloatBitWidth());
      word = LLVM::ZExtOp::create(builder, loc, words.type,
                                  emitter.bitcast(word, narrow));
    }
    operands.push_back(emitter.bitcast(word, words.type));
    constraints += "," + words.constraint.str();
  }
  std::string text = "@$1 st" + spaceName(address.pointer) +
                     vectorSuffix(words.count) + typeSuffix(words) + " " +
                     addressText(0, address) + ", " +
                     operandList(2, words.count) + ";";
  LLVM::InlineAsmOp::create(
      builder, loc, /*res=*/Type(), operands, text, constraints + ",~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}
