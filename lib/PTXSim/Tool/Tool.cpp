//===- Tool.cpp - goat-sim ------------------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does what the command line says: parse, launch, write the outputs, report.
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"
#include "Options.h"
#include "Text.h"
#include "goat/PTXSim/Report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <unistd.h>

namespace goat::ptxsim {

namespace {

int refuse(const std::string &message) {
  std::fprintf(stderr, "goat-sim: %s\n", message.c_str());
  return 2;
}

void print(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

/// A line on the terminal that is drawn over whenever one percent is done.
std::function<void(uint64_t, uint64_t)> progressBar() {
  if (!isatty(STDERR_FILENO))
    return nullptr;
  return [shown = uint64_t(~0ull)](uint64_t done, uint64_t total) mutable {
    uint64_t percent = done * 100 / total;
    if (percent == shown)
      return;
    shown = percent;
    std::string bar(percent / 4, '#');
    std::fprintf(stderr, "\r[%-25s] %llu of %llu blocks%s", bar.c_str(),
                 static_cast<unsigned long long>(done),
                 static_cast<unsigned long long>(total),
                 done == total ? "\n" : "");
  };
}

/// Prints the events that the filters let pass.
std::function<void(const TraceEvent &)> tracer(const Options &options) {
  return [&options](const TraceEvent &event) {
    if ((options.traceBlock && *options.traceBlock != event.block) ||
        (options.traceWarp && *options.traceWarp != event.warp))
      return;
    std::printf("block (%u,%u,%u) warp %u lanes 0x%08x line %u: %s",
                event.block[0], event.block[1], event.block[2], event.warp,
                event.lanes, event.line, event.text.c_str());
    if (event.valueBytes)
      std::printf(" -> 0x%0*llx", static_cast<int>(2 * event.valueBytes),
                  static_cast<unsigned long long>(event.value));
    std::printf("\n");
  };
}

/// docs/generated/ptx-instructions.md: the patterns under the word each begins
/// with.
std::string instructionsPage() {
  std::map<std::string, std::vector<std::string>> families;
  for (const std::string &pattern : supportedInstructions()) {
    // A choice of words: the pattern belongs to each of them.
    bool isChoice = pattern[0] == '(';
    std::string words = isChoice
                            ? pattern.substr(1, pattern.find(')') - 1)
                            : pattern.substr(0, pattern.find_first_of(".("));
    std::string rest =
        pattern.substr(isChoice ? pattern.find(')') + 1 : words.size());
    for (size_t begin = 0; begin <= words.size();) {
      size_t end = std::min(words.find('|', begin), words.size());
      std::string word = words.substr(begin, end - begin);
      families[word].push_back(word + rest);
      begin = end + 1;
    }
  }
  std::string page =
      "# PTX instructions the simulator executes\n\n"
      "Printed by `goat-sim --instructions-page` from the tables of its "
      "decoder. `(a|b)` is a\nchoice and a trailing `?` makes it optional. "
      "Everything else is refused by name and line.\n";
  for (const auto &[word, patterns] : families) {
    page += "\n## " + word + "\n\n";
    for (const std::string &pattern : patterns)
      page += "    " + pattern + "\n";
  }
  return page;
}

int run(Options &options) {
  std::optional<std::string> text = readFile(options.path);
  if (!text)
    return refuse("expected a file that can be read but got '" + options.path +
                  "'");
  Result<Module> module = Module::parse(*text, options.path);
  if (!module)
    return refuse(module.error());
  Memory memory;
  KernelArguments arguments(memory);
  for (const std::string &argument : options.arguments) {
    std::string error = arguments.add(argument);
    if (!error.empty())
      return refuse(error);
  }
  options.config.progress = progressBar();
  if (options.trace)
    options.config.trace = tracer(options);
  Result<LaunchResult> result =
      launch(*module, options.entry, memory, arguments.get(), options.config);
  if (!result)
    return refuse(result.error());
  std::string error = arguments.writeOutputs();
  if (!error.empty())
    return refuse(error);
  std::optional<Prediction> prediction;
  if (options.chip) {
    LaunchShape shape;
    const LaunchConfig &config = options.config;
    shape.blocks = uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
    shape.threads = config.block[0] * config.block[1] * config.block[2];
    shape.registers = options.registers;
    for (const KernelInfo &kernel : module->kernels())
      if (kernel.name == options.entry)
        shape.sharedBytes =
            kernel.staticSharedBytes + config.dynamicSharedBytes;
    prediction = predict(result->counts, shape, *options.chip);
  }
  if (!options.roofline.empty() &&
      !writeFile(options.roofline, "", rooflineSvg(*prediction, options.entry)))
    return refuse("expected a file that can be written but got '" +
                  options.roofline + "'");
  if (options.listing)
    print(annotatedListing(*text, *result));
  if (options.json) {
    print(jsonReport(*result, prediction ? &*prediction : nullptr));
  } else {
    for (const Finding &finding : result->findings)
      print(finding.str() + "\n");
    print(std::to_string(result->findings.size()) + " findings, " +
          std::to_string(result->counts.warpInstructions) +
          " warp instructions\n");
    if (prediction)
      print(predictionText(*prediction));
  }
  return result->findings.empty() && result->completed ? 0 : 1;
}

} // namespace

int simMain(int argc, const char *const *argv) {
  Options options;
  std::string error = parseOptions(argc, argv, options);
  if (!error.empty())
    return refuse(error);
  if (options.help) {
    print(optionsHelp());
    return 0;
  }
  if (options.instructions) {
    for (const std::string &pattern : supportedInstructions())
      print(pattern + "\n");
    return 0;
  }
  if (options.instructionsPage) {
    print(instructionsPage());
    return 0;
  }
  return run(options);
}

} // namespace goat::ptxsim
