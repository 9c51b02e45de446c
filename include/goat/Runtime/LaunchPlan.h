//===- LaunchPlan.h - a kernel description at given sizes -------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every launcher does before it launches: check the shapes against the
// kernel, evaluate expressions, choose a variant.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_LAUNCHPLAN_H
#define GOAT_RUNTIME_LAUNCHPLAN_H

#include "goat/Target/PTX/Artifact.h"

namespace goat::runtime {

using Shape = llvm::SmallVector<int64_t>;

/// One launch at the sizes of a call.
struct LaunchSizes {
  std::array<uint32_t, 3> grid;
  uint32_t sharedBytes;
  /// A grid without blocks is not launched.
  bool isEmpty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
};

/// The sizes of one call.
class CallSizes {
public:
  /// Refuses shapes that do not fit the kernel's inputs or break one of its
  /// requirements.
  static llvm::Expected<CallSizes> create(const ptx::Kernel &kernel,
                                          llvm::ArrayRef<Shape> inputs);

  llvm::Expected<int64_t> evaluate(const ptx::Expr &expr) const;
  llvm::Expected<std::vector<Shape>> outputShapes() const;

  /// The first variant whose guards hold for these sizes and addresses (one
  /// per input, 0 for a scalar, and one per output).
  llvm::Expected<const ptx::Variant *>
  chooseVariant(llvm::ArrayRef<uint64_t> inputAddresses,
                llvm::ArrayRef<uint64_t> outputAddresses) const;

  /// What the launches of `variant` share, in bytes. Refuses less than none.
  llvm::Expected<int64_t> workspaceBytes(const ptx::Variant &variant) const;

  /// Refuses more blocks than a grid may have, and offsets that lie outside of
  /// a workspace of `workspaceBytes`.
  llvm::Expected<LaunchSizes> sizesOf(const ptx::Launch &launch,
                                      int64_t workspaceBytes) const;

private:
  const ptx::Kernel *kernel;
  std::vector<Shape> inputs;
};

} // namespace goat::runtime

#endif // GOAT_RUNTIME_LAUNCHPLAN_H
