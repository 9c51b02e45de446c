//===- Tool.cpp - the command line of goat-sim ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a launch from the command line, runs it, prints what was found.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Report.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace goat::ptxsim {

namespace {

const char *const usage =
    "usage: goat-sim FILE.ptx --entry=NAME [options]\n"
    "\n"
    "Executes a kernel on the CPU and reports what it does wrong. Exit status: "
    "0\n"
    "when nothing was found, 1 with findings, 2 when the call is wrong.\n"
    "\n"
    "options:\n"
    "  --entry=NAME        - the kernel\n"
    "  --grid=X[,Y[,Z]]    - blocks (default 1,1,1)\n"
    "  --block=X[,Y[,Z]]   - threads of a block (default 32,1,1)\n"
    "  --smem=BYTES        - dynamic shared memory (default 0)\n"
    "  --arg=KIND[:VALUE]  - the next parameter: u32, i32, u64, i64, f32 or "
    "f64 "
    "with a number; null;\n"
    "                        in:FILE, a buffer with the contents of FILE (raw, "
    "or the data of a .npy);\n"
    "                        out:BYTES[:FILE], uninitialised, written to FILE "
    "afterwards;\n"
    "                        zero:BYTES[:FILE], the same filled with zeros\n"
    "  --seed=N            - draws the order of blocks and warps (default 0)\n"
    "  --threads=N         - host threads, 0 for all (default 1)\n"
    "  --max-findings=N    - stop after that many (default 16)\n"
    "  --json              - print the report as JSON\n"
    "  --listing           - print the PTX with execution counts\n"
    "  --instructions      - print the supported instructions and end\n"
    "  --help              - print this and end\n";

int refuse(const std::string &message) {
  std::fprintf(stderr, "goat-sim: %s\n", message.c_str());
  return 2;
}

std::optional<std::string> readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return std::nullopt;
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A number from 0 to `most`, decimal or 0x.
bool parseUnsigned(const std::string &text, uint64_t most, uint64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) &&
         !*end && errno == 0 && value <= most;
}

/// The same from -most-1 to most.
bool parseSigned(const std::string &text, int64_t most, int64_t &value) {
  bool isNegative = !text.empty() && text[0] == '-';
  uint64_t magnitude = 0;
  if (!parseUnsigned(isNegative ? text.substr(1) : text,
                     uint64_t(most) + isNegative, magnitude))
    return false;
  value = static_cast<int64_t>(isNegative ? 0 - magnitude : magnitude);
  return true;
}

bool parseTriple(const std::string &text, std::array<uint32_t, 3> &triple) {
  triple = {1, 1, 1};
  std::stringstream stream(text);
  std::string part;
  for (unsigned i = 0; std::getline(stream, part, ','); ++i) {
    uint64_t value = 0;
    if (i == 3 || !parseUnsigned(part, UINT32_MAX, value) || value < 1)
      return false;
    triple[i] = static_cast<uint32_t>(value);
  }
  return !text.empty();
}

/// What follows `key` in the header of a .npy, without blanks in front.
std::string_view headerValue(std::string_view header, std::string_view key) {
  size_t at = header.find(key);
  if (at == std::string_view::npos)
    return {};
  size_t begin = header.find_first_not_of(" :", at + key.size());
  return begin == std::string_view::npos ? std::string_view()
                                         : header.substr(begin);
}

/// Sets `data` to the bytes of an array. A .npy begins with its magic, two
/// bytes of version and the length of its header, which is the text of a Python
/// dictionary; any other file is its bytes. Returns what is wrong, or nothing.
std::string arrayData(std::string_view file, std::string_view &data) {
  data = file;
  if (file.substr(0, 6) != "\x93NUMPY")
    return "";
  if (file.size() < 12)
    return "expected the header of a .npy";
  bool isLong = file[6] >= 2;
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, isLong ? 4 : 2);
  size_t begin = (isLong ? 12 : 10) + size_t(length);
  if (begin > file.size())
    return "expected the header of a .npy";
  std::string_view header = file.substr(0, begin);
  data = file.substr(begin);
  std::string_view type = headerValue(header, "'descr'");
  if (type.empty() || type[0] != '\'')
    return "expected an array of numbers, not of records";
  type = type.substr(1, type.find('\'', 1) - 1);
  uint64_t elementBytes = 0;
  // V: formats NumPy has no name for, such as bf16.
  if (type.size() < 3 || std::string_view("<|=").find(type[0]) == type.npos ||
      std::string_view("biufcV").find(type[1]) == type.npos ||
      !parseUnsigned(std::string(type.substr(2)), 32, elementBytes))
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
    for (; std::isdigit(static_cast<unsigned char>(shape[i])); ++i, ++digits)
      extent = 10 * extent + static_cast<uint64_t>(shape[i] - '0');
    if (digits && __builtin_mul_overflow(bytes, extent, &bytes))
      return "expected a shape that fits in memory";
    if (digits)
      --i;
  }
  if (bytes != data.size())
    return "expected " + std::to_string(bytes) +
           " bytes after the header but got " + std::to_string(data.size());
  return "";
}

struct Output {
  uint64_t address;
  uint64_t bytes;
  std::string path;
};

/// Adds one argument; the error is empty when it is understood.
std::string addArgument(const std::string &text, size_t index, Memory &memory,
                        Arguments &arguments, std::vector<Output> &outputs) {
  size_t colon = text.find(':');
  std::string kind = text.substr(0, colon);
  std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
  std::string name = "argument " + std::to_string(index);
  if (kind == "null") {
    arguments.pointer(0);
    return "";
  }
  if (kind == "u32" || kind == "u64") {
    uint64_t most = kind == "u32" ? UINT32_MAX : UINT64_MAX, number = 0;
    if (!parseUnsigned(value, most, number))
      return "expected an integer from 0 to " + std::to_string(most) + " in '" +
             text + "'";
    if (kind == "u32")
      arguments.u32(static_cast<uint32_t>(number));
    else
      arguments.u64(number);
    return "";
  }
  if (kind == "i32" || kind == "i64") {
    int64_t most = kind == "i32" ? INT32_MAX : INT64_MAX, number = 0;
    if (!parseSigned(value, most, number))
      return "expected an integer from " + std::to_string(-most - 1) + " to " +
             std::to_string(most) + " in '" + text + "'";
    if (kind == "i32")
      arguments.i32(static_cast<int32_t>(number));
    else
      arguments.i64(number);
    return "";
  }
  if (kind == "f32" || kind == "f64") {
    char *end = nullptr;
    double number = std::strtod(value.c_str(), &end);
    if (value.empty() || *end)
      return "expected a number in '" + text + "'";
    if (kind == "f32")
      arguments.f32(static_cast<float>(number));
    else
      arguments.f64(number);
    return "";
  }
  if (kind == "in") {
    std::optional<std::string> file = readFile(value);
    if (!file)
      return "expected a file that can be read but got '" + value + "'";
    std::string_view data;
    std::string error = arrayData(*file, data);
    if (!error.empty())
      return error + " in '" + value + "'";
    uint64_t address = memory.allocate(data.size(), name);
    if (!address)
      return "expected room for " + std::to_string(data.size()) + " bytes";
    memory.write(address, data.data(), data.size());
    arguments.pointer(address);
    return "";
  }
  if (kind == "out" || kind == "zero") {
    size_t second = value.find(':');
    std::string path =
        second == std::string::npos ? "" : value.substr(second + 1);
    uint64_t bytes = 0;
    if (!parseUnsigned(value.substr(0, second), UINT64_MAX, bytes))
      return "expected a number of bytes in '" + text + "'";
    uint64_t address = memory.allocate(
        bytes, name, 256, kind == "out" ? Init::Uninitialised : Init::Zero);
    if (!address)
      return "expected room for " + std::to_string(bytes) + " bytes";
    arguments.pointer(address);
    outputs.push_back({address, bytes, path});
    return "";
  }
  return "expected a kind of argument (--help lists them) but got '" + kind +
         "'";
}

int run(const std::string &path, const std::string &entry,
        const std::vector<std::string> &argumentTexts,
        const LaunchConfig &config, bool isJson, bool isListing) {
  std::optional<std::string> text = readFile(path);
  if (!text)
    return refuse("expected a file that can be read but got '" + path + "'");
  Result<Module> module = Module::parse(*text, path);
  if (!module)
    return refuse(module.error());
  Memory memory;
  Arguments arguments;
  std::vector<Output> outputs;
  for (size_t i = 0; i < argumentTexts.size(); ++i) {
    std::string error =
        addArgument(argumentTexts[i], i, memory, arguments, outputs);
    if (!error.empty())
      return refuse(error);
  }
  Result<LaunchResult> result =
      launch(*module, entry, memory, arguments, config);
  if (!result)
    return refuse(result.error());
  for (const Output &output : outputs) {
    if (output.path.empty())
      continue;
    std::vector<char> bytes(output.bytes);
    memory.read(output.address, bytes.data(), output.bytes);
    std::ofstream stream(output.path, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream)
      return refuse("expected a file that can be written but got '" +
                    output.path + "'");
  }
  if (isListing)
    std::fputs(annotatedListing(*text, *result).c_str(), stdout);
  if (isJson) {
    std::fputs(jsonReport(*result).c_str(), stdout);
  } else {
    for (const Finding &finding : result->findings)
      std::printf("%s\n", finding.str().c_str());
    std::printf(
        "%zu findings, %llu warp instructions\n", result->findings.size(),
        static_cast<unsigned long long>(result->counts.warpInstructions));
  }
  return result->findings.empty() && result->completed ? 0 : 1;
}

} // namespace

int simMain(int argc, const char *const *argv) {
  std::string path, entry;
  std::vector<std::string> arguments;
  LaunchConfig config;
  bool isJson = false, isListing = false;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    size_t equals = option.find('=');
    std::string name = option.substr(0, equals);
    std::string value =
        equals == std::string::npos ? "" : option.substr(equals + 1);
    uint64_t number = 0;
    bool isNumber = parseUnsigned(value, UINT64_MAX, number);
    if (option == "--help") {
      std::fputs(usage, stdout);
      return 0;
    }
    if (option == "--instructions") {
      for (const std::string &pattern : supportedInstructions())
        std::printf("%s\n", pattern.c_str());
      return 0;
    }
    if (option == "--json")
      isJson = true;
    else if (option == "--listing")
      isListing = true;
    else if (name == "--entry")
      entry = value;
    else if (name == "--arg")
      arguments.push_back(value);
    else if (name == "--grid" && parseTriple(value, config.grid))
      continue;
    else if (name == "--block" && parseTriple(value, config.block))
      continue;
    else if (name == "--smem" && isNumber && number <= UINT32_MAX)
      config.dynamicSharedBytes = static_cast<uint32_t>(number);
    else if (name == "--seed" && isNumber)
      config.seed = number;
    else if (name == "--threads" && isNumber && number <= 1024)
      config.threads = static_cast<uint32_t>(number);
    else if (name == "--max-findings" && isNumber && number <= 1 << 20)
      config.maxFindings = static_cast<uint32_t>(number);
    else if (option[0] != '-' && path.empty())
      path = option;
    else
      return refuse("unknown option or value '" + option +
                    "'; --help lists the options");
  }
  if (path.empty() || entry.empty())
    return refuse("expected FILE.ptx and --entry=NAME; --help says more");
  return run(path, entry, arguments, config, isJson, isListing);
}

} // namespace goat::ptxsim
