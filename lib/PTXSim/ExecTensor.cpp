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
// once, unless the launch asks for another way.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "MmaNumerics.h"
#include "Numerics.h"
#include "Wide.h"

namespace goat::ptxsim {

bool requireWholeWarp(Warp &warp, const Instr &instr, uint32_t mask) {
  if (mask == allLanes)
    return true;
  warp.report(FindingKind::InactiveLane, instr, ~mask, 0,
              "expected all 32 lanes to execute this together but lanes are "
              "inactive");
  return false;
}

namespace {

/// Vectors of elements, and the two halves of a and b interleaved.
typedef uint32_t Words __attribute__((vector_size(32)));
typedef uint16_t Halves __attribute__((vector_size(16)));
template <typename V> GOAT_PTXSIM_INLINE V interleaveLow(V a, V b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
template <typename V> GOAT_PTXSIM_INLINE V interleaveHigh(V a, V b) {
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/// to[e][g] = from[g][e], for 8 rows of `columns` elements.
template <typename T, unsigned columns>
GOAT_PTXSIM_INLINE void transpose(const T *from, T (&to)[columns][8]) {
  if constexpr (sizeof(T) == 2 && columns == 8) {
    // Three perfect shuffles of the rows.
    Halves rows[8], next[8];
    std::memcpy(rows, from, sizeof(rows));
    for (unsigned step = 0; step < 3; ++step) {
      for (unsigned i = 0; i < 4; ++i) {
        next[2 * i] = interleaveLow(rows[i], rows[i + 4]);
        next[2 * i + 1] = interleaveHigh(rows[i], rows[i + 4]);
      }
      std::memcpy(rows, next, sizeof(rows));
    }
    std::memcpy(to, rows, sizeof(rows));
  } else {
    for (unsigned e = 0; e < columns; ++e)
      for (unsigned g = 0; g < 8; ++g)
        to[e][g] = from[columns * g + e];
  }
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
  // Lane 4g + t gets elements 2t and 2t + 1 of row g: the register is the
  // matrix.
  for (unsigned m = 0; m < count; ++m) {
    uint16_t matrix[8][8], turned[8][8];
    for (unsigned i = 0; i < 8; ++i) {
      if (valid >> (8 * m + i) & 1)
        std::memcpy(matrix[i], access.data[8 * m + i], 16);
      else
        std::memset(matrix[i], 0xCB, 16);
    }
    if (instr.flags & transposeFlag)
      transpose(matrix[0], turned);
    else
      std::memcpy(turned, matrix, sizeof(turned));
    uint32_t values[warpSize];
    std::memcpy(values, turned, sizeof(values));
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
    uint16_t matrix[8][8], turned[8][8];
    std::memcpy(turned, warp.lanes<uint32_t>(instr.op[1 + m]), sizeof(turned));
    if (instr.flags & transposeFlag)
      transpose(turned[0], matrix);
    else
      std::memcpy(matrix, turned, sizeof(matrix));
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
  d.instr.run = isLoad ? widest<&runLoadMatrix>() : widest<&runStoreMatrix>();
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

// An element type: how it lies in a register, and its value. Lane 4g + t holds
// elements `perRegister` * t and following of the `4 * perRegister` that the
// lanes of group g hold together, so that a register of the warp is an array of
// elements with one row for each group.
struct ElementF16 {
  using Raw = uint16_t;
  static double get(Raw raw) { return halfToFloat(raw); }
};
struct ElementBF16 {
  using Raw = uint16_t;
  static double get(Raw raw) { return bf16ToFloat(raw); }
};
struct ElementTF32 {
  using Raw = uint32_t;
  // The tensor core does not look at the lowest 13 bits.
  static double get(Raw raw) { return bitCast<float>(raw & 0xffffe000u); }
};
struct ElementS8 {
  using Raw = int8_t;
  static double get(Raw raw) { return raw; }
};
struct ElementU8 {
  using Raw = uint8_t;
  static double get(Raw raw) { return raw; }
};
template <typename Element>
constexpr unsigned perRegister = 4 / sizeof(typename Element::Raw);

/// The 16x8 accumulators, in memory order.
using Accumulators = double[16][8];
/// One row of them.
typedef double Row __attribute__((vector_size(64)));

/// c += a b, term by term in order of k. Products are exact in double, so that
/// fusing them with the sum changes nothing.
template <unsigned K>
GOAT_PTXSIM_INLINE void multiply(const double (&a)[16][K],
                                 const double (&b)[K][8], Accumulators &c) {
#ifdef __clang__
#pragma clang fp contract(fast)
#endif
  constexpr unsigned step = 4;
  for (unsigned m = 0; m < 16; m += step) {
    Row rows[step];
    std::memcpy(rows, c[m], sizeof(rows));
    for (unsigned k = 0; k < K; ++k) {
      Row right;
      std::memcpy(&right, b[k], sizeof(right));
      for (unsigned i = 0; i < step; ++i)
        rows[i] += a[m + i][k] * right;
    }
    std::memcpy(c[m], rows, sizeof(rows));
  }
}

enum class AccumulatorType { F32, F16, S32 };

// Accumulator i of lane 4g + t is element 2t + i%2 of row g + 8(i/2): the two
// accumulators of a row, lane by lane, are the row in order.
template <AccumulatorType Type>
GOAT_PTXSIM_INLINE void loadAccumulators(Warp &warp, const uint32_t *slots,
                                         Accumulators &c) {
  for (unsigned half = 0; half < 2; ++half) {
    double *rows = c[8 * half];
    if (Type == AccumulatorType::F16) {
      const uint16_t *values = warp.lanes<uint16_t>(slots[half]);
      for (unsigned i = 0; i < 2 * warpSize; ++i)
        rows[i] = halfToFloat(values[i]);
      continue;
    }
    const Words *even = warp.lanes<Words>(slots[2 * half]);
    const Words *odd = warp.lanes<Words>(slots[2 * half + 1]);
    alignas(64) uint32_t bits[2 * warpSize];
    for (unsigned i = 0; i < warpSize / 8; ++i) {
      Words pair[2] = {interleaveLow(even[i], odd[i]),
                       interleaveHigh(even[i], odd[i])};
      std::memcpy(bits + 16 * i, pair, sizeof(pair));
    }
    for (unsigned i = 0; i < 2 * warpSize; ++i)
      rows[i] = Type == AccumulatorType::F32 ? double(bitCast<float>(bits[i]))
                                             : static_cast<int32_t>(bits[i]);
  }
}

template <AccumulatorType Type>
GOAT_PTXSIM_INLINE void storeAccumulators(Warp &warp, const uint32_t *slots,
                                          const Accumulators &c, bool saturates,
                                          uint32_t mask) {
  for (unsigned half = 0; half < 2; ++half) {
    const double *rows = c[8 * half];
    if (Type == AccumulatorType::F16) {
      uint32_t values[warpSize];
      for (unsigned lane = 0; lane < warpSize; ++lane)
        values[lane] = doubleToHalf(rows[2 * lane]) |
                       static_cast<uint32_t>(doubleToHalf(rows[2 * lane + 1]))
                           << 16;
      warp.store<uint32_t>(slots[half], values, mask);
      continue;
    }
    alignas(64) uint32_t bits[2 * warpSize];
    for (unsigned i = 0; i < 2 * warpSize; ++i) {
      double value = rows[i];
      if (Type == AccumulatorType::F32)
        bits[i] = bitCast<uint32_t>(canonical(static_cast<float>(value)));
      else if (saturates && value > 2147483647.0)
        bits[i] = 0x7fffffffu;
      else if (saturates && value < -2147483648.0)
        bits[i] = 0x80000000u;
      else
        bits[i] = static_cast<uint32_t>(static_cast<int64_t>(value));
    }
    uint32_t even[warpSize], odd[warpSize];
    for (unsigned i = 0; i < warpSize / 8; ++i) {
      Words low, high;
      std::memcpy(&low, bits + 16 * i, sizeof(low));
      std::memcpy(&high, bits + 16 * i + 8, sizeof(high));
      Words pair[2] = {
          __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14),
          __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15)};
      std::memcpy(even + 8 * i, &pair[0], sizeof(low));
      std::memcpy(odd + 8 * i, &pair[1], sizeof(low));
    }
    warp.store<uint32_t>(slots[2 * half], even, mask);
    warp.store<uint32_t>(slots[2 * half + 1], odd, mask);
  }
}

template <unsigned K, typename A, typename B, AccumulatorType Type>
void runMma(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  constexpr unsigned columns = 4 * perRegister<A>;
  constexpr unsigned bRegisters = K / columns;
  constexpr unsigned aRegisters = 2 * bRegisters;
  const uint32_t *aSlots = instr.op + instr.numDst;
  const uint32_t *bSlots = aSlots + aRegisters;
  const uint32_t *cSlots = bSlots + bRegisters;
  alignas(64) double a[16][K];
  alignas(64) double b[K][8];
  alignas(64) Accumulators c;
  for (unsigned r = 0; r < aRegisters; ++r) {
    const auto *raw = warp.lanes<typename A::Raw>(aSlots[r]);
    for (unsigned g = 0; g < 8; ++g)
      for (unsigned e = 0; e < columns; ++e)
        a[g + 8 * (r % 2)][columns * (r / 2) + e] =
            A::get(raw[columns * g + e]);
  }
  for (unsigned r = 0; r < bRegisters; ++r) {
    const auto *raw = warp.lanes<typename B::Raw>(bSlots[r]);
    typename B::Raw turned[columns][8];
    transpose(raw, turned);
    for (unsigned e = 0; e < columns; ++e)
      for (unsigned g = 0; g < 8; ++g)
        b[columns * r + e][g] = B::get(turned[e][g]);
  }
  loadAccumulators<Type>(warp, cSlots, c);
  uint64_t seed = warp.worker.launch.config.mmaNumerics;
  if (Type != AccumulatorType::S32 && seed)
    multiplyVaried(K, a[0], b[0], c[0], seed);
  else
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
MmaRow mmaRow(std::string_view shape, Type aType, Type bType, Type cType) {
  return {shape, aType,         bType, cType, widest<&runMma<K, A, B, C>>(),
          K,     perRegister<A>};
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
