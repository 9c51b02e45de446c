//===- WgmmaTest.cpp - matrix multiply by a warpgroup ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of every type, layout and source of A against plain loops. Matrices
// are laid out in shared memory by the host, by the canonical layouts of the
// PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "HopperUtils.h"

#include <functional>
#include <random>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

/// How a matrix lies in shared memory. The mode is that of descriptors: 0 for
/// none, 1 for 128, 2 for 64 and 3 for 32 bytes.
struct Layout {
  unsigned mode = 0;
  bool isTransposed = false;
  unsigned bytes = 2;

  unsigned span() const { return mode == 0 ? 16 : 256u >> mode; }
  /// Between core matrices in the direction that the tests leave room for.
  static constexpr unsigned leading = 2048;
  unsigned stride() const {
    return isTransposed && mode ? 8 * span() : 8 * span() + 256 * (mode == 0);
  }

  /// Byte offset of element (row, k) of M or N by K, as the ISA's canonical
  /// layouts have it, before the swizzle.
  unsigned plain(unsigned row, unsigned k) const {
    unsigned perChunk = 16 / bytes;
    if (!isTransposed) {
      unsigned chunk = k / perChunk;
      return row % 8 * span() + row / 8 * stride() +
             chunk * (mode ? 16 : leading) + k % perChunk * bytes;
    }
    if (!mode)
      return row % 8 * 2 + row / 8 * stride() + k % 8 * 16 + k / 8 * leading;
    unsigned across = span() / 2;
    return row % across * 2 + row / across * leading + k % 8 * span() +
           k / 8 * stride();
  }
  unsigned offset(unsigned row, unsigned k) const {
    unsigned at = plain(row, k);
    switch (mode) {
    case 1:
      return at ^ (at / 128 % 8 * 16);
    case 2:
      return at ^ (at / 128 % 4 * 16);
    case 3:
      return at ^ (at / 128 % 2 * 16);
    }
    return at;
  }
  uint64_t descriptor() const {
    return uint64_t(leading / 16) << 16 | uint64_t(stride() / 16) << 32 |
           uint64_t(mode) << 62;
  }
};

struct Types {
  const char *name;
  unsigned bytes;
  /// The bits of a small number.
  std::function<uint32_t(int)> encode;
};

uint32_t e4m3Bits(int value) {
  // -2 to 2: sign, exponent biased by 7, mantissa zero.
  uint32_t sign = value < 0 ? 0x80 : 0;
  int magnitude = value < 0 ? -value : value;
  return sign | (magnitude == 0 ? 0 : magnitude == 1 ? 0x38 : 0x40);
}
uint32_t e5m2Bits(int value) {
  uint32_t sign = value < 0 ? 0x80 : 0;
  int magnitude = value < 0 ? -value : value;
  return sign | (magnitude == 0 ? 0 : magnitude == 1 ? 0x3c : 0x40);
}
const Types f16{"f16", 2, [](int v) { return uint32_t(f16Bits(float(v))); }};
const Types bf16{"bf16", 2, [](int v) { return uint32_t(bf16Bits(float(v))); }};
// The lowest 13 bits do not count.
const Types tf32{"tf32", 4, [](int v) { return bitsOf(float(v)) | 0x1fff; }};
const Types e4m3{"e4m3", 1, e4m3Bits};
const Types e5m2{"e5m2", 1, e5m2Bits};
const Types s8{"s8", 1, [](int v) { return uint32_t(v) & 0xff; }};
const Types u8{"u8", 1, [](int v) { return uint32_t(v + 2) & 0xff; }};

constexpr unsigned aBytes = 8192, bBytes = 16384;

/// One warpgroup multiplies once and writes its accumulators.
struct Product {
  std::string d = "f32";
  Types a = f16, b = f16;
  unsigned n = 16;
  Layout aLayout, bLayout;
  bool isAInRegisters = false;
  int scaleA = 1, scaleB = 1;
  bool accumulates = false;
  unsigned repetitions = 1;
  std::string modifier;

  unsigned k() const { return 32 / a.bytes; }
  unsigned registers() const { return d == "f16" ? n / 4 : n / 2; }
  std::string list(const std::string &prefix, unsigned count) const {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", " : "") + prefix + std::to_string(i);
    return text + "}";
  }
  std::string mma() const {
    std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) +
                       "k" + std::to_string(k()) + modifier + "." + d + "." +
                       a.name + "." + b.name + " " + list("%acc", registers()) +
                       ", " + (isAInRegisters ? list("%a", 4) : "%rd11") +
                       ", %rd12, %p5";
    if (d != "s32")
      text += ", " + std::to_string(scaleA) + ", " + std::to_string(scaleB);
    if (a.bytes == 2) {
      if (!isAInRegisters)
        text += aLayout.isTransposed ? ", 1" : ", 0";
      text += bLayout.isTransposed ? ", 1" : ", 0";
    }
    return text + ";\n";
  }
  std::string kernel() const;
  void check(uint64_t seed = 0) const;
};

/// Copies the image to shared memory, then runs `body`.
std::string withImage(const std::string &body, unsigned registers,
                      const std::string &fence = "fence.proxy.async;") {
  std::string text = R"(
.version 8.6
.target sm_90a
.address_size 64
.shared .align 1024 .b8 image[24576];
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 descA,
                  .param .u64 descB) {
  .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>;
  .reg .b32 %a<4>;
  .reg .b32 %acc<)" + std::to_string(registers) +
                     R"(>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mov.u32 %r0, %tid.x; mov.u32 %r1, image;
  mul.wide.u32 %rd3, %r0, 16; add.u64 %rd4, %rd1, %rd3;
  shl.b32 %r2, %r0, 4; add.u32 %r2, %r2, %r1; mov.u32 %r3, 0;
COPY:
  ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd4];
  st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7};
  add.u64 %rd4, %rd4, 2048; add.u32 %r2, %r2, 2048; add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 12; @%p1 bra COPY;
  ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rd4];
  )" + fence + R"(
  bar.sync 0;
  ld.param.u64 %rd11, [descA]; ld.param.u64 %rd12, [descB];
  shr.u32 %r8, %r1, 4; cvt.u64.u32 %rd13, %r8;
  add.u64 %rd11, %rd11, %rd13; add.u64 %rd12, %rd12, %rd13;
  add.u64 %rd12, %rd12, 512;
)";
  return text + body + "\n  ret;\n}\n";
}

std::string Product::kernel() const {
  std::string body;
  if (accumulates)
    for (unsigned i = 0; i < registers(); ++i)
      body += "mov.b32 %acc" + std::to_string(i) + ", " +
              (d == "f32"   ? "0f40400000"
               : d == "f16" ? "0x42004200"
                            : "3") +
              ";\n";
  body += std::string("setp.") + (accumulates ? "eq" : "ne") +
          ".u32 %p5, %r0, %r0;\nwgmma.fence.sync.aligned;\n" + mma();
  for (unsigned i = 1; i < repetitions; ++i)
    body += "setp.eq.u32 %p5, %r0, %r0;\n" + mma();
  body += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
          "mul.wide.u32 %rd20, %r0, " +
          std::to_string(4 * registers()) + ";\nadd.u64 %rd20, %rd20, %rd2;\n";
  for (unsigned i = 0; i < registers(); ++i)
    body += "st.global.b32 [%rd20+" + std::to_string(4 * i) + "], %acc" +
            std::to_string(i) + ";\n";
  return withImage(body, registers());
}

/// Runs `text` with one warpgroup.
LaunchResult runWarpgroup(const std::string &text, const Product &product,
                          const std::vector<uint8_t> &image,
                          std::vector<uint32_t> &out, uint64_t seed,
                          unsigned count = 128) {
  Result<Module> module = Module::parse(text, "wgmma.ptx");
  EXPECT_TRUE(bool(module)) << module.error();
  LaunchResult none;
  if (!module)
    return none;
  Memory memory;
  uint64_t in = memory.allocate(image.size(), "in");
  memory.write(in, image.data(), image.size());
  out.resize(size_t(count) * product.registers());
  uint64_t output = memory.allocate(4 * out.size(), "out");
  auto result = launch(*module, "k", memory,
                       Arguments()
                           .pointer(in)
                           .pointer(output)
                           .u64(product.aLayout.descriptor())
                           .u64(product.bLayout.descriptor()),
                       threads(count, seed));
  EXPECT_TRUE(bool(result)) << result.error();
  if (!result)
    return none;
  memory.read(output, out.data(), 4 * out.size());
  return *result;
}

std::string listFindings(const LaunchResult &result) {
  std::string all;
  for (const Finding &finding : result.findings)
    all += finding.str() + "\n";
  return all;
}

void Product::check(uint64_t seed) const {
  std::mt19937 random(5);
  auto draw = [&] { return static_cast<int>(random() % 5) - 2; };
  std::vector<int> left(64 * k()), right(n * k());
  for (auto *matrix : {&left, &right})
    for (int &x : *matrix)
      x = draw();
  // A, B, and the registers of A of 128 threads.
  std::vector<uint8_t> image(aBytes + bBytes + 128 * 16, 0);
  auto put = [&](size_t at, uint32_t bits) {
    std::memcpy(&image[at], &bits, a.bytes);
  };
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned l = 0; l < k(); ++l) {
      uint32_t bits = a.encode(left[row * k() + l]);
      put(aLayout.offset(row, l), bits);
      // Lane 4 (row mod 8) + l / E mod 4 of warp row / 16.
      unsigned perRegister = 4 / a.bytes;
      unsigned thread = row / 16 * 32 + row % 8 * 4 + l / perRegister % 4;
      unsigned reg = row % 16 / 8 + 2 * (l / (4 * perRegister));
      put(aBytes + bBytes + thread * 16 + reg * 4 + l % perRegister * a.bytes,
          bits);
    }
  for (unsigned column = 0; column < n; ++column)
    for (unsigned l = 0; l < k(); ++l)
      put(aBytes + bLayout.offset(column, l),
          b.encode(right[column * k() + l]));
  std::vector<uint32_t> out;
  LaunchResult result = runWarpgroup(kernel(), *this, image, out, seed);
  EXPECT_EQ(listFindings(result), "") << mma();
  unsigned bad = 0;
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < n; ++column) {
      int shift = std::string(a.name) == "u8" ? 2 : 0;
      int shiftB = std::string(b.name) == "u8" ? 2 : 0;
      int expected = accumulates ? 3 : 0;
      for (unsigned r = 0; r < repetitions; ++r)
        for (unsigned l = 0; l < k(); ++l)
          expected += scaleA * scaleB * (left[row * k() + l] + shift) *
                      (right[column * k() + l] + shiftB);
      // d[i] of lane 4 (row mod 8) + (column mod 8) / 2.
      unsigned thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
      unsigned i = column % 2 + row % 16 / 8 * 2 + column / 8 * 4;
      uint32_t word = out[thread * registers() + (d == "f16" ? i / 2 : i)];
      uint32_t wanted = d == "f32"   ? bitsOf(float(expected))
                        : d == "s32" ? uint32_t(expected)
                                     : f16Bits(float(expected));
      if (d == "f16")
        word = word >> 16 * (i % 2) & 0xffff;
      bad += word != wanted;
    }
  EXPECT_EQ(bad, 0u) << mma() << "modes " << aLayout.mode << " and "
                     << bLayout.mode;
}

TEST(Wgmma, EveryLayoutOfEitherMajor) {
  for (unsigned mode = 0; mode < 4; ++mode)
    for (bool isATransposed : {false, true})
      for (bool isBTransposed : {false, true}) {
        Product product;
        product.n = 64;
        product.aLayout = {mode, isATransposed, 2};
        product.bLayout = {3 - mode, isBTransposed, 2};
        product.check();
        product.isAInRegisters = true;
        product.b = product.a = bf16;
        product.check(1);
      }
}

TEST(Wgmma, EveryType) {
  struct Case {
    const char *d;
    const Types &a, &b;
  };
  for (const Case &c :
       {Case{"f32", f16, f16}, Case{"f16", f16, f16}, Case{"f32", bf16, bf16},
        Case{"f32", tf32, tf32}, Case{"f32", e4m3, e5m2},
        Case{"f16", e5m2, e4m3}, Case{"f32", e4m3, e4m3}, Case{"s32", s8, s8},
        Case{"s32", u8, s8}, Case{"s32", s8, u8}, Case{"s32", u8, u8}})
    for (unsigned mode : {0u, 1u}) {
      Product product;
      product.d = c.d;
      product.a = c.a;
      product.b = c.b;
      product.aLayout = product.bLayout = {mode, false, c.a.bytes};
      product.check();
      product.isAInRegisters = true;
      product.check();
    }
}

TEST(Wgmma, EveryWidth) {
  for (unsigned n = 8; n <= 256; n += 8) {
    Product product;
    product.n = n;
    product.bLayout = {3, false, 2};
    product.check();
  }
}

TEST(Wgmma, ScalesAndAccumulates) {
  for (int scaleA : {1, -1})
    for (int scaleB : {1, -1}) {
      Product product;
      product.scaleA = scaleA;
      product.scaleB = scaleB;
      product.accumulates = true;
      product.repetitions = 3;
      product.check();
      product.d = "f16";
      product.check();
    }
  Product product;
  product.d = "s32";
  product.a = product.b = s8;
  product.aLayout.bytes = product.bLayout.bytes = 1;
  product.modifier = ".satfinite";
  product.accumulates = true;
  product.check();
}

/// The kinds of what `body` does wrong; the accumulators are %acc0 to %acc7.
std::string faults(const std::string &body, uint64_t seed = 0,
                   unsigned count = 128,
                   const std::string &fence = "fence.proxy.async;") {
  Product product;
  std::vector<uint8_t> image(aBytes + bBytes + 128 * 16, 0);
  std::vector<uint32_t> out;
  std::string all;
  for (const Finding &finding :
       runWarpgroup(withImage(body, 8, fence), product, image, out, seed, count)
           .findings)
    all += std::string(all.empty() ? "" : " ") + findingKindName(finding.kind);
  return all;
}

const char *no = "setp.ne.u32 %p5, %r0, %r0;\n";
const char *open = "wgmma.fence.sync.aligned;\n";
const char *commit = "wgmma.commit_group.sync.aligned;\n";
const char *waitAll = "wgmma.wait_group.sync.aligned 0;\n";
std::string mma(bool isAInRegisters = false) {
  Product product;
  product.isAInRegisters = isAInRegisters;
  return product.mma();
}

TEST(Wgmma, AccumulatorsAreTouchedAfterTheWait) {
  std::string issue = std::string(no) + open + mma() + commit;
  const char *read = "add.u32 %r9, %acc3, 1;\n", *write = "mov.b32 %acc3, 0;\n";
  EXPECT_EQ(faults(issue + waitAll + read + write), "");
  EXPECT_EQ(faults(issue + read + waitAll), "missing-async-wait");
  EXPECT_EQ(faults(issue + write + waitAll), "missing-async-wait");
  EXPECT_EQ(faults(issue + "mov.b32 %r9, %acc3;\n" + waitAll),
            "missing-async-wait");
  EXPECT_EQ(
      faults(issue + "wgmma.wait_group.sync.aligned 1;\n" + read + waitAll),
      "missing-async-wait");
  EXPECT_EQ(faults(issue), "missing-async-wait");
  // Not committed, not waited for.
  EXPECT_EQ(faults(std::string(no) + open + mma() + waitAll + read + commit +
                   waitAll),
            "missing-async-wait");
}

TEST(Wgmma, AInRegistersIsNotChangedBeforeTheWait) {
  std::string issue = std::string(no) + open + mma(true) + commit;
  EXPECT_EQ(faults(issue + waitAll + "mov.b32 %a1, 0;\n"), "");
  EXPECT_EQ(faults(issue + "mov.b32 %a1, 0;\n" + waitAll),
            "missing-async-wait");
}

TEST(Wgmma, RegistersTakeAFence) {
  EXPECT_EQ(faults(no + mma() + commit + waitAll), "missing-fence");
  std::string first = std::string(no) + open + mma() + commit + waitAll;
  std::string second = mma() + commit + waitAll;
  EXPECT_EQ(faults(first + second), "");
  EXPECT_EQ(faults(first + "mov.b32 %acc3, 0;\n" + second), "missing-fence");
  EXPECT_EQ(faults(first + "add.u32 %r9, %acc3, 1;\n" + second),
            "missing-fence");
  EXPECT_EQ(faults(first + "mov.b32 %acc3, 0;\n" + open + second), "");
  // A in registers: it was loaded before the fence, or after it.
  EXPECT_EQ(faults(std::string(no) + open + mma(true) + commit + waitAll), "");
  EXPECT_EQ(faults(std::string(no) + open + "mov.b32 %a1, 0;\n" + mma(true) +
                   commit + waitAll),
            "missing-fence");
}

TEST(Wgmma, MatricesTakeAProxyFence) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    std::string body = std::string(no) + open + mma() + commit + waitAll;
    EXPECT_EQ(faults(body, seed), "");
    EXPECT_EQ(faults(body, seed, 128, ""), "missing-fence");
    EXPECT_EQ(faults("fence.proxy.async.shared::cta;\n" + body, seed, 128, ""),
              "");
  }
}

TEST(Wgmma, MatricesStayUntilTheWait) {
  std::string issue = std::string(no) + open + mma() + commit;
  const char *overwrite = "bar.sync 0;\nst.shared.u32 [%r1+8192], 0;\n";
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    EXPECT_EQ(faults(issue + waitAll +
                         "bar.sync 0;\nsetp.eq.u32 %p6, %r0, 0;\n"
                         "@%p6 st.shared.u32 [%r1+8192], 0;\n",
                     seed),
              "");
    EXPECT_NE(
        faults(issue + overwrite + waitAll, seed).find("missing-async-wait"),
        std::string::npos);
    // The wait of one warp is for the part of all four.
    EXPECT_EQ(faults(issue + waitAll +
                         "setp.eq.u32 %p6, %r0, 0;\n"
                         "@%p6 st.shared.u32 [%r1+8192], 0;\n",
                     seed),
              "");
    // Warp 3 has not waited.
    std::string early = issue +
                        "setp.lt.u32 %p6, %r0, 96;\n@%p6 bra WAIT;\n"
                        "st.shared.u32 [%r1+8192], 0;\nWAIT:\n" +
                        waitAll;
    std::string found = faults(early, seed);
    EXPECT_TRUE(found.find("missing-async-wait") != std::string::npos ||
                found.find("shared-race") != std::string::npos)
        << found;
  }
}

TEST(Wgmma, WhatItAccumulatesToMustBeWritten) {
  std::string yes = "setp.eq.u32 %p5, %r0, %r0;\n";
  EXPECT_EQ(faults(yes + open + mma() + commit + waitAll),
            "uninitialised-register");
}

TEST(Wgmma, AWarpgroupActsAsOne) {
  std::string issue = std::string(no) + open + mma() + commit + waitAll;
  EXPECT_NE(faults(issue, 0, 32), "");
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    // One warp has another descriptor, or takes another way.
    EXPECT_NE(faults("setp.ge.u32 %p6, %r0, 96;\n"
                     "@%p6 add.u64 %rd12, %rd12, 16;\n" +
                         issue,
                     seed)
                  .find("barrier-divergence"),
              std::string::npos);
    EXPECT_EQ(faults("setp.ge.u32 %p6, %r0, 96;\n@%p6 bra DONE;\n" + issue +
                         "DONE:\n",
                     seed),
              "deadlock");
  }
  EXPECT_NE(
      faults("setp.lt.u32 %p6, %r0, 16;\n@%p6 bra DONE;\n" + issue + "DONE:\n")
          .find("inactive-lane"),
      std::string::npos);
  EXPECT_NE(
      faults("cvt.u64.u32 %rd15, %r0; add.u64 %rd12, %rd12, %rd15;\n" + issue)
          .find("bad-descriptor"),
      std::string::npos);
  EXPECT_NE(
      faults("add.u64 %rd12, %rd12, 0x3000;\n" + issue).find("out-of-bounds"),
      std::string::npos);
}

TEST(Wgmma, CountsItsFlops) {
  Product product;
  std::vector<uint8_t> image(aBytes + bBytes + 128 * 16, 0);
  std::vector<uint32_t> out;
  LaunchResult result = runWarpgroup(product.kernel(), product, image, out, 0);
  EXPECT_EQ(result.counts.tensorFlops, 2u * 64 * 16 * 16);
  EXPECT_EQ(result.counts.of(OpClass::TensorMma), 4u);
}

TEST(Wgmma, RegistersAreMovedBetweenWarpgroups) {
  auto of = [](const std::string &body, unsigned count = 128) {
    return kinds(runText(wrap90(body), {}, threads(count)));
  };
  EXPECT_EQ(of("setmaxnreg.dec.sync.aligned.u32 24;\n"
               "setmaxnreg.inc.sync.aligned.u32 240;\n",
               256),
            "");
  EXPECT_EQ(of("setmaxnreg.inc.sync.aligned.u32 240;\n"
               "setmaxnreg.inc.sync.aligned.u32 232;\n"),
            "barrier-mismatch");
  EXPECT_EQ(of("setmaxnreg.inc.sync.aligned.u32 240;\n", 384), "deadlock");
  EXPECT_EQ(of("setp.ge.u32 %p1, %r0, 96;\n"
               "@%p1 bra DONE;\nsetmaxnreg.dec.sync.aligned.u32 24;\nDONE:\n"),
            "barrier-divergence");
  for (const char *count : {"20", "260", "16", "264"}) {
    Result<Module> module = Module::parse(
        wrap90(std::string("setmaxnreg.inc.sync.aligned.u32 ") + count + ";"),
        "r.ptx");
    EXPECT_FALSE(bool(module));
  }
}

TEST(Wgmma, RefusesWhatTheIsaDoesNotHave) {
  for (const char *text :
       {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, "
        "%f4}, %rd5, %rd6, %p1, 2, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, "
        "%f4}, %rd5, %rd6, %p1, 1, 1, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd5, "
        "%rd6, %p1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1}, %rd5, %rd6, "
        "%p1;",
        "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1}, %rd5, %rd6, "
        "%p1, 1, 1, 0, 0;"}) {
    Result<Module> module = Module::parse(wrap90(text), "r.ptx");
    EXPECT_FALSE(bool(module)) << text;
  }
}

} // namespace
