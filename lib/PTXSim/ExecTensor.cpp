//===- ExecTensor.cpp - matrix loads and matrix multiply ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix, movmatrix and mma.sync. Fragments follow the PTX ISA:
// with g = lane/4, t = lane%4 and E elements in a 32-bit register, register r
// of A holds row g + 8(r%2), columns E·t + 4E(r/2) + e; register r of B holds
// rows E·t + 4E·r + e of column g; element i of C lies in row g + 8(i/2),
// column 2t + i%2. Products are exact, they and C are summed in double and the
// sum is rounded once, unless the launch asks for another way.
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
// ldmatrix, stmatrix, movmatrix
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
  uint16_t matrices[4][8][8];
  for (unsigned m = 0; m < count; ++m) {
    uint16_t turned[8][8];
    std::memcpy(turned, warp.lanes<uint32_t>(instr.op[1 + m]), sizeof(turned));
    if (instr.flags & transposeFlag)
      transpose(turned[0], matrices[m]);
    else
      std::memcpy(matrices[m], turned, sizeof(turned));
    for (unsigned i = 0; i < 8; ++i)
      if (valid >> (8 * m + i) & 1)
        std::memcpy(access.data[8 * m + i], matrices[m][i], 16);
  }
  uint32_t lost = 0;
  for (uint32_t left = access.overlaps ? valid : 0; left; left &= left - 1) {
    unsigned row = static_cast<unsigned>(__builtin_ctz(left));
    if (std::memcmp(access.data[row], matrices[row / 8][row % 8], 16))
      lost |= 1u << row;
  }
  reportOverlap(warp, instr, lost, access);
}

/// A register of every lane is a matrix of 8 x 8 elements, by rows.
void runMoveMatrix(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  uint16_t turned[8][8];
  transpose(warp.lanes<uint16_t>(instr.op[1]), turned);
  uint32_t values[warpSize];
  std::memcpy(values, turned, sizeof(values));
  warp.store<uint32_t>(instr.op[0], values, mask);
}

bool decodeMoveMatrix(Decoder &d) {
  d.instr.run = runMoveMatrix;
  return d.expectOperands(2) && d.addDst(d.operand(0), 4) &&
         d.addSrc(d.operand(1), 4);
}

bool decodeMatrix(Decoder &d) {
  bool isLoad = d.opcode()[0] == 'l';
  unsigned count = d.has("x4") ? 4 : d.has("x2") ? 2 : 1;
  d.instr.access.vector = static_cast<uint8_t>(count);
  d.instr.access.space = Space::Shared;
  d.instr.access.elementBytes = 16;
  d.instr.run = isLoad ? wide<&runLoadMatrix>() : wide<&runStoreMatrix>();
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

/// A row of eight elements.
typedef double Row __attribute__((vector_size(64)));
typedef float FloatRow __attribute__((vector_size(32)));
typedef int32_t IntRow __attribute__((vector_size(32)));
/// Rows of the accumulators that are worked on together.
constexpr unsigned rowStep = 4;

/// The operands as numbers. Register r of A, element after element, is rows
/// 8(r%2) to 8(r%2) + 7 of columns from 4E(r/2) on; B has its rows.
template <unsigned K, unsigned columns> struct Operands {
  static constexpr unsigned blocks = K / columns;
  alignas(64) double a[2 * blocks][8 * columns];
  alignas(64) Row b[K];

  double at(unsigned m, unsigned k) const {
    return a[2 * (k / columns) + m / 8][columns * (m % 8) + k % columns];
  }
};

/// rows += a b for `rowStep` rows from m on, term by term in order of k.
/// Products are exact in double, so that fusing them with the sum changes
/// nothing.
template <unsigned K, unsigned columns>
GOAT_PTXSIM_INLINE void multiply(const Operands<K, columns> &operands,
                                 unsigned m, Row (&rows)[rowStep]) {
#ifdef __clang__
#pragma clang fp contract(fast)
#endif
  for (unsigned block = 0; block < K / columns; ++block) {
    const double *a = operands.a[2 * block + m / 8] + columns * (m % 8);
    for (unsigned k = 0; k < columns; ++k)
      for (unsigned i = 0; i < rowStep; ++i)
        rows[i] += a[columns * i + k] * operands.b[columns * block + k];
  }
}

enum class AccumulatorType { F32, F16, S32 };

// Accumulator i of lane 4g + t is element 2t + i%2 of row g + 8(i/2): the two
// accumulators of a row, lane by lane, are the row in order.
template <AccumulatorType Type>
GOAT_PTXSIM_INLINE void loadRows(Warp &warp, const uint32_t *slots, unsigned m,
                                 Row (&rows)[rowStep]) {
  if constexpr (Type == AccumulatorType::F16) {
    const uint16_t *values = warp.lanes<uint16_t>(slots[m / 8]) + m % 8 * 8;
    for (unsigned i = 0; i < rowStep; ++i)
      for (unsigned n = 0; n < 8; ++n)
        rows[i][n] = halfToFloat(values[8 * i + n]);
  } else {
    using Narrow =
        std::conditional_t<Type == AccumulatorType::F32, FloatRow, IntRow>;
    const Words *even = warp.lanes<Words>(slots[m / 8 * 2]) + m % 8 / 2;
    const Words *odd = warp.lanes<Words>(slots[m / 8 * 2 + 1]) + m % 8 / 2;
    for (unsigned i = 0; i < rowStep; i += 2) {
      Words low = interleaveLow(even[i / 2], odd[i / 2]);
      Words high = interleaveHigh(even[i / 2], odd[i / 2]);
      rows[i] = __builtin_convertvector((Narrow)low, Row);
      rows[i + 1] = __builtin_convertvector((Narrow)high, Row);
    }
  }
}

/// What the accumulators become, register by register.
struct Results {
  alignas(64) uint32_t registers[4][warpSize];
};

template <AccumulatorType Type>
GOAT_PTXSIM_INLINE Words narrowRow(const Row &row, bool saturates) {
  if constexpr (Type == AccumulatorType::F32) {
    FloatRow values = __builtin_convertvector(row, FloatRow);
    Words bits = (Words)values;
    Words isNaN = (Words)(values != values);
    return (bits & ~isNaN) | (isNaN & 0x7fffffffu);
  } else {
    Words bits;
    for (unsigned n = 0; n < 8; ++n) {
      double value = row[n];
      if (saturates)
        value = std::min(std::max(value, -2147483648.0), 2147483647.0);
      bits[n] = static_cast<uint32_t>(static_cast<int64_t>(value));
    }
    return bits;
  }
}

template <AccumulatorType Type>
GOAT_PTXSIM_INLINE void storeRows(Results &results, unsigned m, bool saturates,
                                  const Row (&rows)[rowStep]) {
  if constexpr (Type == AccumulatorType::F16) {
    uint32_t *words = results.registers[m / 8] + m % 8 * 4;
    for (unsigned i = 0; i < rowStep; ++i)
      for (unsigned t = 0; t < 4; ++t)
        words[4 * i + t] =
            doubleToHalf(rows[i][2 * t]) |
            static_cast<uint32_t>(doubleToHalf(rows[i][2 * t + 1])) << 16;
  } else {
    for (unsigned i = 0; i < rowStep; i += 2) {
      Words low = narrowRow<Type>(rows[i], saturates);
      Words high = narrowRow<Type>(rows[i + 1], saturates);
      Words even =
          __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
      Words odd = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
      unsigned lane = (m % 8 + i) * 4;
      std::memcpy(results.registers[m / 8 * 2] + lane, &even, sizeof(even));
      std::memcpy(results.registers[m / 8 * 2 + 1] + lane, &odd, sizeof(odd));
    }
  }
}

/// All rows at once, summed as the launch asks for.
template <unsigned K, unsigned columns>
void multiplyAsDrawn(const Operands<K, columns> &operands, double (&c)[16][8],
                     uint64_t seed) {
  double a[16][K];
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned k = 0; k < K; ++k)
      a[m][k] = operands.at(m, k);
  double b[K][8];
  std::memcpy(b, operands.b, sizeof(b));
  multiplyVaried(MmaOperands::Float, 16, 8, K, a[0], b[0], c[0], seed);
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
  Operands<K, columns> operands;
  for (unsigned r = 0; r < aRegisters; ++r) {
    const auto *raw = warp.lanes<typename A::Raw>(aSlots[r]);
    for (unsigned i = 0; i < 8 * columns; ++i)
      operands.a[r][i] = A::get(raw[i]);
  }
  for (unsigned r = 0; r < bRegisters; ++r) {
    typename B::Raw turned[columns][8];
    transpose(warp.lanes<typename B::Raw>(bSlots[r]), turned);
    for (unsigned e = 0; e < columns; ++e)
      for (unsigned g = 0; g < 8; ++g)
        operands.b[columns * r + e][g] = B::get(turned[e][g]);
  }
  // The destination may be a source of rows yet to come.
  Results results;
  bool saturates = instr.flags & 1;
  uint64_t seed = warp.worker.launch.config.mmaNumerics;
  if (Type != AccumulatorType::S32 && seed) {
    double c[16][8];
    Row rows[rowStep];
    for (unsigned m = 0; m < 16; m += rowStep) {
      loadRows<Type>(warp, cSlots, m, rows);
      std::memcpy(c[m], rows, sizeof(rows));
    }
    multiplyAsDrawn(operands, c, seed);
    for (unsigned m = 0; m < 16; m += rowStep) {
      std::memcpy(rows, c[m], sizeof(rows));
      storeRows<Type>(results, m, saturates, rows);
    }
  } else {
    for (unsigned m = 0; m < 16; m += rowStep) {
      Row rows[rowStep];
      loadRows<Type>(warp, cSlots, m, rows);
      multiply(operands, m, rows);
      storeRows<Type>(results, m, saturates, rows);
    }
  }
  for (unsigned r = 0; r < instr.numDst; ++r)
    warp.store<uint32_t>(instr.op[r], results.registers[r], mask);
}

/// mma.m8n8k4 in fp64: A and B have one register, C and D two.
void runMmaF64(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  const double *a = warp.lanes<double>(instr.op[2]);
  const double *columns = warp.lanes<double>(instr.op[3]);
  double b[4 * 8], c[8 * 8];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    b[lane % 4 * 8 + lane / 4] = columns[lane];
    for (unsigned i = 0; i < 2; ++i)
      c[2 * lane + i] = warp.lanes<double>(instr.op[4 + i])[lane];
  }
  multiplyVaried(MmaOperands::Double, 8, 8, 4, a, b, c,
                 warp.worker.launch.config.mmaNumerics);
  for (unsigned i = 0; i < 2; ++i) {
    double result[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result[lane] = c[2 * lane + i];
    warp.store<double>(instr.op[i], result, mask);
  }
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
      {"movmatrix.sync.aligned.m8n8.trans.b16", OpClass::Shuffle,
       decodeMoveMatrix},
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
