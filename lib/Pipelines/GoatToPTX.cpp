//===- GoatToPTX.cpp - the compiler's passes in order ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of passes.
//
//===----------------------------------------------------------------------===//

#include "goat/Pipelines/GoatToPTX.h"

#include "goat/Conversion/GoatTileToNVVM/Passes.h"
#include "goat/Conversion/GoatToGoatTile/GoatToGoatTile.h"
#include "goat/Dialect/Goat/Transforms/Passes.h"
#include "goat/Dialect/GoatTile/Transforms/Passes.h"
#include "goat/Target/PTX/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace goat;

void goat::buildGoatToGoatTile(OpPassManager &passes,
                               const GoatToPTXOptions &options,
                               llvm::StringRef target) {
  ChooseScheduleOptions schedule;
  schedule.rows = options.tileRows;
  schedule.keys = options.tileKeys;
  schedule.warps = options.warps;
  schedule.stages = options.stages;
  schedule.strip = options.strip;
  schedule.keyTerms = options.keyTerms;
  schedule.maskIndex = options.maskIndex;
  schedule.f32Product = options.f32Product;
  schedule.keySource = options.keySource;
  schedule.loadQ = options.loadQ;
  schedule.target = target.empty() ? options.target.getValue() : target.str();
  passes.addPass(createGoatVerifyGoat());
  passes.addNestedPass<func::FuncOp>(createNormalizeScore());
  passes.addNestedPass<func::FuncOp>(createChooseSchedule(schedule));
  passes.addPass(createConvertGoatToGoatTile());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void goat::buildGoatTileToNVVM(OpPassManager &passes) {
  OpPassManager &kernel = passes.nest("gpu.module");
  kernel.addPass(createGoatTilePlaceBuffers());
  kernel.addPass(createGoatVerifyTile());
  // From here on a kernel is thousands of scalar ops; LLVM simplifies them
  // faster than a canonicaliser, which took ten times as long as all the rest.
  kernel.addPass(createConvertGoatTileToNVVM());
  kernel.addPass(createCSEPass());
  kernel.addPass(createGoatExpandMath());
  kernel.addPass(createGoatOrderElements());
  kernel.addPass(createSCFToControlFlowPass());
  kernel.addPass(createConvertToLLVMPass());
  kernel.addPass(createReconcileUnrealizedCastsPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(createGoatVerifyNVVM());
}

void goat::buildGoatToNVVM(OpPassManager &passes,
                           const GoatToPTXOptions &options) {
  buildGoatToGoatTile(passes, options);
  buildGoatTileToNVVM(passes);
}

void goat::buildGoatToPTX(OpPassManager &passes,
                          const GoatToPTXOptions &options) {
  buildGoatToNVVM(passes, options);
  GoatEmitPTXOptions emission;
  emission.target = options.target;
  passes.addPass(createGoatEmitPTX(emission));
}

void goat::registerGoatPipelines() {
  PassPipelineRegistration<GoatToPTXOptions>(
      "goat-to-goat-tile", "From attention to a kernel on tiles",
      [](OpPassManager &passes, const GoatToPTXOptions &options) {
        buildGoatToGoatTile(passes, options);
      });
  PassPipelineRegistration<>(
      "goat-tile-to-nvvm",
      "From tiles to what one thread does, in llvm and nvvm ops",
      buildGoatTileToNVVM);
  PassPipelineRegistration<GoatToPTXOptions>(
      "goat-to-nvvm", "From attention to llvm and nvvm ops", buildGoatToNVVM);
  PassPipelineRegistration<GoatToPTXOptions>(
      "goat-to-ptx", "From attention to PTX", buildGoatToPTX);
}
