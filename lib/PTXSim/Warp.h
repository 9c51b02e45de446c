//===- Warp.h - 32 threads in lockstep ------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a warp: registers as structure of arrays, a mask per register
// that says which lanes were written, the stack of diverged paths, call frames,
// local memory and copies in flight.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_WARP_H
#define GOAT_LIB_PTXSIM_WARP_H

#include "LaneOrder.h"
#include "Mbarrier.h"
#include "Program.h"
#include "Wide.h"

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace goat::ptxsim {

struct Allocation;
class Block;
struct Worker;
struct LaunchState;

/// The paths a warp has still to run: the lanes in `mask` continue at `pc` and
/// wait at `reconvergence` for the entry below.
struct PathEntry {
  uint32_t pc;
  uint32_t reconvergence;
  uint32_t mask;
};

struct Frame {
  const Function *function = nullptr;
  std::vector<uint8_t> storage;
  uint8_t *regs = nullptr;
  std::vector<uint32_t> written;
  /// Of registers packed from parts that were not all written: the lanes in
  /// which each part was.
  std::map<uint32_t, std::vector<uint32_t>> packedParts;
  std::vector<uint32_t> predicates;
  std::vector<uint32_t> predicatesWritten;
  std::vector<PathEntry> paths;
  /// Per slot what wgmma has to do with it; see Wgmma.h. Empty in functions
  /// without wgmma.
  std::vector<uint8_t> wgmmaSlots;
  /// Parameters of calls, lane after lane, and which of their bytes were
  /// written.
  std::vector<uint8_t> callParams;
  std::vector<uint8_t> callParamsWritten;
  uint32_t localBase = 0;
  /// What alloca gave the function: begin and end of each piece.
  std::vector<std::pair<uint32_t, uint32_t>> allocas;
  /// The call in the caller that made this frame, and its lanes.
  const Instr *call = nullptr;
  uint32_t callMask = 0;

  void copyParam(size_t to, const Frame &source, size_t from, size_t bytes) {
    std::memcpy(&callParams[to], &source.callParams[from], bytes);
    std::memcpy(&callParamsWritten[to], &source.callParamsWritten[from], bytes);
  }
};

/// A `cp.async` whose data has not arrived.
struct PendingCopy {
  /// Leaves the arrays as they are: what is in use is filled in.
  PendingCopy() {}
  const Instr *instr = nullptr;
  uint32_t mask = 0;
  uint32_t bytes = 0;
  std::array<uint32_t, warpSize> group;
  std::array<uint32_t, warpSize> destination;
  std::array<uint32_t, warpSize> sourceBytes;
  std::array<const uint8_t *, warpSize> source;
  /// What the source held when the copy was issued, for launches that check.
  std::array<std::array<uint8_t, 16>, warpSize> issued;
};

/// A bulk copy from shared to global memory.
struct PendingStore {
  const Instr *instr = nullptr;
  uint32_t lane = 0;
  uint32_t group = 0;
  /// Shared memory has been read; `data` has it, piece after piece.
  bool isRead = false;
  struct Piece {
    uint32_t address;
    uint32_t bytes;
    const Allocation *allocation;
    uint64_t globalAddress;
    uint8_t *destination;
    /// Marks the bytes as initialised; null where that is known.
    uint8_t *shadow;
  };
  std::vector<Piece> pieces;
  std::vector<uint8_t> data;
  uint32_t reduction = 0;
};

/// A wgmma.mma_async whose result has not arrived.
struct PendingWgmma {
  const Instr *instr = nullptr;
  Frame *frame = nullptr;
  uint32_t group = 0;
  bool accumulates = false;
  /// Addresses of 16-byte rows of the core matrices of A, unless it is in
  /// registers, and of B.
  std::vector<uint32_t> aRows, bRows;
};

constexpr uint32_t warpgroupWarps = 4;

class Warp {
public:
  enum class State : uint8_t { Ready, Waiting, Done };

  Warp(Block &block, Worker &worker) : block(block), worker(worker) {}

  enum class WaitsFor : uint8_t {
    Barrier,
    ClusterBarrier,
    Mbarrier,
    Warpgroup
  };

  /// Puts the warp at the start of the entry; `lanes` exist. In clocks it is
  /// `party`.
  void start(uint32_t id, uint32_t lanes, uint32_t party, size_t clockSize);
  /// Executes until the warp waits, ends or `budget` instructions were issued;
  /// returns how many were.
  uint64_t run(uint64_t budget);

  // Registers.
  template <typename T> GOAT_PTXSIM_INLINE T *lanes(uint32_t slot) {
    return reinterpret_cast<T *>(regs + size_t(slot) * slotBytes);
  }
  template <typename T>
  GOAT_PTXSIM_INLINE void store(uint32_t slot, const T (&values)[warpSize],
                                uint32_t mask) {
    T *destination = lanes<T>(slot);
    if (mask == allLanes) {
      std::memcpy(destination, values, sizeof(values));
      return;
    }
    for (unsigned lane = 0; lane < warpSize; ++lane)
      destination[lane] = mask >> lane & 1 ? values[lane] : destination[lane];
  }
  void storePredicate(int32_t index, uint32_t bits, uint32_t mask) {
    if (index == noPredicate)
      return;
    predicates[index] = (predicates[index] & ~mask) | (bits & mask);
    predicatesWritten[index] |= mask;
  }
  /// Value of a predicate source; reports lanes in which it was never written.
  uint32_t readPredicate(const Instr &instr, PredicateUse use, uint32_t mask);

  // Control flow.
  void branch(uint32_t target, uint32_t reconvergence, uint32_t taken);
  /// Divides the active lanes into paths that meet at `meet`.
  void diverge(const std::vector<PathEntry> &ways, uint32_t meet);
  void exitLanes(uint32_t mask);
  void returnLanes(uint32_t mask);
  void call(const Instr &instr, const Function &callee, uint32_t mask);

  /// Lets another of the diverged paths run, if there is one that has not had
  /// its turn since the warp last waited.
  bool rotatePaths();

  /// The time in `laneOrder`.
  uint32_t now() const { return static_cast<uint32_t>(issued); }
  /// The lanes in `mask` synchronise among themselves.
  void meetLanes(uint32_t mask) {
    laneOrder.meet(mask, existing & ~exited, now());
  }

  // Asynchronous copies.
  void completeCopies(uint32_t mask, uint32_t keepGroups, bool includeOpen);
  /// The copies of a lane that are in flight, to be completed by someone else.
  std::vector<Landing> takeCopies(uint32_t lane);

  // Bulk copies to global memory: those of lanes in `mask` but the newest
  // `keepGroups` groups are read, and written if `isWhole`.
  void completeStores(uint32_t mask, uint32_t keepGroups, bool isWhole);
  /// The lanes leave the kernel: their copies must have been read.
  void abandonStores(uint32_t mask);
  /// The kernel ends, which completes all copies.
  void finishStores();

  // wgmma: waits for all but the newest `keepGroups` groups. They are those of
  // the warpgroup: false if another warp has yet to execute its part.
  bool completeWgmma(uint32_t keepGroups);
  void issueWgmma(PendingWgmma pending);
  /// Computes this warp's part of the first `count` wgmmas of its warpgroup.
  void computeWgmma(uint64_t count);
  /// The function is left: its registers must not be in use.
  void abandonWgmma();
  /// An instruction uses registers that some wgmma uses as well.
  void touchWgmma(const Instr &instr, uint32_t mask);

  /// Local memory of a lane; null when [offset, offset+bytes) is outside.
  uint8_t *localData(uint32_t lane, uint64_t offset, uint32_t bytes);
  uint8_t *localShadow(uint32_t lane, uint64_t offset);
  /// Whether the bytes belong to one local variable of some frame.
  bool isWithinLocal(uint64_t offset, uint32_t bytes);
  /// Adds a piece to the local memory of the running function; its offset.
  uint32_t growLocal(uint32_t bytes, uint32_t alignment);
  /// Gives back all pieces from `top` on, as `localEnd` was once.
  void shrinkLocal(uint32_t top);
  uint32_t endOfLocal() const { return localTop; }

  void report(FindingKind kind, const Instr &instr, uint32_t mask,
              uint64_t address, std::string message,
              std::string allocation = "");

  // Hot state: the current frame.
  uint8_t *regs = nullptr;
  uint32_t *written = nullptr;
  uint32_t *predicates = nullptr;
  uint32_t *predicatesWritten = nullptr;
  const Instr *code = nullptr;
  uint32_t codeSize = 0;
  uint32_t pc = 0;
  uint32_t active = 0;
  uint32_t reconvergence = noTarget;
  bool yields = false;
  /// Instructions issued since the start.
  uint64_t issued = 0;
  /// The carry flag of every lane, for add.cc and its kin.
  uint32_t carry = 0;

  uint32_t id = 0;
  /// Index in the clocks of the cluster.
  uint32_t party = 0;
  uint32_t existing = 0;
  uint32_t exited = 0;
  State state = State::Ready;
  const Instr *waitsAt = nullptr;
  WaitsFor waitsFor = WaitsFor::Barrier;
  /// The barrier, or the address of the mbarrier and the phase.
  uint32_t waitsForBarrier = 0;
  uint64_t waitsForPhase = 0;
  uint32_t waitingLanes = 0;
  /// The wait is over although the phase is not: it has to give up.
  bool givesUp = false;
  uint32_t rotations = 0;
  /// Lanes that have arrived at the phase of the cluster's barrier under way,
  /// and lanes that have yet to wait for a complete one.
  uint32_t clusterArrived = 0;
  uint32_t clusterCompleted = 0;

  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<PendingCopy> copies;
  std::vector<PendingStore> stores;
  std::array<uint32_t, warpSize> openStoreGroup{};
  /// Those that the warp has not waited for, after `finishedWgmmas` others; of
  /// all of them the first `computedWgmmas` are computed.
  std::deque<PendingWgmma> wgmmas;
  uint64_t finishedWgmmas = 0;
  uint64_t computedWgmmas = 0;
  uint32_t openWgmmaGroup = 0;
  bool hasWgmmaFence = false;
  /// Instructions of its warpgroup that the warp has executed.
  uint64_t warpgroupStep = 0;
  /// As setmaxnreg says; 0 as long as it has not.
  uint32_t maxRegisters = 0;
  std::array<uint32_t, warpSize> openGroup{};
  /// What this warp knows of every party's progress.
  Clock clock;
  /// What its last fence covers, and what strong reads have seen that a fence
  /// would acquire; empty if there is none.
  Clock fenced, seen;
  /// What its last fence covers that was not for its block alone.
  Clock fencedWide;
  /// What its lanes know of each other, in instructions issued.
  LaneOrder laneOrder;

  Block &block;
  Worker &worker;

private:
  template <bool IsChecked, bool IsTraced> uint64_t runLoop(uint64_t budget);
  void trace(const Instr &instr, uint32_t mask);
  void enterFrame(const Function &function);
  void loadFrame();
  void loadPath();
  void popPath();
  void fillConstants(Frame &frame);
  void checkWritten(const Instr &instr, uint32_t mask);
  void leaveFrame();

  std::vector<std::unique_ptr<Frame>> spareFrames;
  std::vector<uint8_t> local;
  std::vector<uint8_t> localWritten;
  /// Where the local variable accessed last begins and ends.
  uint64_t localBegin = 0, localEnd = 0;
  uint32_t localCapacity = 0;
  uint32_t localTop = 0;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_WARP_H
