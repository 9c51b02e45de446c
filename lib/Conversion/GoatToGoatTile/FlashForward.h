//===- FlashForward.h - the flash_mma schedule ------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_FLASHFORWARD_H
#define GOAT_CONVERSION_GOATTOGOATTILE_FLASHFORWARD_H

#include "KernelBuilder.h"

namespace goat::tile {

/// Builds the body of the kernel: the forward pass with an online softmax on
/// mma.sync and cp.async, as `#goat_tile.schedule<flash_mma, …>` describes it.
/// Emits an error at what has no tile form.
mlir::LogicalResult buildFlashForward(AttentionOp attention,
                                      ScheduleAttr schedule,
                                      KernelBuilder &kernel);

} // namespace goat::tile

#endif // GOAT_CONVERSION_GOATTOGOATTILE_FLASHFORWARD_H
