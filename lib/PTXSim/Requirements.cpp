//===- Requirements.cpp - which chip and ISA an instruction needs ---------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first `.target` and `.version` that have an instruction, as the PTX ISA
// lists them under "Target ISA Notes" and "PTX ISA Notes" and as the assembler
// enforces them. What every chip since sm_70 has is not listed.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"

#include <algorithm>
#include <cctype>

namespace goat::ptxsim {

namespace {

enum Kind : uint8_t {
  /// The chip and all later ones.
  Onwards,
  /// The chip's own variant, sm_90a, alone.
  Exact,
  /// The variants with the suffix `a` from this chip on.
  Specific,
};

/// Holds for an opcode whose first word is that of `form`, or any if that is
/// `*`, and whose modifiers contain those of `form` in this order.
struct Requirement {
  std::string_view form;
  unsigned chip;
  unsigned major, minor;
  Kind kind = Onwards;
};

constexpr Requirement requirements[] = {
    // Types and modifiers wherever they stand.
    {"*.bf16", 80, 7, 0},
    {"*.bf16x2", 80, 7, 0},
    {"*.tf32", 80, 7, 0},
    {"*.relu", 80, 7, 0},
    {"*.NaN", 80, 7, 0},
    {"*.abs", 86, 7, 2},
    {"*.L2::cache_hint", 80, 7, 4},
    {"*.L2::64B", 75, 7, 4},
    {"*.L2::128B", 75, 7, 4},
    {"*.L2::256B", 80, 7, 4},
    {"*.L1::evict_normal", 70, 7, 4},
    {"*.L1::evict_unchanged", 70, 7, 4},
    {"*.L1::evict_first", 70, 7, 4},
    {"*.L1::evict_last", 70, 7, 4},
    {"*.L1::no_allocate", 70, 7, 4},
    {"*.cluster", 90, 7, 8},
    {"*.shared::cluster", 90, 7, 8},
    {"*.shared::cta", 30, 7, 8},
    {"*.param::entry", 30, 8, 3},
    {"*.param::func", 30, 8, 3},
    {"*.mmio", 70, 8, 2},
    {"*.b128", 70, 8, 3},
    // Arithmetic.
    {"*.f32x2", 100, 8, 6},
    {"add.f32.f16", 100, 8, 6},
    {"add.f32.bf16", 100, 8, 6},
    {"sub.f32.f16", 100, 8, 6},
    {"sub.f32.bf16", 100, 8, 6},
    {"fma.f32.f16", 100, 8, 6},
    {"fma.f32.bf16", 100, 8, 6},
    {"fma.oob", 90, 8, 1},
    {"min or max of three", 100, 8, 8},
    {"szext", 70, 7, 6},
    {"lop3.and", 70, 8, 2},
    {"lop3.or", 70, 8, 2},
    {"min.f16", 80, 7, 0},
    {"min.f16x2", 80, 7, 0},
    {"max.f16", 80, 7, 0},
    {"max.f16x2", 80, 7, 0},
    {"min.relu.s32", 90, 8, 0},
    {"max.relu.s32", 90, 8, 0},
    {"*.u16x2", 90, 8, 0},
    {"*.s16x2", 90, 8, 0},
    {"atom.v2", 90, 8, 1},
    {"atom.v4", 90, 8, 1},
    {"atom.v8", 90, 8, 1},
    {"red.v2", 90, 8, 1},
    {"red.v4", 90, 8, 1},
    {"red.v8", 90, 8, 1},
    {"min.s32.relu", 90, 8, 0},
    {"max.s32.relu", 90, 8, 0},
    {"abs.f16", 53, 6, 5},
    {"abs.f16x2", 53, 6, 5},
    {"add.bf16", 90, 7, 8},
    {"add.bf16x2", 90, 7, 8},
    {"sub.bf16", 90, 7, 8},
    {"sub.bf16x2", 90, 7, 8},
    {"mul.bf16", 90, 7, 8},
    {"mul.bf16x2", 90, 7, 8},
    {"ex2.f16", 75, 7, 0},
    {"ex2.f16x2", 75, 7, 0},
    {"ex2.bf16", 90, 7, 8},
    {"ex2.bf16x2", 90, 7, 8},
    {"tanh", 75, 7, 0},
    {"tanh.bf16", 90, 7, 8},
    {"tanh.bf16x2", 90, 7, 8},
    {"bmsk", 70, 7, 6},
    {"setp.bf16", 90, 7, 8},
    {"setp.bf16x2", 90, 7, 8},
    {"set.bf16", 90, 7, 8},
    {"set.bf16x2", 90, 7, 8},
    {"set.f16.f16", 53, 6, 5},
    {"set.u16.f16", 53, 6, 5},
    {"set.s16.f16", 53, 6, 5},
    {"set.u32.f16", 53, 6, 5},
    {"set.s32.f16", 53, 6, 5},
    {"set.u32.f16x2", 53, 6, 5},
    {"set.s32.f16x2", 53, 6, 5},
    // Conversions.
    {"cvt.f16x2", 80, 7, 0},
    {"cvt.e4m3x2", 89, 7, 8},
    {"cvt.e5m2x2", 89, 7, 8},
    {"cvt.f32.bf16", 80, 7, 1},
    {"cvt.ftz.f32.bf16", 90, 7, 8},
    {"cvt.bf16.bf16", 90, 7, 8},
    {"cvt.bf16.f16", 90, 7, 8},
    {"cvt.f16.bf16", 90, 7, 8},
    {"cvt.bf16.f64", 90, 7, 8},
    {"cvt.f64.bf16", 90, 7, 8},
    {"cvt.bf16.u8", 90, 7, 8},
    {"cvt.bf16.u16", 90, 7, 8},
    {"cvt.bf16.u32", 90, 7, 8},
    {"cvt.bf16.u64", 90, 7, 8},
    {"cvt.bf16.s8", 90, 7, 8},
    {"cvt.bf16.s16", 90, 7, 8},
    {"cvt.bf16.s32", 90, 7, 8},
    {"cvt.bf16.s64", 90, 7, 8},
    {"cvt.u8.bf16", 90, 7, 8},
    {"cvt.u16.bf16", 90, 7, 8},
    {"cvt.u32.bf16", 90, 7, 8},
    {"cvt.u64.bf16", 90, 7, 8},
    {"cvt.s8.bf16", 90, 7, 8},
    {"cvt.s16.bf16", 90, 7, 8},
    {"cvt.s32.bf16", 90, 7, 8},
    {"cvt.s64.bf16", 90, 7, 8},
    {"cvt.rn.tf32", 90, 7, 8},
    {"cvt.rz.tf32", 90, 7, 8},
    {"cvt.satfinite.f16", 80, 8, 1},
    {"cvt.satfinite.bf16", 80, 8, 1},
    {"cvt.satfinite.f16x2.f32", 80, 8, 1},
    {"cvt.satfinite.bf16x2.f32", 80, 8, 1},
    {"cvt.satfinite.tf32", 80, 8, 1},
    {"cvt.rn.satfinite.tf32", 100, 8, 6},
    {"cvt.rz.satfinite.tf32", 100, 8, 6},
    {"cvt.e2m1x2", 100, 8, 6, Specific},
    {"cvt.e2m3x2", 100, 8, 6, Specific},
    {"cvt.e3m2x2", 100, 8, 6, Specific},
    {"cvt.ue8m0x2", 100, 8, 6, Specific},
    {"cvt.pack", 72, 6, 5},
    {"cvt.pack.b32", 75, 6, 5},
    // Memory.
    {"ld.v8", 100, 8, 8},
    {"ld.v4.b64", 100, 8, 8},
    {"ld.v4.u64", 100, 8, 8},
    {"ld.v4.s64", 100, 8, 8},
    {"ld.v4.f64", 100, 8, 8},
    {"st.v8", 100, 8, 8},
    {"st.v4.b64", 100, 8, 8},
    {"st.v4.u64", 100, 8, 8},
    {"st.v4.s64", 100, 8, 8},
    {"st.v4.f64", 100, 8, 8},
    {"atom.add.f16", 70, 6, 3},
    {"atom.add.bf16", 90, 7, 8},
    {"atom.add.bf16x2", 90, 7, 8},
    {"red.add.f16", 70, 6, 3},
    {"red.add.bf16", 90, 7, 8},
    {"red.add.bf16x2", 90, 7, 8},
    {"createpolicy", 80, 7, 4},
    {"applypriority", 80, 7, 4},
    {"discard", 80, 7, 4},
    {"prefetch.L2::evict_last", 80, 7, 4},
    {"prefetch.L2::evict_normal", 80, 7, 4},
    {"cvta.param", 70, 7, 7},
    {"isspacep.param", 70, 7, 7},
    {"mapa", 90, 7, 8},
    {"getctarank", 90, 7, 8},
    // Asynchronous copies and their barriers.
    {"cp.async", 80, 7, 0},
    {"cp.async.bulk", 90, 8, 0},
    {"cp.reduce.async.bulk", 90, 8, 0},
    {"mbarrier", 80, 7, 0},
    {"mbarrier.try_wait", 90, 7, 8},
    {"mbarrier.expect_tx", 90, 8, 0},
    {"mbarrier.complete_tx", 90, 8, 0},
    {"cp.tile::gather4", 100, 8, 6},
    {"cp.tile::scatter4", 100, 8, 6},
    {"st.async", 90, 8, 1},
    {"red.async", 90, 8, 1},
    {"tensormap.replace", 90, 8, 3, Specific},
    {"fence.proxy.async", 90, 8, 0},
    {"fence.proxy.tensormap::generic", 90, 8, 3},
    {"fence.mbarrier_init", 90, 8, 0},
    {"fence.sync_restrict::shared::cluster", 90, 8, 6},
    {"fence.sync_restrict::shared::cta", 90, 8, 6},
    // Matrices.
    {"ldmatrix", 75, 6, 5},
    {"stmatrix", 90, 7, 8},
    {"movmatrix", 75, 7, 8},
    {"mma.sp", 80, 7, 1},
    {"mma.sp::ordered_metadata", 80, 8, 5},
    {"mma", 70, 6, 4},
    {"mma.m16n8k4", 80, 7, 0},
    {"mma.m16n8k8", 75, 6, 5},
    {"mma.m16n8k16", 80, 7, 0},
    {"mma.m16n8k32", 80, 7, 0},
    {"mma.m16n8k64", 80, 7, 0},
    {"mma.m16n8k128", 80, 7, 0},
    {"mma.m16n8k256", 80, 7, 0},
    {"mma.m8n8k16", 75, 6, 5},
    {"mma.m8n8k32", 75, 6, 5},
    {"mma.m8n8k128", 75, 7, 0},
    {"mma.b1.and", 80, 7, 1},
    {"mma.m8n8k4.f64", 80, 7, 0},
    {"mma.m16n8k4.f64", 90, 7, 8},
    {"mma.m16n8k8.f64", 90, 7, 8},
    {"mma.m16n8k16.f64", 90, 7, 8},
    {"wmma.s8", 72, 6, 3},
    {"wmma.u8", 72, 6, 3},
    {"wmma.f64", 80, 7, 0},
    {"mma.e4m3", 89, 8, 4},
    {"mma.e5m2", 89, 8, 4},
    {"mma.f16.e4m3", 89, 8, 7},
    {"mma.f16.e5m2", 89, 8, 7},
    {"mma.m16n8k16.e4m3", 89, 8, 7},
    {"mma.m16n8k16.e5m2", 89, 8, 7},
    {"wgmma", 90, 8, 0, Exact},
    // Warps and control.
    {"redux", 80, 7, 0},
    {"redux.f32", 100, 8, 6, Specific},
    {"elect", 90, 8, 0},
    {"griddepcontrol", 90, 7, 8},
    {"setmaxnreg", 90, 8, 0, Specific},
    {"bar.cta", 30, 7, 8},
    {"barrier.cta", 30, 7, 8},
};

/// Takes the part in front of the next dot.
std::string_view takeWord(std::string_view &rest) {
  std::string_view word = rest.substr(0, rest.find('.'));
  rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  return word;
}

bool applies(std::string_view form, std::string_view opcode) {
  std::string_view word = takeWord(form), first = takeWord(opcode);
  if (word != "*" && word != first)
    return false;
  while (!form.empty()) {
    std::string_view wanted = takeWord(form);
    bool isFound = false;
    while (!opcode.empty() && !isFound)
      isFound = takeWord(opcode) == wanted;
    if (!isFound)
      return false;
  }
  return true;
}

/// The number at the front of `text`, which loses it.
unsigned takeNumber(std::string_view &text) {
  unsigned value = 0;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) &&
         value < 100000) {
    value = 10 * value + static_cast<unsigned>(text[0] - '0');
    text.remove_prefix(1);
  }
  return value;
}

} // namespace

std::string explainMissing(std::string_view opcode, std::string_view target,
                           std::string_view version) {
  unsigned chip = 0;
  std::string_view suffix;
  if (target.substr(0, 3) == "sm_") {
    suffix = target.substr(3);
    chip = takeNumber(suffix);
  }
  unsigned major = takeNumber(version);
  version.remove_prefix(std::min<size_t>(1, version.size()));
  unsigned minor = takeNumber(version);
  for (const Requirement &row : requirements) {
    if (!applies(row.form, opcode))
      continue;
    bool hasSuffix = suffix == "a";
    bool isMet = row.kind == Exact      ? chip == row.chip && hasSuffix
                 : row.kind == Specific ? chip >= row.chip && hasSuffix
                                        : chip >= row.chip;
    std::string subject = " for '" + std::string(opcode) + "', but the module ";
    if (chip && !isMet)
      return "expected .target sm_" + std::to_string(row.chip) +
             (row.kind == Onwards ? " or newer"
              : row.kind == Exact ? "a"
                                  : "a or a newer one with the suffix a") +
             subject + "says " + std::string(target);
    if (major &&
        (major < row.major || (major == row.major && minor < row.minor)))
      return "expected .version " + std::to_string(row.major) + "." +
             std::to_string(row.minor) + " or later" + subject + "says " +
             std::to_string(major) + "." + std::to_string(minor);
  }
  return "";
}

} // namespace goat::ptxsim
