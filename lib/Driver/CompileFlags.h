//===- CompileFlags.h - the flags goatc and goat-run share ------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags that say what to compile and how, and the steps before compilation.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_DRIVER_COMPILEFLAGS_H
#define GOAT_LIB_DRIVER_COMPILEFLAGS_H

#include "goat/Driver/Compiler.h"

#include "llvm/Support/CommandLine.h"

namespace goat {

/// Created in a tool's main function before its command line is parsed.
struct CompileFlags {
  llvm::cl::OptionCategory category{"Options"};
  llvm::cl::opt<std::string> input{llvm::cl::Positional, llvm::cl::Required,
                                   llvm::cl::desc("<file>"),
                                   llvm::cl::cat(category)};
  llvm::cl::opt<std::string> target{
      "target", llvm::cl::init("sm_90"), llvm::cl::value_desc("chip"),
      llvm::cl::desc("The chip to compile for: sm_80, sm_86, sm_89, sm_90, "
                     "sm_90a, sm_100, "
                     "sm_100a or sm_120 (default: sm_90)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> function{
      "function", llvm::cl::value_desc("name"),
      llvm::cl::desc("The function to take, where a file has several"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> tileRows{
      "tile-rows", llvm::cl::init(0), llvm::cl::value_desc("rows"),
      llvm::cl::desc("Query rows of a block (default: chosen)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> tileKeys{
      "tile-keys", llvm::cl::init(0), llvm::cl::value_desc("keys"),
      llvm::cl::desc("Keys of a tile (default: chosen)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> warps{
      "warps", llvm::cl::init(0), llvm::cl::value_desc("warps"),
      llvm::cl::desc("Warps of a block (default: chosen)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> stages{
      "stages", llvm::cl::init(0), llvm::cl::value_desc("stages"),
      llvm::cl::desc("Stages of key and value tiles (default: chosen)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> strip{
      "strip", llvm::cl::init("auto"), llvm::cl::value_desc("source"),
      llvm::cl::desc("Where values over the distance come from: tile, block or "
                     "table (default: chosen)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> keyTerms{
      "key-terms", llvm::cl::init("auto"), llvm::cl::value_desc("how"),
      llvm::cl::desc("How functions of the key are added: add or product "
                     "(default: chosen)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> maskIndex{
      "mask-index", llvm::cl::init("auto"), llvm::cl::value_desc("when"),
      llvm::cl::desc(
          "When an index of the key tiles a mask lets pass is built: "
          "always, never or given as an argument (default: chosen)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> f32Product{
      "f32-product", llvm::cl::init("exact"), llvm::cl::value_desc("how"),
      llvm::cl::desc("How query, key and value of f32 are multiplied: exact or "
                     "tf32 (default: exact)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> keySource{
      "key-source", llvm::cl::init("auto"), llvm::cl::value_desc("source"),
      llvm::cl::desc("Where values over the key come from: tile or table "
                     "(default: chosen)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> loadQ{
      "load-q", llvm::cl::init("auto"), llvm::cl::value_desc("source"),
      llvm::cl::desc("Where the load region of query is evaluated: kernel or "
                     "block (default: chosen)"),
      llvm::cl::cat(category)};

  /// Parses the command line, showing the tool's own options only in --help.
  void parse(int argc, char **argv, llvm::StringRef overview);

  void fill(GoatToPTXOptions &options) const;
};

/// Writes "error: message" to stderr and returns 1.
int reportError(llvm::Error error);

/// Opens `path` (or standard input for "-") as the main file of `sources`.
llvm::Error openSource(llvm::SourceMgr &sources, llvm::StringRef path);

} // namespace goat

#endif // GOAT_LIB_DRIVER_COMPILEFLAGS_H
