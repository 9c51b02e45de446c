//===- WriteText.cpp - the report for reading -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line per fact, with what it is about first.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace goat;
using namespace goat::report;

namespace {

class TextWriter {
public:
  explicit TextWriter(const Report &report) : report(report), out(text) {}

  std::string write();

private:
  void writeSignature();
  void writeLaunch(const LaunchReport &launch);
  void writeCode(const CodeReport &code);
  void writeLoop(const LoopReport &loop);

  void line(llvm::StringRef label, const llvm::Twine &value) {
    out << "  " << llvm::left_justify(label, 10) << value << "\n";
  }
  static std::string show(const Formula &formula) {
    if (!formula.value)
      return formula.text;
    std::string value = std::to_string(*formula.value);
    return formula.text == value ? value : value + " = " + formula.text;
  }

  const Report &report;
  std::string text;
  llvm::raw_string_ostream out;
};

} // namespace

static std::string showJSON(const llvm::json::Value &value) {
  if (std::optional<llvm::StringRef> string = value.getAsString())
    return string->str();
  return llvm::formatv("{0}", value).str();
}

/// "ffma 1.06, fadd 1.00, …" for all kinds that occur but tensor ones, the most
/// frequent first; counts over `scale`.
static std::string showKinds(const std::array<int64_t, numKinds> &kinds,
                             double scale, const char *format) {
  std::vector<int> order;
  for (int kind = 0; kind < numKinds; ++kind)
    if (kinds[kind] && kind != static_cast<int>(Kind::Tensor))
      order.push_back(kind);
  llvm::sort(order, [&](int a, int b) {
    return kinds[a] != kinds[b] ? kinds[a] > kinds[b] : a < b;
  });
  std::string list;
  for (int kind : order)
    list += (list.empty() ? "" : ", ") +
            std::string(kindName(static_cast<Kind>(kind))) + " " +
            llvm::formatv(format, kinds[kind] / scale).str();
  return list;
}

void TextWriter::writeSignature() {
  for (const std::string &input : report.inputs)
    line("input", input);
  for (const std::string &output : report.outputs)
    line("output", output);
  for (const std::string &requirement : report.requirements)
    line("requires", requirement);
  for (const auto &[name, size] : report.sizes)
    line("size", name + " = " + llvm::Twine(size));
  if (report.workspace)
    line("workspace", show(*report.workspace) +
                          " bytes, written by the launches before the last");
  if (report.traffic)
    line("traffic", show(*report.traffic) +
                        " bytes at least: every input read, every output "
                        "written and the workspace written and read once");
  if (report.products)
    line("products", show(*report.products) +
                         " FLOPs in Q·Kᵀ and P·V, as if nothing were masked");
  for (const auto &[name, value] : report.choices)
    line("chosen", name + " = " + showJSON(value));
}

void TextWriter::writeLaunch(const LaunchReport &launch) {
  if (launch.variant.empty())
    line("launch",
         launch.entry + ": " + llvm::Twine(launch.threads) + " threads");
  else
    line("launch", launch.entry + " (" + launch.variant + "): grid " +
                       show(launch.grid[0]) + " by " + show(launch.grid[1]) +
                       " by " + show(launch.grid[2]) + ", " +
                       llvm::Twine(launch.threads) + " threads");
  if (launch.sharedBytes)
    line("shared", show(*launch.sharedBytes) + " bytes dynamic per block");
  if (launch.resources)
    line("ptxas",
         llvm::formatv("{0}: {1} registers, {2} bytes of spill stores, {3} "
                       "bytes of spill loads, {4} bytes of stack",
                       launch.entry, launch.resources->registers,
                       launch.resources->spillStoreBytes,
                       launch.resources->spillLoadBytes,
                       launch.resources->stackBytes));
  else
    line("ptxas", "nothing is known about registers and spills");
  std::string limits;
  for (const auto &[limit, blocks] : launch.occupancy.limits)
    limits += llvm::formatv("{0}{1} by {2}", limits.empty() ? "" : ", ", blocks,
                            limit);
  line("resident",
       llvm::formatv("{0} blocks per multiprocessor at most, limited by {1}: ",
                     launch.occupancy.blocks, launch.occupancy.limiter) +
           limits);
}

void TextWriter::writeLoop(const LoopReport &loop) {
  const int64_t tensor = loop.count(Kind::Tensor);
  if (loop.scores <= 0) {
    line("loop", loop.role + ": " +
                     llvm::formatv("{0} instructions, {1} of them tensor: ",
                                   loop.instructions, tensor) +
                     showKinds(loop.kinds, 1, "{0:f0}"));
    return;
  }
  line("loop",
       loop.role + ": " +
           llvm::formatv("{0:f2} instructions per score and thread, and {1:f2} "
                         "tensor ({2} for {3:f0} scores){4}{5}{6}",
                         loop.perScore(), tensor / loop.scores,
                         loop.instructions, loop.scores,
                         loop.hasInner ? "; an inner loop is counted once" : "",
                         loop.tileLine
                             ? "; tile line " + std::to_string(loop.tileLine)
                             : "",
                         loop.rareInstructions
                             ? "; " + std::to_string(loop.rareInstructions) +
                                   " more in few rounds"
                             : ""));
  line("", showKinds(loop.kinds, loop.scores, "{0:f2}"));
  std::string loads;
  for (const PipeLoad &load : loop.pipes)
    loads += llvm::formatv("{0}{1} {2:f4}", loads.empty() ? "" : ", ",
                           load.pipe, load.cycles);
  line("pipes", loop.role + ", clocks per score, predicted: " + loads);
  line("limit",
       loop.role + ", predicted: " +
           llvm::formatv("{0}; {1:f0} TFLOP/s when all pipes overlap, {2:f0} "
                         "when none does",
                         loop.pipes[loop.limiting].pipe, loop.tflopsOverlapped,
                         loop.tflopsSerial));
}

void TextWriter::writeCode(const CodeReport &code) {
  line("code", code.entry + ": " + llvm::Twine(code.instructions) +
                   " instructions of " + languageName(code.language) + ", " +
                   llvm::Twine(code.kinds[static_cast<int>(Kind::Tensor)]) +
                   " of them tensor: " + showKinds(code.kinds, 1, "{0:f0}"));
  for (const LoopReport &loop : code.loops)
    writeLoop(loop);
  for (const LineCost &cost : code.origins.lines)
    line(
        cost.line ? "line " + std::to_string(cost.line) : "no line",
        llvm::formatv("{0:f2} in the unmasked loop: {1}", cost.perScore,
                      cost.line ? cost.text : "made for several, or for none"));
  std::string ops;
  for (const auto &[name, perScore] : code.origins.tileOps)
    ops +=
        llvm::formatv("{0}{1} {2:f2}", ops.empty() ? "" : ", ", name, perScore);
  if (!ops.empty())
    line("tile ops", "unmasked: " + ops);
  if (code.loops.empty() && code.kinds[static_cast<int>(Kind::Tensor)] > 0)
    line("loop", "none over tiles with tensor instructions; all of them run at "
                 "most once");
  // PTX has no spills; ptxas makes them.
  if (code.language != Language::SASS)
    return;
  std::string places;
  auto add = [&](llvm::StringRef place, const LocalBytes &local) {
    places += llvm::formatv("{0}{1} stored and {2} loaded {3}",
                            places.empty() ? "" : ", ", local.stores,
                            local.loads, place);
  };
  for (const LoopReport &loop : code.loops)
    add("in the " + loop.role + " loop", loop.local);
  add(code.loops.empty() ? "in all" : "outside", code.localOutside);
  line("local", "bytes per thread: " + places);
}

std::string TextWriter::write() {
  out << "kernel " << report.kernel << " for " << report.target << " ("
      << report.product << ")\n";
  writeSignature();
  for (const LaunchReport &launch : report.launches)
    writeLaunch(launch);
  if (!report.tools.empty())
    line("tools", report.tools);
  for (const CodeReport &code : report.code)
    writeCode(code);
  if (report.prediction)
    line("time",
         llvm::formatv("at least, predicted, as if nothing were masked: {0:f3} "
                       "ms in the limiting pipe, {1:f3} ms for the traffic",
                       1e3 * report.prediction->computeSeconds,
                       1e3 * report.prediction->memorySeconds));
  for (const std::string &note : report.notes)
    line("note", note);
  return text;
}

std::string goat::report::writeText(const Report &report) {
  return TextWriter(report).write();
}
