//===- ParserBody.cpp - PTX function bodies -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and operands: nested scopes, labels, guards, addresses, vectors,
// call argument lists, constant expressions.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <array>

namespace goat::ptxsim {

SpecialRegister parseSpecialRegister(std::string_view name) {
  static constexpr std::array<std::string_view,
                              static_cast<size_t>(SpecialRegister::Count)>
      names = {"%tid.x",
               "%tid.y",
               "%tid.z",
               "%ntid.x",
               "%ntid.y",
               "%ntid.z",
               "%ctaid.x",
               "%ctaid.y",
               "%ctaid.z",
               "%nctaid.x",
               "%nctaid.y",
               "%nctaid.z",
               "%laneid",
               "%warpid",
               "%nwarpid",
               "%smid",
               "%nsmid",
               "%gridid",
               "%lanemask_eq",
               "%lanemask_le",
               "%lanemask_lt",
               "%lanemask_ge",
               "%lanemask_gt",
               "%dynamic_smem_size",
               "%total_smem_size",
               "%aggr_smem_size",
               "%envreg1",
               "%envreg2",
               "%cluster_ctarank",
               "%cluster_nctarank",
               "%cluster_ctaid.x",
               "%cluster_ctaid.y",
               "%cluster_ctaid.z",
               "%cluster_nctaid.x",
               "%cluster_nctaid.y",
               "%cluster_nctaid.z",
               "%clusterid.x",
               "%clusterid.y",
               "%clusterid.z",
               "%nclusterid.x",
               "%nclusterid.y",
               "%nclusterid.z",
               "%clock",
               "%clock_hi",
               "%clock64",
               "%globaltimer",
               "%globaltimer_lo",
               "%globaltimer_hi"};
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<SpecialRegister>(i);
  return SpecialRegister::Count;
}

bool Parser::parseBody() {
  sourceFile = sourceLine = 0;
  if (!expect('{'))
    return false;
  uint32_t depth = 1;
  while (true) {
    if (token.is('{')) {
      uint32_t parent = scope;
      scopes.emplace_back();
      scopes.back().parent = parent;
      scope = static_cast<uint32_t>(scopes.size() - 1);
      ++depth;
      advance();
    } else if (token.is('}')) {
      advance();
      if (--depth == 0)
        break;
      scope = scopes[scope].parent;
    } else if (!parseStatement()) {
      return false;
    }
  }
  return resolveLabels();
}

bool Parser::parseStatement() {
  if (token.is(';')) {
    advance();
    return true;
  }
  if (token.kind == TokenKind::Directive)
    return parseDirectiveStatement();
  if (token.kind == TokenKind::Word && ahead.is(':')) {
    std::string_view name = token.text;
    if (scopes[scope].labels.count(name))
      return failAt(token.line, token.column,
                    "expected a new label but '" + std::string(name) +
                        "' is defined already");
    advance();
    advance();
    if (token.isDirective(".branchtargets")) {
      PendingTargets list{name, {}, scope, token.line, token.column};
      do {
        advance();
        list.labels.push_back(token.text);
        advance();
      } while (token.is(','));
      pendingTargets.push_back(list);
      return expect(';');
    }
    if (token.isDirective(".callprototype") ||
        token.isDirective(".calltargets"))
      return parsePrototype(name);
    scopes[scope].labels[name] = static_cast<uint32_t>(function->body.size());
    return true;
  }
  return parseInstruction();
}

bool Parser::parsePrototype(std::string_view name) {
  auto owned = std::make_unique<FunctionSyntax>();
  if (token.isDirective(".calltargets")) {
    do {
      advance();
      if (token.kind != TokenKind::Word)
        return fail("expected the name of a function");
      owned->callTargets.push_back(token.text);
      advance();
    } while (token.is(','));
  } else {
    advance();
    // Parameters may have names, which nobody sees, and are not the caller's.
    FunctionSyntax *caller = function;
    uint32_t outer = scope;
    scopes.emplace_back();
    scopes.back().parent = outer;
    scope = static_cast<uint32_t>(scopes.size() - 1);
    function = owned.get();
    if (token.is('(') && !parseParams(*owned, owned->returns))
      return false;
    if (token.kind != TokenKind::Word)
      return fail("expected '_'");
    advance();
    if (token.is('(') && !parseParams(*owned, owned->params))
      return false;
    if (token.isDirective(".noreturn"))
      advance();
    function = caller;
    scope = outer;
  }
  if (scopes[scope].prototypes.count(name))
    return fail("expected one prototype called '" + std::string(name) + "'");
  scopes[scope].prototypes[name] =
      static_cast<uint32_t>(function->prototypes.size());
  function->prototypes.push_back(std::move(owned));
  return expect(';');
}

bool Parser::parseLoc() {
  advance();
  int64_t file = 0, line = 0, column = 0;
  if (!expectInteger(file) || !expectInteger(line) || !expectInteger(column))
    return false;
  sourceFile = static_cast<uint32_t>(file);
  sourceLine = static_cast<uint32_t>(line);
  while (token.is(',')) { // , function_name label, inlined_at file line column
    advance();
    bool isName = token.text == "function_name";
    advance();
    if (isName) {
      advance();
      if (token.is('+')) {
        advance();
        advance();
      }
    } else if (!expectInteger(file) || !expectInteger(line) ||
               !expectInteger(column)) {
      return false;
    }
  }
  return true;
}

bool Parser::parseRegisters(Type type) {
  while (true) {
    if (token.kind != TokenKind::Word)
      return fail("expected a register name");
    std::string_view name = token.text;
    advance();
    uint32_t first = static_cast<uint32_t>(function->registers.size());
    if (token.is('<')) {
      advance();
      int64_t count = 0;
      if (!expectInteger(count))
        return false;
      if (count < 0 || count > (1 << 20))
        return fail("expected at most 2^20 registers");
      if (!expect('>'))
        return false;
      scopes[scope].ranges[name] = {first, static_cast<uint32_t>(count)};
      function->registers.resize(first + static_cast<size_t>(count), type);
    } else {
      scopes[scope].registers[name] = first;
      function->registers.push_back(type);
    }
    if (!token.is(','))
      break;
    advance();
  }
  return expect(';');
}

bool Parser::parseDirectiveStatement() {
  if (token.isDirective(".loc"))
    return parseLoc();
  if (token.isDirective(".pragma"))
    return skipToSemicolon();
  if (token.isDirective(".file"))
    return parseFile();
  Declarator declarator;
  if (!parseDeclarator(declarator))
    return false;
  if (declarator.space == Space::Register)
    return parseRegisters(declarator.type);
  if (declarator.space == Space::Generic)
    return fail("expected a state space");
  // Global, constant and shared variables declared in a body live as long as
  // those of the module.
  bool isThreadLocal =
      declarator.space == Space::Local || declarator.space == Space::Param;
  return parseVariables(declarator,
                        isThreadLocal ? function->variables : module.variables);
}

bool Parser::parseInstruction() {
  InstrSyntax instr;
  instr.sourceFile = sourceFile;
  instr.sourceLine = sourceLine;
  instr.line = token.line;
  instr.column = token.column;
  if (token.is('@')) {
    advance();
    if (token.is('!')) {
      instr.guardNegated = true;
      advance();
    }
    Operand guard;
    if (token.kind != TokenKind::Word || !resolveWord(guard, token.text))
      return fail("expected a predicate register");
    if (guard.kind != Operand::Register ||
        function->registers[guard.index] != Type::Pred)
      return fail("expected a predicate register");
    instr.guard = static_cast<int32_t>(guard.index);
    advance();
  }
  if (token.kind != TokenKind::Word)
    return fail("expected an instruction");
  instr.opcode = token.text;
  advance();
  while (!token.is(';')) {
    instr.operands.emplace_back();
    if (!parseOperand(instr.operands.back()))
      return false;
    if (token.is(','))
      advance();
    else if (!token.is(';'))
      return fail("expected ',' or ';'");
  }
  advance();
  function->body.push_back(std::move(instr));
  return true;
}

bool Parser::parseOperand(Operand &operand) {
  if (!parsePrimary(operand))
    return false;
  if (token.is('|')) {
    advance();
    Operand pair;
    pair.kind = Operand::Pair;
    pair.elements.push_back(std::move(operand));
    pair.elements.emplace_back();
    if (!parsePrimary(pair.elements.back()))
      return false;
    operand = std::move(pair);
  }
  return true;
}

bool Parser::parseList(Operand &operand, char close) {
  if (!enterNesting())
    return false;
  advance();
  while (!token.is(close)) {
    operand.elements.emplace_back();
    if (!parseOperand(operand.elements.back()))
      return false;
    if (token.is(','))
      advance();
    else if (!token.is(close))
      return fail(std::string("expected ',' or '") + close + "'");
  }
  --nesting;
  advance();
  return true;
}

bool Parser::parsePrimary(Operand &operand) {
  if (token.is('{')) {
    operand.kind = Operand::Vector;
    return parseList(operand, '}');
  }
  if (token.is('[')) {
    operand.kind = Operand::Address;
    return parseAddress(operand);
  }
  if (token.is('(')) {
    operand.kind = Operand::Arguments;
    return parseList(operand, ')');
  }
  if (token.is('!')) {
    advance();
    operand.negated = true;
  }
  if (token.kind == TokenKind::Word) {
    if (!resolveWord(operand, token.text))
      return false;
    advance();
    if (operand.kind == Operand::Symbol && (token.is('+') || token.is('-'))) {
      bool negative = token.is('-');
      advance();
      int64_t offset = 0;
      if (!parseConstant(offset))
        return false;
      operand.value = negative ? -offset : offset;
    }
    return true;
  }
  if (token.is('-') && (ahead.kind == TokenKind::Float)) {
    advance();
    token.bits ^= uint64_t(1) << 63;
  }
  if (token.kind == TokenKind::Float || token.kind == TokenKind::Float32Bits ||
      token.kind == TokenKind::Float64Bits) {
    operand.kind = token.kind == TokenKind::Float         ? Operand::Float
                   : token.kind == TokenKind::Float32Bits ? Operand::Float32
                                                          : Operand::Float64;
    operand.value = static_cast<int64_t>(token.bits);
    advance();
    return true;
  }
  operand.kind = Operand::Integer;
  return parseConstant(operand.value);
}

bool Parser::parseConstant(int64_t &value) {
  // Integers, unary minus and complement, parentheses, and + - * between them:
  // what compilers and hand-written offsets use of PTX constant expressions.
  auto primary = [&](auto &self, int64_t &result) -> bool {
    if (token.is('-') || token.is('~') || token.is('+')) {
      char op = token.text[0];
      advance();
      if (!enterNesting() || !self(self, result))
        return false;
      --nesting;
      if (op == '-')
        result = static_cast<int64_t>(0 - static_cast<uint64_t>(result));
      if (op == '~')
        result = ~result;
      return true;
    }
    if (token.is('(')) {
      advance();
      if (!enterNesting() || !parseConstant(result))
        return false;
      --nesting;
      return expect(')');
    }
    if (token.kind != TokenKind::Integer)
      return fail("expected an operand");
    result = static_cast<int64_t>(token.bits);
    advance();
    return true;
  };
  auto product = [&](int64_t &result) {
    if (!primary(primary, result))
      return false;
    while (token.is('*')) {
      advance();
      int64_t factor = 0;
      if (!primary(primary, factor))
        return false;
      result = static_cast<int64_t>(static_cast<uint64_t>(result) *
                                    static_cast<uint64_t>(factor));
    }
    return true;
  };
  if (!product(value))
    return false;
  while (token.is('+') || token.is('-')) {
    bool isNegative = token.is('-');
    advance();
    int64_t term = 0;
    if (!product(term))
      return false;
    uint64_t a = static_cast<uint64_t>(value), b = static_cast<uint64_t>(term);
    value = static_cast<int64_t>(isNegative ? a - b : a + b);
  }
  return true;
}

bool Parser::parseAddress(Operand &operand) {
  advance();
  operand.elements.emplace_back();
  Operand &base = operand.elements.back();
  if (token.kind == TokenKind::Word) {
    if (!resolveWord(base, token.text))
      return false;
    if (base.kind != Operand::Register && base.kind != Operand::Symbol)
      return fail("expected an address");
    advance();
    if (token.is('+') || token.is('-')) {
      bool negative = token.is('-');
      advance();
      if (!parseConstant(operand.value))
        return false;
      if (negative)
        operand.value = -operand.value;
    }
  } else {
    base.kind = Operand::Integer;
    if (!parseConstant(base.value))
      return false;
  }
  while (token.is(',')) { // coordinates of a tensor map
    advance();
    operand.elements.emplace_back();
    if (!parseOperand(operand.elements.back()))
      return false;
  }
  return expect(']');
}

bool Parser::resolveWord(Operand &operand, std::string_view name) {
  if (name == "_") {
    operand.kind = Operand::Sink;
    return true;
  }
  if (name == "WARP_SZ") {
    operand.kind = Operand::Integer;
    operand.value = 32;
    return true;
  }
  for (uint32_t s = scope;; s = scopes[s].parent) {
    const Scope &current = scopes[s];
    if (auto it = current.registers.find(name); it != current.registers.end()) {
      operand.kind = Operand::Register;
      operand.index = it->second;
      return true;
    }
    if (auto it = current.variables.find(name); it != current.variables.end()) {
      operand.kind = Operand::Symbol;
      operand.variable = it->second;
      return true;
    }
    if (!current.ranges.empty()) {
      // Try each split into a prefix and a number without leading zeros.
      for (size_t cut = name.size(); cut > 1 && name[cut - 1] >= '0' &&
                                     name[cut - 1] <= '9' &&
                                     name.size() - cut < 7;) {
        --cut;
        if (name[cut] == '0' && cut + 1 < name.size())
          continue;
        auto it = current.ranges.find(name.substr(0, cut));
        if (it == current.ranges.end())
          continue;
        uint32_t number = 0;
        for (char c : name.substr(cut))
          number = number * 10 + static_cast<uint32_t>(c - '0');
        if (number >= it->second.second)
          continue;
        operand.kind = Operand::Register;
        operand.index = it->second.first + number;
        return true;
      }
    }
    if (s == 0)
      break;
  }
  SpecialRegister special = parseSpecialRegister(name);
  if (special != SpecialRegister::Count) {
    operand.kind = Operand::Special;
    operand.index = static_cast<uint32_t>(special);
    return true;
  }
  if (name[0] == '%')
    return failAt(token.line, token.column,
                  "expected a declared register but got '" + std::string(name) +
                      "'");
  operand.kind = Operand::Name;
  operand.name = name;
  operand.scope = scope;
  return true;
}

bool Parser::resolveLabel(
    uint32_t from, std::string_view name, uint32_t &target,
    std::unordered_map<std::string_view, uint32_t> Scope::*names) {
  for (uint32_t s = from;; s = scopes[s].parent) {
    const auto &known = scopes[s].*names;
    if (auto it = known.find(name); it != known.end()) {
      target = it->second;
      return true;
    }
    if (s == 0)
      return false;
  }
}

bool Parser::resolveLabels() {
  for (InstrSyntax &instr : function->body)
    for (Operand &operand : instr.operands) {
      if (operand.kind != Operand::Name)
        continue;
      if (resolveLabel(operand.scope, operand.name, operand.index))
        operand.kind = Operand::Label;
      else if (resolveLabel(operand.scope, operand.name, operand.index,
                            &Scope::prototypes))
        operand.kind = Operand::Prototype;
    }
  for (const PendingTargets &list : pendingTargets) {
    std::vector<uint32_t> &targets = function->branchTargets[list.name];
    for (std::string_view label : list.labels) {
      targets.emplace_back();
      if (!resolveLabel(list.scope, label, targets.back()))
        return failAt(list.line, list.column,
                      "expected a label but got '" + std::string(label) + "'");
    }
  }
  pendingTargets.clear();
  return true;
}

} // namespace goat::ptxsim
