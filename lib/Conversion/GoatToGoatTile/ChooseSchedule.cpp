//===- ChooseSchedule.cpp - which kernel an attention becomes -------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "goat/Conversion/GoatToGoatTile/GoatToGoatTile.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

namespace goat {
#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "goat/Conversion/GoatToGoatTile/Passes.h.inc"
} // namespace goat

namespace {

/// 32 rows per warp: fewer would read each key from shared memory for too few
/// rows to keep the tensor cores busy (a warp with R rows does R FLOP per
/// byte). 64 keys by two stages leave room for two blocks per SM up to D = 128.
struct ChooseSchedule : public goat::impl::ChooseScheduleBase<ChooseSchedule> {
  using ChooseScheduleBase::ChooseScheduleBase;

  void runOnOperation() override {
    auto orDefault = [](int64_t option, int64_t value) {
      return option ? option : value;
    };
    getOperation().walk([&](AttentionOp attention) {
      if (attention->hasAttr("goat_tile.schedule"))
        return;
      int64_t count = orDefault(warps, rows ? rows / 32 : 4);
      attention->setAttr(
          "goat_tile.schedule",
          ScheduleAttr::get(&getContext(), ScheduleKind::flash_mma,
                            orDefault(rows, 32 * count), orDefault(keys, 64),
                            count, orDefault(stages, 2)));
    });
  }
};

} // namespace
