//===- AttentionContext.h - lengths and offsets in a kernel -----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every schedule of an attention starts from: which batch entry and head
// a block works on, the lengths and position offsets of that entry, and where
// its rows lie in memory.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_ATTENTIONCONTEXT_H
#define GOAT_CONVERSION_GOATTOGOATTILE_ATTENTIONCONTEXT_H

#include "RegionEvaluator.h"
#include "RowMatrix.h"

namespace goat::tile {

struct AttentionContext {
  /// i32 scalars: the batch entry, the query head, the key head it shares.
  mlir::Value batch, head, keyHead;
  /// Rows the tensors have, i32.
  mlir::Value queryRows, keyRows;
  /// Rows that count for this batch entry: q_lengths[b], k_lengths[b], or all.
  mlir::Value queryLength, keyLength;
  /// position(i) − i and position(j) − j.
  mlir::Value queryOffset, keyOffset;
};

/// Builds the context for the batch entry and query head given as i32.
AttentionContext buildContext(AttentionOp attention, KernelBuilder &kernel,
                              TileBuilder &tiles, mlir::Value batch,
                              mlir::Value head);

/// Whether a value of a region may differ between batch entries or heads
/// (`coordinate`), be it through their lengths and offsets.
bool variesBy(AttentionOp attention, mlir::Value value, Dependence coordinate);

/// How the schedule multiplies query, key and value of f32; null for 16-bit
/// elements.
F32ProductAttr f32ProductOf(AttentionOp attention, ScheduleAttr schedule);
inline bool isTF32(F32ProductAttr product) {
  return product && product.getValue() == F32Product::tf32;
}

/// The coordinates that are the same in the whole block; the others are null.
Coordinates coordinatesOf(const AttentionContext &context);

/// The matrix of the batch entry and head of `context` in `tensor`, which is
/// query, or else key or value, from row `firstRow` (i32; null is 0) on, as the
/// kernel's variant accesses it.
RowMatrix inputMatrixOf(AttentionOp attention, KernelBuilder &kernel,
                        TileBuilder &tiles, const AttentionContext &context,
                        mlir::Value tensor, bool isQuery,
                        mlir::Value firstRow = {});
/// The matrix of the output.
RowMatrix outputMatrixOf(AttentionOp attention, KernelBuilder &kernel,
                         TileBuilder &tiles, const AttentionContext &context);

/// The address of row `firstRow` (i32; null is 0) of the (rows × `width`)
/// matrix of one batch entry and head of a contiguous (B, H, rows, width)
/// tensor.
mlir::Value matrixOf(TileBuilder &tiles, mlir::Value pointer, mlir::Value batch,
                     mlir::Value head, int64_t heads, mlir::Value rows,
                     int64_t width, mlir::Value firstRow = {});

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_ATTENTIONCONTEXT_H
