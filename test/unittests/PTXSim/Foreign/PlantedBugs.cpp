//===- PlantedBugs.cpp - run the kernels with a planted bug ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and launches for the kernels of cuda/bugs.cu and their repaired twins.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <numeric>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::vector<int> counting(size_t count, int first = 0) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

PLANTED_BUG("cuda/bugs", transposeNoBarrier,
            "no barrier between writing a tile and reading it across",
            FindingKind::SharedRace, FindingKind::UninitialisedMemory) {
  std::vector<float> in = gridOfUnits(64 * 64, 8);
  return device.tryLaunch({2, 2}, {32, 8}, device.upload(in),
                          device.empty<float>(in.size()), 64);
}

PLANTED_BUG("cuda/bugs", differencesOffByOne,
            "the last thread reads one element too far",
            FindingKind::OutOfBounds) {
  return device.tryLaunch({2}, {64}, device.upload(gridOfUnits(100, 8)),
                          device.empty<float>(100), 100);
}

PLANTED_BUG("cuda/bugs", scaleWithoutTail,
            "threads past the end of a ragged grid write",
            FindingKind::OutOfBounds) {
  return device.tryLaunch({2}, {64}, device.upload(gridOfUnits(100, 8)), 2.0f,
                          100);
}

PLANTED_BUG("cuda/bugs", haloTooSmall,
            "a shared tile without room for its halo",
            FindingKind::OutOfBounds) {
  return device.tryLaunch({1}, {64}, device.upload(gridOfUnits(64, 8)),
                          device.empty<float>(64));
}

PLANTED_BUG("cuda/bugs", localIndex,
            "an index past the end of an array in local memory",
            FindingKind::OutOfBounds) {
  std::vector<int> in(32 * 16, 3);
  in[100] = 1000000;
  return device.tryLaunch({1}, {32}, device.upload(in), device.empty<int>(32));
}

PLANTED_BUG("cuda/bugs", binsNotZeroed, "shared bins that nobody set to zero",
            FindingKind::UninitialisedMemory) {
  return device.tryLaunch({1}, {96}, device.upload(std::vector<uint8_t>(500)),
                          device.empty<int>(64), 500);
}

PLANTED_BUG("cuda/bugs", halfWritten,
            "the tail of a buffer is read and was never written",
            FindingKind::UninitialisedMemory) {
  return device.tryLaunch({1}, {64}, device.upload(counting(50)),
                          device.empty<int>(50), device.empty<int>(50), 50);
}

PLANTED_BUG("cuda/bugs", registerNotSet,
            "a register that only half of the lanes write",
            FindingKind::UninitialisedRegister) {
  return device.tryLaunch({1}, {32}, device.upload(counting(32)),
                          device.empty<int>(32));
}

PLANTED_BUG("cuda/bugs", asyncWaitTooShort,
            "cp.async.wait_group leaves the group pending that is read next",
            FindingKind::MissingAsyncWait) {
  return device.tryLaunch({1}, {32}, device.upload(gridOfUnits(256, 8)),
                          device.empty<float>(128));
}

PLANTED_BUG("cuda/bugs", ringRefilledEarly,
            "cp.async refills the buffer that other warps still read",
            FindingKind::SharedRace, FindingKind::UninitialisedMemory) {
  return device.tryLaunch({1}, {64}, device.upload(gridOfUnits(4 * 256, 8)),
                          device.empty<float>(64), 4);
}

PLANTED_BUG("cuda/bugs", plainIncrement, "a shared sum without atomics",
            FindingKind::SharedRace) {
  return device.tryLaunch({1}, {96}, device.upload(counting(200, 1)),
                          device.empty<int>(1), 200);
}

PLANTED_BUG("cuda/bugs", treeTail,
            "a tree reduction without barriers while two warps take part",
            FindingKind::SharedRace) {
  return device.tryLaunch({1}, {256}, device.upload(counting(256)),
                          device.empty<int>(1));
}

PLANTED_BUG("cuda/bugs", oneBarrierPerRound,
            "the next round overwrites what slower warps still read",
            FindingKind::SharedRace) {
  return device.tryLaunch({1}, {128}, device.upload(counting(128)),
                          device.empty<int>(128), 3);
}

PLANTED_BUG("cuda/bugs", barrierInBranch,
            "a barrier that half of a warp does not reach",
            FindingKind::BarrierDivergence, FindingKind::Deadlock) {
  return device.tryLaunch({1}, {64}, device.upload(counting(64)),
                          device.empty<int>(48));
}

PLANTED_BUG("cuda/bugs", returnBeforeBarrier,
            "a warp returns before the barrier the others wait at",
            FindingKind::BarrierDivergence) {
  return device.tryLaunch({1}, {96}, device.upload(counting(64)),
                          device.empty<int>(64), 64);
}

PLANTED_BUG("cuda/bugs", barrierCounts,
            "warps give a named barrier different numbers of threads",
            FindingKind::BarrierMismatch, FindingKind::Deadlock) {
  return device.tryLaunch({1}, {64}, device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs", oppositeBarriers,
            "two named barriers taken in opposite order",
            FindingKind::Deadlock) {
  return device.tryLaunch({1}, {64}, device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs", shuffleInBranch,
            "a shuffle of all lanes in a branch that half of them take",
            FindingKind::InactiveLane) {
  return device.tryLaunch({1}, {64}, device.upload(gridOfUnits(64, 8)),
                          device.empty<float>(2));
}

PLANTED_BUG("cuda/bugs", shuffleFromOutside,
            "a shuffle whose source lane is not in the branch",
            FindingKind::InactiveLane) {
  return device.tryLaunch({1}, {32}, device.upload(counting(32)),
                          device.empty<int>(32));
}

PLANTED_BUG("cuda/bugs", oddVector, "four floats at once from an odd element",
            FindingKind::Misaligned) {
  return device.tryLaunch({1}, {32}, device.upload(gridOfUnits(130, 8)),
                          device.empty<float>(32));
}

PLANTED_BUG("cuda/bugs", constantWritten, "a write into constant memory",
            FindingKind::ReadOnlyWrite) {
  return device.tryLaunch({1}, {4}, device.empty<int>(4), device.empty<int>(4));
}

PLANTED_BUG("cuda/bugs", checkFails, "a kernel that runs into its own check",
            FindingKind::Trap) {
  return device.tryLaunch({1}, {32}, device.upload(counting(32)),
                          device.empty<int>(32), 31);
}

PLANTED_BUG("cuda/bugs", endlessForZero, "a loop that never ends for 0",
            FindingKind::StepLimit) {
  std::vector<uint32_t> in(32, 6);
  in[7] = 0;
  device.config.maxBlockInstructions = 20000;
  return device.tryLaunch({1}, {32}, device.upload(in),
                          device.empty<uint32_t>(32));
}

PLANTED_BUG("cuda/bugs", fragmentsBeforeBarrier,
            "ldmatrix before the barrier that makes the tile visible",
            FindingKind::SharedRace, FindingKind::UninitialisedMemory) {
  return device.tryLaunch({1}, {64}, device.upload(randomWords(128)),
                          device.empty<uint32_t>(64));
}

PLANTED_BUG("cuda/bugs", gridNotSynced,
            "blocks read what others write without a barrier of the grid",
            FindingKind::GlobalRace, FindingKind::UninitialisedMemory) {
  return device.tryLaunch({4}, {64}, device.upload(counting(256)),
                          device.empty<int>(256), device.empty<int>(256));
}

PLANTED_BUG("cuda/bugs", assertionFails, "an assertion that one thread breaks",
            FindingKind::Trap) {
  return device.tryLaunch({1}, {64}, device.upload(counting(64)),
                          device.empty<int>(64), 63);
}

PLANTED_BUG("cuda/bugs", stackTooShort,
            "an array on the stack that is one element too short",
            FindingKind::OutOfBounds, FindingKind::UninitialisedMemory) {
  return device.tryLaunch({1}, {32}, device.empty<int>(32), 7);
}

} // namespace
