//===- Report.h - what a kernel is made of and costs ------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// goatc --emit=report. Everything is gathered once, into a struct, and written
// as text, JSON or HTML. Numbers are counts or, where they are called
// predicted, counts over the rates of Chips.cpp; nothing here is a measured
// time. docs/report.md explains each line.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_REPORT_REPORT_H
#define GOAT_REPORT_REPORT_H

#include "goat/Report/Code.h"
#include "goat/Target/PTX/Artifact.h"
#include "goat/Target/PTX/Chips.h"
#include "goat/Target/PTX/Ptxas.h"

#include <array>

namespace goat::report {

/// The value of "schema" in the JSON form.
inline constexpr const char *reportSchema = "goat-report/1";

/// What the toolkit's programs say about a PTX text.
struct Inspection {
  /// ptxas: empty where it was not at hand.
  std::vector<ptx::EntryResources> resources;
  /// nvdisasm: empty where one of both was not at hand.
  std::string sass;
  /// "ptxas 13.0.88, nvdisasm 13.5.37"
  std::string tools;
  /// Why something is missing.
  std::vector<std::string> notes;
};

/// Assembles and disassembles `ptx` for `target`, as far as ptxas and nvdisasm
/// (the one at the path `nvdisasm`, or findNvdisasm's when it is empty) are
/// there. A text that ptxas refuses is noted too.
Inspection inspect(llvm::StringRef ptx, llvm::StringRef target,
                   llvm::StringRef nvdisasm);

/// An expression of the sizes, and its value when they are known.
struct Formula {
  std::string text;
  std::optional<int64_t> value;
};

/// How many blocks one multiprocessor holds at a time, by each of its limits.
struct Occupancy {
  /// Limit and number of blocks: "threads", "blocks", "shared memory",
  /// "registers". What is not known is left out.
  std::vector<std::pair<std::string, int64_t>> limits;
  /// The least, and whose it is.
  int64_t blocks = 0;
  std::string limiter;
};

struct LaunchReport {
  std::string entry;
  std::string variant;
  std::array<Formula, 3> grid;
  int64_t threads = 0;
  /// Dynamic shared memory of a block, in bytes; nothing for a PTX file, which
  /// does not say.
  std::optional<Formula> sharedBytes;
  std::optional<ptx::EntryResources> resources;
  Occupancy occupancy;
};

/// What one pipe has to do for one score, in clocks of a multiprocessor.
struct PipeLoad {
  std::string pipe;
  double cycles = 0;
};

/// Bytes of local memory that one thread's instructions move, each counted
/// once: spills, unless a kernel has arrays of its own.
struct LocalBytes {
  int64_t stores = 0, loads = 0;
};

struct LoopReport {
  /// "unmasked" for the one with the least work per tensor instruction,
  /// "masked" for the others.
  std::string role;
  int64_t instructions = 0;
  /// Instructions behind a branch that few rounds take, not counted above.
  int64_t rareInstructions = 0;
  bool hasInner = false;
  /// The line of its scf.for in the tile program, from 1; 0 for unknown.
  int tileLine = 0;
  std::array<int64_t, numKinds> kinds{};
  /// FLOPs of one warp in one iteration.
  int64_t tensorFlops = 0;
  LocalBytes local;
  /// Scores one thread computes in one iteration; 0 when it is not known, and
  /// the two below are then empty.
  double scores = 0;
  std::vector<PipeLoad> pipes;
  /// The index of the greatest load in `pipes`.
  size_t limiting = 0;
  /// TFLOP/s in this loop on the whole chip: when all pipes overlap, and when
  /// none does.
  double tflopsOverlapped = 0, tflopsSerial = 0;

  int64_t count(Kind kind) const { return kinds[static_cast<int>(kind)]; }
  /// Instructions that are not tensor instructions, for each score.
  double perScore() const {
    return (instructions - count(Kind::Tensor)) / scores;
  }
};

/// Instructions that one line of the source became.
struct LineCost {
  /// From 1, 0 for what no line is known of.
  int line = 0;
  std::string text;
  /// In the unmasked loop, without tensor instructions, for each score.
  double perScore = 0;
};

/// The instructions of the unmasked loop by where they came from, the dearest
/// first.
struct OriginCosts {
  std::vector<LineCost> lines;
  /// Operations of the tile program by name, and instructions for each score.
  std::vector<std::pair<std::string, double>> tileOps;
};

/// The code of one entry.
struct CodeReport {
  std::string entry;
  Language language = Language::PTX;
  int64_t instructions = 0;
  std::array<int64_t, numKinds> kinds{};
  std::vector<LoopReport> loops;
  /// Empty where lines or scores are not known.
  OriginCosts origins;
  /// What is outside of `loops`.
  LocalBytes localOutside;
};

/// What the whole launch takes at least, predicted.
struct LaunchPrediction {
  /// Seconds of the limiting pipe over all scores, as if nothing were masked
  /// and every tile were whole, and of the memory traffic.
  double computeSeconds = 0, memorySeconds = 0;
};

/// A line of PTX.
struct ListingLine {
  std::string text;
  /// Of its (first) instruction; nothing for a line without.
  std::optional<Kind> kind;
  Pipe pipe = Pipe::None;
  /// 1 in the unmasked loop over tiles, 2 and up in masked ones, 0 outside.
  int loop = 0;
  /// Its line in the tile program, from 1; 0 for none.
  int tileLine = 0;
};

/// Source, tile program and PTX side by side.
struct AnnotatedListing {
  std::vector<std::string> source, tile;
  /// For each line of `tile`, its line in `source`, from 1; 0 for none.
  std::vector<int> sourceLines;
  std::vector<ListingLine> ptx;
};

struct Report {
  std::string kernel;
  std::string target;
  std::string product;
  /// Name and type: "query: ?x12x?x64xbf16".
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> requirements;
  /// Sizes the formulas were evaluated at: "query.0", 4.
  std::vector<std::pair<std::string, int64_t>> sizes;
  /// Bytes of the workspace, nothing where there is none.
  std::optional<Formula> workspace;
  /// Bytes of all inputs and outputs, and twice those of the workspace.
  std::optional<Formula> traffic;
  /// FLOPs of Q·Kᵀ and P·V, as if nothing were masked.
  std::optional<Formula> products;
  /// What the compiler chose: name and value.
  std::vector<std::pair<std::string, llvm::json::Value>> choices;
  std::vector<LaunchReport> launches;
  std::string tools;
  std::vector<CodeReport> code;
  std::optional<LaunchPrediction> prediction;
  std::vector<std::string> notes;
  /// For the HTML form only.
  std::optional<AnnotatedListing> listing;
};

/// Where a PTX text came from.
struct Origin {
  /// The source file and the tile program made from it; empty when they are
  /// not known.
  std::string source, tile;
  /// For each line of `tile`, its line in `source`, 0 for none.
  std::vector<int> sourceLines;
  /// The PTX, with .loc directives whose lines are those of `tile`.
  std::string ptx;
};

/// What the artifact does not say.
struct Context {
  /// FLOPs of Q·Kᵀ and P·V of the whole launch, and of one score: 2·(D + Dv).
  std::optional<ptx::Expr> productFlops;
  std::optional<int64_t> flopsPerScore;
  /// The shapes of the inputs, to evaluate formulas at.
  std::optional<std::vector<llvm::SmallVector<int64_t>>> shapes;
  std::optional<Origin> origin;
};

/// The report of a compiled kernel, counted by the programs that inspect()
/// uses.
Report gather(const ptx::Artifact &artifact, const ptx::ChipDescription &chip,
              llvm::StringRef nvdisasm, const Context &context);

/// The report of a PTX text from elsewhere, whose tile loop computes
/// `scoresPerThread` scores in each thread; 0 when that is not known.
llvm::Expected<Report> gatherForeign(llvm::StringRef ptx,
                                     const ptx::ChipDescription &chip,
                                     const Inspection &inspection,
                                     double scoresPerThread);

/// `ptx` without .loc directives and what comes with them.
std::string withoutLines(llvm::StringRef ptx);

/// The listing of `origin`, without the lines that only hold it together.
AnnotatedListing annotate(const Origin &origin);

std::string writeText(const Report &report);
llvm::json::Value writeJSON(const Report &report);

/// A page that needs no other file: the busy time of each pipe as a drawing,
/// instructions by kind, the text, and the listing where there is one.
std::string writeHTML(llvm::ArrayRef<Report> reports);

} // namespace goat::report

#endif // GOAT_REPORT_REPORT_H
