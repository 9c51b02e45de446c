//===- Model.cpp - from counts to a time ----------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipes of a multiprocessor are the stations of a closed queueing network
// and the warps that are resident on a scheduler are its customers: a warp is
// at one pipe at a time and waits there while others are served. The clocks
// each pipe is asked for are the demands; mean value analysis (Reiser and
// Lavenberg, 1980) gives the throughput, which lies between that of no overlap
// (one warp) and that of the busiest pipe (many). Nothing is fitted.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Performance.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

constexpr double warpLanes = 32;
constexpr double sectorBytes = 32;

/// Clocks all stations together need for the whole demand when `customers`
/// share them: the demand over the throughput.
double clocksWith(const std::vector<PipeLoad> &pipes, unsigned customers) {
  std::vector<double> queue(pipes.size(), 0);
  double response = 0;
  for (unsigned n = 1; n <= customers; ++n) {
    response = 0;
    std::vector<double> stay(pipes.size(), 0);
    for (size_t k = 0; k < pipes.size(); ++k) {
      if (pipes[k].holdsWarp)
        stay[k] = pipes[k].clocks * (1 + queue[k]);
      response += stay[k];
    }
    if (response <= 0)
      return 0;
    for (size_t k = 0; k < pipes.size(); ++k)
      queue[k] = n * stay[k] / response;
  }
  return customers ? response / customers : 0;
}

/// `units` multiprocessors share the work.
std::vector<PipeLoad> loadPipes(const Counts &counts, const Chip &chip,
                                double units) {
  auto warps = [&](std::initializer_list<OpClass> classes) {
    double sum = 0;
    for (OpClass opClass : classes)
      sum += static_cast<double>(counts.of(opClass));
    return sum;
  };
  auto lanes = [&](double warpInstructions, uint32_t width) {
    return width ? warpInstructions * warpLanes / width / units : 0;
  };
  double tensor = 0;
  for (size_t i = 0; i < counts.tensorFlopsByKind.size(); ++i) {
    TensorKind kind = static_cast<TensorKind>(i);
    double rate = isWarpgroup(kind) ? chip.peakTensorFlops : chip.mmaFlops;
    if (kind == TensorKind::Mma64)
      rate = chip.fp64TensorFlops ? chip.fp64TensorFlops : 2 * chip.fp64Lanes;
    else if (kind == TensorKind::Mma32 || kind == TensorKind::Warpgroup32)
      rate /= 2;
    else if (kind == TensorKind::Mma8 || kind == TensorKind::Warpgroup8)
      rate *= 2;
    tensor += static_cast<double>(counts.tensorFlopsByKind[i]) / rate / units;
  }
  double fp32 = warps(
      {OpClass::Fp32Fma, OpClass::Fp32Add, OpClass::Fp32Mul, OpClass::Half});
  double alu = warps({OpClass::Fp32Other, OpClass::Integer, OpClass::Move,
                      OpClass::ConvertFormat});
  double special = warps({OpClass::Mufu, OpClass::Convert});
  // Shuffles and accesses to global memory take the path of shared memory. A
  // wavefront and a shuffle of 32 lanes both move 128 bytes; copies to shared
  // memory pass once, which their wavefronts say.
  double sharedBytes = 128.0 * (static_cast<double>(counts.sharedWavefronts) +
                                warps({OpClass::Shuffle})) +
                       sectorBytes * static_cast<double>(counts.globalSectors -
                                                         counts.asyncSectors);
  double l2Bytes = sectorBytes * static_cast<double>(counts.blockSectors);
  double memoryBytes =
      sectorBytes * static_cast<double>(counts.uniqueSectorsRead +
                                        counts.uniqueSectorsWritten);
  return {
      {"tensor", tensor},
      {"special functions", lanes(special, chip.specialLanes)},
      {"fp32", lanes(fp32, chip.fp32Lanes)},
      {"alu", lanes(alu, chip.aluLanes)},
      {"fp64", lanes(warps({OpClass::Fp64}), chip.fp64Lanes)},
      {"shared memory", sharedBytes / chip.sharedBytesPerClock / units},
      {"issue",
       static_cast<double>(counts.warpInstructions) / chip.schedulers / units,
       false},
      {"L2", l2Bytes / chip.l2BytesPerClock, false},
      {"memory", memoryBytes / chip.memoryBytesPerSecond * chip.clockHz, false},
  };
}

} // namespace

Occupancy occupancyOf(const Chip &chip, const LaunchShape &shape) {
  Occupancy occupancy;
  uint32_t warps = (shape.threads + 31) / 32;
  auto limitBy = [&](uint32_t blocks, const char *name) {
    if (!*occupancy.limit || blocks < occupancy.blocks) {
      occupancy.blocks = blocks;
      occupancy.limit = name;
    }
  };
  limitBy(chip.maxThreads / (32 * warps), "threads");
  limitBy(chip.maxBlocks, "blocks");
  if (shape.registers) {
    // A warp's registers come in units of 256.
    uint32_t perWarp = (32 * shape.registers + 255) / 256 * 256;
    limitBy(chip.registers / (perWarp * warps), "registers");
  }
  limitBy(chip.sharedBytes / (shape.sharedBytes + chip.sharedBytesReserved),
          "shared memory");
  occupancy.warps = occupancy.blocks * warps;
  return occupancy;
}

Prediction predict(const Counts &counts, const LaunchShape &shape,
                   const Chip &chip) {
  Prediction result;
  result.chip = &chip;
  result.occupancy = occupancyOf(chip, shape);
  // Whole blocks go to multiprocessors: some may have none, and the last round
  // may be part empty.
  uint64_t blocks = std::max<uint64_t>(shape.blocks, 1);
  double units =
      static_cast<double>(std::min<uint64_t>(blocks, chip.multiprocessors));
  double rounds = static_cast<double>((blocks + chip.multiprocessors - 1) /
                                      chip.multiprocessors);
  double uneven = rounds * units / static_cast<double>(blocks);
  result.pipes = loadPipes(counts, chip, units);
  result.tensorFlops = static_cast<double>(counts.tensorFlops);
  result.memoryBytes =
      sectorBytes * static_cast<double>(counts.uniqueSectorsRead +
                                        counts.uniqueSectorsWritten);
  double sum = 0, outside = 0;
  for (size_t k = 0; k < result.pipes.size(); ++k) {
    const PipeLoad &pipe = result.pipes[k];
    if (pipe.clocks > result.pipes[result.limiting].clocks)
      result.limiting = k;
    if (pipe.holdsWarp)
      sum += pipe.clocks;
    else
      outside = std::max(outside, pipe.clocks);
  }
  double busiest = result.pipes[result.limiting].clocks;
  // A multiprocessor holds no more blocks than there are for it.
  uint32_t warps = (shape.threads + 31) / 32;
  uint32_t resident = std::min<uint32_t>(
      result.occupancy.blocks, static_cast<uint32_t>(std::min(rounds, 64.0)));
  uint32_t customers = std::max(1u, resident * warps / chip.schedulers);
  result.lowerBound = busiest / chip.clockHz;
  double memory = 0;
  for (const PipeLoad &pipe : result.pipes)
    if (!pipe.holdsWarp)
      memory += pipe.clocks;
  result.upperBound = (sum * uneven + memory) / chip.clockHz;
  result.estimate =
      std::max(clocksWith(result.pipes, customers) * uneven, outside) /
      chip.clockHz;
  result.estimate = std::max(result.estimate, result.lowerBound);
  return result;
}

} // namespace goat::ptxsim
