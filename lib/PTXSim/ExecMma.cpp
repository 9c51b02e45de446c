//===- ExecMma.cpp - the rarer forms of mma.sync --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync on 8-bit floats, on integers of 4 bits and of one, and the shapes
// m8n8k* and m16n8k* of integers and fp64 that ExecTensor.cpp does not have,
// and mma.sp, whose A has half of its columns. One routine for all of them:
// fragments lie as the comment there describes, with E elements in a register;
// shapes with m = 8 have the first register of a pair. With mma.sp those are
// the elements that are stored: of each 4 neighbours in a row 2, or of each 2
// in tf32 one. Which, say 4 bits of metadata: the lower 16 bits of a word have
// 4 such groups of row g, the upper ones of row g + 8; the words of lanes 4g +
// s, 4g + s + 1 and so on continue the rows, where s follows from the selector.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "MmaNumerics.h"
#include "Numerics.h"

namespace goat::ptxsim {

namespace {

enum class Element : uint8_t {
  E4M3,
  E5M2,
  S8,
  U8,
  S4,
  U4,
  B1,
  F64,
  F16,
  BF16,
  TF32
};

struct Shape {
  std::string_view name;
  unsigned rows, depth;
};
constexpr Shape shapes[] = {
    {"m8n8k16", 8, 16},     {"m8n8k32", 8, 32},   {"m8n8k128", 8, 128},
    {"m16n8k4", 16, 4},     {"m16n8k8", 16, 8},   {"m16n8k16", 16, 16},
    {"m16n8k32", 16, 32},   {"m16n8k64", 16, 64}, {"m16n8k128", 16, 128},
    {"m16n8k256", 16, 256},
};

unsigned bitsOf(Element element) {
  switch (element) {
  case Element::S4:
  case Element::U4:
    return 4;
  case Element::B1:
    return 1;
  case Element::F64:
    return 64;
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::TF32:
    return 32;
  default:
    return 8;
  }
}

double valueOf(Element element, uint64_t word, unsigned index) {
  uint32_t bits = static_cast<uint32_t>(word >> index * bitsOf(element) % 64);
  switch (element) {
  case Element::E4M3:
    return e4m3ToDouble(static_cast<uint8_t>(bits));
  case Element::E5M2:
    return e5m2ToDouble(static_cast<uint8_t>(bits));
  case Element::S8:
    return static_cast<int8_t>(bits);
  case Element::U8:
    return static_cast<uint8_t>(bits);
  case Element::S4:
    return static_cast<int32_t>(bits << 28) >> 28;
  case Element::U4:
    return bits & 15;
  case Element::B1:
    return bits & 1;
  case Element::F64:
    return bitCast<double>(word);
  case Element::F16:
    return halfToFloat(static_cast<uint16_t>(bits));
  case Element::BF16:
    return bf16ToFloat(static_cast<uint16_t>(bits));
  case Element::TF32: // the lowest 13 bits are not looked at
    return bitCast<float>(bits & 0xffffe000u);
  }
  return 0;
}

enum class Accumulator : uint8_t { F32, F16, S32, F64 };

/// What `Instr::imm` says.
struct Form {
  uint8_t shape;
  Element a, b;
  Accumulator accumulator;
  bool saturates, isXor, isSparse, isOrdered;
};
static_assert(sizeof(Form) <= sizeof(int64_t));

/// Registers of A in a lane when nothing is left out; B has half as many where
/// there are 16 rows.
unsigned registersOf(const Shape &shape, Element element) {
  unsigned bits = element == Element::F64 ? 64 : 32;
  return shape.rows * shape.depth * bitsOf(element) / (warpSize * bits);
}
unsigned accumulatorRegisters(const Shape &shape, Accumulator accumulator) {
  return shape.rows * 8 / warpSize / (accumulator == Accumulator::F16 ? 2 : 1);
}

/// Where the elements that are stored of each row of A stand.
struct Columns {
  uint8_t of[16][32];
};

/// Reads the metadata of mma.sp; reports what names an element twice or none.
void readMetadata(Warp &warp, const Instr &instr, const Form &form,
                  uint32_t slot, Columns &columns) {
  const uint32_t *words = warp.lanes<uint32_t>(slot);
  bool isSingle = form.a == Element::TF32;
  unsigned perGroup = isSingle ? 2 : 4;
  unsigned groups = shapes[form.shape].depth / perGroup;
  unsigned first = instr.flags * (groups / 4);
  uint32_t bad = 0;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned group = 0; group < groups; ++group) {
      unsigned lane = 4 * (row % 8) + first + group / 4;
      uint32_t bits = words[lane] >> (16 * (row / 8) + 4 * (group % 4)) & 15;
      unsigned low = bits & 3, high = bits >> 2;
      uint8_t *to = &columns.of[row][isSingle ? group : 2 * group];
      if (isSingle) {
        to[0] = static_cast<uint8_t>(2 * group + low / 2);
        if (bits != 4 && bits != 14)
          bad |= 1u << lane;
        continue;
      }
      to[0] = static_cast<uint8_t>(4 * group + low);
      to[1] = static_cast<uint8_t>(4 * group + high);
      if (low == high || (form.isOrdered && low > high))
        bad |= 1u << lane;
    }
  if (bad)
    warp.report(FindingKind::UndefinedResult, instr, bad, 0,
                isSingle ? "expected 4 or 14 in every 4 bits of metadata"
                : form.isOrdered
                    ? "expected two ascending indices in every 4 bits of "
                      "metadata"
                    : "expected two different indices in every 4 bits of "
                      "metadata");
}

void runForm(Warp &warp, const Instr &instr, uint32_t mask) {
  if (mask != allLanes)
    warp.report(FindingKind::InactiveLane, instr, ~mask, 0,
                "expected all 32 lanes to execute this together but lanes are "
                "inactive");
  Form form;
  std::memcpy(&form, &instr.imm, sizeof(form));
  const Shape &shape = shapes[form.shape];
  bool isDouble = form.accumulator == Accumulator::F64;
  unsigned perRegister = isDouble ? 1 : 32 / bitsOf(form.a);
  unsigned halves = shape.rows / 8;
  unsigned bRegisters = registersOf(shape, form.a) / halves;
  unsigned aRegisters = registersOf(shape, form.a) / (form.isSparse ? 2 : 1);
  unsigned cRegisters = accumulatorRegisters(shape, form.accumulator);
  const uint32_t *aSlots = instr.op + instr.numDst;
  const uint32_t *bSlots = aSlots + aRegisters;
  const uint32_t *cSlots = bSlots + bRegisters;
  auto word = [&](uint32_t slot, unsigned lane) {
    return isDouble ? warp.lanes<uint64_t>(slot)[lane]
                    : warp.lanes<uint32_t>(slot)[lane];
  };
  std::vector<double> a(16 * shape.depth, 0), b(shape.depth * 8);
  double c[16 * 8] = {};
  Columns columns;
  if (form.isSparse)
    readMetadata(warp, instr, form, cSlots[cRegisters], columns);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned g = lane / 4, t = lane % 4;
    for (unsigned r = 0; r < aRegisters; ++r)
      for (unsigned e = 0; e < perRegister; ++e) {
        unsigned row = g + 8 * (r % halves);
        unsigned column = perRegister * t + 4 * perRegister * (r / halves) + e;
        if (form.isSparse)
          column = columns.of[row][column];
        a[row * shape.depth + column] =
            valueOf(form.a, word(aSlots[r], lane), e);
      }
    for (unsigned r = 0; r < bRegisters; ++r)
      for (unsigned e = 0; e < perRegister; ++e)
        b[(perRegister * t + 4 * perRegister * r + e) * 8 + g] =
            valueOf(form.b, word(bSlots[r], lane), e);
    for (unsigned i = 0; i < 2 * halves; ++i) {
      double &element = c[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2];
      bool isHalf = form.accumulator == Accumulator::F16;
      uint64_t bits = word(cSlots[isHalf ? i / 2 : i], lane);
      element = isDouble ? bitCast<double>(bits)
                : isHalf
                    ? halfToFloat(static_cast<uint16_t>(bits >> 16 * (i % 2)))
                : form.accumulator == Accumulator::F32
                    ? bitCast<float>(static_cast<uint32_t>(bits))
                    : static_cast<double>(static_cast<int32_t>(bits));
    }
  }
  uint64_t seed = warp.worker.launch.config.mmaNumerics;
  bool isFloat = form.accumulator == Accumulator::F32 ||
                 form.accumulator == Accumulator::F16;
  bool isByte = bitsOf(form.a) == 8;
  if (isDouble || (seed && isFloat))
    multiplyVaried(isDouble ? MmaOperands::Double
                   : isByte ? MmaOperands::Float8
                            : MmaOperands::Float,
                   shape.rows, 8, shape.depth, a.data(), b.data(), c, seed);
  else
    for (unsigned m = 0; m < shape.rows; ++m)
      for (unsigned k = 0; k < shape.depth; ++k)
        for (unsigned n = 0; n < 8; ++n) {
          double x = a[m * shape.depth + k], y = b[k * 8 + n];
          double &sum = c[m * 8 + n];
          if (form.a == Element::B1)
            sum += form.isXor ? x != y : x * y;
          else
            sum = std::fma(x, y, sum);
        }
  for (unsigned r = 0; r < cRegisters; ++r) {
    uint64_t wide[warpSize];
    uint32_t narrow[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned g = lane / 4, t = lane % 4;
      auto at = [&](unsigned i) {
        return c[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2];
      };
      switch (form.accumulator) {
      case Accumulator::F64:
        wide[lane] = bitCast<uint64_t>(at(r));
        break;
      case Accumulator::F32:
        narrow[lane] = bitCast<uint32_t>(canonical(static_cast<float>(at(r))));
        break;
      case Accumulator::F16:
        narrow[lane] = doubleToHalf(at(2 * r)) |
                       static_cast<uint32_t>(doubleToHalf(at(2 * r + 1))) << 16;
        break;
      case Accumulator::S32: {
        double value = at(r);
        if (form.saturates)
          value = std::min(std::max(value, -2147483648.0), 2147483647.0);
        narrow[lane] = static_cast<uint32_t>(static_cast<int64_t>(value));
        break;
      }
      }
    }
    if (isDouble)
      warp.store<uint64_t>(instr.op[r], wide, mask);
    else
      warp.store<uint32_t>(instr.op[r], narrow, mask);
  }
}

/// Which of the four lanes of a group begin with the metadata.
bool readSelector(Decoder &d, const Form &form) {
  unsigned groups =
      shapes[form.shape].depth / (form.a == Element::TF32 ? 2 : 4);
  int64_t choices = 16 / groups;
  const Operand &selector = d.operand(5);
  if (selector.kind != Operand::Integer || selector.value < 0 ||
      selector.value >= choices)
    return d.fail("expected a selector of metadata from 0 to " +
                  std::to_string(choices - 1));
  d.instr.flags = static_cast<uint32_t>(selector.value);
  return true;
}

bool decodeForm(Decoder &d) {
  static constexpr std::string_view elementNames[] = {
      "e4m3", "e5m2", "s8",  "u8",   "s4",  "u4",
      "b1",   "f64",  "f16", "bf16", "tf32"};
  static constexpr std::string_view accumulatorNames[] = {"f32", "f16", "s32",
                                                          "f64"};
  // [sp.]sync.aligned.SHAPE.row.col[.satfinite].D.A.B.C[.xor|.and][.popc]
  const auto &mods = d.modifiers();
  Form form{};
  form.saturates = d.has("satfinite");
  form.isXor = d.has("xor");
  form.isOrdered = d.has("sp::ordered_metadata");
  form.isSparse = form.isOrdered || d.has("sp");
  size_t first = 5u + form.saturates + form.isSparse;
  for (size_t i = 0; i < std::size(shapes); ++i)
    if (shapes[i].name == mods[2u + form.isSparse])
      form.shape = static_cast<uint8_t>(i);
  for (size_t i = 0; i < std::size(accumulatorNames); ++i)
    if (accumulatorNames[i] == mods[first])
      form.accumulator = static_cast<Accumulator>(i);
  for (size_t i = 0; i < std::size(elementNames); ++i) {
    if (elementNames[i] == mods[first + 1])
      form.a = static_cast<Element>(i);
    if (elementNames[i] == mods[first + 2])
      form.b = static_cast<Element>(i);
  }
  const Shape &shape = shapes[form.shape];
  unsigned bytes = form.accumulator == Accumulator::F64 ? 8 : 4;
  unsigned aRegisters = registersOf(shape, form.a);
  unsigned cRegisters = accumulatorRegisters(shape, form.accumulator);
  std::memcpy(&d.instr.imm, &form, sizeof(form));
  d.instr.run = runForm;
  d.instr.flops = 2 * shape.rows * 8 * shape.depth;
  if (form.isSparse) {
    // What is left out is not multiplied.
    d.instr.flops /= 2;
    if (!d.expectOperands(6) || !readSelector(d, form))
      return false;
  } else if (!d.expectOperands(4)) {
    return false;
  }
  return d.addDstList(d.operand(0), cRegisters, bytes) &&
         d.addSrcList(d.operand(1), aRegisters / (form.isSparse ? 2 : 1),
                      bytes) &&
         d.addSrcList(d.operand(2), aRegisters / (shape.rows / 8), bytes) &&
         d.addSrcList(d.operand(3), cRegisters, bytes) &&
         (!form.isSparse || d.addSrc(d.operand(4), 4));
}

} // namespace

std::vector<OpcodeRow> mmaFormOpcodes() {
  constexpr OpClass c = OpClass::TensorMma;
#define GOAT_MMA "mma.sync.aligned"
#define GOAT_SPARSE "mma(.sp|.sp::ordered_metadata).sync.aligned"
  return {
      {GOAT_MMA "(.m16n8k16|.m16n8k32).row.col.f32(.e4m3|.e5m2)(.e4m3|.e5m2)"
                ".f32",
       c, decodeForm},
      {GOAT_MMA "(.m16n8k16|.m16n8k32).row.col.f16(.e4m3|.e5m2)(.e4m3|.e5m2)"
                ".f16",
       c, decodeForm},
      {GOAT_MMA ".m8n8k16.row.col(.satfinite)?.s32(.s8|.u8)(.s8|.u8).s32", c,
       decodeForm},
      {GOAT_MMA "(.m8n8k32|.m16n8k32|.m16n8k64).row.col(.satfinite)?.s32"
                "(.s4|.u4)(.s4|.u4).s32",
       c, decodeForm},
      {GOAT_MMA "(.m8n8k128|.m16n8k128|.m16n8k256).row.col.s32.b1.b1.s32"
                "(.xor|.and).popc",
       c, decodeForm},
      {GOAT_MMA "(.m16n8k4|.m16n8k8|.m16n8k16).row.col.f64.f64.f64.f64", c,
       decodeForm},
      {GOAT_SPARSE "(.m16n8k16|.m16n8k32).row.col(.f32.f16.f16.f32|"
                   ".f16.f16.f16.f16|.f32.bf16.bf16.f32)",
       c, decodeForm},
      {GOAT_SPARSE "(.m16n8k8|.m16n8k16).row.col.f32.tf32.tf32.f32", c,
       decodeForm},
      {GOAT_SPARSE "(.m16n8k32|.m16n8k64).row.col(.satfinite)?.s32(.s8|.u8)"
                   "(.s8|.u8).s32",
       c, decodeForm},
      {GOAT_SPARSE ".m16n8k64.row.col.f32(.e4m3|.e5m2)(.e4m3|.e5m2).f32", c,
       decodeForm},
  };
#undef GOAT_SPARSE
#undef GOAT_MMA
}

} // namespace goat::ptxsim
