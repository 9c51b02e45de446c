//===- LaneOrder.h - what the lanes of a warp know of each other ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes of a warp run in lockstep here, but PTX orders the accesses of two
// threads only where they synchronise, in one warp as anywhere. Time is counted
// in instructions of the warp. As a rule all lanes meet, so that one number
// says what all of them know; a table is kept only behind a meeting of some.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_LANEORDER_H
#define GOAT_LIB_PTXSIM_LANEORDER_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace goat::ptxsim {

constexpr uint32_t allLanes = ~0u;
constexpr unsigned warpSize = 32;
/// Stands for lanes that are not told apart: all that a warp does as a whole,
/// and several readers.
constexpr unsigned anyLane = warpSize;

class LaneOrder {
public:
  void reset() { *this = LaneOrder(); }

  /// The lanes in `lanes`, of those `present`, learn at the time `now` of all
  /// that each of them did.
  void meet(uint32_t lanes, uint32_t present, uint32_t now) {
    if (!(present & ~lanes)) {
      everybody = now;
      table.reset();
      return;
    }
    if (!table) {
      table = std::make_unique<Table>();
      for (auto &row : *table)
        row.fill(everybody);
    }
    std::array<uint32_t, warpSize> joined{};
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (lanes >> lane & 1)
        for (unsigned other = 0; other < warpSize; ++other)
          joined[other] = std::max(joined[other], (*table)[lane][other]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (lanes >> lane & 1)
        joined[lane] = now;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (lanes >> lane & 1)
        (*table)[lane] = joined;
  }

  /// Some lanes execute a fence. Who fences learns of what went before an
  /// earlier fence: by whom and whether a value was passed on, nobody asks.
  void fence(uint32_t now) {
    if (lastFence > everybody) {
      everybody = lastFence;
      table.reset();
    }
    lastFence = now;
  }

  /// Whether `lane` knows of what `other` did at `time`.
  bool knows(unsigned lane, unsigned other, uint32_t time) const {
    return time <= everybody || (lane == other && lane != anyLane) ||
           (table && isInTable(lane, other, time));
  }
  /// All lanes know what all did up to here.
  uint32_t known() const { return everybody; }

private:
  using Table = std::array<std::array<uint32_t, warpSize>, warpSize>;

  bool isInTable(unsigned lane, unsigned other, uint32_t time) const {
    for (unsigned i = 0; i < warpSize; ++i)
      for (unsigned j = 0; j < warpSize; ++j)
        if ((lane == anyLane || lane == i) &&
            (other == anyLane || other == j) && i != j && (*table)[i][j] < time)
          return false;
    return true;
  }

  uint32_t everybody = 0;
  uint32_t lastFence = 0;
  /// [lane][other]: up to when the lane knows what the other did.
  std::unique_ptr<Table> table;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_LANEORDER_H
