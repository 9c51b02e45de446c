//===- Progress.h - a sign of life on stderr --------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says on stderr how far something is, once it takes longer than a second.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_DRIVER_PROGRESS_H
#define GOAT_LIB_DRIVER_PROGRESS_H

#include "llvm/ADT/Twine.h"

#include <atomic>
#include <condition_variable>
#include <thread>

namespace goat {

class ProgressMeter {
public:
  /// `what` is shown before the figures.
  explicit ProgressMeter(const llvm::Twine &what);
  /// Clears the line on a terminal.
  ~ProgressMeter();

  /// May be called from any thread.
  void update(uint64_t workDone, uint64_t workTotal) {
    done = workDone;
    total = workTotal;
  }

private:
  void loop();
  void show(int seconds);

  std::string what;
  std::atomic<uint64_t> done{0}, total{0};
  bool isOver = false, hasShown = false;
  std::mutex mutex;
  std::condition_variable over;
  std::thread thread;
};

} // namespace goat

#endif // GOAT_LIB_DRIVER_PROGRESS_H
