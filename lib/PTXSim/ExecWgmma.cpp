//===- ExecWgmma.cpp - matrix multiply by a warpgroup ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.fence, wgmma.mma_async, their groups, and setmaxnreg. Each warp issues
// its share of the product; that the four warps of a warpgroup do the same is
// checked as they come.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Cluster.h"
#include "Wgmma.h"

namespace goat::ptxsim {

namespace {

void runFence(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  warp.hasWgmmaFence = true;
  for (uint8_t &state : warp.frames.back()->wgmmaSlots)
    state &= static_cast<uint8_t>(~usedSinceFence);
}

/// The value of a 64-bit register that all lanes agree on.
uint64_t uniform(Warp &warp, const Instr &instr, uint32_t slot) {
  const uint64_t *values = warp.lanes<uint64_t>(slot);
  for (unsigned lane = 1; lane < warpSize; ++lane)
    if (values[lane] != values[0]) {
      warp.report(FindingKind::BadDescriptor, instr, 1u << lane, values[lane],
                  "expected one matrix descriptor in all lanes");
      break;
    }
  return values[0];
}

void checkRegisters(Warp &warp, const Instr &instr, bool accumulates) {
  const WgmmaInfo &info = *instr.wgmma;
  const std::vector<uint8_t> &slots = warp.frames.back()->wgmmaSlots;
  if (!warp.hasWgmmaFence) {
    warp.report(FindingKind::MissingFence, instr, allLanes, 0,
                "expected a wgmma.fence before the first wgmma");
    warp.hasWgmmaFence = true;
  }
  uint32_t unwritten = 0;
  bool isUsed = false;
  for (uint32_t i = 0; i < instr.numDst; ++i) {
    uint32_t slot = instr.op[i];
    isUsed |= slots[slot] & usedSinceFence;
    if (accumulates)
      unwritten |= ~warp.written[slot];
    // What is read before the wait is reported as that.
    warp.written[slot] = allLanes;
  }
  if (info.isAInRegisters)
    for (uint32_t r = 0; r < 4; ++r)
      isUsed |= slots[instr.op[instr.numDst + r]] & usedSinceFence;
  if (unwritten)
    warp.report(FindingKind::UninitialisedRegister, instr, unwritten, 0,
                "accumulates to a register that was never written");
  if (isUsed)
    warp.report(FindingKind::MissingFence, instr, allLanes, 0,
                "uses a register that another instruction has used since the "
                "last wgmma.fence");
}

/// Starts to read the pieces of a matrix; empty if they are not in reach.
std::vector<uint32_t> beginRead(Warp &warp, const Instr &instr,
                                const MatrixDescriptor &descriptor,
                                bool isTransposed, uint32_t firstRow,
                                uint32_t numRows) {
  SharedMemory &shared = warp.block.shared;
  std::vector<uint32_t> pieces =
      matrixPieces(descriptor, isTransposed, firstRow, numRows);
  for (uint32_t &address : pieces) {
    address |= warp.block.rank << rankShift;
    if (shared.contains(address, 16))
      continue;
    warp.report(FindingKind::OutOfBounds, instr, allLanes, address,
                "the matrix descriptor leads out of shared memory");
    return {};
  }
  for (uint32_t address : pieces)
    beginAsyncRead(warp, instr, allLanes, address, 16);
  return pieces;
}

void runMma(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!requireWholeWarp(warp, instr, mask))
    return;
  const WgmmaInfo &info = *instr.wgmma;
  const uint32_t *source = instr.op + instr.numDst;
  uint32_t scale = warp.readPredicate(instr, instr.predicateSrc[0], mask);
  if (scale && scale != allLanes)
    warp.report(FindingKind::InactiveLane, instr, ~scale, 0,
                "expected one value of scale-d in all lanes");
  uint64_t a = info.isAInRegisters ? 0 : uniform(warp, instr, source[0]);
  uint64_t b = uniform(warp, instr, source[info.isAInRegisters ? 4 : 1]);
  warp.block.stepWarpgroup(warp, instr, {a, b});
  checkRegisters(warp, instr, scale & 1);
  PendingWgmma pending;
  pending.instr = &instr;
  pending.frame = warp.frames.back().get();
  pending.group = warp.openWgmmaGroup;
  pending.accumulates = scale & 1;
  if (!info.isAInRegisters) {
    pending.aRows = beginRead(warp, instr, MatrixDescriptor(a),
                              info.isATransposed, 16 * (warp.id % 4), 16);
    if (pending.aRows.empty())
      return;
  }
  pending.bRows = beginRead(warp, instr, MatrixDescriptor(b),
                            info.isBTransposed, 0, info.n);
  if (!pending.bRows.empty())
    warp.issueWgmma(std::move(pending));
}

void runCommit(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  ++warp.openWgmmaGroup;
}

void runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  if (warp.completeWgmma(static_cast<uint32_t>(instr.imm)))
    return;
  --warp.pc; // to be executed again
  InstrCounts &counts = warp.worker.counts[instr.id];
  --counts.warps;
  counts.threads -= static_cast<unsigned>(__builtin_popcount(mask));
  warp.state = Warp::State::Waiting;
  warp.waitsAt = &instr;
  warp.waitsFor = Warp::WaitsFor::Warpgroup;
  warp.yields = true;
}

bool parseFormat(std::string_view name, WgmmaFormat &format) {
  static constexpr std::pair<std::string_view, WgmmaFormat> names[] = {
      {"f16", WgmmaFormat::F16},   {"bf16", WgmmaFormat::BF16},
      {"tf32", WgmmaFormat::TF32}, {"e4m3", WgmmaFormat::E4M3},
      {"e5m2", WgmmaFormat::E5M2}, {"s8", WgmmaFormat::S8},
      {"u8", WgmmaFormat::U8},     {"f32", WgmmaFormat::F32},
      {"s32", WgmmaFormat::S32}};
  for (const auto &[known, value] : names)
    if (known == name) {
      format = value;
      return true;
    }
  return false;
}

bool isSixteenBits(WgmmaFormat format) {
  return format == WgmmaFormat::F16 || format == WgmmaFormat::BF16;
}

/// An immediate that is one of two values; `isSecond` says which.
bool readImmediate(Decoder &d, size_t index, int64_t first, int64_t second,
                   bool &isSecond) {
  const Operand &operand = d.operand(index);
  if (operand.kind != Operand::Integer ||
      (operand.value != first && operand.value != second))
    return d.fail("expected " + std::to_string(first) + " or " +
                  std::to_string(second) + " as operand " +
                  std::to_string(index));
  isSecond = operand.value == second;
  return true;
}

bool decodeMma(Decoder &d) {
  d.noteAsync();
  WgmmaInfo &info = d.addWgmma();
  // .mNnNkK[.satfinite].d.a.b
  const auto &mods = d.modifiers();
  WgmmaFormat formats[3];
  for (size_t i = 0; i < 3; ++i)
    if (!parseFormat(mods[mods.size() - 3 + i], formats[i]))
      return d.fail("unsupported type");
  info.dFormat = static_cast<uint8_t>(formats[0]);
  info.aFormat = static_cast<uint8_t>(formats[1]);
  info.bFormat = static_cast<uint8_t>(formats[2]);
  info.saturates = d.has("satfinite");
  bool isSixteen = isSixteenBits(formats[1]);
  bool isInteger = formats[0] == WgmmaFormat::S32;
  info.elementBytes = isSixteen ? 2 : formats[1] == WgmmaFormat::TF32 ? 4 : 1;
  info.k = 32u / info.elementBytes;
  for (std::string_view mod : mods)
    if (mod.substr(0, 4) == "m64n")
      info.n = static_cast<uint32_t>(
          std::strtoul(std::string(mod.substr(4)).c_str(), nullptr, 10));
  // Integers take 8, 24 and multiples of 16.
  if (isInteger && info.n % 16 && info.n != 8 && info.n != 24)
    return d.fail("expected 8, 24 or a multiple of 16 columns but got " +
                  std::to_string(info.n));
  d.instr.run = runMma;
  d.instr.propagates = true;
  d.instr.flops = 2 * 16 * info.n * info.k;
  size_t registers = formats[0] == WgmmaFormat::F16 ? info.n / 4 : info.n / 2;
  if (d.numOperands() < 4)
    return d.expectOperands(4);
  if (!d.addDstList(d.operand(0), registers, 4))
    return false;
  info.isAInRegisters = d.operand(1).kind == Operand::Vector;
  size_t transposes = isSixteen ? (info.isAInRegisters ? 1 : 2) : 0;
  if (!d.expectOperands(4 + (isInteger ? 0 : 2) + transposes))
    return false;
  if (info.isAInRegisters ? !d.addSrcList(d.operand(1), 4, 4)
                          : !d.addSrc(d.operand(1), 8))
    return false;
  if (!d.addSrc(d.operand(2), 8) || !d.setPredicateSrc(0, d.operand(3)))
    return false;
  if (isInteger)
    return true;
  if (!readImmediate(d, 4, 1, -1, info.negatesA) ||
      !readImmediate(d, 5, 1, -1, info.negatesB))
    return false;
  if (transposes == 2 && !readImmediate(d, 6, 0, 1, info.isATransposed))
    return false;
  return !transposes ||
         readImmediate(d, 5 + transposes, 0, 1, info.isBTransposed);
}

template <Handler Run> bool decodeGroup(Decoder &d) {
  d.noteAsync();
  d.instr.run = Run;
  bool isWait = d.has("wait_group");
  if (!d.expectOperands(isWait))
    return false;
  if (!isWait)
    return true;
  if (d.operand(0).kind != Operand::Integer || d.operand(0).value < 0)
    return d.fail("expected a number of groups");
  d.instr.imm = d.operand(0).value;
  return true;
}

void runSetRegisters(Warp &warp, const Instr &instr, uint32_t mask) {
  requireWholeWarp(warp, instr, mask);
  warp.block.stepWarpgroup(warp, instr, {0, 0});
  uint32_t count = static_cast<uint32_t>(instr.imm);
  bool isIncrease = instr.flags;
  if (warp.maxRegisters &&
      (isIncrease ? count < warp.maxRegisters : count > warp.maxRegisters))
    warp.report(FindingKind::BarrierMismatch, instr, mask, count,
                std::string("expected at ") + (isIncrease ? "least" : "most") +
                    " the " + std::to_string(warp.maxRegisters) +
                    " registers that the warp has but got " +
                    std::to_string(count));
  warp.maxRegisters = count;
  uint32_t total = 0;
  for (const auto &other : warp.block.warps)
    total += other->maxRegisters * warpSize;
  constexpr uint32_t registerFile = 64 * 1024;
  if (isIncrease && total > registerFile)
    warp.report(FindingKind::Deadlock, instr, mask, count,
                "waits for registers for ever: with these the warps of the "
                "block have " +
                    std::to_string(total) + " of " +
                    std::to_string(registerFile));
}

bool decodeSetRegisters(Decoder &d) {
  d.instr.run = runSetRegisters;
  d.instr.flags = d.has("inc");
  if (!d.expectOperands(1))
    return false;
  const Operand &count = d.operand(0);
  if (count.kind != Operand::Integer || count.value < 24 || count.value > 256 ||
      count.value % 8)
    return d.fail("expected a multiple of 8 from 24 to 256");
  d.instr.imm = count.value;
  return true;
}

/// "wgmma.mma_async.sync.aligned(.m64n8k16|.m64n16k16|...)" and the rest.
const char *mmaPattern(unsigned k, const char *rest) {
  std::string text = "wgmma.mma_async.sync.aligned(";
  for (unsigned n = 8; n <= 256; n += 8)
    text += (n == 8 ? ".m64n" : "|.m64n") + std::to_string(n) + "k" +
            std::to_string(k);
  return keepPattern(text + ")" + rest);
}

} // namespace

std::vector<OpcodeRow> wgmmaOpcodes() {
  constexpr OpClass m = OpClass::TensorMma, s = OpClass::Sync;
  return {
      {mmaPattern(16, "(.f16|.f32).f16.f16"), m, decodeMma},
      {mmaPattern(16, ".f32.bf16.bf16"), m, decodeMma},
      {mmaPattern(8, ".f32.tf32.tf32"), m, decodeMma},
      {mmaPattern(32, "(.f16|.f32)(.e4m3|.e5m2)(.e4m3|.e5m2)"), m, decodeMma},
      {mmaPattern(32, "(.satfinite)?.s32(.s8|.u8)(.s8|.u8)"), m, decodeMma},
      {"wgmma.fence.sync.aligned", s, decodeGroup<runFence>},
      {"wgmma.commit_group.sync.aligned", s, decodeGroup<runCommit>},
      {"wgmma.wait_group.sync.aligned", s, decodeGroup<runWait>},
      {"setmaxnreg(.inc|.dec).sync.aligned.u32", s, decodeSetRegisters},
  };
}

} // namespace goat::ptxsim
