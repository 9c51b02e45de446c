//===- Syntax.h - parsed PTX ----------------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parser makes of PTX text: variables, functions and instructions with
// every name resolved, and nothing said yet about what an instruction does.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_SYNTAX_H
#define GOAT_LIB_PTXSIM_SYNTAX_H

#include "Types.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace goat::ptxsim {

/// A word in an initialiser that holds the address of a symbol.
struct Relocation {
  uint64_t offset = 0;
  std::string symbol;
  int64_t addend = 0;
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint32_t alignment = 1;
  uint64_t size = 0;
  /// `.extern .shared name[]`: begins where the dynamic shared memory begins.
  bool isDynamicShared = false;
  /// A parameter of an entry: lies in the block that the launch passes.
  bool isEntryParam = false;
  std::vector<uint8_t> initial;
  std::vector<Relocation> relocations;
  /// Param and local variables: offset in the area of their function.
  uint64_t offset = 0;
};

struct Operand {
  enum Kind : uint8_t {
    Register,  // index
    Special,   // index is a SpecialRegister
    Integer,   // value
    Float,     // value: bits of an f64
    Float32,   // value: bits of an f32
    Float64,   // value: bits of an f64
    Symbol,    // variable, plus value
    Name,      // name: a function, or a label not yet resolved
    Label,     // index: instruction
    Prototype, // index: one of the function's `prototypes`
    Address,   // elements[0] + value
    Vector,    // elements
    Pair,      // elements[0] | elements[1]
    Arguments, // elements, in parentheses
    Sink,      // _
  };
  Kind kind = Sink;
  /// Written `!p`.
  bool negated = false;
  uint32_t index = 0;
  int64_t value = 0;
  const Variable *variable = nullptr;
  std::string_view name;
  std::vector<Operand> elements;
  uint32_t scope = 0;
};

struct InstrSyntax {
  std::string_view opcode;
  std::vector<Operand> operands;
  /// Register of the guard predicate, or -1.
  int32_t guard = -1;
  bool guardNegated = false;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t sourceFile = 0;
  uint32_t sourceLine = 0;
};

struct FunctionSyntax {
  std::string name;
  bool isEntry = false;
  bool isDefined = false;
  std::vector<Variable *> params;
  std::vector<Variable *> returns;
  std::array<uint32_t, 3> requiredThreads{0, 0, 0};
  std::array<uint32_t, 3> maxThreads{0, 0, 0};
  /// `.reqnctapercluster` and `.maxclusterrank`; 0 where not given.
  std::array<uint32_t, 3> requiredCluster{0, 0, 0};
  uint32_t maxClusterRank = 0;
  std::vector<Type> registers;
  std::vector<std::unique_ptr<Variable>> variables;
  std::vector<InstrSyntax> body;
  /// Per name of a `.branchtargets` list, the instructions it names.
  std::map<std::string_view, std::vector<uint32_t>> branchTargets;
  /// The `.callprototype` and `.calltargets` statements of the body, in order:
  /// the former have parameters and returns, the latter `callTargets`.
  std::vector<std::unique_ptr<FunctionSyntax>> prototypes;
  /// Of a `.calltargets` statement, the functions it names.
  std::vector<std::string_view> callTargets;
  /// Bytes of the entry's parameter block.
  uint32_t entryParamBytes = 0;
  /// Bytes per thread for parameters of calls and for local variables.
  uint32_t callParamBytes = 0;
  uint32_t localBytes = 0;
};

struct ModuleSyntax {
  std::string version;
  std::string target;
  std::vector<std::unique_ptr<Variable>> variables;
  std::vector<std::unique_ptr<FunctionSyntax>> functions;
  std::map<uint32_t, std::string> files;

  FunctionSyntax *findFunction(std::string_view name) const {
    for (const auto &function : functions)
      if (function->name == name)
        return function.get();
    return nullptr;
  }
};

/// Registers the hardware provides. `Tid` to `Nctaid` have x, y and z.
enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  DynamicSmemSize,
  TotalSmemSize,
  AggrSmemSize,
  EnvReg1,
  EnvReg2,
  ClusterRank,
  ClusterSize,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusteridX,
  ClusteridY,
  ClusteridZ,
  NclusteridX,
  NclusteridY,
  NclusteridZ,
  Clock,
  ClockHi,
  Clock64,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  Count
};

/// The register spelled `name`, or Count.
SpecialRegister parseSpecialRegister(std::string_view name);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_SYNTAX_H
