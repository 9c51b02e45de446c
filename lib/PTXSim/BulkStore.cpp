//===- BulkStore.cpp - bulk copies to global memory -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completes the copies of a warp from shared to global memory, at its waits and
// at the end of the kernel.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Reduction.h"

namespace goat::ptxsim {

namespace {

void readShared(Warp &warp, PendingStore &store) {
  if (store.isRead)
    return;
  store.isRead = true;
  for (const PendingStore::Piece &piece : store.pieces) {
    const uint8_t *from = warp.block.shared.at(piece.address);
    store.data.insert(store.data.end(), from, from + piece.bytes);
    warp.block.shared.endAsyncRead(piece.address, piece.bytes, warp.party,
                                   warp.clock[warp.party]);
  }
}

void writeGlobal(Warp &warp, const PendingStore &store) {
  const uint8_t *from = store.data.data();
  for (const PendingStore::Piece &piece : store.pieces) {
    if (warp.worker.isChecked) {
      LaneAccess access;
      access.address[store.lane] = piece.globalAddress;
      checkGlobalRaces(warp, *store.instr,
                       store.reduction ? AccessKind::Atomic : AccessKind::Write,
                       piece.bytes, 1u << store.lane, access,
                       *piece.allocation);
    }
    if (store.reduction)
      applyReduction(store.reduction, piece.destination, from, piece.bytes,
                     true);
    else
      std::memcpy(piece.destination, from, piece.bytes);
    if (piece.shadow)
      std::memset(piece.shadow, 1, piece.bytes);
    from += piece.bytes;
  }
}

} // namespace

void Warp::completeStores(uint32_t mask, uint32_t keepGroups, bool isWhole) {
  size_t kept = 0;
  for (PendingStore &store : stores) {
    bool isDue = mask >> store.lane & 1 && store.group + uint64_t(keepGroups) <
                                               openStoreGroup[store.lane];
    if (isDue)
      readShared(*this, store);
    if (isDue && isWhole)
      writeGlobal(*this, store);
    else if (&stores[kept++] != &store)
      stores[kept - 1] = std::move(store);
  }
  stores.resize(kept);
}

void Warp::abandonStores(uint32_t mask) {
  for (PendingStore &store : stores)
    if (mask >> store.lane & 1 && !store.isRead) {
      report(FindingKind::MissingAsyncWait, *store.instr, 1u << store.lane,
             store.pieces.empty() ? 0 : store.pieces[0].address,
             "leaves the kernel while the copy may still read shared memory; "
             "cp.async.bulk.wait_group.read waits for it");
      readShared(*this, store);
    }
}

void Warp::finishStores() {
  for (PendingStore &store : stores) {
    readShared(*this, store);
    writeGlobal(*this, store);
  }
  stores.clear();
}

} // namespace goat::ptxsim
