//===- Fragments.h - the layouts kernels use --------------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders of layouts: the register fragments of the matrix instructions, as
// the PTX ISA defines them ("Matrix Fragments for mma.m16n8k16 with
// floating point type", "... mma.m16n8k8", "Register Fragments for
// wgmma.mma_async.m64nNk16"), and plain layouts for copies. Each returns
// nothing, and the reason in `error` if given, when the sizes do not fit.
// Numbers of warps and threads are powers of two; a warp index is warpM +
// warpsM * warpN.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LAYOUT_FRAGMENTS_H
#define GOAT_LAYOUT_FRAGMENTS_H

#include "goat/Layout/TileLayout.h"

namespace goat::layout {

/// C and D of mma.m16n8k16 over a rows x cols tile. Each warp owns
/// rows / warpsM consecutive rows (a multiple of 16) and cols / warpsN
/// consecutive columns (a multiple of 8).
/// Register order, fastest first: the four registers of one m16n8 fragment
/// (c0, c1: row g, columns 2t, 2t + 1; c2, c3: row g + 8; g = lane / 4,
/// t = lane % 4), then n tiles, then m tiles.
std::optional<TileLayout> mmaAccumulator(int32_t rows, int32_t cols,
                                         int32_t warpsM, int32_t warpsN = 1,
                                         std::string *error = nullptr);

/// What is left of a row when each of the four threads that share it adds up
/// its own columns of `mmaAccumulator`: rows x 4, column t in thread t of the
/// row. Registers: row g, row g + 8, then m tiles.
std::optional<TileLayout> mmaPartialRows(int32_t rows, int32_t warpsM,
                                         std::string *error = nullptr);

/// A of mma.m16n8k16 with 16-bit elements over a rows x k tile, split over
/// warpsM like the accumulator and copied over warpsN.
/// Register order, fastest first: a0 to a7 of one m16k16 fragment (pairs share
/// a 32-bit register), then k tiles, then m tiles. So the accumulator of
/// rows x k converts to it register by register, in the same order.
std::optional<TileLayout> mmaOperandA(int32_t rows, int32_t k, int32_t warpsM,
                                      int32_t warpsN = 1,
                                      std::string *error = nullptr);

/// B of mma.m16n8k16 with 16-bit elements over a k x cols tile, split over
/// warpsN like the accumulator and copied over warpsM.
/// Register order, fastest first: b0 to b3 of one k16n8 fragment, then k tiles,
/// then n tiles.
std::optional<TileLayout> mmaOperandB(int32_t k, int32_t cols,
                                      int32_t warpsM = 1, int32_t warpsN = 1,
                                      std::string *error = nullptr);

/// Which depth each slot of a multiply takes. A product is the same for every
/// order that A and B agree on.
enum class DepthOrder {
  /// As the instruction numbers them: slots t and t + 4 of a thread.
  Natural,
  /// Columns 2t and 2t + 1: what a thread holds of an accumulator.
  Paired
};

/// A of mma.m16n8k8 with 32-bit elements (tf32) over a rows x k tile, split
/// over warpsM like the accumulator and copied over warpsN. Register order,
/// fastest first: a0 to a3 of one m16k8 fragment, then k tiles, then m tiles.
/// In paired order a thread holds the same elements as of an accumulator of
/// rows x k.
std::optional<TileLayout> mmaOperandA32(int32_t rows, int32_t k,
                                        DepthOrder order, int32_t warpsM,
                                        int32_t warpsN = 1,
                                        std::string *error = nullptr);

/// B of mma.m16n8k8 with 32-bit elements (tf32) over a k x cols tile, split
/// over warpsN like the accumulator and copied over warpsM. Register order,
/// fastest first: b0, b1 of one k8n8 fragment, then k tiles, then n tiles.
std::optional<TileLayout> mmaOperandB32(int32_t k, int32_t cols,
                                        DepthOrder order, int32_t warpsM = 1,
                                        int32_t warpsN = 1,
                                        std::string *error = nullptr);

/// D of wgmma.m64nNk16 over a rows x cols tile. Each warpgroup of four warps
/// owns rows / warpgroups consecutive rows (a multiple of 64); warp w of it has
/// rows 16w to 16w + 15 of each m64.
/// Register order, fastest first: four registers of 8 columns as in
/// `mmaAccumulator`, then groups of 8 columns, then m64 tiles: within one m64,
/// the order in which wgmma lists d.
std::optional<TileLayout> wgmmaAccumulator(int32_t rows, int32_t cols,
                                           int32_t warpgroups = 1,
                                           std::string *error = nullptr);

/// Element e of a row of `length` in register e / threads of thread
/// e % threads. `threads` is 32 times a power of two; what lies beyond
/// `length`, in the last register, is out of range.
std::optional<TileLayout> blocked1D(int32_t length, int32_t threads,
                                    std::string *error = nullptr);

/// A row-major copy: each thread holds `vector` (a power of two that divides
/// cols) consecutive elements at a time, neighbouring threads neighbouring
/// vectors of a row as far as a power of two of them goes, then rows.
/// Register order, fastest first: the vector, then along the row, then rows.
/// Rows beyond the tile are out of range.
std::optional<TileLayout> blocked2D(int32_t rows, int32_t cols, int32_t warps,
                                    int32_t vector,
                                    std::string *error = nullptr);

} // namespace goat::layout

#endif // GOAT_LAYOUT_FRAGMENTS_H
