//===- TileLayout.h - how a tile is spread over threads ---------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout says which element of a tile a register of a lane of a warp holds.
// It is a linear map over bits (register, lane, warp) -> (dim 0, dim 1) for an
// atom, times integer repetitions, so that 96 or 176 columns are possible.
// Coordinates, reductions, broadcasts and conversions all follow from it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LAYOUT_TILELAYOUT_H
#define GOAT_LAYOUT_TILELAYOUT_H

#include "goat/Layout/BitMap.h"

#include <array>

namespace goat::layout {

/// (row, column) in elements; a tile of rank 1 has column 0 everywhere.
using Coordinate = std::array<int32_t, 2>;

inline Coordinate operator+(Coordinate a, Coordinate b) {
  return {a[0] + b[0], a[1] + b[1]};
}

/// The images of the bits of each index, lowest bit first; {0, 0} is a
/// broadcast bit: both its values hold the same element.
struct Atom {
  std::vector<Coordinate> registers, lanes, warps;
};

/// `count` copies, `stride` elements apart along `dim`, in further registers.
struct Repetition {
  unsigned dim;
  int32_t count;
  int32_t stride;
};

/// The layout of a tile of rank 1 or 2.
///
/// The register index is mixed radix: the atom's register bits are its fastest
/// digit, then the repetitions in their order. With d_i the repetition digits,
///
///   coordinate(register, lane, warp)
///       = atom(register bits, lane, warp) + sum_i d_i * stride_i
///       = threadBase(lane, warp) + registerOffset(register).
///
/// The second line holds because `create` admits only atoms in which
/// registers, lanes and warps address disjoint coordinate bits, so that xor is
/// addition between them. A lowering computes `threadBase` once per thread
/// from its id and adds a constant for each register.
class TileLayout {
public:
  static constexpr unsigned laneBits = 5;

  /// Builds a layout of `shape` (one or two lengths). The atom and its
  /// repetitions may reach beyond `shape`; elements there are out of range.
  /// Returns nothing, and the reason in `error` if given, when the description
  /// is not a layout or does not reach the end of the tile.
  static std::optional<TileLayout> create(std::vector<int32_t> shape,
                                          const Atom &atom,
                                          std::vector<Repetition> repetitions,
                                          std::string *error = nullptr);

  unsigned rank() const { return tileShape.size(); }
  const std::vector<int32_t> &shape() const { return tileShape; }
  /// Registers (elements) for each thread.
  unsigned numRegisters() const;
  unsigned numLanes() const { return 1u << laneBits; }
  unsigned numWarps() const { return 1u << warps.numInputs(); }

  Coordinate coordinate(unsigned reg, unsigned lane, unsigned warp) const;
  Coordinate threadBase(unsigned lane, unsigned warp) const;
  Coordinate registerOffset(unsigned reg) const;
  /// The contribution of one bit of the lane or warp index to `threadBase`,
  /// which is their xor.
  Coordinate laneBasis(unsigned bit) const;
  Coordinate warpBasis(unsigned bit) const;

  /// Whether a coordinate lies in the tile.
  bool isInRange(Coordinate coordinate) const;
  /// Whether `reg` is in range in every thread, so that it needs no predicate.
  bool isAlwaysInRange(unsigned reg) const;

  /// How many (register, lane, warp) hold each element, when that is the same
  /// number, at least 1, for all of them; otherwise nothing. Counts the whole
  /// tile: for checks.
  std::optional<unsigned> replication() const;

  /// The layout of the result of reducing a tile of rank 2 along `dim`, of
  /// rank 1. Registers that differ only along `dim` become one; lane and warp
  /// bits that do become broadcast bits.
  TileLayout slice(unsigned dim) const;
  /// For each register of this layout, the register of `slice(dim)` that
  /// covers it: where a broadcast along `dim` reads.
  std::vector<unsigned> broadcastSource(unsigned dim) const;
  /// For each register of `slice(dim)`, the registers that fold into it, in
  /// ascending order. Elements out of range must hold the neutral element.
  std::vector<std::vector<unsigned>> registerGroups(unsigned dim) const;
  /// The lane masks of the xor shuffles that complete a reduction along `dim`
  /// after the registers are folded. Lanes that hold copies are not combined.
  std::vector<unsigned> reductionLaneMasks(unsigned dim) const;
  /// The same for the warp index: empty when no warp needs another's values.
  std::vector<unsigned> reductionWarpMasks(unsigned dim) const;

  std::string str() const;

  /// Whether both are the same function on the same tile, however described.
  friend bool operator==(const TileLayout &a, const TileLayout &b);
  friend bool operator!=(const TileLayout &a, const TileLayout &b) {
    return !(a == b);
  }

private:
  TileLayout(std::vector<int32_t> shape, BitMap registers, BitMap lanes,
             BitMap warps, std::vector<Repetition> repetitions)
      : tileShape(std::move(shape)), registers(std::move(registers)),
        lanes(std::move(lanes)), warps(std::move(warps)),
        repetitions(std::move(repetitions)) {}

  /// The sum of the repetition digits of `reg`, times their strides.
  Coordinate repetitionOffset(unsigned reg) const;

  std::vector<int32_t> tileShape;
  // Outputs: dim 0 in bits 0 to 15, dim 1 in bits 16 to 31.
  BitMap registers, lanes, warps;
  std::vector<Repetition> repetitions;
};

/// For each register of `dst`, the register of `src` that holds the same
/// element in the same thread, for every thread: the conversion without
/// communication. Nothing if there is none.
std::optional<std::vector<unsigned>> conversion(const TileLayout &src,
                                                const TileLayout &dst);

/// For each register of `partial`, the registers of `tile`, of rank 2, in the
/// same thread that lie in the same row. Nothing unless every thread holds the
/// same rows in both, and threads that share a row have a column of `partial`
/// each.
std::optional<std::vector<std::vector<unsigned>>>
rowGroups(const TileLayout &tile, const TileLayout &partial);

} // namespace goat::layout

#endif // GOAT_LAYOUT_TILELAYOUT_H
