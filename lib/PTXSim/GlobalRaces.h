//===- GlobalRaces.h - races in global memory -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who wrote each granule of global memory last, and who read it. Within a
// cluster the vector clocks of its warps say what is ordered. Between clusters
// it is what was released at an address, by a release or behind a fence, and
// then read there by a strong access.
//
// A doubt counts as ordered: of several readers one is remembered; plain reads
// beside atomics pass; strong reads acquire without a fence, as the idiom of
// the last block does; a warp that acquires makes its cluster's later acquirers
// know as much.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_GLOBALRACES_H
#define GOAT_LIB_PTXSIM_GLOBALRACES_H

#include "Clock.h"
#include "MemoryImpl.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace goat::ptxsim {

/// An access: by which party of which cluster, at which of its clocks. Zero is
/// nobody.
class AccessMark {
public:
  AccessMark() = default;
  explicit AccessMark(uint64_t bits) : bits(bits) {}
  AccessMark(uint64_t cluster, uint32_t party, uint32_t clock, bool isStrong)
      : bits((cluster + 1) << 32 | uint64_t(isStrong) << 31 |
             uint64_t(party) << clockBits | (clock >> clockBits ? 0 : clock)) {}
  /// Reads by more than one cluster.
  static AccessMark many() { return AccessMark(~uint64_t(0)); }

  explicit operator bool() const { return bits != 0; }
  bool isMany() const { return bits == ~uint64_t(0); }
  uint64_t cluster() const { return (bits >> 32) - 1; }
  bool isStrong() const { return bits >> 31 & 1; }
  uint32_t party() const {
    return static_cast<uint32_t>(bits >> clockBits) & ((1u << partyBits) - 1);
  }
  /// 0, which everybody knows, once the party has counted too far.
  uint32_t clock() const {
    return static_cast<uint32_t>(bits) & ((1u << clockBits) - 1);
  }
  uint64_t raw() const { return bits; }

private:
  // A cluster has at most 16 blocks of 32 warps.
  static constexpr unsigned partyBits = 9, clockBits = 22;
  uint64_t bits = 0;
};

/// The state of one granule; host threads race on it as the kernel does, which
/// can cost a finding but not make one up.
struct RaceGranule {
  std::atomic<uint64_t> writer, reader;
};

/// What a cluster knows of others: of each the clocks up to which it is known.
struct RemoteKnowledge {
  std::unordered_map<uint64_t, Clock> clusters;
  /// Too many to list: everything passes for known.
  bool isComplete = false;

  bool knows(AccessMark mark) const;
  void add(const RemoteKnowledge &other);
  void limit();
};
using RemotePointer = std::shared_ptr<const RemoteKnowledge>;

/// Of one launch: the shadow of its memory and what clusters released.
class GlobalRaces {
public:
  GlobalRaces(MemoryImpl &memory, uint32_t granuleBytes);
  ~GlobalRaces();

  RaceGranule *granules(const Allocation &allocation) const {
    return allocation.races;
  }
  unsigned shift() const { return granuleShift; }

  /// Held by a host thread from where it notes what a strong access releases
  /// and acquires until memory has changed or was read. Otherwise another one
  /// could see the value without what was released with it.
  std::unique_lock<std::mutex> beginStep() {
    return std::unique_lock<std::mutex>(stepMutex);
  }

  /// `own`, the clocks of `cluster`, and what it knows of others become known
  /// to who acquires at `address`. A store replaces what lay there.
  void release(uint64_t address, uint64_t cluster, const Clock &own,
               const RemotePointer &known, bool replaces);
  /// A store that releases nothing.
  void forget(uint64_t address);
  /// What was released at `address`, or null.
  RemotePointer find(uint64_t address);

private:
  MemoryImpl &memory;
  unsigned granuleShift = 2;
  std::atomic<bool> isUsed{false};
  std::mutex stepMutex;
  /// Of `released`, for those who need no step.
  std::mutex mutex;
  std::unordered_map<uint64_t, RemotePointer> released;
};

/// What a cluster has acquired from others, in order: entry v - 1 is what
/// warps whose clock ends in v know.
class RemoteLog {
public:
  void clear() {
    entries.clear();
    last = nullptr;
  }
  /// The version that includes `remote`.
  uint32_t acquire(const RemotePointer &remote);
  RemotePointer at(uint32_t version) const {
    return version ? entries[version - 1] : nullptr;
  }

private:
  std::vector<RemotePointer> entries;
  RemotePointer last;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_GLOBALRACES_H
