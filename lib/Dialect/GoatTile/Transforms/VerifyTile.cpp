//===- VerifyTile.cpp - check that a module holds only tile kernels -------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels (V1), (V2), … are those of Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Uniformity.h"

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"
#include "goat/Dialect/GoatTile/IR/Launches.h"
#include "goat/Dialect/GoatTile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace goat {
#define GEN_PASS_DEF_GOATVERIFYTILE
#include "goat/Dialect/GoatTile/Transforms/Passes.h.inc"
} // namespace goat

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// Constraint (V1); returns the threads of a block.
static FailureOr<int64_t> verifyKernel(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
  if (!kernel.isKernel() || !size)
    return kernel.emitOpError("(V1) expected a kernel with known_block_size");
  int64_t threads = (*size)[0];
  if (threads < 32 || threads > 1024 || (threads & (threads - 1)) ||
      (*size)[1] != 1 || (*size)[2] != 1)
    return kernel.emitOpError("(V1) expected known_block_size to be 32, 64, "
                              "... or 1024 by 1 by 1 but got ")
           << *size;
  return threads;
}

static LogicalResult verifyArguments(gpu::GPUFuncOp kernel) {
  for (unsigned i = 0, end = kernel.getNumArguments(); i < end; ++i) {
    Attribute role = kernel.getArgAttr(i, "goat_tile.role");
    if (!isa_and_nonnull<InputAttr, OutputAttr, DimAttr, InputStrideAttr,
                         OutputStrideAttr, WorkspaceAttr>(role))
      return kernel.emitOpError("(V2) expected argument ")
             << i << " to have the attribute goat_tile.role";
    Type type = kernel.getArgument(i).getType();
    if (isa<WorkspaceAttr>(role) && !isa<PointerType>(type))
      return kernel.emitOpError("(V2) expected argument ")
             << i << ", a workspace, to be a pointer but got " << type;
    if (!isa<PointerType>(type) && !type.isIntOrFloat())
      return kernel.emitOpError("(V2) expected argument ")
             << i << " to be a pointer, an integer or a float but got " << type;
  }
  return success();
}

/// Constraints (V4) and (V5).
static LogicalResult verifyType(Operation *op, Type type, int64_t threads) {
  if (type.isIntOrIndexOrFloat() ||
      isa<PointerType, BufferType, TokenType, GroupType>(type))
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<layout::TileLayout> layout;
  if (tensor)
    layout = getTileLayout(tensor);
  if (!layout)
    return op->emitOpError("(V4) expected scalars, tiles with a goat_tile "
                           "encoding, and goat_tile types but got ")
           << type;
  int64_t spread = int64_t(layout->numWarps()) * layout->numLanes();
  if (spread != threads)
    return op->emitOpError("(V5) expected tiles spread over the block's ")
           << threads << " threads but got " << type << ", spread over "
           << spread;
  return success();
}

static LogicalResult verifyOp(Operation *op, int64_t threads) {
  bool isMath =
      isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
  if (!isMath && !isa_and_nonnull<GoatTileDialect>(op->getDialect()) &&
      !isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
           gpu::BlockIdOp, gpu::ReturnOp>(op))
    return op->emitOpError("(V3) expected ops of goat_tile, arith, math, "
                           "scf.for, scf.if, scf.while, gpu.block_id and "
                           "gpu.return");
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type, threads)))
      return failure();
  for (Region &region : op->getRegions())
    for (Type type : region.getArgumentTypes())
      if (failed(verifyType(op, type, threads)))
        return failure();
  if (!isMath ||
      !llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return success();
  bool isSplat = false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    isSplat = isa<SplatElementsAttr>(constant.getValue());
  if (!isSplat && !OpTrait::hasElementwiseMappableTraits(op))
    return op->emitOpError("(V6) expected an elementwise op, or a constant of "
                           "one value, on tiles");
  return success();
}

namespace {

struct GoatVerifyTile : public goat::impl::GoatVerifyTileBase<GoatVerifyTile> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(verify(kernel)))
        signalPassFailure();
    if (describesLaunches(getOperation()) &&
        failed(getLaunches(getOperation(), "(V7) ")))
      signalPassFailure();
  }

  static LogicalResult verify(gpu::GPUFuncOp kernel) {
    FailureOr<int64_t> threads = verifyKernel(kernel);
    if (failed(threads) || failed(verifyArguments(kernel)))
      return failure();
    WalkResult result = kernel.getBody().walk([&](Operation *op) {
      return failed(verifyOp(op, *threads)) ? WalkResult::interrupt()
                                            : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    return verifyUniformity(kernel, "(V8) ");
  }
};

} // namespace
