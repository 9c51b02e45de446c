//===- ChipsTest.cpp - two tables of chips agree --------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler and the simulator share no code, so each has a table of what
// chips are and can do. A figure that both state has to be the same.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Chips.h"
#include "goat/PTXSim/Performance.h"

#include "gtest/gtest.h"

namespace {

TEST(Chips, TheSimulatorsTableAgrees) {
  std::vector<std::string> without;
  for (const goat::ptx::ChipDescription &chip : goat::ptx::allChips()) {
    // Features of the architecture do not change what the chip can do.
    llvm::StringRef name = llvm::StringRef(chip.name).rtrim('a');
    const goat::ptxsim::Chip *other = goat::ptxsim::findChip(name.str());
    if (!other) {
      without.push_back(chip.name);
      continue;
    }
    SCOPED_TRACE(chip.name);
    EXPECT_EQ(std::string(other->product).find(chip.product), 0u);
    const goat::ptx::ChipRates &rates = chip.rates;
    struct Figure {
      const char *what;
      double simulator, compiler;
    };
    const Figure figures[] = {
        {"multiprocessors", double(other->multiprocessors),
         double(chip.multiprocessors)},
        {"threads", double(other->maxThreads),
         double(chip.threadsPerMultiprocessor)},
        {"blocks", double(other->maxBlocks),
         double(chip.blocksPerMultiprocessor)},
        {"registers", double(other->registers),
         double(chip.registersPerMultiprocessor)},
        {"shared memory", double(other->sharedBytes),
         double(chip.sharedBytesPerMultiprocessor)},
        {"shared memory of a block",
         double(other->sharedBytes - other->sharedBytesReserved),
         double(chip.sharedBytesPerBlock)},
        {"mma.sync", double(other->mmaFlops), double(rates.mmaFlops)},
        {"tensor peak", double(other->peakTensorFlops),
         double(rates.peakTensorFlops)},
        {"fp32 lanes", double(other->fp32Lanes), double(rates.fmaLanes)},
        {"alu lanes", double(other->aluLanes), double(rates.aluLanes)},
        {"special lanes", double(other->specialLanes),
         double(rates.specialLanes)},
        {"shared bytes", double(other->sharedBytesPerClock),
         double(rates.sharedBytes)},
        {"issue", double(other->schedulers), double(rates.issueWarps)},
        {"clock", other->clockHz, 1e6 * rates.clockMHz},
        {"memory", other->memoryBytesPerSecond, 1e9 * rates.memoryGBPerSecond},
    };
    for (const Figure &figure : figures)
      EXPECT_DOUBLE_EQ(figure.simulator, figure.compiler) << figure.what;
  }
  EXPECT_EQ(without, std::vector<std::string>{"sm_86"});
}

} // namespace
