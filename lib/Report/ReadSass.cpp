//===- ReadSass.cpp - instructions from nvdisasm's text -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what `nvdisasm -c -g` prints:
//
//   .text.kernel:
//           /*0000*/                   LDC R1, c[0x0][0x28] ;
//   .L_x_2:
//           //## File "tile.mlir", line 203
//           /*0010*/              @!P0 BRA `(.L_x_2) ;
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Code.h"

using namespace goat::report;

/// Reads the instruction in `code`, which has no address, guard excluded.
static Instruction readInstruction(llvm::StringRef code, bool isConditional) {
  Instruction instruction;
  llvm::StringRef opcode =
      code.take_until([](char c) { return c == ' ' || c == ';'; });
  llvm::StringRef operands = code.drop_front(opcode.size());
  instruction.opcode = opcode.str();
  classifySass(instruction, operands);
  llvm::StringRef base = opcode.split('.').first;
  if (base == "BRA" || base == "JMP") {
    auto [before, after] = operands.split("`(");
    instruction.target = after.split(')').first.str();
    // A predicate may also stand among the operands: BRA P0, `(.L).
    instruction.fallsThrough =
        isConditional || before.contains('P') || opcode.contains(".DIV");
  } else if (base == "EXIT" || base == "RET" || base == "BRX") {
    instruction.fallsThrough = isConditional;
  }
  return instruction;
}

std::vector<Listing> goat::report::readSass(llvm::StringRef text) {
  std::vector<Listing> listings;
  int number = 0;
  std::optional<SourcePosition> source;
  while (!text.empty()) {
    auto [whole, rest] = text.split('\n');
    text = rest;
    ++number;
    llvm::StringRef line = whole.trim();
    if (line.starts_with(".text.") && line.ends_with(":")) {
      source.reset();
      listings.emplace_back();
      listings.back().language = Language::SASS;
      listings.back().entry = line.drop_front(6).drop_back().str();
      continue;
    }
    if (listings.empty())
      continue;
    Listing &listing = listings.back();
    if (line.ends_with(":")) {
      listing.labels.push_back(
          {line.drop_back().str(), listing.instructions.size()});
      continue;
    }
    // Of functions that were inlined, the innermost position comes first.
    if (line.consume_front("//## File ")) {
      int position = 0;
      llvm::StringRef digits = line.rsplit(", line ").second;
      if (!line.contains(" inlined at ") &&
          !digits.consumeInteger(10, position))
        source = SourcePosition{1, position};
      continue;
    }
    // The address, then the instruction; the encoding's second word stands
    // alone on its line.
    if (!line.starts_with("/*"))
      continue;
    llvm::StringRef code = line.split("*/").second.trim();
    if (!code.contains(';'))
      continue;
    bool isConditional = false;
    if (code.consume_front("@")) {
      isConditional = !code.starts_with("PT ") && !code.starts_with("UPT ");
      code = code.drop_until([](char c) { return c == ' '; }).ltrim();
    }
    listing.instructions.push_back(readInstruction(code, isConditional));
    listing.instructions.back().line = number;
    listing.instructions.back().source = source;
  }
  return listings;
}
