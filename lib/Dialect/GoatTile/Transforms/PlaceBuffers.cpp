//===- PlaceBuffers.cpp - give every buffer its place in shared memory ----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"
#include "goat/Dialect/GoatTile/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

namespace goat {
#define GEN_PASS_DEF_GOATTILEPLACEBUFFERS
#include "goat/Dialect/GoatTile/Transforms/Passes.h.inc"
} // namespace goat

using namespace mlir;
using namespace goat;

namespace {

/// A swizzle permutes 16-byte chunks within 128 bytes and relies on its address
/// bits being clear in the start of a buffer.
constexpr int64_t alignment = 128;

/// The most dynamic shared memory of one block on sm_90 and sm_100.
constexpr int64_t maxSharedBytes = 232448;

struct GoatTilePlaceBuffers
    : public goat::impl::GoatTilePlaceBuffersBase<GoatTilePlaceBuffers> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      int64_t end = 0;
      kernel.walk([&](tile::AllocOp alloc) {
        int64_t offset = llvm::alignTo(end, alignment);
        alloc.setOffset(offset);
        end = offset + alloc.getType().getNumBytes();
      });
      if (end > maxSharedBytes) {
        kernel.emitOpError("expected buffers of at most ")
            << maxSharedBytes << " bytes together but got " << end
            << "; use smaller tiles or fewer stages";
        return signalPassFailure();
      }
      kernel->setAttr("goat_tile.shared_bytes",
                      Builder(kernel).getI32IntegerAttr(end));
    }
  }
};

} // namespace
