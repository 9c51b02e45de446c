//===- Launch.h - blocks, workers, the state of a launch ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch is run by workers, one host thread each; a worker owns one block at
// a time and schedules its warps in an order drawn from the seed.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_LAUNCH_H
#define GOAT_LIB_PTXSIM_LAUNCH_H

#include "Clock.h"
#include "GlobalRaces.h"
#include "Mbarrier.h"
#include "MemoryImpl.h"
#include "Sectors.h"
#include "Shared.h"
#include "Warp.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

namespace goat::ptxsim {

struct InstrCounts {
  uint64_t warps = 0;
  uint64_t threads = 0;
  uint64_t wavefronts = 0;
  uint64_t conflicts = 0;
  uint64_t sectors = 0;
  uint64_t bytes = 0;
};

/// Collects findings of all workers; one entry per kind and instruction.
class FindingSink {
public:
  FindingSink(uint32_t limit, std::atomic<bool> &stop)
      : limit(limit), stop(stop) {}
  /// True when an equal finding is known; it is counted.
  bool isKnown(FindingKind kind, uint32_t instrId);
  void add(uint32_t instrId, Finding finding);
  std::vector<Finding> take();

private:
  std::mutex mutex;
  std::map<std::pair<FindingKind, uint32_t>, size_t> index;
  std::vector<Finding> findings;
  uint32_t limit;
  std::atomic<bool> &stop;
};

/// A permutation of the clusters of a grid drawn from a seed: cluster i of the
/// order is (first + i * step) mod count, with a step that has no divisor in
/// common with the count.
class BlockOrder {
public:
  void draw(uint64_t numClusters, uint64_t seed);
  uint64_t count() const { return numClusters; }
  uint64_t operator[](uint64_t i) const;

private:
  uint64_t numClusters = 1;
  uint64_t first = 0;
  uint64_t step = 1;
};

struct LaunchState {
  LaunchState(const ModuleImpl &module, const Function &entry,
              MemoryImpl &memory, const LaunchConfig &config)
      : module(module), entry(entry), memory(memory), config(config),
        sink(config.maxFindings, stop) {}

  const ModuleImpl &module;
  const Function &entry;
  MemoryImpl &memory;
  const LaunchConfig &config;
  /// Blocks of a cluster along each axis.
  std::array<uint32_t, 3> cluster{1, 1, 1};
  /// Blocks that run together along each axis: those of a cluster, or all.
  std::array<uint32_t, 3> gang{1, 1, 1};
  uint32_t blocksPerGang = 1;
  bool isCooperative = false;
  bool usesAsync = false;
  SharedLayout sharedLayout;
  /// From the first variable to the end of the last, gaps included.
  uint32_t sharedBytes = 0;
  std::vector<SharedSegment> sharedSegments;
  uint32_t sharedGranule = 4;
  /// Per function, the contents of its constant slots.
  std::vector<std::vector<uint8_t>> constants;
  std::vector<uint8_t> params;
  BlockOrder order;
  std::unique_ptr<SectorMap> sectors;
  std::atomic<uint64_t> nextCluster{0};
  std::atomic<uint64_t> blocksDone{0};
  std::atomic<bool> stop{false};
  std::mutex progressMutex;
  FindingSink sink;
  /// Null when nothing is checked.
  std::unique_ptr<GlobalRaces> races;

  /// The first block of a cluster, or of the grid where all run together.
  std::array<uint32_t, 3> originOf(uint64_t index) const;

  /// Decides which blocks run together.
  bool gather(uint64_t numBlocks, std::string &error);

  /// Sets the two from the layout and the size of the dynamic part.
  void placeShared();

  /// Address of a variable in its own space; false if it has none.
  bool addressOf(const Variable &variable, uint64_t &address) const;
};

/// One host thread's share of a launch.
struct Worker {
  explicit Worker(LaunchState &launch)
      : launch(launch), isChecked(launch.config.checks == Checks::All),
        counts(launch.module.numInstructions),
        allocationCache(launch.module.numInstructions, nullptr) {}
  void run();

  LaunchState &launch;
  /// Without checks every register and every byte passes for written, and
  /// nobody asks who wrote it.
  const bool isChecked;
  std::vector<InstrCounts> counts;
  /// Per instruction, the allocation it touched last.
  std::vector<Allocation *> allocationCache;
  uint64_t blockSectors = 0, uniqueSectorsRead = 0, uniqueSectorsWritten = 0;
  /// Processor time of `run`.
  double cpuSeconds = 0;

private:
  void runClusters();
};

enum class AccessKind : uint8_t { Read, Write, Atomic };

struct Barrier {
  uint32_t expectedWarps = 0;
  uint32_t arrivedWarps = 0;
  bool countsAll = false;
  std::vector<Warp *> waiting;
  Clock clock;
  /// For bar.red: over the threads that arrived so far.
  uint32_t population = 0;
  bool all = true;
  bool any = false;
};

class Cluster;

class Block {
public:
  Block(Worker &worker, Cluster &cluster, uint32_t rank)
      : worker(worker), cluster(cluster), rank(rank) {}
  /// Puts all warps of the block at `blockIndex` of the grid at the start of
  /// the kernel.
  void start(const std::array<uint32_t, 3> &blockIndex);

  /// A warp arrives; `lanesSet` are the lanes whose predicate holds.
  void arrive(Warp &warp, const Instr &instr, uint32_t barrier,
              uint32_t threads, bool waits, uint32_t lanes, uint32_t lanesSet);

  /// The lanes in `mask` make a strong access at their addresses, which lie in
  /// the window that begins at `window`: what was released there is acquired if
  /// the access asks for that or a fence follows; what the warp did is released
  /// there if the access asks for that or a fence went before.
  void order(Warp &warp, const AccessInfo &access, AccessKind kind,
             uint64_t window, const uint64_t *address, uint32_t mask);
  void fence(Warp &warp, bool isBlockScope);

  /// Whether the warps of a warpgroup do the same one after the other: called
  /// for each instruction that asks for it, with operands that have to agree.
  void stepWarpgroup(Warp &warp, const Instr &instr,
                     std::array<uint64_t, 2> operands);
  /// Reports warpgroups whose warps have not all come along.
  void checkWarpgroups();

  /// No warp can run: lets a barrier go that waits for warps that have left,
  /// and reports it; false if there is none.
  bool releaseAbandoned();
  /// What `warp` waits for at a barrier, for the report of a deadlock.
  std::string describeBarrier(const Warp &warp) const;
  bool hasLeft() const;

  Worker &worker;
  Cluster &cluster;
  /// Position in the cluster, x first.
  uint32_t rank;
  SharedMemory shared;
  SectorSet sectors;
  std::array<uint32_t, 3> index{0, 0, 0};
  std::vector<std::unique_ptr<Warp>> warps;
  /// By address in shared memory.
  std::unordered_map<uint32_t, Mbarrier> mbarriers;

private:
  void release(Barrier &barrier);

  struct WarpgroupStep {
    const Instr *instr;
    std::array<uint64_t, 2> operands;
    uint32_t warps;
  };
  /// Steps that not all four warps have done; the first has this number.
  struct Warpgroup {
    uint64_t first = 0;
    std::deque<WarpgroupStep> steps;
  };
  std::vector<Warpgroup> warpgroups;

  std::array<Barrier, 16> barriers;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_LAUNCH_H
