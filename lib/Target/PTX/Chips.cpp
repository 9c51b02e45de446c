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
static const ChipDescription chips[] = {
    {"sm_80", "A100 SXM", 80, 80, 163 * 1024, 164 * 1024, 65536, 2048, 108},
    {"sm_86", "A10", 86, 80, 99 * 1024, 100 * 1024, 65536, 1536, 72},
    {"sm_89", "L40S", 89, 80, 99 * 1024, 100 * 1024, 65536, 1536, 142},
    {"sm_90", "H100 SXM", 90, 80, 227 * 1024, 228 * 1024, 65536, 2048, 132},
    {"sm_90a", "H100 SXM", 90, 80, 227 * 1024, 228 * 1024, 65536, 2048, 132},
    {"sm_100", "B200", 100, 86, 227 * 1024, 228 * 1024, 65536, 2048, 148},
    {"sm_100a", "B200", 100, 86, 227 * 1024, 228 * 1024, 65536, 2048, 148},
    {"sm_120", "RTX 5090", 120, 87, 99 * 1024, 100 * 1024, 65536, 1536, 170},
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
