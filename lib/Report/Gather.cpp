//===- Gather.cpp - from an artifact to its report ------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the struct that the three forms of the report are written from.
//
//===----------------------------------------------------------------------===//

#include "CountCode.h"

#include "goat/Target/PTX/Nvdisasm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace goat;
using namespace goat::report;

Inspection goat::report::inspect(llvm::StringRef ptx, llvm::StringRef target,
                                 llvm::StringRef nvdisasm) {
  Inspection result;
  auto note = [&](llvm::Error error) {
    result.notes.push_back(llvm::toString(std::move(error)));
    return result;
  };
  llvm::Expected<std::string> ptxas = ptx::findPtxas();
  if (!ptxas)
    return note(ptxas.takeError());
  llvm::Expected<ptx::Assembly> assembly =
      ptx::assemble(*ptxas, ptx, target, /*keepsLines=*/true);
  if (!assembly)
    return note(assembly.takeError());
  result.resources = std::move(assembly->entries);
  result.tools = "ptxas " + ptx::toolkitVersion(*ptxas);
  llvm::Expected<std::string> program =
      nvdisasm.empty() ? ptx::findNvdisasm()
                       : llvm::Expected<std::string>(nvdisasm.str());
  if (!program)
    return note(program.takeError());
  llvm::Expected<std::string> sass =
      ptx::disassemble(*program, assembly->cubin);
  if (!sass)
    return note(sass.takeError());
  result.sass = std::move(*sass);
  result.tools += ", nvdisasm " + ptx::toolkitVersion(*program);
  return result;
}

static Occupancy
countResident(const ptx::ChipDescription &chip, int64_t threads,
              std::optional<int64_t> sharedBytes,
              const std::optional<ptx::EntryResources> &resources) {
  Occupancy occupancy;
  auto &limits = occupancy.limits;
  const int64_t warps = llvm::divideCeil(threads, 32);
  limits.push_back({"threads", chip.threadsPerMultiprocessor / (32 * warps)});
  limits.push_back({"blocks", chip.blocksPerMultiprocessor});
  if (sharedBytes) {
    // The system keeps 1024 bytes of shared memory of each block for itself.
    const int64_t bytes =
        *sharedBytes + (resources ? resources->staticSharedBytes : 0);
    limits.push_back(
        {"shared memory", chip.sharedBytesPerMultiprocessor / (bytes + 1024)});
  }
  if (resources && resources->registers > 0) {
    // A warp gets registers in units of 256, from one of four partitions.
    const int64_t perWarp = llvm::alignTo(32 * resources->registers, 256);
    const int64_t resident = chip.registersPerMultiprocessor / 4 / perWarp * 4;
    limits.push_back({"registers", resident / warps});
  }
  auto least = llvm::min_element(
      limits, [](const auto &a, const auto &b) { return a.second < b.second; });
  occupancy.limiter = least->first;
  occupancy.blocks = least->second;
  return occupancy;
}

static std::optional<ptx::EntryResources>
resourcesOf(const Inspection &inspection, llvm::StringRef entry) {
  for (const ptx::EntryResources &resources : inspection.resources)
    if (resources.entry == entry)
      return resources;
  return std::nullopt;
}

/// The number after `name = ` in the text of a schedule, 0 if there is none.
static int64_t scheduleNumber(llvm::StringRef schedule, llvm::StringRef name) {
  int64_t number = 0;
  schedule.split((name + " = ").str()).second.consumeInteger(10, number);
  return number;
}

namespace {

/// Gathers the report of one artifact.
class Gatherer {
public:
  Gatherer(const ptx::Artifact &artifact, const ptx::ChipDescription &chip,
           llvm::StringRef nvdisasm, const Context &context)
      : kernel(artifact.kernel), text(artifact.ptx), chip(chip),
        context(context) {
    // The lines of another text would be wrong.
    hasOrigin = context.origin &&
                withoutLines(context.origin->ptx) == withoutLines(text);
    if (hasOrigin)
      text = context.origin->ptx;
    inspection = inspect(text, chip.name, nvdisasm);
  }

  Report gather();

private:
  void gatherSignature();
  void gatherLaunches();
  void gatherCode();
  void predict();

  Formula formula(const ptx::Expr &expr) const;
  std::string nameOf(ptx::DimRef dim) const {
    return kernel.inputs[dim.input].name + "." + std::to_string(dim.axis);
  }

  const ptx::Kernel &kernel;
  /// The PTX, with lines where they are known.
  llvm::StringRef text;
  const ptx::ChipDescription &chip;
  Inspection inspection;
  const Context &context;
  bool hasOrigin = false;
  Report report;
};

} // namespace

Formula Gatherer::formula(const ptx::Expr &expr) const {
  Formula result{expr.str([&](ptx::DimRef dim) { return nameOf(dim); }),
                 expr.asConstant()};
  if (result.value || !context.shapes)
    return result;
  llvm::Expected<int64_t> value =
      expr.evaluate([&](ptx::DimRef dim) -> llvm::Expected<int64_t> {
        return (*context.shapes)[dim.input][dim.axis];
      });
  // What overflows 64 bits stays a formula.
  if (value)
    result.value = *value;
  else
    llvm::consumeError(value.takeError());
  return result;
}

void Gatherer::gatherSignature() {
  std::vector<ptx::Expr> bytes;
  auto product = [](std::vector<ptx::Expr> factors) {
    return ptx::Expr(ptx::Expr::Kind::Multiply, std::move(factors));
  };
  for (auto [index, input] : llvm::enumerate(kernel.inputs)) {
    std::string shape;
    std::vector<ptx::Expr> factors{ptx::Expr(ptx::dtypeBytes(input.dtype))};
    for (auto [axis, size] : llvm::enumerate(input.shape)) {
      ptx::DimRef dim{int64_t(index), int64_t(axis)};
      shape += (size ? std::to_string(*size) : "?") + "x";
      factors.push_back(size ? ptx::Expr(*size) : ptx::Expr(dim));
      if (!size && context.shapes)
        report.sizes.push_back({nameOf(dim), (*context.shapes)[index][axis]});
    }
    report.inputs.push_back(input.name + ": " + shape +
                            ptx::dtypeName(input.dtype));
    if (!input.shape.empty())
      bytes.push_back(product(std::move(factors)));
  }
  for (const ptx::OutputSpec &output : kernel.outputs) {
    std::string shape;
    std::vector<ptx::Expr> factors{ptx::Expr(ptx::dtypeBytes(output.dtype))};
    for (const ptx::Expr &size : output.shape) {
      shape += formula(size).text + "x";
      factors.push_back(size);
    }
    report.outputs.push_back(output.name + ": " + shape +
                             ptx::dtypeName(output.dtype));
    if (!output.shape.empty())
      bytes.push_back(product(std::move(factors)));
  }
  for (const ptx::Requirement &requirement : kernel.requirements)
    report.requirements.push_back(requirement.message);
  // Kernels before the main one write it, and the main one reads it.
  if (!kernel.variants.empty() &&
      kernel.variants.front().workspaceBytes.asConstant() != 0) {
    const ptx::Expr &workspace = kernel.variants.front().workspaceBytes;
    report.workspace = formula(workspace);
    bytes.push_back(product({ptx::Expr(2), workspace}));
  }
  report.traffic = formula(
      bytes.size() == 1 ? bytes.front()
                        : ptx::Expr(ptx::Expr::Kind::Add, std::move(bytes)));
  if (context.productFlops)
    report.products = formula(*context.productFlops);
  for (const auto &[name, value] : kernel.choices)
    report.choices.push_back({name.str(), value});
  llvm::sort(report.choices, llvm::less_first());
}

void Gatherer::gatherLaunches() {
  for (const ptx::Variant &variant : kernel.variants)
    for (const ptx::Launch &launch : variant.launches) {
      LaunchReport entry;
      entry.entry = launch.entry;
      entry.variant = variant.name;
      for (auto [grid, extent] : llvm::zip(entry.grid, launch.grid))
        grid = formula(extent);
      entry.threads = launch.block[0] * launch.block[1] * launch.block[2];
      entry.sharedBytes = formula(launch.sharedBytes);
      entry.resources = resourcesOf(inspection, launch.entry);
      entry.occupancy = countResident(
          chip, entry.threads, entry.sharedBytes->value, entry.resources);
      report.launches.push_back(std::move(entry));
    }
}

void Gatherer::gatherCode() {
  double scores = 0;
  if (std::optional<llvm::StringRef> schedule =
          kernel.choices.getString("schedule");
      schedule && !report.launches.empty())
    scores = double(scheduleNumber(*schedule, "rows") *
                    scheduleNumber(*schedule, "keys")) /
             (32 * std::max<int64_t>(scheduleNumber(*schedule, "warps"), 1));
  std::vector<Listing> listings = readSass(inspection.sass);
  if (listings.empty()) {
    llvm::Expected<std::vector<Listing>> read = readPTX(text);
    if (read)
      listings = std::move(*read);
    else
      report.notes.push_back(llvm::toString(read.takeError()));
  }
  for (const Listing &listing : listings) {
    report.code.push_back(
        countCode(listing, chip, scores, context.flopsPerScore));
    if (!hasOrigin)
      continue;
    CodeReport &code = report.code.back();
    for (auto [count, loop] : llvm::zip(code.loops, findTileLoops(listing)))
      count.tileLine = findTileLine(listing, loop, context.origin->tile);
    if (scores > 0)
      code.origins = countOrigins(listing, scores, *context.origin);
  }
}

void Gatherer::predict() {
  if (!report.products || !report.products->value || !context.flopsPerScore ||
      !report.traffic->value)
    return;
  for (const CodeReport &code : report.code) {
    if (code.loops.empty() || code.loops.front().pipes.empty())
      continue;
    const LoopReport &loop = code.loops.front();
    const double scores =
        double(*report.products->value) / double(*context.flopsPerScore);
    report.prediction = LaunchPrediction{
        scores * loop.pipes[loop.limiting].cycles / chip.multiprocessors /
            (chip.rates.clockMHz * 1e6),
        double(*report.traffic->value) / (chip.rates.memoryGBPerSecond * 1e9)};
    return;
  }
}

Report Gatherer::gather() {
  report.kernel = kernel.name;
  report.target = chip.name;
  report.product = chip.product;
  report.tools = inspection.tools;
  report.notes = inspection.notes;
  gatherSignature();
  gatherLaunches();
  gatherCode();
  predict();
  return std::move(report);
}

Report goat::report::gather(const ptx::Artifact &artifact,
                            const ptx::ChipDescription &chip,
                            llvm::StringRef nvdisasm, const Context &context) {
  return Gatherer(artifact, chip, nvdisasm, context).gather();
}

llvm::Expected<Report> goat::report::gatherForeign(
    llvm::StringRef ptx, const ptx::ChipDescription &chip,
    const Inspection &inspection, double scoresPerThread) {
  llvm::Expected<std::vector<Listing>> entries = readPTX(ptx);
  if (!entries)
    return entries.takeError();
  Report report;
  report.kernel = entries->front().entry;
  report.target = chip.name;
  report.product = chip.product;
  report.tools = inspection.tools;
  report.notes = inspection.notes;
  for (const Listing &listing : *entries) {
    if (listing.threads == 0)
      continue;
    LaunchReport launch;
    launch.entry = listing.entry;
    launch.threads = listing.threads;
    launch.resources = resourcesOf(inspection, listing.entry);
    launch.occupancy =
        countResident(chip, launch.threads, std::nullopt, launch.resources);
    report.launches.push_back(std::move(launch));
  }
  std::vector<Listing> sass = readSass(inspection.sass);
  for (const Listing &listing : sass.empty() ? *entries : sass)
    report.code.push_back(
        countCode(listing, chip, scoresPerThread, std::nullopt));
  return std::move(report);
}
