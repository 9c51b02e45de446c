//===- Parser.cpp - PTX modules and declarations --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Module-level syntax: directives, variables with their initialisers, and the
// heads of functions. Bodies are in ParserBody.cpp.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <cstring>

namespace goat::ptxsim {

Parser::Parser(std::string_view text, std::string fileName,
               ModuleSyntax &module)
    : lexer(text), fileName(std::move(fileName)), module(module) {
  scopes.emplace_back();
  token = lexer.next();
  ahead = lexer.next();
}

void Parser::advance() {
  token = ahead;
  ahead = lexer.next();
}

bool Parser::failAt(uint32_t line, uint32_t column, const std::string &reason) {
  if (message.empty())
    message = fileName + ":" + std::to_string(line) + ":" +
              std::to_string(column) + ": " + reason;
  return false;
}

bool Parser::fail(const std::string &reason) {
  std::string got = token.kind == TokenKind::End
                        ? std::string("the end of the text")
                        : "'" + std::string(token.text) + "'";
  return failAt(token.line, token.column, reason + " but got " + got);
}

bool Parser::expect(char c) {
  if (!token.is(c))
    return fail(std::string("expected '") + c + "'");
  advance();
  return true;
}

bool Parser::enterNesting() {
  if (++nesting > 64)
    return fail("expected at most 64 levels of nesting");
  return true;
}

bool Parser::expectInteger(int64_t &value) {
  bool negative = token.is('-');
  if (negative)
    advance();
  if (token.kind != TokenKind::Integer)
    return fail("expected an integer");
  value = static_cast<int64_t>(negative ? 0 - token.bits : token.bits);
  advance();
  return true;
}

bool Parser::skipBraces() {
  unsigned depth = 0;
  do {
    if (token.kind == TokenKind::End)
      return fail("expected '}'");
    if (token.is('{'))
      ++depth;
    if (token.is('}'))
      --depth;
    advance();
  } while (depth);
  return true;
}

bool Parser::skipToSemicolon() {
  while (!token.is(';')) {
    if (token.kind == TokenKind::End)
      return fail("expected ';'");
    advance();
  }
  advance();
  return true;
}

bool Parser::run() {
  while (token.kind != TokenKind::End)
    if (!parseModuleItem())
      return false;
  return true;
}

bool Parser::parseFile() {
  advance();
  int64_t index = 0;
  if (!expectInteger(index))
    return false;
  if (token.kind != TokenKind::String)
    return fail("expected a file name");
  std::string_view quoted = token.text;
  module.files[static_cast<uint32_t>(index)] =
      quoted.size() >= 2 ? std::string(quoted.substr(1, quoted.size() - 2))
                         : "";
  advance();
  while (token.is(',')) { // time stamp and size
    advance();
    int64_t ignored = 0;
    if (!expectInteger(ignored))
      return false;
  }
  return true;
}

bool Parser::parseModuleItem() {
  if (token.is(';')) {
    advance();
    return true;
  }
  if (token.kind != TokenKind::Directive)
    return fail("expected a directive");
  std::string_view name = token.text;
  if (name == ".version") {
    advance();
    module.version = std::string(token.text);
    advance();
    return true;
  }
  if (name == ".target") {
    advance();
    module.target = std::string(token.text);
    advance();
    while (token.is(',')) {
      advance();
      advance();
    }
    return true;
  }
  if (name == ".address_size") {
    advance();
    int64_t bits = 0;
    uint32_t line = token.line, column = token.column;
    if (!expectInteger(bits))
      return false;
    if (bits != 64)
      return failAt(line, column,
                    "expected .address_size 64 but got " +
                        std::to_string(bits));
    return true;
  }
  if (name == ".file")
    return parseFile();
  if (name == ".loc")
    return parseLoc();
  if (name == ".section") {
    while (!token.is('{') && token.kind != TokenKind::End)
      advance();
    return skipBraces();
  }
  if (name == ".pragma" || name == ".alias")
    return skipToSemicolon();

  Declarator declarator;
  while (token.isDirective(".visible") || token.isDirective(".extern") ||
         token.isDirective(".weak") || token.isDirective(".common")) {
    declarator.isExtern |= token.text == ".extern";
    advance();
  }
  if (token.isDirective(".entry") || token.isDirective(".func")) {
    bool isEntry = token.text == ".entry";
    advance();
    return parseFunction(isEntry);
  }
  if (!parseDeclarator(declarator))
    return false;
  if (declarator.space != Space::Global && declarator.space != Space::Const &&
      declarator.space != Space::Shared)
    return fail("expected a .global, .const or .shared variable");
  return parseVariables(declarator, module.variables);
}

bool Parser::parseDeclarator(Declarator &declarator) {
  struct SpaceName {
    std::string_view name;
    Space space;
  };
  static constexpr SpaceName spaces[] = {
      {".reg", Space::Register},  {".param", Space::Param},
      {".global", Space::Global}, {".const", Space::Const},
      {".shared", Space::Shared}, {".local", Space::Local}};
  while (token.kind == TokenKind::Directive) {
    std::string_view name = token.text;
    bool found = false;
    for (const SpaceName &row : spaces)
      if (row.name == name && declarator.space == Space::Generic) {
        declarator.space = row.space;
        found = true;
      }
    if (found) {
      advance();
    } else if (name == ".align") {
      advance();
      int64_t value = 0;
      if (!expectInteger(value))
        return false;
      if (value <= 0 || (value & (value - 1)) || value > (1 << 20))
        return fail("expected an alignment that is a power of two");
      declarator.alignment = static_cast<uint32_t>(value);
    } else if (name == ".v2" || name == ".v4") {
      declarator.vector = name == ".v2" ? 2 : 4;
      advance();
    } else if (name == ".ptr") {
      // `.ptr .space .align N` describes what a pointer parameter points to.
      advance();
      while (token.kind == TokenKind::Directive) {
        bool hasValue = token.text == ".align";
        advance();
        int64_t ignored = 0;
        if (hasValue && !expectInteger(ignored))
          return false;
      }
    } else if (name == ".attribute") {
      while (!token.is(')') && token.kind != TokenKind::End)
        advance();
      if (!expect(')'))
        return false;
    } else if (name == ".extern" || name == ".unified") {
      advance();
    } else {
      Type type = parseType(name.substr(1));
      if (type == Type::None)
        return fail("expected a type");
      declarator.type = type;
      advance();
    }
  }
  if (declarator.type == Type::None)
    return fail("expected a type");
  return true;
}

bool Parser::parseDimensions(uint64_t &count, bool &unsized) {
  while (token.is('[')) {
    advance();
    if (token.is(']')) {
      unsized = true;
      advance();
      continue;
    }
    int64_t extent = 0;
    if (!parseConstant(extent))
      return false;
    if (extent < 0 ||
        (extent && count > (uint64_t(1) << 40) / static_cast<uint64_t>(extent)))
      return fail("expected an array of less than 2^40 elements");
    count *= static_cast<uint64_t>(extent);
    if (!expect(']'))
      return false;
  }
  return true;
}

bool Parser::parseInitialiser(Variable &variable, uint64_t &offset) {
  if (token.is('{')) {
    if (!enterNesting())
      return false;
    advance();
    while (!token.is('}')) {
      if (!parseInitialiser(variable, offset))
        return false;
      if (token.is(','))
        advance();
      else if (!token.is('}'))
        return fail("expected ',' or '}'");
    }
    --nesting;
    advance();
    return true;
  }
  unsigned bytes = bitWidth(variable.type) / 8;
  if (offset + bytes > variable.size)
    return fail("expected no more initial values than the variable holds");
  uint64_t bits = 0;
  if (token.kind == TokenKind::Word) {
    // A symbol, generic(symbol), or one byte of an address: 0xFF00(symbol).
    bool isGeneric = token.text == "generic";
    if (isGeneric) {
      advance();
      if (!expect('('))
        return false;
    }
    Relocation relocation;
    relocation.offset = offset;
    relocation.symbol = std::string(token.text);
    advance();
    if (isGeneric && !expect(')'))
      return false;
    if (token.is('+') || token.is('-')) {
      bool negative = token.is('-');
      advance();
      if (!expectInteger(relocation.addend))
        return false;
      if (negative)
        relocation.addend = -relocation.addend;
    }
    if (bytes != 8)
      return fail("expected a 64-bit element to hold an address");
    variable.relocations.push_back(relocation);
  } else if (token.kind == TokenKind::Float ||
             token.kind == TokenKind::Float32Bits ||
             token.kind == TokenKind::Float64Bits) {
    bits = token.bits;
    if (token.kind == TokenKind::Float && variable.type == Type::F32) {
      double value;
      std::memcpy(&value, &bits, 8);
      float narrow = static_cast<float>(value);
      uint32_t word;
      std::memcpy(&word, &narrow, 4);
      bits = word;
    }
    advance();
  } else {
    int64_t value = 0;
    if (!parseConstant(value))
      return false;
    bits = static_cast<uint64_t>(value);
  }
  std::memcpy(variable.initial.data() + offset, &bits, bytes < 8 ? bytes : 8);
  offset += bytes;
  return true;
}

void Parser::placeVariable(Variable &variable, bool isCallParam) {
  auto place = [&](uint32_t &area) {
    area = (area + variable.alignment - 1) & ~(variable.alignment - 1);
    variable.offset = area;
    area += static_cast<uint32_t>(variable.size);
  };
  if (variable.space == Space::Local) {
    place(function->localBytes);
    // An access past a variable lands in none.
    function->localBytes += 64;
  } else if (variable.space == Space::Param && isCallParam) {
    place(function->callParamBytes);
  } else if (variable.space == Space::Param)
    place(function->entryParamBytes);
}

bool Parser::parseVariables(const Declarator &declarator,
                            std::vector<std::unique_ptr<Variable>> &owner) {
  while (true) {
    if (token.kind != TokenKind::Word)
      return fail("expected a variable name");
    auto variable = std::make_unique<Variable>();
    variable->name = std::string(token.text);
    std::string_view name = token.text;
    variable->space = declarator.space;
    variable->type = declarator.type;
    unsigned elementBytes = bitWidth(declarator.type) / 8 * declarator.vector;
    if (!elementBytes)
      return fail("expected a type that memory can hold");
    variable->alignment =
        declarator.alignment ? declarator.alignment : elementBytes;
    advance();
    uint64_t count = 1;
    bool unsized = false;
    if (!parseDimensions(count, unsized))
      return false;
    variable->size = unsized ? 0 : count * elementBytes;
    if ((variable->space == Space::Local || variable->space == Space::Param) &&
        variable->size > (1u << 24))
      return fail("expected a variable of at most 16 MiB per thread");
    variable->isDynamicShared =
        variable->space == Space::Shared && declarator.isExtern;
    if (unsized && !variable->isDynamicShared && !token.is('=') &&
        !declarator.isExtern)
      return fail("expected a size or an initialiser");
    if (token.is('=')) {
      advance();
      variable->initial.resize(variable->size);
      uint64_t offset = 0;
      if (!parseInitialiser(*variable, offset))
        return false;
    }
    if (function)
      placeVariable(*variable, /*isCallParam=*/true);
    scopes[scope].variables[name] = variable.get();
    owner.push_back(std::move(variable));
    if (!token.is(','))
      break;
    advance();
  }
  return expect(';');
}

bool Parser::parseParams(FunctionSyntax &target,
                         std::vector<Variable *> &list) {
  if (!expect('('))
    return false;
  while (!token.is(')')) {
    Declarator declarator;
    if (!parseDeclarator(declarator))
      return false;
    if (declarator.space != Space::Param)
      return fail("expected a .param parameter");
    auto variable = std::make_unique<Variable>();
    variable->space = Space::Param;
    variable->type = declarator.type;
    unsigned elementBytes = bitWidth(declarator.type) / 8 * declarator.vector;
    variable->alignment =
        declarator.alignment ? declarator.alignment : elementBytes;
    variable->isEntryParam = target.isEntry;
    if (token.kind == TokenKind::Word) {
      variable->name = std::string(token.text);
      scopes[scope].variables[token.text] = variable.get();
      advance();
    }
    uint64_t count = 1;
    bool unsized = false;
    if (!parseDimensions(count, unsized))
      return false;
    variable->size = unsized ? 0 : count * elementBytes;
    if (variable->size > (1u << 20))
      return fail("expected a parameter of at most 1 MiB");
    placeVariable(*variable, /*isCallParam=*/!target.isEntry);
    list.push_back(variable.get());
    target.variables.push_back(std::move(variable));
    if (token.is(','))
      advance();
    else if (!token.is(')'))
      return fail("expected ',' or ')'");
  }
  advance();
  return true;
}

bool Parser::parseTriple(std::array<uint32_t, 3> &triple) {
  advance();
  triple = {1, 1, 1};
  for (unsigned i = 0; i < 3; ++i) {
    int64_t value = 0;
    if (!expectInteger(value))
      return false;
    triple[i] = static_cast<uint32_t>(value);
    if (!token.is(','))
      break;
    advance();
  }
  return true;
}

bool Parser::parseLaunchBounds(FunctionSyntax &target) {
  std::array<uint32_t, 3> ignored;
  std::array<uint32_t, 3> rank;
  while (token.kind == TokenKind::Directive) {
    std::string_view name = token.text;
    if (name == ".maxntid") {
      if (!parseTriple(target.maxThreads))
        return false;
    } else if (name == ".reqntid") {
      if (!parseTriple(target.requiredThreads))
        return false;
    } else if (name == ".reqnctapercluster") {
      if (!parseTriple(target.requiredCluster))
        return false;
    } else if (name == ".maxclusterrank") {
      if (!parseTriple(rank))
        return false;
      target.maxClusterRank = rank[0];
    } else if (name == ".minnctapersm" || name == ".maxnreg" ||
               name == ".maxnctapersm") {
      if (!parseTriple(ignored))
        return false;
    } else if (name == ".noreturn" || name == ".explicitcluster" ||
               name == ".blocksareclusters" || name == ".abi_preserve") {
      advance();
    } else if (name == ".pragma") {
      if (!skipToSemicolon())
        return false;
    } else {
      return fail("expected a function body");
    }
  }
  return true;
}

bool Parser::parseFunction(bool isEntry) {
  auto owned = std::make_unique<FunctionSyntax>();
  owned->isEntry = isEntry;
  function = owned.get();
  uint32_t outer = scope;
  scopes.emplace_back();
  scopes.back().parent = outer;
  scope = static_cast<uint32_t>(scopes.size() - 1);
  if (!isEntry && token.is('(') && !parseParams(*owned, owned->returns))
    return false;
  if (token.kind != TokenKind::Word)
    return fail("expected a function name");
  owned->name = std::string(token.text);
  advance();
  if (token.is('(') && !parseParams(*owned, owned->params))
    return false;
  if (!parseLaunchBounds(*owned))
    return false;
  if (token.is(';')) {
    advance();
  } else {
    owned->isDefined = true;
    if (!parseBody())
      return false;
  }
  function = nullptr;
  scope = outer;
  for (auto &existing : module.functions)
    if (existing->name == owned->name) {
      if (existing->isDefined && owned->isDefined)
        return fail("expected one definition of " + owned->name);
      if (owned->isDefined)
        existing = std::move(owned);
      return true;
    }
  module.functions.push_back(std::move(owned));
  return true;
}

} // namespace goat::ptxsim
