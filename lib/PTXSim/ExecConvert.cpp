//===- ExecConvert.cpp - conversions --------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt between all integer and floating-point types, with rounding and
// saturation. Registers may be wider than the type; results are extended to the
// width of the register. The patterns are the forms the assembler accepts.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

__extension__ typedef __int128 Int128;

enum RoundFlags : uint32_t {
  RoundMask = 7,
  RoundIntegral = 8,
  Saturate = 16,
  Flush = 32,
  Relu = 64,
  SaturateFinite = 128,
};

bool isFloatType(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 ||
         type == Type::F64 || type == Type::TF32;
}

double roundIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  case Rounding::NearestAway:
    return std::round(value);
  }
  return value;
}

/// Integer to double without losing what a later rounding needs: rounded to odd
/// when the integer has more than 53 bits.
double integerToOdd(Int128 value) {
  int64_t high = static_cast<int64_t>(value >> 32);
  uint32_t low = static_cast<uint32_t>(value);
  return addToOdd(static_cast<double>(high) * 4294967296.0,
                  static_cast<double>(low));
}

/// Rounds an integer to double.
double integerToDouble(Int128 value, Rounding rounding) {
  double nearest = value < 0 && value >= INT64_MIN
                       ? static_cast<double>(static_cast<int64_t>(value))
                       : static_cast<double>(static_cast<uint64_t>(value));
  if (rounding == Rounding::Nearest || static_cast<Int128>(nearest) == value)
    return nearest;
  bool nearestIsAbove = static_cast<Int128>(nearest) > value;
  bool wantsAbove =
      rounding == Rounding::Up || (rounding == Rounding::Zero && value < 0);
  if (nearestIsAbove == wantsAbove)
    return nearest;
  return std::nextafter(nearest, wantsAbove ? HUGE_VAL : -HUGE_VAL);
}

Int128 loadInteger(const uint8_t *lane, Type type) {
  switch (type) {
  case Type::S8:
    return static_cast<int8_t>(*lane);
  case Type::U8:
  case Type::B8:
    return *lane;
  case Type::S16:
    return bitCast<int16_t>(*reinterpret_cast<const uint16_t *>(lane));
  case Type::U16:
  case Type::B16:
    return *reinterpret_cast<const uint16_t *>(lane);
  case Type::S32:
    return *reinterpret_cast<const int32_t *>(lane);
  case Type::U32:
  case Type::B32:
    return *reinterpret_cast<const uint32_t *>(lane);
  case Type::S64:
    return *reinterpret_cast<const int64_t *>(lane);
  default:
    return *reinterpret_cast<const uint64_t *>(lane);
  }
}

double loadFloat(const uint8_t *lane, Type type, bool flushes) {
  switch (type) {
  case Type::F16:
    return halfToFloat(*reinterpret_cast<const uint16_t *>(lane));
  case Type::BF16:
    return bf16ToFloat(*reinterpret_cast<const uint16_t *>(lane));
  case Type::F64:
    return *reinterpret_cast<const double *>(lane);
  default: {
    float value = *reinterpret_cast<const float *>(lane);
    return flushes ? flush(value) : value;
  }
  }
}

void integerRange(Type type, Int128 &low, Int128 &high) {
  unsigned bits = bitWidth(type);
  if (isSigned(type)) {
    high = (Int128(1) << (bits - 1)) - 1;
    low = -high - 1;
  } else {
    low = 0;
    high = (Int128(1) << bits) - 1;
  }
}

uint64_t integerToInteger(Int128 value, Type to, bool saturates);

uint64_t floatToInteger(double value, Type from, Type to, Rounding rounding) {
  if (value != value) {
    // The ISA gives 0 between narrower types and the top bit where one of the
    // two has 64 bits.
    bool isWide = from == Type::F64 || to == Type::S64 || to == Type::U64;
    return isWide ? integerToInteger(Int128(1) << (bitWidth(to) - 1), to, false)
                  : 0;
  }
  Int128 low, high;
  integerRange(to, low, high);
  double rounded = roundIntegral(value, rounding);
  if (rounded >= static_cast<double>(high))
    return static_cast<uint64_t>(high);
  if (rounded <= static_cast<double>(low))
    return static_cast<uint64_t>(low);
  return static_cast<uint64_t>(static_cast<Int128>(rounded));
}

uint64_t integerToInteger(Int128 value, Type to, bool saturates) {
  Int128 low, high;
  integerRange(to, low, high);
  if (saturates)
    value = value < low ? low : value > high ? high : value;
  unsigned bits = bitWidth(to);
  uint64_t result = static_cast<uint64_t>(value);
  if (bits == 64)
    return result;
  // Keep the bits of the type and extend them for a wider register.
  result &= (uint64_t(1) << bits) - 1;
  if (isSigned(to) && result >> (bits - 1) & 1)
    result |= ~((uint64_t(1) << bits) - 1);
  return result;
}

uint64_t storeFloat(double value, Type to, Rounding rounding, uint32_t flags) {
  if (flags & Saturate)
    value = value >= 1.0 ? 1.0 : value > 0.0 ? value : 0.0;
  if (flags & Relu)
    value = relu(value);
  bool isFinite = flags & SaturateFinite;
  switch (to) {
  case Type::F16:
    return encode(value, formatF16, rounding, isFinite);
  case Type::BF16:
    return encode(value, formatBF16, rounding, isFinite);
  case Type::TF32:
    return encode(value, formatTF32, rounding, isFinite);
  case Type::F64:
    return bitCast<uint64_t>(value);
  default: {
    uint32_t bits = encode(value, formatF32, rounding);
    return flags & Flush ? bitCast<uint32_t>(flush(bitCast<float>(bits)))
                         : bits;
  }
  }
}

void runConvert(Warp &warp, const Instr &instr, uint32_t mask) {
  Type to = static_cast<Type>(instr.imm & 0xff);
  Type from = static_cast<Type>(instr.imm >> 8 & 0xff);
  unsigned toBytes = instr.imm >> 16 & 0xff, fromBytes = instr.imm >> 24 & 0xff;
  Rounding rounding = static_cast<Rounding>(instr.flags & RoundMask);
  uint8_t *dst = warp.lanes<uint8_t>(instr.op[0]);
  const uint8_t *src = warp.lanes<uint8_t>(instr.op[1]);
  uint64_t results[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    const uint8_t *source = src + lane * fromBytes;
    uint64_t result;
    if (isFloatType(from)) {
      double value = loadFloat(source, from, instr.flags & Flush);
      if (!isFloatType(to)) {
        result = floatToInteger(value, from, to, rounding);
      } else {
        if (instr.flags & RoundIntegral)
          value = roundIntegral(value, rounding);
        result = storeFloat(value, to, rounding, instr.flags);
      }
    } else {
      Int128 value = loadInteger(source, from);
      if (!isFloatType(to))
        result = integerToInteger(value, to, instr.flags & Saturate);
      else if (to == Type::F64)
        result = bitCast<uint64_t>(integerToDouble(value, rounding));
      else
        result = storeFloat(integerToOdd(value), to, rounding, instr.flags);
    }
    results[lane] = result;
  }
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1)
      std::memcpy(dst + lane * toBytes, &results[lane], toBytes);
}

// The conversions attention kernels spend their time in.
float f32FromF16(F16 a) { return canonical(halfToFloat(a.bits)); }
float f32FromBf16(BF16 a) { return canonical(bf16ToFloat(a.bits)); }
F16 f16FromF32(float a) { return {floatToHalf(a)}; }
BF16 bf16FromF32(float a) { return {floatToBf16(a)}; }
float f32FromS32(int32_t a) { return static_cast<float>(a); }
float f32FromU32(uint32_t a) { return static_cast<float>(a); }

template <typename To, typename From> To extend(From a) {
  return static_cast<To>(a);
}

/// Plain conversions between integers, for registers of exactly their width.
Handler integerHandler(Type to, Type from) {
  struct Row {
    Type to, from;
    Handler handler;
  };
  static const Row rows[] = {
      {Type::U64, Type::U32, Lift<&extend<uint64_t, uint32_t>>::run},
      {Type::S64, Type::S32, Lift<&extend<int64_t, int32_t>>::run},
      {Type::U32, Type::U64, Lift<&extend<uint32_t, uint64_t>>::run},
      {Type::U32, Type::U16, Lift<&extend<uint32_t, uint16_t>>::run},
      {Type::S32, Type::S16, Lift<&extend<int32_t, int16_t>>::run},
      {Type::U16, Type::U32, Lift<&extend<uint16_t, uint32_t>>::run}};
  for (const Row &row : rows)
    if (row.to == to && row.from == from)
      return row.handler;
  return nullptr;
}

/// Whether every value of the integer type `from` is one of `to`.
bool holdsAll(Type to, Type from) {
  Int128 toLow, toHigh, fromLow, fromHigh;
  integerRange(to, toLow, toHigh);
  integerRange(from, fromLow, fromHigh);
  return toLow <= fromLow && fromHigh <= toHigh;
}

bool decodeConvert(Decoder &d) {
  d.instr.isPure = true;
  Type to = d.type(0), from = d.type(1);
  uint32_t flags = static_cast<uint32_t>(Rounding::Nearest);
  for (std::string_view mod : d.modifiers()) {
    struct Mode {
      std::string_view name;
      Rounding rounding;
    };
    static constexpr Mode modes[] = {{"rn", Rounding::Nearest},
                                     {"rz", Rounding::Zero},
                                     {"rm", Rounding::Down},
                                     {"rp", Rounding::Up},
                                     {"rna", Rounding::NearestAway}};
    for (const Mode &mode : modes) {
      bool isIntegral = mod.size() == mode.name.size() + 1 && mod.back() == 'i';
      if (mod.substr(0, mode.name.size()) == mode.name &&
          (mod.size() == mode.name.size() || isIntegral)) {
        flags = static_cast<uint32_t>(mode.rounding) |
                (isIntegral ? RoundIntegral : 0);
      }
    }
  }
  if (d.has("sat"))
    flags |= Saturate;
  if (d.has("ftz"))
    flags |= Flush;
  if (d.has("relu"))
    flags |= Relu;
  if (d.has("satfinite"))
    flags |= SaturateFinite;
  bool isToFloat = isFloatType(to), isFromFloat = isFloatType(from);
  if (!isToFloat && !isFromFloat && (flags & Saturate) && holdsAll(to, from))
    return d.fail("expected .sat only where the destination cannot hold every "
                  "value of the source");
  unsigned toBytes = bitWidth(to) / 8, fromBytes = bitWidth(from) / 8;
  if (!d.expectOperands(2) || !d.addDst(d.operand(0), toBytes, !isToFloat) ||
      !d.addSrc(d.operand(1), fromBytes, !isFromFloat))
    return false;
  // The sink and constants have the width of the type.
  unsigned toRegister = d.operandBytes(d.operand(0));
  unsigned fromRegister = d.operandBytes(d.operand(1));
  toRegister = toRegister ? toRegister : std::max(2u, toBytes);
  fromRegister = fromRegister ? fromRegister : std::max(2u, fromBytes);
  d.instr.run = runConvert;
  if (d.modifiers().size() == 2 && toRegister == toBytes &&
      fromRegister == fromBytes)
    if (Handler handler = integerHandler(to, from))
      d.instr.run = handler;
  d.instr.flags = flags;
  d.instr.imm = int64_t(to) | int64_t(from) << 8 | int64_t(toRegister) << 16 |
                int64_t(fromRegister) << 24;
  return true;
}

} // namespace

std::vector<OpcodeRow> convertOpcodes() {
  constexpr OpClass c = OpClass::Convert;
#define GOAT_INTEGERS "(.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64)"
#define GOAT_INTEGRAL "(.rni|.rzi|.rmi|.rpi)"
#define GOAT_ROUNDING "(.rn|.rz|.rm|.rp)"
  return {
      alu<&f32FromF16>("cvt.f32.f16", c),
      alu<&f32FromBf16>("cvt.f32.bf16", c),
      alu<&f16FromF32>("cvt.rn.f16.f32", c),
      alu<&bf16FromF32>("cvt.rn.bf16.f32", c),
      alu<&f32FromS32>("cvt.rn.f32.s32", c),
      alu<&f32FromU32>("cvt.rn.f32.u32", c),
      {"cvt(.sat)?" GOAT_INTEGERS GOAT_INTEGERS, c, decodeConvert},
      // Float to integer.
      {"cvt" GOAT_INTEGRAL "(.ftz)?(.sat)?" GOAT_INTEGERS ".f32", c,
       decodeConvert},
      {"cvt" GOAT_INTEGRAL "(.sat)?" GOAT_INTEGERS "(.f16|.f64)", c,
       decodeConvert},
      {"cvt" GOAT_INTEGRAL "(.u16|.u32|.u64|.s16|.s32|.s64).bf16", c,
       decodeConvert},
      // Integer to float.
      {"cvt" GOAT_ROUNDING "(.ftz)?(.sat)?.f32" GOAT_INTEGERS, c,
       decodeConvert},
      {"cvt" GOAT_ROUNDING "(.sat)?(.f16|.f64)" GOAT_INTEGERS, c,
       decodeConvert},
      {"cvt" GOAT_ROUNDING ".bf16(.u16|.u32|.u64|.s16|.s32|.s64)", c,
       decodeConvert},
      // Float to an integral value of the same type.
      {"cvt" GOAT_INTEGRAL "?(.ftz)?(.sat)?.f32.f32", c, decodeConvert},
      {"cvt" GOAT_INTEGRAL "?(.sat)?(.f16.f16|.f64.f64)", c, decodeConvert},
      {"cvt" GOAT_INTEGRAL "?.bf16.bf16", c, decodeConvert},
      // To a wider float.
      {"cvt(.ftz)?(.sat)?(.f32.f16|.f64.f32)", c, decodeConvert},
      {"cvt(.sat)?.f64.f16", c, decodeConvert},
      {"cvt" GOAT_ROUNDING "?(.ftz)?.f32.bf16", c, decodeConvert},
      {"cvt" GOAT_ROUNDING "?(.f64.bf16|.f16.bf16|.bf16.f16)", c,
       decodeConvert},
      // To a narrower float.
      {"cvt" GOAT_ROUNDING "(.ftz)?(.sat)?(.f32.f64|.f16.f32)", c,
       decodeConvert},
      {"cvt" GOAT_ROUNDING "(.sat)?.f16.f64", c, decodeConvert},
      {"cvt" GOAT_ROUNDING "(.ftz)?.bf16.f32", c, decodeConvert},
      {"cvt" GOAT_ROUNDING ".bf16.f64", c, decodeConvert},
      {"cvt(.rn|.rz)(.relu|.satfinite|.relu.satfinite|.satfinite.relu)"
       "(.f16.f32|.bf16.f32)",
       c, decodeConvert},
      {"cvt.rna(.satfinite)?.tf32.f32", c, decodeConvert},
      {"cvt(.rn|.rz)(.relu|.satfinite|.relu.satfinite|.satfinite.relu)?"
       ".tf32.f32",
       c, decodeConvert},
  };
#undef GOAT_INTEGERS
#undef GOAT_INTEGRAL
#undef GOAT_ROUNDING
}

} // namespace goat::ptxsim
