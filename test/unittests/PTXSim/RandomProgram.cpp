//===- RandomProgram.cpp - short programs and their naive meaning ---------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of instructions, each with its text and what it does to one thread,
// written from the PTX ISA. In the text, D, A, B and C stand for registers.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "goat/PTXSim/PTXSim.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace goat::ptxsim::test {

namespace {

struct Kind {
  const char *text;
  void (*run)(ThreadState &s, const Step &i);
};

int32_t asSigned(uint32_t value) { return static_cast<int32_t>(value); }
int64_t asSigned64(uint64_t value) { return static_cast<int64_t>(value); }

/// Rounds to a format with `bits` of mantissa and this least exponent, ties to
/// even; the result is still a double.
double roundTo(double value, int bits, int leastExponent, double overflow) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), leastExponent);
  double unit = std::ldexp(1.0, exponent - bits);
  double rounded = std::nearbyint(value / unit) * unit;
  return std::fabs(rounded) >= overflow ? std::copysign(INFINITY, value)
                                        : rounded;
}

float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

float least(float a, float b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

uint32_t reversed(uint32_t value) {
  uint32_t result = 0;
  for (int i = 0; i < 32; ++i)
    result |= (value >> i & 1) << (31 - i);
  return result;
}

uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t both = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t nibble = selector >> 4 * i & 15;
    uint32_t byte = both >> 8 * (nibble & 7) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

int32_t toInt(float value) {
  if (std::isnan(value))
    return 0;
  double whole = std::trunc(static_cast<double>(value));
  return static_cast<int32_t>(std::clamp(whole, -2147483648.0, 2147483647.0));
}

using S = ThreadState;

const Kind kinds[] = {
    {"add.u32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.a] + s.r[i.b]; }},
    {"sub.s32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.a] - s.r[i.b]; }},
    {"mul.lo.u32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.a] * s.r[i.b]; }},
    {"mul.hi.u32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = static_cast<uint32_t>(uint64_t(s.r[i.a]) * s.r[i.b] >> 32); }},
    {"mul.hi.s32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = static_cast<uint32_t>(int64_t(asSigned(s.r[i.a])) * asSigned(s.r[i.b]) >> 32); }},
    {"mad.lo.s32 %rD, %rA, %rB, %rC;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.a] * s.r[i.b] + s.r[i.c]; }},
    {"min.u32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = std::min(s.r[i.a], s.r[i.b]); }},
    {"max.s32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = static_cast<uint32_t>(std::max(asSigned(s.r[i.a]), asSigned(s.r[i.b]))); }},
    {"and.b32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.a] & s.r[i.b]; }},
    {"or.b32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.a] | s.r[i.b]; }},
    {"xor.b32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.a] ^ s.r[i.b]; }},
    {"not.b32 %rD, %rA;", [](S &s, const Step &i) { s.r[i.dst] = ~s.r[i.a]; }},
    {"shl.b32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.b] > 31 ? 0 : s.r[i.a] << s.r[i.b]; }},
    {"shr.u32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.b] > 31 ? 0 : s.r[i.a] >> s.r[i.b]; }},
    {"shr.s32 %rD, %rA, %rB;", [](S &s, const Step &i) { s.r[i.dst] = static_cast<uint32_t>(asSigned(s.r[i.a]) >> std::min(s.r[i.b], 31u)); }},
    {"shf.l.wrap.b32 %rD, %rA, %rB, %rC;", [](S &s, const Step &i) { uint64_t both = uint64_t(s.r[i.b]) << 32 | s.r[i.a]; s.r[i.dst] = static_cast<uint32_t>(both << (s.r[i.c] & 31) >> 32); }},
    {"popc.b32 %rD, %rA;", [](S &s, const Step &i) { uint32_t n = 0; for (uint32_t x = s.r[i.a]; x; x >>= 1) n += x & 1; s.r[i.dst] = n; }},
    {"clz.b32 %rD, %rA;", [](S &s, const Step &i) { uint32_t n = 0; while (n < 32 && !(s.r[i.a] >> (31 - n) & 1)) ++n; s.r[i.dst] = n; }},
    {"brev.b32 %rD, %rA;", [](S &s, const Step &i) { s.r[i.dst] = reversed(s.r[i.a]); }},
    {"prmt.b32 %rD, %rA, %rB, %rC;", [](S &s, const Step &i) { s.r[i.dst] = permuted(s.r[i.a], s.r[i.b], s.r[i.c]); }},
    {"selp.b32 %rD, %rA, %rB, %pC;", [](S &s, const Step &i) { s.r[i.dst] = s.p[i.c] ? s.r[i.a] : s.r[i.b]; }},
    {"add.s32 %rD, %rA, -7;", [](S &s, const Step &i) { s.r[i.dst] = s.r[i.a] - 7; }},
    {"lop3.b32 %rD, %rA, %rB, %rC, 0xE8;", [](S &s, const Step &i) { uint32_t x = s.r[i.a], y = s.r[i.b], z = s.r[i.c]; s.r[i.dst] = (x & y) | (x & z) | (y & z); }},
    {"add.u64 %dD, %dA, %dB;", [](S &s, const Step &i) { s.d[i.dst] = s.d[i.a] + s.d[i.b]; }},
    {"mul.lo.s64 %dD, %dA, %dB;", [](S &s, const Step &i) { s.d[i.dst] = s.d[i.a] * s.d[i.b]; }},
    {"mul.wide.u32 %dD, %rA, %rB;", [](S &s, const Step &i) { s.d[i.dst] = uint64_t(s.r[i.a]) * s.r[i.b]; }},
    {"mad.wide.s32 %dD, %rA, %rB, %dC;", [](S &s, const Step &i) { s.d[i.dst] = static_cast<uint64_t>(int64_t(asSigned(s.r[i.a])) * asSigned(s.r[i.b])) + s.d[i.c]; }},
    {"shl.b64 %dD, %dA, %rB;", [](S &s, const Step &i) { s.d[i.dst] = s.r[i.b] > 63 ? 0 : s.d[i.a] << s.r[i.b]; }},
    {"shr.s64 %dD, %dA, %rB;", [](S &s, const Step &i) { s.d[i.dst] = static_cast<uint64_t>(asSigned64(s.d[i.a]) >> std::min(s.r[i.b], 63u)); }},
    {"min.s64 %dD, %dA, %dB;", [](S &s, const Step &i) { s.d[i.dst] = static_cast<uint64_t>(std::min(asSigned64(s.d[i.a]), asSigned64(s.d[i.b]))); }},
    {"cvt.u64.u32 %dD, %rA;", [](S &s, const Step &i) { s.d[i.dst] = s.r[i.a]; }},
    {"cvt.s64.s32 %dD, %rA;", [](S &s, const Step &i) { s.d[i.dst] = static_cast<uint64_t>(int64_t(asSigned(s.r[i.a]))); }},
    {"cvt.u32.u64 %rD, %dA;", [](S &s, const Step &i) { s.r[i.dst] = static_cast<uint32_t>(s.d[i.a]); }},
    {"mov.b64 %dD, {%rA, %rB};", [](S &s, const Step &i) { s.d[i.dst] = uint64_t(s.r[i.b]) << 32 | s.r[i.a]; }},
    {"add.rn.f32 %fD, %fA, %fB;", [](S &s, const Step &i) { s.f[i.dst] = s.f[i.a] + s.f[i.b]; }},
    {"sub.rn.f32 %fD, %fA, %fB;", [](S &s, const Step &i) { s.f[i.dst] = s.f[i.a] - s.f[i.b]; }},
    {"mul.rn.f32 %fD, %fA, %fB;", [](S &s, const Step &i) { s.f[i.dst] = s.f[i.a] * s.f[i.b]; }},
    {"mul.rn.ftz.f32 %fD, %fA, %fB;", [](S &s, const Step &i) { s.f[i.dst] = flushed(flushed(s.f[i.a]) * flushed(s.f[i.b])); }},
    {"fma.rn.f32 %fD, %fA, %fB, %fC;", [](S &s, const Step &i) { s.f[i.dst] = std::fma(s.f[i.a], s.f[i.b], s.f[i.c]); }},
    {"fma.rn.ftz.f32 %fD, %fA, %fB, %fC;", [](S &s, const Step &i) { s.f[i.dst] = flushed(std::fma(flushed(s.f[i.a]), flushed(s.f[i.b]), flushed(s.f[i.c]))); }},
    {"add.rn.sat.f32 %fD, %fA, %fB;", [](S &s, const Step &i) { float sum = s.f[i.a] + s.f[i.b]; s.f[i.dst] = std::isnan(sum) || sum <= 0 ? 0.0f : std::min(sum, 1.0f); }},
    {"div.rn.f32 %fD, %fA, %fB;", [](S &s, const Step &i) { s.f[i.dst] = s.f[i.a] / s.f[i.b]; }},
    {"sqrt.rn.f32 %fD, %fA;", [](S &s, const Step &i) { s.f[i.dst] = std::sqrt(s.f[i.a]); }},
    {"min.f32 %fD, %fA, %fB;", [](S &s, const Step &i) { s.f[i.dst] = least(s.f[i.a], s.f[i.b]); }},
    {"max.f32 %fD, %fA, %fB;", [](S &s, const Step &i) { s.f[i.dst] = -least(-s.f[i.a], -s.f[i.b]); }},
    {"neg.f32 %fD, %fA;", [](S &s, const Step &i) { s.f[i.dst] = -s.f[i.a]; }},
    {"abs.f32 %fD, %fA;", [](S &s, const Step &i) { s.f[i.dst] = std::fabs(s.f[i.a]); }},
    {"selp.f32 %fD, %fA, %fB, %pC;", [](S &s, const Step &i) { s.f[i.dst] = s.p[i.c] ? s.f[i.a] : s.f[i.b]; }},
    {"cvt.rn.f32.s32 %fD, %rA;", [](S &s, const Step &i) { s.f[i.dst] = static_cast<float>(asSigned(s.r[i.a])); }},
    {"cvt.rn.f32.u64 %fD, %dA;", [](S &s, const Step &i) { s.f[i.dst] = static_cast<float>(s.d[i.a]); }},
    {"cvt.rzi.s32.f32 %rD, %fA;", [](S &s, const Step &i) { s.r[i.dst] = static_cast<uint32_t>(toInt(s.f[i.a])); }},
    {"{ .reg .b16 %t; cvt.rn.f16.f32 %t, %fA; cvt.f32.f16 %fD, %t; }", [](S &s, const Step &i) { s.f[i.dst] = static_cast<float>(roundTo(s.f[i.a], 10, -14, 65536)); }},
    {"{ .reg .b16 %t; cvt.rn.bf16.f32 %t, %fA; cvt.f32.bf16 %fD, %t; }", [](S &s, const Step &i) { s.f[i.dst] = static_cast<float>(roundTo(s.f[i.a], 7, -126, 0x1p128)); }},
    {"setp.lt.s32 %pD, %rA, %rB;", [](S &s, const Step &i) { s.p[i.dst] = asSigned(s.r[i.a]) < asSigned(s.r[i.b]); }},
    {"setp.hs.u32 %pD, %rA, %rB;", [](S &s, const Step &i) { s.p[i.dst] = s.r[i.a] >= s.r[i.b]; }},
    {"setp.eq.b64 %pD, %dA, %dB;", [](S &s, const Step &i) { s.p[i.dst] = s.d[i.a] == s.d[i.b]; }},
    {"setp.le.f32 %pD, %fA, %fB;", [](S &s, const Step &i) { s.p[i.dst] = s.f[i.a] <= s.f[i.b]; }},
    {"setp.neu.f32 %pD, %fA, %fB;", [](S &s, const Step &i) { float x = s.f[i.a], y = s.f[i.b]; s.p[i.dst] = std::isnan(x) || std::isnan(y) || x != y; }},
    {"setp.gt.and.s32 %pD, %rA, %rB, %pC;", [](S &s, const Step &i) { s.p[i.dst] = asSigned(s.r[i.a]) > asSigned(s.r[i.b]) && s.p[i.c]; }},
    {"xor.pred %pD, %pA, %pB;", [](S &s, const Step &i) { s.p[i.dst] = s.p[i.a] != s.p[i.b]; }},
};

bool isFloatWord(unsigned word) { return word >= 8 && word < 16; }

uint8_t registerOf(uint8_t byte) { return byte % numRegisters; }

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The registers before the program: made of the input in different ways.
ThreadState initialState(const std::array<uint32_t, inputWords> &input) {
  ThreadState s;
  for (unsigned i = 0; i < numRegisters; ++i) {
    s.r[i] = input[i];
    s.f[i] = floatOf(input[i]);
    s.d[i] = uint64_t(input[(i + 1) % inputWords]) << 32 | input[i];
    s.p[i] = input[i] >> 31;
  }
  return s;
}

/// Numbers that programs stumble over, among any.
uint32_t drawWord(std::mt19937_64 &random) {
  static const uint32_t special[] = {
      0,          1,          31,         32,         0x7fffffff, 0x80000000,
      0xffffffff, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x00000001,
      0x807fffff, 0x00800000, 0x7f7fffff, 0x477fe000, 0x33000000, 0x4f000000};
  uint64_t draw = random();
  constexpr size_t count = sizeof(special) / sizeof(*special);
  if (draw % 3 == 0)
    return special[(draw >> 8) % count];
  // Floats of moderate size, else anything.
  return draw % 3 == 1
             ? bitsOf(static_cast<float>(static_cast<int32_t>(draw >> 32)) /
                      65536)
             : static_cast<uint32_t>(draw >> 32);
}

} // namespace

Program programFrom(const uint8_t *data, size_t size) {
  Program program;
  for (; size >= 6 && program.size() < 200; data += 6, size -= 6) {
    Step step;
    step.kind = data[0] % (sizeof(kinds) / sizeof(*kinds));
    step.dst = registerOf(data[1]);
    step.a = registerOf(data[2]);
    step.b = registerOf(data[3]);
    step.c = registerOf(data[4]);
    step.guard = data[5] % 32;
    program.push_back(step);
  }
  return program;
}

std::string printProgram(const Program &program) {
  std::string text = R"(.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<9>;
  .reg .b32 %r<10>;
  .reg .f32 %f<8>;
  .reg .b64 %d<8>;
  .reg .b64 %a<4>;
  ld.param.u64 %a0, [in];
  ld.param.u64 %a1, [out];
  mov.u32 %r8, %tid.x;
  mad.wide.u32 %a0, %r8, 32, %a0;
  mad.wide.u32 %a1, %r8, 160, %a1;
)";
  auto line = [&](const std::string &words) { text += "  " + words + "\n"; };
  for (unsigned i = 0; i < numRegisters; ++i) {
    std::string n = std::to_string(i);
    line("ld.global.u32 %r" + n + ", [%a0+" + std::to_string(4 * i) + "];");
    line("mov.b32 %f" + n + ", %r" + n + ";");
    line("setp.lt.s32 %p" + n + ", %r" + n + ", 0;");
  }
  for (unsigned i = 0; i < numRegisters; ++i)
    line("mov.b64 %d" + std::to_string(i) + ", {%r" + std::to_string(i) +
         ", %r" + std::to_string((i + 1) % inputWords) + "};");
  for (const Step &step : program) {
    std::string words;
    if (step.guard < 16)
      words = std::string(step.guard < 8 ? "@%p" : "@!%p") +
              std::to_string(step.guard % 8) + " ";
    const char *form = kinds[step.kind].text;
    // A block of instructions cannot be guarded.
    if (*form == '{')
      words.clear();
    for (; *form; ++form) {
      const char *place = std::strchr("DABC", *form);
      const uint8_t registers[] = {step.dst, step.a, step.b, step.c};
      // Registers follow the letter of their type.
      words += place ? std::to_string(registers[place - "DABC"])
                     : std::string(1, *form);
    }
    line(words);
  }
  for (unsigned i = 0; i < numRegisters; ++i) {
    std::string n = std::to_string(i);
    line("st.global.u32 [%a1+" + std::to_string(4 * i) + "], %r" + n + ";");
    line("st.global.f32 [%a1+" + std::to_string(32 + 4 * i) + "], %f" + n +
         ";");
    line("st.global.u64 [%a1+" + std::to_string(64 + 8 * i) + "], %d" + n +
         ";");
    line("selp.u32 %r9, 1, 0, %p" + n + ";");
    line("st.global.u32 [%a1+" + std::to_string(128 + 4 * i) + "], %r9;");
  }
  return text + "  ret;\n}\n";
}

std::array<uint32_t, outputWords>
evaluateProgram(const Program &program,
                const std::array<uint32_t, inputWords> &input) {
  ThreadState s = initialState(input);
  for (const Step &step : program) {
    const Kind &kind = kinds[step.kind];
    if (step.guard < 16 && *kind.text != '{' &&
        s.p[step.guard % 8] != (step.guard < 8))
      continue;
    kind.run(s, step);
  }
  std::array<uint32_t, outputWords> out{};
  for (unsigned i = 0; i < numRegisters; ++i) {
    out[i] = s.r[i];
    out[8 + i] = bitsOf(s.f[i]);
    out[16 + 2 * i] = static_cast<uint32_t>(s.d[i]);
    out[17 + 2 * i] = static_cast<uint32_t>(s.d[i] >> 32);
    out[32 + i] = s.p[i];
  }
  return out;
}

std::string compareProgram(const Program &program, unsigned threads,
                           uint64_t seed) {
  std::string text = printProgram(program);
  Result<Module> module = Module::parse(text, "random.ptx");
  if (!module)
    return module.error() + "\n" + text;
  std::mt19937_64 random(seed);
  std::vector<std::array<uint32_t, inputWords>> input(threads);
  for (auto &words : input)
    for (uint32_t &word : words)
      word = drawWord(random);
  std::vector<std::array<uint32_t, outputWords>> output(threads);
  Memory memory;
  uint64_t in = memory.allocate(sizeof(input[0]) * threads, "in");
  uint64_t out = memory.allocate(sizeof(output[0]) * threads, "out");
  memory.write(in, input.data(), sizeof(input[0]) * threads);
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.seed = seed;
  Result<LaunchResult> run = launch(
      *module, "k", memory, Arguments().pointer(in).pointer(out), config);
  if (!run)
    return run.error() + "\n" + text;
  if (!run->findings.empty())
    return run->findings[0].str() + "\n" + text;
  memory.read(out, output.data(), sizeof(output[0]) * threads);
  for (unsigned t = 0; t < threads; ++t) {
    auto expected = evaluateProgram(program, input[t]);
    for (unsigned w = 0; w < outputWords; ++w) {
      bool areNaN = isFloatWord(w) && std::isnan(floatOf(expected[w])) &&
                    std::isnan(floatOf(output[t][w]));
      if (expected[w] == output[t][w] || areNaN)
        continue;
      char message[120];
      std::snprintf(message, sizeof(message),
                    "seed %llu thread %u word %u: expected 0x%08x but got "
                    "0x%08x\n",
                    static_cast<unsigned long long>(seed), t, w, expected[w],
                    output[t][w]);
      return message + text;
    }
  }
  return "";
}

} // namespace goat::ptxsim::test
