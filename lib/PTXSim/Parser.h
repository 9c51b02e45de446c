//===- Parser.h - PTX text to syntax --------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recursive-descent parser. Names are resolved while parsing, because PTX
// scopes are lexical and inline assembly reuses names in nested braces.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_PARSER_H
#define GOAT_LIB_PTXSIM_PARSER_H

#include "Lexer.h"
#include "Syntax.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace goat::ptxsim {

class Parser {
public:
  /// `text` must outlive the module: opcodes are views into it.
  Parser(std::string_view text, std::string fileName, ModuleSyntax &module);

  /// False on the first error; `error()` says what and where.
  bool run();
  const std::string &error() const { return message; }

private:
  struct Scope {
    uint32_t parent = 0;
    std::unordered_map<std::string_view, uint32_t> registers;
    /// Prefix -> (first register, count), from `.reg .b32 %r<10>`.
    std::unordered_map<std::string_view, std::pair<uint32_t, uint32_t>> ranges;
    std::unordered_map<std::string_view, Variable *> variables;
    std::unordered_map<std::string_view, uint32_t> labels;
    std::unordered_map<std::string_view, uint32_t> prototypes;
  };
  /// The linkage, alignment, space and type in front of a declared name.
  struct Declarator {
    Space space = Space::Generic;
    bool isExtern = false;
    uint32_t alignment = 0;
    uint32_t vector = 1;
    Type type = Type::None;
  };

  // Tokens.
  void advance();
  bool fail(const std::string &reason);
  bool failAt(uint32_t line, uint32_t column, const std::string &reason);
  bool expect(char c);
  /// Refuses text that would nest deeper than any compiler's.
  bool enterNesting();
  bool expectInteger(int64_t &value);
  bool skipBraces();
  bool skipToSemicolon();

  // Module level.
  bool parseModuleItem();
  bool parseFile();
  bool parseFunction(bool isEntry);
  bool parseParams(FunctionSyntax &function, std::vector<Variable *> &list);
  bool parseLaunchBounds(FunctionSyntax &function);
  bool parseTriple(std::array<uint32_t, 3> &triple);

  // Declarations.
  bool parseDeclarator(Declarator &declarator);
  bool parseVariables(const Declarator &declarator,
                      std::vector<std::unique_ptr<Variable>> &owner);
  bool parseDimensions(uint64_t &count, bool &unsized);
  bool parseInitialiser(Variable &variable, uint64_t &offset);
  bool parseRegisters(Type type);
  void placeVariable(Variable &variable, bool isCallParam);

  // Bodies.
  bool parseBody();
  bool parseStatement();
  bool parseDirectiveStatement();
  bool parsePrototype(std::string_view name);
  bool parseLoc();
  bool parseInstruction();
  bool parseOperand(Operand &operand);
  bool parsePrimary(Operand &operand);
  bool parseList(Operand &operand, char close);
  bool parseAddress(Operand &operand);
  bool parseConstant(int64_t &value);
  bool resolveWord(Operand &operand, std::string_view name);
  bool resolveLabels();
  /// Looks in the map `names` of the scope and of those around it.
  bool resolveLabel(uint32_t scope, std::string_view name, uint32_t &target,
                    std::unordered_map<std::string_view, uint32_t> Scope::*
                        names = &Scope::labels);

  Lexer lexer;
  Token token;
  Token ahead;
  std::string fileName;
  std::string message;
  ModuleSyntax &module;
  FunctionSyntax *function = nullptr;
  std::vector<Scope> scopes;
  uint32_t scope = 0;
  uint32_t sourceFile = 0;
  uint32_t sourceLine = 0;
  struct PendingTargets {
    std::string_view name;
    std::vector<std::string_view> labels;
    uint32_t scope, line, column;
  };
  std::vector<PendingTargets> pendingTargets;
  /// Depth of nested lists, parentheses and initialisers.
  uint32_t nesting = 0;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_PARSER_H
