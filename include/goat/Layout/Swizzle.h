//===- Swizzle.h - shared memory without bank conflicts ---------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory has 32 banks of 4 bytes. A row-major tile whose rows are a
// multiple of 128 bytes keeps a column in few banks; permuting the 16-byte
// chunks of a row by an xor with bits of the row number spreads it.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LAYOUT_SWIZZLE_H
#define GOAT_LAYOUT_SWIZZLE_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace goat::layout {

/// Xors address bits [base + shift, base + shift + bits) into bits
/// [base, base + bits). Its own inverse as `shift >= bits`.
struct Swizzle {
  unsigned bits, base, shift;

  uint32_t apply(uint32_t address) const {
    return address ^ (address >> shift & ((1u << bits) - 1) << base);
  }
};

/// Where a row-major tile lies in shared memory, in bytes. The tile is cut into
/// panels of `panelBytes` columns (a power of two of at least 16), stored one
/// after another; within a panel the 16-byte chunks of each row are swizzled so
/// that eight consecutive rows of one chunk column (ldmatrix) and consecutive
/// chunks of a row (16-byte copies) meet each bank once.
/// A panel of 32, 64 or 128 bytes has the pattern of the swizzle mode of that
/// width of TMA and wgmma, when the tile starts at a multiple of 1024 bytes.
class SwizzledTile {
public:
  /// A tile of `rows` rows (a multiple of 8) of `rowBytes` each. `panelBytes`
  /// divides `rowBytes`; 0 means the largest power of two up to 128 that does.
  static std::optional<SwizzledTile> create(int32_t rows, int32_t rowBytes,
                                            int32_t panelBytes = 0,
                                            std::string *error = nullptr);

  int32_t rows() const { return numRows; }
  int32_t rowBytes() const { return bytesPerRow; }
  int32_t panelBytes() const { return bytesPerPanelRow; }
  int32_t sizeInBytes() const { return numRows * bytesPerRow; }
  Swizzle swizzle() const { return pattern; }

  /// The offset from the start of the tile of byte `colByte` of `row`.
  uint32_t offset(uint32_t row, uint32_t colByte) const;

  /// The xor that `row` applies to `colByte` within a panel:
  ///   offset = panel * rows * panelBytes + row * panelBytes
  ///            + (colByte % panelBytes xor columnMask(row)).
  /// It depends on row % 8 alone, so a thread computes it once.
  uint32_t columnMask(uint32_t row) const;

private:
  SwizzledTile(int32_t rows, int32_t rowBytes, int32_t panelBytes,
               Swizzle pattern)
      : numRows(rows), bytesPerRow(rowBytes), bytesPerPanelRow(panelBytes),
        pattern(pattern) {}

  int32_t numRows, bytesPerRow, bytesPerPanelRow;
  Swizzle pattern;
};

/// The extra shared-memory passes of one access by a warp in which lane i
/// touches `bytesPerLane` (1, 2, 4, 8 or 16) bytes at addresses[i]. A pass
/// serves 128 bytes, so 8-byte accesses go by half warps and 16-byte ones by
/// quarters; within a pass each bank serves one 4-byte word, to any number of
/// lanes. One ldmatrix.x4 is a 16-byte access by 32 lanes.
unsigned bankConflicts(const std::array<uint32_t, 32> &addresses,
                       unsigned bytesPerLane);

} // namespace goat::layout

#endif // GOAT_LAYOUT_SWIZZLE_H
