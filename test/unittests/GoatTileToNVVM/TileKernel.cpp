//===- TileKernel.cpp - run a tile kernel in the simulator ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileKernel.h"

#include "goat/Conversion/GoatTileToNVVM/Passes.h"
#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"
#include "goat/Dialect/GoatTile/Transforms/Passes.h"
#include "goat/Target/PTX/Chips.h"
#include "goat/Target/PTX/EmitPTX.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>

using namespace mlir;
using namespace goat;
using namespace goat::test;

std::string goat::test::fill(std::string text,
                             const std::map<std::string, std::string> &values) {
  // Longer names first, so that $rows is not taken for $row.
  for (auto it = values.rbegin(); it != values.rend(); ++it) {
    std::string name = "$" + it->first;
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), it->second);
  }
  return text;
}

static void buildPasses(PassManager &passes) {
  OpPassManager &kernels = passes.nest<gpu::GPUModuleOp>();
  kernels.addPass(createGoatTilePlaceBuffers());
  kernels.addPass(createGoatVerifyTile());
  kernels.addPass(createConvertGoatTileToNVVM());
  kernels.addPass(createGoatExpandMath());
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.nest<gpu::GPUModuleOp>().addPass(createReconcileUnrealizedCastsPass());
}

/// Gives each argument of a kernel's text a role, so that it verifies.
static std::string addRoles(const std::string &arguments) {
  std::string text;
  unsigned index = 0;
  for (size_t begin = 0; begin < arguments.size(); ++index) {
    size_t end = std::min(arguments.find(", ", begin), arguments.size());
    text += (index ? ", " : "") + arguments.substr(begin, end - begin) +
            " {goat_tile.role = #goat_tile.input<" + std::to_string(index) +
            ">}";
    begin = end + 2;
  }
  return text;
}

TileKernel::TileKernel(unsigned threads, const std::string &arguments,
                       const std::string &body)
    : threads(threads) {
  DialectRegistry registry;
  registry.insert<tile::GoatTileDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, gpu::GPUDialect, math::MathDialect,
                  scf::SCFDialect>();
  ptx::registerLLVMTranslations(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  std::string text = "gpu.module @m {\ngpu.func @k(" + addRoles(arguments) +
                     ") kernel attributes {known_block_size = array<i32: " +
                     std::to_string(threads) + ", 1, 1>} {\n" + body +
                     "\ngpu.return\n}\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "cannot parse\n" << text;
    return;
  }
  PassManager passes(&context);
  buildPasses(passes);
  if (failed(passes.run(*module))) {
    ADD_FAILURE() << "cannot lower\n" << text;
    return;
  }
  llvm::Expected<ptx::ChipDescription> chip = ptx::findChip("sm_80");
  if (!chip) {
    ADD_FAILURE() << llvm::toString(chip.takeError());
    return;
  }
  module->walk([&](gpu::GPUModuleOp kernels) {
    FailureOr<std::string> emitted = ptx::emitPTX(kernels, *chip);
    if (succeeded(emitted))
      ptx = *emitted;
  });
  module->walk([&](LLVM::LLVMFuncOp kernel) {
    if (auto bytes =
            kernel->getAttrOfType<IntegerAttr>("goat_tile.shared_bytes"))
      sharedBytes = static_cast<uint32_t>(bytes.getInt());
  });
}

uint64_t TileKernel::allocate(size_t bytes) {
  uint64_t address = memory.allocate(
      bytes, "argument " + std::to_string(arguments.values().size()));
  arguments.pointer(address);
  return address;
}

TileKernel &TileKernel::output(size_t bytes, uint8_t fillByte) {
  outputAddress = allocate(bytes);
  outputBytes = bytes;
  std::vector<uint8_t> content(bytes, fillByte);
  memory.write(outputAddress, content.data(), bytes);
  return *this;
}

void TileKernel::launch() {
  ptxsim::Result<ptxsim::Module> module =
      ptxsim::Module::parse(ptx, "kernel.ptx");
  ASSERT_TRUE(bool(module)) << module.error() << "\n" << ptx;
  ptxsim::LaunchConfig config;
  config.block = {threads, 1, 1};
  config.dynamicSharedBytes = sharedBytes;
  ptxsim::Result<ptxsim::LaunchResult> result =
      ptxsim::launch(*module, "k", memory, arguments, config);
  ASSERT_TRUE(bool(result)) << result.error();
  for (const ptxsim::Finding &finding : result->findings)
    ADD_FAILURE() << finding.str();
  EXPECT_TRUE(result->completed);
  counts = result->counts;
}

uint16_t goat::test::toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float goat::test::fromBf16(uint16_t half) {
  uint32_t bits = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

uint16_t goat::test::toF16(float value) {
  _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}
