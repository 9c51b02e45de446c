//===- Shared.h - shared memory of a block --------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory with shadow state: what was written, by which warp and when,
// who has read it since, and where a copy is still in flight. Order between
// warps is kept with vector clocks, so that barriers among any set of warps are
// understood; order between the lanes of a warp is what LaneOrder knows.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_SHARED_H
#define GOAT_LIB_PTXSIM_SHARED_H

#include "LaneOrder.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace goat::ptxsim {

/// A variable in shared memory, by offsets from its beginning.
struct SharedSegment {
  uint32_t begin, end;
  std::string name;
};

/// Who makes an access, and what is known there.
struct SharedAccess {
  uint32_t warp;
  /// Of other warps.
  const uint32_t *clock;
  /// Which lane, or `anyLane` where the warp acts as a whole.
  unsigned lane;
  /// Of other lanes, and the warp's time.
  const LaneOrder *order;
  uint32_t now;
};

class SharedMemory {
public:
  enum class Problem : uint8_t {
    None,
    Uninitialised,
    /// The other warp's write is not ordered before this access.
    WriteRace,
    /// The other warp's read is not ordered before this write.
    ReadRace,
    /// The same between two lanes of one warp.
    LaneWriteRace,
    LaneReadRace,
    /// Another lane writes the same bytes in the same instruction.
    Overlap,
    /// A copy to these bytes has not been waited for.
    InFlight,
    /// The bytes belong to an mbarrier.
    Mbarrier,
    /// A copy or a matrix multiply may still read these bytes.
    PendingRead,
    /// Written through the generic proxy, read or overwritten through the async
    /// proxy, and no fence in between.
    MissingFence,
  };

  /// Forgets everything. The memory has `bytes` from the address `begin`,
  /// shadow state is kept per `granule` bytes. Memory that is not watched has
  /// none: nothing is to be checked or recorded.
  void reset(uint32_t begin, uint32_t bytes,
             const std::vector<SharedSegment> &parts, uint32_t granule,
             uint32_t numWarps, bool isWatched);

  /// Whether the bytes lie within one variable.
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= base && address - base <= size &&
           size - (address - base) >= bytes &&
           (!isDivided || isWithinSegment(address - base, bytes));
  }
  /// The last variable that begins at or before `address`, or null.
  const SharedSegment *segmentBefore(uint64_t address) const;
  uint8_t *at(uint64_t address) { return data.data() + (address - base); }
  uint32_t begin() const { return base; }
  uint32_t end() const { return base + size; }

  /// Checks and records an access. `other` is set for races: the warp, or the
  /// lane in races within one.
  Problem read(uint64_t address, uint32_t bytes, const SharedAccess &by,
               uint32_t &other) {
    uint32_t first = static_cast<uint32_t>(address - base) >> shift;
    uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
    Problem problem = Problem::None;
    uint32_t known = by.order->known();
    const Granule::Reader reader = readerOf(by, by.lane);
    const Granule::Reader several = readerOf(by, anyLane);
    for (uint32_t g = first; g <= last; ++g) {
      Granule &granule = granules[g];
      readClocks[size_t(g) * numWarps + by.warp] = by.clock[by.warp];
      if (granule.state != written ||
          granule.writeClock > by.clock[granule.writer])
        problem = explainRead(granule, by.clock, other);
      else if (granule.writeTime > known && granule.writer == by.warp &&
               !by.order->knows(by.lane, granule.writeLane,
                                granule.writeTime)) {
        problem = Problem::LaneWriteRace;
        other = granule.writeLane;
      }
      if (!strongWrites.empty() && !isKnown(strongWrites, g, by.clock, other))
        problem = Problem::WriteRace;
      // Readers since the lanes have met are one or several.
      bool isAnother = granule.reader.time > known &&
                       granule.reader.warp == by.warp &&
                       granule.reader.lane != by.lane;
      granule.reader = isAnother ? several : reader;
    }
    return problem;
  }
  Problem write(uint64_t address, uint32_t bytes, const SharedAccess &by,
                uint32_t &other) {
    uint32_t first = static_cast<uint32_t>(address - base) >> shift;
    uint32_t last = static_cast<uint32_t>(address - base + bytes - 1) >> shift;
    Problem problem = Problem::None;
    for (uint32_t g = first; g <= last; ++g) {
      Granule &granule = granules[g];
      const uint32_t *reads = &readClocks[size_t(g) * numWarps];
      bool isOrdered = granule.state <= written &&
                       granule.writeClock <= by.clock[granule.writer];
      for (uint32_t w = 0; w < numWarps; ++w)
        isOrdered &= reads[w] <= by.clock[w];
      if (!isOrdered)
        problem = explainWrite(granule, reads, by.clock, other);
      else if (std::max(granule.writeTime, granule.reader.time) >
               by.order->known())
        problem = checkLanes(granule, by, problem, other);
      if (!pendingReads.empty() && pendingReads[g])
        problem = Problem::PendingRead;
      if (!strongWrites.empty()) {
        if (!isKnown(strongReads, g, by.clock, other))
          problem = Problem::ReadRace;
        if (!isKnown(strongWrites, g, by.clock, other))
          problem = Problem::WriteRace;
      }
      granule.writeClock = by.clock[by.warp];
      granule.writer = static_cast<uint16_t>(by.warp);
      granule.state = written;
      granule.writeLane = static_cast<uint8_t>(by.lane);
      granule.writeTime = by.now;
    }
    return problem;
  }
  /// The same for a strong access or an atomic. Among themselves these do not
  /// race; against plain accesses they do, and being strong orders nothing:
  /// that takes a release and an acquire, which Block keeps.
  Problem strong(uint64_t address, uint32_t bytes, bool reads, bool writes,
                 uint32_t warp, const uint32_t *clock, uint32_t &otherWarp);

  /// A copy was issued to, or has arrived at, these bytes. It arrives as a
  /// write by `writer` at its clock `now`. With `proxyClock` it goes through
  /// the async proxy, where that is what the warp knows to be visible.
  Problem beginCopy(uint64_t address, uint32_t bytes, const SharedAccess &by,
                    const uint32_t *proxyClock, uint32_t &other);
  /// The same for a reduction.
  Problem beginReduction(uint64_t address, uint32_t bytes,
                         const SharedAccess &by, const uint32_t *proxyClock,
                         uint32_t &other);
  void endCopy(uint64_t address, uint32_t bytes, uint32_t writer, uint32_t now);
  /// The same where the lane `by` has waited for its copy: others of its warp
  /// have not.
  void endCopy(uint64_t address, uint32_t bytes, const SharedAccess &by);

  /// The async proxy is about to read these bytes on behalf of `warp`, whose
  /// `proxyClock` says what is visible there; writes are a problem until
  /// `endAsyncRead` with the same bytes, and count as read by `reader` then.
  Problem beginAsyncRead(uint64_t address, uint32_t bytes,
                         const uint32_t *clock, const uint32_t *proxyClock,
                         uint32_t &otherWarp);
  void endAsyncRead(uint64_t address, uint32_t bytes, uint32_t reader,
                    uint32_t now);
  /// The same for a read that nobody on this side can have waited for.
  void cancelAsyncRead(uint64_t address, uint32_t bytes);

  /// The bytes become an mbarrier's, or cease to be.
  void setMbarrier(uint64_t address, uint32_t bytes, bool isOne);

private:
  enum State : uint8_t { untouched, written, inFlight, reducing, mbarrier };
  struct Granule {
    /// Clock of the last writer, 0 if it was never written. Writers above the
    /// warps are copies.
    uint32_t writeClock = 0;
    uint16_t writer = 0;
    State state = untouched;
    /// Lane and time of the last writer, and who was the last plain reader.
    uint8_t writeLane = 0;
    uint32_t writeTime = 0;
    struct Reader {
      uint32_t time = 0;
      uint16_t warp = 0;
      uint16_t lane = 0;
    } reader;
  };

  /// Whether all that warps wrote to granule `g` is known to `proxyClock`.
  bool isFenced(uint32_t g, const uint32_t *proxyClock,
                uint32_t &otherWarp) const;
  Problem explainRead(const Granule &granule, const uint32_t *clock,
                      uint32_t &otherWarp) const;
  Problem explainWrite(const Granule &granule, const uint32_t *reads,
                       const uint32_t *clock, uint32_t &otherWarp) const;

  static Granule::Reader readerOf(const SharedAccess &by, unsigned lane) {
    return {by.now, static_cast<uint16_t>(by.warp),
            static_cast<uint16_t>(lane)};
  }

  /// The lanes of the writing warp; `problem` if they are in order.
  Problem checkLanes(const Granule &granule, const SharedAccess &by,
                     Problem problem, uint32_t &other) const;

  /// Whether every clock of granule `g` in `clocks` is known; if not,
  /// `otherWarp` is one whose is not.
  bool isKnown(const std::vector<uint32_t> &clocks, uint32_t g,
               const uint32_t *clock, uint32_t &otherWarp) const {
    for (uint32_t w = 0; w < numWarps; ++w)
      if (clocks[size_t(g) * numWarps + w] > clock[w]) {
        otherWarp = w;
        return false;
      }
    return true;
  }

  bool isWithinSegment(uint64_t offset, uint64_t bytes) const {
    for (const SharedSegment &segment : *segments)
      if (offset >= segment.begin && offset + bytes <= segment.end)
        return true;
    return false;
  }

  uint32_t base = 0;
  uint32_t size = 0;
  const std::vector<SharedSegment> *segments = nullptr;
  bool isDivided = false;
  uint32_t shift = 2;
  uint32_t numWarps = 1;
  std::vector<uint8_t> data;
  std::vector<Granule> granules;
  /// Per granule and warp, the clock of the last plain read.
  std::vector<uint32_t> readClocks;
  /// The same for strong accesses; empty until the block makes one.
  std::vector<uint32_t> strongReads, strongWrites;
  /// Per granule, reads by the async proxy under way; empty until there is one.
  std::vector<uint16_t> pendingReads;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_SHARED_H
