//===- CountCode.cpp - loops, kinds and pipe loads ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions per score, and what each pipe of the chip makes of them. A load
// is instructions over a rate: no latencies, no dependences, no bank conflicts.
// The pipe with the greatest load is a lower bound on the loop's time.
//
//===----------------------------------------------------------------------===//

#include "CountCode.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace goat;
using namespace goat::report;

static std::vector<PipeLoad> countLoads(const Listing &listing,
                                        const Loop &loop,
                                        const ptx::ChipRates &rates,
                                        double scores) {
  std::map<Pipe, double> cycles;
  for (size_t index : loop.instructions) {
    const Instruction &instruction = listing.instructions[index];
    llvm::StringRef opcode = instruction.opcode;
    double &load = cycles[instruction.pipe];
    cycles[Pipe::Shared] += double(instruction.bytes) / rates.sharedBytes;
    // Each is for one thread of 32 that execute the instruction together.
    switch (instruction.pipe) {
    case Pipe::Tensor: {
      const bool isWarpgroup =
          opcode.starts_with("wgmma") || opcode.contains("GMMA.");
      // HMMA.1688.F32.TF32, mma.sync.….f32.tf32.tf32.f32: half of 16 bits.
      const bool isTF32 = opcode.contains_insensitive(".tf32");
      load += instruction.tensorFlops / 32.0 * (isTF32 ? 2 : 1) /
              (isWarpgroup ? rates.peakTensorFlops : rates.mmaFlops);
      break;
    }
    case Pipe::Special:
      load += 1.0 / rates.specialLanes;
      break;
    case Pipe::FMA:
      load += 1.0 / (instruction.isHalfRate ? 64 : rates.fmaLanes);
      break;
    case Pipe::ALU:
      load += 1.0 / rates.aluLanes;
      break;
    case Pipe::Shared:
    case Pipe::None:
      break;
    }
  }
  std::vector<PipeLoad> loads;
  for (Pipe pipe :
       {Pipe::Tensor, Pipe::Special, Pipe::FMA, Pipe::ALU, Pipe::Shared})
    loads.push_back({pipeName(pipe), cycles[pipe] / scores});
  loads.push_back(
      {"issue", loop.instructions.size() / scores / (32.0 * rates.issueWarps)});
  return loads;
}

static void addLocal(LocalBytes &bytes, const Instruction &instruction) {
  if (instruction.kind != Kind::Local)
    return;
  llvm::StringRef opcode = instruction.opcode;
  const bool isStore = opcode.starts_with("ST") || opcode.starts_with("st");
  (isStore ? bytes.stores : bytes.loads) += instruction.bytes;
}

static LoopReport countLoop(const Listing &listing, const Loop &loop,
                            const ptx::ChipDescription &chip, double scores,
                            std::optional<int64_t> flopsPerScore) {
  LoopReport report;
  report.instructions = loop.instructions.size();
  report.rareInstructions = loop.rare.size();
  report.hasInner = loop.hasInner;
  report.scores = scores;
  for (size_t index : loop.instructions) {
    const Instruction &instruction = listing.instructions[index];
    ++report.kinds[static_cast<int>(instruction.kind)];
    report.tensorFlops += instruction.tensorFlops;
    addLocal(report.local, instruction);
  }
  if (scores <= 0)
    return report;
  report.pipes = countLoads(listing, loop, chip.rates, scores);
  double sum = 0;
  for (auto [index, load] : llvm::enumerate(report.pipes)) {
    // Issuing is part of what every other pipe does.
    if (load.pipe != "issue")
      sum += load.cycles;
    if (load.cycles > report.pipes[report.limiting].cycles)
      report.limiting = index;
  }
  const double flops =
      flopsPerScore ? *flopsPerScore : report.tensorFlops / 32.0 / scores;
  const double teraClocks = chip.multiprocessors * chip.rates.clockMHz * 1e-6;
  report.tflopsOverlapped =
      flops / report.pipes[report.limiting].cycles * teraClocks;
  report.tflopsSerial = flops / sum * teraClocks;
  return report;
}

CodeReport goat::report::countCode(const Listing &listing,
                                   const ptx::ChipDescription &chip,
                                   double scores,
                                   std::optional<int64_t> flopsPerScore) {
  CodeReport report;
  report.entry = listing.entry;
  report.language = listing.language;
  report.instructions = listing.instructions.size();
  for (const Instruction &instruction : listing.instructions)
    ++report.kinds[static_cast<int>(instruction.kind)];
  llvm::BitVector isInLoop(listing.instructions.size());
  for (const Loop &loop : findTileLoops(listing)) {
    report.loops.push_back(
        countLoop(listing, loop, chip, scores, flopsPerScore));
    report.loops.back().role = report.loops.size() == 1 ? "unmasked" : "masked";
    for (size_t index : loop.instructions)
      isInLoop.set(index);
  }
  for (auto [index, instruction] : llvm::enumerate(listing.instructions))
    if (!isInLoop[index])
      addLocal(report.localOutside, instruction);
  return report;
}

/// The name of the operation on a line of the tile program: scf.for in
/// `%1:4 = scf.for …`. Empty for a line without.
static llvm::StringRef operationName(llvm::StringRef line) {
  line = line.trim();
  if (line.starts_with("%"))
    line = line.split(" = ").second;
  line.consume_front("\"");
  llvm::StringRef name = line.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
  return name.contains('.') ? name : llvm::StringRef();
}

OriginCosts goat::report::countOrigins(const Listing &listing, double scores,
                                       const Origin &origin) {
  std::vector<Loop> loops = findTileLoops(listing);
  if (loops.empty())
    return {};
  llvm::SmallVector<llvm::StringRef> source, tile;
  llvm::StringRef(origin.source).split(source, '\n');
  llvm::StringRef(origin.tile).split(tile, '\n');
  std::map<int, int64_t> lineCounts;
  std::map<llvm::StringRef, int64_t> opCounts;
  for (size_t index : loops.front().instructions) {
    const Instruction &instruction = listing.instructions[index];
    if (instruction.kind == Kind::Tensor)
      continue;
    const size_t line = instruction.source ? instruction.source->line : 0;
    const bool isKnown = line > 0 && line <= origin.sourceLines.size();
    ++lineCounts[isKnown ? origin.sourceLines[line - 1] : 0];
    ++opCounts[isKnown && line <= tile.size() ? operationName(tile[line - 1])
                                              : ""];
  }
  OriginCosts costs;
  for (auto [line, count] : lineCounts)
    costs.lines.push_back({line,
                           line > 0 && size_t(line) <= source.size()
                               ? source[line - 1].trim().str()
                               : "",
                           count / scores});
  for (auto [name, count] : opCounts)
    costs.tileOps.push_back(
        {name.empty() ? "none" : name.str(), count / scores});
  llvm::sort(costs.lines, [](const LineCost &a, const LineCost &b) {
    return a.perScore != b.perScore ? a.perScore > b.perScore : a.line < b.line;
  });
  llvm::sort(costs.tileOps, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return costs;
}

static size_t indentation(llvm::StringRef line) {
  return line.size() - line.ltrim().size();
}

int goat::report::findTileLine(const Listing &listing, const Loop &loop,
                               llvm::StringRef tile) {
  llvm::SmallVector<llvm::StringRef> lines;
  tile.split(lines, '\n');
  for (size_t index : loop.instructions) {
    const Instruction &instruction = listing.instructions[index];
    if (instruction.kind != Kind::Tensor || !instruction.source)
      continue;
    size_t line = instruction.source->line;
    if (line == 0 || line > lines.size())
      continue;
    // Outwards: lines that are indented less open what this one stands in.
    size_t indent = indentation(lines[line - 1]);
    for (; line > 0; --line) {
      if (indentation(lines[line - 1]) >= indent)
        continue;
      indent = indentation(lines[line - 1]);
      if (operationName(lines[line - 1]) == "scf.for")
        return line;
    }
    return 0;
  }
  return 0;
}
