//===- Decode.cpp - syntax to executable instructions ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives registers their slots in order of first use, checks operand widths, and
// lets the row of each opcode read the operands.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Opcodes.h"

#include <algorithm>
#include <cstring>

namespace goat::ptxsim {

Decoder::Decoder(ModuleImpl &module, Function &function)
    : module(module), function(function),
      slots(function.syntax->registers.size(), noTarget),
      predicates(function.syntax->registers.size(), noPredicate) {}

bool Decoder::fail(const std::string &reason) {
  if (message.empty())
    message = module.name + ":" + std::to_string(syntax->line) + ":" +
              std::to_string(syntax->column) + ": " + reason + " in '" +
              std::string(syntax->opcode) + "'";
  return false;
}

bool Decoder::has(std::string_view modifier) const {
  return std::find(mods.begin(), mods.end(), modifier) != mods.end();
}

Type Decoder::type(size_t index) const {
  return index < types.size() ? types[index] : Type::None;
}

Type Decoder::registerType(const Operand &operand) const {
  return operand.kind == Operand::Register
             ? function.syntax->registers[operand.index]
             : Type::None;
}

bool Decoder::requireForm(std::string_view form) {
  std::string missing =
      explainMissing(form, module.syntax.target, module.syntax.version);
  return missing.empty() || fail(missing);
}

bool Decoder::expectOperands(size_t least, size_t most) {
  if (numOperands() >= least && numOperands() <= most)
    return true;
  std::string wanted = std::to_string(least);
  if (most != least)
    wanted += " to " + std::to_string(most);
  return fail("expected " + wanted + " operands but got " +
              std::to_string(numOperands()));
}

uint32_t Decoder::registerSlot(uint32_t index) {
  if (slots[index] == noTarget) {
    unsigned bytes = bitWidth(function.syntax->registers[index]) / 8;
    slots[index] = function.numSlots;
    function.numSlots += std::max(1u, bytes / 4);
  }
  return slots[index];
}

int32_t Decoder::predicateIndex(uint32_t index) {
  if (predicates[index] == noPredicate)
    predicates[index] = static_cast<int32_t>(function.numPredicates++);
  return predicates[index];
}

uint32_t Decoder::sinkSlot() {
  if (sink == noTarget) {
    sink = function.numSlots;
    function.numSlots += 4;
  }
  return sink;
}

uint32_t Decoder::addConstant(ConstantSlot wanted) {
  for (const ConstantSlot &known : function.constants)
    if (known.kind == wanted.kind && known.bytes == wanted.bytes &&
        known.bits == wanted.bits && known.variable == wanted.variable &&
        known.function == wanted.function && known.special == wanted.special)
      return known.slot | constantBit;
  wanted.slot = nextConstant;
  nextConstant += std::max(1u, wanted.bytes / 4u);
  function.constants.push_back(wanted);
  return wanted.slot | constantBit;
}

uint32_t Decoder::constant(uint64_t bits, unsigned bytes) {
  ConstantSlot slot;
  slot.bytes = static_cast<uint8_t>(std::max(2u, bytes));
  slot.bits = bytes >= 8 ? bits : bits & ((uint64_t(1) << 8 * bytes) - 1);
  return addConstant(slot);
}

unsigned Decoder::operandBytes(const Operand &operand) const {
  switch (operand.kind) {
  case Operand::Register:
    return std::max(2u,
                    bitWidth(function.syntax->registers[operand.index]) / 8);
  case Operand::Special:
    return operand.index == unsigned(SpecialRegister::Clock64) ||
                   operand.index == unsigned(SpecialRegister::GlobalTimer)
               ? 8
               : 4;
  default:
    return 0;
  }
}

void Decoder::noteVariable(const Variable &variable) {
  if (variable.space == Space::Param || variable.space == Space::Local)
    return;
  auto &list = function.variables;
  if (std::find(list.begin(), list.end(), &variable) == list.end())
    list.push_back(&variable);
}

void Decoder::noteCall(const Function &callee) {
  if (std::find(callees.begin(), callees.end(), &callee) == callees.end()) {
    callees.push_back(&callee);
    function.reachable.push_back(&callee);
  }
}

CallInfo &Decoder::addCall() {
  function.calls.push_back(std::make_unique<CallInfo>());
  instr.call = function.calls.back().get();
  return *function.calls.back();
}

BulkInfo &Decoder::addBulk() {
  function.bulks.push_back(std::make_unique<BulkInfo>());
  instr.bulk = function.bulks.back().get();
  return *function.bulks.back();
}

WgmmaInfo &Decoder::addWgmma() {
  function.wgmmas.push_back(std::make_unique<WgmmaInfo>());
  instr.wgmma = function.wgmmas.back().get();
  return *function.wgmmas.back();
}

void Decoder::noteSharedWidth(unsigned bytes) {
  function.narrowestShared = std::min(function.narrowestShared, bytes);
}

void Decoder::noteGlobalWidth(unsigned bytes) {
  function.narrowestGlobal = std::min(function.narrowestGlobal, bytes);
}

const Function *Decoder::findFunction(std::string_view name) const {
  return module.findFunction(name);
}

bool Decoder::slotOf(const Operand &operand, unsigned bytes, bool isWide,
                     uint32_t &slot) {
  switch (operand.kind) {
  case Operand::Register: {
    Type type = function.syntax->registers[operand.index];
    if (type == Type::Pred)
      return fail("expected a register but got a predicate");
    unsigned width = operandBytes(operand);
    if (bytes && width != std::max(2u, bytes) && !(isWide && width > bytes))
      return fail("expected a register of " + std::to_string(8 * bytes) +
                  " bits but got one of " + std::to_string(8 * width));
    slot = registerSlot(operand.index);
    return true;
  }
  case Operand::Special: {
    function.usesGridBarrier |=
        operand.index == unsigned(SpecialRegister::EnvReg1) ||
        operand.index == unsigned(SpecialRegister::EnvReg2);
    ConstantSlot constantSlot;
    constantSlot.kind = ConstantSlot::Special;
    constantSlot.special = static_cast<SpecialRegister>(operand.index);
    constantSlot.bytes =
        static_cast<uint8_t>(bytes ? bytes : operandBytes(operand));
    slot = addConstant(constantSlot);
    return true;
  }
  case Operand::Integer:
    slot = constant(static_cast<uint64_t>(operand.value), bytes ? bytes : 8);
    return true;
  case Operand::Float:
    if (bytes == 4) {
      double value;
      std::memcpy(&value, &operand.value, 8);
      float narrow = static_cast<float>(value);
      uint32_t bits;
      std::memcpy(&bits, &narrow, 4);
      slot = constant(bits, 4);
      return true;
    }
    [[fallthrough]];
  case Operand::Float64:
    if (bytes && bytes != 8)
      return fail("expected a literal of " + std::to_string(8 * bytes) +
                  " bits but got one of 64");
    slot = constant(static_cast<uint64_t>(operand.value), 8);
    return true;
  case Operand::Float32:
    if (bytes && bytes != 4)
      return fail("expected a literal of " + std::to_string(8 * bytes) +
                  " bits but got one of 32");
    slot = constant(static_cast<uint64_t>(operand.value), 4);
    return true;
  case Operand::Symbol: {
    const Variable &variable = *operand.variable;
    ConstantSlot constantSlot;
    constantSlot.bytes = static_cast<uint8_t>(bytes ? bytes : 8);
    constantSlot.variable = &variable;
    constantSlot.bits = static_cast<uint64_t>(operand.value);
    if (variable.space == Space::Param) {
      // Addresses of the entry's parameters count from 0, those of calls from
      // callParamBase.
      constantSlot.bits +=
          variable.offset + (variable.isEntryParam ? 0 : callParamBase);
      constantSlot.variable = nullptr;
    } else if (variable.space == Space::Local) {
      constantSlot.kind = ConstantSlot::LocalAddress;
    } else {
      constantSlot.kind = ConstantSlot::Address;
      noteVariable(variable);
    }
    slot = addConstant(constantSlot);
    return true;
  }
  case Operand::Name: {
    const Function *target = findFunction(operand.name);
    if (!target)
      return fail("expected a declared name but got '" +
                  std::string(operand.name) + "'");
    if (bytes && bytes != 8)
      return fail(
          "expected 64 bits to hold the address of a function but got " +
          std::to_string(8 * bytes));
    ConstantSlot constantSlot;
    constantSlot.kind = ConstantSlot::FunctionAddress;
    constantSlot.bytes = 8;
    constantSlot.function = target;
    noteCall(*target);
    slot = addConstant(constantSlot);
    return true;
  }
  default:
    return fail("expected a register or a constant");
  }
}

bool Decoder::addDst(const Operand &operand, unsigned bytes, bool isWide) {
  if (operand.kind == Operand::Sink) {
    dsts.push_back(sinkSlot());
    return true;
  }
  if (operand.kind != Operand::Register)
    return fail("expected a register as destination");
  uint32_t slot = 0;
  if (!slotOf(operand, bytes, isWide, slot))
    return false;
  if (dsts.empty())
    instr.dstBytes = static_cast<uint8_t>(operandBytes(operand));
  dsts.push_back(slot);
  return true;
}

bool Decoder::addSrc(const Operand &operand, unsigned bytes, bool isWide,
                     bool isChecked) {
  uint32_t slot = 0;
  if (!slotOf(operand, bytes, isWide, slot))
    return false;
  (isChecked ? checked : unchecked).push_back(slot);
  return true;
}

bool Decoder::addDstList(const Operand &operand, size_t count, unsigned bytes) {
  if (operand.kind != Operand::Vector)
    return count == 1 ? addDst(operand, bytes)
                      : fail("expected a vector of " + std::to_string(count) +
                             " registers");
  if (operand.elements.size() != count)
    return fail("expected a vector of " + std::to_string(count) +
                " registers but got " +
                std::to_string(operand.elements.size()));
  for (const Operand &element : operand.elements)
    if (!addDst(element, bytes))
      return false;
  return true;
}

bool Decoder::addSrcList(const Operand &operand, size_t count, unsigned bytes) {
  if (operand.kind != Operand::Vector)
    return count == 1 ? addSrc(operand, bytes)
                      : fail("expected a vector of " + std::to_string(count) +
                             " registers");
  if (operand.elements.size() != count)
    return fail("expected a vector of " + std::to_string(count) +
                " registers but got " +
                std::to_string(operand.elements.size()));
  for (const Operand &element : operand.elements)
    if (!addSrc(element, bytes))
      return false;
  return true;
}

bool Decoder::setPredicateDst(size_t index, const Operand &operand) {
  if (operand.kind == Operand::Sink)
    return true;
  if (registerType(operand) != Type::Pred || operand.negated)
    return fail("expected a predicate register as destination");
  instr.predicateDst[index] = predicateIndex(operand.index);
  return true;
}

bool Decoder::setPredicateSrc(size_t index, const Operand &operand) {
  if (operand.kind == Operand::Integer) {
    instr.predicateSrc[index] = {noPredicate, operand.value != 0};
    return true;
  }
  if (registerType(operand) != Type::Pred)
    return fail("expected a predicate register");
  instr.predicateSrc[index] = {predicateIndex(operand.index), operand.negated};
  return true;
}

bool Decoder::addAddress(const Operand &operand) {
  if (operand.kind != Operand::Address || operand.elements.size() != 1)
    return fail("expected an address in brackets");
  const Operand &base = operand.elements[0];
  unsigned bytes = base.kind == Operand::Register ? operandBytes(base) : 8u;
  if (bytes != 4 && bytes != 8)
    return fail(
        "expected an address register of 32 or 64 bits but got one of " +
        std::to_string(8 * bytes));
  instr.imm = operand.value;
  instr.flags |= bytes == 4 ? narrowAddressFlag : 0;
  return addSrc(base, bytes);
}

bool Decoder::addAddress(const Operand &operand, AddressUse &use) {
  int64_t offset = instr.imm;
  uint32_t flags = instr.flags;
  instr.flags = 0;
  use.source = static_cast<uint8_t>(checked.size());
  if (!addAddress(operand))
    return false;
  use.isNarrow = instr.flags & narrowAddressFlag;
  use.offset = instr.imm;
  instr.imm = offset;
  instr.flags = flags;
  return true;
}

static TensorKind tensorKindOf(std::string_view opcode, Type type) {
  bool isWgmma = opcode.substr(0, 5) == "wgmma";
  switch (bitWidth(type)) {
  case 64:
    return TensorKind::Mma64;
  case 32:
    return isWgmma ? TensorKind::Warpgroup32 : TensorKind::Mma32;
  case 16:
    return isWgmma ? TensorKind::Warpgroup16 : TensorKind::Mma16;
  default:
    return isWgmma ? TensorKind::Warpgroup8 : TensorKind::Mma8;
  }
}

bool Decoder::decodeInstr(const InstrSyntax &instrSyntax,
                          const OpcodeRow &row) {
  instr = Instr();
  mods.clear();
  types.clear();
  dsts.clear();
  checked.clear();
  unchecked.clear();
  std::string_view rest = instrSyntax.opcode;
  rest.remove_prefix(std::min(rest.find('.'), rest.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    std::string_view mod = rest.substr(0, rest.find('.'));
    rest.remove_prefix(mod.size());
    mods.push_back(mod);
    Type modType = parseType(mod);
    if (modType != Type::None)
      types.push_back(modType);
  }
  instr.opClass = row.opClass;
  instr.line = instrSyntax.line;
  instr.sourceFile = instrSyntax.sourceFile;
  instr.sourceLine = instrSyntax.sourceLine;
  instr.id = module.numInstructions++;
  if (instrSyntax.guard >= 0)
    instr.guard = {predicateIndex(static_cast<uint32_t>(instrSyntax.guard)),
                   instrSyntax.guardNegated};
  if (row.decode) {
    if (!row.decode(*this))
      return false;
  } else {
    instr.run = row.handler;
    instr.isPure = true;
    if (!expectOperands(1u + row.numSrc) || !addDst(operand(0), row.dstBytes))
      return false;
    for (unsigned i = 0; i < row.numSrc; ++i)
      if (!addSrc(operand(i + 1), row.srcBytes[i]))
        return false;
  }
  // Tensor instructions name the type of A second, whatever their family.
  if (instr.flops)
    instr.tensorKind = tensorKindOf(opcode(), type(1));
  // Between formats of one kind, as fp32 and bf16, conversions are arithmetic;
  // between integers and floats, and for fp64, the chip has few units.
  auto isInteger = [](Type t) { return t >= Type::B8 && t <= Type::S64; };
  if (instr.opClass == OpClass::Convert && type(0) != Type::F64 &&
      type(1) != Type::F64 && isInteger(type(0)) == isInteger(type(1)))
    instr.opClass = OpClass::ConvertFormat;
  instr.numDst = static_cast<uint8_t>(dsts.size());
  instr.numChecked = static_cast<uint8_t>(checked.size());
  instr.numSrc = static_cast<uint8_t>(checked.size() + unchecked.size());
  poolStarts.push_back(function.pool.size());
  function.pool.insert(function.pool.end(), dsts.begin(), dsts.end());
  function.pool.insert(function.pool.end(), checked.begin(), checked.end());
  function.pool.insert(function.pool.end(), unchecked.begin(), unchecked.end());
  function.code.push_back(instr);
  return true;
}

void Decoder::finish() {
  function.firstConstant = function.numSlots;
  function.numSlots += nextConstant;
  for (ConstantSlot &constantSlot : function.constants)
    constantSlot.slot += function.firstConstant;
  for (uint32_t &slot : function.pool)
    if (slot & constantBit)
      slot = (slot & ~constantBit) + function.firstConstant;
  for (size_t i = 0; i < function.code.size(); ++i)
    function.code[i].op = function.pool.data() + poolStarts[i];
  findWgmmaRegisters(function);
  findReconvergence(function);
}

bool Decoder::run() {
  for (const InstrSyntax &instrSyntax : function.syntax->body) {
    syntax = &instrSyntax;
    const OpcodeRow *row = findOpcode(instrSyntax.opcode);
    if (!row) {
      message =
          module.name + ":" + std::to_string(instrSyntax.line) + ":" +
          std::to_string(instrSyntax.column) + ": unsupported instruction '" +
          std::string(instrSyntax.opcode) + "' at line " +
          std::to_string(instrSyntax.line) + explainUnknown(instrSyntax.opcode);
      return false;
    }
    std::string missing = explainMissing(
        instrSyntax.opcode, module.syntax.target, module.syntax.version);
    if (!missing.empty()) {
      message = module.name + ":" + std::to_string(instrSyntax.line) + ":" +
                std::to_string(instrSyntax.column) + ": " + missing;
      return false;
    }
    if (!decodeInstr(instrSyntax, *row))
      return false;
  }
  finish();
  return true;
}

Space parseSpace(const Decoder &d) {
  struct Name {
    std::string_view name;
    Space space;
  };
  static constexpr Name names[] = {{"global", Space::Global},
                                   {"const", Space::Const},
                                   {"shared", Space::Shared},
                                   {"shared::cta", Space::Shared},
                                   {"shared::cluster", Space::SharedCluster},
                                   {"local", Space::Local},
                                   {"param", Space::Param},
                                   {"param::entry", Space::Param},
                                   {"param::func", Space::Param}};
  for (const Name &row : names)
    if (d.has(row.name))
      return row.space;
  return Space::Generic;
}

} // namespace goat::ptxsim
