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

/// How the tensors of a call lie in memory: the strides of each input and of
/// each output in elements, one per axis. Empty, or missing at the end:
/// contiguous.
struct CallStrides {
  std::vector<Shape> inputs = {}, outputs = {};
};

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
  /// requirements, and strides that are negative, of a tensor that the kernel
  /// takes contiguous, or of an output whose elements they let overlap.
  static llvm::Expected<CallSizes> create(const ptx::Kernel &kernel,
                                          llvm::ArrayRef<Shape> inputs,
                                          const CallStrides &strides = {});

  llvm::Expected<int64_t> evaluate(const ptx::Expr &expr) const;
  llvm::Expected<std::vector<Shape>> outputShapes() const;

  /// The strides of an input or output. Those of an axis of extent 0 or 1 say
  /// nothing; they are 0, or 1 for the last axis.
  const Shape &stridesOf(bool isOutput, int64_t index) const {
    return isOutput ? strides.outputs[index] : strides.inputs[index];
  }

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
  llvm::Error setStrides(bool isOutput, llvm::ArrayRef<Shape> shapes,
                         llvm::ArrayRef<Shape> given);
  /// Why a guard does not hold; empty when it does.
  llvm::Expected<std::string>
  whyNot(const ptx::Guard &guard, llvm::ArrayRef<uint64_t> inputAddresses,
         llvm::ArrayRef<uint64_t> outputAddresses) const;

  const ptx::Kernel *kernel;
  std::vector<Shape> inputs;
  CallStrides strides;
};

/// The strides of a row-major tensor without gaps.
Shape contiguousStrides(llvm::ArrayRef<int64_t> shape);

/// The elements from the first to the last of a tensor, both counted.
int64_t spanOf(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides);

} // namespace goat::runtime

#endif // GOAT_RUNTIME_LAUNCHPLAN_H
