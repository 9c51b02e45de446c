//===- Cluster.h - blocks that run together -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a cluster run side by side: their warps are scheduled as one
// set, in an order drawn from the seed. A launch without clusters has clusters
// of one block. Copies by the asynchronous engines are complete at random
// moments, and at the latest when nothing else can go on.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_CLUSTER_H
#define GOAT_LIB_PTXSIM_CLUSTER_H

#include "Launch.h"

#include <random>

namespace goat::ptxsim {

/// Address bits above these are the rank of a block in its cluster.
constexpr uint32_t rankShift = 24;

/// Something that completes on an mbarrier: a copy, or an arrival that waits
/// for copies.
struct AsyncOp {
  const Instr *instr;
  Warp *warp;
  uint32_t lane;
  std::vector<Landing> landings;
  Block *block;
  uint32_t mbarrier;
  /// Bytes it takes off the transaction count.
  uint32_t bytes;
  /// An arrival by cp.async.mbarrier.arrive, and whether it had raised the
  /// count of pending ones.
  bool arrives = false;
};

class Cluster {
public:
  explicit Cluster(Worker &worker);
  /// Runs the cluster at this place of the grid of clusters to its end.
  void run(uint64_t linearIndex);

  /// The block whose shared memory holds `address`, or null.
  Block *blockAt(uint64_t address) const {
    uint64_t rank = address >> rankShift;
    return rank < blocks.size() ? blocks[rank].get() : nullptr;
  }
  /// Notes that `warp` uses shared memory of `target`; reports a peer that has
  /// left or is not known to have started. False if it has left.
  bool usePeer(Warp &warp, const Instr &instr, Block &target, uint32_t mask,
               uint64_t address);
  /// The name of a party in findings, for someone in `block`.
  std::string partyName(uint32_t party, const Block &block) const;

  // barrier.cluster
  void arriveAtBarrier(Warp &warp, const Instr &instr, uint32_t mask);
  void waitAtBarrier(Warp &warp, const Instr &instr, uint32_t mask);

  /// Makes an mbarrier of 8 bytes of shared memory, with a party of its own.
  void initMbarrier(Warp &warp, Block &block, uint32_t address, uint32_t count);
  /// The mbarrier at an address of shared memory, of whose use by `warp` note
  /// is taken; null if there is none, which is reported.
  Mbarrier *findMbarrier(Warp &warp, const Instr &instr, uint32_t lane,
                         Block &block, uint64_t address);
  /// `count` arrivals by `warp`; more than are pending are reported.
  void arrive(Warp &warp, const Instr &instr, uint32_t lane, Block &block,
              uint32_t address, Mbarrier &mbarrier, uint32_t count);
  /// Adds to the transaction count; a count out of range is reported.
  void addTransactions(Warp &warp, const Instr &instr, uint32_t lane,
                       Block &block, uint32_t address, Mbarrier &mbarrier,
                       int64_t bytes);

  /// Executes `instr` again once an mbarrier of the block has completed a
  /// phase, or when nothing else can run.
  void suspend(Warp &warp, const Instr &instr, uint32_t mask, uint32_t address,
               uint64_t phase);

  /// Clocks have one part, or three of `numParties()` each.
  uint32_t numParties() const { return parties; }
  /// Behind them stands how much is known of other clusters.
  size_t clockSize() const {
    return (isAsync ? size_t(3) * parties : parties) + 1;
  }
  uint32_t firstCopyParty() const { return numWarps + numWarpgroups; }
  /// The party that stands for the reads of a warpgroup's wgmmas.
  uint32_t warpgroupParty(const Warp &warp) const {
    return numWarps + warp.party / warpsPerBlock * warpgroupsPerBlock +
           warp.id / warpgroupWarps;
  }

  /// A warp of another cluster, in findings.
  std::string remoteName(uint64_t cluster, uint32_t party) const;

  Worker &worker;
  /// Which cluster of the grid this is.
  uint64_t index = 0;
  RemoteLog remotes;
  std::vector<std::unique_ptr<Block>> blocks;
  /// By generic address, the clock released with the value that lies there.
  std::unordered_map<uint64_t, Clock> released;
  std::mt19937_64 random;
  std::vector<AsyncOp> inFlight;

private:
  void start(uint64_t linearIndex);
  /// Nothing can run: makes something happen, or says why nothing can.
  bool resolveStall();
  void reportDeadlock();
  void completeOne();
  void completePhase(Block &block, Mbarrier &mbarrier);
  void checkBarrier();
  void checkLeft(Block &block);

  uint32_t warpsPerBlock = 1;
  uint32_t numWarps = 1;
  uint32_t warpgroupsPerBlock = 0;
  uint32_t numWarpgroups = 0;
  uint32_t parties = 1;
  bool isAsync = false;
  std::vector<Warp *> warps;
  std::array<uint32_t, asyncParties> copyClocks{};
  uint32_t nextCopyParty = 0;
  Clock barrierClock, barrierCompleted;
  bool isBarrierOpen = false;
  /// How often in a row waits gave up although nothing had happened.
  uint32_t idleRounds = 0;

  /// Latest use of the shared memory of block b by warp w: [b * numWarps + w].
  struct PeerUse {
    uint32_t clock = 0;
    const Instr *instr = nullptr;
    uint32_t lanes = 0;
    uint64_t address = 0;
  };
  std::vector<PeerUse> peerUses;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_CLUSTER_H
