//===- BulkCopy.h - one bulk copy by one lane -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the instructions of cp.async.bulk and their kin do when a lane executes
// them; what they look like is in DecodeBulk.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_BULKCOPY_H
#define GOAT_LIB_PTXSIM_BULKCOPY_H

#include "Access.h"
#include "Cluster.h"
#include "TensorMap.h"

namespace goat::ptxsim {

/// One copy by one lane.
class BulkCopy {
public:
  BulkCopy(Warp &warp, const Instr &instr, unsigned lane)
      : warp(warp), instr(instr), info(*instr.bulk), lane(lane),
        cluster(warp.block.cluster) {}

  void load();
  void copyWithinCluster();
  void store();
  void storeAsync();

private:
  bool refuse(FindingKind kind, uint64_t address, const std::string &reason) {
    warp.report(kind, instr, 1u << lane, address, reason);
    return false;
  }
  bool readMap(const AddressUse &use);
  bool readSize(uint32_t &bytes, uint64_t shared, uint64_t other);
  /// The pieces of the copy with shared memory at `shared`.
  bool findPieces(uint64_t shared, const AddressUse &global,
                  std::vector<BoxPiece> &pieces, uint32_t &bytes);
  /// Host memory of a piece; null outside of any allocation.
  uint8_t *globalData(const BoxPiece &piece, bool isWrite, uint8_t *&shadow);
  void issue(Block &target, uint32_t mbarrier, std::vector<Landing> landings,
             uint32_t bytes);
  void count(AccessKind kind, const std::vector<BoxPiece> &pieces,
             uint32_t bytes);

  Warp &warp;
  const Instr &instr;
  const BulkInfo &info;
  unsigned lane;
  Cluster &cluster;
  TensorMapDescription map;
  Allocation *cached = nullptr;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_BULKCOPY_H
