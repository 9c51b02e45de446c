//===- parser-fuzzer.cpp - any bytes as PTX -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever the text, it is parsed or refused with a place and a reason; what
// parses is run for a while and ends in findings.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/PTXSim.h"

#include <cstdio>
#include <cstdlib>

using namespace goat::ptxsim;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  Result<Module> module = Module::parse(text, "fuzz");
  if (!module) {
    // "fuzz:line:column: reason"
    unsigned line = 0, column = 0;
    int end = 0;
    if (std::sscanf(module.error().c_str(), "fuzz:%u:%u: %n", &line, &column,
                    &end) != 2 ||
        !end || module.error().size() <= size_t(end)) {
      std::fprintf(stderr, "expected a place and a reason but got '%s'\n",
                   module.error().c_str());
      std::abort();
    }
    return 0;
  }
  for (const KernelInfo &kernel : module->kernels()) {
    Memory memory;
    uint64_t buffer = memory.allocate(4096, "buffer", 256, Init::Zero);
    Arguments arguments;
    for (const ParamInfo &param : kernel.params) {
      if (param.size > 4096)
        return 0;
      std::string bytes(param.size, '\0');
      if (param.size == 8)
        for (unsigned i = 0; i < 8; ++i)
          bytes[i] = static_cast<char>(buffer >> 8 * i);
      arguments.bytes(bytes.data(), bytes.size());
    }
    LaunchConfig config;
    config.block = {48, 1, 1};
    if (kernel.requiredThreads[0])
      config.block = kernel.requiredThreads;
    config.dynamicSharedBytes = kernel.usesDynamicShared ? 1024 : 0;
    config.maxBlockInstructions = 2000;
    config.seed = size;
    launch(*module, kernel.name, memory, arguments, config);
  }
  return 0;
}
