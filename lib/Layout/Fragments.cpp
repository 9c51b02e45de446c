//===- Fragments.cpp - the layouts kernels use ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix fragment is an atom from the PTX ISA, spread over warps and repeated
// over the tile in one common way; copies are written out as bases.
//
//===----------------------------------------------------------------------===//

#include "goat/Layout/Fragments.h"

#include <algorithm>

using namespace goat::layout;

namespace {

bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

std::optional<TileLayout> refuse(std::string *error, std::string reason) {
  if (error)
    *error = std::move(reason);
  return std::nullopt;
}

/// Appends the images of the bits of an index below `count` (a power of two)
/// that moves by `stride` along `dim`; by nothing if `stride` is 0.
void appendBits(std::vector<Coordinate> &basis, unsigned dim, int64_t count,
                int64_t stride) {
  for (int64_t step = 1; step < count; step *= 2) {
    Coordinate c = {0, 0};
    c[dim] = int32_t(step * stride);
    basis.push_back(c);
  }
}

/// The bits of a thread index below 32 << warp bits, split into lane and warp.
void appendThreads(Atom &atom, const std::vector<Coordinate> &threads) {
  atom.lanes.assign(threads.begin(), threads.begin() + TileLayout::laneBits);
  atom.warps.assign(threads.begin() + TileLayout::laneBits, threads.end());
}

/// One matrix instruction's view of an operand.
struct Fragment {
  const char *name;
  Coordinate unit;     // the elements one fragment covers
  unsigned fastestDim; // the dimension whose repetitions come first
  Atom atom;           // its registers and lanes, and warps inside the unit
};

/// Spreads a fragment over a tile: `groups` owners along each dimension, each
/// with a consecutive part along the dimensions that are `split` and copies
/// along the others.
std::optional<TileLayout> spread(Fragment fragment, Coordinate shape,
                                 Coordinate groups, std::array<bool, 2> split,
                                 std::string *error) {
  Coordinate part = shape;
  for (unsigned dim = 0; dim < 2; ++dim) {
    std::string where = std::string(fragment.name) + " layout, dimension " +
                        std::to_string(dim) + ": ";
    if (!isPowerOfTwo(groups[dim]) || groups[dim] > 32)
      return refuse(error, where +
                               "expected a power of two of at most 32 "
                               "warps or warpgroups but got " +
                               std::to_string(groups[dim]));
    int32_t owners = split[dim] ? groups[dim] : 1;
    int32_t unit = fragment.unit[dim] * owners;
    if (shape[dim] <= 0 || shape[dim] % unit)
      return refuse(error, where + "expected a positive multiple of " +
                               std::to_string(unit) + " but got " +
                               std::to_string(shape[dim]));
    part[dim] = shape[dim] / owners;
    if (owners > 1 && !isPowerOfTwo(part[dim]))
      return refuse(error, where + "expected " + std::to_string(owners) +
                               " owners to get a power of two each but got " +
                               std::to_string(part[dim]) +
                               "; use another tile or one owner");
    appendBits(fragment.atom.warps, dim, groups[dim],
               split[dim] ? part[dim] : 0);
  }
  std::vector<Repetition> repetitions;
  for (unsigned dim : {fragment.fastestDim, 1 - fragment.fastestDim})
    repetitions.push_back(
        {dim, part[dim] / fragment.unit[dim], fragment.unit[dim]});
  std::string reason;
  std::optional<TileLayout> layout = TileLayout::create(
      {shape[0], shape[1]}, fragment.atom, repetitions, &reason);
  if (!layout)
    return refuse(error, std::string(fragment.name) + " layout: " + reason);
  return layout;
}

// Lane 4g + t holds row g and columns 2t, 2t + 1 of an 8 x 8 block.
const std::vector<Coordinate> rowMajorLanes = {
    {0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
// The same with rows and columns exchanged.
const std::vector<Coordinate> colMajorLanes = {
    {2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}};

} // namespace

std::optional<TileLayout>
goat::layout::mmaAccumulator(int32_t rows, int32_t cols, int32_t warpsM,
                             int32_t warpsN, std::string *error) {
  Atom atom = {{{0, 1}, {8, 0}}, rowMajorLanes, {}};
  return spread({"mma accumulator", {16, 8}, 1, atom}, {rows, cols},
                {warpsM, warpsN}, {true, true}, error);
}

std::optional<TileLayout>
goat::layout::mmaPartialRows(int32_t rows, int32_t warpsM, std::string *error) {
  Atom atom = {{{8, 0}}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}, {}};
  return spread({"mma partial rows", {16, 4}, 1, atom}, {rows, 4}, {warpsM, 1},
                {true, true}, error);
}

std::optional<TileLayout> goat::layout::mmaOperandA(int32_t rows, int32_t k,
                                                    int32_t warpsM,
                                                    int32_t warpsN,
                                                    std::string *error) {
  Atom atom = {{{0, 1}, {8, 0}, {0, 8}}, rowMajorLanes, {}};
  return spread({"mma operand A", {16, 16}, 1, atom}, {rows, k},
                {warpsM, warpsN}, {true, false}, error);
}

std::optional<TileLayout> goat::layout::mmaOperandB(int32_t k, int32_t cols,
                                                    int32_t warpsM,
                                                    int32_t warpsN,
                                                    std::string *error) {
  Atom atom = {{{1, 0}, {8, 0}}, colMajorLanes, {}};
  return spread({"mma operand B", {16, 8}, 0, atom}, {k, cols},
                {warpsM, warpsN}, {false, true}, error);
}

std::optional<TileLayout> goat::layout::mmaOperandA32(int32_t rows, int32_t k,
                                                      DepthOrder order,
                                                      int32_t warpsM,
                                                      int32_t warpsN,
                                                      std::string *error) {
  Atom atom = order == DepthOrder::Paired
                  ? Atom{{{8, 0}, {0, 1}}, rowMajorLanes, {}}
                  : Atom{{{8, 0}, {0, 4}},
                         {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}},
                         {}};
  return spread({"mma operand A of 32 bits", {16, 8}, 1, atom}, {rows, k},
                {warpsM, warpsN}, {true, false}, error);
}

std::optional<TileLayout> goat::layout::mmaOperandB32(int32_t k, int32_t cols,
                                                      DepthOrder order,
                                                      int32_t warpsM,
                                                      int32_t warpsN,
                                                      std::string *error) {
  Atom atom =
      order == DepthOrder::Paired
          ? Atom{{{1, 0}}, colMajorLanes, {}}
          : Atom{{{4, 0}}, {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}}, {}};
  return spread({"mma operand B of 32 bits", {8, 8}, 0, atom}, {k, cols},
                {warpsM, warpsN}, {false, true}, error);
}

std::optional<TileLayout> goat::layout::wgmmaAccumulator(int32_t rows,
                                                         int32_t cols,
                                                         int32_t warpgroups,
                                                         std::string *error) {
  Atom atom = {{{0, 1}, {8, 0}}, rowMajorLanes, {{16, 0}, {32, 0}}};
  return spread({"wgmma accumulator", {64, 8}, 1, atom}, {rows, cols},
                {warpgroups, 1}, {true, true}, error);
}

std::optional<TileLayout>
goat::layout::blocked1D(int32_t length, int32_t threads, std::string *error) {
  if (!isPowerOfTwo(threads) || threads < 32 || threads > 1024)
    return refuse(error, "blocked layout: expected 32, 64, ... or 1024 threads "
                         "but got " +
                             std::to_string(threads));
  if (length < 1)
    return refuse(error, "blocked layout: expected a positive length but got " +
                             std::to_string(length));
  std::vector<Coordinate> bits;
  appendBits(bits, 0, threads, 1);
  Atom atom;
  appendThreads(atom, bits);
  int32_t count = int32_t((int64_t(length) + threads - 1) / threads);
  return TileLayout::create({length}, atom, {{0, count, threads}}, error);
}

std::optional<TileLayout> goat::layout::blocked2D(int32_t rows, int32_t cols,
                                                  int32_t warps, int32_t vector,
                                                  std::string *error) {
  if (!isPowerOfTwo(warps) || warps > 32)
    return refuse(error, "blocked layout: expected a power of two of at most "
                         "32 warps but got " +
                             std::to_string(warps));
  if (rows < 1 || cols < 1)
    return refuse(error, "blocked layout: expected a positive shape but got " +
                             std::to_string(rows) + "x" + std::to_string(cols));
  if (!isPowerOfTwo(vector) || cols % vector)
    return refuse(error, "blocked layout: expected a power of two that divides "
                         "the " +
                             std::to_string(cols) +
                             " columns as the vector but got " +
                             std::to_string(vector));
  int32_t threads = 32 * warps;
  int32_t vectors = cols / vector;
  int32_t threadsPerRow = std::min(threads, vectors & -vectors);
  int32_t rowsAtOnce = threads / threadsPerRow;
  Atom atom;
  appendBits(atom.registers, 1, vector, 1);
  std::vector<Coordinate> bits;
  appendBits(bits, 1, threadsPerRow, vector);
  appendBits(bits, 0, rowsAtOnce, 1);
  appendThreads(atom, bits);
  int32_t rowCount = int32_t((int64_t(rows) + rowsAtOnce - 1) / rowsAtOnce);
  return TileLayout::create(
      {rows, cols}, atom,
      {{1, vectors / threadsPerRow, threadsPerRow * vector},
       {0, rowCount, rowsAtOnce}},
      error);
}
