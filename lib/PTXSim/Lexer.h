//===- Lexer.h - PTX tokens -----------------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts PTX text into tokens. Modifiers stay attached to the word before them
// ("mma.sync.aligned"), directives keep their leading dot.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_LEXER_H
#define GOAT_LIB_PTXSIM_LEXER_H

#include <cstdint>
#include <string_view>

namespace goat::ptxsim {

enum class TokenKind : uint8_t {
  End,
  /// An identifier with its modifiers: `%r1`, `ld.global.v4.b32`, `$L__BB0_1`.
  Word,
  /// A word that starts with a dot: `.reg`, `.b32`.
  Directive,
  Integer,
  /// A decimal floating-point literal; `bits` holds it as f64.
  Float,
  /// `0f` followed by eight hexadecimal digits; `bits` holds them.
  Float32Bits,
  /// `0d` followed by sixteen hexadecimal digits.
  Float64Bits,
  String,
  /// One character of punctuation, in `text`.
  Punctuation,
  Invalid,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint64_t bits = 0;
  uint32_t line = 1;
  uint32_t column = 1;

  bool is(char c) const {
    return kind == TokenKind::Punctuation && text[0] == c;
  }
  bool isDirective(std::string_view name) const {
    return kind == TokenKind::Directive && text == name;
  }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();

private:
  void skipBlank();
  Token number(Token token);

  std::string_view text;
  size_t pos = 0;
  uint32_t line = 1;
  size_t lineStart = 0;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_LEXER_H
