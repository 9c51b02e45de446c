//===- TermSum.cpp - terms of a score, evaluated and added up -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermSum.h"

#include "goat/Analysis/Bounds.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

Value tile::clamped(TileBuilder &tiles, Value value, double least) {
  return tiles.create<arith::MaximumFOp>(value, tiles.f32(least));
}

bool tile::isBounded(Value term) {
  auto attention = dyn_cast<AttentionOp>(term.getParentRegion()->getParentOp());
  if (!attention)
    return false;
  Bounds bounds = boundsOf(term, attention);
  // Far enough from the clamp for a sum of terms to be so too.
  constexpr double most = -leastScore / 1e3;
  return bounds.least >= -most && bounds.greatest <= most;
}

FailureOr<Value> tile::sumOf(RegionEvaluator &evaluator, TileBuilder &tiles,
                             ArrayRef<Value> terms, double logitScale) {
  Value total;
  for (Value value : terms) {
    FailureOr<Value> term = evaluator.evaluate(value);
    if (failed(term))
      return failure();
    total = total ? tiles.create<arith::AddFOp>(total, *term) : *term;
  }
  if (!llvm::all_of(terms, isBounded))
    total = clamped(tiles, total, leastScore);
  return tiles.create<arith::MulFOp>(total, tiles.f32(1.0 / logitScale));
}
