//===- MaskIndex.cpp - the key tiles of each block, found before ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kernels of one warp per block. The first, where the mask is evaluated,
// gives every tile a class, each tile its own block. The second walks the tiles
// of one block of queries in order and writes their numbers to its two lists,
// so that the index is the same in every run. Where the caller gives the
// classes, there is the second only. Heads (batch entries) between which the
// mask does not differ share one.
//
//===----------------------------------------------------------------------===//

#include "MaskIndex.h"

#include "KeyTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

using Predicate = arith::CmpIPredicate;

namespace {

/// What becomes of a tile.
enum TileClass : int64_t { emptyTile = 0, partialTile = 1, fullTile = 2 };

/// A row of the index: the lengths of both lists, then the entries.
constexpr int64_t entriesBegin = 2;
/// Classes that are read at once, since each read waits for memory.
constexpr int64_t classesAtOnce = 8;
constexpr int64_t warpThreads = 32;

/// One of the kernels and where its block stands.
struct Writer {
  KernelBuilder kernel;
  OpBuilder builder;
  TileBuilder tiles;
  AttentionContext context;
  Value queryTile;
  QueryRows rows;

  Writer(KernelBuilder created, Location loc)
      : kernel(std::move(created)),
        builder(OpBuilder::atBlockEnd(&kernel.getKernel().getBody().front())),
        tiles(builder, loc) {}
};

class IndexBuilder {
public:
  IndexBuilder(AttentionOp attention, ScheduleAttr schedule,
               KernelBuilder &kernel, std::optional<GivenIndex> given)
      : attention(attention), schedule(schedule), kernel(kernel),
        given(std::move(given)), byBatch(variesBy(Dependence::Batch, 0)),
        byHead(variesBy(Dependence::Head, 1)),
        heads(byHead ? attention.getNumQueryHeads() : 1) {
    MLIRContext *context = attention.getContext();
    queryTiles = getAffineSymbolExpr(0, context).ceilDiv(schedule.getRows());
    keyTiles = getAffineSymbolExpr(1, context).ceilDiv(schedule.getKeys());
    batch = byBatch ? getAffineSymbolExpr(2, context)
                    : getAffineConstantExpr(1, context);
    sizes = {kernel.dimAttr(attention.getQuery(), attention.getLengthAxis()),
             kernel.dimAttr(attention.getKey(), attention.getLengthAxis()),
             kernel.dimAttr(attention.getQuery(), 0)};
  }

  LogicalResult build(bool evaluates);
  TileList find(TileBuilder &tiles, const AttentionContext &context,
                Value firstQuery);

private:
  /// Whether indices may differ along batch entries or heads, of which a given
  /// one has those of `axis`.
  bool variesBy(Dependence coordinate, unsigned axis) {
    return tile::variesBy(attention, maskOf(attention), coordinate) ||
           (given && sizeOfGiven(axis) != 1);
  }
  int64_t sizeOfGiven(unsigned axis) {
    return cast<RankedTensorType>(given->classes.getType()).getDimSize(axis);
  }
  AffineMap map(ArrayRef<AffineExpr> results) {
    return AffineMap::get(0, 3, results, attention.getContext());
  }
  Value count(TileBuilder &tiles, Value length, int64_t tile) {
    return tiles.create<arith::DivUIOp>(
        tiles.create<arith::AddIOp>(length, tiles.i32(tile - 1)),
        tiles.i32(tile));
  }
  Value keyTileCount(TileBuilder &tiles, const AttentionContext &context) {
    return count(tiles, context.keyRows, schedule.getKeys());
  }
  Value rowOf(TileBuilder &tiles, Value pointer,
              const AttentionContext &context, Value queryTile, Value width);
  void locate(Writer &writer, Value queryTile, Value head, Value batchEntry);
  LogicalResult buildClasses();
  void buildLists();
  /// Whether a union holds some (all) of the keys of a tile.
  Value meets(Writer &writer, const KeyUnion &keys, Value first);
  Value covers(Writer &writer, const KeyUnion &keys, Value first);
  Value classFromSets(Writer &writer, const KeySets &sets, Value number);
  Value givenClass(Writer &writer, Value number, Value exists);
  FailureOr<Value> evaluate(Writer &writer, Value number);

  AttentionOp attention;
  ScheduleAttr schedule;
  KernelBuilder &kernel;
  std::optional<GivenIndex> given;
  bool byBatch, byHead;
  int64_t heads;
  AffineExpr queryTiles, keyTiles, batch;
  SmallVector<Attribute> sizes;
  unsigned lists = 0;
  std::optional<unsigned> classes;
};

} // namespace

Value tile::maskOf(AttentionOp attention) {
  return cast<YieldOp>(attention.getMask().front().getTerminator()).getValue();
}

/// The row of a block in a table (batch entries, heads, query tiles, width) of
/// i32.
Value IndexBuilder::rowOf(TileBuilder &tiles, Value pointer,
                          const AttentionContext &context, Value queryTile,
                          Value width) {
  Value row = tiles.widen(byBatch ? context.batch : tiles.i32(0));
  if (byHead)
    row = tiles.create<arith::AddIOp>(
        tiles.create<arith::MulIOp>(row, tiles.i64(heads)),
        tiles.widen(context.head));
  Value perMatrix =
      tiles.widen(count(tiles, context.queryRows, schedule.getRows()));
  row = tiles.create<arith::AddIOp>(tiles.create<arith::MulIOp>(row, perMatrix),
                                    tiles.widen(queryTile));
  return AdvanceOp::create(
      tiles.builder, tiles.loc, pointer,
      tiles.create<arith::MulIOp>(row, tiles.widen(width)));
}

void IndexBuilder::locate(Writer &writer, Value queryTile, Value head,
                          Value batchEntry) {
  TileBuilder &tiles = writer.tiles;
  writer.context = buildContext(attention, writer.kernel, tiles,
                                byBatch ? batchEntry : tiles.i32(0),
                                byHead ? head : tiles.i32(0));
  writer.queryTile = queryTile;
  writer.rows = blockRows(
      attention, tiles, writer.context,
      tiles.create<arith::MulIOp>(queryTile, tiles.i32(schedule.getRows())),
      schedule.getRows());
}

//===----------------------------------------------------------------------===//
// The class of a tile
//===----------------------------------------------------------------------===//

Value IndexBuilder::meets(Writer &writer, const KeyUnion &keys, Value first) {
  TileBuilder &tiles = writer.tiles;
  Value length = tiles.widen(writer.context.keyLength);
  Value end = tiles.create<arith::MinSIOp>(
      tiles.create<arith::AddIOp>(first, tiles.i64(schedule.getKeys())),
      length);
  Value any;
  for (const KeyInterval &interval : keys) {
    Value from = interval.begin
                     ? tiles.create<arith::MaxSIOp>(interval.begin, first)
                     : first;
    Value to =
        interval.end ? tiles.create<arith::MinSIOp>(interval.end, end) : end;
    Value some = tiles.compare(Predicate::slt, from, to);
    any = any ? tiles.create<arith::OrIOp>(any, some) : some;
  }
  return any ? any : tiles.constant(writer.builder.getBoolAttr(false));
}

Value IndexBuilder::covers(Writer &writer, const KeyUnion &keys, Value first) {
  TileBuilder &tiles = writer.tiles;
  Value end = tiles.create<arith::AddIOp>(first, tiles.i64(schedule.getKeys()));
  Value any;
  for (const KeyInterval &interval : keys) {
    Value all;
    if (interval.begin)
      all = tiles.compare(Predicate::sle, interval.begin, first);
    if (interval.end)
      all = tiles.conjunction(all,
                              tiles.compare(Predicate::sle, end, interval.end));
    if (!all)
      all = tiles.constant(writer.builder.getBoolAttr(true));
    any = any ? tiles.create<arith::OrIOp>(any, all) : all;
  }
  if (!any)
    return tiles.constant(writer.builder.getBoolAttr(false));
  return tiles.conjunction(
      any, tiles.compare(Predicate::sle, end,
                         tiles.widen(writer.context.keyLength)));
}

Value IndexBuilder::classFromSets(Writer &writer, const KeySets &sets,
                                  Value number) {
  TileBuilder &tiles = writer.tiles;
  Value first = tiles.widen(
      tiles.create<arith::MulIOp>(number, tiles.i32(schedule.getKeys())));
  Value inside = tiles.create<arith::SelectOp>(covers(writer, sets.full, first),
                                               tiles.i32(fullTile),
                                               tiles.i32(partialTile));
  return tiles.create<arith::SelectOp>(meets(writer, sets.visible, first),
                                       inside, tiles.i32(emptyTile));
}

/// The class of a tile from its mask: 16 query rows after the other, until a
/// pair that sees and one that does not have been met.
FailureOr<Value> IndexBuilder::evaluate(Writer &writer, Value number) {
  OpBuilder &builder = writer.builder;
  TileBuilder &tiles = writer.tiles;
  constexpr int64_t rowsAtOnce = 16;
  auto type = RankedTensorType::get({rowsAtOnce, schedule.getKeys()},
                                    builder.getI1Type(),
                                    MmaAttr::get(builder.getContext(), 1));
  Value no = tiles.constant(builder.getBoolAttr(false));
  Type i1 = builder.getI1Type();
  SmallVector<Type> types = {builder.getI32Type(), i1, i1};
  auto loop = scf::WhileOp::create(builder, tiles.loc, types,
                                   ValueRange{writer.rows.begin, no, no});
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(3, tiles.loc);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  Value undecided = tiles.create<arith::XOrIOp>(
      tiles.create<arith::AndIOp>(before->getArgument(1),
                                  before->getArgument(2)),
      tiles.constant(builder.getBoolAttr(true)));
  scf::ConditionOp::create(
      builder, tiles.loc,
      tiles.conjunction(tiles.compare(Predicate::slt, before->getArgument(0),
                                      writer.rows.end),
                        undecided),
      before->getArguments());

  Block *body = builder.createBlock(&loop.getAfter(), {}, types, locations);
  Value firstRow = body->getArgument(0);
  auto iota = [&](unsigned axis) -> Value {
    return IotaOp::create(builder, tiles.loc,
                          getSliceType(type, axis, builder.getI32Type()));
  };
  Coordinates at = coordinatesOf(writer.context);
  at.query = tiles.create<arith::AddIOp>(iota(1), firstRow);
  at.queryExists =
      tiles.compare(Predicate::slt, at.query, writer.context.queryRows);
  at.key = tiles.create<arith::AddIOp>(
      iota(0),
      tiles.create<arith::MulIOp>(number, tiles.i32(schedule.getKeys())));
  at.keyExists =
      tiles.compare(Predicate::slt, at.key, writer.context.keyLength);
  RegionEvaluator evaluator(attention, writer.kernel, tiles, at);
  FailureOr<Value> mask = evaluator.evaluate(maskOf(attention));
  if (failed(mask))
    return failure();
  Value sees = tiles.promote(
      tiles.create<arith::AndIOp>(tiles.promote(at.keyExists, type), *mask),
      type);
  Value counts = tiles.promote(
      tiles.compare(Predicate::slt, at.query, writer.context.queryLength),
      type);
  auto any = [&](Value condition, Value before) -> Value {
    return tiles.create<arith::OrIOp>(
        before,
        WarpAnyOp::create(builder, tiles.loc, i1,
                          tiles.create<arith::AndIOp>(counts, condition)));
  };
  Value lacks = tiles.create<arith::XOrIOp>(
      sees, tiles.constant(builder.getBoolAttr(true)));
  scf::YieldOp::create(
      builder, tiles.loc,
      ValueRange{tiles.create<arith::AddIOp>(firstRow, tiles.i32(rowsAtOnce)),
                 any(sees, body->getArgument(1)),
                 any(lacks, body->getArgument(2))});

  builder.setInsertionPointAfter(loop);
  Value inside = tiles.create<arith::SelectOp>(
      loop.getResult(2), tiles.i32(partialTile), tiles.i32(fullTile));
  return tiles.create<arith::SelectOp>(loop.getResult(1), inside,
                                       tiles.i32(emptyTile));
}

/// The kernel that evaluates: a block for each tile of keys and of queries.
LogicalResult IndexBuilder::buildClasses() {
  classes = kernel.addWorkspace(
      map(queryTiles * keyTiles * (heads * int64_t(sizeof(int32_t))) * batch),
      sizes);
  Writer writer(kernel.createBefore("mask_classes"), attention.getLoc());
  OpBuilder &builder = writer.builder;
  TileBuilder &tiles = writer.tiles;
  auto blockIndex = [&](int64_t axis) -> Value {
    return BlockIndexOp::create(builder, tiles.loc, axis);
  };
  Value number = blockIndex(0), matrix = blockIndex(2);
  locate(writer, blockIndex(1),
         tiles.create<arith::RemUIOp>(matrix, tiles.i32(heads)),
         tiles.create<arith::DivUIOp>(matrix, tiles.i32(heads)));
  KeySets sets =
      findKeySets(attention, writer.kernel, tiles, writer.context, writer.rows);
  Value known = classFromSets(writer, sets, number);
  Value isPartial = tiles.compare(Predicate::eq, known, tiles.i32(partialTile));
  auto branch = scf::IfOp::create(builder, tiles.loc, builder.getI32Type(),
                                  isPartial, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  FailureOr<Value> evaluated = evaluate(writer, number);
  if (failed(evaluated))
    return failure();
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, tiles.loc, *evaluated);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, tiles.loc, known);
  builder.setInsertionPointAfter(branch);
  Value row = rowOf(
      tiles, writer.kernel.workspace(*classes, builder.getI32Type()),
      writer.context, writer.queryTile, keyTileCount(tiles, writer.context));
  StoreOp::create(builder, tiles.loc, branch.getResult(0), row, number,
                  Value());
  gpu::ReturnOp::create(builder, tiles.loc);
  writer.kernel.setGrid(map({keyTiles, queryTiles, batch * heads}), sizes);
  writer.kernel.finishBefore(kernel, warpThreads);
  return success();
}

//===----------------------------------------------------------------------===//
// The lists
//===----------------------------------------------------------------------===//

/// The class of a tile that the caller gives; partial where the index has no
/// such tile, and where the last keys of a full one are past the length.
Value IndexBuilder::givenClass(Writer &writer, Value number, Value exists) {
  TileBuilder &tiles = writer.tiles;
  Type i8 = writer.builder.getI8Type(), i32 = writer.builder.getI32Type();
  Value rows = writer.kernel.dim(given->classes, 2),
        keys = writer.kernel.dim(given->classes, 3);
  Value inside =
      tiles.conjunction(tiles.compare(Predicate::slt, writer.queryTile, rows),
                        tiles.compare(Predicate::slt, number, keys));
  auto index = [&](unsigned axis, Value coordinate) {
    return tiles.widen(sizeOfGiven(axis) == 1 ? tiles.i32(0) : coordinate);
  };
  Value row = tiles.create<arith::AddIOp>(
      tiles.create<arith::MulIOp>(
          index(0, writer.context.batch),
          tiles.widen(writer.kernel.dim(given->classes, 1))),
      index(1, writer.context.head));
  row = tiles.create<arith::AddIOp>(
      tiles.create<arith::MulIOp>(row, tiles.widen(rows)),
      tiles.widen(writer.queryTile));
  Value pointer = AdvanceOp::create(
      writer.builder, tiles.loc, writer.kernel.input(given->classes),
      tiles.create<arith::MulIOp>(row, tiles.widen(keys)));
  Value loaded = LoadOp::create(writer.builder, tiles.loc, i8, pointer, number,
                                tiles.create<arith::AndIOp>(exists, inside));
  Value kind = arith::ExtSIOp::create(writer.builder, tiles.loc, i32, loaded);
  Value end = tiles.create<arith::MulIOp>(
      tiles.create<arith::AddIOp>(number, tiles.i32(1)),
      tiles.i32(schedule.getKeys()));
  Value isFull = tiles.conjunction(
      tiles.compare(Predicate::eq, kind, tiles.i32(fullTile)),
      tiles.compare(Predicate::sle, end, writer.context.keyLength));
  Value isEmpty = tiles.conjunction(
      inside, tiles.compare(Predicate::eq, kind, tiles.i32(emptyTile)));
  kind = tiles.create<arith::SelectOp>(isFull, tiles.i32(fullTile),
                                       tiles.i32(partialTile));
  isEmpty = tiles.create<arith::OrIOp>(
      isEmpty, tiles.create<arith::XOrIOp>(
                   exists, tiles.constant(writer.builder.getBoolAttr(true))));
  return tiles.create<arith::SelectOp>(isEmpty, tiles.i32(emptyTile), kind);
}

/// The kernel that sorts: a block for each tile of queries.
void IndexBuilder::buildLists() {
  lists = kernel.addWorkspace(map(queryTiles * (keyTiles + entriesBegin) *
                                  (heads * int64_t(sizeof(int32_t))) * batch),
                              sizes);
  Writer writer(kernel.createBefore("mask_lists"), attention.getLoc());
  OpBuilder &builder = writer.builder;
  TileBuilder &tiles = writer.tiles;
  auto blockIndex = [&](int64_t axis) -> Value {
    return BlockIndexOp::create(builder, tiles.loc, axis);
  };
  auto add = [&](Value a, Value b) -> Value {
    return tiles.create<arith::AddIOp>(a, b);
  };
  locate(writer, blockIndex(0), blockIndex(1), blockIndex(2));
  Type i32 = builder.getI32Type();
  Value numTiles = keyTileCount(tiles, writer.context);
  Value row = rowOf(tiles, writer.kernel.workspace(lists, i32), writer.context,
                    writer.queryTile, add(numTiles, tiles.i32(entriesBegin)));
  KeySets sets =
      findKeySets(attention, writer.kernel, tiles, writer.context, writer.rows);
  KeyTiles hull = tilesOf(tiles, writer.context, sets, schedule.getKeys());
  Value classRow;
  if (classes)
    classRow = rowOf(tiles, writer.kernel.workspace(*classes, i32),
                     writer.context, writer.queryTile, numTiles);

  Value zero = tiles.i32(0), one = tiles.i32(1);
  // The last entry a full tile may have, and how many there are of each.
  Value last = add(numTiles, tiles.i32(entriesBegin - 1));
  auto loop =
      scf::ForOp::create(builder, tiles.loc, hull.begin, hull.end,
                         tiles.i32(classesAtOnce), ValueRange{zero, zero});
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> numbers, found;
  for (int64_t i = 0; i < classesAtOnce; ++i) {
    Value number = add(loop.getInductionVar(), tiles.i32(i));
    Value exists = tiles.compare(Predicate::slt, number, hull.end);
    Value kind =
        given ? givenClass(writer, number, exists)
        : classRow
            ? LoadOp::create(builder, tiles.loc, i32, classRow, number, exists)
                  .getResult()
            : tiles.create<arith::SelectOp>(exists,
                                            classFromSets(writer, sets, number),
                                            tiles.i32(emptyTile));
    numbers.push_back(number);
    found.push_back(kind);
  }
  Value partial = loop.getRegionIterArg(0), full = loop.getRegionIterArg(1);
  for (auto [number, kind] : llvm::zip(numbers, found)) {
    Value isPartial =
        tiles.compare(Predicate::eq, kind, tiles.i32(partialTile));
    Value isFull = tiles.compare(Predicate::eq, kind, tiles.i32(fullTile));
    Value place = tiles.create<arith::SelectOp>(
        isPartial, add(partial, tiles.i32(entriesBegin)),
        tiles.create<arith::SubIOp>(last, full));
    StoreOp::create(builder, tiles.loc, number, row, place,
                    tiles.create<arith::OrIOp>(isPartial, isFull));
    auto counted = [&](Value count, Value condition) -> Value {
      return add(count, tiles.create<arith::SelectOp>(condition, one, zero));
    };
    partial = counted(partial, isPartial);
    full = counted(full, isFull);
  }
  scf::YieldOp::create(builder, tiles.loc, ValueRange{partial, full});
  builder.setInsertionPointAfter(loop);
  for (int64_t i : {0, 1})
    StoreOp::create(builder, tiles.loc, loop.getResult(i), row, tiles.i32(i),
                    Value());
  gpu::ReturnOp::create(builder, tiles.loc);
  writer.kernel.setGrid(
      map({queryTiles, getAffineConstantExpr(heads, attention.getContext()),
           batch}),
      sizes);
  writer.kernel.finishBefore(kernel, warpThreads);
}

LogicalResult IndexBuilder::build(bool evaluates) {
  if (evaluates && !given && failed(buildClasses()))
    return failure();
  buildLists();
  return success();
}

TileList IndexBuilder::find(TileBuilder &tiles, const AttentionContext &context,
                            Value firstQuery) {
  Type i32 = tiles.builder.getI32Type();
  TileList list;
  list.numEntries = keyTileCount(tiles, context);
  Value row = rowOf(
      tiles, kernel.workspace(lists, i32), context,
      tiles.create<arith::DivUIOp>(firstQuery, tiles.i32(schedule.getRows())),
      tiles.create<arith::AddIOp>(list.numEntries, tiles.i32(entriesBegin)));
  auto length = [&](int64_t i) -> Value {
    return LoadOp::create(tiles.builder, tiles.loc, i32, row, tiles.i32(i),
                          Value());
  };
  list.numPartial = length(0);
  list.numTiles = tiles.create<arith::AddIOp>(list.numPartial, length(1));
  list.entries =
      AdvanceOp::create(tiles.builder, tiles.loc, row, tiles.i64(entriesBegin));
  return list;
}

FailureOr<std::optional<GivenIndex>>
tile::findGivenIndex(AttentionOp attention) {
  auto function = attention->getParentOfType<func::FuncOp>();
  std::optional<GivenIndex> found;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    Attribute attribute = function.getArgAttr(number, maskIndexAttrName);
    if (!attribute)
      continue;
    auto sizes = dyn_cast<DenseI64ArrayAttr>(attribute);
    if (!sizes || sizes.size() != 2 || sizes[0] < 1 || sizes[1] < 1)
      return function.emitError(
                 "expected goat.mask_index to be array<i64: rows, "
                 "keys> of a tile but got ")
             << attribute;
    if (found)
      return function.emitError("expected goat.mask_index on one argument but "
                                "got it on ")
             << found->classes.getArgNumber() << " and " << number
             << "; drop one";
    if (attention.getMask().empty())
      return function.emitError("expected a mask region for goat.mask_index; "
                                "drop the argument, without a mask every tile "
                                "is full");
    // (B, Hq, tiles of queries, tiles of keys), where known.
    auto tilesOf = [](int64_t length, int64_t tile) -> int64_t {
      return ShapedType::isDynamic(length) ? length
                                           : llvm::divideCeil(length, tile);
    };
    int64_t expected[] = {attention.getQueryType().getDimSize(0),
                          attention.getNumQueryHeads(),
                          tilesOf(attention.getQueryLength(), sizes[0]),
                          tilesOf(attention.getKeyLength(), sizes[1])};
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    bool fits =
        type && type.getRank() == 4 && type.getElementType().isInteger(8);
    for (unsigned axis = 0; fits && axis < 4; ++axis)
      fits = type.getDimSize(axis) == expected[axis] ||
             (axis < 2 ? type.getDimSize(axis) == 1
                       : ShapedType::isDynamic(type.getDimSize(axis)));
    if (!fits)
      return function.emitError("expected the classes of tiles that "
                                "goat.mask_index gives to be ")
             << RankedTensorType::get(
                    expected, IntegerType::get(attention.getContext(), 8))
             << ", with 1 in place of any of the first two sizes, but got "
             << argument.getType();
    found = GivenIndex{argument, sizes[0], sizes[1]};
  }
  return found;
}

FailureOr<TileList> tile::buildMaskIndex(AttentionOp attention,
                                         ScheduleAttr schedule,
                                         KernelBuilder &kernel,
                                         TileBuilder &tiles,
                                         const AttentionContext &context,
                                         Value firstQuery, bool evaluates) {
  std::optional<GivenIndex> given;
  if (schedule.getMaskIndex() == MaskIndexUse::given) {
    FailureOr<std::optional<GivenIndex>> found = findGivenIndex(attention);
    if (failed(found))
      return failure();
    given = *found;
    if (!given || given->rows != schedule.getRows() ||
        given->keys != schedule.getKeys())
      return attention.emitError("expected an argument of the function with "
                                 "goat.mask_index = array<i64: ")
             << schedule.getRows() << ", " << schedule.getKeys()
             << "> for a schedule with mask_index = given and tiles of that "
                "size"
                "; leave the tile sizes to the attribute, or have the index "
                "made with mask_index = always";
    if (cast<RankedTensorType>(given->classes.getType()).isDynamicDim(0))
      kernel.requireEqual(kernel.dimAttr(given->classes, 0),
                          kernel.dimAttr(attention.getQuery(), 0));
  }
  IndexBuilder index(attention, schedule, kernel, given);
  if (failed(index.build(evaluates)))
    return failure();
  return index.find(tiles, context, firstQuery);
}
