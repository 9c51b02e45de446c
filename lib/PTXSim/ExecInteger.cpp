//===- ExecInteger.cpp - integer arithmetic -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// add, sub, mul, mad, div, rem, min, max, abs, neg, sad, dp4a, dp2a,
// vabsdiff4 and additions with carry. Signed overflow wraps, so everything is
// computed unsigned.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

#include <type_traits>

namespace goat::ptxsim {

namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

template <typename T> struct Wider;
template <> struct Wider<uint16_t> {
  using type = uint32_t;
};
template <> struct Wider<int16_t> {
  using type = int32_t;
};
template <> struct Wider<uint32_t> {
  using type = uint64_t;
};
template <> struct Wider<int32_t> {
  using type = int64_t;
};
template <> struct Wider<uint64_t> {
  using type = UInt128;
};
template <> struct Wider<int64_t> {
  using type = Int128;
};
template <typename T> using Wide = typename Wider<T>::type;

template <typename T> T add(T a, T b) { return a + b; }
template <typename T> T sub(T a, T b) { return a - b; }
template <typename T> T neg(T a) { return static_cast<T>(0u - Unsigned<T>(a)); }
template <typename T> T absolute(T a) { return a < 0 ? neg(a) : a; }
template <typename T> T minimum(T a, T b) { return a < b ? a : b; }
template <typename T> T maximum(T a, T b) { return a > b ? a : b; }
int32_t minimumRelu(int32_t a, int32_t b) { return maximum(minimum(a, b), 0); }
int32_t maximumRelu(int32_t a, int32_t b) { return maximum(maximum(a, b), 0); }
template <typename T> T mulLo(T a, T b) {
  // 16-bit operands would be promoted to int and could overflow.
  return static_cast<T>(uint64_t(a) * uint64_t(b));
}
template <typename T> T mulHi(T a, T b) {
  return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
}
template <typename T> Wide<T> mulWide(T a, T b) {
  return Wide<T>(a) * Wide<T>(b);
}
template <typename T> T madLo(T a, T b, T c) {
  return static_cast<T>(uint64_t(a) * uint64_t(b) + uint64_t(c));
}
template <typename T> T madHi(T a, T b, T c) {
  return static_cast<T>(Unsigned<T>(mulHi(a, b)) + Unsigned<T>(c));
}
template <typename T> Wide<T> madWide(T a, T b, Wide<T> c) {
  return static_cast<Wide<T>>(Unsigned<Wide<T>>(mulWide(a, b)) +
                              Unsigned<Wide<T>>(c));
}
int32_t addSat(int32_t a, int32_t b) {
  int64_t sum = int64_t(a) + b;
  return sum > INT32_MAX   ? INT32_MAX
         : sum < INT32_MIN ? INT32_MIN
                           : static_cast<int32_t>(sum);
}
int32_t subSat(int32_t a, int32_t b) {
  int64_t difference = int64_t(a) - b;
  return difference > INT32_MAX   ? INT32_MAX
         : difference < INT32_MIN ? INT32_MIN
                                  : static_cast<int32_t>(difference);
}
// A division by zero gives all ones on the hardware; the ISA leaves it open.
template <typename T> T divide(T a, T b) {
  if (b == 0)
    return static_cast<T>(~T(0));
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return neg(a);
  return static_cast<T>(a / b);
}
template <typename T> T remainder(T a, T b) {
  if (b == 0)
    return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return 0;
  return static_cast<T>(a % b);
}
uint32_t low24(uint32_t a) { return a & 0xffffffu; }
int32_t low24s(int32_t a) {
  return static_cast<int32_t>(uint32_t(a) << 8) >> 8;
}
uint32_t mul24LoU(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(uint64_t(low24(a)) * low24(b));
}
int32_t mul24LoS(int32_t a, int32_t b) {
  return static_cast<int32_t>(int64_t(low24s(a)) * low24s(b));
}
uint32_t mul24HiU(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(uint64_t(low24(a)) * low24(b) >> 16);
}
int32_t mul24HiS(int32_t a, int32_t b) {
  return static_cast<int32_t>(int64_t(low24s(a)) * low24s(b) >> 16);
}
uint32_t mad24LoU(uint32_t a, uint32_t b, uint32_t c) {
  return mul24LoU(a, b) + c;
}
int32_t mad24LoS(int32_t a, int32_t b, int32_t c) {
  return static_cast<int32_t>(uint32_t(mul24LoS(a, b)) + uint32_t(c));
}
uint32_t mad24HiU(uint32_t a, uint32_t b, uint32_t c) {
  return mul24HiU(a, b) + c;
}
int32_t mad24HiS(int32_t a, int32_t b, int32_t c) {
  return static_cast<int32_t>(uint32_t(mul24HiS(a, b)) + uint32_t(c));
}
int32_t mad24HiSat(int32_t a, int32_t b, int32_t c) {
  return addSat(mul24HiS(a, b), c);
}
int32_t madHiSat(int32_t a, int32_t b, int32_t c) {
  return addSat(mulHi(a, b), c);
}
template <typename T> T sad(T a, T b, T c) {
  Unsigned<T> distance =
      a < b ? Unsigned<T>(b) - Unsigned<T>(a) : Unsigned<T>(a) - Unsigned<T>(b);
  return static_cast<T>(Unsigned<T>(c) + distance);
}
template <typename A, typename B>
uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned i = 0; i < 4; ++i)
    c += static_cast<uint32_t>(int32_t(static_cast<A>(a >> 8 * i)) *
                               int32_t(static_cast<B>(b >> 8 * i)));
  return c;
}
/// `F` on both halves of a word.
template <auto F> uint32_t onHalves(uint32_t a, uint32_t b) {
  using T = decltype(F(0, 0));
  uint32_t low = static_cast<uint16_t>(F(T(a), T(b)));
  uint32_t high = static_cast<uint16_t>(F(T(a >> 16), T(b >> 16)));
  return low | high << 16;
}
int16_t minimumRelu16(int16_t a, int16_t b) {
  return maximum<int16_t>(minimum<int16_t>(a, b), 0);
}
int16_t maximumRelu16(int16_t a, int16_t b) {
  return maximum<int16_t>(maximum<int16_t>(a, b), 0);
}

/// Two 16-bit elements of a times the low or the high bytes of b.
template <typename A16, typename B8, bool High>
uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned i = 0; i < 2; ++i)
    c += static_cast<uint32_t>(
        int32_t(static_cast<A16>(a >> 16 * i)) *
        int32_t(static_cast<B8>(b >> 8 * (i + 2 * High))));
  return c;
}
/// Distances of four unsigned bytes; with Sum they are added up, with c.
template <bool Sum> uint32_t vabsdiff4(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = Sum ? c : 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    uint32_t x = a >> shift & 0xff, y = b >> shift & 0xff;
    uint32_t distance = x > y ? x - y : y - x;
    result += Sum ? distance : distance << shift;
  }
  return result;
}

// add.cc and friends keep one carry flag per thread in the warp.
template <typename T, bool Subtract>
void withCarry(Warp &warp, const Instr &instr, uint32_t mask) {
  const T *a = warp.lanes<T>(instr.op[1]);
  const T *b = warp.lanes<T>(instr.op[2]);
  bool reads = instr.flags & 1, writes = instr.flags & 2;
  uint32_t &carry = warp.carry;
  T result[warpSize];
  uint32_t out = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    // A subtraction adds the complement, so that a carry means no borrow.
    // nvcc's 128-bit division reads the carry of subc.cc with addc.
    unsigned in = reads ? carry >> lane & 1 : Subtract;
    UInt128 wide =
        UInt128(a[lane]) + (Subtract ? static_cast<T>(~b[lane]) : b[lane]) + in;
    result[lane] = static_cast<T>(wide);
    out |= static_cast<uint32_t>(wide >> (8 * sizeof(T)) & 1) << lane;
  }
  if (writes)
    carry = (carry & ~mask) | (out & mask);
  warp.store<T>(instr.op[0], result, mask);
}

template <typename T>
void madCarry(Warp &warp, const Instr &instr, uint32_t mask) {
  const T *a = warp.lanes<T>(instr.op[1]);
  const T *b = warp.lanes<T>(instr.op[2]);
  const T *c = warp.lanes<T>(instr.op[3]);
  bool reads = instr.flags & 1, writes = instr.flags & 2;
  bool isHigh = instr.flags & 4;
  uint32_t &carry = warp.carry;
  T result[warpSize];
  uint32_t out = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned in = reads ? carry >> lane & 1 : 0;
    UInt128 product = UInt128(a[lane]) * b[lane];
    T part = static_cast<T>(isHigh ? product >> (8 * sizeof(T)) : product);
    UInt128 wide = UInt128(part) + c[lane] + in;
    result[lane] = static_cast<T>(wide);
    out |= static_cast<uint32_t>(wide >> (8 * sizeof(T)) & 1) << lane;
  }
  if (writes)
    carry = (carry & ~mask) | (out & mask);
  warp.store<T>(instr.op[0], result, mask);
}

bool decodeCarry(Decoder &d) {
  Type type = d.type();
  unsigned bytes = bitWidth(type) / 8;
  std::string_view word = d.opcode().substr(0, d.opcode().find('.'));
  bool isMad = word == "mad" || word == "madc";
  bool subtracts = word == "sub" || word == "subc";
  bool reads = word.back() == 'c';
  d.instr.flags =
      (reads ? 1u : 0u) | (d.has("cc") ? 2u : 0u) | (d.has("hi") ? 4u : 0u);
  if (isMad && d.has("hi") && isSigned(type))
    return d.fail("expected an unsigned type");
  if (!d.expectOperands(isMad ? 4 : 3) || !d.addDst(d.operand(0), bytes))
    return false;
  for (size_t i = 1; i < d.numOperands(); ++i)
    if (!d.addSrc(d.operand(i), bytes))
      return false;
  if (isMad)
    d.instr.run = bytes == 4 ? madCarry<uint32_t> : madCarry<uint64_t>;
  else if (subtracts)
    d.instr.run =
        bytes == 4 ? withCarry<uint32_t, true> : withCarry<uint64_t, true>;
  else
    d.instr.run =
        bytes == 4 ? withCarry<uint32_t, false> : withCarry<uint64_t, false>;
  return true;
}

} // namespace

std::vector<OpcodeRow> integerOpcodes() {
  constexpr OpClass c = OpClass::Integer;
  return {
      alu<&add<uint16_t>>("add(.u16|.s16)", c),
      alu<&add<uint32_t>>("add(.u32|.s32)", c),
      alu<&add<uint64_t>>("add(.u64|.s64)", c),
      alu<&addSat>("add.sat.s32", c),
      alu<&sub<uint16_t>>("sub(.u16|.s16)", c),
      alu<&sub<uint32_t>>("sub(.u32|.s32)", c),
      alu<&sub<uint64_t>>("sub(.u64|.s64)", c),
      alu<&subSat>("sub.sat.s32", c),
      alu<&neg<int16_t>>("neg.s16", c),
      alu<&neg<int32_t>>("neg.s32", c),
      alu<&neg<int64_t>>("neg.s64", c),
      alu<&absolute<int16_t>>("abs.s16", c),
      alu<&absolute<int32_t>>("abs.s32", c),
      alu<&absolute<int64_t>>("abs.s64", c),
      alu<&minimum<uint16_t>>("min.u16", c),
      alu<&minimum<int16_t>>("min.s16", c),
      alu<&minimum<uint32_t>>("min.u32", c),
      alu<&minimum<int32_t>>("min.s32", c),
      alu<&minimumRelu>("min.relu.s32", c),
      alu<&minimumRelu>("min.s32.relu", c), // as nvcc writes it
      alu<&minimum<uint64_t>>("min.u64", c),
      alu<&minimum<int64_t>>("min.s64", c),
      alu<&maximum<uint16_t>>("max.u16", c),
      alu<&maximum<int16_t>>("max.s16", c),
      alu<&maximum<uint32_t>>("max.u32", c),
      alu<&maximum<int32_t>>("max.s32", c),
      alu<&maximumRelu>("max.relu.s32", c),
      alu<&maximumRelu>("max.s32.relu", c),
      alu<&maximum<uint64_t>>("max.u64", c),
      alu<&maximum<int64_t>>("max.s64", c),
      alu<&mulLo<uint16_t>>("mul.lo(.u16|.s16)", c),
      alu<&mulLo<uint32_t>>("mul.lo(.u32|.s32)", c),
      alu<&mulLo<uint64_t>>("mul.lo(.u64|.s64)", c),
      alu<&mulHi<uint16_t>>("mul.hi.u16", c),
      alu<&mulHi<int16_t>>("mul.hi.s16", c),
      alu<&mulHi<uint32_t>>("mul.hi.u32", c),
      alu<&mulHi<int32_t>>("mul.hi.s32", c),
      alu<&mulHi<uint64_t>>("mul.hi.u64", c),
      alu<&mulHi<int64_t>>("mul.hi.s64", c),
      alu<&mulWide<uint16_t>>("mul.wide.u16", c),
      alu<&mulWide<int16_t>>("mul.wide.s16", c),
      alu<&mulWide<uint32_t>>("mul.wide.u32", c),
      alu<&mulWide<int32_t>>("mul.wide.s32", c),
      alu<&mul24LoU>("mul24.lo.u32", c),
      alu<&mul24LoS>("mul24.lo.s32", c),
      alu<&mul24HiU>("mul24.hi.u32", c),
      alu<&mul24HiS>("mul24.hi.s32", c),
      alu<&mad24LoU>("mad24.lo.u32", c),
      alu<&mad24LoS>("mad24.lo.s32", c),
      alu<&mad24HiU>("mad24.hi.u32", c),
      alu<&mad24HiS>("mad24.hi.s32", c),
      alu<&mad24HiSat>("mad24.hi.sat.s32", c),
      alu<&madHiSat>("mad.hi.sat.s32", c),
      alu<&madLo<uint16_t>>("mad.lo(.u16|.s16)", c),
      alu<&madLo<uint32_t>>("mad.lo(.u32|.s32)", c),
      alu<&madLo<uint64_t>>("mad.lo(.u64|.s64)", c),
      alu<&madHi<uint16_t>>("mad.hi.u16", c),
      alu<&madHi<int16_t>>("mad.hi.s16", c),
      alu<&madHi<uint32_t>>("mad.hi.u32", c),
      alu<&madHi<int32_t>>("mad.hi.s32", c),
      alu<&madHi<uint64_t>>("mad.hi.u64", c),
      alu<&madHi<int64_t>>("mad.hi.s64", c),
      alu<&madWide<uint16_t>>("mad.wide.u16", c),
      alu<&madWide<int16_t>>("mad.wide.s16", c),
      alu<&madWide<uint32_t>>("mad.wide.u32", c),
      alu<&madWide<int32_t>>("mad.wide.s32", c),
      alu<&divide<uint16_t>>("div.u16", c),
      alu<&divide<int16_t>>("div.s16", c),
      alu<&divide<uint32_t>>("div.u32", c),
      alu<&divide<int32_t>>("div.s32", c),
      alu<&divide<uint64_t>>("div.u64", c),
      alu<&divide<int64_t>>("div.s64", c),
      alu<&remainder<uint16_t>>("rem.u16", c),
      alu<&remainder<int16_t>>("rem.s16", c),
      alu<&remainder<uint32_t>>("rem.u32", c),
      alu<&remainder<int32_t>>("rem.s32", c),
      alu<&remainder<uint64_t>>("rem.u64", c),
      alu<&remainder<int64_t>>("rem.s64", c),
      alu<&sad<uint16_t>>("sad.u16", c),
      alu<&sad<int16_t>>("sad.s16", c),
      alu<&sad<uint32_t>>("sad.u32", c),
      alu<&sad<int32_t>>("sad.s32", c),
      alu<&sad<uint64_t>>("sad.u64", c),
      alu<&sad<int64_t>>("sad.s64", c),
      alu<&dp4a<uint8_t, uint8_t>>("dp4a.u32.u32", c),
      alu<&dp4a<uint8_t, int8_t>>("dp4a.u32.s32", c),
      alu<&dp4a<int8_t, uint8_t>>("dp4a.s32.u32", c),
      alu<&dp4a<int8_t, int8_t>>("dp4a.s32.s32", c),
      alu<&dp2a<uint16_t, uint8_t, false>>("dp2a.lo.u32.u32", c),
      alu<&dp2a<uint16_t, int8_t, false>>("dp2a.lo.u32.s32", c),
      alu<&dp2a<int16_t, uint8_t, false>>("dp2a.lo.s32.u32", c),
      alu<&dp2a<int16_t, int8_t, false>>("dp2a.lo.s32.s32", c),
      alu<&dp2a<uint16_t, uint8_t, true>>("dp2a.hi.u32.u32", c),
      alu<&dp2a<uint16_t, int8_t, true>>("dp2a.hi.u32.s32", c),
      alu<&dp2a<int16_t, uint8_t, true>>("dp2a.hi.s32.u32", c),
      alu<&dp2a<int16_t, int8_t, true>>("dp2a.hi.s32.s32", c),
      alu<&onHalves<&add<uint16_t>>>("add(.u16x2|.s16x2)", c),
      alu<&onHalves<&minimum<uint16_t>>>("min.u16x2", c),
      alu<&onHalves<&minimum<int16_t>>>("min.s16x2", c),
      alu<&onHalves<&maximum<uint16_t>>>("max.u16x2", c),
      alu<&onHalves<&maximum<int16_t>>>("max.s16x2", c),
      alu<&onHalves<&minimumRelu16>>("min.relu.s16x2", c),
      alu<&onHalves<&minimumRelu16>>("min.s16x2.relu", c),
      alu<&onHalves<&maximumRelu16>>("max.relu.s16x2", c),
      alu<&onHalves<&maximumRelu16>>("max.s16x2.relu", c),
      alu<&vabsdiff4<false>>("vabsdiff4.u32.u32.u32", c),
      alu<&vabsdiff4<true>>("vabsdiff4.u32.u32.u32.add", c),
      {"(add|sub).cc(.u32|.s32|.u64|.s64)", c, decodeCarry},
      {"(addc|subc)(.cc)?(.u32|.s32|.u64|.s64)", c, decodeCarry},
      {"mad(.lo|.hi).cc(.u32|.s32|.u64|.s64)", c, decodeCarry},
      {"madc(.lo|.hi)(.cc)?(.u32|.s32|.u64|.s64)", c, decodeCarry},
  };
}

} // namespace goat::ptxsim
