//===- ExecWarp.cpp - exchange between the lanes of a warp ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shfl, vote, match, redux, activemask, elect. Lanes that a member mask names
// but that do not take part are reported.
//
//===----------------------------------------------------------------------===//

#include "Extremum.h"
#include "Launch.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

/// The lanes each lane works with: its member mask, as far as they are active.
void readMembers(Warp &warp, const Instr &instr, uint32_t slot, uint32_t mask,
                 uint32_t (&members)[warpSize]) {
  const uint32_t *masks = warp.lanes<uint32_t>(slot);
  uint32_t missing = 0, strangers = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    bool isActive = mask >> lane & 1;
    members[lane] = isActive ? masks[lane] & mask : 0;
    if (!isActive)
      continue;
    missing |= masks[lane] & ~mask;
    strangers |= masks[lane] >> lane & 1 ? 0 : 1u << lane;
  }
  missing &= warp.existing & ~warp.exited;
  if (missing)
    warp.report(FindingKind::InactiveLane, instr, missing, 0,
                "the member mask names lanes that do not execute this "
                "instruction");
  if (strangers)
    warp.report(FindingKind::InactiveLane, instr, strangers, 0,
                "lanes execute this instruction that their member mask does "
                "not name");
}

enum class ShuffleMode : uint32_t { Up, Down, Butterfly, Index };

void runShuffle(Warp &warp, const Instr &instr, uint32_t mask) {
  ShuffleMode mode = static_cast<ShuffleMode>(instr.flags);
  const uint32_t *source = instr.op + instr.numDst;
  // The value comes last: it may be undefined, and so is the result then.
  const uint32_t *b = warp.lanes<uint32_t>(source[0]);
  const uint32_t *c = warp.lanes<uint32_t>(source[1]);
  const uint32_t *value = warp.lanes<uint32_t>(source[3]);
  uint32_t members[warpSize];
  readMembers(warp, instr, source[2], mask, members);
  uint32_t result[warpSize] = {}, valueWritten = warp.written[source[3]];
  uint32_t defined = 0;
  uint32_t inRange = 0, fromInactive = 0, fromStranger = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint32_t bValue = b[lane] & 31, clamp = c[lane] & 31;
    uint32_t segment = c[lane] >> 8 & 31;
    uint32_t maxLane = (lane & segment) | (clamp & ~segment);
    uint32_t minLane = lane & segment;
    int32_t from = 0;
    bool isInside = false;
    switch (mode) {
    case ShuffleMode::Up:
      from = static_cast<int32_t>(lane) - static_cast<int32_t>(bValue);
      isInside = from >= static_cast<int32_t>(maxLane);
      break;
    case ShuffleMode::Down:
      from = static_cast<int32_t>(lane + bValue);
      isInside = from <= static_cast<int32_t>(maxLane);
      break;
    case ShuffleMode::Butterfly:
      from = static_cast<int32_t>(lane ^ bValue);
      isInside = from <= static_cast<int32_t>(maxLane);
      break;
    case ShuffleMode::Index:
      from = static_cast<int32_t>(minLane | (bValue & ~segment));
      isInside = from <= static_cast<int32_t>(maxLane);
      break;
    }
    if (!isInside)
      from = static_cast<int32_t>(lane);
    inRange |= static_cast<uint32_t>(isInside) << lane;
    if (!(mask >> from & 1))
      fromInactive |= 1u << lane;
    else if (!(members[lane] >> from & 1))
      fromStranger |= 1u << lane;
    result[lane] = value[from];
    bool isDefined = (valueWritten | ~mask) >> from & 1;
    defined |= static_cast<uint32_t>(isDefined) << lane;
  }
  if (fromInactive)
    warp.report(FindingKind::InactiveLane, instr, fromInactive, 0,
                "reads from a lane that does not execute this instruction");
  if (fromStranger)
    warp.report(FindingKind::InactiveLane, instr, fromStranger, 0,
                "reads from a lane that its member mask does not name");
  warp.store<uint32_t>(instr.op[0], result, mask);
  warp.storePredicate(instr.predicateDst[0], inRange, mask);
  uint32_t &written = warp.written[instr.op[0]];
  written = (written & ~mask) | (defined & mask);
}

bool decodeShuffle(Decoder &d) {
  d.instr.run = runShuffle;
  d.instr.flags = static_cast<uint32_t>(d.has("up")     ? ShuffleMode::Up
                                        : d.has("down") ? ShuffleMode::Down
                                        : d.has("bfly") ? ShuffleMode::Butterfly
                                                        : ShuffleMode::Index);
  if (!d.expectOperands(5))
    return false;
  const Operand &dst = d.operand(0);
  if (dst.kind == Operand::Pair) {
    if (!d.addDst(dst.elements[0], 4) || !d.setPredicateDst(0, dst.elements[1]))
      return false;
  } else if (!d.addDst(dst, 4)) {
    return false;
  }
  d.instr.propagates = true;
  for (size_t i : {2, 3, 4})
    if (!d.addSrc(d.operand(i), 4))
      return false;
  return d.addSrc(d.operand(1), 4, false, false);
}

void runVote(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t members[warpSize];
  readMembers(warp, instr, instr.op[instr.numDst], mask, members);
  uint32_t bits = warp.readPredicate(instr, instr.predicateSrc[0], mask);
  uint32_t ballot[warpSize];
  uint32_t truth = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint32_t set = bits & members[lane];
    ballot[lane] = set;
    bool isTrue = instr.flags == 'l'   ? set == members[lane]
                  : instr.flags == 'n' ? set != 0
                                       : set == 0 || set == members[lane];
    truth |= static_cast<uint32_t>(isTrue) << lane;
  }
  if (instr.flags == 'b')
    warp.store<uint32_t>(instr.op[0], ballot, mask);
  else
    warp.storePredicate(instr.predicateDst[0], truth, mask);
}

bool decodeVote(Decoder &d) {
  d.instr.run = runVote;
  d.instr.flags = d.has("all")   ? 'l'
                  : d.has("any") ? 'n'
                  : d.has("uni") ? 'u'
                                 : 'b';
  if (!d.expectOperands(3))
    return false;
  if (d.instr.flags == 'b' ? !d.addDst(d.operand(0), 4)
                           : !d.setPredicateDst(0, d.operand(0)))
    return false;
  return d.setPredicateSrc(0, d.operand(1)) && d.addSrc(d.operand(2), 4);
}

template <typename T>
void runMatch(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *source = instr.op + instr.numDst;
  const T *value = warp.lanes<T>(source[0]);
  uint32_t members[warpSize];
  readMembers(warp, instr, source[1], mask, members);
  uint32_t result[warpSize] = {};
  uint32_t allEqual = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint32_t equal = 0;
    for (uint32_t rest = members[lane]; rest; rest &= rest - 1) {
      unsigned other = static_cast<unsigned>(__builtin_ctz(rest));
      equal |= static_cast<uint32_t>(value[other] == value[lane]) << other;
    }
    bool isAll = equal == members[lane];
    allEqual |= static_cast<uint32_t>(isAll) << lane;
    result[lane] = instr.flags == 'n' ? equal : isAll ? equal : 0;
  }
  warp.store<uint32_t>(instr.op[0], result, mask);
  warp.storePredicate(instr.predicateDst[0], allEqual, mask);
}

bool decodeMatch(Decoder &d) {
  unsigned bytes = bitWidth(d.type()) / 8;
  d.instr.run = bytes == 4 ? runMatch<uint32_t> : runMatch<uint64_t>;
  d.instr.flags = d.has("any") ? 'n' : 'l';
  if (!d.expectOperands(3))
    return false;
  const Operand &dst = d.operand(0);
  if (dst.kind == Operand::Pair) {
    if (!d.addDst(dst.elements[0], 4) || !d.setPredicateDst(0, dst.elements[1]))
      return false;
  } else if (!d.addDst(dst, 4)) {
    return false;
  }
  return d.addSrc(d.operand(1), bytes) && d.addSrc(d.operand(2), 4);
}

void runReduce(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *source = instr.op + instr.numDst;
  const uint32_t *value = warp.lanes<uint32_t>(source[0]);
  bool isSignedType = instr.imm;
  uint32_t members[warpSize];
  readMembers(warp, instr, source[1], mask, members);
  uint32_t result[warpSize] = {};
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    bool isFirst = true;
    uint32_t sum = 0;
    for (uint32_t rest = members[lane]; rest; rest &= rest - 1) {
      uint32_t other = value[__builtin_ctz(rest)];
      if (isFirst) {
        sum = other;
        isFirst = false;
        continue;
      }
      bool isLess =
          isSignedType ? static_cast<int32_t>(other) < static_cast<int32_t>(sum)
                       : other < sum;
      switch (instr.flags) {
      case 'a':
        sum += other;
        break;
      case 'm':
        sum = isLess ? other : sum;
        break;
      case 'M':
        sum = isLess ? sum : other;
        break;
      case '&':
        sum &= other;
        break;
      case '|':
        sum |= other;
        break;
      case '^':
        sum ^= other;
        break;
      }
    }
    result[lane] = sum;
  }
  warp.store<uint32_t>(instr.op[0], result, mask);
}

bool decodeReduce(Decoder &d) {
  d.instr.run = runReduce;
  d.instr.imm = d.type() == Type::S32;
  d.instr.flags = d.has("add")   ? 'a'
                  : d.has("min") ? 'm'
                  : d.has("max") ? 'M'
                  : d.has("and") ? '&'
                  : d.has("or")  ? '|'
                                 : '^';
  return d.expectOperands(3) && d.addDst(d.operand(0), 4) &&
         d.addSrc(d.operand(1), 4) && d.addSrc(d.operand(2), 4);
}

/// min or max of fp32, of the magnitudes with Abs. NaN is passed over unless
/// PropagatesNaN; where all are NaN the result is the canonical one.
template <bool IsMax, bool Abs, bool PropagatesNaN>
void runReduceFloat(Warp &warp, const Instr &instr, uint32_t mask) {
  const float *value = warp.lanes<float>(instr.op[1]);
  uint32_t members[warpSize];
  readMembers(warp, instr, instr.op[2], mask, members);
  float result[warpSize] = {};
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    // Starting from the first member changes nothing but makes NaN canonical.
    float extreme = bitCast<float>(0x7fffffffu);
    bool isFirst = true;
    for (uint32_t rest = members[lane]; rest; rest &= rest - 1) {
      float next = value[__builtin_ctz(rest)];
      if (Abs)
        next = std::fabs(next);
      extreme = extremum<IsMax, PropagatesNaN>(isFirst ? next : extreme, next);
      isFirst = false;
    }
    result[lane] = extreme;
  }
  warp.store<float>(instr.op[0], result, mask);
}

bool decodeReduceFloat(Decoder &d) {
  static constexpr Handler handlers[] = {
      runReduceFloat<false, false, false>, runReduceFloat<true, false, false>,
      runReduceFloat<false, true, false>,  runReduceFloat<true, true, false>,
      runReduceFloat<false, false, true>,  runReduceFloat<true, false, true>,
      runReduceFloat<false, true, true>,   runReduceFloat<true, true, true>};
  d.instr.run = handlers[d.has("max") + 2 * d.has("abs") + 4 * d.has("NaN")];
  return d.expectOperands(3) && d.addDst(d.operand(0), 4) &&
         d.addSrc(d.operand(1), 4) && d.addSrc(d.operand(2), 4);
}

void runActiveMask(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t result[warpSize];
  std::fill(result, result + warpSize, mask);
  warp.store<uint32_t>(instr.op[0], result, mask);
}

bool decodeActiveMask(Decoder &d) {
  d.instr.run = runActiveMask;
  return d.expectOperands(1) && d.addDst(d.operand(0), 4);
}

/// Which of `members` leads. The ISA leaves it open, but the same mask has the
/// same leader every time; without a seed it is the lowest lane.
unsigned leaderOf(uint32_t members, uint64_t seed) {
  uint64_t x = seed * 0x9E3779B97F4A7C15ull ^ members;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  unsigned skipped = 0;
  if (seed)
    skipped = static_cast<unsigned>(
        (x >> 32) % static_cast<unsigned>(__builtin_popcount(members)));
  for (; skipped; --skipped)
    members &= members - 1;
  return static_cast<unsigned>(__builtin_ctz(members));
}

void runElect(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t seed = warp.worker.launch.config.seed;
  uint32_t members[warpSize];
  readMembers(warp, instr, instr.op[1], mask, members);
  uint32_t leaders[warpSize] = {};
  uint32_t elected = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    leaders[lane] = members[lane] ? leaderOf(members[lane], seed) : lane;
    elected |= static_cast<uint32_t>(leaders[lane] == lane) << lane;
  }
  warp.store<uint32_t>(instr.op[0], leaders, mask);
  warp.storePredicate(instr.predicateDst[0], elected, mask);
}

bool decodeElect(Decoder &d) {
  d.instr.run = runElect;
  if (!d.expectOperands(2))
    return false;
  const Operand &dst = d.operand(0);
  if (dst.kind != Operand::Pair)
    return d.fail("expected a register and a predicate as destination");
  return d.addDst(dst.elements[0], 4) &&
         d.setPredicateDst(0, dst.elements[1]) && d.addSrc(d.operand(1), 4);
}

} // namespace

std::vector<OpcodeRow> warpOpcodes() {
  constexpr OpClass c = OpClass::Shuffle;
  return {
      {"shfl.sync(.up|.down|.bfly|.idx).b32", c, decodeShuffle},
      {"vote.sync(.all|.any|.uni).pred", c, decodeVote},
      {"vote.sync.ballot.b32", c, decodeVote},
      {"match.any.sync(.b32|.b64)", c, decodeMatch},
      {"match.all.sync(.b32|.b64)", c, decodeMatch},
      {"redux.sync(.add|.min|.max)(.u32|.s32)", c, decodeReduce},
      {"redux.sync(.and|.or|.xor).b32", c, decodeReduce},
      {"redux.sync(.min|.max)(.abs)?(.NaN)?.f32", c, decodeReduceFloat},
      {"activemask.b32", c, decodeActiveMask},
      {"elect.sync", c, decodeElect},
  };
}

} // namespace goat::ptxsim
