//===- RegionEvaluator.cpp - scalar regions on tiles of coordinates -------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionEvaluator.h"

#include "goat/Dialect/GoatTile/IR/PerElement.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace goat;
using namespace goat::tile;

RegionEvaluator::RegionEvaluator(AttentionOp attention, KernelBuilder &kernel,
                                 TileBuilder &tiles,
                                 const Coordinates &coordinates)
    : attention(attention), kernel(kernel), tiles(tiles), at(coordinates),
      dependence(attention), rowWidth(attention.getValueDim()) {
  // The coordinates come last in every region, in this order.
  for (Region &region : attention->getRegions()) {
    if (region.empty())
      continue;
    bool hasKey =
        &region == &attention.getScore() || &region == &attention.getMask();
    auto arguments = region.getArguments().take_back(hasKey ? 4 : 3);
    Value values[] = {at.batch, at.head, at.query, at.key};
    if (&region == &attention.getLoadK())
      values[2] = at.key;
    for (auto [argument, value] : llvm::zip(arguments, values))
      if (value)
        known[argument] = value;
  }
}

FailureOr<Value> RegionEvaluator::evaluate(Value value) {
  if (auto load = loads.find(value); load != loads.end()) {
    Value &loaded = known[value];
    if (!loaded)
      loaded = load->second();
    return loaded;
  }
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  if (auto row = rows.find(value); row != rows.end()) {
    Value loaded = row->second(isMoved ? at.column : Value());
    known[value] = loaded;
    return loaded;
  }
  FailureOr<Value> result = build(value);
  if (succeeded(result))
    known[value] = *result;
  return result;
}

Value tile::perElement(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    op->setAttr(perElementAttrName, UnitAttr::get(op->getContext()));
  return value;
}

/// The same where the value is a tile.
static FailureOr<Value> perElementOfTile(FailureOr<Value> value) {
  if (failed(value))
    return value;
  auto type = dyn_cast<RankedTensorType>(value->getType());
  return type && type.getRank() == 2 ? tile::perElement(*value) : *value;
}

FailureOr<Value> RegionEvaluator::build(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !attention->isProperAncestor(op))
    return captured(value);
  if (std::optional<QueryKeyDifference> form =
          matchQueryKeyDifference(value, attention))
    return perElementOfTile(buildDifference(*form));
  if (auto position = dyn_cast<QueryPositionOp>(op))
    return buildPosition(op, position.getBatch(), position.getQuery(),
                         at.queryOffset);
  if (auto position = dyn_cast<KeyPositionOp>(op))
    return buildPosition(op, position.getBatch(), position.getKey(),
                         at.keyOffset);
  if (auto distance = dyn_cast<DistanceOp>(op)) {
    FailureOr<Value> query = buildPosition(op, distance.getBatch(),
                                           distance.getQuery(), at.queryOffset);
    FailureOr<Value> key =
        buildPosition(op, distance.getBatch(), distance.getKey(), at.keyOffset);
    if (failed(query) || failed(key))
      return failure();
    return perElementOfTile(tiles.create<arith::SubIOp>(*query, *key));
  }
  if (auto plugin = dyn_cast<PluginOpInterface>(op)) {
    OpBuilder builder(op);
    Value &expansion = expansions[op];
    if (!expansion)
      expansion = plugin.buildExpansion(builder);
    return evaluate(expansion);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<OpFoldResult> indices(extract.getIndices().begin(),
                                      extract.getIndices().end());
    return buildLoad(op, extract.getTensor(), indices, Value());
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return buildSlice(slice);
  if (isa<ColumnsOp>(op) && at.rowType)
    return columns();
  if (auto gather = dyn_cast<GatherRowOp>(op))
    return buildGather(gather);
  if (isa<RowSumOp, RowMaxOp>(op))
    return buildReduction(op);
  // A scalar of a row spread over its elements: promoted where it is used.
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return evaluate(splat.getInput());
  if (op->getNumResults() == 1 &&
      (OpTrait::hasElementwiseMappableTraits(op) ||
       isa<arith::ConstantOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)))
    return perElementOfTile(buildElementwise(op));
  op->emitError("expected ops with a tile form in a region but got ")
      << op->getName()
      << "; use arith, math, tensor.extract and goat ops, or implement "
         "goat::PluginOpInterface";
  return failure();
}

/// What a byte that stands for an i1 says.
Value RegionEvaluator::truth(Value byte) {
  return tiles.compare(arith::CmpIPredicate::ne, byte,
                       tiles.constant(tiles.builder.getI8IntegerAttr(0)));
}

FailureOr<Value> RegionEvaluator::captured(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
        !isa<RankedTensorType>(argument.getType())) {
      Value input = kernel.input(argument);
      return argument.getType().isInteger(1) ? truth(input) : input;
    }
  // A captured vector stands for a row.
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto type = dyn_cast<RankedTensorType>(argument.getType());
        at.rowType && type && type.getRank() == 1 &&
        type.getElementType().isF32() &&
        isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return gatherCaptured(value.getLoc(), argument, columns());
  if (Operation *op = value.getDefiningOp())
    if (isa<arith::ConstantOp>(op) && !isa<ShapedType>(value.getType()))
      return buildElementwise(op);
  emitError(
      value.getLoc(),
      "expected a value captured by a region to be an argument of the "
      "function or a scalar constant; pass what is computed outside as an "
      "argument");
  return failure();
}

Value RegionEvaluator::positionOf(Value index, Value offset) {
  if (getElementTypeOrSelf(index.getType()).isInteger(64))
    offset = tiles.widen(offset);
  return tiles.create<arith::AddIOp>(index, offset);
}

FailureOr<Value> RegionEvaluator::buildPosition(Operation *op, Value batch,
                                                Value index, Value offset) {
  if (!isCoordinate(batch, Dependence::Batch, attention)) {
    op->emitError("expected the batch coordinate of the region as the batch "
                  "entry; a kernel's block knows the offsets of its own only");
    return failure();
  }
  FailureOr<Value> row = evaluate(index);
  if (failed(row))
    return failure();
  return positionOf(*row, offset);
}

FailureOr<Value> RegionEvaluator::buildDifference(QueryKeyDifference form) {
  Value distance = at.distance;
  if (!distance)
    distance = tiles.create<arith::SubIOp>(positionOf(at.query, at.queryOffset),
                                           positionOf(at.key, at.keyOffset));
  if (!form.queryIsPosition)
    distance = tiles.create<arith::SubIOp>(distance, at.queryOffset);
  if (!form.keyIsPosition)
    distance = tiles.create<arith::AddIOp>(distance, at.keyOffset);
  return distance;
}

/// Coordinates are i32 inside a kernel.
static Type tileElement(Type type, MLIRContext *context) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? IntegerType::get(context, 32) : element;
}

/// Whether an index is known to lie in [0, 2^31).
static bool isSmallIndex(Value value, AttentionOp attention) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == attention;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative() && constant.isIntN(31);
  Operation *op = value.getDefiningOp();
  if (isa<arith::DivUIOp, arith::ShRUIOp>(op))
    return isSmallIndex(op->getOperand(0), attention);
  if (isa<arith::RemUIOp>(op))
    return isSmallIndex(op->getOperand(1), attention);
  return false;
}

/// Whether an op on indices has to be built in 64 bits: a product may be large,
/// and what is unsigned depends on the width where an operand may be negative.
bool RegionEvaluator::needsWideIndex(Operation *op, ValueRange operands) {
  for (Value operand : operands)
    if (getElementTypeOrSelf(operand.getType()).isInteger(64))
      return true;
  if (isa<arith::MulIOp, arith::ShLIOp>(op))
    return true;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  bool isUnsigned =
      isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, arith::ShRUIOp,
          arith::MinUIOp, arith::MaxUIOp>(op) ||
      (compare && (compare.getPredicate() == arith::CmpIPredicate::ult ||
                   compare.getPredicate() == arith::CmpIPredicate::ule ||
                   compare.getPredicate() == arith::CmpIPredicate::ugt ||
                   compare.getPredicate() == arith::CmpIPredicate::uge));
  return isUnsigned && !llvm::all_of(op->getOperands(), [&](Value operand) {
           return isSmallIndex(operand, attention);
         });
}

/// An index of 32 bits stands for its sign extension.
FailureOr<Value> RegionEvaluator::buildIndexCast(Operation *op, Value operand) {
  Type from = getElementTypeOrSelf(operand.getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  bool toIndex = to.isIndex();
  bool extendsUnsigned = toIndex && isa<arith::IndexCastUIOp>(op);
  if (toIndex)
    to = extendsUnsigned || from.isInteger(64)
             ? tiles.builder.getI64Type()
             : Type(tiles.builder.getI32Type());
  if (from == to)
    return operand;
  Type type = to;
  if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
    type = withElementType(tensor, to);
  Location loc = op->getLoc();
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(tiles.builder, loc, type, operand)
        .getResult();
  if (extendsUnsigned)
    return arith::ExtUIOp::create(tiles.builder, loc, type, operand)
        .getResult();
  return arith::ExtSIOp::create(tiles.builder, loc, type, operand).getResult();
}

FailureOr<Value> RegionEvaluator::buildElementwise(Operation *op) {
  MLIRContext *context = op->getContext();
  Type element = tileElement(op->getResult(0).getType(), context);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
      if (!dense.isSplat()) {
        op->emitError("expected a constant row of one value but got different "
                      "ones; pass it as an argument of the function");
        return failure();
      }
      value = dense.getSplatValue<TypedAttr>();
    }
    if (auto index = dyn_cast<IntegerAttr>(value);
        index && index.getType().isIndex()) {
      if (!llvm::isInt<32>(index.getInt())) {
        op->emitError("expected a coordinate below 2^31 but got ")
            << index.getInt();
        return failure();
      }
      return tiles.i32(index.getInt());
    }
    return tiles.constant(value);
  }

  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> value = evaluate(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return buildIndexCast(op, operands[0]);
  // An index is 64 bits wide and held in 32 where that is enough.
  if (llvm::is_contained(op->getOperandTypes(), tiles.builder.getIndexType()) &&
      needsWideIndex(op, operands)) {
    for (Value &operand : operands)
      if (getElementTypeOrSelf(operand.getType()).isInteger(32))
        operand = tiles.widen(operand);
    if (op->getResult(0).getType().isIndex())
      element = tiles.builder.getI64Type();
  }

  operands = tiles.unify(operands);
  Type type = element;
  if (RankedTensorType shape = tiles.commonShape(operands))
    type = withElementType(shape, element);
  OperationState state(op->getLoc(), op->getName(), operands, {type},
                       llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return tiles.builder.create(state)->getResult(0);
}

FailureOr<Value> RegionEvaluator::buildReduction(Operation *op) {
  FailureOr<Value> row = evaluate(op->getOperand(0));
  if (failed(row))
    return failure();
  if (!at.rowType) {
    op->emitError("expected a row that varies over its elements");
    return failure();
  }
  row = tiles.promote(*row, at.rowType);
  auto type = cast<RankedTensorType>(row->getType());
  Reduction kind = isa<RowSumOp>(op) ? Reduction::sum : Reduction::max;
  // Columns that only fill the tile up must not count.
  int64_t width =
      cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(0);
  if (type.getDimSize(1) != width) {
    Value column =
        IotaOp::create(tiles.builder, op->getLoc(),
                       getSliceType(type, 0, tiles.builder.getI32Type()));
    Value counts =
        tiles.compare(arith::CmpIPredicate::slt, column, tiles.i32(width));
    double neutral =
        kind == Reduction::sum ? 0.0 : -std::numeric_limits<double>::infinity();
    row = tiles.create<arith::SelectOp>(tiles.promote(counts, type), *row,
                                        tiles.f32(neutral));
  }
  for (auto &[argument, load] : loads)
    known.erase(argument);
  return ReduceOp::create(tiles.builder, op->getLoc(),
                          getSliceType(type, 1, type.getElementType()), kind,
                          *row, 1)
      .getResult();
}

Value RegionEvaluator::existence(Dependence of) {
  if (dependsOn(of, Dependence::Relative) && at.distance)
    return at.distanceExists;
  Value exists;
  if (dependsOn(of, Dependence::Query | Dependence::Relative))
    exists = tiles.conjunction(exists, at.queryExists);
  if (dependsOn(of, Dependence::Key | Dependence::Relative))
    exists = tiles.conjunction(exists, at.keyExists);
  return exists;
}

/// Sees to it that a dimension that a coordinate or a constant indexes is large
/// enough: now, or where the kernel is launched. False for any other index,
/// which may lie outside.
FailureOr<bool> RegionEvaluator::requireExtent(Operation *op, Value tensor,
                                               int64_t axis,
                                               OpFoldResult indexOrConstant,
                                               int64_t length) {
  Attribute extent = kernel.dimAttr(tensor, axis);
  Attribute needed;
  auto index = dyn_cast<Value>(indexOrConstant);
  if (std::optional<int64_t> constant = getConstantIntValue(indexOrConstant)) {
    if (*constant < 0)
      return op->emitError("expected an index of at least 0 but got ")
             << *constant;
    needed = tiles.builder.getI64IntegerAttr(*constant + length);
  } else if (isCoordinate(index, Dependence::Batch, attention)) {
    needed = kernel.dimAttr(attention.getQuery(), 0);
  } else if (isCoordinate(index, Dependence::Head, attention)) {
    needed = kernel.dimAttr(attention.getQuery(), attention.getHeadAxis());
  } else if (isCoordinate(index, Dependence::Query, attention)) {
    needed = kernel.dimAttr(attention.getQuery(), attention.getLengthAxis());
  } else if (isCoordinate(index, Dependence::Key, attention)) {
    needed = kernel.dimAttr(attention.getKey(), attention.getLengthAxis());
  } else {
    return false;
  }
  auto size = dyn_cast<IntegerAttr>(extent),
       least = dyn_cast<IntegerAttr>(needed);
  if (!size || !least) {
    kernel.requireAtLeast(extent, needed);
    return true;
  }
  if (size.getInt() >= least.getInt())
    return true;
  return op->emitError("expected the index of dimension ")
         << axis << " to stay in [0, " << size.getInt()
         << ") but it goes up to " << least.getInt() - 1
         << "; pass a captured tensor that covers it";
}

/// The size of a dimension, as wide as `index`.
Value RegionEvaluator::extentLike(Value tensor, int64_t axis, Value index) {
  Value extent = kernel.dim(tensor, axis);
  return getElementTypeOrSelf(index.getType()).isInteger(64)
             ? tiles.widen(extent)
             : extent;
}

/// The numbers of the columns of a row of `type`, as a vector along the columns
/// of the tile of rows; null when that is no row of the region.
Value RegionEvaluator::columnsOf(Type type) {
  auto row = dyn_cast<RankedTensorType>(type);
  bool isRow =
      row && row.getRank() == 1 && at.rowType && row.getDimSize(0) == rowWidth;
  return isRow ? columns() : Value();
}

/// A row of a captured tensor: one element of all dimensions but the last.
FailureOr<Value> RegionEvaluator::buildSlice(tensor::ExtractSliceOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  Value column = columnsOf(op.getType());
  bool isRow = column && llvm::all_of(op.getMixedStrides(), [](auto stride) {
                 return isConstantIntValue(stride, 1);
               });
  isRow = isRow && isConstantIntValue(sizes.back(), rowWidth) &&
          llvm::all_of(ArrayRef(sizes).drop_back(), [](OpFoldResult size) {
            return isConstantIntValue(size, 1);
          });
  if (!isRow) {
    op.emitError("expected a slice to be one row of ")
        << rowWidth
        << " elements along the last dimension, with strides of 1, in an "
           "exclusion; read other elements with tensor.extract";
    return failure();
  }
  return buildLoad(op, op.getSource(), op.getMixedOffsets(), column);
}

/// An element of a captured tensor, or with `column` a row: the last index is
/// then of its first element. The uniform part of the offset moves the pointer,
/// in 64 bits; the part that varies inside the block is i32 only where no
/// stride multiplies it.
FailureOr<Value> RegionEvaluator::buildLoad(Operation *op, Value tensor,
                                            ArrayRef<OpFoldResult> at,
                                            Value column) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp())) {
    op->emitError(
        "expected a captured tensor to be an argument of the function; "
        "pass what is computed outside as an argument");
    return failure();
  }
  auto widened = [&](Value index) -> Value {
    return getElementTypeOrSelf(index.getType()).isInteger(64)
               ? index
               : tiles.widen(index);
  };
  // Offsets in a small tensor fit 32 bits.
  bool isSmall =
      type.hasStaticShape() && llvm::isInt<31>(type.getNumElements());
  auto narrowed = [&](Value index) -> Value {
    if (getElementTypeOrSelf(index.getType()).isInteger(32))
      return index;
    Type i32 = tiles.builder.getI32Type();
    auto shape = dyn_cast<RankedTensorType>(index.getType());
    return tiles.builder.createOrFold<arith::TruncIOp>(
        tiles.loc, shape ? Type(withElementType(shape, i32)) : i32, index);
  };
  Value uniform, narrow, wide, mask;
  Dependence indices = Dependence::None;
  auto accumulate = [&](Value &sum, Value term) {
    sum = sum ? tiles.create<arith::AddIOp>(sum, term) : term;
  };
  Value stride;
  int64_t smallStride = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    bool isRow = column && axis == type.getRank() - 1;
    FailureOr<Value> index = failure();
    if (auto value = dyn_cast<Value>(at[axis])) {
      indices = indices | dependence.of(value);
      index = evaluate(value);
    } else {
      index = tiles.i32(*getConstantIntValue(at[axis]));
    }
    if (failed(index))
      return failure();
    FailureOr<bool> isInside =
        requireExtent(op, tensor, axis, at[axis], isRow ? rowWidth : 1);
    if (succeeded(isInside) && isRow && !*isInside)
      return op->emitError(
          "expected the row of a slice to begin at a constant");
    if (isRow) {
      // Padding columns of the tile of rows have no element.
      mask =
          tiles.compare(arith::CmpIPredicate::slt, column, tiles.i32(rowWidth));
      index = tiles.create<arith::AddIOp>(column, *index);
    }
    if (failed(isInside))
      return failure();
    // A pair that the mask hides may lead outside, and must not be read.
    if (!*isInside)
      mask = tiles.conjunction(
          mask, tiles.compare(arith::CmpIPredicate::ult, *index,
                              extentLike(argument, axis, *index)));
    bool varies = isa<RankedTensorType>(index->getType());
    if (varies && isSmall) {
      Value term = narrowed(*index);
      if (smallStride != 1)
        term = tiles.create<arith::MulIOp>(term, tiles.i32(smallStride));
      accumulate(narrow, term);
    } else if (varies && !stride) {
      narrow = *index;
    } else {
      Value term = widened(*index);
      if (stride)
        term = tiles.create<arith::MulIOp>(term, stride);
      accumulate(varies ? wide : uniform, term);
    }
    if (axis == 0)
      break;
    if (isSmall)
      smallStride *= type.getDimSize(axis);
    Value extent = tiles.widen(kernel.dim(argument, axis));
    stride = stride ? tiles.create<arith::MulIOp>(stride, extent) : extent;
  }

  Value pointer = kernel.input(argument);
  if (uniform)
    pointer = AdvanceOp::create(tiles.builder, op->getLoc(), pointer, uniform);
  Value offset = narrow;
  if (wide)
    offset = narrow ? tiles.create<arith::AddIOp>(wide, widened(narrow)) : wide;
  if (!offset)
    offset = tiles.i32(0);
  bool isTruth = type.getElementType().isInteger(1);
  Type result = cast<PointerType>(pointer.getType()).getElementType();
  if (auto shape = dyn_cast<RankedTensorType>(offset.getType())) {
    result = withElementType(shape, result);
    mask = tiles.conjunction(mask, existence(indices));
    if (mask)
      mask = tiles.promote(mask, shape);
  }
  Value loaded = LoadOp::create(tiles.builder, op->getLoc(), result, pointer,
                                offset, mask);
  return isTruth ? truth(loaded) : loaded;
}
