//===- Text.h - numbers and files of a command line -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strict readers: a number is the whole of its text, or it is none.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_TOOL_TEXT_H
#define GOAT_LIB_PTXSIM_TOOL_TEXT_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace goat::ptxsim {

/// A number from 0 to `most`, decimal or 0x.
bool parseUnsigned(std::string_view text, uint64_t most, uint64_t &value);
/// The same from -most-1 to most.
bool parseSigned(std::string_view text, int64_t most, int64_t &value);
bool parseDouble(std::string_view text, double &value);
/// One to three numbers from `least` to 2^32-1, divided by commas; those that
/// are missing keep their value.
bool parseTriple(std::string_view text, uint32_t least,
                 std::array<uint32_t, 3> &triple);

/// All bytes of a file; nothing when it cannot be read.
std::optional<std::string> readFile(const std::string &path);
/// False when the file cannot be written.
bool writeFile(const std::string &path, std::string_view header,
               std::string_view data);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_TOOL_TEXT_H
