//===- Tool.cpp - the command line of goat-sim ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a launch from the command line, runs it, prints what was found.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Report.h"

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

bool parseInteger(const std::string &text, int64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = text[0] == '-'
              ? std::strtoll(text.c_str(), &end, 0)
              : static_cast<int64_t>(std::strtoull(text.c_str(), &end, 0));
  return !text.empty() && !*end && errno == 0;
}

bool parseTriple(const std::string &text, std::array<uint32_t, 3> &triple) {
  triple = {1, 1, 1};
  std::stringstream stream(text);
  std::string part;
  for (unsigned i = 0; std::getline(stream, part, ','); ++i) {
    int64_t value = 0;
    if (i == 3 || !parseInteger(part, value) || value < 1 || value > INT32_MAX)
      return false;
    triple[i] = static_cast<uint32_t>(value);
  }
  return !text.empty();
}

/// The bytes of an array: a .npy begins with its magic, two bytes of version
/// and the length of its header.
std::string_view arrayData(std::string_view file) {
  if (file.size() < 12 || file.substr(0, 6) != "\x93NUMPY")
    return file;
  bool isLong = file[6] >= 2;
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, isLong ? 4 : 2);
  size_t begin = (isLong ? 12 : 10) + size_t(length);
  return begin <= file.size() ? file.substr(begin) : std::string_view();
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
  int64_t integer = 0;
  if (kind == "null") {
    arguments.pointer(0);
    return "";
  }
  if (kind == "u32" || kind == "i32" || kind == "u64" || kind == "i64") {
    if (!parseInteger(value, integer))
      return "expected an integer in '" + text + "'";
    if (kind[1] == '3')
      arguments.u32(static_cast<uint32_t>(integer));
    else
      arguments.i64(integer);
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
    std::string_view data = arrayData(*file);
    uint64_t address = memory.allocate(data.size(), name);
    memory.write(address, data.data(), data.size());
    arguments.pointer(address);
    return "";
  }
  if (kind == "out" || kind == "zero") {
    size_t second = value.find(':');
    std::string path =
        second == std::string::npos ? "" : value.substr(second + 1);
    if (!parseInteger(value.substr(0, second), integer) || integer < 0)
      return "expected a number of bytes in '" + text + "'";
    uint64_t bytes = static_cast<uint64_t>(integer);
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
    int64_t number = 0;
    bool isNumber = parseInteger(value, number) && number >= 0;
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
    else if (name == "--smem" && isNumber && number <= (1 << 20))
      config.dynamicSharedBytes = static_cast<uint32_t>(number);
    else if (name == "--seed" && isNumber)
      config.seed = static_cast<uint64_t>(number);
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
