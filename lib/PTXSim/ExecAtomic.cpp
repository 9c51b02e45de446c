//===- ExecAtomic.cpp - atomics and reductions in memory ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atom and red on global and shared memory. Lanes go one after the other;
// between host threads a compare-and-swap keeps the operation indivisible.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Numerics.h"
#include "Reduction.h"

#include <type_traits>

namespace goat::ptxsim {

namespace {

enum class Op : uint32_t { Add, Min, Max, Inc, Dec, Exch, Cas, And, Or, Xor };

struct Half2 {
  static uint32_t add(uint32_t a, uint32_t b, bool isBf16) {
    uint32_t result = 0;
    for (unsigned shift : {0u, 16u}) {
      uint16_t x = static_cast<uint16_t>(a >> shift);
      uint16_t y = static_cast<uint16_t>(b >> shift);
      uint32_t sum =
          isBf16 ? encode(addToOdd(bf16ToFloat(x), bf16ToFloat(y)), formatBF16,
                          Rounding::Nearest)
                 : doubleToHalf(addToOdd(halfToFloat(x), halfToFloat(y)));
      result |= sum << shift;
    }
    return result;
  }
};

template <typename T> T integerOp(Op op, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case Op::Add:
    return static_cast<T>(U(old) + U(b));
  case Op::Min:
    return old < b ? old : b;
  case Op::Max:
    return old > b ? old : b;
  case Op::Inc:
    return old >= b ? T(0) : static_cast<T>(old + 1);
  case Op::Dec:
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  case Op::Exch:
    return b;
  case Op::Cas:
    return old == b ? c : old;
  case Op::And:
    return old & b;
  case Op::Or:
    return old | b;
  case Op::Xor:
    return old ^ b;
  }
  return old;
}

/// `flushes`: fp32 additions in global memory take subnormal inputs and results
/// as zero, those in shared memory do not.
uint64_t applyOp(Op op, Type type, uint64_t old, uint64_t b, uint64_t c,
                 bool flushes) {
  switch (type) {
  case Type::S32:
    return static_cast<uint32_t>(
        integerOp<int32_t>(op, static_cast<int32_t>(old),
                           static_cast<int32_t>(b), static_cast<int32_t>(c)));
  case Type::S64:
    return static_cast<uint64_t>(
        integerOp<int64_t>(op, static_cast<int64_t>(old),
                           static_cast<int64_t>(b), static_cast<int64_t>(c)));
  case Type::U64:
  case Type::B64:
    return integerOp<uint64_t>(op, old, b, c);
  case Type::B16:
    return integerOp<uint16_t>(op, static_cast<uint16_t>(old),
                               static_cast<uint16_t>(b),
                               static_cast<uint16_t>(c));
  case Type::F32: {
    float x = bitCast<float>(static_cast<uint32_t>(old));
    float y = bitCast<float>(static_cast<uint32_t>(b));
    return bitCast<uint32_t>(flushes ? flush(canonical(flush(x) + flush(y)))
                                     : canonical(x + y));
  }
  case Type::F64:
    return bitCast<uint64_t>(bitCast<double>(old) + bitCast<double>(b));
  case Type::F16x2:
    return Half2::add(static_cast<uint32_t>(old), static_cast<uint32_t>(b),
                      false);
  case Type::BF16x2:
    return Half2::add(static_cast<uint32_t>(old), static_cast<uint32_t>(b),
                      true);
  case Type::F16:
    return Half2::add(static_cast<uint32_t>(old), static_cast<uint32_t>(b),
                      false) &
           0xffff;
  case Type::BF16:
    return Half2::add(static_cast<uint32_t>(old), static_cast<uint32_t>(b),
                      true) &
           0xffff;
  default:
    return integerOp<uint32_t>(op, static_cast<uint32_t>(old),
                               static_cast<uint32_t>(b),
                               static_cast<uint32_t>(c));
  }
}

constexpr unsigned maxVector = 8;

/// Word is the unsigned integer of an element's width. The elements of a vector
/// are updated one by one.
template <typename Word>
void runAtomic(Warp &warp, const Instr &instr, uint32_t mask) {
  Op op = static_cast<Op>(instr.flags & 0xf);
  Type type = static_cast<Type>(instr.flags >> 8 & 0xff);
  unsigned first = instr.numDst, count = instr.access.vector;
  LaneAccess access;
  computeAddresses(warp, instr, instr.op[first], access);
  auto step = beginAccess(warp, instr, AccessKind::Atomic);
  uint32_t valid =
      resolveAccess(warp, instr, instr.access.space, AccessKind::Atomic,
                    sizeof(Word) * count, mask, access);
  // A destination may be one of the operands.
  Word olds[maxVector][warpSize];
  for (unsigned e = 0; e < count; ++e) {
    const Word *b = warp.lanes<Word>(instr.op[first + 1 + e]);
    const Word *c = warp.lanes<Word>(instr.op[first + 1 + e + (op == Op::Cas)]);
    for (uint32_t left = valid; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      Word *word = reinterpret_cast<Word *>(access.data[lane]) + e;
      bool isGlobal = instr.access.space == Space::Global ||
                      (instr.access.space == Space::Generic &&
                       access.address[lane] >= firstGlobalAddress);
      Word old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
      Word next;
      do
        next = static_cast<Word>(
            applyOp(op, type, old, b[lane], c[lane], isGlobal));
      while (!__atomic_compare_exchange_n(word, &old, next, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
      olds[e][lane] = old;
    }
  }
  for (unsigned e = 0; e < instr.numDst; ++e) {
    Word *result = warp.lanes<Word>(instr.op[e]);
    for (uint32_t left = valid; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      result[lane] = olds[e][lane];
    }
  }
}

/// The operation among the modifiers.
Op parseOp(const Decoder &d) {
  struct Name {
    std::string_view name;
    Op op;
  };
  static constexpr Name names[] = {
      {"add", Op::Add}, {"min", Op::Min},   {"max", Op::Max}, {"inc", Op::Inc},
      {"dec", Op::Dec}, {"exch", Op::Exch}, {"cas", Op::Cas}, {"and", Op::And},
      {"or", Op::Or},   {"xor", Op::Xor}};
  for (const Name &row : names)
    if (d.has(row.name))
      return row.op;
  return Op::Add;
}

bool decodeAtomic(Decoder &d) {
  bool hasResult = d.opcode().substr(0, 4) == "atom";
  Op op = parseOp(d);
  Type type = d.type();
  unsigned bytes = bitWidth(type) / 8;
  d.instr.access.space = parseSpace(d);
  d.instr.access.isStrong = true;
  d.instr.access.acquires = d.has("acquire") || d.has("acq_rel");
  d.instr.access.releases = d.has("release") || d.has("acq_rel");
  d.instr.access.isBlockScope = d.has("cta");
  d.noteGlobalWidth(bytes);
  d.instr.run = bytes == 2   ? runAtomic<uint16_t>
                : bytes == 4 ? runAtomic<uint32_t>
                             : runAtomic<uint64_t>;
  if (d.instr.access.space != Space::Global)
    d.noteSharedWidth(bytes);
  if (d.instr.access.space == Space::Shared && d.has("L2::cache_hint"))
    return d.fail("expected no cache policy for shared memory");
  size_t next = hasResult ? 1 : 0;
  size_t count = next + (op == Op::Cas ? 3 : 2);
  if (!d.expectOperands(count, count + (d.has("L2::cache_hint") ? 1 : 0)))
    return false;
  size_t vector = d.has("v2") ? 2 : d.has("v4") ? 4 : d.has("v8") ? 8 : 1;
  d.instr.access.vector = static_cast<uint8_t>(vector);
  if (vector > 1 && d.instr.access.space != Space::Global)
    return d.fail("expected .global where a vector is updated");
  if (hasResult && !d.addDstList(d.operand(0), vector, bytes))
    return false;
  if (!d.addAddress(d.operand(next)))
    return false;
  for (size_t i = next + 1; i < count; ++i)
    if (!d.addSrcList(d.operand(i), vector, bytes))
      return false;
  d.instr.flags |= static_cast<uint32_t>(op) | static_cast<uint32_t>(type) << 8;
  return true;
}

/// As `runAtomic`, for elements that lie side by side.
template <typename Word>
void reduceWords(Op op, Type type, uint8_t *destination, const uint8_t *source,
                 uint32_t bytes, bool isGlobal) {
  for (uint32_t at = 0; at < bytes; at += sizeof(Word)) {
    Word value;
    std::memcpy(&value, source + at, sizeof(Word));
    Word *word = reinterpret_cast<Word *>(destination + at);
    Word old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    Word next;
    do
      next = static_cast<Word>(applyOp(op, type, old, value, 0, isGlobal));
    while (!__atomic_compare_exchange_n(word, &old, next, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  }
}

} // namespace

uint32_t withType(uint32_t reduction, Type type) {
  return (reduction & 0xff) | static_cast<uint32_t>(type) << 8;
}

uint32_t parseReduction(const Decoder &decoder, Type type) {
  return withType(1 + static_cast<uint32_t>(parseOp(decoder)), type);
}

void applyReduction(uint32_t reduction, uint8_t *destination,
                    const uint8_t *source, uint32_t bytes, bool isGlobal) {
  Op op = static_cast<Op>((reduction & 0xff) - 1);
  Type type = static_cast<Type>(reduction >> 8);
  unsigned width = bitWidth(type);
  auto reduce = width == 64   ? reduceWords<uint64_t>
                : width == 32 ? reduceWords<uint32_t>
                              : reduceWords<uint16_t>;
  reduce(op, type, destination, source, bytes, isGlobal);
}

std::vector<OpcodeRow> atomicOpcodes() {
// Order and scope may come first, as the ISA has it; behind the space or the
// operation, as nvcc and its headers write them.
#define GOAT_SCOPE "(.cta|.cluster|.gpu|.sys)?"
#define GOAT_ORDER "(.relaxed|.acquire|.release|.acq_rel)?" GOAT_SCOPE
#define GOAT_RED_ORDER "(.relaxed|.release)?" GOAT_SCOPE
#define GOAT_SPACES                                                            \
  "(.global|.shared|.shared::cta|.shared::cluster)?" GOAT_SCOPE
#define GOAT_ATOM(OP, TYPES)                                                   \
  {"atom" GOAT_ORDER GOAT_SPACES OP GOAT_ORDER TYPES, OpClass::Atomic,         \
   decodeAtomic}
#define GOAT_RED(OP, TYPES)                                                    \
  {"red" GOAT_RED_ORDER GOAT_SPACES OP GOAT_RED_ORDER TYPES, OpClass::Atomic,  \
   decodeAtomic}
#define GOAT_POLICY "(.L2::cache_hint)?"
#define GOAT_NUMBERS GOAT_POLICY "(.u32|.s32|.u64|.f32|.f64)"
#define GOAT_HALVES ".noftz" GOAT_POLICY "(.f16|.f16x2|.bf16|.bf16x2)"
#define GOAT_INTEGERS GOAT_POLICY "(.u32|.s32|.u64|.s64)"
#define GOAT_BITS GOAT_POLICY "(.b32|.b64)"
  return {
      GOAT_ATOM(".add", GOAT_NUMBERS),
      GOAT_ATOM(".add", GOAT_HALVES),
      GOAT_ATOM("(.min|.max)", GOAT_INTEGERS),
      GOAT_ATOM("(.inc|.dec)", GOAT_POLICY ".u32"),
      GOAT_ATOM("(.and|.or|.xor|.exch)", GOAT_BITS),
      GOAT_ATOM(".cas", "(.b16|.b32|.b64)"),
      GOAT_RED(".add", GOAT_NUMBERS),
      GOAT_RED(".add", GOAT_HALVES),
      GOAT_RED("(.min|.max)", GOAT_INTEGERS),
      GOAT_RED("(.inc|.dec)", GOAT_POLICY ".u32"),
      GOAT_RED("(.and|.or|.xor)", GOAT_BITS),
      GOAT_ATOM(".add", GOAT_POLICY "(.v2|.v4).f32"),
      GOAT_ATOM(".add", ".noftz" GOAT_POLICY "(.v2|.v4)(.f16x2|.bf16x2)"),
      GOAT_ATOM(".add", ".noftz" GOAT_POLICY "(.v2|.v4|.v8)(.f16|.bf16)"),
      GOAT_RED(".add", GOAT_POLICY "(.v2|.v4).f32"),
      GOAT_RED(".add", ".noftz" GOAT_POLICY "(.v2|.v4)(.f16x2|.bf16x2)"),
      GOAT_RED(".add", ".noftz" GOAT_POLICY "(.v2|.v4|.v8)(.f16|.bf16)"),
  };
#undef GOAT_SCOPE
#undef GOAT_ORDER
#undef GOAT_RED_ORDER
#undef GOAT_SPACES
#undef GOAT_ATOM
#undef GOAT_RED
#undef GOAT_POLICY
#undef GOAT_NUMBERS
#undef GOAT_HALVES
#undef GOAT_INTEGERS
#undef GOAT_BITS
}

} // namespace goat::ptxsim
