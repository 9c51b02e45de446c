//===- LoadPass.h - what load regions make of rows --------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a load region makes of the rows of key is computed once, by a kernel
// that is launched before and writes the rows to a workspace; the main kernel
// reads them there. Each row costs one read and one write, where transforming
// key tiles as they arrive would repeat the work for each block of query rows.
// Rows of query belong to one block, which can transform them itself. The rows
// in the workspace are padded and aligned, so that the main kernel has its fast
// copies however the tensor itself lies.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_LOADPASS_H
#define GOAT_CONVERSION_GOATTOGOATTILE_LOADPASS_H

#include "AttentionContext.h"

namespace goat::tile {

/// The tile of rows `row` (i32 vector) of query, or of key, as its load region
/// leaves them, in the element type of query, where `exists` holds; zero in
/// columns that are not there. `type` is the tile's, of f32. Emits an error at
/// an op of the region that has no tile form.
mlir::FailureOr<mlir::Value>
buildLoadedRows(AttentionOp attention, KernelBuilder &kernel,
                TileBuilder &tiles, const AttentionContext &context,
                bool isQuery, mlir::RankedTensorType type, mlir::Value row,
                mlir::Value exists);

/// Builds the kernel for the load region of query, or of key, before `main`.
/// Returns the workspace of the rows: (B, H, L, columns) without gaps.
/// Emits an error at an op of the region that has no tile form.
mlir::FailureOr<unsigned> buildLoadPass(AttentionOp attention,
                                        KernelBuilder &main, bool isQuery,
                                        int64_t columns);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_LOADPASS_H
