//===- PrintPrediction.cpp - a prediction for people and programs ---------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number is called predicted, since none was measured.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Performance.h"

#include <cstdio>

namespace goat::ptxsim {

static std::string format(const char *pattern, double value) {
  char buffer[48];
  std::snprintf(buffer, sizeof(buffer), pattern, value);
  return buffer;
}

/// "12.34 us, 345.6 TFLOP/s".
static std::string timeText(const Prediction &prediction, double seconds) {
  std::string text = format("%.2f us", 1e6 * seconds);
  if (prediction.tensorFlops > 0)
    text += format(", %.1f TFLOP/s", prediction.teraFlops(seconds));
  return text;
}

std::string predictionText(const Prediction &prediction) {
  const Chip &chip = *prediction.chip;
  std::string out = std::string("predicted for ") + chip.product + " (" +
                    chip.name + "), nothing below was measured:\n";
  if (!prediction.occupancy.blocks)
    return out + "  no block fits a multiprocessor: too much of " +
           prediction.occupancy.limit + "\n";
  out += "  resident     " + std::to_string(prediction.occupancy.blocks) +
         " blocks, " + std::to_string(prediction.occupancy.warps) +
         " warps on a multiprocessor, limited by " +
         prediction.occupancy.limit + "\n";
  out += "  at least     " + timeText(prediction, prediction.lowerBound) +
         ", if all pipes overlap\n";
  out += "  estimate     " + timeText(prediction, prediction.estimate) + "\n";
  out += "  at most      " + timeText(prediction, prediction.upperBound) +
         ", if no two pipes overlap, latencies aside\n";
  out += std::string("  limited by   ") +
         prediction.pipes[prediction.limiting].name + "\n";
  double busiest = prediction.pipes[prediction.limiting].clocks;
  for (const PipeLoad &pipe : prediction.pipes)
    if (pipe.clocks > 0) {
      char line[96];
      std::snprintf(line, sizeof(line), "    %-18s %12.0f clocks %5.1f %%\n",
                    pipe.name, pipe.clocks, 100 * pipe.clocks / busiest);
      out += line;
    }
  return out;
}

std::string predictionJson(const Prediction &prediction) {
  const Chip &chip = *prediction.chip;
  std::string out =
      std::string("{\"chip\": \"") + chip.name + "\", \"product\": \"" +
      chip.product + "\", \"resident_blocks\": " +
      std::to_string(prediction.occupancy.blocks) +
      ", \"resident_warps\": " + std::to_string(prediction.occupancy.warps) +
      ", \"occupancy_limit\": \"" + prediction.occupancy.limit + "\"";
  out +=
      format(", \"predicted_seconds_at_least\": %.9e", prediction.lowerBound);
  out += format(", \"predicted_seconds\": %.9e", prediction.estimate);
  out += format(", \"predicted_seconds_at_most\": %.9e", prediction.upperBound);
  out += format(", \"predicted_tflops\": %.3f",
                prediction.teraFlops(prediction.estimate));
  out += std::string(", \"limited_by\": \"") +
         prediction.pipes[prediction.limiting].name + "\", \"pipe_clocks\": {";
  for (size_t k = 0; k < prediction.pipes.size(); ++k)
    out += std::string(k ? ", \"" : "\"") + prediction.pipes[k].name +
           "\": " + format("%.1f", prediction.pipes[k].clocks);
  return out + "}}";
}

} // namespace goat::ptxsim
