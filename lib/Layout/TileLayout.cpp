//===- TileLayout.cpp - how a tile is spread over threads -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is derived from the three bit maps and the repetitions; no layout
// has code of its own here.
//
//===----------------------------------------------------------------------===//

#include "goat/Layout/TileLayout.h"

#include <cassert>
#include <map>

using namespace goat::layout;

namespace {

constexpr unsigned dimBits = 16;
constexpr int32_t maxAtom = 1 << dimBits;

BitVector maskOf(unsigned dim) { return BitVector(0xffff) << (dim * dimBits); }

Coordinate unpack(BitVector vector) {
  return {int32_t(vector & 0xffff), int32_t(vector >> dimBits)};
}

BitMap pack(const std::vector<Coordinate> &basis) {
  std::vector<BitVector> columns;
  for (Coordinate c : basis)
    columns.push_back(BitVector(c[0]) | BitVector(c[1]) << dimBits);
  return BitMap(2 * dimBits, std::move(columns));
}

/// The part of `map` along `dim`, moved to dim 0.
BitMap keepDim(const BitMap &map, unsigned dim) {
  std::vector<BitVector> columns;
  for (unsigned bit = 0; bit < map.numInputs(); ++bit)
    columns.push_back((map.column(bit) & maskOf(dim)) >> (dim * dimBits));
  return BitMap(2 * dimBits, std::move(columns));
}

/// The register bits of `map` that remain in a slice that keeps `dim`.
BitMap keepIndependent(const BitMap &map, unsigned dim) {
  BitMap kept = keepDim(map, dim);
  std::vector<BitVector> columns;
  for (unsigned bit = 0; bit < kept.numInputs(); ++bit)
    columns.push_back(kept.column(bit));
  return BitMap(2 * dimBits, extendBasis({}, columns));
}

std::string render(Coordinate c, unsigned rank) {
  std::string text = "(" + std::to_string(c[0]);
  return rank == 1 ? text + ")" : text + ", " + std::to_string(c[1]) + ")";
}

/// Index masks that move along `dim` alone, without those that move nothing.
std::vector<unsigned> reductionMasks(const BitMap &map, unsigned dim) {
  return extendBasis(map.kernel(), map.project(~maskOf(dim)).kernel());
}

/// Why the description is no layout, or an empty string.
std::string diagnose(const std::vector<int32_t> &shape, const Atom &atom,
                     const std::vector<Repetition> &repetitions) {
  if (shape.empty() || shape.size() > 2)
    return "expected a tile of rank 1 or 2 but got rank " +
           std::to_string(shape.size());
  if (atom.lanes.size() != TileLayout::laneBits)
    return "expected 5 lane bits but got " + std::to_string(atom.lanes.size());
  if (atom.warps.size() > 5)
    return "expected at most 32 warps but got 2^" +
           std::to_string(atom.warps.size());
  if (atom.registers.size() > 10)
    return "expected at most 10 register bits in the atom but got " +
           std::to_string(atom.registers.size());
  unsigned rank = shape.size();
  for (const auto *basis : {&atom.registers, &atom.lanes, &atom.warps})
    for (Coordinate c : *basis)
      if (c[0] < 0 || c[0] >= maxAtom || c[1] < 0 || c[1] >= maxAtom ||
          (rank == 1 && c[1] != 0))
        return "expected a bit of the atom to move by less than 65536 along "
               "the dimensions of the tile but got (" +
               std::to_string(c[0]) + ", " + std::to_string(c[1]) + ")";
  BitMap registers = pack(atom.registers);
  BitVector supports[] = {registers.support(), pack(atom.lanes).support(),
                          pack(atom.warps).support()};
  if ((supports[0] & supports[1]) | (supports[0] & supports[2]) |
      (supports[1] & supports[2]))
    return "expected registers, lanes and warps to address disjoint bits of "
           "the coordinates; bits that share one cannot be added";
  if (!registers.isInjective())
    return "expected the registers of a thread to hold different elements; "
           "drop the register bits that repeat others";
  std::array<int64_t, 2> last = {0, 0};
  Coordinate atomLast = unpack(supports[0] | supports[1] | supports[2]);
  for (unsigned dim = 0; dim < rank; ++dim)
    last[dim] = atomLast[dim];
  int64_t numRegisters = int64_t(1) << atom.registers.size();
  for (Repetition rep : repetitions) {
    if (rep.dim >= rank || rep.count < 1 || rep.stride < 1)
      return "expected a repetition along dimension 0 to " +
             std::to_string(rank - 1) +
             " with positive count and stride but got dimension " +
             std::to_string(rep.dim) + ", count " + std::to_string(rep.count) +
             ", stride " + std::to_string(rep.stride);
    last[rep.dim] += int64_t(rep.count - 1) * rep.stride;
    numRegisters *= rep.count;
    if (numRegisters > (1 << 20))
      return "expected at most 2^20 registers for each thread but got " +
             std::to_string(numRegisters) + "; use a smaller tile";
  }
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (shape[dim] < 1 || last[dim] + 1 < shape[dim])
      return "expected a length of 1 to " + std::to_string(last[dim] + 1) +
             ", what the layout covers, along dimension " +
             std::to_string(dim) + " but got " + std::to_string(shape[dim]);
    if (last[dim] > INT32_MAX)
      return "expected coordinates below 2^31 along dimension " +
             std::to_string(dim);
  }
  return "";
}

} // namespace

std::optional<TileLayout>
TileLayout::create(std::vector<int32_t> shape, const Atom &atom,
                   std::vector<Repetition> repetitions, std::string *error) {
  std::string reason = diagnose(shape, atom, repetitions);
  if (!reason.empty()) {
    if (error)
      *error = reason;
    return std::nullopt;
  }
  return TileLayout(std::move(shape), pack(atom.registers), pack(atom.lanes),
                    pack(atom.warps), std::move(repetitions));
}

unsigned TileLayout::numRegisters() const {
  unsigned result = 1u << registers.numInputs();
  for (Repetition rep : repetitions)
    result *= rep.count;
  return result;
}

Coordinate TileLayout::repetitionOffset(unsigned reg) const {
  unsigned rest = reg >> registers.numInputs();
  Coordinate result = {0, 0};
  for (Repetition rep : repetitions) {
    result[rep.dim] += int32_t(rest % rep.count) * rep.stride;
    rest /= rep.count;
  }
  return result;
}

Coordinate TileLayout::coordinate(unsigned reg, unsigned lane,
                                  unsigned warp) const {
  BitMap atom = registers.concatenate(lanes).concatenate(warps);
  unsigned regBits = registers.numInputs();
  BitVector index = (reg & ((1u << regBits) - 1)) | lane << regBits |
                    warp << (regBits + laneBits);
  return unpack(atom.apply(index)) + repetitionOffset(reg);
}

Coordinate TileLayout::threadBase(unsigned lane, unsigned warp) const {
  return unpack(lanes.apply(lane) ^ warps.apply(warp));
}

Coordinate TileLayout::registerOffset(unsigned reg) const {
  return unpack(registers.apply(reg)) + repetitionOffset(reg);
}

Coordinate TileLayout::laneBasis(unsigned bit) const {
  return unpack(lanes.column(bit));
}

Coordinate TileLayout::warpBasis(unsigned bit) const {
  return unpack(warps.column(bit));
}

bool TileLayout::isInRange(Coordinate coordinate) const {
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (coordinate[dim] >= tileShape[dim])
      return false;
  return true;
}

bool TileLayout::isAlwaysInRange(unsigned reg) const {
  // Each coordinate bit a thread can set is set by some thread; when columns
  // overlap this is an upper bound, hence on the safe side.
  return isInRange(registerOffset(reg) +
                   unpack(lanes.support() | warps.support()));
}

std::optional<unsigned> TileLayout::replication() const {
  int32_t columns = rank() == 2 ? tileShape[1] : 1;
  std::vector<unsigned> holders(size_t(tileShape[0]) * columns, 0);
  for (unsigned warp = 0; warp < numWarps(); ++warp)
    for (unsigned lane = 0; lane < numLanes(); ++lane)
      for (unsigned reg = 0, end = numRegisters(); reg < end; ++reg) {
        Coordinate c = threadBase(lane, warp) + registerOffset(reg);
        if (isInRange(c))
          ++holders[size_t(c[0]) * columns + c[1]];
      }
  for (unsigned count : holders)
    if (count == 0 || count != holders[0])
      return std::nullopt;
  return holders[0];
}

TileLayout TileLayout::slice(unsigned dim) const {
  assert(rank() == 2 && dim < 2 && "only a tile of rank 2 has slices");
  unsigned kept = 1 - dim;
  std::vector<Repetition> keptRepetitions;
  for (Repetition rep : repetitions)
    if (rep.dim == kept)
      keptRepetitions.push_back({0, rep.count, rep.stride});
  return TileLayout({tileShape[kept]}, keepIndependent(registers, kept),
                    keepDim(lanes, kept), keepDim(warps, kept),
                    std::move(keptRepetitions));
}

std::vector<unsigned> TileLayout::broadcastSource(unsigned dim) const {
  TileLayout result = slice(dim);
  std::map<int32_t, unsigned> registerAt;
  for (unsigned reg = 0, end = result.numRegisters(); reg < end; ++reg)
    registerAt.emplace(result.registerOffset(reg)[0], reg);
  std::vector<unsigned> source;
  for (unsigned reg = 0, end = numRegisters(); reg < end; ++reg)
    source.push_back(registerAt.at(registerOffset(reg)[1 - dim]));
  return source;
}

std::vector<std::vector<unsigned>>
TileLayout::registerGroups(unsigned dim) const {
  std::vector<std::vector<unsigned>> groups(slice(dim).numRegisters());
  std::vector<unsigned> source = broadcastSource(dim);
  for (unsigned reg = 0; reg < source.size(); ++reg)
    groups[source[reg]].push_back(reg);
  return groups;
}

std::vector<unsigned> TileLayout::reductionLaneMasks(unsigned dim) const {
  return reductionMasks(lanes, dim);
}

std::vector<unsigned> TileLayout::reductionWarpMasks(unsigned dim) const {
  return reductionMasks(warps, dim);
}

std::string TileLayout::str() const {
  std::string text = "tile<" + std::to_string(tileShape[0]);
  if (rank() == 2)
    text += "x" + std::to_string(tileShape[1]);
  text += ">";
  auto list = [&](const char *name, const BitMap &map) {
    text += std::string(" ") + name + " [";
    for (unsigned bit = 0; bit < map.numInputs(); ++bit)
      text += (bit ? ", " : "") + render(unpack(map.column(bit)), rank());
    text += "]";
  };
  list("registers", registers);
  list("lanes", lanes);
  list("warps", warps);
  for (Repetition rep : repetitions)
    text += " x" + std::to_string(rep.count) + " by " +
            std::to_string(rep.stride) + " along " + std::to_string(rep.dim);
  return text;
}

namespace goat::layout {

bool operator==(const TileLayout &a, const TileLayout &b) {
  if (a.tileShape != b.tileShape || a.lanes != b.lanes || a.warps != b.warps ||
      a.numRegisters() != b.numRegisters())
    return false;
  for (unsigned reg = 0, end = a.numRegisters(); reg < end; ++reg)
    if (a.registerOffset(reg) != b.registerOffset(reg))
      return false;
  return true;
}

/// Whether every thread starts at the same coordinate in both.
static bool haveEqualBases(const TileLayout &a, const TileLayout &b) {
  if (a.numWarps() != b.numWarps())
    return false;
  for (unsigned bit = 0; bit < TileLayout::laneBits; ++bit)
    if (a.laneBasis(bit) != b.laneBasis(bit))
      return false;
  for (unsigned bit = 0; 1u << bit < a.numWarps(); ++bit)
    if (a.warpBasis(bit) != b.warpBasis(bit))
      return false;
  return true;
}

std::optional<std::vector<unsigned>> conversion(const TileLayout &src,
                                                const TileLayout &dst) {
  // Register 0 has offset 0 in both, so equal elements need equal bases.
  if (src.shape() != dst.shape() || !haveEqualBases(src, dst))
    return std::nullopt;
  std::map<Coordinate, unsigned> registerAt;
  for (unsigned reg = 0, end = src.numRegisters(); reg < end; ++reg)
    registerAt.emplace(src.registerOffset(reg), reg);
  std::vector<unsigned> permutation;
  for (unsigned reg = 0, end = dst.numRegisters(); reg < end; ++reg) {
    auto found = registerAt.find(dst.registerOffset(reg));
    if (found == registerAt.end())
      return std::nullopt;
    permutation.push_back(found->second);
  }
  return permutation;
}

std::optional<std::vector<std::vector<unsigned>>>
rowGroups(const TileLayout &tile, const TileLayout &partial) {
  if (tile.rank() != 2 || partial.rank() != 2 ||
      tile.slice(1) != partial.slice(1) || partial.replication() != 1u ||
      partial.numRegisters() != partial.slice(1).numRegisters())
    return std::nullopt;
  return tile.registerGroups(1);
}

} // namespace goat::layout
