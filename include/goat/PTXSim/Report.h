//===- Report.h - what a launch did, for people and for programs ----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printed forms of a launch's result, and the command line of goat-sim.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_PTXSIM_REPORT_H
#define GOAT_PTXSIM_REPORT_H

#include "goat/PTXSim/Performance.h"

namespace goat::ptxsim {

/// One JSON object: `completed`, `findings` (a list of objects), and `counts`
/// with the totals and the warp instructions of each class that occurred; and
/// `prediction`, if there is one.
std::string jsonReport(const LaunchResult &result,
                       const Prediction *prediction = nullptr);

/// The PTX, each line after the number of times warps executed it and the
/// shared memory passes lost to bank conflicts.
std::string annotatedListing(std::string_view text, const LaunchResult &result);

/// Runs `goat-sim` on its arguments: 0 when nothing was found, 1 when there are
/// findings or the launch did not end, 2 when the call is wrong.
int simMain(int argc, const char *const *argv);

} // namespace goat::ptxsim

#endif // GOAT_PTXSIM_REPORT_H
