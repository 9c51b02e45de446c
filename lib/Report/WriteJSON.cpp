//===- WriteJSON.cpp - the report for programs ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same facts as the text, by name.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Report.h"

using namespace goat;
using namespace goat::report;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static Value toJSON(const Formula &formula) {
  return Object{{"formula", formula.text}, {"value", formula.value}};
}

static Value toJSON(const ptx::EntryResources &resources) {
  return Object{{"registers", resources.registers},
                {"stack_bytes", resources.stackBytes},
                {"spill_store_bytes", resources.spillStoreBytes},
                {"spill_load_bytes", resources.spillLoadBytes},
                {"static_shared_bytes", resources.staticSharedBytes}};
}

static Value toJSON(const LaunchReport &launch) {
  Object limits;
  for (const auto &[limit, blocks] : launch.occupancy.limits)
    limits[limit] = blocks;
  Object object{{"entry", launch.entry},
                {"threads", launch.threads},
                {"resident", Object{{"blocks", launch.occupancy.blocks},
                                    {"limiter", launch.occupancy.limiter},
                                    {"limits", std::move(limits)}}}};
  if (!launch.variant.empty()) {
    object["variant"] = launch.variant;
    object["grid"] = Array{toJSON(launch.grid[0]), toJSON(launch.grid[1]),
                           toJSON(launch.grid[2])};
  }
  object["shared_bytes"] =
      launch.sharedBytes ? toJSON(*launch.sharedBytes) : Value(nullptr);
  object["resources"] =
      launch.resources ? toJSON(*launch.resources) : Value(nullptr);
  return object;
}

static Object kindCounts(const std::array<int64_t, numKinds> &kinds) {
  Object counts;
  for (int kind = 0; kind < numKinds; ++kind)
    counts[kindName(static_cast<Kind>(kind))] = kinds[kind];
  return counts;
}

static Value toJSON(const LocalBytes &bytes) {
  return Object{{"stores", bytes.stores}, {"loads", bytes.loads}};
}

static Value toJSON(const LoopReport &loop) {
  Object object{{"role", loop.role},
                {"instructions", loop.instructions},
                {"rare_instructions", loop.rareInstructions},
                {"has_inner_loop", loop.hasInner},
                {"tile_line", loop.tileLine},
                {"counts", kindCounts(loop.kinds)},
                {"tensor_flops_per_warp", loop.tensorFlops},
                {"local_bytes", toJSON(loop.local)}};
  if (loop.scores <= 0)
    return object;
  Object perScore, cycles;
  for (int kind = 0; kind < numKinds; ++kind)
    perScore[kindName(static_cast<Kind>(kind))] =
        loop.kinds[kind] / loop.scores;
  for (const PipeLoad &load : loop.pipes)
    cycles[load.pipe] = load.cycles;
  object["scores_per_thread"] = loop.scores;
  object["per_score"] = std::move(perScore);
  object["per_score_without_tensor"] = loop.perScore();
  object["predicted"] =
      Object{{"clocks_per_score", std::move(cycles)},
             {"limiting_pipe", loop.pipes[loop.limiting].pipe},
             {"tflops_overlapped", loop.tflopsOverlapped},
             {"tflops_serial", loop.tflopsSerial}};
  return object;
}

static Value toJSON(const CodeReport &code) {
  Object object{{"entry", code.entry},
                {"language", languageName(code.language)},
                {"instructions", code.instructions},
                {"counts", kindCounts(code.kinds)}};
  Array loops;
  for (const LoopReport &loop : code.loops)
    loops.push_back(toJSON(loop));
  object["loops"] = std::move(loops);
  Array lines;
  for (const LineCost &cost : code.origins.lines)
    lines.push_back(Object{{"line", cost.line},
                           {"text", cost.text},
                           {"per_score_without_tensor", cost.perScore}});
  Object tileOps;
  for (const auto &[name, perScore] : code.origins.tileOps)
    tileOps[name] = perScore;
  object["tile_ops"] = std::move(tileOps);
  object["lines"] = std::move(lines);
  object["local_bytes_outside"] = toJSON(code.localOutside);
  return object;
}

Value goat::report::writeJSON(const Report &report) {
  Object object{{"kernel", report.kernel},
                {"target", report.target},
                {"product", report.product},
                {"inputs", Array(report.inputs)},
                {"outputs", Array(report.outputs)},
                {"requirements", Array(report.requirements)},
                {"tools", report.tools},
                {"notes", Array(report.notes)}};
  Object sizes, choices;
  for (const auto &[name, size] : report.sizes)
    sizes[name] = size;
  for (const auto &[name, value] : report.choices)
    choices[name] = value;
  Array launches, code;
  for (const LaunchReport &launch : report.launches)
    launches.push_back(toJSON(launch));
  for (const CodeReport &entry : report.code)
    code.push_back(toJSON(entry));
  object["sizes"] = std::move(sizes);
  object["choices"] = std::move(choices);
  object["launches"] = std::move(launches);
  object["code"] = std::move(code);
  object["workspace_bytes"] =
      report.workspace ? toJSON(*report.workspace) : Value(nullptr);
  object["traffic_bytes"] =
      report.traffic ? toJSON(*report.traffic) : Value(nullptr);
  object["product_flops"] =
      report.products ? toJSON(*report.products) : Value(nullptr);
  if (report.prediction)
    object["predicted"] =
        Object{{"compute_seconds", report.prediction->computeSeconds},
               {"memory_seconds", report.prediction->memorySeconds}};
  return object;
}
