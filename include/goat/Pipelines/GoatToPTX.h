//===- GoatToPTX.h - the compiler's passes in order -------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named pipelines: lists of passes and the options they share, as
// docs/pipelines.md explains them.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_PIPELINES_GOATTOPTX_H
#define GOAT_PIPELINES_GOATTOPTX_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace goat {

/// An option of 0 leaves the choice to the compiler.
struct GoatToPTXOptions : mlir::PassPipelineOptions<GoatToPTXOptions> {
  Option<int64_t> tileRows{*this, "tile-rows",
                           llvm::cl::desc("Query rows of a block"),
                           llvm::cl::init(0)};
  Option<int64_t> tileKeys{*this, "tile-keys", llvm::cl::desc("Keys of a tile"),
                           llvm::cl::init(0)};
  Option<int64_t> warps{*this, "warps", llvm::cl::desc("Warps of a block"),
                        llvm::cl::init(0)};
  Option<int64_t> stages{
      *this, "stages",
      llvm::cl::desc("Shared-memory stages of key and value tiles"),
      llvm::cl::init(0)};
  Option<std::string> strip{
      *this, "strip",
      llvm::cl::desc("Where values over the distance come from: auto, tile, "
                     "block or table"),
      llvm::cl::init("auto")};
  Option<std::string> keyTerms{
      *this, "key-terms",
      llvm::cl::desc(
          "How functions of the key are added: auto, add or product"),
      llvm::cl::init("auto")};
  Option<std::string> maskIndex{
      *this, "mask-index",
      llvm::cl::desc("When an index of the key tiles a mask lets pass is "
                     "built: auto, always, never or given"),
      llvm::cl::init("auto")};
  Option<std::string> f32Product{
      *this, "f32-product",
      llvm::cl::desc(
          "How query, key and value of f32 are multiplied: exact or tf32"),
      llvm::cl::init("exact")};
  Option<std::string> keySource{
      *this, "key-source",
      llvm::cl::desc(
          "Where values over the key come from: auto, tile or table"),
      llvm::cl::init("auto")};
  Option<std::string> loadQ{
      *this, "load-q",
      llvm::cl::desc("Where the load region of query is evaluated: auto, "
                     "kernel or block"),
      llvm::cl::init("auto")};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The chip tile sizes are chosen for: sm_80, sm_86, sm_89, "
                     "sm_90, sm_90a, sm_100, sm_100a or sm_120"),
      llvm::cl::init("sm_90")};
};

/// goat-to-goat-tile: from attention to a kernel on tiles. `target` names the
/// chip tile sizes are chosen for, in place of the option when given.
void buildGoatToGoatTile(mlir::OpPassManager &passes,
                         const GoatToPTXOptions &options,
                         llvm::StringRef target = {});

/// goat-tile-to-nvvm: from tiles to what one thread does, in llvm and nvvm ops.
void buildGoatTileToNVVM(mlir::OpPassManager &passes);

/// goat-to-nvvm: both. What is left after it is translated to PTX.
void buildGoatToNVVM(mlir::OpPassManager &passes,
                     const GoatToPTXOptions &options);

/// goat-to-ptx: all of it; a gpu.binary with the PTX stands for each function.
void buildGoatToPTX(mlir::OpPassManager &passes,
                    const GoatToPTXOptions &options);

/// Registers the pipelines by their names.
void registerGoatPipelines();

} // namespace goat

#endif // GOAT_PIPELINES_GOATTOPTX_H
