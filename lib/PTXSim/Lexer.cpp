//===- Lexer.cpp - PTX tokens ---------------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implementation of the tokenizer.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace goat::ptxsim {

namespace {
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAlpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isWordStart(char c) {
  return isAlpha(c) || c == '_' || c == '$' || c == '%';
}
bool isWordPart(char c) {
  return isAlpha(c) || isDigit(c) || c == '_' || c == '$';
}

int hexValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}
} // namespace

void Lexer::skipBlank() {
  while (pos < text.size()) {
    char c = text[pos];
    if (c == '\n') {
      ++line;
      lineStart = ++pos;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++pos;
    } else if (c == '/' && pos + 1 < text.size() && text[pos + 1] == '/') {
      while (pos < text.size() && text[pos] != '\n')
        ++pos;
    } else if (c == '/' && pos + 1 < text.size() && text[pos + 1] == '*') {
      pos += 2;
      while (pos + 1 < text.size() &&
             !(text[pos] == '*' && text[pos + 1] == '/')) {
        if (text[pos] == '\n') {
          ++line;
          lineStart = pos + 1;
        }
        ++pos;
      }
      pos = pos + 2 < text.size() ? pos + 2 : text.size();
    } else {
      return;
    }
  }
}

Token Lexer::number(Token token) {
  size_t start = pos;
  auto finish = [&](TokenKind kind) {
    token.kind = kind;
    token.text = text.substr(start, pos - start);
    return token;
  };
  auto peek = [&](size_t ahead) {
    return pos + ahead < text.size() ? text[pos + ahead] : '\0';
  };
  auto hexBits = [&](unsigned digits, TokenKind kind) {
    pos += 2;
    for (unsigned i = 0; i < digits; ++i, ++pos) {
      int value = hexValue(peek(0));
      if (value < 0)
        return finish(TokenKind::Invalid);
      token.bits = token.bits << 4 | static_cast<unsigned>(value);
    }
    return finish(kind);
  };
  if (peek(0) == '0' && (peek(1) == 'f' || peek(1) == 'F'))
    return hexBits(8, TokenKind::Float32Bits);
  if (peek(0) == '0' && (peek(1) == 'd' || peek(1) == 'D'))
    return hexBits(16, TokenKind::Float64Bits);

  unsigned base = 10;
  if (peek(0) == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    base = 16;
    pos += 2;
  } else if (peek(0) == '0' && (peek(1) == 'b' || peek(1) == 'B')) {
    base = 2;
    pos += 2;
  } else if (peek(0) == '0' && isDigit(peek(1))) {
    base = 8;
  }
  bool isFloat = false;
  while (pos < text.size()) {
    char c = text[pos];
    int value = hexValue(c);
    if (value >= 0 && static_cast<unsigned>(value) < base) {
      token.bits = token.bits * base + static_cast<unsigned>(value);
      ++pos;
    } else if (base != 16 && c == '.' && isDigit(peek(1))) {
      isFloat = true;
      ++pos;
    } else if (base != 16 && (c == 'e' || c == 'E')) {
      isFloat = true;
      pos += (peek(1) == '+' || peek(1) == '-') ? 2 : 1;
    } else if (isFloat && isDigit(c)) {
      ++pos;
    } else {
      break;
    }
  }
  if (isFloat) {
    double value = std::strtod(
        std::string(text.substr(start, pos - start)).c_str(), nullptr);
    std::memcpy(&token.bits, &value, sizeof(value));
    return finish(TokenKind::Float);
  }
  if (peek(0) == 'U')
    ++pos;
  return finish(isWordPart(peek(0)) ? TokenKind::Invalid : TokenKind::Integer);
}

Token Lexer::next() {
  skipBlank();
  Token token;
  token.line = line;
  token.column = static_cast<uint32_t>(pos - lineStart + 1);
  if (pos >= text.size())
    return token;
  size_t start = pos;
  char c = text[pos];
  if (isDigit(c))
    return number(token);
  auto scanModifiers = [&] {
    while (pos < text.size()) {
      if (isWordPart(text[pos]))
        ++pos;
      else if (text[pos] == '.' && pos + 1 < text.size() &&
               isWordPart(text[pos + 1]))
        ++pos;
      else if (text[pos] == ':' && pos + 2 < text.size() &&
               text[pos + 1] == ':' && isWordPart(text[pos + 2]))
        pos += 2;
      else
        break;
    }
  };
  if (isWordStart(c)) {
    ++pos;
    scanModifiers();
    token.kind = TokenKind::Word;
  } else if (c == '.' && pos + 1 < text.size() && isWordPart(text[pos + 1])) {
    ++pos;
    while (pos < text.size() && isWordPart(text[pos]))
      ++pos;
    token.kind = TokenKind::Directive;
  } else if (c == '"') {
    ++pos;
    while (pos < text.size() && text[pos] != '"' && text[pos] != '\n')
      ++pos;
    if (pos < text.size() && text[pos] == '"')
      ++pos;
    token.kind = TokenKind::String;
  } else {
    ++pos;
    token.kind = TokenKind::Punctuation;
  }
  token.text = text.substr(start, pos - start);
  return token;
}

} // namespace goat::ptxsim
