//===- KernelBuilder.h - a kernel and what its launcher passes --*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the gpu.func of an attention and keeps account of its arguments: the
// source function's arguments and results as pointers or scalars, and the
// sizes of dynamic dimensions, which become arguments when they are asked for.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_KERNELBUILDER_H
#define GOAT_CONVERSION_GOATTOGOATTILE_KERNELBUILDER_H

#include "TileBuilder.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/MapVector.h"

namespace goat::tile {

class KernelBuilder {
public:
  /// Creates a gpu.module named like `source`, after it, with an empty kernel
  /// of the same name. The arguments are such as `findLayer` lets through.
  static KernelBuilder create(mlir::func::FuncOp source,
                              mlir::OpBuilder &builder);

  /// The same function's kernel once more, as another variant of the module
  /// that takes strided tensors in another way.
  KernelBuilder createVariant(llvm::StringRef name, Access strided);
  /// Makes this the variant `name`.
  void setVariant(llvm::StringRef name, Access strided);

  /// A kernel of the same module and arguments, launched before this one. It
  /// has no results; write workspaces.
  KernelBuilder createBefore(llvm::StringRef suffix);

  /// The kernel argument that stands for a source function's argument: a
  /// pointer for a tensor, else the scalar itself.
  mlir::Value input(mlir::BlockArgument argument) {
    return inputs[argument.getArgNumber()];
  }
  /// The pointer to result `index` of the source function.
  mlir::Value output(unsigned index) { return outputs[index]; }
  /// The size of a dimension of a source function's argument, as i32: a
  /// constant or a kernel argument.
  mlir::Value dim(mlir::Value tensor, int64_t axis);
  /// The same as an attribute: an i64 or a #goat_tile.dim.
  mlir::Attribute dimAttr(mlir::Value tensor, int64_t axis);

  /// A region of global memory that kernels of the module share, of the main
  /// kernel: its size in bytes is an expression over the given sizes. Returns
  /// its number.
  unsigned addWorkspace(mlir::AffineMap bytes,
                        llvm::ArrayRef<mlir::Attribute> sizes);
  /// The pointer to a region, in any kernel of the module.
  mlir::Value workspace(unsigned region, mlir::Type element);

  /// How a tensor lies in memory for this variant: contiguous, unless it has
  /// the attribute goat.strided.
  Access accessOf(mlir::Value tensor);
  Access outputAccess(unsigned index);
  /// The stride of an axis of an input or result that a call gives, i64.
  mlir::Value inputStride(mlir::Value tensor, int64_t axis);
  mlir::Value outputStride(unsigned index, int64_t axis);
  /// Records how a tensor has to lie in memory; contiguous and aligned to 16
  /// bytes by default.
  void requireInput(mlir::Value tensor, MemoryAttr memory) {
    memories[mlir::cast<mlir::BlockArgument>(tensor).getArgNumber()] = memory;
  }
  void requireOutput(unsigned index, MemoryAttr memory) {
    memories[inputs.size() + index] = memory;
  }

  /// Records that a launcher has to check a = b, or a ≥ b, for sizes named by
  /// dimAttr.
  void requireEqual(mlir::Attribute a, mlir::Attribute b);
  void requireAtLeast(mlir::Attribute a, mlir::Attribute b);
  /// Records a choice for the reader of the artifact.
  void recordChoice(llvm::StringRef name, mlir::Attribute value) {
    choices.emplace_back(name, value);
  }
  /// Sets the number of blocks: each extent is an affine expression over the
  /// given sizes, of which static ones are put in.
  void setGrid(mlir::AffineMap grid, llvm::ArrayRef<mlir::Attribute> sizes);

  /// Writes the signature and all attributes; call once, when the body stands.
  void finish(int64_t numThreads, llvm::ArrayRef<mlir::Attribute> resultDims);

  /// The same for a kernel made by `main.createBefore`: what it asks of sizes
  /// is asked by `main`, and arguments it has no use for are dropped.
  void finishBefore(KernelBuilder &main, int64_t numThreads);

  mlir::gpu::GPUFuncOp getKernel() { return kernel; }

private:
  KernelBuilder(mlir::func::FuncOp source) : source(source) {}
  /// Adds the kernel at the builder's insertion point, with its first
  /// arguments.
  void createKernel(mlir::OpBuilder &builder, llvm::StringRef name,
                    bool hasOutputs);
  mlir::Value strideArgument(mlir::Attribute role);
  mlir::Value addArgument(mlir::Type type, mlir::Attribute role);
  void writeSignature(int64_t numThreads);

  mlir::func::FuncOp source;
  mlir::gpu::GPUFuncOp kernel;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::SmallVector<mlir::Attribute> roles;
  llvm::MapVector<std::pair<unsigned, int64_t>, mlir::Value> dims;
  llvm::MapVector<mlir::Attribute, mlir::Value> strides;
  /// Of the inputs, then of the outputs; null for the default.
  llvm::SmallVector<mlir::Attribute> memories;
  /// Null for the variant "contiguous".
  mlir::StringAttr variant;
  Access strided = Access::rows;
  llvm::SmallSetVector<mlir::Attribute, 4> equalDims, atLeastDims;
  llvm::SmallVector<mlir::NamedAttribute> choices;
  llvm::SmallVector<mlir::Attribute> workspaces, workspaceDims;
};

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_KERNELBUILDER_H
