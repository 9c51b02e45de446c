//===- TermTable.h - score terms that a kernel before writes ----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of score terms in global memory, written once by a small kernel that
// is launched before the main one, for all its blocks to copy from. There is
// one table for each head and batch entry where the values differ.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_TERMTABLE_H
#define GOAT_CONVERSION_GOATTOGOATTILE_TERMTABLE_H

#include "AttentionContext.h"

namespace goat::tile {

/// The next multiple of `tile`, of an i32.
mlir::Value padded(TileBuilder &tiles, mlir::Value length, int64_t tile);

class TermTable {
public:
  /// A table has `factor` rows for each `divisor` rows of key, padded to
  /// `keyTile`, and, unless `queryTile` is 0, of query, padded to that; or
  /// `factor` rows in all where `divisor` is 0.
  struct Rows {
    int64_t queryTile, keyTile, divisor = 1, factor = 1;
  };
  /// What a row holds: some f32, or the bf16 parts of one.
  enum class Format { Values, Parts };

  /// A row of parts has so many elements: the depth of the narrow multiply.
  static constexpr int64_t partColumns = 8;

  /// Where the kernel that writes the table is.
  struct Place {
    KernelBuilder &kernel;
    TileBuilder &tiles;
    const AttentionContext &context;
    /// A row of the table for each thread, i32.
    mlir::Value row;
  };
  using Evaluate =
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
          const Place &)>;

  /// Builds the kernel that writes the table for the main kernel `kernel`, of
  /// its name and `suffix`. `evaluate` builds the f32 of a row.
  static mlir::FailureOr<TermTable>
  create(AttentionOp attention, KernelBuilder &kernel, mlir::StringRef suffix,
         Rows rows, Format format, int64_t numThreads, Evaluate evaluate);

  /// How many rows there are, i32, in a kernel.
  mlir::Value numRows(TileBuilder &tiles,
                      const AttentionContext &context) const;
  /// The first row of the table of the context's head and batch entry.
  mlir::Value pointer(TileBuilder &tiles, KernelBuilder &in,
                      const AttentionContext &context,
                      mlir::Value numRows) const;

private:
  mlir::Type elementType(mlir::MLIRContext *context) const;

  Rows rows;
  Format format;
  /// Elements of a row.
  int64_t width;
  /// Whether tables of different batch entries differ; how many along heads.
  bool byBatch;
  int64_t heads;
  unsigned region;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_TERMTABLE_H
