//===- Program.h - decoded PTX --------------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is executed: per function an array of instructions whose handlers are
// function pointers and whose operands are slots of a register file. No string
// is looked at after decoding.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_PROGRAM_H
#define GOAT_LIB_PTXSIM_PROGRAM_H

#include "Syntax.h"
#include "goat/PTXSim/PTXSim.h"

#include <string>
#include <vector>

namespace goat::ptxsim {

class Warp;
struct Instr;
struct Function;

/// Executes `instr` for the lanes in `mask`, which is not empty.
using Handler = void (*)(Warp &warp, const Instr &instr, uint32_t mask);

constexpr uint32_t noTarget = ~0u;
constexpr int32_t noPredicate = -1;

/// A slot holds 32 lanes of up to 32 bits; wider registers take consecutive
/// slots and lie in them as one array of lanes.
constexpr uint32_t slotBytes = 128;

/// How an instruction uses a predicate register. As a source, no register means
/// a constant: true when negated.
struct PredicateUse {
  int32_t index = noPredicate;
  bool negated = false;
};

/// What loads, stores, atomics and copies need to know.
struct AccessInfo {
  Space space = Space::Generic;
  /// Bytes per element and elements per lane.
  uint8_t elementBytes = 0;
  uint8_t vector = 1;
  /// `.volatile`, `.relaxed`, `.acquire`, `.release` and all atomics: strong
  /// accesses do not race with one another.
  bool isStrong = false;
  bool acquires = false;
  bool releases = false;
  /// `.cta`: orders nothing between blocks.
  bool isBlockScope = false;
};

/// The callee, and variables of the caller in order of its parameters.
struct CallInfo {
  /// Null where the call goes through a pointer.
  const Function *callee = nullptr;
  /// The functions that the pointer may name: those listed with the call, or
  /// all whose address is taken somewhere and whose parameters fit.
  std::vector<const Function *> targets;
  bool isListed = false;
  std::vector<const Variable *> arguments;
  std::vector<const Variable *> returns;

  /// Whether the callee takes and returns what the call passes, by size.
  bool fits(const FunctionSyntax &callee) const;
};

/// An address among several of one instruction: the index of its base among
/// the sources, the width of the base, and what is added.
struct AddressUse {
  uint8_t source = 0;
  bool isNarrow = false;
  int64_t offset = 0;
};

/// What a bulk copy or reduction needs to know.
struct BulkInfo {
  AddressUse destination, source, mbarrier;
  /// Where the destination, or in a store the source, lies in shared memory.
  Space space = Space::Shared;
  bool isTensor = false;
  bool isReduction = false;
  /// st.async and red.async bring values of registers, by the generic proxy.
  bool isFromRegisters = false;
  /// `.tile::gather4` and `.tile::scatter4`: four rows of one box, each with a
  /// coordinate of its own.
  bool isByRows = false;
  /// Coordinates follow each other among the sources; so do the other operands
  /// from these indices on, 0 where there is none.
  uint8_t rank = 0;
  uint8_t firstCoordinate = 0;
  uint8_t size = 0;
  uint8_t mask = 0;
  /// What Reduction.h applies; 0 to overwrite.
  uint32_t reduction = 0;
};

/// What wgmma.mma_async needs to know.
struct WgmmaInfo {
  uint32_t n = 0;
  uint32_t k = 0;
  uint8_t elementBytes = 2;
  /// The formats of A, B and D; see Wgmma.h.
  uint8_t aFormat = 0, bFormat = 0, dFormat = 0;
  bool isAInRegisters = false;
  bool isATransposed = false, isBTransposed = false;
  bool negatesA = false, negatesB = false;
  bool saturates = false;
};

struct Instr {
  Handler run = nullptr;
  /// Slots: destinations first, then sources.
  const uint32_t *op = nullptr;
  uint8_t numDst = 0;
  /// Sources checked for initialisation and, after them, ones that are not.
  uint8_t numChecked = 0;
  uint8_t numSrc = 0;
  /// Width of the first destination's register.
  uint8_t dstBytes = 0;
  /// The handler itself says which lanes of the destination become defined.
  bool propagates = false;
  /// Computes and nothing else: where a source was never written, the result
  /// counts as not written, and its use is reported.
  bool isPure = false;
  /// Uses a register that some wgmma of the function uses as well.
  bool touchesWgmma = false;
  OpClass opClass = OpClass::Move;
  PredicateUse guard;
  PredicateUse predicateSrc[2];
  int32_t predicateDst[2] = {noPredicate, noPredicate};
  AccessInfo access;
  int64_t imm = 0;
  /// Copies: the offset of the second address.
  int64_t sourceOffset = 0;
  /// Meaning is private to the family that decoded the instruction.
  uint32_t flags = 0;
  /// Branches: where to, and where the lanes meet again.
  uint32_t target = noTarget;
  uint32_t reconvergence = noTarget;
  const std::vector<uint32_t> *targets = nullptr;
  const CallInfo *call = nullptr;
  const BulkInfo *bulk = nullptr;
  const WgmmaInfo *wgmma = nullptr;
  uint32_t flops = 0;
  TensorKind tensorKind = TensorKind::Mma16;
  /// Index over the whole module.
  uint32_t id = 0;
  uint32_t line = 0;
  uint32_t sourceFile = 0;
  uint32_t sourceLine = 0;
};

/// A slot that is filled before execution.
struct ConstantSlot {
  enum Kind : uint8_t { Bits, Address, LocalAddress, FunctionAddress, Special };
  Kind kind = Bits;
  uint8_t bytes = 4;
  uint32_t slot = 0;
  uint64_t bits = 0;
  const Variable *variable = nullptr;
  const Function *function = nullptr;
  SpecialRegister special = SpecialRegister::Count;
};

struct Function {
  const FunctionSyntax *syntax = nullptr;
  std::string name;
  uint32_t index = 0;
  std::vector<Instr> code;
  std::vector<uint32_t> pool;
  /// The constants occupy the slots from `firstConstant` to `numSlots`.
  uint32_t firstConstant = 0;
  uint32_t numSlots = 0;
  uint32_t numPredicates = 0;
  std::vector<ConstantSlot> constants;
  std::vector<std::unique_ptr<CallInfo>> calls;
  std::vector<std::unique_ptr<BulkInfo>> bulks;
  std::vector<std::unique_ptr<WgmmaInfo>> wgmmas;
  /// Reachable through calls from here, this function included.
  std::vector<const Function *> reachable;
  /// Shared, global and constant variables named here.
  std::vector<const Variable *> variables;
  /// Bytes of the narrowest access to shared memory; 4 if there is none.
  uint32_t narrowestShared = 4;
  /// The same of global memory.
  uint32_t narrowestGlobal = 4;
  /// Asks for the workspace of a cooperative launch.
  bool usesGridBarrier = false;
  /// Calls malloc.
  bool usesHeap = false;
  /// Has instructions that work with mbarriers or through the async proxy.
  bool usesAsync = false;

  /// What a pointer to the function holds: opaque and never null.
  uint64_t address() const;
};

/// Places the shared variables that an entry reaches.
struct SharedLayout {
  std::vector<std::pair<const Variable *, uint32_t>> offsets;
  /// Bytes of the variables as the assembler packs them, and where the dynamic
  /// part would begin behind them. The offsets keep the variables apart, so
  /// that an access past one is found.
  uint32_t staticBytes = 0;
  uint32_t packedBytes = 0;
  uint32_t dynamicOffset = 0;
  bool usesDynamic = false;
};
SharedLayout layoutShared(const Function &entry);

struct ModuleImpl {
  std::string name;
  std::string text;
  /// Start of every line in `text`; index 0 is line 1.
  std::vector<size_t> lineStarts;
  ModuleSyntax syntax;
  std::vector<std::unique_ptr<Function>> functions;
  uint32_t numInstructions = 0;

  const Function *findFunction(std::string_view functionName) const {
    for (const auto &function : functions)
      if (function->name == functionName)
        return function.get();
    return nullptr;
  }
  /// The function that a pointer to `address` means, or null.
  const Function *functionAt(uint64_t address) const;
  /// The text of a 1-based line without surrounding blanks.
  std::string lineText(uint32_t line) const;
};

/// Marks the instructions that use registers of some wgmma.
void findWgmmaRegisters(Function &function);

/// Fills in where the lanes of each divergent branch meet again: the immediate
/// post-dominator of its block.
void findReconvergence(Function &function);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_PROGRAM_H
