//===- Text.cpp - numbers and files of a command line ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers are read by the C library, which also accepts less than the whole.
//
//===----------------------------------------------------------------------===//

#include "Text.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace goat::ptxsim {

bool parseUnsigned(std::string_view view, uint64_t most, uint64_t &value) {
  std::string text(view);
  char *end = nullptr;
  errno = 0;
  value = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) &&
         end == text.c_str() + text.size() && errno == 0 && value <= most;
}

bool parseSigned(std::string_view text, int64_t most, int64_t &value) {
  bool isNegative = !text.empty() && text[0] == '-';
  uint64_t magnitude = 0;
  if (!parseUnsigned(isNegative ? text.substr(1) : text,
                     uint64_t(most) + isNegative, magnitude))
    return false;
  value = static_cast<int64_t>(isNegative ? 0 - magnitude : magnitude);
  return true;
}

bool parseDouble(std::string_view view, double &value) {
  std::string text(view);
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

bool parseTriple(std::string_view text, uint32_t least,
                 std::array<uint32_t, 3> &triple) {
  for (unsigned i = 0;; ++i) {
    size_t comma = text.find(',');
    uint64_t value = 0;
    if (i == 3 || !parseUnsigned(text.substr(0, comma), UINT32_MAX, value) ||
        value < least)
      return false;
    triple[i] = static_cast<uint32_t>(value);
    if (comma == std::string_view::npos)
      return true;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::string> readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  // A directory opens, and fails when it is read.
  if (!stream || (stream.peek() != EOF && !(text << stream.rdbuf())) ||
      stream.bad())
    return std::nullopt;
  return text.str();
}

bool writeFile(const std::string &path, std::string_view header,
               std::string_view data) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(header.data(), static_cast<std::streamsize>(header.size()));
  stream.write(data.data(), static_cast<std::streamsize>(data.size()));
  stream.flush();
  return static_cast<bool>(stream);
}

} // namespace goat::ptxsim
