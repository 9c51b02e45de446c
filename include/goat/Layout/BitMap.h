//===- BitMap.h - linear maps between bit vectors ---------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear map over the field of two elements, stored by the images of the
// input bits. It says where the bits of an index (register, lane, warp) go in a
// tile; because addition is xor, a layout question becomes linear algebra.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LAYOUT_BITMAP_H
#define GOAT_LAYOUT_BITMAP_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace goat::layout {

/// A vector over F2: bit i of the word is component i.
using BitVector = uint32_t;

/// A linear map F2^n -> F2^m with n, m <= 32; column i is the image of bit i.
class BitMap {
public:
  /// The map with the given columns; their bits lie below `numOutputs`.
  BitMap(unsigned numOutputs, std::vector<BitVector> columns);

  static BitMap identity(unsigned numBits);
  /// The map onto 0: its input bits are broadcast bits.
  static BitMap zero(unsigned numInputs, unsigned numOutputs);

  unsigned numInputs() const { return columns.size(); }
  unsigned numOutputs() const { return outputs; }
  BitVector column(unsigned bit) const { return columns[bit]; }

  /// The image of `input`: the xor of the columns whose bits are set.
  BitVector apply(BitVector input) const;

  /// x -> this(inner(x)); needs inner.numOutputs() == numInputs().
  BitMap compose(const BitMap &inner) const;

  /// The block-diagonal map: low input bits through this map into the low
  /// output bits, high ones through `high` into the high output bits.
  BitMap directProduct(const BitMap &high) const;

  /// (x, y) -> this(x) xor high(y), x in the low input bits; both maps have the
  /// same outputs.
  BitMap concatenate(const BitMap &high) const;

  /// The map followed by clearing the output bits outside `mask`.
  BitMap project(BitVector mask) const;

  /// The union of the output bits any column sets.
  BitVector support() const;

  unsigned rank() const;
  /// A basis of the inputs mapped to 0.
  std::vector<BitVector> kernel() const;
  bool isInjective() const { return rank() == numInputs(); }
  bool isSurjective() const { return rank() == numOutputs(); }

  /// A map g with this(g(y)) = y for all y; none unless surjective.
  std::optional<BitMap> rightInverse() const;

  /// One `bit -> image` pair per column, for messages and tests.
  std::string str() const;

  friend bool operator==(const BitMap &a, const BitMap &b) {
    return a.outputs == b.outputs && a.columns == b.columns;
  }
  friend bool operator!=(const BitMap &a, const BitMap &b) { return !(a == b); }

private:
  unsigned outputs;
  std::vector<BitVector> columns;
};

/// The vectors of `candidates` that extend the span of `given` to the span of
/// both: a basis of the quotient, chosen greedily from the front.
std::vector<BitVector> extendBasis(const std::vector<BitVector> &given,
                                   const std::vector<BitVector> &candidates);

} // namespace goat::layout

#endif // GOAT_LAYOUT_BITMAP_H
