//===- Launches.h - the kernels of a module, in order -----------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gpu.module is what one call launches: the kernels of one of its variants
// one after the other, one of which describes the whole. This reads and checks
// that at every level, for gpu.func and llvm.func alike; the attributes are
// those of GoatTileKernel.td.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_DIALECT_GOATTILE_IR_LAUNCHES_H
#define GOAT_DIALECT_GOATTILE_IR_LAUNCHES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace goat::tile {

struct LaunchSequence {
  /// The variant.
  llvm::StringRef name;
  /// In the order they are launched.
  llvm::SmallVector<mlir::FunctionOpInterface> kernels;
  /// The one of them with goat_tile.source.
  mlir::FunctionOpInterface main;
};

/// Whether a kernel of `module` has a goat_tile.grid or a goat_tile.source. A
/// module that says nothing of the kind is not meant to be launched by its
/// description.
bool describesLaunches(mlir::Operation *module);

/// The variants of `module`, in the order a launcher tries them; at least one.
/// Errors, behind `label`, for each: no or several main kernels, a kernel
/// without a goat_tile.grid, goat_tile.workspaces that are no sizes or not on
/// the main kernel, an argument whose workspace is none of them.
mlir::FailureOr<llvm::SmallVector<LaunchSequence, 1>>
getLaunches(mlir::Operation *module, llvm::StringRef label = "");

} // namespace goat::tile

#endif // GOAT_DIALECT_GOATTILE_IR_LAUNCHES_H
