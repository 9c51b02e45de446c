//===- Program.h - a block as a list of steps -------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluating a region once per (query, key) pair by walking its IR would take
// minutes for one layer. A Program is the block turned into closures once; a
// Frame holds the values of one evaluation. Steps are sorted by the innermost
// coordinate that they depend on, so that what is the same for a whole row or
// head is computed once for it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_REFERENCE_PROGRAM_H
#define GOAT_LIB_REFERENCE_PROGRAM_H

#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Reference/Reference.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <functional>
#include <string>

namespace goat::reference {

/// A scalar: `f` for float types, `i` for integers and index. An i1 is 0 or 1,
/// any other integer is sign extended to 64 bits.
struct Scalar {
  double f = 0.0;
  int64_t i = 0;
};

/// The coordinate, from the outermost loop inwards, whose change makes a value
/// stale.
enum class Level { Once, Head, Row, Pair };

/// Sizes and offsets of the attention whose region is being evaluated.
struct Coordinates {
  int64_t batch = 0, queryHeads = 0, keyLength = 0;
  /// Per batch entry.
  std::vector<int64_t> queryOffset, keyOffset;
};

/// The values of one evaluation of a Program.
struct Frame {
  std::vector<Scalar> scalars;
  std::vector<const Tensor *> tensors;
  /// Storage of the tensors computed here; `tensors` points into it, or into
  /// what was captured.
  std::vector<Tensor> owned;
  const Coordinates *coordinates = nullptr;
  /// The loop counters of the structured op whose payload this is.
  const int64_t *iteration = nullptr;
  /// Who evaluates calls; null when they are evaluated here.
  const CallHandler *calls = nullptr;
  /// The outermost level that changed since the last run.
  Level stale = Level::Once;
  /// The op at which the evaluation failed, or null, and what went wrong.
  mlir::Operation *failedAt = nullptr;
  std::string message;

  /// Notes that the loop at `level` went on.
  void enter(Level level) { stale = std::min(stale, level); }
  /// Records the first failure; the caller that owns the frame reports it.
  void fail(mlir::Operation *op, const llvm::Twine &what) {
    if (failedAt)
      return;
    failedAt = op;
    message = what.str();
  }
  /// The tensor of `slot`, to be filled, with the given shape.
  Tensor &define(int slot, llvm::ArrayRef<int64_t> shape);
};

/// Places of an op's operands and results in a frame.
struct Slots {
  llvm::SmallVector<int> operands, results;
};

using Step = std::function<void(Frame &)>;

/// One result scalar from operand scalars.
using Kernel = std::function<Scalar(const Scalar *, Frame &)>;

class Program {
public:
  /// Compiles `block`, whose arguments change at the given levels. Values from
  /// outside are captured from `outer`, which may be null. Emits an error at an
  /// op that cannot be evaluated.
  static mlir::FailureOr<Program> compile(mlir::Block &block,
                                          llvm::ArrayRef<Level> argumentLevels,
                                          const Program *outer);

  /// A frame for this program, with values captured from `outer`.
  Frame makeFrame(const Frame *outer, const Coordinates *coordinates) const;

  /// Brings all values up to date with the arguments and entered levels.
  void run(Frame &frame) const;

  int getArgument(unsigned number) const { return arguments[number]; }
  /// The slot of the terminator's operand.
  int getResult(unsigned number) const { return results[number]; }

private:
  int addSlot(mlir::Value value, Level level);
  int lookup(mlir::Value value, const Program *outer);

  llvm::DenseMap<mlir::Value, int> slots;
  std::vector<Level> levels;
  llvm::SmallVector<int> arguments, results;
  /// (slot here, slot in the outer program).
  std::vector<std::pair<int, int>> captures;
  std::vector<Step> steps[4];
};

/// The kernel of an elementwise arith or math op; null for any other op.
Kernel findKernel(mlir::Operation *op);

/// The step of a tensor op or of a constant; null for any other op.
Step compileTensorOp(mlir::Operation *op, const Slots &slots);

/// The step of a goat op other than goat.attention and masks; null for any
/// other op.
Step compileGoatOp(mlir::Operation *op, const Slots &slots);

/// The step of a goat mask; null for any other op.
Step compileMaskOp(mlir::Operation *op, const Slots &slots);

/// The step of a structured op, a change of shape or a call; null for any other
/// op. A payload captures values of `outer`.
mlir::FailureOr<Step> compileGraphOp(mlir::Operation *op, const Slots &slots,
                                     const Program &outer);

/// The step of a prior by name; null for any other op.
Step compilePriorOp(mlir::Operation *op, const Slots &slots);

/// The step of goat.attention, whose regions capture values of `outer`.
mlir::FailureOr<Step> compileAttention(AttentionOp op, const Slots &slots,
                                       const Program &outer);

/// Whether `shape` is one that a value of `type` can have.
bool fits(llvm::ArrayRef<int64_t> shape, mlir::Type type);

/// "2x12x5x64", or "a scalar" for rank 0.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace goat::reference

#endif // GOAT_LIB_REFERENCE_PROGRAM_H
