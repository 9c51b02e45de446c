//===- ExecMove.cpp - moves and address conversions -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mov with its packing forms, cvta, isspacep. A move of an undefined register
// is no error, it makes the destination undefined: compilers emit such moves
// for values that no path uses. Parts of a packed register stay defined, each
// on its own, until they are taken out again.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"
#include "Cluster.h"
#include "MemoryImpl.h"

namespace goat::ptxsim {

namespace {

void propagate(Warp &warp, uint32_t dst, uint32_t defined, uint32_t mask) {
  warp.written[dst] = (warp.written[dst] & ~mask) | (defined & mask);
}

/// Lanes in which part `k` of `count` of a register was written.
uint32_t definedPart(const Warp &warp, uint32_t slot, size_t k, size_t count) {
  const auto &packed = warp.frames.back()->packedParts;
  auto found = packed.find(slot);
  if (found == packed.end() || found->second.size() != count)
    return warp.written[slot];
  return warp.written[slot] | found->second[k];
}

/// Packs are of registers that are all written, but for a few.
void propagateParts(Warp &warp, const Instr &instr, size_t count,
                    uint32_t mask) {
  uint32_t defined = allLanes;
  for (size_t k = 0; k < count; ++k)
    defined &= warp.written[instr.op[1 + k]];
  propagate(warp, instr.op[0], defined, mask);
  auto &packed = warp.frames.back()->packedParts;
  if (!(mask & ~defined)) {
    if (!packed.empty())
      packed.erase(instr.op[0]);
    return;
  }
  std::vector<uint32_t> &parts = packed[instr.op[0]];
  parts.resize(count);
  for (size_t k = 0; k < count; ++k)
    parts[k] = (parts[k] & ~mask) | (warp.written[instr.op[1 + k]] & mask);
}

/// A copy is defined as its source is, part by part.
void propagateCopy(Warp &warp, uint32_t dst, uint32_t src, uint32_t mask) {
  auto &packed = warp.frames.back()->packedParts;
  auto from = packed.find(src), to = packed.find(dst);
  std::vector<uint32_t> parts;
  if (from != packed.end())
    parts.resize(from->second.size());
  else if (to != packed.end())
    parts.resize(to->second.size());
  for (size_t k = 0; k < parts.size(); ++k)
    parts[k] = (definedPart(warp, dst, k, parts.size()) & ~mask) |
               (definedPart(warp, src, k, parts.size()) & mask);
  propagate(warp, dst, warp.written[src], mask);
  if (!parts.empty())
    packed[dst] = std::move(parts);
}

template <typename T>
void runMove(Warp &warp, const Instr &instr, uint32_t mask) {
  T values[warpSize];
  std::memcpy(values, warp.lanes<T>(instr.op[1]), sizeof(values));
  warp.store<T>(instr.op[0], values, mask);
  propagateCopy(warp, instr.op[0], instr.op[1], mask);
}

struct B128 {
  uint64_t words[2];
};

/// `mov.b32 d, {a, b}`: Part is an element, Whole the register.
template <typename Part, typename Whole>
void runPack(Warp &warp, const Instr &instr, uint32_t mask) {
  constexpr unsigned count = sizeof(Whole) / sizeof(Part);
  Whole values[warpSize];
  for (unsigned k = 0; k < count; ++k) {
    const Part *part = warp.lanes<Part>(instr.op[1 + k]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      reinterpret_cast<Part *>(&values[lane])[k] = part[lane];
  }
  propagateParts(warp, instr, count, mask);
  warp.store<Whole>(instr.op[0], values, mask);
}

template <typename Part, typename Whole>
void runUnpack(Warp &warp, const Instr &instr, uint32_t mask) {
  constexpr unsigned count = sizeof(Whole) / sizeof(Part);
  Whole values[warpSize];
  uint32_t source = instr.op[count];
  std::memcpy(values, warp.lanes<Whole>(source), sizeof(values));
  uint32_t defined[count];
  for (unsigned k = 0; k < count; ++k)
    defined[k] = definedPart(warp, source, k, count);
  for (unsigned k = 0; k < count; ++k) {
    Part part[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      part[lane] = reinterpret_cast<const Part *>(&values[lane])[k];
    warp.store<Part>(instr.op[k], part, mask);
    propagate(warp, instr.op[k], defined[k], mask);
  }
}

/// The same for parts of 8 bits, whose registers have 16.
template <typename Whole>
void runPackBytes(Warp &warp, const Instr &instr, uint32_t mask) {
  Whole values[warpSize] = {};
  for (unsigned k = 0; k < sizeof(Whole); ++k) {
    const uint16_t *part = warp.lanes<uint16_t>(instr.op[1 + k]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      values[lane] |= static_cast<Whole>(Whole(part[lane] & 0xff) << 8 * k);
  }
  propagateParts(warp, instr, sizeof(Whole), mask);
  warp.store<Whole>(instr.op[0], values, mask);
}

template <typename Whole>
void runUnpackBytes(Warp &warp, const Instr &instr, uint32_t mask) {
  Whole values[warpSize];
  uint32_t source = instr.op[sizeof(Whole)];
  std::memcpy(values, warp.lanes<Whole>(source), sizeof(values));
  uint32_t defined[sizeof(Whole)];
  for (unsigned k = 0; k < sizeof(Whole); ++k)
    defined[k] = definedPart(warp, source, k, sizeof(Whole));
  for (unsigned k = 0; k < sizeof(Whole); ++k) {
    uint16_t part[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      part[lane] = values[lane] >> 8 * k & 0xff;
    warp.store<uint16_t>(instr.op[k], part, mask);
    propagate(warp, instr.op[k], defined[k], mask);
  }
}

/// %clock and %globaltimer count the instructions this warp has executed.
template <typename T, unsigned Shift = 0>
void runClock(Warp &warp, const Instr &instr, uint32_t mask) {
  T values[warpSize];
  for (T &value : values)
    value = static_cast<T>(warp.issued >> Shift);
  warp.store<T>(instr.op[0], values, mask);
}

Handler packHandler(unsigned wholeBytes, size_t count, bool isPack) {
  switch (wholeBytes << 8 | count) {
  case 2 << 8 | 2:
    return isPack ? runPackBytes<uint16_t> : runUnpackBytes<uint16_t>;
  case 4 << 8 | 4:
    return isPack ? runPackBytes<uint32_t> : runUnpackBytes<uint32_t>;
  case 4 << 8 | 2:
    return isPack ? runPack<uint16_t, uint32_t> : runUnpack<uint16_t, uint32_t>;
  case 8 << 8 | 2:
    return isPack ? runPack<uint32_t, uint64_t> : runUnpack<uint32_t, uint64_t>;
  case 8 << 8 | 4:
    return isPack ? runPack<uint16_t, uint64_t> : runUnpack<uint16_t, uint64_t>;
  case 16 << 8 | 2:
    return isPack ? runPack<uint64_t, B128> : runUnpack<uint64_t, B128>;
  case 16 << 8 | 4:
    return isPack ? runPack<uint32_t, B128> : runUnpack<uint32_t, B128>;
  }
  return nullptr;
}

bool decodeMove(Decoder &d) {
  unsigned bytes = bitWidth(d.type()) / 8;
  d.instr.propagates = true;
  if (!d.expectOperands(2))
    return false;
  const Operand &dst = d.operand(0), &src = d.operand(1);
  if (src.kind == Operand::Vector || dst.kind == Operand::Vector) {
    const Operand &parts = src.kind == Operand::Vector ? src : dst;
    size_t count = parts.elements.size();
    d.instr.run = packHandler(bytes, count, src.kind == Operand::Vector);
    if (!d.instr.run)
      return d.fail("expected a vector of 2 or 4 registers that together have "
                    "the width of the type");
    unsigned partBytes = bytes / static_cast<unsigned>(count);
    if (src.kind == Operand::Vector) {
      if (!d.addDst(dst, bytes))
        return false;
      for (const Operand &element : src.elements)
        if (!d.addSrc(element, partBytes, false, false))
          return false;
      return true;
    }
    for (const Operand &element : dst.elements)
      if (!d.addDst(element, partBytes))
        return false;
    return d.addSrc(src, bytes, false, false);
  }
  // The clocks come last.
  if (src.kind == Operand::Special &&
      src.index >= unsigned(SpecialRegister::Clock)) {
    bool isHigh = src.index == unsigned(SpecialRegister::ClockHi) ||
                  src.index == unsigned(SpecialRegister::GlobalTimerHi);
    d.instr.propagates = false;
    d.instr.run = bytes == 8 ? runClock<uint64_t>
                  : isHigh   ? runClock<uint32_t, 32>
                             : runClock<uint32_t>;
    return d.addDst(dst, bytes);
  }
  d.instr.run = bytes == 2   ? runMove<uint16_t>
                : bytes == 4 ? runMove<uint32_t>
                : bytes == 8 ? runMove<uint64_t>
                             : runMove<B128>;
  return d.addDst(dst, bytes) && d.addSrc(src, bytes, false, false);
}

template <typename T>
void runOffset(Warp &warp, const Instr &instr, uint32_t mask) {
  const T *source = warp.lanes<T>(instr.op[1]);
  T values[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    values[lane] = source[lane] + static_cast<T>(instr.imm);
  warp.store<T>(instr.op[0], values, mask);
}

uint64_t windowOf(const Decoder &d) {
  return d.has("shared") || d.has("shared::cta") || d.has("shared::cluster")
             ? sharedWindow
         : d.has("local")                          ? localWindow
         : d.has("param") || d.has("param::entry") ? paramWindow
                                                   : 0;
}

bool decodeConvertAddress(Decoder &d) {
  bool isTo = d.has("to");
  d.instr.imm = static_cast<int64_t>(windowOf(d));
  if (isTo)
    d.instr.imm = -d.instr.imm;
  d.instr.run = runOffset<uint64_t>;
  return d.expectOperands(2) && d.addDst(d.operand(0), 8) &&
         d.addSrc(d.operand(1), 8);
}

void runIsSpace(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *address = warp.lanes<uint64_t>(instr.op[0]);
  uint64_t window = static_cast<uint64_t>(instr.imm);
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    // The own block's shared memory is a part of the cluster's window.
    bool isInside =
        window == sharedWindow && !instr.flags
            ? (address[lane] - window) >> rankShift == warp.block.rank
        : window ? address[lane] - window < windowBytes
                 : address[lane] >= firstGlobalAddress;
    bits |= static_cast<uint32_t>(isInside) << lane;
  }
  warp.storePredicate(instr.predicateDst[0], bits, mask);
}

bool decodeIsSpace(Decoder &d) {
  d.instr.imm = static_cast<int64_t>(windowOf(d));
  d.instr.flags = d.has("shared::cluster");
  d.instr.run = runIsSpace;
  return d.expectOperands(2) && d.setPredicateDst(0, d.operand(0)) &&
         d.addSrc(d.operand(1), 8);
}

/// Cache policies have no effect here: the policy is a number nobody reads.
bool decodeCreatePolicy(Decoder &d) {
  d.instr.run = runMove<uint64_t>;
  d.instr.propagates = true;
  Operand zero;
  zero.kind = Operand::Integer;
  return d.addDst(d.operand(0), 8) && d.addSrc(zero, 8, false, false);
}

} // namespace

std::vector<OpcodeRow> moveOpcodes() {
  constexpr OpClass c = OpClass::Move;
  return {
      {"mov(.b16|.b32|.b64|.b128|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64)", c,
       decodeMove},
      {"cvta(.to)?(.global|.const|.shared|.shared::cta|.shared::cluster|.local|"
       ".param|"
       ".param::entry).u64",
       OpClass::Integer, decodeConvertAddress},
      {"isspacep(.global|.shared|.shared::cta|.shared::cluster|.local|.param|."
       "param::entry)",
       OpClass::Integer, decodeIsSpace},
      {"createpolicy.cvt.L2.b64", c, decodeCreatePolicy},
      {"createpolicy.range(.global)?(.L2::evict_last|.L2::evict_normal|"
       ".L2::evict_first|.L2::evict_unchanged)(.L2::evict_first|"
       ".L2::evict_unchanged)?.b64",
       c, decodeCreatePolicy},
      {"createpolicy.fractional(.L2::evict_last|.L2::evict_normal|"
       ".L2::evict_first|.L2::evict_unchanged)(.L2::evict_first|"
       ".L2::evict_unchanged)?.b64",
       c, decodeCreatePolicy},
  };
}

} // namespace goat::ptxsim
