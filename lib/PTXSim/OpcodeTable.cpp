//===- OpcodeTable.cpp - all instructions, and how to find one ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the tables of the families and matches opcodes against their patterns.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace goat::ptxsim {

/// Matches and notes in `left` how little of `opcode` any attempt left over.
static bool match(std::string_view pattern, std::string_view opcode,
                  size_t &left) {
  while (!pattern.empty()) {
    if (opcode.empty() || opcode[0] == '.')
      left = std::min(left, opcode.size());
    if (pattern[0] != '(') {
      if (opcode.empty() || opcode[0] != pattern[0])
        return false;
      pattern.remove_prefix(1);
      opcode.remove_prefix(1);
      continue;
    }
    size_t close = pattern.find(')');
    std::string_view choices = pattern.substr(1, close - 1);
    std::string_view rest = pattern.substr(close + 1);
    bool isOptional = !rest.empty() && rest[0] == '?';
    if (isOptional)
      rest.remove_prefix(1);
    while (true) {
      size_t bar = choices.find('|');
      std::string_view choice = choices.substr(0, bar);
      if (opcode.substr(0, choice.size()) == choice &&
          match(rest, opcode.substr(choice.size()), left))
        return true;
      if (bar == std::string_view::npos)
        break;
      choices.remove_prefix(bar + 1);
    }
    if (!isOptional)
      return false;
    pattern = rest;
  }
  left = std::min(left, opcode.size());
  return opcode.empty();
}

bool matchesPattern(std::string_view pattern, std::string_view opcode) {
  size_t left = opcode.size();
  return match(pattern, opcode, left);
}

const char *keepPattern(std::string pattern) {
  static std::deque<std::string> kept;
  kept.push_back(std::move(pattern));
  return kept.back().c_str();
}

const std::vector<OpcodeRow> &opcodeTable() {
  static const std::vector<OpcodeRow> *table = [] {
    auto *rows = new std::vector<OpcodeRow>();
    for (auto family :
         {integerOpcodes,       bitOpcodes,          floatOpcodes,
          floatPairOpcodes,     extremumOpcodes,     approximateOpcodes,
          halfOpcodes,          compareOpcodes,      convertOpcodes,
          convertPackedOpcodes, convertSmallOpcodes, moveOpcodes,
          stackOpcodes,         memoryOpcodes,       asyncOpcodes,
          atomicOpcodes,        tensorOpcodes,       mmaFormOpcodes,
          wmmaOpcodes,          syncOpcodes,         mbarrierOpcodes,
          clusterOpcodes,       bulkOpcodes,         bulkGroupOpcodes,
          wgmmaOpcodes,         warpOpcodes,         controlOpcodes}) {
      std::vector<OpcodeRow> part = family();
      rows->insert(rows->end(), part.begin(), part.end());
    }
    std::unordered_set<std::string_view> known;
    for (const OpcodeRow &row : *rows)
      if (!known.insert(row.pattern).second) {
        std::fprintf(stderr,
                     "expected every pattern once in the table of "
                     "instructions but got '%s' twice\n",
                     row.pattern);
        std::abort();
      }
    return rows;
  }();
  return *table;
}

/// The rows that may match an opcode, by its first word, which patterns share
/// with what they match.
static const std::vector<const OpcodeRow *> &rowsOf(std::string_view opcode) {
  static const auto *byWord = [] {
    auto *map = new std::unordered_map<std::string_view,
                                       std::vector<const OpcodeRow *>>;
    for (const OpcodeRow &row : opcodeTable()) {
      std::string_view pattern = row.pattern;
      if (pattern[0] != '(') {
        (*map)[pattern.substr(0, pattern.find_first_of(".("))].push_back(&row);
        continue;
      }
      // A choice of words: the row is found under each.
      std::string_view words = pattern.substr(1, pattern.find(')') - 1);
      while (!words.empty()) {
        std::string_view word = words.substr(0, words.find('|'));
        (*map)[word].push_back(&row);
        words.remove_prefix(std::min(word.size() + 1, words.size()));
      }
    }
    return map;
  }();
  static const std::vector<const OpcodeRow *> none;
  auto it = byWord->find(opcode.substr(0, opcode.find('.')));
  return it == byWord->end() ? none : it->second;
}

const OpcodeRow *findOpcode(std::string_view opcode) {
  for (const OpcodeRow *row : rowsOf(opcode))
    if (matchesPattern(row->pattern, opcode))
      return row;
  return nullptr;
}

std::string explainUnknown(std::string_view opcode) {
  size_t left = opcode.size();
  for (const OpcodeRow *row : rowsOf(opcode))
    match(row->pattern, opcode, left);
  if (left == opcode.size())
    return "";
  std::string known(opcode.substr(0, opcode.size() - left));
  if (!left)
    return ": expected more after '" + known + "'";
  std::string_view rest = opcode.substr(opcode.size() - left);
  return ": '" + std::string(rest.substr(0, rest.find('.', 1))) +
         "' follows '" + known + "' in no form of the instruction";
}

std::vector<std::string> supportedInstructions() {
  std::vector<std::string> result;
  for (const OpcodeRow &row : opcodeTable())
    result.push_back(row.pattern);
  return result;
}

} // namespace goat::ptxsim
