//===- ExecAsync.cpp - asynchronous copies --------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async and its groups. The data arrives at the latest moment the ISA
// allows: at the wait of the thread that issued the copy. Until then shared
// memory keeps what it had, and touching the destination is a finding.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Cluster.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

/// The base register of the source has 32 bits.
constexpr uint32_t sourceNarrowFlag = 1;
/// A predicate says whether the source is ignored.
constexpr uint32_t ignoresFlag = 2;

void runCopy(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t bytes = instr.access.elementBytes;
  LaneAccess destination, source;
  computeAddresses(warp, instr, instr.op[0], destination);
  computeAddresses(warp, instr.op[1], instr.flags & sourceNarrowFlag,
                   instr.sourceOffset, source);

  PendingCopy &copy = warp.copies.emplace_back();
  copy.instr = &instr;
  copy.bytes = bytes;
  uint32_t reads = mask, tooLong = 0;
  uint32_t ignored =
      instr.flags & ignoresFlag
          ? warp.readPredicate(instr, instr.predicateSrc[0], mask)
          : 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint32_t count =
        instr.numSrc > 2 ? warp.lanes<uint32_t>(instr.op[2])[lane] : bytes;
    if (count > bytes)
      tooLong |= mask & 1u << lane;
    copy.sourceBytes[lane] = ignored >> lane & 1 ? 0 : std::min(count, bytes);
    if (!copy.sourceBytes[lane])
      reads &= ~(1u << lane);
  }
  if (tooLong)
    warp.report(FindingKind::UndefinedResult, instr, tooLong,
                source.address[__builtin_ctz(tooLong)],
                "expected a source of at most the " + std::to_string(bytes) +
                    " bytes that are copied but got " +
                    std::to_string(warp.lanes<uint32_t>(
                        instr.op[2])[__builtin_ctz(tooLong)]));
  uint32_t misaligned = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t addresses = destination.address[lane] |
                         (reads >> lane & 1 ? source.address[lane] : 0);
    misaligned |= static_cast<uint32_t>((addresses & (bytes - 1)) != 0) << lane;
  }
  misaligned &= mask;
  if (misaligned) {
    warp.report(FindingKind::Misaligned, instr, misaligned,
                destination.address[__builtin_ctz(misaligned)],
                "expected source and destination divisible by " +
                    std::to_string(bytes));
    mask &= ~misaligned;
    reads &= ~misaligned;
  }
  // Lanes with a short source read only that much; the usual case is all or
  // nothing.
  uint32_t valid = mask & ~reads;
  for (uint32_t left = reads; left;) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint32_t size = copy.sourceBytes[lane], same = 0;
    for (unsigned other = 0; other < warpSize; ++other)
      same |= static_cast<uint32_t>(copy.sourceBytes[other] == size) << other;
    same &= left;
    left &= ~same;
    valid |= resolveGlobal(warp, instr, AccessKind::Read, size, same, source);
  }
  SharedMemory &shared = warp.block.shared;
  copy.mask =
      valid ? pointIntoShared(warp.block, bytes, valid, destination) : 0;
  copy.group = warp.openGroup;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    copy.destination[lane] = static_cast<uint32_t>(destination.address[lane]);
    copy.source[lane] = source.data[lane];
  }
  for (uint32_t left = warp.worker.isChecked ? copy.mask : 0; left;
       left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t address = destination.address[lane];
    uint32_t otherWarp = 0;
    SharedMemory::Problem problem = shared.beginCopy(
        address, bytes, sharedAccess(warp, lane), nullptr, otherWarp);
    if (problem != SharedMemory::Problem::None)
      reportShared(warp, instr, problem, 1u << lane, address, otherWarp, true);
    if (copy.sourceBytes[lane])
      std::memcpy(copy.issued[lane].data(), source.data[lane],
                  copy.sourceBytes[lane]);
  }
  if (uint32_t outside = valid & ~copy.mask)
    warp.report(FindingKind::OutOfBounds, instr, outside,
                destination.address[__builtin_ctz(outside)],
                "copies to an address outside of shared memory");
  countShared(warp, instr, destination.address, bytes, valid);
  if (!copy.mask)
    warp.copies.pop_back();
}

bool decodeCopy(Decoder &d) {
  if (!d.expectOperands(3, 5))
    return false;
  const Operand &size = d.operand(2);
  if (size.kind != Operand::Integer ||
      (size.value != 4 && size.value != 8 && size.value != 16))
    return d.fail("expected a size of 4, 8 or 16 bytes");
  if (d.has("cg") && size.value != 16)
    return d.fail("expected a size of 16 bytes with .cg");
  d.instr.access.elementBytes = static_cast<uint8_t>(size.value);
  d.instr.access.space = Space::Shared;
  d.noteSharedWidth(static_cast<unsigned>(size.value));
  if (!d.addAddress(d.operand(0)))
    return false;
  int64_t offset = d.instr.imm;
  uint32_t flags = d.instr.flags;
  d.instr.flags = 0;
  if (!d.addAddress(d.operand(1)))
    return false;
  d.instr.sourceOffset = d.instr.imm;
  d.instr.imm = offset;
  d.instr.flags =
      flags | (d.instr.flags & narrowAddressFlag ? sourceNarrowFlag : 0);
  d.instr.run = runCopy;
  // [, source size] [, cache policy]
  size_t next = 3;
  size_t rest = d.numOperands() - 3;
  if (d.has("L2::cache_hint") && rest)
    --rest;
  if (rest > 1)
    return d.fail("expected a source size or a predicate as the last operand");
  if (rest && d.registerType(d.operand(next)) == Type::Pred) {
    d.instr.flags |= ignoresFlag;
    return d.setPredicateSrc(0, d.operand(next));
  }
  return !rest || d.addSrc(d.operand(next), 4);
}

void runCommit(Warp &warp, const Instr &, uint32_t mask) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    warp.openGroup[lane] += mask >> lane & 1;
}

void runWaitGroup(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.completeCopies(mask, static_cast<uint32_t>(instr.imm), false);
}
void runWaitAll(Warp &warp, const Instr &, uint32_t mask) {
  warp.completeCopies(mask, 0, true);
}

bool decodeCommit(Decoder &d) {
  d.instr.run = runCommit;
  return d.expectOperands(0);
}
bool decodeWaitGroup(Decoder &d) {
  if (!d.expectOperands(1))
    return false;
  if (d.operand(0).kind != Operand::Integer || d.operand(0).value < 0)
    return d.fail("expected a number of groups");
  d.instr.imm = d.operand(0).value;
  d.instr.run = runWaitGroup;
  return true;
}
bool decodeWaitAll(Decoder &d) {
  d.instr.run = runWaitAll;
  return d.expectOperands(0);
}

} // namespace

void Warp::completeCopies(uint32_t mask, uint32_t keepGroups,
                          bool includeOpen) {
  size_t kept = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    PendingCopy &copy = copies[i];
    uint32_t overwritten = 0;
    for (uint32_t left = copy.mask & mask; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      // Groups before `openGroup` are committed; the newest `keepGroups` of
      // them may stay in flight.
      bool arrives = includeOpen ||
                     copy.group[lane] + uint64_t(keepGroups) < openGroup[lane];
      if (!arrives)
        continue;
      copy.mask &= ~(1u << lane);
      uint32_t address = copy.destination[lane];
      uint8_t *destination = block.shared.at(address);
      uint32_t count = copy.sourceBytes[lane];
      if (count == 16 && !worker.isChecked) {
        std::memcpy(destination, copy.source[lane], 16);
        continue;
      }
      if (count) {
        if (worker.isChecked &&
            std::memcmp(copy.issued[lane].data(), copy.source[lane], count))
          overwritten |= 1u << lane;
        std::memcpy(destination, copy.source[lane], count);
      }
      std::memset(destination + count, 0, copy.bytes - count);
      if (worker.isChecked)
        block.shared.endCopy(address, copy.bytes, sharedAccess(*this, lane));
    }
    if (overwritten)
      report(FindingKind::MissingAsyncWait, *copy.instr, overwritten,
             copy.destination[__builtin_ctz(overwritten)],
             "the source of the copy changes before the copy has been waited "
             "for");
    if (copy.mask) {
      if (kept != i)
        copies[kept] = copy;
      ++kept;
    }
  }
  copies.resize(kept);
}

std::vector<Landing> Warp::takeCopies(uint32_t lane) {
  std::vector<Landing> landings;
  for (PendingCopy &copy : copies) {
    if (!(copy.mask >> lane & 1))
      continue;
    copy.mask &= ~(1u << lane);
    uint32_t address = copy.destination[lane], count = copy.sourceBytes[lane];
    if (count)
      landings.push_back({&block, address, count, copy.source[lane]});
    if (count < copy.bytes)
      landings.push_back(
          {&block, address + count, copy.bytes - count, nullptr});
  }
  return landings;
}

std::vector<OpcodeRow> asyncOpcodes() {
  return {
      {"cp.async(.ca|.cg)(.shared|.shared::cta).global(.L2::cache_hint)?"
       "(.L2::64B|.L2::128B|.L2::256B)?",
       OpClass::AsyncCopy, decodeCopy},
      {"cp.async.commit_group", OpClass::Sync, decodeCommit},
      {"cp.async.wait_group", OpClass::Sync, decodeWaitGroup},
      {"cp.async.wait_all", OpClass::Sync, decodeWaitAll},
  };
}

} // namespace goat::ptxsim
