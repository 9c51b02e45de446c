//===- Progress.cpp - a sign of life on stderr ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that wakes up every second; on a terminal it rewrites one line,
// elsewhere it writes a line every ten seconds.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace goat;

ProgressMeter::ProgressMeter(const llvm::Twine &what)
    : what(what.str()), thread([this] { loop(); }) {}

ProgressMeter::~ProgressMeter() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  over.notify_one();
  thread.join();
  if (hasShown && llvm::sys::Process::StandardErrIsDisplayed())
    llvm::errs() << "\r\x1b[K";
}

void ProgressMeter::loop() {
  std::unique_lock<std::mutex> lock(mutex);
  for (int seconds = 1;; ++seconds) {
    if (over.wait_for(lock, std::chrono::seconds(1), [&] { return isOver; }))
      return;
    show(seconds);
  }
}

void ProgressMeter::show(int seconds) {
  const bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  if (!isTerminal && seconds % 10 != 1)
    return;
  std::string share;
  if (total != 0)
    share = llvm::formatv("{0} %, ", 100 * done / total);
  llvm::errs() << (isTerminal ? "\r\x1b[K" : "") << what << ": " << share
               << seconds << " s" << (isTerminal ? "" : "\n");
  hasShown = true;
}
