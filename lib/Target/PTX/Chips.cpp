//===- Chips.cpp - what the compiler knows about each GPU -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of chips and its look-up.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Chips.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace goat::ptx;

// Shared memory, registers and threads: "CUDA C++ Programming Guide", appendix
// "Compute Capabilities", table "Technical Specifications". Multiprocessors:
// NVIDIA's data sheet of the product. The PTX version is the oldest one that
// has the instructions we emit for the target, so that older drivers load the
// text: 8.0 has wgmma and TMA, 8.6 is the first with sm_100a, 8.7 with sm_120.
//
// Rates, by column:
// * mma.sync. A100: arXiv 2206.02874 comes close to the peak with m16n8k16.
//   H100: arXiv 2402.13499 finds 62.9 % of the peak on average, 2576 of 4096.
//   A10, L40S and RTX 5090: the data sheet's dense rate with fp32 sums over
//   multiprocessors and clock; nothing says that mma.sync misses it. B200: not
//   published; the H100's figure stands in for it.
// * peak of the tensor cores: data sheets, dense 16-bit.
// * fp32, the other arithmetic and special functions: "CUDA C++ Programming
//   Guide", table "Throughput of Native Arithmetic Instructions".
// * shared memory: 32 banks of 4 bytes, same guide.
// * issue: four schedulers of one warp instruction a clock, same guide.
// * clock and memory: data sheets. H100: 1830 MHz is where 989 TFLOP/s are 4096
//   a clock and multiprocessor.
static constexpr ChipRates a100{2048, 2048, 64, 64, 16, 128, 4, 1410, 2039};
static constexpr ChipRates a10{1024, 1024, 128, 64, 16, 128, 4, 1695, 600};
static constexpr ChipRates l40s{1024, 1024, 128, 64, 16, 128, 4, 2520, 864};
static constexpr ChipRates h100{2576, 4096, 128, 64, 16, 128, 4, 1830, 3350};
static constexpr ChipRates b200{2576, 8192, 128, 64, 16, 128, 4, 1850, 8000};
static constexpr ChipRates rtx5090{512, 512, 128, 64, 16, 128, 4, 2407, 1792};

static const ChipDescription chips[] = {
    {"sm_80", "A100 SXM", 80, 80, 163 * 1024, 164 * 1024, 65536, 2048, 108, 32,
     a100},
    {"sm_86", "A10", 86, 80, 99 * 1024, 100 * 1024, 65536, 1536, 72, 16, a10},
    {"sm_89", "L40S", 89, 80, 99 * 1024, 100 * 1024, 65536, 1536, 142, 24,
     l40s},
    {"sm_90", "H100 SXM", 90, 80, 227 * 1024, 228 * 1024, 65536, 2048, 132, 32,
     h100},
    {"sm_90a", "H100 SXM", 90, 80, 227 * 1024, 228 * 1024, 65536, 2048, 132, 32,
     h100},
    {"sm_100", "B200", 100, 86, 227 * 1024, 228 * 1024, 65536, 2048, 148, 32,
     b200},
    {"sm_100a", "B200", 100, 86, 227 * 1024, 228 * 1024, 65536, 2048, 148, 32,
     b200},
    {"sm_120", "RTX 5090", 120, 87, 99 * 1024, 100 * 1024, 65536, 1536, 170, 24,
     rtx5090},
};

llvm::ArrayRef<ChipDescription> goat::ptx::allChips() { return chips; }

llvm::Expected<ChipDescription> goat::ptx::findChip(llvm::StringRef name) {
  for (const ChipDescription &chip : chips)
    if (name == chip.name)
      return chip;
  std::string known =
      llvm::join(llvm::map_range(chips,
                                 [](const ChipDescription &chip) {
                                   return llvm::StringRef(chip.name);
                                 }),
                 ", ");
  return llvm::createStringError("expected a target among " + known +
                                 " but got '" + name + "'");
}
