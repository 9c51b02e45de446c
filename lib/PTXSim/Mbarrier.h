//===- Mbarrier.h - the state of an mbarrier object -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of the phase under way, what its arrivals have released, and the
// copies that become visible with it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_MBARRIER_H
#define GOAT_LIB_PTXSIM_MBARRIER_H

#include "Clock.h"

#include <cstdint>
#include <vector>

namespace goat::ptxsim {

class Block;

/// Bytes on their way into shared memory.
struct Landing {
  Block *block;
  uint32_t address;
  uint32_t bytes;
  /// Read when the bytes land; null for bytes that are `fill`.
  const uint8_t *source;
  /// A pattern of `fillBytes`, repeated.
  uint64_t fill = 0;
  uint32_t fillBytes = 8;
  /// Zero to overwrite; else what Reduction.h applies.
  uint32_t reduction = 0;
  /// The block whose shared memory `source` lies in, and where.
  Block *readFrom = nullptr;
  uint32_t readAddress = 0;
};

struct Mbarrier {
  /// Arrivals that each phase takes, and that this one still takes.
  uint32_t expected = 0;
  uint32_t pending = 0;
  /// Bytes expected less bytes that have arrived; below zero while a copy is
  /// ahead of the expectation.
  int64_t transactions = 0;
  uint64_t phase = 0;
  /// What the arrivals of this phase, and those of the last complete one,
  /// have released.
  Clock arrived, completed;
  /// The party that stands for its copies.
  uint32_t copyParty = 0;
  /// Who initialised it, when.
  uint32_t initParty = 0;
  uint32_t initClock = 0;
  /// Per warp of the cluster, the clock of its last use.
  Clock uses;
  /// Copies that are complete and become visible with this phase.
  std::vector<Landing> landings;
  /// One of them is by cp.async, which writes through the generic proxy.
  bool hasGenericLanding = false;
};

constexpr uint32_t mbarrierBytes = 8;
constexpr uint32_t maxMbarrierCount = (1u << 20) - 1;

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_MBARRIER_H
