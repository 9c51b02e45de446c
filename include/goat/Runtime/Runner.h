//===- Runner.h - one interface over everything that runs layers *- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference and the simulator (and a device) answer the same call: inputs
// in, outputs out, and what was found on the way.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_RUNNER_H
#define GOAT_RUNTIME_RUNNER_H

#include "goat/Runtime/Tensors.h"

#include <functional>
#include <map>
#include <memory>

namespace goat::runtime {

struct RunResult {
  std::vector<Tensor> outputs;
  /// What the kernel did that it must not do, one line each.
  std::vector<std::string> findings;
  /// Warp instructions executed; 0 where nothing counts them.
  uint64_t instructions = 0;
  /// Counts by name, in the order to print them; zeros are left out.
  std::vector<std::pair<std::string, uint64_t>> counts;
};

/// Called from time to time with work done and work in total.
using Progress = std::function<void(uint64_t done, uint64_t total)>;

class Runner {
public:
  virtual ~Runner() = default;

  /// "reference", "sim".
  virtual llvm::StringRef name() const = 0;

  /// Runs the layer on one tensor per parameter, rounded to the parameters'
  /// types. The error says what is wrong with the call.
  virtual llvm::Expected<RunResult> run(llvm::ArrayRef<Tensor> inputs,
                                        const Progress &progress) = 0;
};

/// The reference on the IR; `function` must outlive the runner.
std::unique_ptr<Runner> createReferenceRunner(mlir::func::FuncOp function);

/// How a tensor lies in simulated memory.
struct Placement {
  /// In elements, one per axis; empty: contiguous.
  llvm::SmallVector<int64_t> strides;
  /// Elements between an address aligned to 256 bytes and the first one.
  int64_t offset = 0;
};

struct SimOptions {
  /// Orders blocks and warps.
  uint64_t seed = 0;
  /// Host threads; 0 means as many as the host has.
  unsigned threads = 0;
  /// Approximate functions return values off by as much as the PTX ISA admits,
  /// drawn from the seed, and NaN and a finding where it promises nothing.
  bool perturbsApproximations = false;
  /// Of inputs and outputs by name; the others are contiguous and aligned.
  std::map<std::string, Placement> placements = {};
};

/// The simulator on the artifact's PTX; `artifact` must outlive the runner.
/// Allocations have the exact size, so that an access past a tensor is found,
/// and what lies between strided rows is never written, so that a read of it
/// is; outputs start uninitialised, so that a missing store is.
std::unique_ptr<Runner> createSimRunner(const ptx::Artifact &artifact,
                                        const SimOptions &options);

} // namespace goat::runtime

#endif // GOAT_RUNTIME_RUNNER_H
