//===- GraphOps.cpp - what stands around an attention in a graph ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structured ops, changes of shape and calls, so that a whole imported model
// can be evaluated, with its attentions here or elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <utility>

using namespace mlir;
using namespace goat;
using namespace goat::reference;

namespace {

/// Steps of a row-major walk: the offset of an element is Σ index · stride.
SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

/// Calls `body` with every index of `extents`, the last axis fastest.
template <typename BodyT>
void forEachIndex(ArrayRef<int64_t> extents, BodyT body) {
  if (llvm::is_contained(extents, 0))
    return;
  SmallVector<int64_t> index(extents.size(), 0);
  while (true) {
    body(ArrayRef<int64_t>(index));
    size_t axis = extents.size();
    while (axis > 0 && ++index[axis - 1] == extents[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

/// One operand of a structured op: where its elements lie in an iteration.
struct Access {
  int slot;
  bool isTensor, isFloat;
  AffineMap map;
};

/// Expects sums and products alone.
int64_t evaluateAffine(AffineExpr e, ArrayRef<int64_t> iteration) {
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return iteration[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(e);
  int64_t a = evaluateAffine(binary.getLHS(), iteration),
          b = evaluateAffine(binary.getRHS(), iteration);
  return e.getKind() == AffineExprKind::Add ? a + b : a * b;
}

/// Where the elements of an operand lie: `base` in the first iteration, and
/// `steps[loop]` further in the next of a loop.
struct Walk {
  int64_t base = 0;
  SmallVector<int64_t> steps;
};

Walk walkOf(const Access &access, const Tensor *tensor, unsigned loops) {
  Walk walk{0, SmallVector<int64_t>(loops, 0)};
  if (!tensor)
    return walk;
  SmallVector<int64_t> unit(loops, 0), strides = stridesOf(tensor->shape);
  for (auto [expression, stride] :
       llvm::zip(access.map.getResults(), strides)) {
    int64_t first = evaluateAffine(expression, unit);
    walk.base += first * stride;
    for (unsigned loop = 0; loop < loops; ++loop) {
      unit[loop] = 1;
      walk.steps[loop] += (evaluateAffine(expression, unit) - first) * stride;
      unit[loop] = 0;
    }
  }
  return walk;
}

/// Calls `body` with every index of `extents`, the last axis fastest, and with
/// the offset of each operand there.
template <typename BodyT>
void forEachIteration(ArrayRef<int64_t> extents, ArrayRef<Walk> walks,
                      BodyT body) {
  if (llvm::is_contained(extents, 0))
    return;
  SmallVector<int64_t> index(extents.size(), 0), offsets;
  for (const Walk &walk : walks)
    offsets.push_back(walk.base);
  auto move = [&](size_t axis, int64_t count) {
    for (auto [offset, walk] : llvm::zip(offsets, walks))
      offset += count * walk.steps[axis];
  };
  while (true) {
    body(ArrayRef<int64_t>(index), ArrayRef<int64_t>(offsets));
    size_t axis = extents.size();
    while (axis > 0) {
      move(--axis, 1);
      if (++index[axis] < extents[axis])
        break;
      move(axis, -extents[axis]);
      index[axis] = 0;
      if (axis == 0)
        return;
    }
    if (extents.empty())
      return;
  }
}

bool isLinear(AffineMap map) {
  bool result = true;
  map.walkExprs([&](AffineExpr e) {
    result &= e.getKind() != AffineExprKind::Mod &&
              e.getKind() != AffineExprKind::FloorDiv &&
              e.getKind() != AffineExprKind::CeilDiv;
  });
  return result;
}

/// The extent of each loop, as the tensors that are indexed by it have it.
std::optional<SmallVector<int64_t>>
loopExtents(ArrayRef<Access> accesses, const Frame &frame, unsigned loops) {
  SmallVector<int64_t> extents(loops, ShapedType::kDynamic);
  for (const Access &access : accesses) {
    if (!access.isTensor)
      continue;
    const Tensor &tensor = *frame.tensors[access.slot];
    for (auto [expression, size] :
         llvm::zip(access.map.getResults(), tensor.shape)) {
      auto dim = dyn_cast<AffineDimExpr>(expression);
      if (!dim)
        continue;
      int64_t &extent = extents[dim.getPosition()];
      if (!ShapedType::isDynamic(extent) && extent != size)
        return std::nullopt;
      extent = size;
    }
  }
  if (llvm::any_of(extents, ShapedType::isDynamic))
    return std::nullopt;
  return extents;
}

/// Whether the payload adds the product of two operands to the third: what a
/// walk through steps would be slow for.
bool isPlainContraction(linalg::LinalgOp op) {
  Block &block = *op.getBlock();
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  auto behind = [](Value value) {
    while (auto wide = value.getDefiningOp<arith::ExtFOp>())
      value = wide.getIn();
    return value;
  };
  auto sum =
      block.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  for (auto [start, added] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())}) {
    auto product = behind(added).getDefiningOp<arith::MulFOp>();
    if (start == block.getArgument(2) && product &&
        behind(product.getLhs()) == block.getArgument(0) &&
        behind(product.getRhs()) == block.getArgument(1))
      return true;
  }
  return false;
}

FailureOr<Step> compileStructured(linalg::LinalgOp op, const Slots &slots,
                                  const Program &outer) {
  SmallVector<Access> accesses;
  for (OpOperand &operand : op->getOpOperands())
    accesses.push_back(
        {slots.operands[operand.getOperandNumber()],
         isa<RankedTensorType>(operand.get().getType()),
         isa<FloatType>(getElementTypeOrSelf(operand.get().getType())),
         op.getMatchingIndexingMap(&operand)});
  for (const Access &access : accesses)
    if (!isLinear(access.map))
      return op->emitError("expected indexing maps of sums and products but "
                           "got one with a division");
  unsigned loops = op.getNumLoops(), inputs = op.getNumDpsInputs();
  SmallVector<int> results = slots.results;

  SmallVector<Level> levels(op.getBlock()->getNumArguments(), Level::Pair);
  FailureOr<Program> payload = Program::compile(*op.getBlock(), levels, &outer);
  if (failed(payload))
    return failure();
  auto program = std::make_shared<Program>(std::move(*payload));
  bool isContraction = isPlainContraction(op);
  Operation *where = op;

  return Step([=](Frame &frame) {
    std::optional<SmallVector<int64_t>> extents =
        loopExtents(accesses, frame, loops);
    if (!extents)
      return frame.fail(where, "expected operands whose sizes agree");
    for (auto [number, result] : llvm::enumerate(results))
      frame.define(result, {}) = *frame.tensors[accesses[inputs + number].slot];
    // Each operand's storage; what is combined is in the results.
    SmallVector<const double *> data;
    SmallVector<Walk> walks;
    for (auto [number, access] : llvm::enumerate(accesses)) {
      const Tensor *tensor = !access.isTensor ? nullptr
                             : number < inputs
                                 ? frame.tensors[access.slot]
                                 : frame.tensors[results[number - inputs]];
      data.push_back(tensor ? tensor->data.data() : nullptr);
      walks.push_back(walkOf(access, tensor, loops));
    }
    if (isContraction && loops > 0) {
      // The innermost loop by itself: nearly all the time of a model is here.
      int64_t count = std::exchange(extents->back(), extents->back() != 0);
      int64_t x = walks[0].steps.back(), y = walks[1].steps.back(),
              z = walks[2].steps.back();
      double *target = frame.owned[results[0]].data.data();
      forEachIteration(*extents, walks,
                       [&](ArrayRef<int64_t>, ArrayRef<int64_t> offsets) {
                         const double *left = data[0] + offsets[0];
                         const double *right = data[1] + offsets[1];
                         double *sum = target + offsets[2];
                         for (int64_t n = 0; n < count; ++n)
                           sum[n * z] += left[n * x] * right[n * y];
                       });
      return;
    }
    Frame inside = program->makeFrame(&frame, frame.coordinates);
    forEachIteration(
        *extents, walks,
        [&](ArrayRef<int64_t> iteration, ArrayRef<int64_t> offsets) {
          inside.iteration = iteration.data();
          for (auto [number, access] : llvm::enumerate(accesses)) {
            Scalar &argument = inside.scalars[program->getArgument(number)];
            if (!access.isTensor) {
              argument = frame.scalars[access.slot];
              continue;
            }
            double element = data[number][offsets[number]];
            if (access.isFloat)
              argument.f = element;
            else
              argument.i = static_cast<int64_t>(element);
          }
          program->run(inside);
          for (auto [number, result] : llvm::enumerate(results)) {
            const Scalar &value = inside.scalars[program->getResult(number)];
            frame.owned[result].data[offsets[inputs + number]] =
                accesses[inputs + number].isFloat
                    ? value.f
                    : static_cast<double>(value.i);
          }
        });
    if (inside.failedAt)
      frame.fail(inside.failedAt, inside.message);
  });
}

Step compileSoftmax(linalg::SoftmaxOp op, const Slots &slots) {
  int source = slots.operands[0], result = slots.results[0];
  size_t axis = op.getDimension();
  return [=](Frame &frame) {
    const Tensor &input = *frame.tensors[source];
    Tensor &target = frame.define(result, input.shape);
    SmallVector<int64_t> rows(input.shape), strides = stridesOf(input.shape);
    int64_t length = rows[axis], stride = strides[axis];
    rows[axis] = length == 0 ? 0 : 1;
    forEachIndex(rows, [&](ArrayRef<int64_t> row) {
      int64_t start = 0;
      for (auto [at, step] : llvm::zip(row, strides))
        start += at * step;
      double greatest = -INFINITY, sum = 0.0;
      for (int64_t n = 0; n < length; ++n)
        greatest = std::fmax(greatest, input.data[start + n * stride]);
      for (int64_t n = 0; n < length; ++n)
        sum += std::exp(input.data[start + n * stride] - greatest);
      for (int64_t n = 0; n < length; ++n)
        target.data[start + n * stride] =
            std::exp(input.data[start + n * stride] - greatest) / sum;
    });
  };
}

/// The elements stay in order; sizes that are not static are worked out from
/// the count.
Step compileReshape(Operation *op, const Slots &slots) {
  int source = slots.operands[0], result = slots.results[0];
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  SmallVector<SmallVector<int64_t>> groups;
  auto reassociation =
      expand ? expand.getReassociationIndices()
             : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  for (const auto &group : reassociation)
    groups.emplace_back(group.begin(), group.end());
  SmallVector<int> sizes(llvm::drop_begin(slots.operands));
  bool expands = static_cast<bool>(expand);
  return [=](Frame &frame) {
    const Tensor &input = *frame.tensors[source];
    SmallVector<int64_t> shape(type.getShape());
    if (expands) {
      const int *size = sizes.begin();
      for (int64_t &extent : shape)
        if (ShapedType::isDynamic(extent))
          extent = frame.scalars[*size++].i;
    } else {
      for (auto [axis, group] : llvm::enumerate(groups)) {
        shape[axis] = 1;
        for (int64_t part : group)
          shape[axis] *= input.shape[part];
      }
    }
    if (numElements(shape) != numElements(input.shape))
      return frame.fail(op, "expected " + Twine(numElements(shape)) +
                                " elements but got " +
                                Twine(numElements(input.shape)));
    std::vector<double> data = input.data;
    frame.define(result, shape).data = std::move(data);
  };
}

Step compileConcat(tensor::ConcatOp op, const Slots &slots) {
  SmallVector<int> sources = slots.operands;
  int result = slots.results[0];
  size_t axis = op.getDim();
  return [=](Frame &frame) {
    SmallVector<int64_t> shape(frame.tensors[sources[0]]->shape);
    shape[axis] = 0;
    for (int source : sources)
      shape[axis] += frame.tensors[source]->shape[axis];
    std::vector<double> data(numElements(shape));
    SmallVector<int64_t> strides = stridesOf(shape);
    int64_t first = 0;
    for (int source : sources) {
      const Tensor &part = *frame.tensors[source];
      size_t next = 0;
      forEachIndex(part.shape, [&](ArrayRef<int64_t> index) {
        int64_t at = first * strides[axis];
        for (auto [number, stride] : llvm::zip(index, strides))
          at += number * stride;
        data[at] = part.data[next++];
      });
      first += part.shape[axis];
    }
    frame.define(result, shape).data = std::move(data);
  };
}

Step compileEmpty(tensor::EmptyOp op, const Slots &slots) {
  auto type = op.getType();
  SmallVector<int> sizes = slots.operands;
  int result = slots.results[0];
  return [=](Frame &frame) {
    SmallVector<int64_t> shape(type.getShape());
    const int *size = sizes.begin();
    for (int64_t &extent : shape)
      if (ShapedType::isDynamic(extent))
        extent = std::max<int64_t>(0, frame.scalars[*size++].i);
    // What nothing wrote is no number.
    Tensor &target = frame.define(result, shape);
    std::fill(target.data.begin(), target.data.end(), std::nan(""));
  };
}

Step compileCall(func::CallOp call, func::FuncOp callee, const Slots &slots) {
  SmallVector<int> operands = slots.operands, results = slots.results;
  Operation *where = call;
  return [=](Frame &frame) mutable {
    std::vector<Tensor> arguments;
    for (auto [slot, type] : llvm::zip(operands, callee.getArgumentTypes())) {
      if (isa<RankedTensorType>(type))
        arguments.push_back(*frame.tensors[slot]);
      else
        arguments.push_back(
            {{},
             {isa<FloatType>(type)
                  ? frame.scalars[slot].f
                  : static_cast<double>(frame.scalars[slot].i)}});
    }
    FailureOr<std::vector<Tensor>> values =
        frame.calls ? (*frame.calls)(callee, arguments)
                    : evaluate(callee, arguments);
    if (failed(values) || values->size() != results.size())
      return frame.fail(where, "expected the call of '" + callee.getName() +
                                   "' to succeed");
    for (auto [slot, type, value] :
         llvm::zip(results, callee.getResultTypes(), *values)) {
      if (isa<RankedTensorType>(type))
        frame.define(slot, value.shape).data = std::move(value.data);
      else if (isa<FloatType>(type))
        frame.scalars[slot].f = value.data[0];
      else
        frame.scalars[slot].i = static_cast<int64_t>(value.data[0]);
    }
  };
}

} // namespace

FailureOr<Step> goat::reference::compileGraphOp(Operation *op,
                                                const Slots &slots,
                                                const Program &outer) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (!structured.hasPureTensorSemantics())
      return Step();
    return compileStructured(structured, slots, outer);
  }
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return compileSoftmax(softmax, slots);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return compileReshape(op, slots);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return compileConcat(concat, slots);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return compileEmpty(empty, slots);
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    int result = slots.results[0];
    unsigned loop = index.getDim();
    return Step(
        [=](Frame &frame) { frame.scalars[result].i = frame.iteration[loop]; });
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isDeclaration())
      return call.emitError("expected a function with a body but got '")
             << call.getCallee() << "'";
    return compileCall(call, callee, slots);
  }
  return Step();
}
