//===- BulkStore.cpp - bulk copies to global memory -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups of cp.async.bulk, and how their copies from shared to global
// memory complete, at the waits of a warp and at the end of the kernel.
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

void runCommit(Warp &warp, const Instr &, uint32_t mask) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    warp.openStoreGroup[lane] += mask >> lane & 1;
}

void runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.completeStores(mask, static_cast<uint32_t>(instr.imm), !instr.flags);
}

bool decodeGroup(Decoder &d) {
  d.noteAsync();
  if (d.has("commit_group")) {
    d.instr.run = runCommit;
    return d.expectOperands(0);
  }
  d.instr.run = runWait;
  d.instr.flags = d.has("read");
  if (!d.expectOperands(1))
    return false;
  if (d.operand(0).kind != Operand::Integer || d.operand(0).value < 0)
    return d.fail("expected a number of groups");
  d.instr.imm = d.operand(0).value;
  return true;
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

std::vector<OpcodeRow> bulkGroupOpcodes() {
  return {
      {"cp.async.bulk.commit_group", OpClass::Sync, decodeGroup},
      {"cp.async.bulk.wait_group(.read)?", OpClass::Sync, decodeGroup},
  };
}

} // namespace goat::ptxsim
