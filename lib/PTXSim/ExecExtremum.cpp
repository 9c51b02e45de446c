//===- ExecExtremum.cpp - min and max in fp32 -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// min and max of two fp32, with the sign of both (`.xorsign.abs`), and of
// three. -0 lies below +0; NaN is passed over unless `.NaN` asks for it.
//
//===----------------------------------------------------------------------===//

#include "Extremum.h"

namespace goat::ptxsim {

namespace {

template <bool IsMax, bool PropagatesNaN> float two(float a, float b) {
  return extremum<IsMax, PropagatesNaN>(a, b);
}
/// Of the magnitudes; negative where one of the operands is.
template <bool IsMax, bool PropagatesNaN> float xorsign(float a, float b) {
  uint32_t sign = (bitCast<uint32_t>(a) ^ bitCast<uint32_t>(b)) & 0x80000000u;
  float r = two<IsMax, PropagatesNaN>(std::fabs(a), std::fabs(b));
  return r != r ? r : bitCast<float>(bitCast<uint32_t>(r) | sign);
}
template <bool IsMax, bool PropagatesNaN>
float three(float a, float b, float c) {
  return two<IsMax, PropagatesNaN>(two<IsMax, PropagatesNaN>(a, b), c);
}
template <bool IsMax, bool PropagatesNaN>
float threeAbs(float a, float b, float c) {
  return three<IsMax, PropagatesNaN>(std::fabs(a), std::fabs(b), std::fabs(c));
}

enum Form { Two, Xorsign, Three, ThreeAbs };
using Forms = std::array<Handler, 4>;

template <bool IsMax, bool PropagatesNaN> Forms plainForms() {
  return {widest<&Lift<&two<IsMax, PropagatesNaN>>::run>(),
          widest<&Lift<&xorsign<IsMax, PropagatesNaN>>::run>(),
          widest<&Lift<&three<IsMax, PropagatesNaN>>::run>(),
          widest<&Lift<&threeAbs<IsMax, PropagatesNaN>>::run>()};
}
template <bool IsMax, bool PropagatesNaN> Forms flushingForms() {
  return {widest<&Lift<&Ftz<&two<IsMax, PropagatesNaN>>::apply>::run>(),
          widest<&Lift<&Ftz<&xorsign<IsMax, PropagatesNaN>>::apply>::run>(),
          widest<&Lift<&Ftz<&three<IsMax, PropagatesNaN>>::apply>::run>(),
          widest<&Lift<&Ftz<&threeAbs<IsMax, PropagatesNaN>>::apply>::run>()};
}

bool decodeExtremum(Decoder &d) {
  static const Forms forms[] = {
      plainForms<false, false>(),    plainForms<true, false>(),
      plainForms<false, true>(),     plainForms<true, true>(),
      flushingForms<false, false>(), flushingForms<true, false>(),
      flushingForms<false, true>(),  flushingForms<true, true>()};
  bool isAbs = d.has("abs"), isXorsign = d.has("xorsign");
  size_t sources = isXorsign ? 2 : isAbs || d.numOperands() == 4 ? 3 : 2;
  if (!d.expectOperands(1 + sources))
    return false;
  if (sources == 3 && !d.requireForm("min or max of three"))
    return false;
  Form form = isXorsign      ? Xorsign
              : sources == 2 ? Two
              : isAbs        ? ThreeAbs
                             : Three;
  d.instr.run =
      forms[(d.opcode()[1] == 'a') + 2 * d.has("NaN") + 4 * d.has("ftz")][form];
  d.instr.isPure = true;
  if (!d.addDst(d.operand(0), 4))
    return false;
  for (size_t i = 1; i <= sources; ++i)
    if (!d.addSrc(d.operand(i), 4))
      return false;
  return true;
}

} // namespace

std::vector<OpcodeRow> extremumOpcodes() {
  return {{"(min|max)(.ftz)?(.NaN)?(.xorsign.abs|.abs)?.f32",
           OpClass::Fp32Other, decodeExtremum}};
}

} // namespace goat::ptxsim
