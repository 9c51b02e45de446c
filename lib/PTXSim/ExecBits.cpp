//===- ExecBits.cpp - logic, shifts and bit fields ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// and, or, xor, not, cnot, lop3, shifts, funnel shifts, bfe, bfi, prmt,
// counting bits. Shifts by the width or more are defined by PTX and clamp.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

#include <type_traits>

namespace goat::ptxsim {

namespace {

template <typename T> T bitAnd(T a, T b) { return a & b; }
template <typename T> T bitOr(T a, T b) { return a | b; }
template <typename T> T bitXor(T a, T b) { return a ^ b; }
template <typename T> T bitNot(T a) { return static_cast<T>(~a); }
template <typename T> T countNot(T a) { return a == 0 ? 1 : 0; }
template <typename T> T shl(T a, uint32_t n) {
  constexpr uint32_t width = 8 * sizeof(T);
  return n >= width ? T(0) : static_cast<T>(a << (n & (width - 1)));
}
template <typename T> T shr(T a, uint32_t n) {
  constexpr uint32_t width = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n >= width ? width - 1 : n));
  return n >= width ? T(0) : static_cast<T>(a >> (n & (width - 1)));
}
uint32_t popc32(uint32_t a) {
  return static_cast<uint32_t>(__builtin_popcount(a));
}
uint32_t popc64(uint64_t a) {
  return static_cast<uint32_t>(__builtin_popcountll(a));
}
uint32_t clz32(uint32_t a) {
  return a ? static_cast<uint32_t>(__builtin_clz(a)) : 32;
}
uint32_t clz64(uint64_t a) {
  return a ? static_cast<uint32_t>(__builtin_clzll(a)) : 64;
}
template <typename T> T reverse(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result |= static_cast<T>(a >> i & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}
/// Position of the most significant bit that differs from the sign, or all
/// ones.
template <typename T, bool IsShift> uint32_t bfind(T a) {
  using U = std::make_unsigned_t<T>;
  U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (!bits)
    return ~0u;
  constexpr uint32_t top = 8 * sizeof(T) - 1;
  uint32_t position = 63u - static_cast<uint32_t>(__builtin_clzll(bits));
  return IsShift ? top - position : position;
}
template <typename T> T bfe(T a, uint32_t b, uint32_t c) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t width = 8 * sizeof(T);
  uint32_t position = b & 0xff, length = c & 0xff;
  if (length == 0)
    return 0;
  uint32_t last =
      position + length - 1 < width ? position + length - 1 : width - 1;
  U sign = std::is_signed_v<T> ? static_cast<U>(a) >> last & 1 : 0;
  U field = position < width ? static_cast<U>(a) >> position : 0;
  uint32_t available = position < width ? width - position : 0;
  uint32_t kept = length < available ? length : available;
  if (kept < width) {
    U below = (U(1) << kept) - 1;
    field = (field & below) | (sign ? static_cast<U>(~below) : U(0));
  }
  return static_cast<T>(field);
}
template <typename T> T bfi(T a, T b, uint32_t c, uint32_t d) {
  constexpr uint32_t width = 8 * sizeof(T);
  uint32_t position = c & 0xff, length = d & 0xff;
  if (position >= width || length == 0)
    return b;
  T field = length >= width ? static_cast<T>(~T(0))
                            : static_cast<T>((T(1) << length) - 1);
  field = static_cast<T>(field << position);
  return (b & ~field) | (static_cast<T>(a << position) & field);
}
template <bool Wraps> uint32_t shfL(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t n = Wraps ? c & 31 : c < 32 ? c : 32;
  uint64_t pair = uint64_t(b) << 32 | a;
  return static_cast<uint32_t>(pair << n >> 32);
}
template <bool Wraps> uint32_t shfR(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t n = Wraps ? c & 31 : c < 32 ? c : 32;
  uint64_t pair = uint64_t(b) << 32 | a;
  return static_cast<uint32_t>(pair >> n);
}
uint32_t prmt(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t pair = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t select = c >> 4 * i & 0xf;
    uint32_t byte = static_cast<uint32_t>(pair >> 8 * (select & 7)) & 0xff;
    if (select & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}
/// The modes f4e, b4e, rc8, ecl, ecr, rc16 as selectors of the general form.
template <unsigned Mode> uint32_t prmtMode(uint32_t a, uint32_t b, uint32_t c) {
  static constexpr uint16_t selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return prmt(a, b, selectors[Mode][c & 3]);
}
uint32_t bmskClamp(uint32_t a, uint32_t b) {
  if (a >= 32 || b == 0)
    return 0;
  uint32_t field = b >= 32 ? ~0u : (1u << b) - 1;
  return field << a;
}
uint32_t bmskWrap(uint32_t a, uint32_t b) {
  a &= 31;
  b &= 31;
  return ((1u << b) - 1) << a;
}
/// The low `n` bits of a, extended as T says.
template <typename T, bool Wraps> T szext(T a, uint32_t n) {
  if (n >= 32 && !Wraps)
    return a;
  n &= 31;
  if (n == 0)
    return 0;
  return static_cast<T>(static_cast<uint32_t>(a) << (32 - n)) >> (32 - n);
}
/// The position of the n-th set bit of `mask` from `base` on, upwards or, for
/// negative n, downwards; all ones if there is none.
uint32_t fns(uint32_t mask, uint32_t base, int32_t n) {
  if (base > 31)
    return ~0u;
  if (n == 0)
    return mask >> base & 1 ? base : ~0u;
  int32_t step = n > 0 ? 1 : -1;
  for (int32_t at = static_cast<int32_t>(base); at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && (n -= step) == 0)
      return static_cast<uint32_t>(at);
  return ~0u;
}
uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i)
    result |= (0u - (table >> i & 1)) & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) &
              (i & 1 ? c : ~c);
  return result;
}

/// lop3 whose result, not zero, is combined with a predicate.
void runLop3Predicate(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *source = instr.op + 1;
  uint32_t result[warpSize], isSet = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    result[lane] = lop3(warp.lanes<uint32_t>(source[0])[lane],
                        warp.lanes<uint32_t>(source[1])[lane],
                        warp.lanes<uint32_t>(source[2])[lane],
                        warp.lanes<uint32_t>(source[3])[lane]);
    isSet |= static_cast<uint32_t>(result[lane] != 0) << lane;
  }
  uint32_t other = warp.readPredicate(instr, instr.predicateSrc[0], mask);
  warp.store<uint32_t>(instr.op[0], result, mask);
  warp.storePredicate(instr.predicateDst[0],
                      instr.flags ? isSet & other : isSet | other, mask);
}

bool decodeLop3Predicate(Decoder &d) {
  d.instr.run = runLop3Predicate;
  d.instr.flags = d.has("and");
  if (!d.expectOperands(6))
    return false;
  const Operand &dst = d.operand(0);
  if (dst.kind != Operand::Pair)
    return d.fail("expected a register and a predicate as destination");
  return d.addDst(dst.elements[0], 4) &&
         d.setPredicateDst(0, dst.elements[1]) && d.addSrc(d.operand(1), 4) &&
         d.addSrc(d.operand(2), 4) && d.addSrc(d.operand(3), 4) &&
         d.addSrc(d.operand(4), 4) && d.setPredicateSrc(0, d.operand(5));
}

void predicateLogic(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t a = warp.readPredicate(instr, instr.predicateSrc[0], mask);
  uint32_t b = warp.readPredicate(instr, instr.predicateSrc[1], mask);
  uint32_t result = a;
  switch (instr.flags) {
  case 'a':
    result = a & b;
    break;
  case 'o':
    result = a | b;
    break;
  case 'x':
    result = a ^ b;
    break;
  case 'n':
    result = ~a;
    break;
  }
  warp.storePredicate(instr.predicateDst[0], result, mask);
}

bool decodePredicateLogic(Decoder &d) {
  char first = d.opcode()[0];
  bool isUnary = first == 'n' || first == 'm';
  d.instr.flags = static_cast<uint32_t>(first);
  d.instr.run = predicateLogic;
  return d.expectOperands(isUnary ? 2 : 3) &&
         d.setPredicateDst(0, d.operand(0)) &&
         d.setPredicateSrc(0, d.operand(1)) &&
         (isUnary || d.setPredicateSrc(1, d.operand(2)));
}

} // namespace

std::vector<OpcodeRow> bitOpcodes() {
  constexpr OpClass c = OpClass::Integer;
  return {
      alu<&bitAnd<uint16_t>>("and.b16", c),
      alu<&bitAnd<uint32_t>>("and.b32", c),
      alu<&bitAnd<uint64_t>>("and.b64", c),
      alu<&bitOr<uint16_t>>("or.b16", c),
      alu<&bitOr<uint32_t>>("or.b32", c),
      alu<&bitOr<uint64_t>>("or.b64", c),
      alu<&bitXor<uint16_t>>("xor.b16", c),
      alu<&bitXor<uint32_t>>("xor.b32", c),
      alu<&bitXor<uint64_t>>("xor.b64", c),
      alu<&bitNot<uint16_t>>("not.b16", c),
      alu<&bitNot<uint32_t>>("not.b32", c),
      alu<&bitNot<uint64_t>>("not.b64", c),
      alu<&countNot<uint16_t>>("cnot.b16", c),
      alu<&countNot<uint32_t>>("cnot.b32", c),
      alu<&countNot<uint64_t>>("cnot.b64", c),
      {"(and|or|xor|not|mov).pred", c, decodePredicateLogic},
      alu<&shl<uint16_t>>("shl.b16", c),
      alu<&shl<uint32_t>>("shl.b32", c),
      alu<&shl<uint64_t>>("shl.b64", c),
      alu<&shr<uint16_t>>("shr(.b16|.u16)", c),
      alu<&shr<int16_t>>("shr.s16", c),
      alu<&shr<uint32_t>>("shr(.b32|.u32)", c),
      alu<&shr<int32_t>>("shr.s32", c),
      alu<&shr<uint64_t>>("shr(.b64|.u64)", c),
      alu<&shr<int64_t>>("shr.s64", c),
      alu<&shfL<true>>("shf.l.wrap.b32", c),
      alu<&shfL<false>>("shf.l.clamp.b32", c),
      alu<&shfR<true>>("shf.r.wrap.b32", c),
      alu<&shfR<false>>("shf.r.clamp.b32", c),
      alu<&popc32>("popc.b32", c),
      alu<&popc64>("popc.b64", c),
      alu<&clz32>("clz.b32", c),
      alu<&clz64>("clz.b64", c),
      alu<&reverse<uint32_t>>("brev.b32", c),
      alu<&reverse<uint64_t>>("brev.b64", c),
      alu<&bfind<uint32_t, false>>("bfind.u32", c),
      alu<&bfind<int32_t, false>>("bfind.s32", c),
      alu<&bfind<uint64_t, false>>("bfind.u64", c),
      alu<&bfind<int64_t, false>>("bfind.s64", c),
      alu<&bfind<uint32_t, true>>("bfind.shiftamt.u32", c),
      alu<&bfind<int32_t, true>>("bfind.shiftamt.s32", c),
      alu<&bfind<uint64_t, true>>("bfind.shiftamt.u64", c),
      alu<&bfind<int64_t, true>>("bfind.shiftamt.s64", c),
      alu<&bfe<uint32_t>>("bfe.u32", c),
      alu<&bfe<int32_t>>("bfe.s32", c),
      alu<&bfe<uint64_t>>("bfe.u64", c),
      alu<&bfe<int64_t>>("bfe.s64", c),
      alu<&bfi<uint32_t>>("bfi.b32", c),
      alu<&bfi<uint64_t>>("bfi.b64", c),
      alu<&bmskClamp>("bmsk.clamp.b32", c),
      alu<&bmskWrap>("bmsk.wrap.b32", c),
      alu<&szext<uint32_t, false>>("szext.clamp.u32", c),
      alu<&szext<uint32_t, true>>("szext.wrap.u32", c),
      alu<&szext<int32_t, false>>("szext.clamp.s32", c),
      alu<&szext<int32_t, true>>("szext.wrap.s32", c),
      alu<&fns>("fns.b32", c),
      alu<&prmt>("prmt.b32", c),
      alu<&prmtMode<0>>("prmt.b32.f4e", c),
      alu<&prmtMode<1>>("prmt.b32.b4e", c),
      alu<&prmtMode<2>>("prmt.b32.rc8", c),
      alu<&prmtMode<3>>("prmt.b32.ecl", c),
      alu<&prmtMode<4>>("prmt.b32.ecr", c),
      alu<&prmtMode<5>>("prmt.b32.rc16", c),
      alu<&lop3>("lop3.b32", c),
      {"lop3(.and|.or).b32", c, decodeLop3Predicate},
  };
}

} // namespace goat::ptxsim
