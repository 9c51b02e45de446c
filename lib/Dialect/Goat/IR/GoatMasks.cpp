//===- GoatMasks.cpp - answers and constraints of goat's masks ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the masks of GoatMasks.td say themselves in plain ops, what more they
// know of blocks of keys, and what their verifiers demand. Which keys a
// comparison of positions lets a block see is not said here: it is read off the
// expansion.
//
//===----------------------------------------------------------------------===//

#include "Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace goat;

namespace {

/// Arithmetic on one integer type, that of `like`.
class Integers {
public:
  Integers(Location loc, OpBuilder &builder, Type type)
      : builder(loc, builder), type(type) {}

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder,
                                     builder.getIntegerAttr(type, value));
  }
  template <typename OpT> Value create(Value a, Value b) {
    return builder.createOrFold<OpT>(a, b);
  }
  Value add(Value a, Value b) { return create<arith::AddIOp>(a, b); }
  Value subtract(Value a, Value b) { return create<arith::SubIOp>(a, b); }
  Value divide(Value a, int64_t b) {
    return create<arith::DivUIOp>(a, constant(b));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, condition, a, b);
  }
  /// `value`, of any integer or index type, in this type.
  Value cast(Value value) {
    return arith::IndexCastOp::create(builder, type, value);
  }

  ImplicitLocOpBuilder builder;
  Type type;
};

} // namespace

static Value conjunction(Integers &ints, Value a, Value b) {
  return a && b ? ints.create<arith::AndIOp>(a, b) : a ? a : b;
}

//===----------------------------------------------------------------------===//
// goat.causal_mask
//===----------------------------------------------------------------------===//

LogicalResult CausalMaskOp::verify() {
  return verifyInsideAttention(*this, "C1");
}

Value CausalMaskOp::buildExpansion(OpBuilder &builder) {
  Value query =
      QueryPositionOp::create(builder, getLoc(), getBatch(), getQuery());
  Value key = KeyPositionOp::create(builder, getLoc(), getBatch(), getKey());
  return arith::CmpIOp::create(builder, getLoc(), arith::CmpIPredicate::sle,
                               key, query);
}

/// The last query of the block sees keys up to its own position; the first
/// sees all of those up to its own, and then so does every other.
KeyRange CausalMaskOp::buildKeyRange(OpBuilder &builder,
                                     const QueryBlock &block) {
  if (!block.isAbout(getBatch(), getQuery(), getKey()))
    return KeyRange();
  Location loc = getLoc();
  Value one = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(block.positionBegin.getType(), 1));
  KeyRange range;
  range.visibleEnd = block.positionEnd;
  range.fullFromStart = true;
  range.fullEnd = arith::AddIOp::create(builder, loc, block.positionBegin, one);
  return range;
}

//===----------------------------------------------------------------------===//
// goat.window_mask
//===----------------------------------------------------------------------===//

LogicalResult WindowMaskOp::verify() {
  if (failed(verifyInsideAttention(*this, "C1")))
    return failure();
  int64_t dilation = getDilation();
  if (!getLeft() && !getRight() && dilation == 1)
    return emitOpError("(C2) expected left, right or a dilation but got none; "
                       "drop the mask, which lets everything pass");
  for (auto [name, width] :
       {std::pair{"left", getLeft()}, std::pair{"right", getRight()}}) {
    APInt constant;
    constexpr int64_t limit = int64_t(1) << 30;
    if (width && matchPattern(width, m_ConstantInt(&constant)) &&
        std::abs(constant.getSExtValue()) >= limit)
      return emitOpError("(C3) expected ")
             << name << " to lie between -2^30 and 2^30 but got "
             << constant.getSExtValue()
             << "; leave it out for a window without end";
  }
  if (dilation < 1)
    return emitOpError("(C4) expected a positive dilation but got ")
           << dilation;
  return success();
}

Value WindowMaskOp::buildExpansion(OpBuilder &outer) {
  Integers ints(getLoc(), outer, outer.getIndexType());
  Value distance = DistanceOp::create(ints.builder, ints.type, getBatch(),
                                      getQuery(), getKey());
  Value mask;
  if (getLeft())
    mask =
        ints.compare(arith::CmpIPredicate::sle, distance, ints.cast(getLeft()));
  if (getRight()) {
    Value least = ints.subtract(ints.constant(0), ints.cast(getRight()));
    mask = conjunction(
        ints, mask, ints.compare(arith::CmpIPredicate::sge, distance, least));
  }
  if (int64_t dilation = getDilation(); dilation > 1) {
    Value rest = ints.create<arith::RemSIOp>(distance, ints.constant(dilation));
    mask = conjunction(
        ints, mask,
        ints.compare(arith::CmpIPredicate::eq, rest, ints.constant(0)));
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// goat.prefix_mask
//===----------------------------------------------------------------------===//

LogicalResult PrefixMaskOp::verify() {
  return verifyInsideAttention(*this, "C1");
}

Value PrefixMaskOp::buildExpansion(OpBuilder &outer) {
  Integers ints(getLoc(), outer, outer.getIndexType());
  Value key =
      KeyPositionOp::create(ints.builder, ints.type, getBatch(), getKey());
  return ints.compare(arith::CmpIPredicate::slt, key, ints.cast(getLength()));
}

//===----------------------------------------------------------------------===//
// goat.document_mask
//===----------------------------------------------------------------------===//

LogicalResult DocumentMaskOp::verify() {
  if (failed(verifyInsideAttention(*this, "C1")))
    return failure();
  auto attention = (*this)->getParentOfType<AttentionOp>();
  auto query = cast<RankedTensorType>(getQueryIds().getType()),
       key = cast<RankedTensorType>(getKeyIds().getType());
  if (query.getRank() != key.getRank())
    return emitOpError("(C2) expected query_ids and key_ids to have one rank "
                       "but got ")
           << query.getRank() << " and " << key.getRank();
  struct Expectation {
    StringRef what;
    RankedTensorType type;
    int64_t axis, size;
  };
  int64_t last = query.getRank() - 1;
  SmallVector<Expectation> expectations = {
      {"query_ids to have the query length", query, last,
       attention.getQueryLength()},
      {"key_ids to have the key length", key, last, attention.getKeyLength()}};
  if (last == 1)
    for (auto [what, type] :
         {std::pair{"query_ids to have the batch size", query},
          std::pair{"key_ids to have the batch size", key}})
      expectations.push_back(
          {what, type, 0, attention.getQueryType().getDimSize(0)});
  for (const Expectation &expected : expectations)
    if (!agree(expected.type.getDimSize(expected.axis), expected.size)) {
      InFlightDiagnostic diagnostic =
          emitOpError("(C3) expected ")
          << expected.what << " " << sizeText(expected.size) << " but got "
          << expected.type.getDimSize(expected.axis);
      diagnostic.attachNote(attention.getLoc()) << "the attention it belongs "
                                                   "to";
      return diagnostic;
    }
  return success();
}

Value DocumentMaskOp::buildExpansion(OpBuilder &outer) {
  ImplicitLocOpBuilder builder(getLoc(), outer);
  auto read = [&](Value ids, Value row) -> Value {
    SmallVector<Value> at = {row};
    if (cast<RankedTensorType>(ids.getType()).getRank() == 2)
      at.insert(at.begin(), getBatch());
    return tensor::ExtractOp::create(builder, ids, at);
  };
  Value query = read(getQueryIds(), getQuery());
  Value key = read(getKeyIds(), getKey());
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, query, key);
}

/// For each of `values`, the first of `length` sorted elements that is not
/// less, or `length`: binary searches side by side, since each step waits for
/// memory. `element` reads one.
static SmallVector<Value>
buildLowerBounds(Integers &ints, ValueRange values, Value length,
                 llvm::function_ref<Value(Value)> element) {
  ImplicitLocOpBuilder &builder = ints.builder;
  Value zero = ints.constant(0), one = ints.constant(1);
  // What is left to halve, then the two ends of each search.
  SmallVector<Value> start = {length};
  for (size_t i = 0; i < values.size(); ++i)
    start.append({zero, length});
  SmallVector<Type> types(start.size(), ints.type);
  auto loop = scf::WhileOp::create(
      builder, types, start,
      [&](OpBuilder &, Location, ValueRange arguments) {
        Value goesOn =
            ints.compare(arith::CmpIPredicate::sgt, arguments[0], zero);
        scf::ConditionOp::create(builder, goesOn, arguments);
      },
      [&](OpBuilder &, Location, ValueRange arguments) {
        SmallVector<Value> next = {
            ints.create<arith::ShRUIOp>(arguments[0], one)};
        for (auto [i, value] : llvm::enumerate(values)) {
          Value low = arguments[1 + 2 * i], high = arguments[2 + 2 * i];
          Value middle = ints.create<arith::ShRUIOp>(ints.add(low, high), one);
          Value isOpen = ints.compare(arith::CmpIPredicate::slt, low, high);
          // A search that has ended reads an element that is there.
          Value place = ints.select(isOpen, middle, zero);
          Value less =
              ints.compare(arith::CmpIPredicate::slt, element(place), value);
          Value goesUp = ints.create<arith::AndIOp>(isOpen, less);
          next.push_back(ints.select(goesUp, ints.add(middle, one), low));
          next.push_back(
              ints.select(goesUp, high, ints.select(isOpen, middle, high)));
        }
        scf::YieldOp::create(builder, next);
      });
  SmallVector<Value> bounds;
  for (size_t i = 0; i < values.size(); ++i)
    bounds.push_back(loop.getResult(1 + 2 * i));
  return bounds;
}

/// Of sorted numbers, the block's queries carry those from the first row's to
/// the last row's, and see the keys that carry them. Every query sees a key
/// that carries the last row's number or more, and the first row's or less:
/// keys there are only where those are one number.
KeyRange DocumentMaskOp::buildKeyRange(OpBuilder &outer,
                                       const QueryBlock &block) {
  if (!getSorted() || !block.isAbout(getBatch(), getQuery(), getKey()) ||
      !isa<BlockArgument>(getQueryIds()) || !isa<BlockArgument>(getKeyIds()))
    return KeyRange();
  Integers ints(getLoc(), outer, block.positionBegin.getType());
  auto read = [&](Value ids, Value row) -> Value {
    SmallVector<Value> at = {row};
    if (cast<RankedTensorType>(ids.getType()).getRank() == 2)
      at.insert(at.begin(), block.batch);
    return block.load(ints.builder, ids, at);
  };
  Value one = ints.constant(1);
  Value first = read(getQueryIds(), block.rowBegin);
  Value last = read(getQueryIds(), ints.subtract(block.rowEnd, one));
  SmallVector<Value> bounds = buildLowerBounds(
      ints, {first, ints.add(first, one), last, ints.add(last, one)},
      block.keyLength, [&](Value row) { return read(getKeyIds(), row); });
  for (Value &bound : bounds)
    bound = ints.add(bound, block.keyOffset);
  KeyRange range;
  range.visibleBegin = bounds[0];
  range.fullEnd = bounds[1];
  range.fullBegin = bounds[2];
  range.visibleEnd = bounds[3];
  return range;
}

//===----------------------------------------------------------------------===//
// goat.neighborhood_mask
//===----------------------------------------------------------------------===//

LogicalResult NeighborhoodMaskOp::verify() {
  if (failed(verifyInsideAttention(*this, "C1")))
    return failure();
  ArrayRef<int64_t> extents = getExtents(), kernel = getKernel();
  if (extents.empty() || extents.size() > 3 || extents.size() != kernel.size())
    return emitOpError("(C2) expected one to three extents and as many sizes "
                       "of the kernel but got ")
           << extents.size() << " and " << kernel.size();
  int64_t places = 1;
  for (auto [extent, size] : llvm::zip(extents, kernel)) {
    if (size < 1 || size % 2 == 0 || size > extent)
      return emitOpError("(C3) expected an odd kernel size between 1 and its "
                         "extent ")
             << extent << " but got " << size;
    constexpr int64_t limit = int64_t(1) << 30;
    if (extent >= limit || (places *= extent) >= limit)
      return emitOpError("(C4) expected a grid of less than 2^30 places");
  }
  return success();
}

Value NeighborhoodMaskOp::buildExpansion(OpBuilder &outer) {
  Integers ints(getLoc(), outer, outer.getI32Type());
  ImplicitLocOpBuilder &builder = ints.builder;
  Type index = builder.getIndexType();
  Value zero = ints.constant(0);
  int64_t places = 1;
  for (int64_t extent : getExtents())
    places *= extent;

  Value mask;
  auto require = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    mask = conjunction(ints, mask, ints.compare(predicate, a, b));
  };
  // A place on the grid, 0 for what stands before it, so that its coordinates
  // are quotients of a number that is not negative.
  auto placeOf = [&](Value position) -> Value {
    Value place = ints.cast(position);
    require(arith::CmpIPredicate::sge, place, zero);
    require(arith::CmpIPredicate::slt, place, ints.constant(places));
    return ints.create<arith::MaxSIOp>(place, zero);
  };
  Value query =
      placeOf(QueryPositionOp::create(builder, index, getBatch(), getQuery()));
  Value key =
      placeOf(KeyPositionOp::create(builder, index, getBatch(), getKey()));
  int64_t stride = places;
  for (size_t axis = 0; axis < getExtents().size(); ++axis) {
    int64_t extent = getExtents()[axis], size = getKernel()[axis];
    stride /= extent;
    auto coordinate = [&](Value place) -> Value {
      Value quotient = stride == 1 ? place : ints.divide(place, stride);
      return axis == 0
                 ? quotient
                 : ints.create<arith::RemUIOp>(quotient, ints.constant(extent));
    };
    Value begin = ints.subtract(coordinate(query), ints.constant(size / 2));
    begin = ints.create<arith::MaxSIOp>(begin, zero);
    begin = ints.create<arith::MinSIOp>(begin, ints.constant(extent - size));
    Value at = coordinate(key);
    require(arith::CmpIPredicate::sge, at, begin);
    require(arith::CmpIPredicate::slt, at,
            ints.add(begin, ints.constant(size)));
  }
  return mask;
}
