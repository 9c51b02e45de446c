//===- Uniformity.cpp - scalars that differ between warps -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from goat_tile.warp_any is found by going round until nothing is
// added; loops carry it.
//
//===----------------------------------------------------------------------===//

#include "Uniformity.h"

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

class WarpScalars {
public:
  explicit WarpScalars(gpu::GPUFuncOp kernel) {
    do {
      grown = false;
      kernel.walk([&](Operation *op) { visit(op); });
    } while (grown);
  }

  bool contains(Value value) const { return values.contains(value); }
  bool containsAny(ValueRange range) const {
    return llvm::any_of(range, [&](Value value) { return contains(value); });
  }

private:
  void insert(Value value) {
    if (value.getType().isIntOrIndexOrFloat())
      grown |= values.insert(value).second;
  }

  void visit(Operation *op) {
    if (isa<WarpAnyOp>(op))
      return insert(op->getResult(0));
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (OpResult result : branch.getResults()) {
        bool differs = contains(branch.getCondition());
        for (Region *region :
             {&branch.getThenRegion(), &branch.getElseRegion()})
          if (!region->empty())
            differs |= contains(region->front().getTerminator()->getOperand(
                result.getResultNumber()));
        if (differs)
          insert(result);
      }
      return;
    }
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      for (auto [init, argument, yielded] :
           llvm::zip(loop.getInits(), loop.getRegionIterArgs(),
                     loop.getYieldedValues()))
        if (contains(init) || contains(yielded))
          insert(argument);
      if (auto results = loop.getLoopResults())
        for (auto [result, argument] :
             llvm::zip(*results, loop.getRegionIterArgs()))
          if (contains(argument))
            insert(result);
      return;
    }
    if (containsAny(op->getOperands()))
      for (Value result : op->getResults())
        insert(result);
  }

  llvm::DenseSet<Value> values;
  bool grown = false;
};

} // namespace

LogicalResult tile::verifyUniformity(gpu::GPUFuncOp kernel, StringRef label) {
  // A block of one warp has nothing that differs between warps.
  std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
  if (size && (*size)[0] == 32)
    return success();
  WarpScalars scalars(kernel);
  auto refuse = [&](Operation *op, StringRef what) {
    return op->emitOpError(label)
           << "expected " << what
           << " the same in every warp, but it follows from "
              "goat_tile.warp_any; only branches around work in registers may";
  };
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (!scalars.contains(branch.getCondition()))
        return WalkResult::advance();
      WalkResult inside = branch.walk([&](Operation *inner) -> WalkResult {
        if (isa<scf::IfOp, scf::YieldOp>(inner) || isMemoryEffectFree(inner))
          return WalkResult::advance();
        return refuse(inner, "a condition around this op that is");
      });
      return inside;
    }
    bool decides = isa<LoopLikeOpInterface>(op)
                       ? scalars.containsAny(op->getOperands().take_front(3)) &&
                             isa<scf::ForOp>(op)
                       : !isMemoryEffectFree(op) &&
                             !op->hasTrait<OpTrait::IsTerminator>() &&
                             scalars.containsAny(op->getOperands());
    if (auto condition = dyn_cast<scf::ConditionOp>(op))
      decides = scalars.contains(condition.getCondition());
    return decides ? WalkResult(refuse(op, "operands that are"))
                   : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
