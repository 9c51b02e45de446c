//===- Chips.cpp - the rates and limits of some chips ---------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One chip for each compute capability and a second of sm_90, every number with
// its source: [G] "CUDA C++ Programming Guide", tables "Throughput of Native
// Arithmetic Instructions" and "Technical Specifications"; [D] NVIDIA's data
// sheet of the product; [W] NVIDIA's whitepaper of the architecture.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Performance.h"

namespace goat::ptxsim {

namespace {

constexpr uint32_t kilobyte = 1024;
constexpr uint64_t megabyte = 1024 * 1024;

Chip a100() {
  Chip chip{};
  chip.name = "sm_80";
  chip.product = "A100 SXM 80GB";
  chip.multiprocessors = 108;     // [D]
  chip.clockHz = 1.410e9;         // [D] boost clock
  chip.schedulers = 4;            // [W] four warp schedulers
  chip.fp32Lanes = 64;            // [G] 8.0
  chip.aluLanes = 64;             // [G] 8.0: integer add, compare, minimum
  chip.specialLanes = 16;         // [G] 8.0: reciprocal, exp2, sine
  chip.fp64Lanes = 32;            // [G] 8.0
  chip.peakTensorFlops = 2048;    // [D] 312 TFLOP/s over 108 at 1.41 GHz
  chip.mmaFlops = 2048;           // arXiv 2206.02874: near the peak
  chip.fp64TensorFlops = 128;     // [D] 19.5 TFLOP/s
  chip.sharedBytesPerClock = 128; // [G] 32 banks of 4 bytes
  chip.l2BytesPerClock = 5120;    // [W] L2 cache read bandwidth
  chip.memoryBytesPerSecond = 2.039e12; // [D]
  chip.l2Bytes = 40 * megabyte;         // [D]
  chip.maxThreads = 2048;               // [G] 8.0
  chip.maxBlocks = 32;                  // [G] 8.0
  chip.registers = 65536;               // [G]
  chip.sharedBytes = 164 * kilobyte;    // [G] 8.0
  chip.sharedBytesReserved = kilobyte;  // [G] 1 KB for each block
  return chip;
}

Chip l40s() {
  Chip chip = a100();
  chip.name = "sm_89";
  chip.product = "L40S";
  chip.multiprocessors = 142;  // [D]
  chip.clockHz = 2.520e9;      // [D] boost clock
  chip.fp32Lanes = 128;        // [G] 8.9
  chip.fp64Lanes = 2;          // [G] 8.9
  chip.peakTensorFlops = 1024; // [D] 362 TFLOP/s over 142 at 2.52 GHz
  chip.mmaFlops = 1024;        // nothing published says it misses the peak
  chip.fp64TensorFlops = 0;    // [G] none in 8.9
  chip.l2BytesPerClock = 5120; // not published: the A100's stands in
  chip.memoryBytesPerSecond = 864e9; // [D]
  chip.l2Bytes = 96 * megabyte;      // [D]
  chip.maxThreads = 1536;            // [G] 8.9
  chip.maxBlocks = 24;               // [G] 8.9
  chip.sharedBytes = 100 * kilobyte; // [G] 8.9
  return chip;
}

Chip h100() {
  Chip chip = a100();
  chip.name = "sm_90";
  chip.product = "H100 SXM";
  chip.multiprocessors = 132;          // [D]
  chip.clockHz = 1.830e9;              // 989 TFLOP/s [D] are 4096 in a clock
  chip.fp32Lanes = 128;                // [G] 9.0
  chip.fp64Lanes = 64;                 // [G] 9.0
  chip.peakTensorFlops = 4096;         // [D] 989 TFLOP/s
  chip.mmaFlops = 2576;                // arXiv 2402.13499: 62.9 % of the peak
  chip.fp64TensorFlops = 256;          // [D] 67 TFLOP/s
  chip.l2BytesPerClock = 5120;         // not published: the A100's stands in
  chip.memoryBytesPerSecond = 3.35e12; // [D]
  chip.l2Bytes = 50 * megabyte;        // [D]
  chip.sharedBytes = 228 * kilobyte;   // [G] 9.0
  return chip;
}

Chip h200() {
  Chip chip = h100();
  chip.name = "sm_90-h200";
  chip.product = "H200 SXM";
  chip.memoryBytesPerSecond = 4.8e12; // [D]; the multiprocessors are the H100's
  return chip;
}

Chip b200() {
  Chip chip = h100();
  chip.name = "sm_100";
  chip.product = "B200";
  chip.multiprocessors = 148;       // [D]
  chip.clockHz = 1.850e9;           // 2250 TFLOP/s [D] are 8192 in a clock
  chip.peakTensorFlops = 8192;      // [D]; FlashAttention-4's text as well
  chip.mmaFlops = 2576;             // not published: the H100's stands in
  chip.fp64TensorFlops = 128;       // [D] 37 TFLOP/s
  chip.memoryBytesPerSecond = 8e12; // [D]
  chip.l2Bytes = 126 * megabyte;    // [D]
  return chip;
}

Chip rtx5090() {
  Chip chip = l40s();
  chip.name = "sm_120";
  chip.product = "RTX 5090";
  chip.multiprocessors = 170;           // [W]
  chip.clockHz = 2.407e9;               // [W] boost clock
  chip.peakTensorFlops = 512;           // [W] 210 TFLOP/s with fp32 sums
  chip.mmaFlops = 512;                  // nothing published says it misses that
  chip.memoryBytesPerSecond = 1.792e12; // [W]
  chip.l2Bytes = 96 * megabyte;         // [W]
  return chip;
}

} // namespace

const std::vector<Chip> &allChips() {
  static const std::vector<Chip> *chips =
      new std::vector<Chip>{a100(), l40s(), h100(), h200(), b200(), rtx5090()};
  return *chips;
}

const Chip *findChip(std::string_view name) {
  for (const Chip &chip : allChips())
    if (name == chip.name)
      return &chip;
  return nullptr;
}

} // namespace goat::ptxsim
