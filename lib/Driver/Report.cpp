//===- Report.cpp - goatc --emit=report -----------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers what lib/Report needs from a source or a PTX file.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Driver/Compiler.h"
#include "goat/Runtime/LayerInputs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace goat;
using namespace goat::ptx;

static constexpr llvm::StringLiteral formats[] = {"text", "json", "html"};

llvm::Error ReportFlags::check(bool isReport) const {
  if (!llvm::is_contained(formats, format))
    return llvm::createStringError(
        "expected --report-format to be one of " +
        llvm::join(llvm::ArrayRef<llvm::StringLiteral>(formats), ", ") +
        " but got '" + format + "'");
  // A list's own & is the vector in it.
  const llvm::cl::Option *flags[] = {&format, &nvdisasm, std::addressof(sizes),
                                     &scoresPerThread};
  for (const llvm::cl::Option *flag : flags)
    if (!isReport && flag->getNumOccurrences() > 0)
      return llvm::createStringError("--" + flag->ArgStr +
                                     " is a flag of --emit=report; add that, "
                                     "or leave it out");
  return llvm::Error::success();
}

/// FLOPs of Q·Kᵀ and P·V in the attentions of `function`, as if nothing were
/// masked: 2·B·Hq·Lq·Lk·(D + Dv) each. Nothing when an operand is not a
/// parameter.
static std::optional<Expr> countProductFlops(mlir::func::FuncOp function) {
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
                          size(op.getQuery(), op.getLengthAxis()),
                          size(op.getKey(), op.getLengthAxis())}));
  });
  if (terms.empty() || !isKnown)
    return std::nullopt;
  return terms.size() == 1 ? terms.front()
                           : Expr(Expr::Kind::Add, std::move(terms));
}

llvm::Expected<report::Context>
goat::describeSource(mlir::func::FuncOp function,
                     llvm::ArrayRef<std::string> sizes) {
  report::Context context;
  context.productFlops = countProductFlops(function);
  function.walk([&](AttentionOp op) {
    context.flopsPerScore = 2 * (op.getHeadDim() + op.getValueDim());
  });
  if (sizes.empty())
    return context;
  llvm::Expected<runtime::LayerInputs> inputs =
      runtime::LayerInputs::create(function);
  if (!inputs)
    return inputs.takeError();
  for (const std::string &size : sizes) {
    auto [name, text] = llvm::StringRef(size).split('=');
    int64_t value;
    if (text.getAsInteger(10, value))
      return llvm::createStringError("expected --size NAME=N but got '" + size +
                                     "'");
    if (llvm::Error error = inputs->setSize(name, value))
      return std::move(error);
  }
  llvm::Expected<std::vector<llvm::SmallVector<int64_t>>> shapes =
      inputs->shapes();
  if (!shapes)
    return shapes.takeError();
  context.shapes = std::move(*shapes);
  return context;
}

bool goat::isPTX(llvm::StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      return text.starts_with(".version");
    text = text.split('\n').second;
  }
}

llvm::Expected<report::Report> goat::reportOnPTX(llvm::StringRef ptx,
                                                 llvm::StringRef target,
                                                 const ReportFlags &flags) {
  if (!flags.sizes.empty())
    return llvm::createStringError("expected --size beside an MLIR file, but a "
                                   "PTX file has no sizes");
  llvm::Expected<std::vector<report::Listing>> listings = report::readPTX(ptx);
  if (!listings)
    return listings.takeError();
  llvm::Expected<ChipDescription> chip =
      findChip(target.empty() ? listings->front().target : target);
  if (!chip)
    return chip.takeError();
  return report::gatherForeign(ptx, *chip,
                               report::inspect(ptx, chip->name, flags.nvdisasm),
                               flags.scoresPerThread);
}

std::string goat::writeReports(llvm::ArrayRef<report::Report> reports,
                               const ReportFlags &flags) {
  if (flags.format == "json") {
    llvm::json::Array kernels;
    for (const report::Report &report : reports)
      kernels.push_back(report::writeJSON(report));
    llvm::json::Value whole = llvm::json::Object{
        {"schema", report::reportSchema}, {"kernels", std::move(kernels)}};
    return llvm::formatv("{0:2}\n", whole);
  }
  if (flags.format == "html")
    return report::writeHTML(reports);
  std::string text;
  for (const report::Report &report : reports)
    text += report::writeText(report);
  return text;
}
