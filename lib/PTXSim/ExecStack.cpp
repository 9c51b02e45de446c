//===- ExecStack.cpp - memory on the stack of a function ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// alloca, stacksave, stackrestore. The lanes of a warp get pieces at the same
// offset, as large as the largest any of them asks for.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"
#include "Warp.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

/// Local memory that a thread may have, as CUDA limits it.
constexpr uint64_t maxLocalBytes = 512 * 1024;

template <typename T>
void runAlloca(Warp &warp, const Instr &instr, uint32_t mask) {
  const T *sizes = warp.lanes<T>(instr.op[1]);
  uint64_t largest = 0;
  for (uint32_t left = mask; left; left &= left - 1)
    largest = std::max<uint64_t>(largest, sizes[__builtin_ctz(left)]);
  if (largest >
      maxLocalBytes - std::min<uint64_t>(maxLocalBytes, warp.endOfLocal())) {
    warp.report(FindingKind::OutOfBounds, instr, mask, warp.endOfLocal(),
                "asks for " + std::to_string(largest) +
                    " bytes of the stack, which has " +
                    std::to_string(maxLocalBytes) + " for each thread");
    largest = 0;
  }
  T result[warpSize];
  std::fill(result, result + warpSize,
            static_cast<T>(warp.growLocal(static_cast<uint32_t>(largest),
                                          static_cast<uint32_t>(instr.imm))));
  warp.store<T>(instr.op[0], result, mask);
}

template <typename T>
void runSave(Warp &warp, const Instr &instr, uint32_t mask) {
  T result[warpSize];
  std::fill(result, result + warpSize, static_cast<T>(warp.endOfLocal()));
  warp.store<T>(instr.op[0], result, mask);
}

template <typename T>
void runRestore(Warp &warp, const Instr &instr, uint32_t mask) {
  T top = warp.lanes<T>(instr.op[0])[__builtin_ctz(mask)];
  warp.shrinkLocal(static_cast<uint32_t>(top));
}

bool decodeAlloca(Decoder &d) {
  unsigned bytes = bitWidth(d.type()) / 8;
  d.instr.run = bytes == 4 ? runAlloca<uint32_t> : runAlloca<uint64_t>;
  d.instr.imm = 8;
  if (!d.expectOperands(2, 3))
    return false;
  if (d.numOperands() == 3) {
    const Operand &alignment = d.operand(2);
    int64_t value = alignment.value;
    if (alignment.kind != Operand::Integer || value < 1 || value > 1 << 23 ||
        (value & (value - 1)))
      return d.fail("expected an alignment that is a power of two of at most "
                    "2^23");
    d.instr.imm = std::max<int64_t>(value, 8);
  }
  return d.addDst(d.operand(0), bytes) && d.addSrc(d.operand(1), bytes);
}

bool decodeSave(Decoder &d) {
  unsigned bytes = bitWidth(d.type()) / 8;
  d.instr.run = bytes == 4 ? runSave<uint32_t> : runSave<uint64_t>;
  return d.expectOperands(1) && d.addDst(d.operand(0), bytes);
}

bool decodeRestore(Decoder &d) {
  unsigned bytes = bitWidth(d.type()) / 8;
  d.instr.run = bytes == 4 ? runRestore<uint32_t> : runRestore<uint64_t>;
  return d.expectOperands(1) && d.addSrc(d.operand(0), bytes);
}

} // namespace

std::vector<OpcodeRow> stackOpcodes() {
  constexpr OpClass c = OpClass::Integer;
  return {
      {"alloca(.u32|.u64)", c, decodeAlloca},
      {"stacksave(.u32|.u64)", c, decodeSave},
      {"stackrestore(.u32|.u64)", c, decodeRestore},
  };
}

} // namespace goat::ptxsim
