//===- KernelArguments.cpp - the kernel's arguments as text ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each family of kinds.
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"
#include "../Numerics.h"
#include "Npy.h"
#include "TensorMapText.h"
#include "Text.h"

#include <cstring>

namespace goat::ptxsim {

const char *const KernelArguments::help =
    "  --arg=KIND[:VALUE]     - the next parameter of the kernel:\n"
    "                           u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 "
    "f64,\n"
    "                           with a number; null;\n"
    "                           in:FILE[:OUTFILE], a buffer with what is in "
    "FILE (raw, or\n"
    "                           the elements of a .npy), written to OUTFILE "
    "afterwards;\n"
    "                           out:SIZE[:FILE], uninitialised, and "
    "zero:SIZE[:FILE],\n"
    "                           filled with zeros, both written to FILE "
    "afterwards: SIZE\n"
    "                           is a number of bytes or, for a FILE that is "
    "a .npy, a\n"
    "                           type and a shape such as f32[2,3];\n"
    "                           struct:FILE, the bytes of FILE passed by "
    "value;\n"
    "                           "
    "tmap:TYPE[SHAPE],box[EXTENTS][,swizzle=32|64|128][,fill=nan]:BUFFER,\n"
    "                           a tensor map by value, outermost dimension "
    "first: BUFFER is\n"
    "                           in:FILE[:OUTFILE], out[:FILE] or "
    "zero[:FILE], or arg:N for\n"
    "                           the buffer that is argument N\n";

namespace {

struct ElementType {
  std::string_view name;
  unsigned bytes;
  /// NumPy's name.
  const char *numpy;
};
constexpr ElementType elementTypes[] = {
    {"u8", 1, "|u1"},  {"i8", 1, "|i1"},
    {"u16", 2, "<u2"}, {"i16", 2, "<i2"},
    {"u32", 4, "<u4"}, {"i32", 4, "<i4"},
    {"u64", 8, "<u8"}, {"i64", 8, "<i8"},
    {"f16", 2, "<f2"}, {"bf16", 2, "|V2"} /* has no name */,
    {"f32", 4, "<f4"}, {"f64", 8, "<f8"}};

const ElementType *findType(std::string_view name) {
  for (const ElementType &type : elementTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

bool endsIn(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

std::string cannotRead(std::string_view path) {
  return "expected a file that can be read but got '" + std::string(path) + "'";
}

/// A number of bytes, or "f32[2,3]".
bool parseSize(std::string_view text, uint64_t &bytes, std::string &header) {
  if (parseUnsigned(text, UINT64_MAX, bytes)) {
    header = npyHeader("|u1", {bytes});
    return true;
  }
  size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']')
    return false;
  const ElementType *type = findType(text.substr(0, open));
  if (!type)
    return false;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  std::vector<uint64_t> shape;
  bytes = type->bytes;
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    shape.push_back(0);
    if (!parseUnsigned(rest.substr(0, comma), UINT64_MAX, shape.back()) ||
        __builtin_mul_overflow(bytes, shape.back(), &bytes))
      return false;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size()
                                                       : comma + 1);
  }
  header = npyHeader(type->numpy, shape);
  return true;
}

} // namespace

std::string KernelArguments::addInteger(std::string_view kind,
                                        const std::string &text,
                                        std::string_view value) {
  unsigned bytes = findType(kind)->bytes;
  uint64_t bits = 0;
  if (kind[0] == 'u') {
    uint64_t most = UINT64_MAX >> (64 - 8 * bytes);
    if (!parseUnsigned(value, most, bits))
      return "expected an integer from 0 to " + std::to_string(most) +
             " but got '" + text + "'";
  } else {
    int64_t most = INT64_MAX >> (64 - 8 * bytes), number = 0;
    if (!parseSigned(value, most, number))
      return "expected an integer from " + std::to_string(-most - 1) + " to " +
             std::to_string(most) + " but got '" + text + "'";
    bits = static_cast<uint64_t>(number);
  }
  // The host is little-endian, as the device is.
  arguments.bytes(&bits, bytes);
  return "";
}

std::string KernelArguments::addFloat(std::string_view kind,
                                      const std::string &text,
                                      std::string_view value) {
  double number = 0;
  if (!parseDouble(value, number))
    return "expected a number but got '" + text + "'";
  if (kind == "f64") {
    arguments.f64(number);
    return "";
  }
  const FloatFormat &format = kind == "f32"   ? formatF32
                              : kind == "f16" ? formatF16
                                              : formatBF16;
  uint32_t bits = encode(number, format, Rounding::Nearest);
  uint32_t infinity = ((1u << format.exponentBits) - 1) << format.mantissaBits;
  uint32_t magnitude =
      bits & ((1u << (format.exponentBits + format.mantissaBits)) - 1);
  if (std::isfinite(number) && magnitude == infinity)
    return "expected a number that " + std::string(kind) +
           " can hold but got '" + text + "'";
  if (kind == "f32")
    arguments.u32(bits);
  else
    arguments.bits16(static_cast<uint16_t>(bits));
  return "";
}

uint64_t KernelArguments::allocate(uint64_t bytes, Init init) {
  return memory.allocate(
      bytes, "argument " + std::to_string(arguments.values().size()), 256,
      init);
}

std::string KernelArguments::addInput(const std::string &value,
                                      uint64_t &address) {
  size_t colon = value.find(':');
  std::string path = value.substr(0, colon);
  std::optional<std::string> file = readFile(path);
  if (!file)
    return cannotRead(path);
  std::string_view header, data;
  std::string error = readNpy(*file, header, data);
  if (!error.empty())
    return error + " in '" + path + "'";
  address = allocate(data.size(), Init::Uninitialised);
  if (!address)
    return "expected room for " + std::to_string(data.size()) + " bytes";
  memory.write(address, data.data(), data.size());
  if (colon == std::string::npos)
    return "";
  std::string outPath = value.substr(colon + 1);
  if (!endsIn(outPath, ".npy"))
    header = {};
  else if (header.empty())
    return "expected a .npy to be written from one that is read but got '" +
           value + "'";
  outputs.push_back({address, data.size(), outPath, std::string(header)});
  return "";
}

std::string KernelArguments::addStruct(const std::string &path) {
  std::optional<std::string> file = readFile(path);
  if (!file)
    return cannotRead(path);
  arguments.bytes(file->data(), file->size());
  return "";
}

std::string KernelArguments::addTensorMap(const std::string &value) {
  TensorMapDescription map;
  size_t colon = value.find(':');
  std::string error =
      parseTensorMap(std::string_view(value).substr(0, colon), map);
  if (!error.empty())
    return error;
  std::string shape = value.substr(0, value.find(']') + 1);
  if (shape.substr(0, 2) == "tf") // kept as fp32
    shape.erase(0, 1);
  std::string buffer =
      colon == std::string::npos ? "" : value.substr(colon + 1);
  size_t second = buffer.find(':');
  std::string kind = buffer.substr(0, second);
  std::string rest = second == std::string::npos ? "" : buffer.substr(second);
  uint64_t bytes = 0;
  std::string header;
  parseSize(shape, bytes, header);
  if (kind == "in") {
    error = addInput(rest.empty() ? rest : rest.substr(1), map.address);
  } else if (kind == "out" || kind == "zero") {
    error =
        addFresh("tmap:" + value, shape + rest,
                 kind == "out" ? Init::Uninitialised : Init::Zero, map.address);
  } else if (uint64_t index = 0;
             kind == "arg" &&
             parseUnsigned(std::string_view(rest).substr(!rest.empty()),
                           arguments.values().size(), index) &&
             index < arguments.values().size() &&
             arguments.values()[index].size() == 8) {
    std::memcpy(&map.address, arguments.values()[index].data(), 8);
  } else {
    error = "expected in:FILE, out, zero or arg:N with an earlier buffer after "
            "a tensor map but got '" +
            buffer + "'";
  }
  if (!error.empty())
    return error;
  Result<TensorMap> encoded = encodeTensorMap(map);
  if (!encoded)
    return encoded.error();
  arguments.tensorMap(*encoded);
  return "";
}

std::string KernelArguments::addFresh(const std::string &text,
                                      std::string_view value, Init init,
                                      uint64_t &address) {
  size_t colon = value.find(':');
  uint64_t bytes = 0;
  std::string header;
  if (!parseSize(value.substr(0, colon), bytes, header))
    return "expected a number of bytes, or a type and a shape such as "
           "f32[2,3], but got '" +
           text + "'";
  address = allocate(bytes, init);
  if (!address)
    return "expected room for " + std::to_string(bytes) + " bytes";
  if (colon == std::string_view::npos)
    return "";
  std::string path(value.substr(colon + 1));
  outputs.push_back({address, bytes, path, endsIn(path, ".npy") ? header : ""});
  return "";
}

std::string KernelArguments::add(const std::string &text) {
  size_t colon = text.find(':');
  std::string kind = text.substr(0, colon);
  std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "null") {
    arguments.pointer(0);
    return "";
  }
  if (findType(kind))
    return kind[0] == 'u' || kind[0] == 'i' ? addInteger(kind, text, value)
                                            : addFloat(kind, text, value);
  if (kind == "struct")
    return addStruct(value);
  if (kind == "tmap")
    return addTensorMap(value);
  if (kind == "in" || kind == "out" || kind == "zero") {
    uint64_t address = 0;
    std::string error =
        kind == "in"    ? addInput(value, address)
        : kind == "out" ? addFresh(text, value, Init::Uninitialised, address)
                        : addFresh(text, value, Init::Zero, address);
    if (error.empty())
      arguments.pointer(address);
    return error;
  }
  return "expected a kind of argument (--help lists them) but got '" + kind +
         "'";
}

std::string KernelArguments::writeOutputs() const {
  for (const Output &output : outputs) {
    std::string data(output.bytes, '\0');
    memory.read(output.address, data.data(), output.bytes);
    if (!writeFile(output.path, output.header, data))
      return "expected a file that can be written but got '" + output.path +
             "'";
  }
  return "";
}

} // namespace goat::ptxsim
