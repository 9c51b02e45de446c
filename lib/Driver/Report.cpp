//===- Report.cpp - what was compiled and what it costs -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// goatc --emit=report. All numbers are counts; nothing here is a time.
//
//===----------------------------------------------------------------------===//

#include "goat/Driver/Compiler.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace goat;
using namespace goat::ptx;

namespace {

/// Writes the report of one artifact.
class Report {
public:
  Report(const Artifact &artifact, const ChipDescription &chip)
      : kernel(artifact.kernel), ptx(artifact.ptx), chip(chip), out(text) {}

  std::string write(const std::optional<Expr> &productFlops,
                    llvm::ArrayRef<EntryResources> resources);

private:
  void writeSignature();
  void writeLaunches(llvm::ArrayRef<EntryResources> resources);
  void writeOccupancy(const Launch &launch,
                      llvm::ArrayRef<EntryResources> resources);
  void writeInstructions();
  void writeResources(llvm::ArrayRef<EntryResources> resources);

  void line(llvm::StringRef label, const llvm::Twine &value) {
    out << "  " << llvm::left_justify(label, 10) << value << "\n";
  }
  std::string show(const Expr &expr) const {
    return expr.str([&](DimRef dim) {
      return kernel.inputs[dim.input].name + "." + std::to_string(dim.axis);
    });
  }

  const Kernel &kernel;
  llvm::StringRef ptx;
  const ChipDescription &chip;
  std::string text;
  llvm::raw_string_ostream out;
};

} // namespace

void Report::writeSignature() {
  std::vector<Expr> bytes;
  auto product = [](std::vector<Expr> factors) {
    return factors.size() == 1 ? factors.front()
                               : Expr(Expr::Kind::Multiply, std::move(factors));
  };
  for (auto [index, input] : llvm::enumerate(kernel.inputs)) {
    std::string shape;
    std::vector<Expr> factors{Expr(dtypeBytes(input.dtype))};
    for (auto [axis, size] : llvm::enumerate(input.shape)) {
      shape += (size ? std::to_string(*size) : "?") + "x";
      factors.push_back(size ? Expr(*size)
                             : Expr(DimRef{int64_t(index), int64_t(axis)}));
    }
    line("input", input.name + ": " + shape + dtypeName(input.dtype));
    if (!input.shape.empty())
      bytes.push_back(product(std::move(factors)));
  }
  for (const OutputSpec &output : kernel.outputs) {
    std::string shape;
    std::vector<Expr> factors{Expr(dtypeBytes(output.dtype))};
    for (const Expr &size : output.shape) {
      shape += show(size) + "x";
      factors.push_back(size);
    }
    line("output", output.name + ": " + shape + dtypeName(output.dtype));
    bytes.push_back(product(std::move(factors)));
  }
  for (const Requirement &requirement : kernel.requirements)
    line("requires", requirement.message);
  Expr total(Expr::Kind::Add, std::move(bytes));
  std::optional<int64_t> constant = total.asConstant();
  line("traffic", (constant ? std::to_string(*constant) : show(total)) +
                      " bytes at least: every input read and every output "
                      "written once");
}

/// How many blocks one multiprocessor holds at a time, by each of its limits.
void Report::writeOccupancy(const Launch &launch,
                            llvm::ArrayRef<EntryResources> resources) {
  const int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  std::string limits =
      llvm::formatv("{0} by threads", chip.threadsPerMultiprocessor / threads);
  // The system keeps 1024 bytes of shared memory of each block for itself.
  if (std::optional<int64_t> bytes = launch.sharedBytes.asConstant())
    limits +=
        llvm::formatv(", {0} by shared memory",
                      chip.sharedBytesPerMultiprocessor / (*bytes + 1024));
  // A warp gets registers in units of 256, which is 8 for each thread.
  for (const EntryResources &entry : resources)
    if (entry.entry == launch.entry && entry.registers > 0)
      limits += llvm::formatv(
          ", {0} by registers",
          chip.registersPerMultiprocessor /
              (llvm::alignTo(entry.registers, 8) * llvm::alignTo(threads, 32)));
  line("resident", "blocks per multiprocessor at most: " + limits);
}

void Report::writeLaunches(llvm::ArrayRef<EntryResources> resources) {
  for (const Variant &variant : kernel.variants)
    for (const Launch &launch : variant.launches) {
      const int64_t threads =
          launch.block[0] * launch.block[1] * launch.block[2];
      line("launch", launch.entry + " (" + variant.name + "): grid " +
                         show(launch.grid[0]) + " by " + show(launch.grid[1]) +
                         " by " + show(launch.grid[2]) + ", " +
                         llvm::Twine(threads) + " threads");
      line("shared", show(launch.sharedBytes) + " bytes dynamic per block");
      writeOccupancy(launch, resources);
    }
}

/// The part of an opcode that says what kind of work it is: "ld.global" for
/// ld.global.v4.b32, "mma.sync" for mma.sync.aligned…, "add" for add.s32.
static llvm::StringRef kindOf(llvm::StringRef opcode) {
  llvm::StringRef first = opcode.split('.').first;
  for (llvm::StringRef prefix : {"ld", "st", "cp", "bar", "shfl", "mma", "atom",
                                 "red", "mbarrier", "wgmma", "ex2", "lg2"})
    if (first == prefix) {
      size_t second = opcode.find('.', first.size() + 1);
      return opcode.take_front(second);
    }
  return first;
}

static std::string withoutComments(llvm::StringRef ptx) {
  std::string code;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    code += line.split("//").first.str() + "\n";
    ptx = rest;
  }
  return code;
}

void Report::writeInstructions() {
  llvm::MapVector<llvm::StringRef, int> counts;
  int total = 0;
  std::string code = withoutComments(ptx);
  llvm::SmallVector<llvm::StringRef> statements;
  llvm::StringRef(code).split(statements, ';');
  for (llvm::StringRef statement : statements) {
    llvm::StringRef rest = statement.trim(" \t\n{}");
    // A label may stand before the instruction, a predicate too.
    if (rest.take_until([](char c) { return llvm::isSpace(c); }).ends_with(":"))
      rest = rest.split(':').second.trim(" \t\n{}");
    if (rest.starts_with("@"))
      rest = rest.drop_until([](char c) { return llvm::isSpace(c); }).ltrim();
    llvm::StringRef opcode =
        rest.take_until([](char c) { return llvm::isSpace(c); });
    if (opcode.empty() || !llvm::isAlpha(opcode.front()))
      continue;
    ++counts[kindOf(opcode)];
    ++total;
  }
  auto ordered = counts.takeVector();
  llvm::sort(ordered, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string list;
  for (const auto &[kind, count] : ordered)
    list +=
        (list.empty() ? "" : ", ") + kind.str() + " " + std::to_string(count);
  line("ptx", llvm::Twine(total) + " instructions in the text: " + list);
}

void Report::writeResources(llvm::ArrayRef<EntryResources> resources) {
  if (resources.empty()) {
    line("ptxas", "nothing is known about registers and spills");
    return;
  }
  for (const EntryResources &entry : resources) {
    line("ptxas",
         llvm::formatv("{0}: {1} registers, {2} bytes of spill "
                       "stores, {3} bytes of spill loads, {4} bytes "
                       "of stack",
                       entry.entry, entry.registers, entry.spillStoreBytes,
                       entry.spillLoadBytes, entry.stackBytes));
  }
}

std::string Report::write(const std::optional<Expr> &productFlops,
                          llvm::ArrayRef<EntryResources> resources) {
  out << "kernel " << kernel.name << " for " << chip.name << " ("
      << chip.product << ")\n";
  writeSignature();
  if (productFlops)
    line("products", show(*productFlops) +
                         " FLOPs in Q·Kᵀ and P·V, as if nothing were masked");
  std::string choices;
  for (const auto &[name, value] : kernel.choices)
    choices += (choices.empty() ? "" : ", ") + name.str() + " = " +
               (value.getAsString() ? value.getAsString()->str()
                                    : llvm::formatv("{0}", value).str());
  if (!choices.empty())
    line("chosen", choices);
  writeLaunches(resources);
  writeInstructions();
  writeResources(resources);
  return text;
}

std::optional<Expr> goat::countProductFlops(mlir::func::FuncOp function) {
  std::vector<Expr> terms;
  bool isKnown = true;
  auto size = [&](mlir::Value tensor, int64_t axis) {
    auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(axis))
      return Expr(type.getDimSize(axis));
    auto parameter = mlir::dyn_cast<mlir::BlockArgument>(tensor);
    if (!parameter || parameter.getOwner()->getParentOp() != function) {
      isKnown = false;
      return Expr(0);
    }
    return Expr(DimRef{parameter.getArgNumber(), axis});
  };
  function.walk([&](AttentionOp op) {
    terms.push_back(Expr(Expr::Kind::Multiply,
                         {Expr(2 * (op.getHeadDim() + op.getValueDim())),
                          size(op.getQuery(), 0), Expr(op.getNumQueryHeads()),
                          size(op.getQuery(), 2), size(op.getKey(), 2)}));
  });
  if (terms.empty() || !isKnown)
    return std::nullopt;
  return terms.size() == 1 ? terms.front()
                           : Expr(Expr::Kind::Add, std::move(terms));
}

std::string goat::writeReport(const Artifact &artifact,
                              const ChipDescription &chip,
                              const std::optional<Expr> &productFlops,
                              llvm::ArrayRef<EntryResources> resources) {
  return Report(artifact, chip).write(productFlops, resources);
}
