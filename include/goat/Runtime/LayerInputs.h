//===- LayerInputs.h - the inputs of a layer, given or generated *- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user gives some tensors and some sizes; the rest is worked out from the
// function and filled with seeded random numbers.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_RUNTIME_LAYERINPUTS_H
#define GOAT_RUNTIME_LAYERINPUTS_H

#include "goat/Runtime/Tensors.h"

#include <optional>

namespace goat::runtime {

/// The name of a parameter or result: its attribute goat.name, or "arg0",
/// "result0", ….
std::string parameterName(mlir::func::FuncOp function, unsigned index);
std::string resultName(mlir::func::FuncOp function, unsigned index);

/// The dtype of a parameter or result type; an error for any other type.
llvm::Expected<DType> dtypeOf(mlir::Type type);

/// The inputs of one function while they are being collected.
///
/// Sizes are known by name: B, Lq and Lk for the attention's batch and lengths,
/// and PARAMETER.AXIS for any axis. Axes that must agree (those of the
/// attention's operands, and a captured tensor's that is indexed by a
/// coordinate of the regions) are one size with several names.
class LayerInputs {
public:
  static llvm::Expected<LayerInputs> create(mlir::func::FuncOp function);

  /// Fixes a size. Errors: no such name, a negative size, a contradiction to a
  /// type, a tensor or an earlier size.
  llvm::Error setSize(llvm::StringRef name, int64_t size);

  /// Gives a parameter its value, which is rounded to the parameter's type.
  /// `origin` says in messages where it comes from. Errors as above, and a
  /// wrong rank.
  llvm::Error setTensor(llvm::StringRef name, Tensor value,
                        llvm::StringRef origin);

  /// All inputs in order. A parameter without a value gets one that depends on
  /// `seed`, its place and its size alone: floats are normal with mean 0 and
  /// variance 1, but for the attention's scale, which is 1/√D; lengths are
  /// uniform in [1, L]. Other integers have no random value: they must be
  /// given, as must all sizes that nothing determines.
  llvm::Expected<std::vector<Tensor>> generate(uint64_t seed) const;

  /// The shapes of all inputs in order. Every size must be determined.
  llvm::Expected<std::vector<llvm::SmallVector<int64_t>>> shapes() const;

  llvm::ArrayRef<std::string> names() const { return parameterNames; }

private:
  /// A size, shared by all axes that were united with it.
  struct Size {
    int parent;
    std::string name;
    std::optional<int64_t> value;
    /// What fixed the value.
    std::string origin;
  };
  enum : int { batch, queryLength, keyLength, firstAxis };
  enum class Role { Data, Scale, QueryLengths, KeyLengths };

  explicit LayerInputs(mlir::func::FuncOp function) : function(function) {}

  int find(int size) const;
  llvm::Error unite(int left, int right);
  llvm::Error fix(int size, int64_t value, const llvm::Twine &origin);
  llvm::Error uniteOperand(mlir::Value operand, llvm::ArrayRef<int> sizes,
                           Role role = Role::Data);
  llvm::Error uniteAttention();
  llvm::Error uniteCaptured();
  int parameterOf(mlir::Value value) const;
  /// A size that nothing determines: its name, and the name of its axis.
  std::optional<std::pair<std::string, std::string>> unknownSize() const;
  llvm::SmallVector<int64_t> shapeOf(unsigned index) const;
  Tensor random(unsigned index, Tensor tensor, uint64_t seed) const;

  mlir::func::FuncOp function;
  std::vector<std::string> parameterNames;
  std::vector<DType> dtypes;
  std::vector<Role> roles;
  std::vector<std::optional<Tensor>> values;
  /// B, Lq, Lk, then every axis of every parameter.
  std::vector<Size> sizes;
  /// The place of each parameter's first axis in `sizes`.
  std::vector<int> axes;
};

} // namespace goat::runtime

#endif // GOAT_RUNTIME_LAYERINPUTS_H
