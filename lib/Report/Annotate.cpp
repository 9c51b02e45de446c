//===- Annotate.cpp - where each line of PTX came from --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the PTX, the tile program and the source line by line, for the listing
// of the HTML page.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Report.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace goat::report;

static std::vector<std::string> splitLines(llvm::StringRef text) {
  std::vector<std::string> lines;
  for (text = text.rtrim(); !text.empty();) {
    auto [line, rest] = text.split('\n');
    lines.push_back(line.rtrim().str());
    text = rest;
  }
  return lines;
}

/// Whether a line of PTX only says where other lines came from.
static bool isDebugLine(llvm::StringRef line) {
  line = line.ltrim();
  return line.starts_with(".loc") || line.starts_with(".file") ||
         line.starts_with("$L__tmp") || line.starts_with("$L__func_") ||
         line.starts_with(".section");
}

std::string goat::report::withoutLines(llvm::StringRef ptx) {
  std::string text;
  for (const std::string &line : splitLines(ptx))
    if (!isDebugLine(line))
      text += line + "\n";
  return text;
}

AnnotatedListing goat::report::annotate(const Origin &origin) {
  AnnotatedListing result;
  result.source = splitLines(origin.source);
  result.tile = splitLines(origin.tile);
  result.sourceLines = origin.sourceLines;
  result.sourceLines.resize(result.tile.size());

  std::map<int, ListingLine> known;
  llvm::Expected<std::vector<Listing>> listings = readPTX(origin.ptx);
  if (!listings)
    llvm::consumeError(listings.takeError());
  else
    for (const Listing &listing : *listings) {
      // 1 for the unmasked loop, 2 and up for masked ones.
      std::vector<int> loopOf(listing.instructions.size(), 0);
      for (auto [number, loop] : llvm::enumerate(findTileLoops(listing)))
        for (size_t index : loop.instructions)
          loopOf[index] = number + 1;
      for (auto [index, instruction] : llvm::enumerate(listing.instructions))
        known.insert({instruction.line,
                      {"", instruction.kind, instruction.pipe, loopOf[index],
                       instruction.source ? instruction.source->line : 0}});
    }
  for (auto [index, text] : llvm::enumerate(splitLines(origin.ptx))) {
    if (isDebugLine(text))
      continue;
    auto found = known.find(index + 1);
    ListingLine line = found == known.end() ? ListingLine() : found->second;
    line.text = text;
    // A line of a text that was not made from this tile program.
    if (size_t(line.tileLine) > result.tile.size())
      line.tileLine = 0;
    result.ptx.push_back(std::move(line));
  }
  return result;
}
