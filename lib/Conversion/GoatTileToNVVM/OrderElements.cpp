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

namespace {

/// Where the ops of a block that are evaluated per element go.
class ElementOrder {
public:
  explicit ElementOrder(Block &block) {
    // What an op needs, last op first: what uses another is looked at before
    // it.
    for (Operation &op : llvm::reverse(block)) {
      if (!op.removeAttr(tile::perElementAttrName) || op.use_empty())
        continue;
      SmallVector<Operation *> users;
      for (Operation *user : op.getUsers())
        users.push_back(block.findAncestorOpInBlock(*user));
      if (llvm::is_contained(users, nullptr))
        continue;
      waiting.insert(&op);
      for (Operation *user : users)
        needs[user].push_back(&op);
    }
    for (Operation &op : llvm::make_early_inc_range(block))
      if (!waiting.contains(&op))
        moveNeedsOf(&op, &op);
  }

private:
  /// Moves what `op` needs, and has not been moved, to before `place`.
  void moveNeedsOf(Operation *op, Operation *place) {
    auto found = needs.find(op);
    if (found == needs.end())
      return;
    for (Operation *needed : found->second)
      if (waiting.erase(needed)) {
        moveNeedsOf(needed, place);
        needed->moveBefore(place);
      }
  }

  llvm::DenseMap<Operation *, SmallVector<Operation *>> needs;
  llvm::DenseSet<Operation *> waiting;
};

struct GoatOrderElements
    : public goat::impl::GoatOrderElementsBase<GoatOrderElements> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) { ElementOrder order(*block); });
  }
};

} // namespace
