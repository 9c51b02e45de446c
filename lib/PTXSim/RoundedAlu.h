//===- RoundedAlu.h - arithmetic with a direction of rounding -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of scalars to be run under a rounding mode of the host, and rows
// that do so with `.rz`, `.rm` and `.rp`.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_ROUNDEDALU_H
#define GOAT_LIB_PTXSIM_ROUNDEDALU_H

#include "Alu.h"

#include <cfenv>
#include <string>

namespace goat::ptxsim {

inline double canonical(double value) { return value; }

// The functions below run under a rounding mode that the compiler does not know
// of; volatile keeps it from moving or folding the operation.
template <typename T> T roundedAdd(T a, T b) {
  volatile T x = a, y = b;
  return canonical(x + y);
}
template <typename T> T roundedSub(T a, T b) {
  volatile T x = a, y = b;
  return canonical(x - y);
}
template <typename T> T roundedMul(T a, T b) {
  volatile T x = a, y = b;
  return canonical(x * y);
}
template <typename T> T roundedDiv(T a, T b) {
  volatile T x = a, y = b;
  return canonical(x / y);
}
template <typename T> T roundedRcp(T a) {
  volatile T x = T(1), y = a;
  return canonical(x / y);
}
template <typename T> T roundedSqrt(T a) {
  volatile T x = a;
  volatile T result = std::sqrt(x);
  return canonical(result);
}
template <typename T> T roundedFma(T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  volatile T result = std::fma(x, y, z);
  return canonical(result);
}

template <auto Fn, int Mode>
void runRounded(Warp &warp, const Instr &instr, uint32_t mask) {
  int before = std::fegetround();
  std::fesetround(Mode);
  Lift<Fn>::run(warp, instr, mask);
  std::fesetround(before);
}

/// Rows for `op`.rz`suffix` and the other two directions.
template <auto Fn>
void addRounded(std::vector<OpcodeRow> &rows, const std::string &op,
                const std::string &suffix, OpClass opClass) {
  auto row = [&](const char *mode, Handler handler) {
    rows.push_back(alu<Fn>(keepPattern(op + mode + suffix), opClass));
    rows.back().handler = handler;
  };
  row(".rz", runRounded<Fn, FE_TOWARDZERO>);
  row(".rm", runRounded<Fn, FE_DOWNWARD>);
  row(".rp", runRounded<Fn, FE_UPWARD>);
}

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_ROUNDEDALU_H
