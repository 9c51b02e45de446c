//===- ConvertTest.cpp - cvt against independent oracles ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow formats are checked against a search among all their values, integers
// and fp64 against the host's own conversions under its rounding modes.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include <algorithm>
#include <cfenv>
#include <random>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

using Words = std::array<uint32_t, 4>;

/// Runs `body` on every element of `in`, 256 threads in each block.
std::vector<Words> mapAll(const std::string &body, std::vector<Words> in) {
  size_t count = in.size();
  LaunchConfig config;
  config.block = {256, 1, 1};
  config.grid = {static_cast<uint32_t>((count + 255) / 256), 1, 1};
  in.resize(size_t(config.grid[0]) * 256);
  KernelRun run = runBody("mov.u32 %r57, %ctaid.x;\n"
                          "mul.wide.u32 %rd3, %r57, 4096;\n"
                          "add.s64 %rd1, %rd1, %rd3;\n"
                          "add.s64 %rd2, %rd2, %rd3;\n" +
                              body,
                          in, config);
  EXPECT_EQ(run.findings(), "") << body;
  run.out.resize(count);
  return run.out;
}

/// The first word of `in` to the first of the result, by one instruction with
/// %r1 as destination and %r2 as source.
std::vector<uint32_t> map32(const std::string &instruction,
                            const std::vector<uint32_t> &in) {
  std::vector<Words> words;
  for (uint32_t value : in)
    words.push_back({value, 0, 0, 0});
  std::vector<uint32_t> result;
  for (const Words &word :
       mapAll("ld.global.b32 %r2, [%rd1];\n cvt.u16.u32 "
              "%h2, %r2;\n mov.b32 %r1, 0;\n" +
                  instruction + "\n st.global.b32 [%rd2], %r1;",
              words))
    result.push_back(word[0]);
  return result;
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// The value of `bits` in a format with `mantissa` and `exponent` bits. Of
/// e4m3, all bits set is the NaN and the top exponent holds numbers.
double decode(uint32_t bits, int exponentBits, int mantissaBits,
              bool hasInfinity) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int top = (1 << exponentBits) - 1;
  int exponent = static_cast<int>(bits >> mantissaBits) & top;
  int mantissa = static_cast<int>(bits & ((1u << mantissaBits) - 1));
  bool isNegative = bits >> (exponentBits + mantissaBits) & 1;
  double value;
  if (hasInfinity && exponent == top)
    value = mantissa ? std::nan("") : INFINITY;
  else if (!hasInfinity && exponent == top &&
           mantissa == (1 << mantissaBits) - 1)
    value = std::nan("");
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - mantissaBits);
  else
    value = std::ldexp((1 << mantissaBits) + mantissa,
                       exponent - bias - mantissaBits);
  return isNegative ? -value : value;
}

/// All numbers of a format without sign, ascending by pattern and by value.
class Format {
public:
  Format(int exponentBits, int mantissaBits, bool hasInfinity = true)
      : width(1 + exponentBits + mantissaBits) {
    for (uint32_t bits = 0; bits < 1u << (width - 1); ++bits) {
      double value = decode(bits, exponentBits, mantissaBits, hasInfinity);
      if (std::isfinite(value))
        sizes.push_back(value);
    }
    // Where the next number would lie: what rounds to it overflows.
    beyond = 2 * sizes.back() - sizes[sizes.size() - 2];
  }

  /// `mode`: n to nearest even, z to zero, d down, u up. With `isFinite`
  /// overflow gives the largest number.
  uint32_t round(double value, char mode, bool isFinite) const {
    uint32_t sign = std::signbit(value) ? 1u << (width - 1) : 0;
    uint32_t last = static_cast<uint32_t>(sizes.size() - 1);
    if (std::isnan(value))
      return (1u << (width - 1)) - 1;
    double size = std::fabs(value);
    if (std::isinf(value))
      return sign | (isFinite ? last : last + 1);
    uint32_t below = static_cast<uint32_t>(
        std::upper_bound(sizes.begin(), sizes.end(), size) - sizes.begin() - 1);
    double low = sizes[below];
    double high = below == last ? beyond : sizes[below + 1];
    bool up = false;
    if (size != low) {
      if (mode == 'n')
        up = size - low > high - size ||
             (size - low == high - size && (below & 1));
      else
        up = mode == (sign ? 'd' : 'u');
      // Beyond the range, nearest and outward modes give infinity.
      if (size > beyond)
        up = mode == 'n' || up;
    }
    uint32_t result = below + up;
    return sign | (isFinite ? std::min(result, last) : result);
  }

private:
  int width;
  std::vector<double> sizes;
  double beyond;
};

/// Numbers near every power of two, ties between 16-bit numbers, specials.
std::vector<uint32_t> sampleFloats() {
  std::vector<uint32_t> result = {0,           0x80000000u, 1,
                                  0x80000001u, 0x7f800000u, 0xff800000u,
                                  0x7fc00000u, 0xffc00001u, 0x7f7fffffu,
                                  0xff7fffffu, 0x007fffffu, 0x00800000u};
  for (uint32_t exponent = 0; exponent < 255; ++exponent)
    for (uint32_t low :
         {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x3000u, 0x7fffu, 0x8000u, 0x8001u,
          0x18000u, 0x700000u, 0x7fffffu, 0x7fe000u, 0x7ff000u, 0x7f8000u})
      for (uint32_t sign : {0u, 0x80000000u})
        result.push_back(sign | exponent << 23 | low);
  std::mt19937 random(3);
  for (int i = 0; i < 4000; ++i)
    result.push_back(static_cast<uint32_t>(random()));
  return result;
}

TEST(Convert, NarrowFloatsRoundInEveryMode) {
  const std::vector<uint32_t> in = sampleFloats();
  const Format half(5, 10), brain(8, 7);
  struct Mode {
    const char *name;
    char mode;
  };
  for (Mode mode : {Mode{"rn", 'n'}, {"rz", 'z'}, {"rm", 'd'}, {"rp", 'u'}})
    for (bool isHalf : {true, false}) {
      std::string type = isHalf ? "f16" : "bf16";
      std::vector<uint32_t> got =
          map32("cvt." + std::string(mode.name) + "." + type +
                    ".f32 %h1, %r2;\n cvt.u32.u16 %r1, %h1;",
                in);
      const Format &format = isHalf ? half : brain;
      for (size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(got[i], format.round(floatOf(in[i]), mode.mode, false))
            << mode.name << " " << type << " of " << std::hex << in[i];
    }
}

TEST(Convert, SatfiniteAndReluClampNarrowFloats) {
  const std::vector<uint32_t> in = sampleFloats();
  const Format half(5, 10), brain(8, 7);
  struct Case {
    const char *mods;
    char mode;
    bool isFinite, isRelu;
  };
  for (Case c : {Case{".rn.satfinite", 'n', true, false},
                 {".rz.satfinite", 'z', true, false},
                 {".rn.relu", 'n', false, true},
                 {".rz.relu", 'z', false, true},
                 {".rn.relu.satfinite", 'n', true, true},
                 {".rz.satfinite.relu", 'z', true, true}})
    for (bool isHalf : {true, false}) {
      std::string type = isHalf ? "f16" : "bf16";
      const Format &format = isHalf ? half : brain;
      auto expected = [&](uint32_t bits) {
        double value = floatOf(bits);
        // Negative numbers and -0 become +0, NaN stays.
        if (c.isRelu && std::signbit(value) && value == value)
          value = 0.0;
        return format.round(value, c.mode, c.isFinite);
      };
      std::vector<uint32_t> scalar =
          map32("cvt" + std::string(c.mods) + "." + type +
                    ".f32 %h1, %r2;\n cvt.u32.u16 %r1, %h1;",
                in);
      std::vector<uint32_t> packed =
          map32("mov.b32 %f1, 0f42280000;\n cvt" + std::string(c.mods) + "." +
                    type + "x2.f32 %r1, %r2, %f1;",
                in);
      for (size_t i = 0; i < in.size(); ++i) {
        ASSERT_EQ(scalar[i], expected(in[i]))
            << c.mods << " " << type << " of " << std::hex << in[i];
        // 42 in the lower half.
        ASSERT_EQ(packed[i], expected(in[i]) << 16 | (isHalf ? 0x5140 : 0x4228))
            << c.mods << " " << type << "x2 of " << std::hex << in[i];
      }
    }
}

TEST(Convert, BytesFromFloats) {
  const std::vector<uint32_t> in = sampleFloats();
  const Format e4m3(4, 3, false), e5m2(5, 2);
  for (bool isE4m3 : {true, false})
    for (bool isRelu : {true, false}) {
      std::string name = std::string("cvt.rn.satfinite") +
                         (isRelu ? ".relu." : ".") +
                         (isE4m3 ? "e4m3x2" : "e5m2x2");
      std::vector<uint32_t> got =
          map32("mov.b32 %f1, 0f3F800000;\n " + name +
                    ".f32 %h1, %r2, %f1;\n cvt.u32.u16 %r1, %h1;",
                in);
      for (size_t i = 0; i < in.size(); ++i) {
        double value = floatOf(in[i]);
        if (isRelu && std::signbit(value) && value == value)
          value = 0.0;
        uint32_t high = (isE4m3 ? e4m3 : e5m2).round(value, 'n', true);
        ASSERT_EQ(got[i], high << 8 | (isE4m3 ? 0x38u : 0x3cu))
            << name << " of " << std::hex << in[i];
      }
    }
  // The ends of both ranges, by hand: 448 and 57344 are the largest numbers.
  EXPECT_EQ(e4m3.round(449, 'n', true), 0x7eu);
  EXPECT_EQ(e4m3.round(-1e9, 'n', true), 0xfeu);
  EXPECT_EQ(e5m2.round(65536, 'n', true), 0x7bu);
}

TEST(Convert, BytesFromAndToEveryHalf) {
  // All 65536 halves, two in a word.
  std::vector<uint32_t> halves;
  for (uint32_t low = 0; low < 65536; low += 2)
    halves.push_back((low + 1) << 16 | low);
  const Format formats[] = {Format(4, 3, false), Format(5, 2)};
  const char *names[] = {"e4m3x2", "e5m2x2"};
  for (int f = 0; f < 2; ++f) {
    std::vector<uint32_t> got =
        map32("cvt.rn.satfinite." + std::string(names[f]) +
                  ".f16x2 %h1, %r2;\n cvt.u32.u16 %r1, %h1;",
              halves);
    for (size_t i = 0; i < halves.size(); ++i)
      for (unsigned part = 0; part < 2; ++part) {
        uint32_t half = halves[i] >> 16 * part & 0xffff;
        ASSERT_EQ(got[i] >> 8 * part & 0xff,
                  formats[f].round(decode(half, 5, 10, true), 'n', true))
            << names[f] << " of " << std::hex << half;
      }
  }
  std::vector<uint32_t> bytes;
  for (uint32_t value = 0; value < 256; ++value)
    bytes.push_back(value << 8 | (255 - value));
  const Format half(5, 10);
  for (int f = 0; f < 2; ++f)
    for (bool isRelu : {true, false}) {
      std::vector<uint32_t> got =
          map32(std::string("cvt.rn") + (isRelu ? ".relu" : "") + ".f16x2." +
                    names[f] + " %r1, %h2;",
                bytes);
      for (size_t i = 0; i < bytes.size(); ++i)
        for (unsigned part = 0; part < 2; ++part) {
          double value = f == 0
                             ? decode(bytes[i] >> 8 * part & 0xff, 4, 3, false)
                             : decode(bytes[i] >> 8 * part & 0xff, 5, 2, true);
          if (isRelu && std::signbit(value) && value == value)
            value = 0.0;
          ASSERT_EQ(got[i] >> 16 * part & 0xffff, half.round(value, 'n', false))
              << names[f] << " " << std::hex << bytes[i];
        }
    }
}

TEST(Convert, Tf32KeepsTenBits) {
  const std::vector<uint32_t> in = sampleFloats();
  const Format tf32(8, 10);
  for (auto [name, mode] :
       {std::pair<const char *, char>{"rn", 'n'}, {"rz", 'z'}}) {
    std::vector<uint32_t> got =
        map32("cvt." + std::string(name) + ".tf32.f32 %r1, %r2;", in);
    for (size_t i = 0; i < in.size(); ++i)
      if (floatOf(in[i]) == floatOf(in[i])) {
        ASSERT_EQ(got[i], tf32.round(floatOf(in[i]), mode, false) << 13)
            << name << " of " << std::hex << in[i];
      }
  }
  // Ties go away from zero with .rna: 1 + 2^-11 and its negative.
  EXPECT_EQ(eval32("cvt.rna.tf32.f32 %r1, 0f3F801000;"), 0x3f802000u);
  EXPECT_EQ(eval32("cvt.rna.tf32.f32 %r1, 0fBF801000;"), 0xbf802000u);
  EXPECT_EQ(eval32("cvt.rn.tf32.f32 %r1, 0f3F801000;"), 0x3f800000u);
  EXPECT_EQ(eval32("cvt.rn.relu.tf32.f32 %r1, 0f80000000;"), 0u);
  EXPECT_EQ(eval32("cvt.rna.satfinite.tf32.f32 %r1, 0fFF800000;"), 0xff7fe000u);
}

//===----------------------------------------------------------------------===//
// Integers and fp64
//===----------------------------------------------------------------------===//

const std::pair<const char *, int> hostModes[] = {{"rn", FE_TONEAREST},
                                                  {"rz", FE_TOWARDZERO},
                                                  {"rm", FE_DOWNWARD},
                                                  {"rp", FE_UPWARD}};

template <typename To, typename From> To underMode(From value, int mode) {
  int before = std::fegetround();
  std::fesetround(mode);
  volatile From in = value;
  volatile To out = static_cast<To>(in);
  std::fesetround(before);
  return out;
}

std::vector<Words> sampleWide() {
  std::vector<Words> in;
  auto add = [&](uint64_t bits) {
    in.push_back(
        {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32), 0, 0});
  };
  for (int shift = 0; shift < 64; ++shift)
    for (int64_t delta : {-1, 0, 1}) {
      add((uint64_t(1) << shift) + static_cast<uint64_t>(delta));
      add(0 - (uint64_t(1) << shift) + static_cast<uint64_t>(delta));
    }
  // Half way between two fp32, and just beside.
  for (uint64_t base : {0x1000001000000000ull, 0x1000003000000000ull})
    for (int64_t delta : {-1, 0, 1})
      add(base + static_cast<uint64_t>(delta));
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i)
    add(random() >> random() % 64);
  return in;
}

uint64_t wideOf(const Words &words) {
  return words[0] | uint64_t(words[1]) << 32;
}

TEST(Convert, IntegersToFloatsInEveryMode) {
  const std::vector<Words> in = sampleWide();
  for (auto [name, mode] : hostModes) {
    std::string n = name;
    std::vector<Words> got =
        mapAll("ld.global.b64 %rd4, [%rd1];\n cvt." + n +
                   ".f32.u64 %r1, %rd4;\n cvt." + n +
                   ".f32.s64 %r2, %rd4;\n cvt." + n +
                   ".f64.u64 %rd5, %rd4;\n st.global.v2.b32 [%rd2], {%r1, "
                   "%r2};\n st.global.b64 [%rd2+8], %rd5;",
               in);
    std::vector<Words> more = mapAll(
        "ld.global.b64 %rd4, [%rd1];\n cvt." + n +
            ".f64.s64 %rd5, %rd4;\n st.global.b64 [%rd2], %rd5;\n "
            "cvt.u32.u64 %r3, %rd4;\n cvt." +
            n + ".f32.u32 %r1, %r3;\n cvt." + n +
            ".f32.s32 %r2, %r3;\n st.global.v2.b32 [%rd2+8], {%r1, %r2};",
        in);
    for (size_t i = 0; i < in.size(); ++i) {
      uint64_t u = wideOf(in[i]);
      int64_t s = static_cast<int64_t>(u);
      ASSERT_EQ(floatOf(got[i][0]), underMode<float>(u, mode)) << n << u;
      ASSERT_EQ(floatOf(got[i][1]), underMode<float>(s, mode)) << n << s;
      double wide;
      uint64_t bits = got[i][2] | uint64_t(got[i][3]) << 32;
      std::memcpy(&wide, &bits, 8);
      ASSERT_EQ(wide, underMode<double>(u, mode)) << n << u;
      bits = wideOf(more[i]);
      std::memcpy(&wide, &bits, 8);
      ASSERT_EQ(wide, underMode<double>(s, mode)) << n << s;
      ASSERT_EQ(floatOf(more[i][2]),
                underMode<float>(static_cast<uint32_t>(u), mode));
      ASSERT_EQ(floatOf(more[i][3]),
                underMode<float>(static_cast<int32_t>(u), mode));
    }
  }
}

TEST(Convert, DoublesToFloatsInEveryMode) {
  std::mt19937_64 random(9);
  std::vector<Words> in;
  auto add = [&](double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    in.push_back(
        {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32), 0, 0});
  };
  for (int exponent = -152; exponent < 130; ++exponent)
    for (double mantissa : {1.0, 1 + 0x1p-24, 1 + 0x1.8p-23, 2 - 0x1p-24,
                            1 + 0x1p-24 + 0x1p-50, 1.7}) {
      add(std::ldexp(mantissa, exponent));
      add(-std::ldexp(mantissa, exponent));
    }
  for (int i = 0; i < 500; ++i)
    add(std::ldexp(static_cast<double>(random()),
                   static_cast<int>(random() % 300) - 200));
  for (auto [name, mode] : hostModes) {
    std::vector<Words> got =
        mapAll("ld.global.b64 %rd4, [%rd1];\n cvt." + std::string(name) +
                   ".f32.f64 %r1, %rd4;\n st.global.b32 [%rd2], %r1;",
               in);
    for (size_t i = 0; i < in.size(); ++i) {
      double value;
      uint64_t bits = wideOf(in[i]);
      std::memcpy(&value, &bits, 8);
      ASSERT_EQ(got[i][0], bitsOf(underMode<float>(value, mode)))
          << name << " " << value;
    }
  }
}

TEST(Convert, FloatsToIntegersClampAndRound) {
  struct Case {
    const char *code;
    uint64_t expected;
  };
  const Case cases[] = {
      // Ties to even, directed modes, -0.5 to -0.
      {"cvt.rni.s32.f32 %r1, 0f3F000000;", 0},
      {"cvt.rni.s32.f32 %r1, 0f3FC00000;", 2},
      {"cvt.rni.s32.f32 %r1, 0f40200000;", 2},
      {"cvt.rzi.s32.f32 %r1, 0fBFC00000;", 0xffffffffu},
      {"cvt.rmi.s32.f32 %r1, 0fBFC00000;", 0xfffffffeu},
      {"cvt.rpi.s32.f32 %r1, 0f3F800001;", 2},
      {"cvt.rmi.s32.f32 %r1, 0f80000000;", 0},
      // Out of range clamps, with or without .sat.
      {"cvt.rzi.s32.f32 %r1, 0f4F000000;", 0x7fffffffu},
      {"cvt.rzi.s32.f32 %r1, 0fCF000001;", 0x80000000u},
      {"cvt.rzi.u32.f32 %r1, 0fBF800000;", 0},
      {"cvt.rzi.u32.f32 %r1, 0f7F800000;", 0xffffffffu},
      {"cvt.rzi.sat.u8.f32 %r1, 0f43960000;", 0xff},
      {"cvt.rzi.s8.f32 %r1, 0fC3960000;", 0xffffff80u},
      {"cvt.rzi.s32.f64 %r1, 0dC1E0000000200000;", 0x80000000u},
      {"cvt.rni.u32.f64 %r1, 0d41EFFFFFFFF00000;", 0xffffffffu},
      // Subnormals flushed before the rounding.
      {"cvt.rpi.s32.f32 %r1, 0f00000001;", 1},
      {"cvt.rpi.ftz.s32.f32 %r1, 0f00000001;", 0},
      {"cvt.rmi.s32.f32 %r1, 0f80000001;", 0xffffffffu},
      {"cvt.rmi.ftz.s32.f32 %r1, 0f80000001;", 0},
      // NaN: zero between narrow types, else the top bit.
      {"cvt.rzi.s32.f32 %r1, 0f7FC00000;", 0},
      {"cvt.rzi.u32.f32 %r1, 0f7FC00000;", 0},
      {"cvt.rzi.u8.f32 %r1, 0f7FC00000;", 0},
      {"cvt.rzi.s32.f64 %r1, 0d7FF8000000000000;", 0x80000000u},
      {"cvt.rzi.u32.f64 %r1, 0d7FF8000000000000;", 0x80000000u},
      {"cvt.rzi.u16.f64 %h1, 0d7FF8000000000000;\n cvt.u32.u16 %r1, %h1;",
       0x8000u},
      {"cvt.rzi.s8.f64 %r1, 0d7FF8000000000000;", 0xffffff80u},
      // Between integers: the low bits, or clamped.
      {"mov.b32 %r2, 0x180;\n cvt.u8.u32 %r1, %r2;", 0x80},
      {"mov.b32 %r2, 0x180;\n cvt.s8.u32 %r1, %r2;", 0xffffff80u},
      {"mov.b32 %r2, 0x180;\n cvt.sat.u8.u32 %r1, %r2;", 0xff},
      {"mov.b32 %r2, -5;\n cvt.sat.u32.s32 %r1, %r2;", 0},
      {"mov.b32 %r2, -500;\n cvt.sat.s8.s32 %r1, %r2;", 0xffffff80u},
      {"mov.b32 %r2, -1;\n cvt.sat.s32.u32 %r1, %r2;", 0x7fffffffu},
      // To the unit interval.
      {"cvt.sat.f32.f32 %r1, 0f7FC00000;", 0},
      {"cvt.sat.f32.f32 %r1, 0f80000000;", 0},
      {"cvt.sat.f32.f32 %r1, 0f40000000;", 0x3f800000u},
      {"mov.b32 %r2, -3;\n cvt.rn.sat.f32.s32 %r1, %r2;", 0},
      // Integral values keep the sign of zero.
      {"cvt.rni.f32.f32 %r1, 0fBE800000;", 0x80000000u},
      {"cvt.rpi.f32.f32 %r1, 0fBF666666;", 0x80000000u},
      {"cvt.rmi.f32.f32 %r1, 0fBF666666;", 0xbf800000u},
      {"cvt.ftz.f32.f32 %r1, 0f80000001;", 0x80000000u},
      {"cvt.f32.f32 %r1, 0f80000001;", 0x80000001u},
  };
  for (const Case &c : cases)
    EXPECT_EQ(eval32(c.code), c.expected) << c.code;
  const Case wide[] = {
      {"cvt.rzi.s64.f32 %rd10, 0f7FC00000;", 0x8000000000000000u},
      {"cvt.rzi.u64.f32 %rd10, 0f7FC00000;", 0x8000000000000000u},
      {"cvt.rzi.s64.f64 %rd10, 0d7FF8000000000000;", 0x8000000000000000u},
      {"mov.b16 %h2, 0x7e00;\n cvt.rni.s64.f16 %rd10, %h2;",
       0x8000000000000000u},
      {"cvt.rzi.s64.f32 %rd10, 0f5F000000;", 0x7fffffffffffffffu},
      {"cvt.rzi.s64.f32 %rd10, 0fDF000000;", 0x8000000000000000u},
      {"cvt.rzi.u64.f32 %rd10, 0f5F800000;", ~uint64_t(0)},
      {"cvt.rzi.u64.f64 %rd10, 0dBFF0000000000000;", 0},
      {"cvt.rzi.u64.f64 %rd10, 0d43EFFFFFFFFFFFFF;", 0xfffffffffffff800u},
      {"cvt.f64.f32 %rd10, 0f00000001;", 0x36a0000000000000u},
      {"cvt.ftz.f64.f32 %rd10, 0f00000001;", 0},
  };
  for (const Case &c : wide)
    EXPECT_EQ(eval64(c.code), c.expected) << c.code;
}

} // namespace
