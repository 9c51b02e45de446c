//===- ExecWmma.cpp - matrix products with opaque fragments ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.load, wmma.store and wmma.mma. The ISA leaves open which lane holds
// which element. Here the elements of A (by row), B (by row) and C (by row) lie
// one after the other in the registers of lane 0, lane 1 and so on; where a
// fragment has more room than the matrix has elements, as those of fp16 have,
// it starts over. Products are exact; they and C are summed in double and
// rounded once, unless the launch asks for another way.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "MmaNumerics.h"
#include "Numerics.h"

#include <cmath>

namespace goat::ptxsim {

namespace {

struct Shape {
  std::string_view name;
  unsigned m, n, k;
};
constexpr Shape shapes[] = {{"m16n16k16", 16, 16, 16},
                            {"m32n8k16", 32, 8, 16},
                            {"m8n32k16", 8, 32, 16},
                            {"m16n16k8", 16, 16, 8},
                            {"m8n8k4", 8, 8, 4}};

enum Matrix : uint32_t { A, B, C };

// Instr::flags: the shape, the matrix, its order, then four types. The highest
// bit belongs to the address.
constexpr uint32_t matrixShift = 3, columnMajor = 1u << 5, saturates = 1u << 6;
constexpr uint32_t typeShift = 8, typeBits = 5;

uint32_t packType(Type type, unsigned index) {
  return static_cast<uint32_t>(type) << (typeShift + typeBits * index);
}
Type typeOf(const Instr &instr, unsigned index) {
  return static_cast<Type>(instr.flags >> (typeShift + typeBits * index) &
                           ((1u << typeBits) - 1));
}
const Shape &shapeOf(const Instr &instr) { return shapes[instr.flags & 7]; }

unsigned rowsOf(const Shape &shape, Matrix matrix) {
  return matrix == B ? shape.k : shape.m;
}
unsigned columnsOf(const Shape &shape, Matrix matrix) {
  return matrix == A ? shape.k : shape.n;
}

/// How a fragment lies in registers.
struct Fragment {
  unsigned elementBytes, registerBytes, registers, perLane, count;
};

Fragment fragmentOf(const Shape &shape, Matrix matrix, Type type) {
  Fragment f;
  f.elementBytes = type == Type::TF32 ? 4 : bitWidth(type) / 8;
  f.registerBytes = type == Type::F64 ? 8 : 4;
  f.count = rowsOf(shape, matrix) * columnsOf(shape, matrix);
  f.perLane = type == Type::F16 && matrix != C ? 16 : f.count / warpSize;
  f.registers = f.perLane * f.elementBytes / f.registerBytes;
  return f;
}

double decode(uint64_t bits, Type type) {
  switch (type) {
  case Type::F16:
    return halfToFloat(static_cast<uint16_t>(bits));
  case Type::BF16:
    return bf16ToFloat(static_cast<uint16_t>(bits));
  case Type::TF32: // the lowest 13 bits are not looked at
    return bitCast<float>(static_cast<uint32_t>(bits) & 0xffffe000u);
  case Type::F32:
    return bitCast<float>(static_cast<uint32_t>(bits));
  case Type::F64:
    return bitCast<double>(bits);
  case Type::S8:
    return static_cast<int8_t>(bits);
  case Type::U8:
    return static_cast<uint8_t>(bits);
  default:
    return static_cast<int32_t>(bits);
  }
}

uint64_t encodeSum(double value, Type type, bool isClamped) {
  switch (type) {
  case Type::F16:
    return doubleToHalf(value);
  case Type::F32:
    return bitCast<uint32_t>(canonical(static_cast<float>(value)));
  case Type::F64:
    return bitCast<uint64_t>(value);
  default:
    if (isClamped)
      value = std::fmin(std::fmax(value, -2147483648.0), 2147483647.0);
    return static_cast<uint32_t>(static_cast<int64_t>(value));
  }
}

/// Where element `j` of the lanes' fragments lies.
uint8_t *elementAt(Warp &warp, const uint32_t *slots, const Fragment &f,
                   unsigned lane, unsigned j) {
  unsigned perRegister = f.registerBytes / f.elementBytes;
  return warp.lanes<uint8_t>(slots[j / perRegister]) + lane * f.registerBytes +
         j % perRegister * f.elementBytes;
}

/// A load or, with IsStore, a store: one element of every lane after the other.
template <bool IsStore>
void runTransfer(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  const Shape &shape = shapeOf(instr);
  Matrix matrix = static_cast<Matrix>(instr.flags >> matrixShift & 3);
  Fragment f = fragmentOf(shape, matrix, typeOf(instr, 0));
  bool isColumnMajor = instr.flags & columnMajor;
  const uint32_t *slots = IsStore ? instr.op + 1 : instr.op;
  const uint32_t *stride = instr.numSrc == (IsStore ? f.registers + 2 : 2)
                               ? warp.lanes<uint32_t>(instr.op[f.registers + 1])
                               : nullptr;
  unsigned columns = columnsOf(shape, matrix);
  unsigned pitch = isColumnMajor ? rowsOf(shape, matrix) : columns;
  LaneAccess base, access;
  computeAddresses(warp, instr, IsStore ? instr.op[0] : instr.op[f.registers],
                   base);
  for (unsigned j = 0; j < f.perLane; ++j) {
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned element = (lane * f.perLane + j) % f.count;
      unsigned row = element / columns, column = element % columns;
      uint64_t apart = stride ? stride[lane] : pitch;
      uint64_t offset =
          isColumnMajor ? column * apart + row : row * apart + column;
      access.address[lane] = base.address[lane] + offset * f.elementBytes;
    }
    uint32_t valid =
        resolveAccess(warp, instr, instr.access.space,
                      IsStore ? AccessKind::Write : AccessKind::Read,
                      f.elementBytes, mask, access);
    for (uint32_t left = valid; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      uint8_t *held = elementAt(warp, slots, f, lane, j);
      std::memcpy(IsStore ? access.data[lane] : held,
                  IsStore ? held : access.data[lane], f.elementBytes);
    }
  }
}

/// The matrix a fragment stands for, by rows.
void gather(Warp &warp, const uint32_t *slots, const Fragment &f, Type type,
            double *elements) {
  for (unsigned i = 0; i < f.count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, elementAt(warp, slots, f, i / f.perLane, i % f.perLane),
                f.elementBytes);
    elements[i] = decode(bits, type);
  }
}

void runMultiply(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  const Shape &shape = shapeOf(instr);
  Type aType = typeOf(instr, 0), bType = typeOf(instr, 1);
  Type cType = typeOf(instr, 2), dType = typeOf(instr, 3);
  Fragment fa = fragmentOf(shape, A, aType), fb = fragmentOf(shape, B, bType);
  Fragment fc = fragmentOf(shape, C, cType), fd = fragmentOf(shape, C, dType);
  double a[32 * 16], b[32 * 16], c[32 * 32];
  const uint32_t *slots = instr.op + instr.numDst;
  gather(warp, slots, fa, aType, a);
  gather(warp, slots + fa.registers, fb, bType, b);
  gather(warp, slots + fa.registers + fb.registers, fc, cType, c);
  bool isDouble = aType == Type::F64, isInteger = cType == Type::S32;
  uint64_t seed = warp.worker.launch.config.mmaNumerics;
  if (isDouble || (seed && !isInteger)) {
    multiplyVaried(isDouble ? MmaOperands::Double : MmaOperands::Float, shape.m,
                   shape.n, shape.k, a, b, c, seed);
  } else {
    for (unsigned row = 0; row < shape.m; ++row)
      for (unsigned k = 0; k < shape.k; ++k)
        for (unsigned column = 0; column < shape.n; ++column)
          c[row * shape.n + column] +=
              a[row * shape.k + k] * b[k * shape.n + column];
  }
  for (unsigned i = 0; i < fd.count; ++i) {
    unsigned lane = i / fd.perLane;
    uint64_t bits = encodeSum(c[i], dType, instr.flags & saturates);
    if (mask >> lane & 1)
      std::memcpy(elementAt(warp, instr.op, fd, lane, i % fd.perLane), &bits,
                  fd.elementBytes);
  }
}

/// The row of `shapes` among the modifiers; false after `fail`.
bool findShape(Decoder &d, uint32_t &index) {
  for (index = 0; index < std::size(shapes); ++index)
    if (d.has(shapes[index].name))
      return true;
  return d.fail("unsupported shape");
}

bool decodeTransfer(Decoder &d) {
  bool isStore = d.has("store");
  uint32_t shape;
  if (!findShape(d, shape) || !d.expectOperands(2, 3))
    return false;
  Matrix matrix = d.has("a") ? A : d.has("b") ? B : C;
  Type type = d.type();
  Fragment f = fragmentOf(shapes[shape], matrix, type);
  d.instr.access.space = parseSpace(d);
  d.instr.access.elementBytes = static_cast<uint8_t>(f.elementBytes);
  if (d.instr.access.space != Space::Global)
    d.noteSharedWidth(f.elementBytes);
  d.instr.run = isStore ? runTransfer<true> : runTransfer<false>;
  bool isDecoded =
      isStore ? d.addAddress(d.operand(0)) &&
                    d.addSrcList(d.operand(1), f.registers, f.registerBytes)
              : d.addDstList(d.operand(0), f.registers, f.registerBytes) &&
                    d.addAddress(d.operand(1));
  if (isDecoded && d.numOperands() == 3)
    isDecoded = d.addSrc(d.operand(2), 4);
  // addAddress has set the bit for the width of its register.
  d.instr.flags |= shape | matrix << matrixShift |
                   (d.has("col") ? columnMajor : 0) | packType(type, 0);
  return isDecoded;
}

bool decodeMultiply(Decoder &d) {
  uint32_t shape;
  if (!findShape(d, shape) || !d.expectOperands(4))
    return false;
  // With fp16 operands only D and C are named.
  Type dType = d.type(0), aType = Type::F16, bType = Type::F16, cType;
  if (d.type(2) == Type::None) {
    cType = d.type(1);
  } else {
    aType = d.type(1);
    bType = d.type(2);
    cType = d.type(3);
  }
  const Shape &s = shapes[shape];
  Fragment fa = fragmentOf(s, A, aType), fb = fragmentOf(s, B, bType);
  Fragment fc = fragmentOf(s, C, cType), fd = fragmentOf(s, C, dType);
  d.instr.run = runMultiply;
  d.instr.flops = 2 * s.m * s.n * s.k;
  d.instr.flags = shape | (d.has("satfinite") ? saturates : 0) |
                  packType(aType, 0) | packType(bType, 1) | packType(cType, 2) |
                  packType(dType, 3);
  return d.addDstList(d.operand(0), fd.registers, fd.registerBytes) &&
         d.addSrcList(d.operand(1), fa.registers, fa.registerBytes) &&
         d.addSrcList(d.operand(2), fb.registers, fb.registerBytes) &&
         d.addSrcList(d.operand(3), fc.registers, fc.registerBytes);
}

} // namespace

std::vector<OpcodeRow> wmmaOpcodes() {
#define GOAT_ORDER "(.row|.col)"
#define GOAT_SPACE "(.global|.shared|.shared::cta)?"
  return {
      {"wmma.load(.a|.b).sync.aligned" GOAT_ORDER
       "(.m16n16k16|.m8n32k16|.m32n8k16)" GOAT_SPACE "(.f16|.bf16|.s8|.u8)",
       OpClass::LoadMatrix, decodeTransfer},
      {"wmma.load(.a|.b).sync.aligned" GOAT_ORDER ".m16n16k8" GOAT_SPACE
       ".tf32",
       OpClass::LoadMatrix, decodeTransfer},
      {"wmma.load(.a|.b|.c).sync.aligned" GOAT_ORDER ".m8n8k4" GOAT_SPACE
       ".f64",
       OpClass::LoadMatrix, decodeTransfer},
      {"wmma.load.c.sync.aligned" GOAT_ORDER
       "(.m16n16k16|.m8n32k16|.m32n8k16)" GOAT_SPACE "(.f16|.f32|.s32)",
       OpClass::LoadMatrix, decodeTransfer},
      {"wmma.load.c.sync.aligned" GOAT_ORDER ".m16n16k8" GOAT_SPACE ".f32",
       OpClass::LoadMatrix, decodeTransfer},
      {"wmma.store.d.sync.aligned" GOAT_ORDER
       "(.m16n16k16|.m8n32k16|.m32n8k16)" GOAT_SPACE "(.f16|.f32|.s32)",
       OpClass::StoreMatrix, decodeTransfer},
      {"wmma.store.d.sync.aligned" GOAT_ORDER ".m16n16k8" GOAT_SPACE ".f32",
       OpClass::StoreMatrix, decodeTransfer},
      {"wmma.store.d.sync.aligned" GOAT_ORDER ".m8n8k4" GOAT_SPACE ".f64",
       OpClass::StoreMatrix, decodeTransfer},
      {"wmma.mma.sync.aligned" GOAT_ORDER GOAT_ORDER
       "(.m16n16k16|.m8n32k16|.m32n8k16)(.f16|.f32)(.f16|.f32)",
       OpClass::TensorMma, decodeMultiply},
      {"wmma.mma.sync.aligned" GOAT_ORDER GOAT_ORDER
       "(.m16n16k16|.m8n32k16|.m32n8k16).f32.bf16.bf16.f32",
       OpClass::TensorMma, decodeMultiply},
      {"wmma.mma.sync.aligned" GOAT_ORDER GOAT_ORDER
       ".m16n16k8.f32.tf32.tf32.f32",
       OpClass::TensorMma, decodeMultiply},
      {"wmma.mma.sync.aligned" GOAT_ORDER GOAT_ORDER
       "(.m16n16k16|.m8n32k16|.m32n8k16).s32.s8.s8.s32(.satfinite)?",
       OpClass::TensorMma, decodeMultiply},
      {"wmma.mma.sync.aligned" GOAT_ORDER GOAT_ORDER
       "(.m16n16k16|.m8n32k16|.m32n8k16).s32.u8.u8.s32(.satfinite)?",
       OpClass::TensorMma, decodeMultiply},
      {"wmma.mma.sync.aligned" GOAT_ORDER GOAT_ORDER
       ".m8n8k4(.rn)?.f64.f64.f64.f64(.rn)?",
       OpClass::TensorMma, decodeMultiply},
  };
#undef GOAT_ORDER
#undef GOAT_SPACE
}

} // namespace goat::ptxsim
