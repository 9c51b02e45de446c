//===- Json.cpp - a result for programs -----------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints findings and counts as JSON.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Report.h"

#include <cstdio>

namespace goat::ptxsim {

namespace {

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      result += escaped;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string field(const char *name, uint64_t value) {
  return quote(name) + ": " + std::to_string(value);
}
std::string field(const char *name, std::string_view value) {
  return quote(name) + ": " + quote(value);
}

std::string findingObject(const Finding &finding) {
  return "    {" + field("kind", findingKindName(finding.kind)) + ", " +
         field("message", finding.message) + ", " +
         field("kernel", finding.kernel) + ", " + field("line", finding.line) +
         ", " + field("text", finding.text) + ", " +
         field("source", finding.source) + ", \"block\": [" +
         std::to_string(finding.block[0]) + ", " +
         std::to_string(finding.block[1]) + ", " +
         std::to_string(finding.block[2]) + "], " +
         field("warp", finding.warp) + ", " + field("lanes", finding.lanes) +
         ", " + field("address", finding.address) + ", " +
         field("allocation", finding.allocation) + ", " +
         field("occurrences", finding.occurrences) + "}";
}

} // namespace

std::string jsonReport(const LaunchResult &result,
                       const Prediction *prediction) {
  std::string out = "{\n  \"completed\": ";
  out += result.completed ? "true" : "false";
  char seconds[80];
  std::snprintf(seconds, sizeof(seconds),
                ",\n  \"host_seconds\": %.6f,\n  \"cpu_seconds\": %.6f",
                result.hostSeconds, result.cpuSeconds);
  out += seconds;
  out += ",\n  \"findings\": [";
  for (size_t i = 0; i < result.findings.size(); ++i)
    out += (i ? ",\n" : "\n") + findingObject(result.findings[i]);
  out += result.findings.empty() ? "],\n" : "\n  ],\n";
  const Counts &counts = result.counts;
  out += "  \"counts\": {" +
         field("warp_instructions", counts.warpInstructions) + ", " +
         field("tensor_flops", counts.tensorFlops) + ", " +
         field("shared_wavefronts", counts.sharedWavefronts) + ", " +
         field("bank_conflicts", counts.bankConflicts) + ", " +
         field("global_sectors", counts.globalSectors) + ", " +
         field("global_bytes", counts.globalBytes) + ", " +
         field("async_sectors", counts.asyncSectors) + ", " +
         field("block_sectors", counts.blockSectors) + ", " +
         field("unique_sectors_read", counts.uniqueSectorsRead) + ", " +
         field("unique_sectors_written", counts.uniqueSectorsWritten) +
         ",\n    \"tensor_flops_by_kind\": {";
  bool isFirst = true;
  for (size_t i = 0; i < counts.tensorFlopsByKind.size(); ++i) {
    if (!counts.tensorFlopsByKind[i])
      continue;
    out += (isFirst ? "" : ", ") +
           field(tensorKindName(static_cast<TensorKind>(i)),
                 counts.tensorFlopsByKind[i]);
    isFirst = false;
  }
  out += "},\n    \"classes\": {";
  isFirst = true;
  for (size_t i = 0; i < counts.byClass.size(); ++i) {
    if (!counts.byClass[i])
      continue;
    out += (isFirst ? "" : ", ") +
           field(opClassName(static_cast<OpClass>(i)), counts.byClass[i]);
    isFirst = false;
  }
  out += "}}";
  if (prediction)
    out += ",\n  \"prediction\": " + predictionJson(*prediction);
  return out + "\n}\n";
}

} // namespace goat::ptxsim
