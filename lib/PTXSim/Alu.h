//===- Alu.h - handlers made from functions of one lane -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifts a function of scalars to 32 lanes. The types of its parameters say how
// wide the registers are, so a table row is a pattern and a function.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_ALU_H
#define GOAT_LIB_PTXSIM_ALU_H

#include "Numerics.h"
#include "Opcodes.h"
#include "Warp.h"
#include "Wide.h"

#include <tuple>
#include <utility>

namespace goat::ptxsim {

/// The bits of narrow floating-point registers, as types of their own.
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

template <auto Fn> struct Lift;

template <typename D, typename... S, D (*Fn)(S...)> struct Lift<Fn> {
  static constexpr uint8_t dstBytes = sizeof(D);
  static constexpr uint8_t numSrc = sizeof...(S);
  static constexpr std::array<uint8_t, 4> srcBytes{sizeof(S)...};

  static void run(Warp &warp, const Instr &instr, uint32_t mask) {
    runLanes(warp, instr, mask, std::index_sequence_for<S...>{});
  }

private:
  template <size_t... K>
  static GOAT_PTXSIM_INLINE void runLanes(Warp &warp, const Instr &instr,
                                          uint32_t mask,
                                          std::index_sequence<K...>) {
    auto sources = std::make_tuple(
        static_cast<const S *>(warp.lanes<S>(instr.op[1 + K]))...);
    D result[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result[lane] = Fn(std::get<K>(sources)[lane]...);
    warp.store<D>(instr.op[0], result, mask);
  }
};

/// A row for `Fn`.
template <auto Fn> OpcodeRow alu(const char *pattern, OpClass opClass) {
  return {pattern,
          opClass,
          nullptr,
          wide<&Lift<Fn>::run>(),
          Lift<Fn>::dstBytes,
          Lift<Fn>::srcBytes,
          Lift<Fn>::numSrc};
}

/// A row for `Fn`, with a function of the same results for hosts that fuse
/// multiply and add.
template <auto Fn, auto Fused>
OpcodeRow aluFused(const char *pattern, OpClass opClass) {
  OpcodeRow row = alu<Fn>(pattern, opClass);
  row.handler = wide<&Lift<Fn>::run, &Lift<Fused>::run>();
  return row;
}

/// `Fn` on fp32 with subnormal inputs and outputs flushed to zero.
template <auto Fn> struct Ftz;
template <typename... S, float (*Fn)(S...)> struct Ftz<Fn> {
  static float apply(S... source) { return flush(Fn(flush(source)...)); }
};

/// `Fn` with its result clamped to [0, 1].
template <auto Fn> struct Sat;
template <typename... S, float (*Fn)(S...)> struct Sat<Fn> {
  static float apply(S... source) { return saturate(Fn(source...)); }
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_ALU_H
