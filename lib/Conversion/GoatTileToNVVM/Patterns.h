//===- Patterns.h - conversion patterns of GoatTileToNVVM -------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this folder contribute to the pass. The types they agree
// on: a tile is one scalar for each register of its layout, a pointer
// `!llvm.ptr<1>`, a buffer the i32 address of its first byte in shared memory;
// a token and a group are nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_CONVERSION_GOATTILETONVVM_PATTERNS_H
#define GOAT_LIB_CONVERSION_GOATTILETONVVM_PATTERNS_H

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"
#include "goat/Layout/Swizzle.h"
#include "mlir/Transforms/DialectConversion.h"

namespace goat::tile {

/// Elementwise ops, constants, and the ops of GoatTileCompute.td but `mma`.
void populateComputePatterns(mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

/// `goat_tile.mma`.
void populateMatrixMultiplyPatterns(mlir::TypeConverter &converter,
                                    mlir::RewritePatternSet &patterns);

/// Loads, stores and buffers. `sharedMemory` names the block's dynamic shared
/// memory.
void populateMemoryPatterns(mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns,
                            llvm::StringRef sharedMemory);

/// Asynchronous copies and barriers.
void populateAsyncCopyPatterns(mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);

/// Replaces an op whose one result is a tile by the tile's registers. A token
/// or group has none.
inline void replaceTile(mlir::ConversionPatternRewriter &rewriter,
                        mlir::Operation *op,
                        llvm::SmallVector<mlir::Value> registers) {
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> results;
  results.push_back(std::move(registers));
  rewriter.replaceOpWithMultiple(op, std::move(results));
}

/// The layout of a verified tile.
inline layout::TileLayout layoutOf(mlir::Type type) {
  return *getTileLayout(mlir::cast<mlir::RankedTensorType>(type));
}

/// The layout of a verified swizzled buffer's tile.
layout::SwizzledTile swizzleOf(BufferType buffer);

} // namespace goat::tile

#endif // GOAT_LIB_CONVERSION_GOATTILETONVVM_PATTERNS_H
