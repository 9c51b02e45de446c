//===- Options.h - the command line of goat-sim ---------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call of goat-sim asks for.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_TOOL_OPTIONS_H
#define GOAT_LIB_PTXSIM_TOOL_OPTIONS_H

#include "goat/PTXSim/Performance.h"

#include <optional>
#include <string>
#include <vector>

namespace goat::ptxsim {

struct Options {
  std::string path;
  std::string entry;
  /// What `--arg` said, in order.
  std::vector<std::string> arguments;
  LaunchConfig config;
  bool json = false;
  bool listing = false;
  /// The chip whose time is predicted; null for none.
  const Chip *chip = nullptr;
  /// Registers of a thread, 0 when not known.
  uint32_t registers = 0;
  /// Where the roofline goes; empty for nowhere.
  std::string roofline;
  /// Print executed instructions, of the block and the warp given if any.
  bool trace = false;
  std::optional<std::array<uint32_t, 3>> traceBlock;
  std::optional<uint32_t> traceWarp;
  /// End after printing what was asked for.
  bool help = false;
  bool instructions = false;
  bool instructionsPage = false;
};

/// Reads a command line; an option's value follows it or an equals sign.
/// Returns what is wrong, or nothing.
std::string parseOptions(int argc, const char *const *argv, Options &options);

/// The text of `--help`.
std::string optionsHelp();

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_TOOL_OPTIONS_H
