//===- Wgmma.cpp - the arithmetic of wgmma --------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads operands from registers and from shared memory at the moment of the
// wait, multiplies and writes the accumulators. A warp has 16 of the 64 rows of
// its warpgroup, with fragments as in mma.m16n8. Products are exact, they and
// the accumulator are summed in double and the sum is rounded once, unless the
// launch asks for another way.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"
#include "Cluster.h"
#include "MmaNumerics.h"
#include "Numerics.h"

#include <algorithm>

namespace goat::ptxsim {

std::vector<uint32_t> matrixPieces(const MatrixDescriptor &d, bool isTransposed,
                                   uint32_t firstRow, uint32_t numRows) {
  // Core matrices are 8 rows of 16 bytes. With a swizzle `span` / 16 of them
  // lie side by side, so that rows are `span` bytes apart.
  uint32_t span = 16u << static_cast<uint32_t>(d.swizzle);
  bool isPlain = d.swizzle == TensorMapSwizzle::None;
  // The pattern of the swizzle begins where the base offset says.
  uint32_t phase = d.baseOffset << 7;
  auto place = [&](uint32_t offset) {
    return swizzleAddress(d.start + offset - phase, d.swizzle) + phase;
  };
  std::vector<uint32_t> pieces;
  if (!isTransposed) {
    for (uint32_t row = firstRow; row < firstRow + numRows; ++row)
      for (uint32_t j = 0; j < 2; ++j)
        pieces.push_back(place(row % 8 * span + row / 8 * d.stride +
                               j * (isPlain ? d.leading : 16)));
    return pieces;
  }
  uint32_t across = span / 16;
  for (uint32_t group = firstRow / 8; group < (firstRow + numRows) / 8; ++group)
    for (uint32_t k = 0; k < 16; ++k) {
      uint32_t row = isPlain ? group * d.stride
                             : group % across * 16 + group / across * d.leading;
      uint32_t column = isPlain ? k % 8 * 16 + k / 8 * d.leading
                                : k % 8 * span + k / 8 * d.stride;
      pieces.push_back(place(row + column));
    }
  return pieces;
}

namespace {

double decodeElement(WgmmaFormat format, uint32_t bits) {
  switch (format) {
  case WgmmaFormat::F16:
    return halfToFloat(static_cast<uint16_t>(bits));
  case WgmmaFormat::BF16:
    return bf16ToFloat(static_cast<uint16_t>(bits));
  case WgmmaFormat::TF32: // the lowest 13 bits are not looked at
    return bitCast<float>(bits & 0xffffe000u);
  case WgmmaFormat::E4M3:
    return e4m3ToDouble(static_cast<uint8_t>(bits));
  case WgmmaFormat::E5M2:
    return e5m2ToDouble(static_cast<uint8_t>(bits));
  case WgmmaFormat::S8:
    return static_cast<int8_t>(bits);
  case WgmmaFormat::U8:
    return static_cast<uint8_t>(bits);
  case WgmmaFormat::F32:
    return bitCast<float>(bits);
  case WgmmaFormat::S32:
    return static_cast<int32_t>(bits);
  }
  return 0;
}

/// Element e of a piece of memory or a register.
uint32_t elementAt(const uint8_t *data, uint32_t e, uint32_t bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, data + e * bytes, bytes);
  return bits;
}

/// Reads `rows` rows of K elements in shared memory, row after row.
void readMatrix(SharedMemory &shared, const WgmmaInfo &info, uint8_t format,
                const std::vector<uint32_t> &pieces, bool isTransposed,
                bool negates, double *matrix) {
  uint32_t perPiece = 16 / info.elementBytes;
  double sign = negates ? -1 : 1;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const uint8_t *data = shared.at(pieces[p]);
    for (uint32_t e = 0; e < perPiece; ++e) {
      size_t row = isTransposed ? p / 16 * 8 + e : p / 2;
      size_t k = isTransposed ? p % 16 : p % 2 * perPiece + e;
      matrix[row * info.k + k] =
          sign * decodeElement(static_cast<WgmmaFormat>(format),
                               elementAt(data, e, info.elementBytes));
    }
  }
}

uint32_t narrow(const WgmmaInfo &info, double value) {
  switch (static_cast<WgmmaFormat>(info.dFormat)) {
  case WgmmaFormat::F16:
    return doubleToHalf(value);
  case WgmmaFormat::S32:
    if (info.saturates)
      value = std::fmin(std::fmax(value, -2147483648.0), 2147483647.0);
    return static_cast<uint32_t>(static_cast<int64_t>(value));
  default:
    return bitCast<uint32_t>(canonical(static_cast<float>(value)));
  }
}

void multiply(Warp &warp, const PendingWgmma &pending) {
  const Instr &instr = *pending.instr;
  const WgmmaInfo &info = *instr.wgmma;
  SharedMemory &shared = warp.block.shared;
  auto registers = [&](uint32_t slot) {
    return reinterpret_cast<uint32_t *>(pending.frame->regs +
                                        size_t(slot) * slotBytes);
  };
  uint32_t k = info.k, n = info.n;
  std::vector<double> a(16 * k), b(size_t(n) * k), columns(size_t(n) * k);
  if (info.isAInRegisters) {
    uint32_t perRegister = 4 / info.elementBytes;
    for (uint32_t r = 0; r < 4; ++r) {
      const uint32_t *words = registers(instr.op[instr.numDst + r]);
      for (uint32_t lane = 0; lane < warpSize; ++lane)
        for (uint32_t e = 0; e < perRegister; ++e) {
          uint32_t row = lane / 4 + 8 * (r % 2);
          uint32_t column =
              perRegister * (lane % 4) + 4 * perRegister * (r / 2) + e;
          double value = decodeElement(
              static_cast<WgmmaFormat>(info.aFormat),
              elementAt(reinterpret_cast<const uint8_t *>(&words[lane]), e,
                        info.elementBytes));
          a[row * k + column] = info.negatesA ? -value : value;
        }
    }
  } else {
    readMatrix(shared, info, info.aFormat, pending.aRows, info.isATransposed,
               info.negatesA, a.data());
  }
  readMatrix(shared, info, info.bFormat, pending.bRows, info.isBTransposed,
             info.negatesB, columns.data());
  for (uint32_t j = 0; j < n; ++j)
    for (uint32_t l = 0; l < k; ++l)
      b[size_t(l) * n + j] = columns[size_t(j) * k + l];

  WgmmaFormat format = static_cast<WgmmaFormat>(info.dFormat);
  bool isHalf = format == WgmmaFormat::F16;
  // Element i of lane l: row l/4 + 8 (i/2 mod 2), column 2 (l mod 4) + i mod 2
  // + 8 (i/4).
  auto word = [&](uint32_t i, uint32_t j) {
    uint32_t element = j % 2 + 2 * (i / 8) + 4 * (j / 8);
    uint32_t lane = 4 * (i % 8) + j / 2 % 4;
    return std::pair(registers(instr.op[isHalf ? element / 2 : element]) + lane,
                     isHalf ? 16 * (element % 2) : 0);
  };
  uint32_t mask = isHalf ? 0xffffu : ~0u;
  std::vector<double> sums(16 * size_t(n), 0);
  if (pending.accumulates)
    for (uint32_t i = 0; i < 16; ++i)
      for (uint32_t j = 0; j < n; ++j) {
        auto [at, shift] = word(i, j);
        sums[i * size_t(n) + j] = decodeElement(format, *at >> shift & mask);
      }
  uint64_t seed = warp.worker.launch.config.mmaNumerics;
  if (seed && format != WgmmaFormat::S32)
    multiplyVaried(info.elementBytes == 1 ? MmaOperands::Float8
                                          : MmaOperands::Float,
                   16, n, k, a.data(), b.data(), sums.data(), seed);
  else
    for (uint32_t i = 0; i < 16; ++i)
      for (uint32_t l = 0; l < k; ++l)
        for (uint32_t j = 0; j < n; ++j)
          sums[i * size_t(n) + j] += a[i * k + l] * b[size_t(l) * n + j];
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      auto [at, shift] = word(i, j);
      *at = (*at & ~(mask << shift)) | narrow(info, sums[i * size_t(n) + j])
                                           << shift;
    }
}

void mark(const PendingWgmma &pending, bool isInFlight) {
  const Instr &instr = *pending.instr;
  std::vector<uint8_t> &slots = pending.frame->wgmmaSlots;
  auto set = [&](uint32_t slot, uint8_t bit) {
    slots[slot] = static_cast<uint8_t>(isInFlight ? slots[slot] | bit
                                                  : slots[slot] & ~bit);
  };
  for (uint32_t i = 0; i < instr.numDst; ++i)
    set(instr.op[i], accumulatorInFlight);
  if (instr.wgmma->isAInRegisters)
    for (uint32_t r = 0; r < 4; ++r)
      set(instr.op[instr.numDst + r], operandInFlight);
}

} // namespace

void Warp::computeWgmma(uint64_t count) {
  uint32_t reader = block.cluster.warpgroupParty(*this);
  for (; computedWgmmas < count; ++computedWgmmas) {
    const PendingWgmma &pending = wgmmas[computedWgmmas - finishedWgmmas];
    multiply(*this, pending);
    for (const std::vector<uint32_t> *rows : {&pending.aRows, &pending.bRows})
      for (uint32_t address : *rows)
        block.shared.endAsyncRead(address, 16, reader,
                                  static_cast<uint32_t>(count));
  }
}

bool Warp::completeWgmma(uint32_t keepGroups) {
  uint64_t count = finishedWgmmas;
  for (const PendingWgmma &pending : wgmmas)
    count += pending.group + uint64_t(keepGroups) < openWgmmaGroup;
  if (count == finishedWgmmas)
    return true;
  // A wgmma is complete when all four warps have had their part in it.
  size_t first = id / warpgroupWarps * warpgroupWarps;
  size_t end = std::min(block.warps.size(), first + warpgroupWarps);
  for (size_t w = first; w < end; ++w) {
    const Warp &other = *block.warps[w];
    if (other.finishedWgmmas + other.wgmmas.size() < count)
      return false;
  }
  for (size_t w = first; w < end; ++w)
    block.warps[w]->computeWgmma(count);
  for (; finishedWgmmas < count; ++finishedWgmmas) {
    mark(wgmmas.front(), false);
    wgmmas.pop_front();
  }
  // Accumulators may be those of later ones as well.
  for (const PendingWgmma &pending : wgmmas)
    mark(pending, true);
  uint32_t &known = clock[block.cluster.warpgroupParty(*this)];
  known = std::max(known, static_cast<uint32_t>(count));
  return true;
}

void Warp::issueWgmma(PendingWgmma pending) {
  mark(pending, true);
  wgmmas.push_back(std::move(pending));
  size_t first = id / warpgroupWarps * warpgroupWarps;
  size_t end = std::min(block.warps.size(), first + warpgroupWarps);
  for (size_t w = first; w < end; ++w) {
    Warp &other = *block.warps[w];
    if (other.state == State::Waiting && other.waitsFor == WaitsFor::Warpgroup)
      other.state = State::Ready;
  }
}

void Warp::touchWgmma(const Instr &instr, uint32_t mask) {
  std::vector<uint8_t> &slots = frames.back()->wgmmaSlots;
  uint32_t count = uint32_t(instr.numDst) + instr.numSrc;
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t &state = slots[instr.op[i]];
    if (state & (accumulatorInFlight | operandInFlight))
      report(FindingKind::MissingAsyncWait, instr, mask, 0,
             std::string(i < instr.numDst ? "writes" : "reads") +
                 (state & accumulatorInFlight
                      ? " an accumulator"
                      : " a register with a part of A") +
                 " of a wgmma that has not been waited for");
    state |= usedSinceFence;
  }
}

void Warp::abandonWgmma() {
  Frame *frame = frames.back().get();
  for (const PendingWgmma &pending : wgmmas)
    if (pending.frame == frame) {
      report(FindingKind::MissingAsyncWait, *pending.instr, existing, 0,
             "the function ends before the wgmma has been waited for");
      // Their registers are gone: nobody is to compute them.
      computeWgmma(finishedWgmmas + wgmmas.size());
      finishedWgmmas += wgmmas.size();
      wgmmas.clear();
      return;
    }
}

} // namespace goat::ptxsim
