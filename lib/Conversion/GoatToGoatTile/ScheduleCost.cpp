//===- ScheduleCost.cpp - what a schedule costs on a chip -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts are of the unmasked loop as it is emitted (docs/measurements.md);
// rates are those of Chips.cpp.
//
//===----------------------------------------------------------------------===//

#include "ScheduleCost.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace goat;
using namespace goat::tile;

int64_t tile::estimateRegisters(const AttentionShape &shape,
                                const TileSizes &sizes) {
  int64_t rowsPerWarp = sizes.rows / sizes.warps;
  int64_t output = rowsPerWarp * shape.valueDim / 32;
  int64_t scores = rowsPerWarp * sizes.keys / 32;
  // Reference and sum of each row; fragments of a and b; addresses.
  int64_t state = 2 * rowsPerWarp / 8;
  int64_t fragments = rowsPerWarp / 16 * 4 + 8;
  // Four elements of each row and of two columns.
  if (shape.f32Product == F32Product::exact)
    fragments = rowsPerWarp / 8 * 4 + 8;
  bool hasStrip = shape.numStrips > 0;
  int64_t strip = hasStrip ? sizes.keys / 8 : 0;
  // Counted with ptxas 13.0: exact products read ahead of a strip what they
  // can, and tf32 weights stand beside the scores from the sixth column of 8
  // on.
  if (hasStrip && shape.f32Product == F32Product::exact)
    strip *= 4;
  if (hasStrip && shape.f32Product == F32Product::tf32)
    strip += std::max<int64_t>(0, sizes.keys - 40) * rowsPerWarp / 16;
  // As many as keep ptxas from spilling: it does with accumulators of 192, and
  // for a third block when 168 in all nearly suffice.
  constexpr int64_t addresses = 49;
  return output + scores + state + fragments + strip + addresses;
}

static int64_t sharedBytes(const AttentionShape &shape,
                           const TileSizes &sizes) {
  int64_t elementBytes = shape.f32Product ? 4 : 2;
  int64_t bytes = elementBytes * (sizes.rows * shape.headDim +
                                  sizes.stages * sizes.keys *
                                      (shape.headDim + shape.storedValueDim));
  // Rings of quads, whichever strips there are, and of the vectors' parts.
  bytes +=
      shape.numStrips * 16 * (2 * sizes.rows + (sizes.stages + 1) * sizes.keys);
  bytes += shape.numKeyVectors * sizes.stages * 16 * sizes.keys;
  for (const Grid &grid : shape.grids)
    bytes += 4 * sizes.stages * grid.rowLength() *
                 grid.numRows(sizes.rows, sizes.keys) +
             8 * sizes.keys;
  return bytes;
}

namespace {

/// What the two products take of a thread for each score it holds.
struct ProductCounts {
  /// Read from shared memory, in bytes, and the instructions that read them.
  double bytes, loads;
  /// Instructions that multiply and convert.
  double multiplies, conversions;
};

} // namespace

static ProductCounts countProducts(const AttentionShape &shape,
                                   const TileSizes &sizes) {
  double dims = shape.headDim + shape.valueDim;
  double rowsPerWarp = double(sizes.rows) / sizes.warps;
  // Elements of key and value, which each warp reads for its rows, and of
  // query, which it reads once in a tile; ldmatrix reads 16 bytes for a thread.
  double key = shape.headDim / rowsPerWarp,
         value = shape.valueDim / rowsPerWarp,
         query = double(shape.headDim) / sizes.keys;
  ProductCounts counts{};
  if (!shape.f32Product) {
    counts.bytes = 2 * (key + value + query);
    counts.loads = counts.bytes / 16;
    counts.multiplies = dims / 64;
    counts.conversions = 0.5; // of two weights at once
    return counts;
  }
  if (*shape.f32Product == F32Product::tf32) {
    // Each element of a tile is read, rounded by three instructions and written
    // once for a block; a weight is rounded by two.
    double stored = double(shape.headDim + shape.storedValueDim) / sizes.rows;
    counts.bytes = 4 * (key + value + query) + 8 * stored;
    counts.loads = (key + query) / 4 + value + stored / 2;
    counts.multiplies = dims / 32;
    counts.conversions = 3 * stored + 2;
    return counts;
  }
  // Every thread reads its rows and columns for itself: 16 bytes of query and
  // key, 8 of value; a weight comes from each of the row's four threads.
  counts.loads = query + 2 * key + 4 * value + 4;
  counts.bytes = 16 * (query + 2 * key) + 8 * 4 * value + 4 * 4;
  counts.multiplies = dims;
  return counts;
}

/// How many blocks of a grid the multiprocessor with the most of them gets.
static int64_t busiestBlocks(int64_t gridBlocks,
                             const ptx::ChipDescription &chip) {
  return llvm::divideCeil(gridBlocks, chip.multiprocessors);
}

std::optional<ScheduleCost>
tile::estimateCost(const AttentionShape &shape, const TileSizes &sizes,
                   const ptx::ChipDescription &chip) {
  constexpr int64_t registersOfThread = 255;
  int64_t registers = estimateRegisters(shape, sizes);
  ScheduleCost cost{};
  cost.sharedBytes = sharedBytes(shape, sizes);
  if (registers > registersOfThread ||
      cost.sharedBytes > chip.sharedBytesPerBlock)
    return std::nullopt;

  int64_t threads = 32 * sizes.warps;
  ProductCounts products = countProducts(shape, sizes);
  bool isExact = shape.f32Product == F32Product::exact;
  // The loop over tiles is straight code, of 16 bytes an instruction, and has
  // to fit the instruction cache of 128 KiB.
  constexpr int64_t greatestLoop = 128 * 1024 / 16;
  if (isExact &&
      products.multiplies * sizes.rows * sizes.keys / threads > greatestLoop)
    return std::nullopt;

  // The system keeps 1024 bytes of each block; registers come in eights.
  cost.residentBlocks =
      std::min({chip.sharedBytesPerMultiprocessor / (cost.sharedBytes + 1024),
                chip.registersPerMultiprocessor /
                    (int64_t(llvm::alignTo(registers, 8)) * threads),
                chip.threadsPerMultiprocessor / threads,
                int64_t(chip.blocksPerMultiprocessor)});
  if (cost.residentBlocks == 0)
    return std::nullopt;

  // A grid may not have as many blocks as a multiprocessor holds.
  cost.gridBlocks =
      llvm::divideCeil(shape.queryLength, sizes.rows) * shape.matrices;
  if (cost.gridBlocks > 0)
    cost.residentBlocks =
        std::min(cost.residentBlocks, busiestBlocks(cost.gridBlocks, chip));

  double dims = shape.headDim + shape.valueDim;
  double rowsPerWarp = double(sizes.rows) / sizes.warps;
  // Thread instructions per score: fma, ex2, max, add; the products; about 65
  // instructions around a tile.
  double copyBytes = (shape.f32Product ? 4 : 2) *
                     double(shape.headDim + shape.storedValueDim) / sizes.rows;
  double around = 65 * 32 / (rowsPerWarp * sizes.keys);
  double instructions =
      4 + products.multiplies + products.conversions + products.loads + around;

  const ptx::ChipRates &rates = chip.rates;
  // tf32 has half the rate of 16 bits, by all data sheets.
  if (!isExact)
    cost.tensor = 2 * dims / rates.mmaFlops * (shape.f32Product ? 2 : 1);
  cost.shared = (products.bytes + copyBytes) / rates.sharedBytes;
  cost.issue = instructions / (32 * rates.issueWarps);
  cost.arithmetic =
      std::max((2.0 + (isExact ? products.multiplies : 0)) / rates.fmaLanes,
               (1.1 + products.conversions + around) / rates.aluLanes);
  cost.special = 1.0 / rates.specialLanes;

  // One warp does these one after the other; the warps of a scheduler hide all
  // but one part in their number of what is not the longest.
  double work[] = {cost.tensor, cost.shared, cost.arithmetic, cost.special};
  double longest = std::max(*llvm::max_element(work), cost.issue);
  double sum = std::max(cost.tensor + cost.special + cost.arithmetic, longest);
  double warpsOfScheduler =
      double(cost.residentBlocks * sizes.warps) / rates.issueWarps;
  double clocks = longest + (sum - longest) / std::max(1.0, warpsOfScheduler);
  // A scheduler without a warp idles, with its part of the pipes.
  clocks /= std::min(1.0, warpsOfScheduler);
  // A tile is a chain: the copy's wait, a barrier, the multiply, two shuffles,
  // ex2 and the second multiply. Assumed, not measured: 600 clocks, which other
  // blocks fill.
  constexpr double chain = 600;
  clocks += chain / (double(cost.residentBlocks) * sizes.rows * sizes.keys);

  cost.utilisation = 1.0;
  if (shape.queryLength > 0) {
    int64_t tiles = llvm::divideCeil(shape.queryLength, sizes.rows);
    cost.utilisation = double(shape.queryLength) / (tiles * sizes.rows);
    if (cost.gridBlocks > 0)
      cost.utilisation *=
          double(cost.gridBlocks) /
          (double(busiestBlocks(cost.gridBlocks, chip)) * chip.multiprocessors);
  }
  if (shape.keyLength > 0)
    cost.utilisation *=
        double(shape.keyLength) / llvm::alignTo(shape.keyLength, sizes.keys);
  cost.total = clocks / cost.utilisation;
  return cost;
}
