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

private:
  const ptx::Kernel *kernel;
  std::vector<Shape> inputs;
};

} // namespace goat::runtime

#endif // GOAT_RUNTIME_LAUNCHPLAN_H
