//===- Access.cpp - checked access to simulated memory --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds, alignment, initialisation and races.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Cluster.h"
#include "Wide.h"

#include <cstdio>

namespace goat::ptxsim {

namespace {

std::string hex(uint64_t value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "0x%llx",
                static_cast<unsigned long long>(value));
  return buffer;
}

const char *spaceName(Space space) {
  switch (space) {
  case Space::Global:
  case Space::Generic:
    return "global";
  case Space::Const:
    return "constant";
  case Space::Shared:
  case Space::SharedCluster:
    return "shared";
  case Space::Local:
    return "local";
  case Space::Param:
    return "parameter";
  case Space::Register:
    break;
  }
  return "unknown";
}

const char *kindName(AccessKind kind) {
  return kind == AccessKind::Read    ? "reads"
         : kind == AccessKind::Write ? "writes"
                                     : "updates";
}

void reportOutside(Warp &warp, const Instr &instr, Space space, AccessKind kind,
                   uint32_t bytes, uint64_t address, uint32_t lanes) {
  std::string message = std::string(kindName(kind)) + " " +
                        std::to_string(bytes) + " bytes at " + hex(address) +
                        " in " + spaceName(space) + " memory, ";
  std::string name;
  switch (space) {
  case Space::Shared: {
    Block *block = warp.block.cluster.blockAt(address);
    const SharedMemory &shared = (block ? block : &warp.block)->shared;
    if (const SharedSegment *segment = shared.segmentBefore(address)) {
      name = segment->name;
      message +=
          std::to_string(address + bytes - shared.begin() - segment->end) +
          " bytes past the end of '" + name + "' of " +
          std::to_string(segment->end - segment->begin) + " bytes";
    } else {
      message += "expected " + hex(shared.begin()) + " to " + hex(shared.end());
    }
    break;
  }
  case Space::Global:
  case Space::Const: {
    const Allocation *near = warp.worker.launch.memory.nearest(address);
    if (!near) {
      message += "where nothing is allocated";
    } else {
      name = near->name;
      message +=
          address < near->base
              ? std::to_string(near->base - address) + " bytes before"
              : std::to_string(address + bytes - near->base - near->size) +
                    " bytes past the end of";
      message +=
          " '" + near->name + "' of " + std::to_string(near->size) + " bytes";
    }
    break;
  }
  default:
    message += "outside of what the thread has";
  }
  warp.report(FindingKind::OutOfBounds, instr, lanes, address,
              std::move(message), std::move(name));
}

bool isAllWritten(const uint8_t *shadow, uint32_t bytes) {
  switch (bytes) {
  case 4: {
    uint32_t word;
    std::memcpy(&word, shadow, 4);
    return word == 0x01010101u;
  }
  case 8: {
    uint64_t word;
    std::memcpy(&word, shadow, 8);
    return word == 0x0101010101010101u;
  }
  default:
    for (uint32_t i = 0; i < bytes; ++i)
      if (!shadow[i])
        return false;
    return true;
  }
}

/// Compilers copy structures in local memory and in parameters with their
/// padding, which nobody writes: it takes an access without any written byte.
bool isAnyWritten(const uint8_t *shadow, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i)
    if (shadow[i])
      return true;
  return false;
}

/// Groups lanes by what went wrong, so that one finding names all of them.
struct Trouble {
  uint32_t lanes = 0;
  unsigned first = 0;
  void add(unsigned lane) {
    if (!lanes)
      first = lane;
    lanes |= 1u << lane;
  }
};

/// Whether `bytes` at the addresses of all lanes lie within the `size` bytes
/// from `base`, which the host has at `data`; if so, points there.
GOAT_PTXSIM_CLONES
bool pointInto(LaneAccess &access, uint32_t bytes, uint64_t base, uint64_t size,
               uint8_t *data) {
  // The sign is set where an offset is negative or leaves too little room.
  int64_t outside = static_cast<int64_t>(size - bytes);
  uint64_t host = reinterpret_cast<uintptr_t>(data);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t offset = access.address[lane] - base;
    outside |= static_cast<int64_t>(offset | (size - bytes - offset));
    access.data[lane] = reinterpret_cast<uint8_t *>(host + offset);
  }
  return outside >= 0;
}

uint32_t resolveShared(Warp &warp, const Instr &instr, AccessKind kind,
                       uint32_t bytes, uint32_t mask, LaneAccess &access,
                       Block &target) {
  SharedMemory &shared = target.shared;
  const uint32_t *clock = warp.clock.data();
  bool isChecked = warp.worker.isChecked;
  bool isWhole = instr.opClass == OpClass::LoadMatrix ||
                 instr.opClass == OpClass::StoreMatrix;
  uint32_t inside = pointIntoShared(target, bytes, mask, access);
  for (uint32_t left = isChecked ? inside : 0; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t address = access.address[lane];
    SharedMemory::Problem problem;
    uint32_t otherWarp = 0;
    if (instr.access.isStrong)
      problem =
          shared.strong(address, bytes, kind != AccessKind::Write,
                        kind != AccessKind::Read, warp.party, clock, otherWarp);
    else if (kind == AccessKind::Read)
      problem =
          shared.read(address, bytes,
                      sharedAccess(warp, isWhole ? anyLane : lane), otherWarp);
    else
      problem =
          shared.write(address, bytes,
                       sharedAccess(warp, isWhole ? anyLane : lane), otherWarp);
    if (problem == SharedMemory::Problem::Overlap)
      access.overlaps = true;
    else if (problem != SharedMemory::Problem::None)
      reportShared(warp, instr, problem, 1u << lane, address, otherWarp,
                   kind == AccessKind::Write);
  }
  if (isChecked && instr.access.isStrong)
    warp.block.order(warp, instr.access, kind, sharedWindow, access.address,
                     inside);
  if (uint32_t outside = mask & ~inside)
    reportOutside(warp, instr, Space::Shared, kind, bytes,
                  access.address[__builtin_ctz(outside)], outside);
  countShared(warp, instr, access.address, bytes, mask);
  return inside;
}

/// Shared memory of any block of the cluster, each lane's by its address.
uint32_t resolveCluster(Warp &warp, const Instr &instr, AccessKind kind,
                        uint32_t bytes, uint32_t mask, LaneAccess &access) {
  Cluster &cluster = warp.block.cluster;
  uint32_t result = 0, outside = 0;
  for (uint32_t left = mask; left;) {
    unsigned first = static_cast<unsigned>(__builtin_ctz(left));
    Block *target = cluster.blockAt(access.address[first]);
    uint32_t same = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
      bool isSame = cluster.blockAt(access.address[lane]) == target;
      same |= static_cast<uint32_t>(isSame) << lane;
    }
    left &= ~same;
    if (!target)
      outside |= same;
    else if (target == &warp.block ||
             cluster.usePeer(warp, instr, *target, same, access.address[first]))
      result |= resolveShared(warp, instr, kind, bytes, same, access, *target);
  }
  if (outside)
    reportOutside(warp, instr, Space::Shared, kind, bytes,
                  access.address[__builtin_ctz(outside)], outside);
  return result;
}

uint32_t resolveLocal(Warp &warp, const Instr &instr, AccessKind kind,
                      uint32_t bytes, uint32_t mask, LaneAccess &access) {
  Trouble outside, unwritten;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t address = access.address[lane];
    uint8_t *data = warp.isWithinLocal(address, bytes)
                        ? warp.localData(lane, address, bytes)
                        : nullptr;
    if (!data) {
      outside.add(lane);
      continue;
    }
    access.data[lane] = data;
    uint8_t *shadow = warp.localShadow(lane, address);
    if (warp.worker.isChecked && kind != AccessKind::Write &&
        !isAnyWritten(shadow, bytes))
      unwritten.add(lane);
    if (kind != AccessKind::Read)
      std::memset(shadow, 1, bytes);
  }
  if (outside.lanes)
    reportOutside(warp, instr, Space::Local, kind, bytes,
                  access.address[outside.first], outside.lanes);
  if (unwritten.lanes)
    warp.report(FindingKind::UninitialisedMemory, instr, unwritten.lanes,
                access.address[unwritten.first],
                "reads " + std::to_string(bytes) +
                    " bytes of local memory that were never written");
  return mask & ~outside.lanes;
}

/// Whether the bytes of the entry's block belong to one parameter.
bool isWithinParam(const Function &entry, uint64_t address, uint32_t bytes) {
  for (const Variable *param : entry.syntax->params)
    if (address >= param->offset &&
        address + bytes <= param->offset + param->size)
      return true;
  return false;
}

uint32_t resolveParam(Warp &warp, const Instr &instr, AccessKind kind,
                      uint32_t bytes, uint32_t mask, LaneAccess &access) {
  Trouble outside, unwritten;
  Frame &frame = *warp.frames.back();
  std::vector<uint8_t> &entry = warp.worker.launch.params;
  uint64_t callBytes = frame.function->syntax->callParamBytes;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t address = access.address[lane];
    uint64_t callAddress = address - callParamBase;
    if (address >= callParamBase && callAddress <= callBytes &&
        callBytes - callAddress >= bytes) {
      access.data[lane] = &frame.callParams[lane * callBytes + callAddress];
      uint8_t *shadow =
          &frame.callParamsWritten[lane * callBytes + callAddress];
      if (warp.worker.isChecked && kind == AccessKind::Read &&
          !isAnyWritten(shadow, bytes))
        unwritten.add(lane);
      if (kind != AccessKind::Read)
        std::memset(shadow, 1, bytes);
    } else if (kind == AccessKind::Read && address <= entry.size() &&
               entry.size() - address >= bytes &&
               isWithinParam(warp.worker.launch.entry, address, bytes))
      access.data[lane] = &entry[address];
    else
      outside.add(lane);
  }
  if (outside.lanes)
    reportOutside(warp, instr, Space::Param, kind, bytes,
                  access.address[outside.first], outside.lanes);
  if (unwritten.lanes)
    warp.report(FindingKind::UninitialisedMemory, instr, unwritten.lanes,
                access.address[unwritten.first],
                "reads " + std::to_string(bytes) +
                    " bytes of a parameter that were never written");
  return mask & ~outside.lanes;
}

} // namespace

uint32_t pointIntoShared(Block &target, uint32_t bytes, uint32_t mask,
                         LaneAccess &access) {
  SharedMemory &shared = target.shared;
  // A whole warp rarely touches more than one variable.
  const SharedSegment *segment =
      mask == allLanes ? shared.segmentBefore(access.address[0]) : nullptr;
  if (segment &&
      pointInto(access, bytes, uint64_t(shared.begin()) + segment->begin,
                segment->end - segment->begin,
                shared.at(uint64_t(shared.begin()) + segment->begin)))
    return mask;
  uint32_t inside = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    if (!shared.contains(access.address[lane], bytes))
      continue;
    access.data[lane] = shared.at(access.address[lane]);
    inside |= 1u << lane;
  }
  return inside;
}

uint32_t resolveGlobal(Warp &warp, const Instr &instr, AccessKind kind,
                       uint32_t bytes, uint32_t mask, LaneAccess &access) {
  Trouble outside, unwritten, readOnly;
  Allocation *cached = warp.worker.allocationCache[instr.id];
  bool isPlain =
      mask == allLanes && cached && cached->isInitialised &&
      (kind == AccessKind::Read || !cached->isReadOnly) &&
      pointInto(access, bytes, cached->base, cached->size, cached->data);
  for (uint32_t left = isPlain ? 0 : mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t address = access.address[lane];
    if (!cached || !cached->contains(address, bytes)) {
      Allocation *found = warp.worker.launch.memory.find(address);
      if (!found || !found->contains(address, bytes)) {
        outside.add(lane);
        continue;
      }
      cached = found;
    }
    uint64_t offset = address - cached->base;
    if (kind != AccessKind::Read && cached->isReadOnly) {
      readOnly.add(lane);
      continue;
    }
    access.data[lane] = cached->data + offset;
    if (!cached->isInitialised) {
      uint8_t *shadow = cached->shadow + offset;
      if (warp.worker.isChecked && kind != AccessKind::Write &&
          !isAllWritten(shadow, bytes))
        unwritten.add(lane);
      if (kind != AccessKind::Read)
        std::memset(shadow, 1, bytes);
    }
  }
  warp.worker.allocationCache[instr.id] = cached;
  if (warp.worker.isChecked && instr.access.isStrong)
    warp.block.order(warp, instr.access, kind, 0, access.address,
                     mask & ~outside.lanes);
  if (outside.lanes)
    reportOutside(warp, instr, Space::Global, kind, bytes,
                  access.address[outside.first], outside.lanes);
  if (readOnly.lanes)
    warp.report(FindingKind::ReadOnlyWrite, instr, readOnly.lanes,
                access.address[readOnly.first], "writes constant memory",
                cached->name);
  uint32_t valid = mask & ~(outside.lanes | readOnly.lanes);
  if (warp.worker.isChecked && valid) {
    // Lanes rarely touch more than one allocation.
    const Allocation *allocation = cached;
    for (uint32_t left = valid; left; left &= left - 1) {
      uint64_t address = access.address[__builtin_ctz(left)];
      if (!allocation->contains(address, bytes)) {
        checkGlobalRaces(warp, instr, kind, bytes, valid, access, *allocation);
        allocation = warp.worker.launch.memory.find(address);
      }
    }
    checkGlobalRaces(warp, instr, kind, bytes, valid, access, *allocation);
  }
  if (unwritten.lanes) {
    uint64_t address = access.address[unwritten.first];
    const Allocation *allocation = warp.worker.launch.memory.find(address);
    warp.report(FindingKind::UninitialisedMemory, instr, unwritten.lanes,
                address,
                "reads " + std::to_string(bytes) +
                    " bytes that were never written, at offset " +
                    std::to_string(address - allocation->base) + " of '" +
                    allocation->name + "'",
                allocation->name);
  }
  countGlobal(warp, instr, kind, access.address, bytes, mask);
  return valid;
}

std::unique_lock<std::mutex> lockStrong(const Warp &warp, const Instr &instr,
                                        AccessKind kind) {
  const AccessInfo &access = instr.access;
  GlobalRaces *races = warp.worker.launch.races.get();
  bool isGlobal =
      access.space == Space::Global || access.space == Space::Generic;
  // Who adds without a look at the result learns nothing from it, and what was
  // released before is passed on.
  bool isOrdering = kind != AccessKind::Atomic || instr.numDst ||
                    access.releases || !warp.fencedWide.empty();
  if (!races || !isGlobal || access.isBlockScope || !isOrdering)
    return {};
  return races->beginStep();
}

void reportShared(Warp &warp, const Instr &instr, SharedMemory::Problem problem,
                  uint32_t lanes, uint64_t address, uint32_t otherWarp,
                  bool isWrite) {
  const char *verb = isWrite ? "writes" : "reads";
  bool isOfLane = problem == SharedMemory::Problem::LaneWriteRace ||
                  problem == SharedMemory::Problem::LaneReadRace;
  std::string other =
      !isOfLane ? warp.block.cluster.partyName(otherWarp, warp.block)
      : otherWarp == anyLane
          ? "another lane of the warp"
          : "lane " + std::to_string(otherWarp) + " of the warp";
  switch (problem) {
  case SharedMemory::Problem::None:
  case SharedMemory::Problem::Overlap:
    return;
  case SharedMemory::Problem::LaneWriteRace:
    warp.report(FindingKind::SharedRace, instr, lanes, address,
                std::string(verb) + " shared memory at " + hex(address) +
                    " that " + other +
                    " wrote, without a bar.warp.sync in between");
    return;
  case SharedMemory::Problem::LaneReadRace:
    warp.report(FindingKind::SharedRace, instr, lanes, address,
                "writes shared memory at " + hex(address) + " that " + other +
                    " reads, without a bar.warp.sync in between");
    return;
  case SharedMemory::Problem::Uninitialised:
    warp.report(FindingKind::UninitialisedMemory, instr, lanes, address,
                "reads shared memory at " + hex(address) +
                    " that was never written");
    return;
  case SharedMemory::Problem::WriteRace:
    warp.report(FindingKind::SharedRace, instr, lanes, address,
                std::string(verb) + " shared memory at " + hex(address) +
                    " that " + other + " wrote, without a barrier in between");
    return;
  case SharedMemory::Problem::ReadRace:
    warp.report(FindingKind::SharedRace, instr, lanes, address,
                "writes shared memory at " + hex(address) + " that " + other +
                    " reads, without a barrier in between");
    return;
  case SharedMemory::Problem::InFlight:
    warp.report(FindingKind::MissingAsyncWait, instr, lanes, address,
                std::string(verb) + " shared memory at " + hex(address) +
                    " while a copy to it has not been waited for");
    return;
  case SharedMemory::Problem::Mbarrier:
    warp.report(FindingKind::MbarrierMisuse, instr, lanes, address,
                std::string(verb) + " shared memory at " + hex(address) +
                    " that holds an mbarrier");
    return;
  case SharedMemory::Problem::PendingRead:
    warp.report(FindingKind::MissingAsyncWait, instr, lanes, address,
                "writes shared memory at " + hex(address) +
                    " that an asynchronous operation still reads");
    return;
  case SharedMemory::Problem::MissingFence:
    warp.report(
        FindingKind::MissingFence, instr, lanes, address,
        (isWrite ? "overwrites shared memory at " : "reads shared memory at ") +
            hex(address) + " through the async proxy that " + other +
            " wrote through the generic proxy, without a "
            "fence.proxy.async in between");
    return;
  }
}

void reportOverlap(Warp &warp, const Instr &instr, uint32_t lanes,
                   const LaneAccess &access) {
  if (!lanes)
    return;
  uint64_t address = access.address[__builtin_ctz(lanes)];
  warp.report(FindingKind::SharedRace, instr, lanes, address,
              "lanes write different values to shared memory at " +
                  hex(address) + " in one instruction");
}

void beginAsyncRead(Warp &warp, const Instr &instr, uint32_t lanes,
                    uint64_t address, uint32_t bytes) {
  if (!warp.worker.isChecked)
    return;
  const uint32_t *clock = warp.clock.data();
  uint32_t otherWarp = 0;
  SharedMemory::Problem problem = warp.block.shared.beginAsyncRead(
      address, bytes, clock, clock + warp.block.cluster.numParties(),
      otherWarp);
  if (problem != SharedMemory::Problem::None)
    reportShared(warp, instr, problem, lanes, address, otherWarp, false);
}

void computeAddresses(Warp &warp, uint32_t slot, bool isNarrow, int64_t offset,
                      LaneAccess &access) {
  uint64_t added = static_cast<uint64_t>(offset);
  if (isNarrow) {
    const uint32_t *base = warp.lanes<uint32_t>(slot);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      access.address[lane] = base[lane] + static_cast<uint32_t>(added);
  } else {
    const uint64_t *base = warp.lanes<uint64_t>(slot);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      access.address[lane] = base[lane] + added;
  }
}

void computeAddresses(Warp &warp, const Instr &instr, uint32_t slot,
                      LaneAccess &access) {
  computeAddresses(warp, slot, instr.flags & narrowAddressFlag, instr.imm,
                   access);
}

uint32_t resolveAccess(Warp &warp, const Instr &instr, Space space,
                       AccessKind kind, uint32_t bytes, uint32_t mask,
                       LaneAccess &access) {
  Trouble misaligned;
  uint64_t lowBits = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    lowBits |= mask >> lane & 1 ? access.address[lane] : 0;
  if (lowBits & (bytes - 1)) {
    for (uint32_t left = mask; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      if (access.address[lane] & (bytes - 1))
        misaligned.add(lane);
    }
    uint64_t address = access.address[misaligned.first];
    warp.report(FindingKind::Misaligned, instr, misaligned.lanes, address,
                "expected an address divisible by " + std::to_string(bytes) +
                    " but got " + hex(address));
    mask &= ~misaligned.lanes;
  }
  if (!mask)
    return 0;
  switch (space) {
  case Space::Shared:
    return resolveShared(warp, instr, kind, bytes, mask, access, warp.block);
  case Space::SharedCluster:
    return resolveCluster(warp, instr, kind, bytes, mask, access);
  case Space::Local:
    return resolveLocal(warp, instr, kind, bytes, mask, access);
  case Space::Param:
    return resolveParam(warp, instr, kind, bytes, mask, access);
  case Space::Global:
  case Space::Const:
    return resolveGlobal(warp, instr, kind, bytes, mask, access);
  default:
    break;
  }
  // Generic: every lane by the window its address lies in.
  struct Window {
    uint64_t base;
    Space space;
  };
  static constexpr Window windows[] = {{sharedWindow, Space::SharedCluster},
                                       {localWindow, Space::Local},
                                       {paramWindow, Space::Param}};
  uint32_t result = 0, global = mask;
  for (const Window &window : windows) {
    uint32_t inside = 0;
    for (uint32_t left = global; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      uint64_t limit =
          window.space == Space::Param ? 2 * windowBytes : windowBytes;
      if (access.address[lane] - window.base < limit) {
        inside |= 1u << lane;
        access.address[lane] -= window.base;
      }
    }
    if (inside)
      result |=
          resolveAccess(warp, instr, window.space, kind, bytes, inside, access);
    global &= ~inside;
  }
  if (global)
    result |= resolveGlobal(warp, instr, kind, bytes, global, access);
  return result;
}

} // namespace goat::ptxsim
