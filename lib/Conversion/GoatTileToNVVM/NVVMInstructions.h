//===- NVVMInstructions.h - the NVVM ops a kernel uses ----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each instruction. They keep the header of the NVVM dialect,
// which is slow to compile, in one file.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_CONVERSION_GOATTILETONVVM_NVVMINSTRUCTIONS_H
#define GOAT_LIB_CONVERSION_GOATTILETONVVM_NVVMINSTRUCTIONS_H

#include "mlir/IR/Builders.h"

namespace goat::tile::nvvm {

/// %tid.x, i32.
mlir::Value threadId(mlir::OpBuilder &builder, mlir::Location loc);

/// %ctaid along dimension 0, 1 or 2, i32.
mlir::Value blockId(mlir::OpBuilder &builder, mlir::Location loc,
                    unsigned dimension);

/// ldmatrix.m8n8.x`count` of 16-bit elements at a `!llvm.ptr<3>`: one i32 for
/// each matrix. `count` is 1, 2 or 4.
llvm::SmallVector<mlir::Value, 4> loadMatrix(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::Value address,
                                             unsigned count, bool transposed);

/// mma.m16n8k16 on bf16 or f16 with f32 accumulators: four i32 of A, two of B,
/// four f32 of C; returns four f32.
llvm::SmallVector<mlir::Value, 4>
multiplyMatrix(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::Type elementType, mlir::ValueRange a, mlir::ValueRange b,
               mlir::ValueRange c);

/// mma.m16n8k8 on bf16 with f32 accumulators: two i32 of A, one of B, four f32
/// of C; returns four f32.
llvm::SmallVector<mlir::Value, 4>
multiplyNarrow(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange a,
               mlir::Value b, mlir::ValueRange c);

/// mma.m16n8k8 on tf32 with f32 accumulators: four i32 of A, two of B, four f32
/// of C; returns four f32.
llvm::SmallVector<mlir::Value, 4>
multiplyTF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange a,
             mlir::ValueRange b, mlir::ValueRange c);

/// cvt.rna.tf32: an f32, or its bits as i32, rounded to tf32, as i32.
mlir::Value roundToTF32(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

/// The f32 of the lane whose index differs by xor with `laneMask`.
mlir::Value shuffleXor(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, unsigned laneMask);

/// The f32 that thread `lane` of the calling thread's group of four holds.
mlir::Value shuffleFromQuad(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, unsigned lane);

/// vote.sync.any: whether `condition` (i1) holds in some lane of the warp.
mlir::Value voteAny(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value condition);

/// cp.async of 4, 8 or 16 bytes, of which `sourceBytes` (i32, 0 or all) are
/// read and the others become zero. With a `condition` (i1) it is predicated,
/// which the NVVM op cannot say: inline assembly.
void copyAsync(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value shared,
               mlir::Value global, unsigned bytes, mlir::Value sourceBytes,
               mlir::Value condition);

/// cp.async.commit_group.
void commitGroup(mlir::OpBuilder &builder, mlir::Location loc);

/// cp.async.wait_group: all but the `pending` latest groups are in place.
void waitGroup(mlir::OpBuilder &builder, mlir::Location loc, unsigned pending);

/// bar.sync 0: all threads of the block.
void barrier(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace goat::tile::nvvm

#endif // GOAT_LIB_CONVERSION_GOATTILETONVVM_NVVMINSTRUCTIONS_H
