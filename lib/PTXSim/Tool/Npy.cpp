//===- Npy.cpp - arrays in NumPy's file format ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes what lies in the file as it would lie in the memory of a kernel, and
// refuses what would not: big-endian numbers, Fortran order, records.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "Text.h"

#include <cctype>
#include <cstring>

namespace goat::ptxsim {

static constexpr std::string_view magic("\x93NUMPY", 6);

/// What follows `key` in the header of a .npy, without blanks in front.
static std::string_view headerValue(std::string_view header,
                                    std::string_view key) {
  size_t at = header.find(key);
  if (at == std::string_view::npos)
    return {};
  size_t begin = header.find_first_not_of(" :", at + key.size());
  return begin == std::string_view::npos ? std::string_view()
                                         : header.substr(begin);
}

std::string readNpy(std::string_view file, std::string_view &header,
                    std::string_view &data) {
  header = {};
  data = file;
  if (file.substr(0, magic.size()) != magic)
    return "";
  if (file.size() < 12)
    return "expected the header of a .npy";
  bool isLong = file[6] >= 2;
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, isLong ? 4 : 2);
  size_t begin = (isLong ? 12 : 10) + size_t(length);
  if (begin > file.size())
    return "expected the header of a .npy";
  header = file.substr(0, begin);
  data = file.substr(begin);
  std::string_view type = headerValue(header, "'descr'");
  if (type.empty() || type[0] != '\'')
    return "expected an array of numbers, not of records";
  type = type.substr(1, type.find('\'', 1) - 1);
  uint64_t elementBytes = 0;
  // V: formats NumPy has no name for, such as bf16.
  if (type.size() < 3 || std::string_view("<|=").find(type[0]) == type.npos ||
      std::string_view("biufcV").find(type[1]) == type.npos ||
      !parseUnsigned(type.substr(2), 32, elementBytes))
    return "expected little-endian numbers but got dtype '" +
           std::string(type) + "'";
  if (headerValue(header, "'fortran_order'").substr(0, 5) != "False")
    return "expected rows one after the other but got Fortran order; "
           "numpy.ascontiguousarray gives them";
  std::string_view shape = headerValue(header, "'shape'");
  uint64_t bytes = elementBytes;
  for (size_t i = 0; i < shape.size() && shape[i] != ')'; ++i) {
    uint64_t extent = 0;
    size_t digits = 0;
    for (;
         i < shape.size() && std::isdigit(static_cast<unsigned char>(shape[i]));
         ++i, ++digits)
      if (__builtin_mul_overflow(extent, 10, &extent) ||
          __builtin_add_overflow(extent, static_cast<uint64_t>(shape[i] - '0'),
                                 &extent))
        return "expected a shape that fits in memory";
    if (!digits)
      continue;
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return "expected a shape that fits in memory";
    --i;
  }
  if (bytes != data.size())
    return "expected " + std::to_string(bytes) +
           " bytes after the header but got " + std::to_string(data.size());
  return "";
}

std::string npyHeader(std::string_view type,
                      const std::vector<uint64_t> &shape) {
  std::string text = "{'descr': '" + std::string(type) +
                     "', 'fortran_order': False, 'shape': (";
  for (uint64_t extent : shape)
    text += std::to_string(extent) + ", ";
  if (shape.size() > 1)
    text.resize(text.size() - 2);
  text += "), }";
  // The elements begin at a multiple of 64 bytes.
  size_t begin = magic.size() + 4 + text.size() + 1;
  text.append((64 - begin % 64) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8 & 0xff);
  return header + text;
}

} // namespace goat::ptxsim
