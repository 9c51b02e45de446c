//===- KernelArguments.h - the kernel's arguments as text -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what `--arg` says, makes buffers, and writes them to files afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_TOOL_KERNELARGUMENTS_H
#define GOAT_LIB_PTXSIM_TOOL_KERNELARGUMENTS_H

#include "goat/PTXSim/PTXSim.h"

#include <string>
#include <string_view>
#include <vector>

namespace goat::ptxsim {

class KernelArguments {
public:
  explicit KernelArguments(Memory &memory) : memory(memory) {}

  /// Adds the next argument. Returns what is wrong with `text`, or nothing.
  std::string add(const std::string &text);
  const Arguments &get() const { return arguments; }

  /// Writes the buffers that have a file. Returns what went wrong, or nothing.
  std::string writeOutputs() const;

  /// What the help says about the kinds of arguments.
  static const char *const help;

private:
  struct Output {
    uint64_t address;
    uint64_t bytes;
    std::string path;
    /// What stands before the elements; empty for raw bytes.
    std::string header;
  };

  std::string addInteger(std::string_view kind, const std::string &text,
                         std::string_view value);
  std::string addFloat(std::string_view kind, const std::string &text,
                       std::string_view value);
  std::string addInput(const std::string &value, uint64_t &address);
  std::string addStruct(const std::string &path);
  std::string addFresh(const std::string &text, std::string_view value,
                       Init init, uint64_t &address);
  std::string addTensorMap(const std::string &value);
  uint64_t allocate(uint64_t bytes, Init init);

  Memory &memory;
  Arguments arguments;
  std::vector<Output> outputs;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_TOOL_KERNELARGUMENTS_H
