//===- ReadPTX.cpp - instructions from PTX text ---------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads as much of PTX as counting needs: entries, labels, predicates, opcodes,
// branch targets and .loc. It is no checker; the simulator and ptxas are.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Code.h"

#include "llvm/ADT/StringExtras.h"

using namespace goat::report;

namespace {

/// Reads one text, statement by statement.
class Reader {
public:
  explicit Reader(llvm::StringRef text) : text(text) {}

  std::vector<Listing> read();

private:
  bool nextStatement(llvm::StringRef &statement);
  void readDirective(llvm::StringRef statement);
  void readInstruction(llvm::StringRef statement);
  void skipSpace();

  llvm::StringRef text;
  int line = 1;
  /// The line on which the statement in hand starts.
  int statementLine = 1;
  int depth = 0;
  bool isInEntry = false;
  std::string target;
  std::optional<SourcePosition> source;
  std::vector<Listing> listings;
};

} // namespace

/// Blanks and comments.
void Reader::skipSpace() {
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.starts_with("/*")) {
      auto [comment, rest] = text.split("*/");
      line += comment.count('\n');
      text = rest;
    } else if (llvm::isSpace(text.front())) {
      line += text.front() == '\n';
      text = text.drop_front();
    } else {
      return;
    }
  }
}

/// The next brace, label (with its colon), directive or instruction.
bool Reader::nextStatement(llvm::StringRef &statement) {
  skipSpace();
  statementLine = line;
  if (text.empty())
    return false;
  if (text.front() == '{' || text.front() == '}' || text.front() == ';') {
    statement = text.take_front();
    text = text.drop_front();
    return true;
  }
  // These directives end with their line.
  for (llvm::StringRef directive :
       {".loc", ".file", ".version", ".target", ".address_size", ".reqntid",
        ".maxntid", ".minnctapersm", ".section"})
    if (text.starts_with(directive)) {
      statement = text.take_until([](char c) { return c == '\n'; });
      text = text.drop_front(statement.size());
      return true;
    }
  llvm::StringRef label = text.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '$' || c == '_'; });
  llvm::StringRef after = text.drop_front(label.size());
  if (!label.empty() && after.starts_with(":") && !after.starts_with("::")) {
    statement = text.take_front(label.size() + 1);
    text = text.drop_front(statement.size());
    return true;
  }
  // Up to the semicolon, or to the brace that opens a body. Other braces hold
  // vectors and the values of arrays.
  size_t end = std::min(text.find(';'), text.size());
  if (size_t brace = text.find('{');
      text.front() == '.' && brace < end &&
      (text.take_front(brace).contains(".entry") ||
       text.take_front(brace).contains(".func")))
    end = brace;
  statement = text.take_front(end);
  text = text.drop_front(end);
  text.consume_front(";");
  line += statement.count('\n');
  return true;
}

void Reader::readDirective(llvm::StringRef statement) {
  if (statement.consume_front(".target")) {
    target = statement.split(',').first.trim().str();
  } else if (statement.consume_front(".loc")) {
    SourcePosition position;
    llvm::StringRef numbers = statement.trim();
    numbers.consumeInteger(10, position.file);
    numbers = numbers.ltrim();
    numbers.consumeInteger(10, position.line);
    source = position;
  } else if (isInEntry && (statement.consume_front(".reqntid") ||
                           statement.consume_front(".maxntid"))) {
    int threads = 1;
    llvm::SmallVector<llvm::StringRef> extents;
    statement.split(extents, ',');
    for (llvm::StringRef extent : extents) {
      int number = 1;
      extent.trim(" \t{").getAsInteger(10, number);
      threads *= number;
    }
    listings.back().threads = threads;
  } else if (size_t at = statement.find(".entry");
             depth == 0 && at != llvm::StringRef::npos) {
    llvm::StringRef name = statement.drop_front(at + 6).ltrim();
    isInEntry = true;
    source.reset();
    listings.emplace_back();
    listings.back().target = target;
    listings.back().entry =
        name.take_until([](char c) { return c == '(' || llvm::isSpace(c); })
            .str();
    // Performance directives stand between the parameters and the body.
    size_t directives = statement.rfind(')');
    if (directives == llvm::StringRef::npos)
      return;
    llvm::SmallVector<llvm::StringRef> lines;
    statement.drop_front(directives + 1).split(lines, '\n');
    for (llvm::StringRef more : lines)
      if (more.trim().starts_with(".reqntid") ||
          more.trim().starts_with(".maxntid"))
        readDirective(more.trim());
  } else if (depth == 0 && statement.contains(".func")) {
    isInEntry = false;
  }
}

void Reader::readInstruction(llvm::StringRef statement) {
  Instruction instruction;
  instruction.line = statementLine;
  instruction.source = source;
  bool isConditional = false;
  if (statement.starts_with("@")) {
    isConditional = true;
    statement =
        statement.drop_until([](char c) { return llvm::isSpace(c); }).ltrim();
  }
  llvm::StringRef opcode =
      statement.take_until([](char c) { return llvm::isSpace(c); });
  llvm::StringRef operands = statement.drop_front(opcode.size()).trim();
  instruction.opcode = opcode.str();
  classifyPTX(instruction, operands);
  llvm::StringRef base = opcode.split('.').first;
  if (base == "bra") {
    instruction.target = operands.str();
    instruction.fallsThrough = isConditional;
  } else if (base == "ret" || base == "exit" || base == "trap") {
    instruction.fallsThrough = isConditional;
  }
  listings.back().instructions.push_back(std::move(instruction));
}

std::vector<Listing> Reader::read() {
  llvm::StringRef statement;
  while (nextStatement(statement)) {
    if (statement == "{") {
      ++depth;
    } else if (statement == "}") {
      if (--depth == 0)
        isInEntry = false;
    } else if (statement.front() == '.') {
      readDirective(statement);
    } else if (isInEntry && depth > 0) {
      if (statement.ends_with(":"))
        listings.back().labels.push_back(
            {statement.drop_back().str(), listings.back().instructions.size()});
      else if (statement != ";")
        readInstruction(statement);
    }
  }
  return std::move(listings);
}

llvm::Expected<std::vector<Listing>>
goat::report::readPTX(llvm::StringRef text) {
  std::vector<Listing> listings = Reader(text).read();
  if (listings.empty())
    return llvm::createStringError("expected PTX with an .entry but found "
                                   "none");
  return std::move(listings);
}
