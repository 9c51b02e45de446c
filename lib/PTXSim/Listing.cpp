//===- Listing.cpp - the PTX with counts
//-----------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every line of the PTX after what its execution cost.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Report.h"

#include <cstdio>

namespace goat::ptxsim {

std::string annotatedListing(std::string_view text,
                             const LaunchResult &result) {
  std::string out = "  executed  conflicts\n";
  const std::vector<LineCounts> &lines = result.counts.lines;
  for (size_t line = 1; !text.empty(); ++line) {
    size_t end = text.find('\n');
    std::string_view content = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    char prefix[48] = "                      ";
    if (line < lines.size() && lines[line].warpInstructions)
      std::snprintf(
          prefix, sizeof(prefix), "%10llu %10llu ",
          static_cast<unsigned long long>(lines[line].warpInstructions),
          static_cast<unsigned long long>(lines[line].bankConflicts));
    out += prefix;
    out += content;
    out += '\n';
  }
  return out;
}

} // namespace goat::ptxsim
