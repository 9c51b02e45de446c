//===- ExecTensor.cpp - matrix loads and matrix multiply ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix and mma.sync. Fragments follow the PTX ISA: with g =
// lane/4, t = lane%4 and E elements in a 32-bit register, register r of A holds
// row g + 8(r%2), columns E·t + 4E(r/2) + e; register r of B holds rows E·t +
// 4E·r + e of column g; element i of C lies in row g + 8(i/2), column 2t + i%2.
// Products are exact, they and C are summed in double and the sum is rounded
// once.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Numerics.h"

namespace goat::ptxsim {

namespace {

bool requireWholeWarp(Warp &warp, const Instr &instr, uint32_t mask) {
  if (mask == allLanes)
    return true;
  warp.report(FindingKind::InactiveLane, instr, ~mask, 0,
              "expected all 32 lanes to execute this together but lanes are "
              "inactive");
  return false;
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

constexpr uint32_t transposeFlag = 1;

void runLoadMatrix(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  unsigned count = instr.access.vector;
  LaneAccess access;
  computeAddresses(warp, instr, instr.op[instr.numDst], access);
  // Lane 8m + i gives the address of row i of matrix m.
  uint32_t rows = count == 4 ? allLanes : (1u << 8 * count) - 1;
  uint32_t valid = resolveAccess(warp, instr, Space::Shared, AccessKind::Read,
                                 16, rows & mask, access);
  for (unsigned m = 0; m < count; ++m) {
    uint16_t matrix[8][8];
    for (unsigned i = 0; i < 8; ++i) {
      if (valid >> (8 * m + i) & 1)
        std::memcpy(matrix[i], access.data[8 * m + i], 16);
      else
        std::memset(matrix[i], 0xCB, 16);
    }
    uint32_t values[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned g = lane / 4, t = lane % 4;
      uint32_t low, high;
      if (instr.flags & transposeFlag) {
        low = matrix[2 * t][g];
        high = matrix[2 * t + 1][g];
      } else {
        low = matrix[g][2 * t];
        high = matrix[g][2 * t + 1];
      }
      values[lane] = low | high << 16;
    }
    warp.store<uint32_t>(instr.op[m], values, mask);
  }
}

void runStoreMatrix(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  unsigned count = instr.access.vector;
  LaneAccess access;
  computeAddresses(warp, instr, instr.op[0], access);
  uint32_t rows = count == 4 ? allLanes : (1u << 8 * count) - 1;
  uint32_t valid = resolveAccess(warp, instr, Space::Shared, AccessKind::Write,
                                 16, rows & mask, access);
  for (unsigned m = 0; m < count; ++m) {
    const uint32_t *values = warp.lanes<uint32_t>(instr.op[1 + m]);
    uint16_t matrix[8][8];
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned g = lane / 4, t = lane % 4;
      uint16_t low = static_cast<uint16_t>(values[lane]);
      uint16_t high = static_cast<uint16_t>(values[lane] >> 16);
      if (instr.flags & transposeFlag) {
        matrix[2 * t][g] = low;
        matrix[2 * t + 1][g] = high;
      } else {
        matrix[g][2 * t] = low;
        matrix[g][2 * t + 1] = high;
      }
    }
    for (unsigned i = 0; i < 8; ++i)
      if (valid >> (8 * m + i) & 1)
        std::memcpy(access.data[8 * m + i], matrix[i], 16);
  }
}

bool decodeMatrix(Decoder &d) {
  bool isLoad = d.opcode()[0] == 'l';
  unsigned count = d.has("x4") ? 4 : d.has("x2") ? 2 : 1;
  d.instr.access.vector = static_cast<uint8_t>(count);
  d.instr.access.space = Space::Shared;
  d.instr.access.elementBytes = 16;
  d.instr.run = isLoad ? runLoadMatrix : runStoreMatrix;
  if (!d.expectOperands(2))
    return false;
  bool isDecoded =
      isLoad
          ? d.addDstList(d.operand(0), count, 4) && d.addAddress(d.operand(1))
          : d.addAddress(d.operand(0)) && d.addSrcList(d.operand(1), count, 4);
  d.instr.flags |= d.has("trans") ? transposeFlag : 0;
  return isDecoded;
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

struct ElementF16 {
  static constexpr unsigned perRegister = 2;
  static double get(uint32_t word, unsigned e) {
    return halfToFloat(static_cast<uint16_t>(word >> 16 * e));
  }
};
struct ElementBF16 {
  static constexpr unsigned perRegister = 2;
  static double get(uint32_t word, unsigned e) {
    return bf16ToFloat(static_cast<uint16_t>(word >> 16 * e));
  }
};
struct ElementTF32 {
  static constexpr unsigned perRegister = 1;
  // The tensor core does not look at the lowest 13 bits.
  static double get(uint32_t word, unsigned) {
    return bitCast<float>(word & 0xffffe000u);
  }
};
struct ElementS8 {
  static constexpr unsigned perRegister = 4;
  static double get(uint32_t word, unsigned e) {
    return static_cast<int8_t>(word >> 8 * e);
  }
};
struct ElementU8 {
  static constexpr unsigned perRegister = 4;
  static double get(uint32_t word, unsigned e) {
    return static_cast<uint8_t>(word >> 8 * e);
  }
};

/// The 16x8 accumulators, in memory order.
using Accumulators = double[16][8];

template <unsigned K>
void multiply(const double (&a)[16][K], const double (&b)[K][8],
              Accumulators &c) {
  for (unsigned m = 0; m < 16; ++m) {
    double row[8];
    for (unsigned n = 0; n < 8; ++n)
      row[n] = c[m][n];
    for (unsigned k = 0; k < K; ++k)
      for (unsigned n = 0; n < 8; ++n)
        row[n] += a[m][k] * b[k][n];
    for (unsigned n = 0; n < 8; ++n)
      c[m][n] = row[n];
  }
}

enum class AccumulatorType { F32, F16, S32 };

template <AccumulatorType Type>
void loadAccumulators(Warp &warp, const uint32_t *slots, Accumulators &c) {
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t *values =
        warp.lanes<uint32_t>(slots[Type == AccumulatorType::F16 ? i / 2 : i]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      double &element = c[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
      if (Type == AccumulatorType::F32)
        element = bitCast<float>(values[lane]);
      else if (Type == AccumulatorType::F16)
        element =
            halfToFloat(static_cast<uint16_t>(values[lane] >> 16 * (i % 2)));
      else
        element = static_cast<int32_t>(values[lane]);
    }
  }
}

template <AccumulatorType Type>
void storeAccumulators(Warp &warp, const uint32_t *slots, const Accumulators &c,
                       bool saturates, uint32_t mask) {
  constexpr unsigned perRegister = Type == AccumulatorType::F16 ? 2 : 1;
  for (unsigned r = 0; r < 4 / perRegister; ++r) {
    uint32_t values[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint32_t word = 0;
      for (unsigned e = 0; e < perRegister; ++e) {
        unsigned i = r * perRegister + e;
        double value = c[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
        if (Type == AccumulatorType::F32)
          word = bitCast<uint32_t>(canonical(static_cast<float>(value)));
        else if (Type == AccumulatorType::F16)
          word |= static_cast<uint32_t>(doubleToHalf(value)) << 16 * e;
        else if (saturates && value > 2147483647.0)
          word = 0x7fffffffu;
        else if (saturates && value < -2147483648.0)
          word = 0x80000000u;
        else
          word = static_cast<uint32_t>(static_cast<int64_t>(value));
      }
      values[lane] = word;
    }
    warp.store<uint32_t>(slots[r], values, mask);
  }
}

template <unsigned K, typename A, typename B, AccumulatorType Type>
void runMma(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  constexpr unsigned perRegister = A::perRegister;
  constexpr unsigned bRegisters = K / (4 * perRegister);
  constexpr unsigned aRegisters = 2 * bRegisters;
  const uint32_t *aSlots = instr.op + instr.numDst;
  const uint32_t *bSlots = aSlots + aRegisters;
  const uint32_t *cSlots = bSlots + bRegisters;
  alignas(64) double a[16][K];
  alignas(64) double b[K][8];
  alignas(64) Accumulators c;
  for (unsigned r = 0; r < aRegisters; ++r) {
    const uint32_t *words = warp.lanes<uint32_t>(aSlots[r]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned e = 0; e < perRegister; ++e)
        a[lane / 4 + 8 * (r % 2)]
         [perRegister * (lane % 4) + 4 * perRegister * (r / 2) + e] =
             A::get(words[lane], e);
  }
  for (unsigned r = 0; r < bRegisters; ++r) {
    const uint32_t *words = warp.lanes<uint32_t>(bSlots[r]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned e = 0; e < perRegister; ++e)
        b[perRegister * (lane % 4) + 4 * perRegister * r + e][lane / 4] =
            B::get(words[lane], e);
  }
  loadAccumulators<Type>(warp, cSlots, c);
  multiply<K>(a, b, c);
  storeAccumulators<Type>(warp, instr.op, c, instr.flags & 1, mask);
}

/// mma.m8n8k4 in fp64: A and B have one register, C and D two.
void runMmaF64(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  const double *a = warp.lanes<double>(instr.op[2]);
  const double *b = warp.lanes<double>(instr.op[3]);
  double result[2][warpSize];
  for (unsigned i = 0; i < 2; ++i) {
    const double *c = warp.lanes<double>(instr.op[4 + i]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned row = lane / 4, column = 2 * (lane % 4) + i;
      double sum = c[lane];
      for (unsigned k = 0; k < 4; ++k)
        sum = std::fma(a[4 * row + k], b[4 * column + k], sum);
      result[i][lane] = sum;
    }
  }
  for (unsigned i = 0; i < 2; ++i)
    warp.store<double>(instr.op[i], result[i], mask);
}

struct MmaRow {
  std::string_view shape;
  Type aType;
  Type bType;
  Type cType;
  Handler handler;
  unsigned k;
  unsigned perRegister;
};

template <unsigned K, typename A, typename B, AccumulatorType C>
constexpr MmaRow mmaRow(std::string_view shape, Type aType, Type bType,
                        Type cType) {
  return {shape, aType, bType, cType, runMma<K, A, B, C>, K, A::perRegister};
}

bool decodeMma(Decoder &d) {
  constexpr AccumulatorType f32 = AccumulatorType::F32,
                            f16 = AccumulatorType::F16,
                            s32 = AccumulatorType::S32;
  static const MmaRow rows[] = {
      mmaRow<16, ElementF16, ElementF16, f32>("m16n8k16", Type::F16, Type::F16,
                                              Type::F32),
      mmaRow<8, ElementF16, ElementF16, f32>("m16n8k8", Type::F16, Type::F16,
                                             Type::F32),
      mmaRow<16, ElementF16, ElementF16, f16>("m16n8k16", Type::F16, Type::F16,
                                              Type::F16),
      mmaRow<8, ElementF16, ElementF16, f16>("m16n8k8", Type::F16, Type::F16,
                                             Type::F16),
      mmaRow<16, ElementBF16, ElementBF16, f32>("m16n8k16", Type::BF16,
                                                Type::BF16, Type::F32),
      mmaRow<8, ElementBF16, ElementBF16, f32>("m16n8k8", Type::BF16,
                                               Type::BF16, Type::F32),
      mmaRow<8, ElementTF32, ElementTF32, f32>("m16n8k8", Type::TF32,
                                               Type::TF32, Type::F32),
      mmaRow<4, ElementTF32, ElementTF32, f32>("m16n8k4", Type::TF32,
                                               Type::TF32, Type::F32),
      mmaRow<32, ElementS8, ElementS8, s32>("m16n8k32", Type::S8, Type::S8,
                                            Type::S32),
      mmaRow<32, ElementS8, ElementU8, s32>("m16n8k32", Type::S8, Type::U8,
                                            Type::S32),
      mmaRow<32, ElementU8, ElementS8, s32>("m16n8k32", Type::U8, Type::S8,
                                            Type::S32),
      mmaRow<32, ElementU8, ElementU8, s32>("m16n8k32", Type::U8, Type::U8,
                                            Type::S32),
      mmaRow<16, ElementS8, ElementS8, s32>("m16n8k16", Type::S8, Type::S8,
                                            Type::S32),
      mmaRow<16, ElementS8, ElementU8, s32>("m16n8k16", Type::S8, Type::U8,
                                            Type::S32),
      mmaRow<16, ElementU8, ElementS8, s32>("m16n8k16", Type::U8, Type::S8,
                                            Type::S32),
      mmaRow<16, ElementU8, ElementU8, s32>("m16n8k16", Type::U8, Type::U8,
                                            Type::S32),
  };
  if (!d.expectOperands(4))
    return false;
  if (d.has("m8n8k4")) {
    d.instr.run = runMmaF64;
    d.instr.flops = 2 * 8 * 8 * 4;
    return d.addDstList(d.operand(0), 2, 8) &&
           d.addSrcList(d.operand(1), 1, 8) &&
           d.addSrcList(d.operand(2), 1, 8) && d.addSrcList(d.operand(3), 2, 8);
  }
  for (const MmaRow &row : rows) {
    if (!d.has(row.shape) || d.type(1) != row.aType || d.type(2) != row.bType ||
        d.type(3) != row.cType || d.type(0) != row.cType)
      continue;
    size_t bRegisters = row.k / (4 * row.perRegister);
    size_t cRegisters = row.cType == Type::F16 ? 2 : 4;
    d.instr.run = row.handler;
    d.instr.flags = d.has("satfinite") ? 1 : 0;
    d.instr.flops = 2 * 16 * 8 * row.k;
    return d.addDstList(d.operand(0), cRegisters, 4) &&
           d.addSrcList(d.operand(1), 2 * bRegisters, 4) &&
           d.addSrcList(d.operand(2), bRegisters, 4) &&
           d.addSrcList(d.operand(3), cRegisters, 4);
  }
  return d.fail("unsupported combination of shape and types");
}

} // namespace

std::vector<OpcodeRow> tensorOpcodes() {
  constexpr OpClass c = OpClass::TensorMma;
  return {
      {"ldmatrix.sync.aligned.m8n8(.x1|.x2|.x4)(.trans)?(.shared|.shared::cta)"
       ".b16",
       OpClass::LoadMatrix, decodeMatrix},
      {"stmatrix.sync.aligned.m8n8(.x1|.x2|.x4)(.trans)?(.shared|.shared::cta)"
       ".b16",
       OpClass::StoreMatrix, decodeMatrix},
      {"mma.sync.aligned(.m16n8k8|.m16n8k16).row.col.f32.f16.f16.f32", c,
       decodeMma},
      {"mma.sync.aligned(.m16n8k8|.m16n8k16).row.col.f16.f16.f16.f16", c,
       decodeMma},
      {"mma.sync.aligned(.m16n8k8|.m16n8k16).row.col.f32.bf16.bf16.f32", c,
       decodeMma},
      {"mma.sync.aligned(.m16n8k4|.m16n8k8).row.col.f32.tf32.tf32.f32", c,
       decodeMma},
      {"mma.sync.aligned(.m16n8k16|.m16n8k32).row.col(.satfinite)?.s32"
       "(.s8|.u8)(.s8|.u8).s32",
       c, decodeMma},
      {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", c, decodeMma},
  };
}

} // namespace goat::ptxsim
