//===- BitMap.cpp - linear maps between bit vectors -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank, kernel and inverse are three readings of one Gaussian elimination.
//
//===----------------------------------------------------------------------===//

#include "goat/Layout/BitMap.h"

#include <cassert>

using namespace goat::layout;

namespace {

/// An incremental basis of a span that remembers how each vector was formed.
class Eliminator {
public:
  struct Entry {
    BitVector image; // what is left after reduction
    BitVector input; // the combination of inserted vectors that gives it
  };

  /// Clears the pivots of the basis from `entry`.
  Entry reduce(Entry entry) const {
    // An entry holds none of the pivots before its own, since it was reduced
    // before it was inserted; so one pass in order is enough.
    for (auto [pivot, basis] : entries)
      if (entry.image & pivot) {
        entry.image ^= basis.image;
        entry.input ^= basis.input;
      }
    return entry;
  }

  /// Adds a vector; returns its reduced form, whose image is 0 if it was
  /// dependent.
  Entry insert(Entry entry) {
    entry = reduce(entry);
    if (entry.image) {
      BitVector pivot = entry.image & (~entry.image + 1);
      entries.push_back({pivot, entry});
    }
    return entry;
  }

  unsigned rank() const { return entries.size(); }

private:
  std::vector<std::pair<BitVector, Entry>> entries;
};

Eliminator eliminate(const BitMap &map, std::vector<BitVector> *kernel) {
  Eliminator basis;
  for (unsigned bit = 0; bit < map.numInputs(); ++bit) {
    Eliminator::Entry left =
        basis.insert({map.column(bit), BitVector(1) << bit});
    if (!left.image && kernel)
      kernel->push_back(left.input);
  }
  return basis;
}

} // namespace

BitMap::BitMap(unsigned numOutputs, std::vector<BitVector> columns)
    : outputs(numOutputs), columns(std::move(columns)) {
  assert(numInputs() <= 32 && outputs <= 32 && "bit maps have at most 32 bits");
  assert((outputs == 32 || support() >> outputs == 0) &&
         "column outside the outputs");
}

BitMap BitMap::identity(unsigned numBits) {
  std::vector<BitVector> columns;
  for (unsigned bit = 0; bit < numBits; ++bit)
    columns.push_back(BitVector(1) << bit);
  return BitMap(numBits, std::move(columns));
}

BitMap BitMap::zero(unsigned numInputs, unsigned numOutputs) {
  return BitMap(numOutputs, std::vector<BitVector>(numInputs, 0));
}

BitVector BitMap::apply(BitVector input) const {
  BitVector result = 0;
  for (unsigned bit = 0; bit < numInputs(); ++bit)
    if (input >> bit & 1)
      result ^= columns[bit];
  return result;
}

BitMap BitMap::compose(const BitMap &inner) const {
  assert(inner.outputs == numInputs() && "maps do not compose");
  std::vector<BitVector> result;
  for (BitVector column : inner.columns)
    result.push_back(apply(column));
  return BitMap(outputs, std::move(result));
}

BitMap BitMap::directProduct(const BitMap &high) const {
  std::vector<BitVector> result = columns;
  // A shift by 32 is undefined; it can only be asked of maps onto no bits.
  for (BitVector column : high.columns)
    result.push_back(high.outputs ? column << outputs : 0);
  return BitMap(outputs + high.outputs, std::move(result));
}

BitMap BitMap::concatenate(const BitMap &high) const {
  assert(outputs == high.outputs && "maps have different outputs");
  std::vector<BitVector> result = columns;
  result.insert(result.end(), high.columns.begin(), high.columns.end());
  return BitMap(outputs, std::move(result));
}

BitMap BitMap::project(BitVector mask) const {
  std::vector<BitVector> result;
  for (BitVector column : columns)
    result.push_back(column & mask);
  return BitMap(outputs, std::move(result));
}

BitVector BitMap::support() const {
  BitVector result = 0;
  for (BitVector column : columns)
    result |= column;
  return result;
}

unsigned BitMap::rank() const { return eliminate(*this, nullptr).rank(); }

std::vector<BitVector> BitMap::kernel() const {
  std::vector<BitVector> result;
  eliminate(*this, &result);
  return result;
}

std::optional<BitMap> BitMap::rightInverse() const {
  Eliminator basis = eliminate(*this, nullptr);
  std::vector<BitVector> result;
  for (unsigned bit = 0; bit < outputs; ++bit) {
    Eliminator::Entry left = basis.reduce({BitVector(1) << bit, 0});
    if (left.image)
      return std::nullopt;
    result.push_back(left.input);
  }
  return BitMap(numInputs(), std::move(result));
}

std::string BitMap::str() const {
  std::string text = "[";
  for (unsigned bit = 0; bit < numInputs(); ++bit)
    text += (bit ? ", " : "") + std::to_string(BitVector(1) << bit) + " -> " +
            std::to_string(columns[bit]);
  return text + "]";
}

std::vector<BitVector>
goat::layout::extendBasis(const std::vector<BitVector> &given,
                          const std::vector<BitVector> &candidates) {
  Eliminator basis;
  for (BitVector vector : given)
    basis.insert({vector, 0});
  std::vector<BitVector> result;
  for (BitVector vector : candidates)
    if (basis.insert({vector, 0}).image)
      result.push_back(vector);
  return result;
}
