//===- Opcodes.h - the table of instructions ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every spelling the simulator accepts is a row of a table: a pattern, and
// either a handler with fixed operand widths or a function that decodes the
// operands. Each family of instructions brings its rows.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_OPCODES_H
#define GOAT_LIB_PTXSIM_OPCODES_H

#include "Program.h"

#include <array>
#include <string_view>
#include <vector>

namespace goat::ptxsim {

class Decoder;
/// Reads the operands of the instruction; false after `Decoder::fail`.
using DecodeFn = bool (*)(Decoder &decoder);

struct OpcodeRow {
  /// `(a|b)` is a choice, a trailing `?` makes it optional.
  const char *pattern;
  OpClass opClass;
  /// Either a decoder, or a handler with one destination and fixed widths.
  DecodeFn decode = nullptr;
  Handler handler = nullptr;
  uint8_t dstBytes = 0;
  std::array<uint8_t, 4> srcBytes{};
  uint8_t numSrc = 0;
};

std::vector<OpcodeRow> integerOpcodes();
std::vector<OpcodeRow> bitOpcodes();
std::vector<OpcodeRow> floatOpcodes();
std::vector<OpcodeRow> floatPairOpcodes();
std::vector<OpcodeRow> extremumOpcodes();
std::vector<OpcodeRow> approximateOpcodes();
std::vector<OpcodeRow> halfOpcodes();
std::vector<OpcodeRow> compareOpcodes();
std::vector<OpcodeRow> convertOpcodes();
std::vector<OpcodeRow> convertPackedOpcodes();
std::vector<OpcodeRow> convertSmallOpcodes();
std::vector<OpcodeRow> moveOpcodes();
std::vector<OpcodeRow> stackOpcodes();
std::vector<OpcodeRow> memoryOpcodes();
std::vector<OpcodeRow> asyncOpcodes();
std::vector<OpcodeRow> atomicOpcodes();
std::vector<OpcodeRow> tensorOpcodes();
std::vector<OpcodeRow> mmaFormOpcodes();
std::vector<OpcodeRow> syncOpcodes();
std::vector<OpcodeRow> mbarrierOpcodes();
std::vector<OpcodeRow> clusterOpcodes();
std::vector<OpcodeRow> bulkOpcodes();
std::vector<OpcodeRow> bulkGroupOpcodes();
std::vector<OpcodeRow> wgmmaOpcodes();
std::vector<OpcodeRow> warpOpcodes();
std::vector<OpcodeRow> controlOpcodes();
std::vector<OpcodeRow> wmmaOpcodes();

/// All rows, family by family.
const std::vector<OpcodeRow> &opcodeTable();

/// The row whose pattern matches the whole of `opcode`, or null.
const OpcodeRow *findOpcode(std::string_view opcode);

/// Why `findOpcode` found nothing, as the end of a message; empty if no row
/// begins like it.
std::string explainUnknown(std::string_view opcode);

/// What is missing when a module for `target` and of ISA `version` uses
/// `opcode`; empty if nothing is, or if the module does not say.
std::string explainMissing(std::string_view opcode, std::string_view target,
                           std::string_view version);

/// A pattern that lives as long as the program, as rows of the table do.
const char *keepPattern(std::string pattern);

/// Whether `opcode` is one of the words `pattern` describes.
bool matchesPattern(std::string_view pattern, std::string_view opcode);

/// The lanes that execute `instr` leave the function: exit, ret, trap.
bool endsThread(const Instr &instr);

/// Decodes one instruction: owned by the decoder of the function.
class Decoder {
public:
  Decoder(ModuleImpl &module, Function &function);

  /// Decodes the whole function; on failure `error()` has the message.
  bool run();
  const std::string &error() const { return message; }

  // What the instruction is.
  std::string_view opcode() const { return syntax->opcode; }
  bool has(std::string_view modifier) const;
  /// The modifiers that are types, in order.
  Type type(size_t index = 0) const;
  const std::vector<std::string_view> &modifiers() const { return mods; }
  size_t numOperands() const { return syntax->operands.size(); }
  const Operand &operand(size_t index) const { return syntax->operands[index]; }
  const FunctionSyntax &functionSyntax() const { return *function.syntax; }
  Type registerType(const Operand &operand) const;

  // What becomes of it.
  Instr instr;
  bool fail(const std::string &reason);
  /// Whether the module's chip and version have `form`, a name among the
  /// requirements for what the opcode does not show; fails if not.
  bool requireForm(std::string_view form);
  /// Between `least` and `most` operands.
  bool expectOperands(size_t least, size_t most);
  bool expectOperands(size_t count) { return expectOperands(count, count); }
  /// `bytes` 0 accepts any width. With `isWide` the register may be wider than
  /// the type, as cvt allows. Sources that are not checked may be undefined.
  bool addDst(const Operand &operand, unsigned bytes, bool isWide = false);
  bool addSrc(const Operand &operand, unsigned bytes, bool isWide = false,
              bool isChecked = true);
  /// Registers of a vector operand or the single register.
  bool addDstList(const Operand &operand, size_t count, unsigned bytes);
  bool addSrcList(const Operand &operand, size_t count, unsigned bytes);
  bool setPredicateDst(size_t index, const Operand &operand);
  /// A predicate register or an integer constant.
  bool setPredicateSrc(size_t index, const Operand &operand);
  /// Adds the base of an address as the next source; offset and width of the
  /// base go to `instr`.
  bool addAddress(const Operand &operand);
  unsigned operandBytes(const Operand &operand) const;
  /// Slot of a constant.
  uint32_t constant(uint64_t bits, unsigned bytes);
  const Function *findFunction(std::string_view name) const;
  void noteVariable(const Variable &variable);
  void noteCall(const Function &callee);
  CallInfo &addCall();
  BulkInfo &addBulk();
  WgmmaInfo &addWgmma();
  /// As `addAddress`, for instructions with several addresses.
  bool addAddress(const Operand &operand, AddressUse &use);
  size_t numSources() const { return checked.size(); }
  void noteSharedWidth(unsigned bytes);
  void noteGlobalWidth(unsigned bytes);
  void noteAsync() { function.usesAsync = true; }
  void noteHeap() { function.usesHeap = true; }

private:
  bool decodeInstr(const InstrSyntax &instrSyntax, const OpcodeRow &row);
  uint32_t registerSlot(uint32_t index);
  int32_t predicateIndex(uint32_t index);
  uint32_t sinkSlot();
  bool slotOf(const Operand &operand, unsigned bytes, bool isWide,
              uint32_t &slot);
  uint32_t addConstant(ConstantSlot constant);
  void finish();

  ModuleImpl &module;
  Function &function;
  const InstrSyntax *syntax = nullptr;
  std::vector<std::string_view> mods;
  std::vector<Type> types;
  std::vector<uint32_t> dsts, checked, unchecked;
  std::vector<uint32_t> slots;
  std::vector<int32_t> predicates;
  std::vector<size_t> poolStarts;
  uint32_t sink = noTarget;
  uint32_t nextConstant = 0;
  std::vector<const Function *> callees;
  std::string message;
};

/// In `Instr::flags` of memory accesses: the base register has 32 bits.
constexpr uint32_t narrowAddressFlag = uint32_t(1) << 31;
/// Addresses in the param space: the entry's block lies below, parameters of
/// calls from here on.
constexpr uint64_t callParamBase = uint64_t(1) << 32;

/// Slots with this bit are constants until the function is finished.
constexpr uint32_t constantBit = uint32_t(1) << 31;

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_OPCODES_H
