//===- Report.h - goatc --emit=report ---------------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goatc asks of lib/Report, and the flags it has for it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_DRIVER_REPORT_H
#define GOAT_LIB_DRIVER_REPORT_H

#include "goat/Report/Report.h"

#include "llvm/Support/CommandLine.h"

namespace goat {

/// Flags that --emit=report alone takes.
struct ReportFlags {
  explicit ReportFlags(llvm::cl::OptionCategory &category)
      : format{"report-format", llvm::cl::init("text"),
               llvm::cl::value_desc("format"),
               llvm::cl::desc("Form of --emit=report (default: text): text, "
                              "json, or html (a page with a listing that "
                              "links PTX to the lines it came from)"),
               llvm::cl::cat(category)},
        nvdisasm{"nvdisasm", llvm::cl::value_desc("path"),
                 llvm::cl::desc("The disassembler --emit=report counts SASS "
                                "with (default: $GOAT_NVDISASM, then $PATH, "
                                "then the CUDA toolkit's)"),
                 llvm::cl::cat(category)},
        sizes{"size", llvm::cl::value_desc("name=n"),
              llvm::cl::desc("A dynamic size at which --emit=report evaluates "
                             "its formulas: B, Lq, Lk, or PARAMETER.AXIS"),
              llvm::cl::cat(category)},
        scoresPerThread{
            "scores-per-thread", llvm::cl::init(0), llvm::cl::value_desc("n"),
            llvm::cl::desc("Scores a thread computes in an iteration of its "
                           "loop over tiles, for --emit=report of a PTX file, "
                           "which does not say (default: counts are not "
                           "divided)"),
            llvm::cl::cat(category)} {}

  llvm::cl::opt<std::string> format, nvdisasm;
  llvm::cl::list<std::string> sizes;
  llvm::cl::opt<double> scoresPerThread;

  /// Whether the form shows where each instruction came from.
  bool hasListing() const { return format == "html"; }

  /// Refuses a format there is none of, and the flags beside another --emit.
  llvm::Error check(bool isReport) const;
};

/// Whether `text` is a PTX file and not MLIR: its first directive is .version.
bool isPTX(llvm::StringRef text);

/// The report of a PTX file. Its own .target is used when `target` is empty.
llvm::Expected<report::Report> reportOnPTX(llvm::StringRef ptx,
                                           llvm::StringRef target,
                                           const ReportFlags &flags);

/// The reports in the form that `flags` asks for.
std::string writeReports(llvm::ArrayRef<report::Report> reports,
                         const ReportFlags &flags);

} // namespace goat

#endif // GOAT_LIB_DRIVER_REPORT_H
