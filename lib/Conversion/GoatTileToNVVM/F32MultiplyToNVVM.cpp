//===- F32MultiplyToNVVM.cpp - products of f32 operands -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ways to multiply f32 tiles whose accumulator lies as that of mma.sync:
//
// tf32: mma.m16n8k8. Fragments of a, and of b when it is stored along the
// depth, come by ldmatrix. Of a b stored across, ldmatrix cannot transpose
// elements of 32 bits; each is read by itself, in the paired order of the
// depth, in which an accumulator is the other operand as it stands.
//
// exact: fma.rn.f32. A thread computes the elements it holds of the
// accumulator: 2 or 4 rows by a quarter of the columns. Along the depth it
// reads 16 bytes of each of its rows and columns at a time; of an a in
// registers it gets what the other three threads of its rows hold by shuffles.
//
//===----------------------------------------------------------------------===//

#include "F32MultiplyToNVVM.h"

#include "MatrixLoader.h"
#include "NVVMInstructions.h"
#include "Patterns.h"
#include "goat/Layout/Fragments.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace {

using Words = SmallVector<Value, 4>;

/// What both ways know of a product.
struct Product {
  Product(ScalarEmitter &emitter, MmaOp op, ValueRange a, Value b)
      : emitter(emitter), a(a), b(b),
        type(cast<RankedTensorType>(op.getType())),
        aBuffer(dyn_cast<BufferType>(op.getA().getType())),
        bBuffer(op.getB().getType()), bTransposed(op.getBTransposed()),
        warps(cast<MmaAttr>(type.getEncoding()).getWarps()),
        rowTiles(type.getDimSize(0) / warps / 16),
        colTiles(type.getDimSize(1) / 8),
        depth(bBuffer.getShape()[bTransposed ? 1 : 0]) {}

  ScalarEmitter &emitter;
  ValueRange a;
  Value b;
  RankedTensorType type;
  BufferType aBuffer; // null where a is in registers
  BufferType bBuffer;
  bool bTransposed;
  /// Tiles of 16 rows of a warp, and of 8 columns.
  int64_t warps, rowTiles, colTiles, depth;
};

constexpr int64_t elementBytes = 4;

//===----------------------------------------------------------------------===//
// tf32
//===----------------------------------------------------------------------===//

class TF32Product : Product {
public:
  TF32Product(ScalarEmitter &emitter, MmaOp op, ValueRange a, Value b)
      : Product(emitter, op, a, b), isRounded(op.getRounded()) {
    int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    auto order = layout::DepthOrder::Natural;
    if (aBuffer) {
      loaderA.emplace(MatrixLoader::forA(emitter, op, a.front()));
    } else {
      order = layout::DepthOrder::Paired;
      registersOfA = *layout::conversion(
          layoutOf(op.getA().getType()),
          *layout::mmaOperandA32(rows, depth, order, warps));
    }
    if (aBuffer && bTransposed) {
      loaderB.emplace(MatrixLoader::forB(emitter, op, b));
      return;
    }
    layoutOfB = layout::mmaOperandB32(depth, columns, order, warps);
    Value along = emitter.threadBase(*layoutOfB, 0),
          across = emitter.threadBase(*layoutOfB, 1);
    if (bTransposed)
      std::swap(along, across);
    addressesOfB.emplace(emitter, bBuffer, b, along,
                         emitter.mul(across, elementBytes));
  }

  void addTo(MutableArrayRef<Value> accumulator) {
    for (int64_t step = 0; step < depth / 8; ++step) {
      SmallVector<Words> aFragments;
      for (int64_t row = 0; row < rowTiles; ++row)
        aFragments.push_back(fragmentOfA(row, step));
      for (int64_t col = 0; col < colTiles; col += 2) {
        unsigned count = std::min<int64_t>(2, colTiles - col);
        Words bWords = fragmentsOfB(step, col, count);
        for (int64_t row = 0; row < rowTiles; ++row)
          for (unsigned i = 0; i < count; ++i) {
            MutableArrayRef<Value> c =
                accumulator.slice((row * colTiles + col + i) * 4, 4);
            Words sum = nvvm::multiplyTF32(
                emitter.getBuilder(), emitter.getLoc(), aFragments[row],
                ArrayRef(bWords).slice(i * 2, 2), ArrayRef<Value>(c));
            llvm::copy(sum, c.begin());
          }
      }
    }
  }

private:
  Words fragmentOfA(int64_t rowTile, int64_t step) {
    Words words;
    if (loaderA)
      return fromBuffer(loaderA->load(rowTile * 16, step * 8, 4, false));
    for (int64_t first = (rowTile * depth / 8 + step) * 4, i = 0; i < 4; ++i)
      words.push_back(a[registersOfA[first + i]]);
    return rounded(words);
  }

  /// Of column tile `col` and, if `count` is 2, the next.
  Words fragmentsOfB(int64_t step, int64_t col, unsigned count) {
    if (loaderB)
      return fromBuffer(loaderB->load(col * 8, step * 8, count * 2, false));
    Words words;
    for (int64_t tile = col; tile < col + count; ++tile)
      for (int64_t half : {0, 1}) {
        layout::Coordinate at =
            layoutOfB->registerOffset((tile * (depth / 8) + step) * 2 + half);
        if (bTransposed)
          std::swap(at[0], at[1]);
        words.append(loadElements(
            emitter, addressesOfB->at(at[0], at[1] * elementBytes), 1,
            /*condition=*/{}));
      }
    return fromBuffer(words);
  }

  /// The bits of elements that were read from a buffer.
  Words fromBuffer(ArrayRef<Value> elements) {
    if (!isRounded)
      return rounded(elements);
    Words words;
    for (Value element : elements)
      words.push_back(
          emitter.bitcast(element, emitter.getBuilder().getI32Type()));
    return words;
  }

  Words rounded(ArrayRef<Value> elements) {
    Words words;
    for (Value element : elements)
      words.push_back(
          nvvm::roundToTF32(emitter.getBuilder(), emitter.getLoc(), element));
    return words;
  }

  bool isRounded;
  std::optional<MatrixLoader> loaderA, loaderB;
  std::vector<unsigned> registersOfA;
  std::optional<layout::TileLayout> layoutOfB;
  std::optional<TileAddresses> addressesOfB;
};

//===----------------------------------------------------------------------===//
// exact
//===----------------------------------------------------------------------===//

class ExactProduct : Product {
public:
  ExactProduct(ScalarEmitter &emitter, MmaOp op, ValueRange a, Value b)
      : Product(emitter, op, a, b) {
    layout::TileLayout layout = layoutOf(type);
    Value zero = emitter.i32(0);
    if (aBuffer)
      addressesOfA.emplace(emitter, aBuffer, a.front(),
                           emitter.threadBase(layout, 0), zero);
    Value column = emitter.threadBase(layout, 1);
    if (bTransposed)
      addressesOfB.emplace(emitter, bBuffer, b, column, zero);
    else
      addressesOfB.emplace(emitter, bBuffer, b, zero,
                           emitter.mul(column, elementBytes));
  }

  void addTo(MutableArrayRef<Value> accumulator) {
    for (int64_t first = 0; first < depth; first += width) {
      SmallVector<Words> rows;
      for (int64_t row = 0; row < 2 * rowTiles; ++row)
        rows.push_back(partOfRow(row, first));
      for (int64_t tile = 0; tile < colTiles; ++tile) {
        std::array<Words, 2> columns = partOfColumns(tile, first);
        for (int64_t k = 0; k < width; ++k)
          for (int64_t row = 0; row < 2 * rowTiles; ++row)
            for (int64_t column : {0, 1}) {
              // Registers: the columns of a row, its two rows, column tiles.
              int64_t fragment = row / 2 * colTiles + tile;
              Value &sum = accumulator[fragment * 4 + row % 2 * 2 + column];
              sum = LLVM::FMAOp::create(emitter.getBuilder(), emitter.getLoc(),
                                        rows[row][k], columns[column][k], sum);
            }
      }
    }
  }

private:
  /// Elements along the depth that are read at once: 16 bytes.
  static constexpr int64_t width = 4;

  /// Row g + 8·row of a from `first` on.
  Words partOfRow(int64_t row, int64_t first) {
    if (addressesOfA)
      return Words(loadElements(emitter,
                                addressesOfA->at(row * 8, first * elementBytes),
                                width, /*condition=*/{}));
    Words part;
    for (int64_t k = first; k < first + width; ++k) {
      // Thread t of the four that share a row holds 2t and 2t + 1 of each 8.
      int64_t fragment = row / 2 * (depth / 8) + k / 8;
      part.push_back(nvvm::shuffleFromQuad(
          emitter.getBuilder(), emitter.getLoc(),
          a[fragment * 4 + row % 2 * 2 + k % 2], k % 8 / 2));
    }
    return part;
  }

  /// The thread's two columns of column tile `tile` of b from `first` on.
  std::array<Words, 2> partOfColumns(int64_t tile, int64_t first) {
    std::array<Words, 2> columns;
    if (bTransposed) {
      for (int64_t column : {0, 1})
        columns[column] = Words(loadElements(
            emitter, addressesOfB->at(tile * 8 + column, first * elementBytes),
            width,
            /*condition=*/{}));
      return columns;
    }
    for (int64_t k = first; k < first + width; ++k) {
      SmallVector<Value> pair =
          loadElements(emitter, addressesOfB->at(k, tile * 8 * elementBytes), 2,
                       /*condition=*/{});
      for (int64_t column : {0, 1})
        columns[column].push_back(pair[column]);
    }
    return columns;
  }

  std::optional<TileAddresses> addressesOfA, addressesOfB;
};

} // namespace

SmallVector<Value> goat::tile::multiplyF32(ScalarEmitter &emitter, MmaOp op,
                                           ValueRange a, Value b,
                                           ValueRange accumulator) {
  SmallVector<Value> registers(accumulator);
  if (op.getF32Product() == F32Product::tf32)
    TF32Product(emitter, op, a, b).addTo(registers);
  else
    ExactProduct(emitter, op, a, b).addTo(registers);
  return registers;
}
