//===- ExecBulk.cpp - bulk and tensor copies ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async.bulk, cp.reduce.async.bulk, their tensor forms, st.async, red.async.
// Copies to shared memory are on their way until their mbarrier completes the
// phase. Copies to global memory read shared memory at the latest moment: at
// the wait of the thread that issued them; they arrive when that wait is for
// the whole copy, or with the end of the kernel.
//
//===----------------------------------------------------------------------===//

#include "BulkCopy.h"
#include "Reduction.h"

namespace goat::ptxsim {

namespace {

uint64_t addressOf(Warp &warp, const Instr &instr, const AddressUse &use,
                   unsigned lane) {
  uint32_t slot = instr.op[instr.numDst + use.source];
  if (use.isNarrow)
    return warp.lanes<uint32_t>(slot)[lane] + static_cast<uint32_t>(use.offset);
  return warp.lanes<uint64_t>(slot)[lane] + static_cast<uint64_t>(use.offset);
}

uint32_t operandOf(Warp &warp, const Instr &instr, uint8_t source,
                   unsigned lane) {
  return warp.lanes<uint32_t>(instr.op[instr.numDst + source])[lane];
}

/// Addresses in shared memory may come from the generic window.
uint64_t sharedOffset(uint64_t address) {
  return address - sharedWindow < windowBytes ? address - sharedWindow
                                              : address;
}

} // namespace

bool BulkCopy::readMap(const AddressUse &use) {
  uint64_t address = addressOf(warp, instr, use, lane);
  if (address % 64)
    return refuse(FindingKind::Misaligned, address,
                  "expected a tensor map at an address divisible by 64");
  const std::vector<uint8_t> &params = warp.worker.launch.params;
  const uint8_t *bytes = nullptr;
  uint64_t offset = address - paramWindow;
  if (offset < params.size() && params.size() - offset >= tensorMapBytes) {
    bytes = params.data() + offset;
  } else if (Allocation *found = warp.worker.launch.memory.find(address)) {
    if (found->contains(address, tensorMapBytes))
      bytes = found->data + (address - found->base);
  }
  if (!bytes)
    return refuse(FindingKind::OutOfBounds, address,
                  "expected the 128 bytes of a tensor map in a parameter or in "
                  "global memory");
  if (!decodeTensorMap(bytes, map))
    return refuse(FindingKind::BadDescriptor, address,
                  "expected a tensor map made by encodeTensorMap");
  if (map.rank != info.rank)
    return refuse(FindingKind::BadDescriptor, address,
                  "expected a tensor map of " + std::to_string(info.rank) +
                      " dimensions but got one of " + std::to_string(map.rank));
  return true;
}

bool BulkCopy::readSize(uint32_t &bytes, uint64_t shared, uint64_t other) {
  bytes = operandOf(warp, instr, info.size, lane);
  if (bytes % 16)
    return refuse(FindingKind::Misaligned, bytes,
                  "expected a size divisible by 16 but got " +
                      std::to_string(bytes));
  if ((shared | other) % 16)
    return refuse(FindingKind::Misaligned, shared % 16 ? shared : other,
                  "expected source and destination divisible by 16");
  return true;
}

bool BulkCopy::findPieces(uint64_t shared, const AddressUse &global,
                          std::vector<BoxPiece> &pieces, uint32_t &bytes) {
  if (info.isTensor) {
    if (!readMap(global))
      return false;
    if (shared % 128)
      return refuse(FindingKind::Misaligned, shared,
                    "expected shared memory of a box at an address divisible "
                    "by 128");
    auto coordinate = [&](unsigned d) {
      return static_cast<int32_t>(operandOf(
          warp, instr, static_cast<uint8_t>(info.firstCoordinate + d), lane));
    };
    std::array<int32_t, 5> coordinates{};
    for (unsigned d = 0; d < info.rank; ++d)
      coordinates[d] = coordinate(d);
    bytes = boxBytes(map);
    if (!info.isByRows) {
      pieces = boxPieces(map, coordinates, static_cast<uint32_t>(shared));
      return true;
    }
    if (map.box[1] != 1)
      return refuse(FindingKind::BadDescriptor, map.box[1],
                    "expected a box of one row but got one of " +
                        std::to_string(map.box[1]));
    for (unsigned row = 0; row < 4; ++row) {
      coordinates[1] = coordinate(1 + row);
      for (const BoxPiece &piece : boxPieces(
               map, coordinates, static_cast<uint32_t>(shared) + row * bytes))
        pieces.push_back(piece);
    }
    bytes *= 4;
    return true;
  }
  uint64_t address = addressOf(warp, instr, global, lane);
  if (!readSize(bytes, shared, address))
    return false;
  if (bytes)
    pieces.push_back({static_cast<uint32_t>(shared), bytes, false, address});
  return true;
}

uint8_t *BulkCopy::globalData(const BoxPiece &piece, bool isWrite,
                              uint8_t *&shadow) {
  uint64_t address = piece.globalAddress;
  shadow = nullptr;
  if (!cached || !cached->contains(address, piece.bytes)) {
    Allocation *found = warp.worker.launch.memory.find(address);
    if (!found || !found->contains(address, piece.bytes)) {
      const Allocation *near = warp.worker.launch.memory.nearest(address);
      warp.report(FindingKind::OutOfBounds, instr, 1u << lane, address,
                  std::string("copies ") + (isWrite ? "to " : "from ") +
                      std::to_string(piece.bytes) +
                      " bytes of global memory that are not allocated",
                  near ? near->name : "");
      return nullptr;
    }
    cached = found;
  }
  if (isWrite && cached->isReadOnly) {
    warp.report(FindingKind::ReadOnlyWrite, instr, 1u << lane, address,
                "writes constant memory", cached->name);
    return nullptr;
  }
  uint64_t offset = address - cached->base;
  if (!cached->isInitialised) {
    shadow = cached->shadow + offset;
    if (!isWrite || info.isReduction)
      for (uint32_t i = 0; i < piece.bytes; ++i)
        if (!shadow[i]) {
          warp.report(
              FindingKind::UninitialisedMemory, instr, 1u << lane, address + i,
              "copies bytes that were never written, at offset " +
                  std::to_string(offset + i) + " of '" + cached->name + "'",
              cached->name);
          break;
        }
  }
  return cached->data + offset;
}

void BulkCopy::count(AccessKind kind, const std::vector<BoxPiece> &pieces,
                     uint32_t bytes) {
  InstrCounts &counts = warp.worker.counts[instr.id];
  counts.wavefronts += (bytes + 127) / 128;
  uint64_t last = ~uint64_t(0);
  const Allocation *allocation = nullptr;
  for (const BoxPiece &piece : pieces) {
    if (piece.isOutside)
      continue;
    counts.bytes += piece.bytes;
    for (uint64_t sector = piece.globalAddress / 32;
         sector <= (piece.globalAddress + piece.bytes - 1) / 32; ++sector)
      if (sector != last) {
        ++counts.sectors;
        noteSectors(warp, regionOf(sector), bitOf(sector), kind, allocation);
        last = sector;
      }
  }
}

/// Starts `landings` in shared memory of `target`, to complete on its mbarrier.
void BulkCopy::issue(Block &target, uint32_t mbarrier,
                     std::vector<Landing> landings, uint32_t bytes) {
  if (!cluster.findMbarrier(warp, instr, lane, target, mbarrier))
    return;
  for (const Landing &landing : landings) {
    if (!target.shared.contains(landing.address, landing.bytes)) {
      refuse(FindingKind::OutOfBounds, landing.address,
             "copies to an address outside of shared memory");
      return;
    }
    // The pieces of a box that share a chunk make the whole of it.
    uint32_t inChunk = info.isTensor ? landing.address % 16 : 0;
    if (!warp.worker.isChecked || inChunk)
      continue;
    uint32_t size = info.isTensor ? 16 : landing.bytes;
    const uint32_t *proxyClock = info.isFromRegisters
                                     ? nullptr
                                     : warp.clock.data() + cluster.numParties();
    uint32_t otherWarp = 0;
    SharedMemory::Problem problem =
        landing.reduction
            ? target.shared.beginReduction(landing.address, size,
                                           sharedAccess(warp, lane), proxyClock,
                                           otherWarp)
            : target.shared.beginCopy(landing.address, size,
                                      sharedAccess(warp, lane), proxyClock,
                                      otherWarp);
    if (problem != SharedMemory::Problem::None)
      reportShared(warp, instr, problem, 1u << lane, landing.address, otherWarp,
                   true);
  }
  cluster.inFlight.push_back(
      {&instr, &warp, lane, std::move(landings), &target, mbarrier, bytes});
}

void BulkCopy::load() {
  uint64_t destination =
      sharedOffset(addressOf(warp, instr, info.destination, lane));
  uint64_t mbarrier = sharedOffset(addressOf(warp, instr, info.mbarrier, lane));
  uint64_t offsetMask = (uint64_t(1) << rankShift) - 1;
  Block *block =
      info.space == Space::Shared ? &warp.block : cluster.blockAt(destination);
  if (!block || (mbarrier >> rankShift) != block->rank) {
    refuse(FindingKind::OutOfBounds, mbarrier,
           "expected destination and mbarrier in shared memory of one block");
    return;
  }
  std::vector<BoxPiece> pieces;
  uint32_t bytes = 0;
  if (!findPieces(destination, info.source, pieces, bytes))
    return;
  std::vector<Landing> landings;
  for (const BoxPiece &piece : pieces) {
    Landing landing{nullptr, piece.sharedAddress, piece.bytes, nullptr};
    if (piece.isOutside) {
      if (map.fill == TensorMapFill::NaN) {
        bool isHalf = elementBytes(map.type) == 2;
        landing.fill = isHalf                        ? 0x7fff7fff7fff7fffull
                       : elementBytes(map.type) == 4 ? 0x7fffffff7fffffffull
                                                     : 0x7fffffffffffffffull;
      }
    } else {
      uint8_t *shadow = nullptr;
      landing.source = globalData(piece, false, shadow);
      if (!landing.source)
        return;
      if (warp.worker.isChecked) {
        LaneAccess access;
        access.address[lane] = piece.globalAddress;
        checkGlobalRaces(warp, instr, AccessKind::Read, piece.bytes, 1u << lane,
                         access, *cached);
      }
    }
    landings.push_back(landing);
  }
  count(AccessKind::Read, pieces, bytes);
  uint32_t ranks = 1u << block->rank;
  if (info.mask) {
    const uint16_t *masks =
        warp.lanes<uint16_t>(instr.op[instr.numDst + info.mask]);
    ranks = masks[lane];
  }
  for (uint32_t left = ranks; left; left &= left - 1) {
    uint32_t rank = static_cast<uint32_t>(__builtin_ctz(left));
    if (rank >= cluster.blocks.size()) {
      refuse(FindingKind::OutOfBounds, rank,
             "expected a mask of ranks below " +
                 std::to_string(cluster.blocks.size()) + " but it names " +
                 std::to_string(rank));
      return;
    }
    Block &target = *cluster.blocks[rank];
    if (&target != &warp.block &&
        !cluster.usePeer(warp, instr, target, 1u << lane, destination))
      continue;
    uint32_t base = rank << rankShift;
    std::vector<Landing> moved = landings;
    for (Landing &landing : moved) {
      landing.block = &target;
      landing.address =
          base | (landing.address & static_cast<uint32_t>(offsetMask));
    }
    issue(target, base | static_cast<uint32_t>(mbarrier & offsetMask),
          std::move(moved), bytes);
  }
}

void BulkCopy::copyWithinCluster() {
  uint64_t destination =
      sharedOffset(addressOf(warp, instr, info.destination, lane));
  uint64_t source = sharedOffset(addressOf(warp, instr, info.source, lane));
  uint64_t mbarrier = sharedOffset(addressOf(warp, instr, info.mbarrier, lane));
  uint32_t bytes = 0;
  if (!readSize(bytes, destination, source) || !bytes)
    return;
  Block *target = cluster.blockAt(destination);
  if (!target || cluster.blockAt(mbarrier) != target) {
    refuse(FindingKind::OutOfBounds, mbarrier,
           "expected destination and mbarrier in shared memory of one block");
    return;
  }
  if (target != &warp.block &&
      !cluster.usePeer(warp, instr, *target, 1u << lane, destination))
    return;
  SharedMemory &own = warp.block.shared;
  if (!own.contains(source, bytes)) {
    refuse(FindingKind::OutOfBounds, source,
           "copies from an address outside of shared memory");
    return;
  }
  beginAsyncRead(warp, instr, 1u << lane, source, bytes);
  Landing landing{target, static_cast<uint32_t>(destination), bytes,
                  own.at(source)};
  landing.reduction = info.reduction;
  landing.readFrom = &warp.block;
  landing.readAddress = static_cast<uint32_t>(source);
  warp.worker.counts[instr.id].wavefronts += (bytes + 127) / 128;
  issue(*target, static_cast<uint32_t>(mbarrier), {landing}, bytes);
}

void BulkCopy::storeAsync() {
  uint64_t destination = addressOf(warp, instr, info.destination, lane);
  uint64_t mbarrier = addressOf(warp, instr, info.mbarrier, lane);
  uint32_t elementSize = instr.access.elementBytes;
  uint32_t bytes = elementSize * instr.access.vector;
  Block *target = cluster.blockAt(destination);
  if (!target || cluster.blockAt(mbarrier) != target) {
    refuse(FindingKind::OutOfBounds, mbarrier,
           "expected destination and mbarrier in shared memory of one block");
    return;
  }
  if (destination % bytes) {
    refuse(FindingKind::Misaligned, destination,
           "expected an address divisible by " + std::to_string(bytes));
    return;
  }
  if (target != &warp.block &&
      !cluster.usePeer(warp, instr, *target, 1u << lane, destination))
    return;
  std::vector<Landing> landings;
  for (uint32_t i = 0; i < instr.access.vector; ++i) {
    Landing landing{target,
                    static_cast<uint32_t>(destination) + i * elementSize,
                    elementSize, nullptr};
    uint32_t slot = instr.op[info.source.source + i];
    landing.fill = elementSize == 8 ? warp.lanes<uint64_t>(slot)[lane]
                                    : warp.lanes<uint32_t>(slot)[lane];
    landing.fillBytes = elementSize;
    landing.reduction = info.reduction;
    landings.push_back(landing);
  }
  issue(*target, static_cast<uint32_t>(mbarrier), std::move(landings), bytes);
}

void BulkCopy::store() {
  uint64_t source = sharedOffset(addressOf(warp, instr, info.source, lane));
  std::vector<BoxPiece> pieces;
  uint32_t bytes = 0;
  if (!findPieces(source, info.destination, pieces, bytes))
    return;
  SharedMemory &shared = warp.block.shared;
  PendingStore store;
  store.instr = &instr;
  store.lane = lane;
  store.group = warp.openStoreGroup[lane];
  store.reduction = info.isTensor && info.isReduction
                        ? withType(info.reduction, elementType(map.type))
                        : info.reduction;
  for (const BoxPiece &piece : pieces) {
    if (piece.isOutside)
      continue;
    if (!shared.contains(piece.sharedAddress, piece.bytes)) {
      refuse(FindingKind::OutOfBounds, piece.sharedAddress,
             "copies from an address outside of shared memory");
      continue;
    }
    uint8_t *shadow = nullptr;
    uint8_t *data = globalData(piece, true, shadow);
    if (!data)
      continue;
    beginAsyncRead(warp, instr, 1u << lane, piece.sharedAddress, piece.bytes);
    store.pieces.push_back({piece.sharedAddress, piece.bytes, cached,
                            piece.globalAddress, data, shadow});
  }
  count(AccessKind::Write, pieces, bytes);
  warp.stores.push_back(std::move(store));
}

} // namespace goat::ptxsim
