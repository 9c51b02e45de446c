//===- Access.h - checked access to simulated memory ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the addresses of a warp's lanes into host pointers, with every check
// and count on the way. Loads, stores, atomics, matrix loads and copies use it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_ACCESS_H
#define GOAT_LIB_PTXSIM_ACCESS_H

#include "Launch.h"
#include "Opcodes.h"

#include <mutex>

namespace goat::ptxsim {

/// Lanes outside of the mask that a function is given may hold anything.
struct LaneAccess {
  uint64_t address[warpSize];
  uint8_t *data[warpSize];
  /// Some lanes write the same bytes of shared memory.
  bool overlaps = false;
};

/// The addresses in the register `slot` plus the offset of `instr`.
void computeAddresses(Warp &warp, const Instr &instr, uint32_t slot,
                      LaneAccess &access);
void computeAddresses(Warp &warp, uint32_t slot, bool isNarrow, int64_t offset,
                      LaneAccess &access);

/// The lanes whose `bytes` lie in one shared variable of `target`, with where
/// they lie.
uint32_t pointIntoShared(Block &target, uint32_t bytes, uint32_t mask,
                         LaneAccess &access);

/// Global memory alone, without a check of alignment.
uint32_t resolveGlobal(Warp &warp, const Instr &instr, AccessKind kind,
                       uint32_t bytes, uint32_t mask, LaneAccess &access);

/// Reports the lanes whose access to `allocation` races with an earlier one,
/// and notes the access.
void checkGlobalRaces(Warp &warp, const Instr &instr, AccessKind kind,
                      uint32_t bytes, uint32_t mask, const LaneAccess &access,
                      const Allocation &allocation);

/// Resolves `bytes` at each lane's address in `space`; lanes whose access is
/// outside or misaligned are reported and dropped from the result. Memory that
/// is read without having been written is reported, its lanes are kept.
uint32_t resolveAccess(Warp &warp, const Instr &instr, Space space,
                       AccessKind kind, uint32_t bytes, uint32_t mask,
                       LaneAccess &access);

/// What `beginAccess` takes for a strong access; nothing where it orders
/// nothing between blocks.
std::unique_lock<std::mutex> lockStrong(const Warp &warp, const Instr &instr,
                                        AccessKind kind);
/// To be kept from before an access is resolved until it is done, so that to
/// other host threads the access and what it orders are one step. Plain
/// accesses order nothing and take no lock.
inline std::unique_lock<std::mutex>
beginAccess(const Warp &warp, const Instr &instr, AccessKind kind) {
  return instr.access.isStrong ? lockStrong(warp, instr, kind)
                               : std::unique_lock<std::mutex>();
}

/// Passes shared memory needs for these lanes: 128 bytes each, lanes that read
/// the same word share it.
void countShared(Warp &warp, const Instr &instr, const uint64_t *address,
                 uint32_t bytes, uint32_t mask);
/// Sectors of 32 bytes the lanes touch together, and which of them are new.
void countGlobal(Warp &warp, const Instr &instr, AccessKind kind,
                 const uint64_t *address, uint32_t bytes, uint32_t mask);

/// Notes sectors of one region that the warp's block touches. `allocation` is
/// where they are looked for first.
void noteSectors(Warp &warp, uint64_t region, uint64_t sectors, AccessKind kind,
                 const Allocation *&allocation);

/// An access of `lane` to shared memory, for the checks there; whole warps make
/// those of matrix instructions.
inline SharedAccess sharedAccess(const Warp &warp, unsigned lane) {
  return {warp.party, warp.clock.data(), lane, &warp.laneOrder, warp.now()};
}

/// Several lanes have written to the same bytes, and what those in `lanes`
/// wrote is not there.
void reportOverlap(Warp &warp, const Instr &instr, uint32_t lanes,
                   const LaneAccess &access);

void reportShared(Warp &warp, const Instr &instr, SharedMemory::Problem problem,
                  uint32_t lanes, uint64_t address, uint32_t otherWarp,
                  bool isWrite);

/// Reports the lanes that are missing where a whole warp is needed.
bool requireWholeWarp(Warp &warp, const Instr &instr, uint32_t mask);

/// The async proxy is about to read shared memory of the own block.
void beginAsyncRead(Warp &warp, const Instr &instr, uint32_t lanes,
                    uint64_t address, uint32_t bytes);

/// The state space named among the modifiers; Generic if there is none.
Space parseSpace(const Decoder &decoder);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_ACCESS_H
