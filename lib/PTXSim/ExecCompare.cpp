//===- ExecCompare.cpp - comparisons and selections -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setp, set, selp and slct with every comparison, ordered and unordered, and
// the combination with a second predicate.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

#include <type_traits>

namespace goat::ptxsim {

namespace {

enum Comparison : uint32_t { Eq, Ne, Lt, Le, Gt, Ge, Num, Nan };
constexpr uint32_t unorderedFlag = 8;
enum Combination : uint32_t { CombineNone, CombineAnd, CombineOr, CombineXor };

template <typename T, Comparison Cmp, bool Unordered>
uint32_t compareLanes(const T *a, const T *b) {
  uint8_t truth[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    T x = a[lane], y = b[lane];
    bool result = false;
    switch (Cmp) {
    case Eq:
      result = x == y;
      break;
    case Ne:
      // Ordered: two numbers that differ.
      result = x < y || x > y;
      break;
    case Lt:
      result = x < y;
      break;
    case Le:
      result = x <= y;
      break;
    case Gt:
      result = x > y;
      break;
    case Ge:
      result = x >= y;
      break;
    case Num:
      result = x == x && y == y;
      break;
    case Nan:
      result = x != x || y != y;
      break;
    }
    if (Unordered)
      result |= x != x || y != y;
    truth[lane] = result;
  }
  uint32_t bits = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    // Gather the low bits of eight bytes with one multiplication.
    uint64_t eight;
    std::memcpy(&eight, truth + 8 * byte, 8);
    bits |= static_cast<uint32_t>(eight * 0x0102040810204080ull >> 56)
            << 8 * byte;
  }
  return bits;
}

template <typename T, bool Unordered>
uint32_t compare(uint32_t cmp, const T *a, const T *b) {
  switch (cmp) {
  case Eq:
    return compareLanes<T, Eq, Unordered>(a, b);
  case Ne:
    return compareLanes<T, Ne, Unordered>(a, b);
  case Lt:
    return compareLanes<T, Lt, Unordered>(a, b);
  case Le:
    return compareLanes<T, Le, Unordered>(a, b);
  case Gt:
    return compareLanes<T, Gt, Unordered>(a, b);
  case Ge:
    return compareLanes<T, Ge, Unordered>(a, b);
  case Num:
    return compareLanes<T, Num, Unordered>(a, b);
  default:
    return compareLanes<T, Nan, Unordered>(a, b);
  }
}

constexpr uint32_t flushFlag = 16;

/// Half formats are compared as fp32, to which they widen exactly.
uint32_t compareHalves(Warp &warp, const Instr &instr, unsigned shift,
                       bool isBf16) {
  float a[warpSize], b[warpSize];
  bool isPacked = instr.imm & 2;
  auto load = [&](uint32_t slot, float *out) {
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint16_t bits =
          isPacked
              ? static_cast<uint16_t>(warp.lanes<uint32_t>(slot)[lane] >> shift)
              : warp.lanes<uint16_t>(slot)[lane];
      out[lane] = isBf16 ? bf16ToFloat(bits) : halfToFloat(bits);
      if ((instr.flags & flushFlag) && std::fabs(out[lane]) < 0x1p-14f)
        out[lane] = std::copysign(0.0f, out[lane]);
    }
  };
  load(instr.op[instr.numDst], a);
  load(instr.op[instr.numDst + 1], b);
  uint32_t cmp = instr.flags & 7;
  return instr.flags & unorderedFlag ? compare<float, true>(cmp, a, b)
                                     : compare<float, false>(cmp, a, b);
}

template <typename T>
uint32_t compareRegisters(Warp &warp, const Instr &instr) {
  const T *a = warp.lanes<T>(instr.op[instr.numDst]);
  const T *b = warp.lanes<T>(instr.op[instr.numDst + 1]);
  uint32_t cmp = instr.flags & 7;
  if constexpr (std::is_same_v<T, float>) {
    if (instr.flags & flushFlag) {
      float x[warpSize], y[warpSize];
      for (unsigned lane = 0; lane < warpSize; ++lane) {
        x[lane] = flush(a[lane]);
        y[lane] = flush(b[lane]);
      }
      return instr.flags & unorderedFlag ? compare<T, true>(cmp, x, y)
                                         : compare<T, false>(cmp, x, y);
    }
  }
  if constexpr (std::is_floating_point_v<T>)
    if (instr.flags & unorderedFlag)
      return compare<T, true>(cmp, a, b);
  return compare<T, false>(cmp, a, b);
}

using CompareFn = uint32_t (*)(Warp &, const Instr &);

template <bool IsBf16> uint32_t compareHalf(Warp &warp, const Instr &instr) {
  return compareHalves(warp, instr, 0, IsBf16);
}

uint32_t combine(Warp &warp, const Instr &instr, uint32_t bits, uint32_t mask) {
  uint32_t how = instr.flags >> 8 & 3;
  if (how == CombineNone)
    return bits;
  uint32_t other = warp.readPredicate(instr, instr.predicateSrc[0], mask);
  return how == CombineAnd  ? bits & other
         : how == CombineOr ? bits | other
                            : bits ^ other;
}

template <CompareFn Compare>
void runSetp(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t bits = Compare(warp, instr);
  uint32_t first = combine(warp, instr, bits, mask);
  uint32_t second = instr.predicateDst[1] == noPredicate
                        ? 0
                        : combine(warp, instr, ~bits, mask);
  warp.storePredicate(instr.predicateDst[0], first, mask);
  warp.storePredicate(instr.predicateDst[1], second, mask);
}

/// setp on packed halves gives one predicate for each half.
template <bool IsBf16>
void runSetpPacked(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t low =
      combine(warp, instr, compareHalves(warp, instr, 0, IsBf16), mask);
  uint32_t high =
      combine(warp, instr, compareHalves(warp, instr, 16, IsBf16), mask);
  warp.storePredicate(instr.predicateDst[0], low, mask);
  warp.storePredicate(instr.predicateDst[1], high, mask);
}

template <CompareFn Compare>
void runSet(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t bits = combine(warp, instr, Compare(warp, instr), mask);
  uint32_t isTrue = instr.imm & 1 ? 0x3f800000u : ~0u;
  uint32_t result[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] = bits >> lane & 1 ? isTrue : 0;
  warp.store<uint32_t>(instr.op[0], result, mask);
}

/// The same with a result of 16 bits.
template <CompareFn Compare>
void runSetNarrow(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t bits = combine(warp, instr, Compare(warp, instr), mask);
  uint16_t isTrue = !(instr.imm & 1) ? 0xffff : instr.imm & 4 ? 0x3f80 : 0x3c00;
  uint16_t result[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] = bits >> lane & 1 ? isTrue : 0;
  warp.store<uint16_t>(instr.op[0], result, mask);
}

template <bool IsBf16>
void runSetPacked(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t low =
      combine(warp, instr, compareHalves(warp, instr, 0, IsBf16), mask);
  uint32_t high =
      combine(warp, instr, compareHalves(warp, instr, 16, IsBf16), mask);
  uint32_t one = !(instr.imm & 1) ? 0xffffu : IsBf16 ? 0x3f80u : 0x3c00u;
  uint32_t result[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] =
        (low >> lane & 1 ? one : 0) | (high >> lane & 1 ? one << 16 : 0);
  warp.store<uint32_t>(instr.op[0], result, mask);
}

struct CompareRow {
  Type type;
  Handler setp;
  Handler set;
};
template <typename T> CompareRow compareRow(Type type) {
  return {type, runSetp<compareRegisters<T>>, runSet<compareRegisters<T>>};
}

bool decodeCompare(Decoder &d) {
  d.instr.isPure = true;
  static const CompareRow rows[] = {
      compareRow<uint16_t>(Type::B16),
      compareRow<uint16_t>(Type::U16),
      compareRow<int16_t>(Type::S16),
      compareRow<uint32_t>(Type::B32),
      compareRow<uint32_t>(Type::U32),
      compareRow<int32_t>(Type::S32),
      compareRow<uint64_t>(Type::B64),
      compareRow<uint64_t>(Type::U64),
      compareRow<int64_t>(Type::S64),
      compareRow<float>(Type::F32),
      compareRow<double>(Type::F64),
      {Type::F16, runSetp<compareHalf<false>>, runSet<compareHalf<false>>},
      {Type::BF16, runSetp<compareHalf<true>>, runSet<compareHalf<true>>},
      {Type::F16x2, runSetpPacked<false>, runSetPacked<false>},
      {Type::BF16x2, runSetpPacked<true>, runSetPacked<true>},
  };
  struct Name {
    std::string_view name;
    uint32_t flags;
  };
  static constexpr Name names[] = {{"eq", Eq},
                                   {"ne", Ne},
                                   {"lt", Lt},
                                   {"le", Le},
                                   {"gt", Gt},
                                   {"ge", Ge},
                                   {"lo", Lt},
                                   {"ls", Le},
                                   {"hi", Gt},
                                   {"hs", Ge},
                                   {"num", Num},
                                   {"nan", Nan},
                                   {"equ", Eq | unorderedFlag},
                                   {"neu", Ne | unorderedFlag},
                                   {"ltu", Lt | unorderedFlag},
                                   {"leu", Le | unorderedFlag},
                                   {"gtu", Gt | unorderedFlag},
                                   {"geu", Ge | unorderedFlag}};
  bool isSetp = d.opcode().substr(0, 4) == "setp";
  Type type = isSetp ? d.type() : d.type(1);
  bool isPacked = type == Type::F16x2 || type == Type::BF16x2;
  for (const Name &row : names)
    if (d.modifiers()[0] == row.name)
      d.instr.flags = row.flags;
  if (d.has("ftz"))
    d.instr.flags |= flushFlag;
  uint32_t combination = d.has("and")   ? CombineAnd
                         : d.has("or")  ? CombineOr
                         : d.has("xor") ? CombineXor
                                        : CombineNone;
  d.instr.flags |= combination << 8;
  Type to = isSetp ? Type::Pred : d.type(0);
  bool isFloat = to == Type::F32 || to == Type::F16 || to == Type::BF16 ||
                 to == Type::F16x2 || to == Type::BF16x2;
  d.instr.imm =
      (isFloat ? 1 : 0) | (isPacked ? 2 : 0) | (to == Type::BF16 ? 4 : 0);
  for (const CompareRow &row : rows)
    if (row.type == type)
      d.instr.run = isSetp ? row.setp : row.set;
  bool isNarrow = !isSetp && bitWidth(to) == 16;
  if (isNarrow)
    d.instr.run = type == Type::BF16 ? runSetNarrow<compareHalf<true>>
                                     : runSetNarrow<compareHalf<false>>;
  if (!d.expectOperands(combination == CombineNone ? 3 : 4))
    return false;
  unsigned bytes = bitWidth(type) / 8;
  if (isSetp) {
    const Operand &dst = d.operand(0);
    if (dst.kind == Operand::Pair) {
      if (!d.setPredicateDst(0, dst.elements[0]) ||
          !d.setPredicateDst(1, dst.elements[1]))
        return false;
    } else if (!d.setPredicateDst(0, dst)) {
      return false;
    }
  } else if (!d.addDst(d.operand(0), isNarrow ? 2 : 4)) {
    return false;
  }
  return d.addSrc(d.operand(1), bytes) && d.addSrc(d.operand(2), bytes) &&
         (combination == CombineNone || d.setPredicateSrc(0, d.operand(3)));
}

template <typename T>
void runSelp(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t bits = warp.readPredicate(instr, instr.predicateSrc[0], mask);
  const T *a = warp.lanes<T>(instr.op[1]);
  const T *b = warp.lanes<T>(instr.op[2]);
  T result[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] = bits >> lane & 1 ? a[lane] : b[lane];
  warp.store<T>(instr.op[0], result, mask);
  // Only the value that was taken has to be defined.
  uint32_t defined =
      (bits & warp.written[instr.op[1]]) | (~bits & warp.written[instr.op[2]]);
  warp.written[instr.op[0]] =
      (warp.written[instr.op[0]] & ~mask) | (defined & mask);
}

bool decodeSelp(Decoder &d) {
  unsigned bytes = bitWidth(d.type()) / 8;
  d.instr.run = bytes == 2   ? wide<&runSelp<uint16_t>>()
                : bytes == 4 ? wide<&runSelp<uint32_t>>()
                             : wide<&runSelp<uint64_t>>();
  d.instr.propagates = true;
  return d.expectOperands(4) && d.addDst(d.operand(0), bytes) &&
         d.addSrc(d.operand(1), bytes, false, false) &&
         d.addSrc(d.operand(2), bytes, false, false) &&
         d.setPredicateSrc(0, d.operand(3));
}

template <typename T> T slctInt(T a, T b, int32_t c) { return c >= 0 ? a : b; }
template <typename T> T slctFloat(T a, T b, float c) { return c >= 0 ? a : b; }
template <typename T> T slctFtz(T a, T b, float c) {
  return slctFloat(a, b, flush(c));
}

} // namespace

std::vector<OpcodeRow> compareOpcodes() {
  constexpr OpClass c = OpClass::Integer;
#define GOAT_COMBINE "(.and|.or|.xor)?"
#define GOAT_SIGNED "(.eq|.ne|.lt|.le|.gt|.ge)"
#define GOAT_UNSIGNED "(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs)"
#define GOAT_FLOAT                                                             \
  "(.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan)"
  return {
      {"setp(.eq|.ne)" GOAT_COMBINE "(.b16|.b32|.b64)", c, decodeCompare},
      {"setp" GOAT_SIGNED GOAT_COMBINE "(.s16|.s32|.s64)", c, decodeCompare},
      {"setp" GOAT_UNSIGNED GOAT_COMBINE "(.u16|.u32|.u64)", c, decodeCompare},
      {"setp" GOAT_FLOAT GOAT_COMBINE "(.ftz)?(.f32|.f16|.f16x2)", c,
       decodeCompare},
      {"setp" GOAT_FLOAT GOAT_COMBINE "(.f64|.bf16|.bf16x2)", c, decodeCompare},
      {"set(.eq|.ne)" GOAT_COMBINE "(.u32|.s32|.f32)(.b16|.b32|.b64)", c,
       decodeCompare},
      {"set" GOAT_SIGNED GOAT_COMBINE "(.u32|.s32|.f32)(.s16|.s32|.s64)", c,
       decodeCompare},
      {"set" GOAT_UNSIGNED GOAT_COMBINE "(.u32|.s32|.f32)(.u16|.u32|.u64)", c,
       decodeCompare},
      {"set" GOAT_FLOAT GOAT_COMBINE "(.ftz)?(.u32|.s32)(.f32|.f16|.f16x2)", c,
       decodeCompare},
      {"set" GOAT_FLOAT GOAT_COMBINE
       "(.ftz)?(.f32.f32|.f16x2.f16x2|.f16.f16|.u16.f16|.s16.f16)",
       c, decodeCompare},
      {"set" GOAT_FLOAT GOAT_COMBINE "(.bf16.bf16|.u16.bf16|.s16.bf16)", c,
       decodeCompare},
      {"set" GOAT_FLOAT GOAT_COMBINE
       "(.u32.f64|.s32.f64|.f32.f64|.u32.bf16|.s32.bf16|.u32.bf16x2|"
       ".s32.bf16x2|.bf16x2.bf16x2)",
       c, decodeCompare},
      {"selp(.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64)", c,
       decodeSelp},
      alu<&slctInt<uint32_t>>("slct(.b32|.u32|.s32|.f32).s32", c),
      alu<&slctInt<uint64_t>>("slct(.b64|.u64|.s64|.f64).s32", c),
      alu<&slctFloat<uint32_t>>("slct(.b32|.u32|.s32|.f32).f32", c),
      alu<&slctFloat<uint64_t>>("slct(.b64|.u64|.s64|.f64).f32", c),
      alu<&slctFtz<uint32_t>>("slct.ftz(.b32|.u32|.s32|.f32).f32", c),
      alu<&slctFtz<uint64_t>>("slct.ftz(.b64|.u64|.s64|.f64).f32", c),
  };
#undef GOAT_COMBINE
#undef GOAT_SIGNED
#undef GOAT_UNSIGNED
#undef GOAT_FLOAT
}

} // namespace goat::ptxsim
