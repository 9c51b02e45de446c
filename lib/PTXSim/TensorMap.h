//===- TensorMap.h - boxes of tensors in global memory --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an opaque tensor map says, and where the bytes of a box lie in global
// and in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_TENSORMAP_H
#define GOAT_LIB_PTXSIM_TENSORMAP_H

#include "Types.h"
#include "goat/PTXSim/PTXSim.h"

#include <vector>

namespace goat::ptxsim {

constexpr uint32_t tensorMapBytes = 128;

/// False if the bytes are not from `encodeTensorMap`.
bool decodeTensorMap(const uint8_t *bytes, TensorMapDescription &description);

uint32_t elementBytes(TensorMapType type);
/// The type that reductions compute in.
Type elementType(TensorMapType type);

/// Bytes of a box in shared memory, elements outside of the tensor included.
uint32_t boxBytes(const TensorMapDescription &map);

/// `address` in shared memory after the swizzle: of every 128, 64 or 32 bytes
/// the index of the 16-byte chunk is xored with as many bits of the index of
/// the 128 bytes it lies in.
inline uint32_t swizzleAddress(uint32_t address, TensorMapSwizzle swizzle) {
  uint32_t mask = swizzle == TensorMapSwizzle::B128  ? 7
                  : swizzle == TensorMapSwizzle::B64 ? 3
                  : swizzle == TensorMapSwizzle::B32 ? 1
                                                     : 0;
  return address ^ (address >> 7 & mask) << 4;
}

/// Bytes of a box that lie side by side in global and in shared memory.
struct BoxPiece {
  uint32_t sharedAddress;
  uint32_t bytes;
  /// Outside of the tensor; there is no address then.
  bool isOutside;
  uint64_t globalAddress;
};

/// The pieces of the box at `coordinates` with its copy at `sharedAddress`.
std::vector<BoxPiece> boxPieces(const TensorMapDescription &map,
                                const std::array<int32_t, 5> &coordinates,
                                uint32_t sharedAddress);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_TENSORMAP_H
