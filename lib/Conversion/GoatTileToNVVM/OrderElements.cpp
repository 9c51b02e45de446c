//===- OrderElements.cpp - element by element, one after the other --------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is evaluated element by element arrives here as one op after the other,
// each for all registers of a tile, so that every intermediate value of every
// element is alive at once: hundreds of registers, which neither LLVM nor ptxas
// puts right. Moving each op to its first use makes one element after the other
// of it.
//
//===----------------------------------------------------------------------===//

#include "goat/Conversion/GoatTileToNVVM/Passes.h"

#include "goat/Dialect/GoatTile/IR/PerElement.h"

namespace goat {
#define GEN_PASS_DEF_GOATORDERELEMENTS
#include "goat/Conversion/GoatTileToNVVM/Passes.h.inc"
} // namespace goat

using namespace mlir;
using namespace goat;

/// Moves `op` to before its first user, where all of them stand in its block.
static void moveToFirstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (!here)
      return;
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  if (first)
    op->moveBefore(first);
}

namespace {

struct GoatOrderElements
    : public goat::impl::GoatOrderElementsBase<GoatOrderElements> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) {
      // From the last op on: what uses an op has found its place before it.
      for (Operation &op :
           llvm::make_early_inc_range(llvm::reverse(block->getOperations()))) {
        if (!op.hasAttr(tile::perElementAttrName))
          continue;
        op.removeAttr(tile::perElementAttrName);
        moveToFirstUser(&op);
      }
    });
  }
};

} // namespace
