//===- Performance.h - what a chip would make of the counts ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of a kernel's time on a chip, from what its execution asked each pipe
// for: bounds from below and above, an estimate in between, and the pipe that
// limits. Everything is a prediction; no constant is fitted to a measurement.
// docs/performance-model.md derives it and prints its errors.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_PTXSIM_PERFORMANCE_H
#define GOAT_PTXSIM_PERFORMANCE_H

#include "goat/PTXSim/PTXSim.h"

#include <string>
#include <string_view>
#include <vector>

namespace goat::ptxsim {

/// A product. Rates are of one multiprocessor and clock unless they say
/// otherwise; Chips.cpp names the source of each number.
struct Chip {
  const char *name;
  const char *product;
  uint32_t multiprocessors;
  double clockHz;
  /// Warp instructions issued.
  uint32_t schedulers;
  /// Lanes of fp32 add, multiply and fma; of other 32-bit arithmetic; of
  /// special functions and conversions; of fp64.
  uint32_t fp32Lanes, aluLanes, specialLanes, fp64Lanes;
  /// FLOPs of 16-bit products with fp32 sums by mma.sync, as far as published
  /// measurements reach, and the data sheet's peak. tf32 has half, 8 bits
  /// twice.
  uint32_t mmaFlops, peakTensorFlops;
  /// The same for fp64; 0 when the chip has no such tensor instructions.
  uint32_t fp64TensorFlops;
  /// Bytes of shared memory and the L1 cache.
  uint32_t sharedBytesPerClock;
  /// Bytes of the whole L2 cache and clock.
  uint32_t l2BytesPerClock;
  /// Bytes a second of the memory.
  double memoryBytesPerSecond;
  uint64_t l2Bytes;
  // What limits the blocks that are resident on a multiprocessor.
  uint32_t maxThreads, maxBlocks, registers, sharedBytes;
  /// Shared memory that each block costs beyond its own.
  uint32_t sharedBytesReserved;
};

const std::vector<Chip> &allChips();
/// By name, or null.
const Chip *findChip(std::string_view name);

/// What the counts do not say.
struct LaunchShape {
  uint64_t blocks = 1;
  uint32_t threads = 32;
  uint32_t sharedBytes = 0;
  /// 32-bit registers of a thread as ptxas assigns them; 0 when not known, and
  /// then they limit nothing.
  uint32_t registers = 0;
};

struct Occupancy {
  uint32_t blocks = 0;
  uint32_t warps = 0;
  /// "threads", "blocks", "registers" or "shared memory".
  const char *limit = "";
};

/// Blocks that are resident on one multiprocessor at a time; 0 when not even
/// one fits.
Occupancy occupancyOf(const Chip &chip, const LaunchShape &shape);

/// Clocks that one pipe of a multiprocessor is busy, if as many as have blocks
/// share the work evenly.
struct PipeLoad {
  const char *name;
  double clocks = 0;
  /// The pipe is on the multiprocessor and holds up the warp that uses it;
  /// `issue`, `L2` and `memory` are not.
  bool holdsWarp = true;
};

struct Prediction {
  const Chip *chip = nullptr;
  Occupancy occupancy;
  std::vector<PipeLoad> pipes;
  /// Index of the greatest load in `pipes`.
  size_t limiting = 0;
  /// Seconds: every pipe overlaps with every other and the work is shared
  /// evenly; no two pipes overlap; the estimate.
  double lowerBound = 0, upperBound = 0, estimate = 0;
  /// FLOPs of the tensor instructions, and bytes the memory moves at least.
  double tensorFlops = 0, memoryBytes = 0;

  /// TFLOP/s of the tensor instructions within `seconds`.
  double teraFlops(double seconds) const {
    return seconds > 0 ? tensorFlops / seconds * 1e-12 : 0;
  }
};

Prediction predict(const Counts &counts, const LaunchShape &shape,
                   const Chip &chip);

/// The prediction as lines of text, and as a JSON object.
std::string predictionText(const Prediction &prediction);
std::string predictionJson(const Prediction &prediction);

/// A roofline plot as SVG: attainable FLOP/s over FLOPs for each byte of memory
/// traffic, with the kernel's bounds and estimate.
std::string rooflineSvg(const Prediction &prediction, std::string_view title);

} // namespace goat::ptxsim

#endif // GOAT_PTXSIM_PERFORMANCE_H
