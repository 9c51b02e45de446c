//===- Options.cpp - the command line of goat-sim -------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table with one row for each option: how it is called, what its value is,
// what the help says, and what it changes.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "KernelArguments.h"
#include "Text.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

struct OptionRow {
  const char *name;
  /// How the help calls the value; empty for a switch.
  const char *value;
  const char *help;
  /// What the value has to be, for the message when it is not.
  const char *expected;
  bool (*set)(Options &options, const std::string &value);
};

bool setU32(uint32_t &field, const std::string &text, uint64_t most) {
  uint64_t number = 0;
  if (!parseUnsigned(text, most, number))
    return false;
  field = static_cast<uint32_t>(number);
  return true;
}

const char *const aTriple = "one to three numbers from 1, divided by commas";

const OptionRow rows[] = {
    {"--entry", "NAME", "the kernel", "a name",
     [](Options &o, const std::string &text) {
       o.entry = text;
       return !text.empty();
     }},
    {"--grid", "X[,Y[,Z]]", "blocks (default 1,1,1)", aTriple,
     [](Options &o, const std::string &text) {
       return parseTriple(text, 1, o.config.grid);
     }},
    {"--block", "X[,Y[,Z]]", "threads of a block (default 32,1,1)", aTriple,
     [](Options &o, const std::string &text) {
       o.config.block = {1, 1, 1};
       return parseTriple(text, 1, o.config.block);
     }},
    {"--cluster", "X[,Y[,Z]]",
     "blocks of a cluster (default 1,1,1, or what the kernel requires)",
     aTriple,
     [](Options &o, const std::string &text) {
       return parseTriple(text, 1, o.config.cluster);
     }},
    {"--smem", "BYTES", "dynamic shared memory (default 0)",
     "a number of bytes below 2^32",
     [](Options &o, const std::string &text) {
       return setU32(o.config.dynamicSharedBytes, text, UINT32_MAX);
     }},
    {"--arg", "KIND[:VALUE]", "", "an argument",
     [](Options &o, const std::string &text) {
       o.arguments.push_back(text);
       return true;
     }},
    {"--seed", "N", "draws the order of blocks and warps (default 0)",
     "a number from 0 to 2^64-1",
     [](Options &o, const std::string &text) {
       return parseUnsigned(text, UINT64_MAX, o.config.seed);
     }},
    {"--checks", "all|none", "what is checked besides addresses (default all)",
     "all or none",
     [](Options &o, const std::string &text) {
       o.config.checks = text == "none" ? Checks::None : Checks::All;
       return text == "none" || text == "all";
     }},
    {"--approx", "exact|promised|perturbed",
     "what ex2.approx and its like return: the value (default); NaN and a "
     "finding where the ISA promises no error; that, and elsewhere values off "
     "by up to the promised error",
     "exact, promised or perturbed",
     [](Options &o, const std::string &text) {
       o.config.approximation = text == "perturbed"  ? Approximation::Perturbed
                                : text == "promised" ? Approximation::Promised
                                                     : Approximation::Exact;
       return text == "exact" || text == "promised" || text == "perturbed";
     }},
    {"--mma-numerics", "N",
     "how mma, wmma and wgmma sum: 0 exactly (default), else one of the ways "
     "of "
     "hardware",
     "a number from 0 to 2^64-1",
     [](Options &o, const std::string &text) {
       return parseUnsigned(text, UINT64_MAX, o.config.mmaNumerics);
     }},
    {"--threads", "N", "host threads, 0 for all (default 1)",
     "a number from 0 to 1024",
     [](Options &o, const std::string &text) {
       return setU32(o.config.threads, text, 1024);
     }},
    {"--max-findings", "N", "stop after that many (default 16)",
     "a number from 0 to 1048576",
     [](Options &o, const std::string &text) {
       return setU32(o.config.maxFindings, text, 1 << 20);
     }},
    {"--json", "", "print the report as JSON", "",
     [](Options &o, const std::string &) { return o.json = true; }},
    {"--listing", "", "print the PTX with execution counts", "",
     [](Options &o, const std::string &) { return o.listing = true; }},
    {"--trace", "",
     "print each executed instruction, with what the lowest "
     "lane got",
     "", [](Options &o, const std::string &) { return o.trace = true; }},
    {"--trace-block", "X[,Y[,Z]]", "trace this block alone",
     "one to three numbers, divided by commas",
     [](Options &o, const std::string &text) {
       o.trace = true;
       return parseTriple(text, 0, o.traceBlock.emplace());
     }},
    {"--trace-warp", "N", "trace this warp of its block alone",
     "a number below 32",
     [](Options &o, const std::string &text) {
       o.trace = true;
       return setU32(o.traceWarp.emplace(), text, 31);
     }},
    {"--chip", "NAME",
     "predict the time on sm_80, sm_89, sm_90, sm_90-h200, "
     "sm_100 or sm_120",
     "sm_80, sm_89, sm_90, sm_90-h200, sm_100 or sm_120",
     [](Options &o, const std::string &text) {
       o.chip = findChip(text);
       return o.chip != nullptr;
     }},
    {"--registers", "N", "registers of a thread as ptxas says, for --chip",
     "a number from 1 to 255",
     [](Options &o, const std::string &text) {
       return setU32(o.registers, text, 255) && o.registers;
     }},
    {"--roofline", "FILE", "with --chip, write a plot as SVG", "a file",
     [](Options &o, const std::string &text) {
       o.roofline = text;
       return !text.empty();
     }},
    {"--instructions", "", "print the supported instructions and end", "",
     [](Options &o, const std::string &) { return o.instructions = true; }},
    {"--instructions-page", "", "print them as a page and end", "",
     [](Options &o, const std::string &) { return o.instructionsPage = true; }},
    {"--help", "", "print this and end", "",
     [](Options &o, const std::string &) { return o.help = true; }},
};

const OptionRow *findRow(const std::string &name) {
  for (const OptionRow &row : rows)
    if (name == row.name)
      return &row;
  return nullptr;
}

} // namespace

std::string parseOptions(int argc, const char *const *argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option.substr(0, 1) != "-") {
      if (!options.path.empty())
        return "expected one FILE.ptx but got '" + options.path + "' and '" +
               option + "'";
      options.path = option;
      continue;
    }
    size_t equals = option.find('=');
    std::string name = option.substr(0, equals);
    const OptionRow *row = findRow(name);
    if (!row)
      return "unknown option '" + name + "'; --help lists the options";
    std::string value;
    if (!*row->value) {
      if (equals != std::string::npos)
        return "expected no value for " + name + " but got '" +
               option.substr(equals + 1) + "'";
    } else if (equals != std::string::npos) {
      value = option.substr(equals + 1);
    } else if (i + 1 < argc) {
      value = argv[++i];
    } else {
      return "expected " + std::string(row->expected) + " after " + name;
    }
    if (!row->set(options, value))
      return "expected " + std::string(row->expected) + " for " + name +
             " but got '" + value + "'";
  }
  if (!options.help && !options.instructions && !options.instructionsPage &&
      (options.path.empty() || options.entry.empty()))
    return "expected FILE.ptx and --entry=NAME; --help says more";
  if (!options.chip && (options.registers || !options.roofline.empty()))
    return "expected --chip with --registers and --roofline";
  return "";
}

std::string optionsHelp() {
  std::string text =
      "usage: goat-sim FILE.ptx --entry=NAME [options]\n"
      "\n"
      "Executes a kernel on the CPU and reports what it does wrong. Exit "
      "status: 0\n"
      "when nothing was found, 1 with findings, 2 when the call is wrong.\n"
      "\n"
      "options:\n";
  for (const OptionRow &row : rows) {
    if (!*row.help) {
      text += KernelArguments::help;
      continue;
    }
    std::string left = std::string("  ") + row.name;
    if (*row.value)
      left += std::string("=") + row.value;
    left.resize(std::max<size_t>(left.size(), 24), ' ');
    text += left + " - " + row.help + "\n";
  }
  return text;
}

} // namespace goat::ptxsim
