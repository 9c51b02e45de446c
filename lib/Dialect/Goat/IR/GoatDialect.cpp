//===- GoatDialect.cpp - registration of the goat dialect -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers ops and attributes, and writes the dialect's version into
// bytecode so that a reader can refuse what it does not understand.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace goat;

#include "goat/Dialect/Goat/IR/GoatDialect.cpp.inc"
#include "goat/Dialect/Goat/IR/GoatEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "goat/Dialect/Goat/IR/GoatAttributes.cpp.inc"

namespace {

/// The dialect's version as bytecode carries it.
struct GoatVersion : public DialectVersion {
  explicit GoatVersion(int64_t number) : number(number) {}
  int64_t number;
};

struct GoatBytecode : public BytecodeDialectInterface {
  explicit GoatBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(GoatDialect::bytecodeVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (static_cast<int64_t>(number) > GoatDialect::bytecodeVersion) {
      reader.emitError("expected goat dialect version ")
          << GoatDialect::bytecodeVersion << " or older but got " << number
          << "; read this file with a newer goat";
      return nullptr;
    }
    return std::make_unique<GoatVersion>(static_cast<int64_t>(number));
  }
};

} // namespace

void GoatDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "goat/Dialect/Goat/IR/GoatAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "goat/Dialect/Goat/IR/GoatOps.cpp.inc"
      >();
  addInterfaces<GoatBytecode>();
}
