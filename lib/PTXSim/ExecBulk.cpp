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

#include "Access.h"
#include "Cluster.h"
#include "Reduction.h"
#include "TensorMap.h"

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
    std::array<int32_t, 5> coordinates{};
    for (unsigned d = 0; d < info.rank; ++d)
      coordinates[d] = static_cast<int32_t>(operandOf(
          warp, instr, static_cast<uint8_t>(info.firstCoordinate + d), lane));
    bytes = boxBytes(map);
    pieces = boxPieces(map, coordinates, static_cast<uint32_t>(shared));
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
    const uint32_t *proxyClock =
        info.isFromRegisters ? nullptr
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

template <void (BulkCopy::*Method)()>
void runCopy(Warp &warp, const Instr &instr, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    BulkCopy copy(warp, instr, static_cast<unsigned>(__builtin_ctz(left)));
    (copy.*Method)();
  }
}

/// `[map, {coordinates}]`
bool decodeMap(Decoder &d, const Operand &operand, AddressUse &use,
               BulkInfo &info) {
  static constexpr std::string_view ranks[] = {"1d", "2d", "3d", "4d", "5d"};
  for (uint8_t r = 0; r < 5; ++r)
    if (d.has(ranks[r]))
      info.rank = static_cast<uint8_t>(r + 1);
  if (operand.kind != Operand::Address || operand.elements.size() != 2)
    return d.fail("expected a tensor map and coordinates in brackets");
  Operand base = operand;
  base.elements.pop_back();
  if (!d.addAddress(base, use))
    return false;
  info.firstCoordinate = static_cast<uint8_t>(d.numSources());
  return d.addSrcList(operand.elements[1], info.rank, 4);
}

bool addOperand(Decoder &d, const Operand &operand, unsigned bytes,
                uint8_t &index) {
  index = static_cast<uint8_t>(d.numSources());
  return d.addSrc(operand, bytes);
}

/// cp[.reduce].async.bulk[.tensor]
bool decodeBulk(Decoder &d) {
  d.noteAsync();
  BulkInfo &info = d.addBulk();
  info.isTensor = d.has("tensor");
  info.isReduction = d.has("reduce");
  d.instr.access.isStrong = info.isReduction;
  if (info.isReduction)
    info.reduction = parseReduction(d, info.isTensor ? Type::B32 : d.type());
  size_t next = 0;
  auto operand = [&]() -> const Operand & { return d.operand(next++); };
  size_t policy = d.has("L2::cache_hint");
  if (d.has("bulk_group")) {
    // destination, source [, size] [, policy]
    d.instr.run = runCopy<&BulkCopy::store>;
    if (!d.expectOperands((info.isTensor ? 2 : 3) + policy))
      return false;
    if (info.isTensor)
      return decodeMap(d, operand(), info.destination, info) &&
             d.addAddress(operand(), info.source);
    return d.addAddress(operand(), info.destination) &&
           d.addAddress(operand(), info.source) &&
           addOperand(d, operand(), 4, info.size);
  }
  // destination, source [, size], mbarrier [, mask] [, policy]
  bool isMulticast = d.has("multicast::cluster");
  bool isFromGlobal = d.has("global");
  d.instr.run = isFromGlobal ? runCopy<&BulkCopy::load>
                             : runCopy<&BulkCopy::copyWithinCluster>;
  info.space = d.has("shared::cluster") ? Space::SharedCluster : Space::Shared;
  if (!d.expectOperands((info.isTensor ? 3 : 4) + isMulticast + policy) ||
      !d.addAddress(operand(), info.destination))
    return false;
  if (info.isTensor ? !decodeMap(d, operand(), info.source, info)
                    : !d.addAddress(operand(), info.source) ||
                          !addOperand(d, operand(), 4, info.size))
    return false;
  return d.addAddress(operand(), info.mbarrier) &&
         (!isMulticast || addOperand(d, operand(), 2, info.mask));
}

bool decodeStoreAsync(Decoder &d) {
  d.noteAsync();
  BulkInfo &info = d.addBulk();
  unsigned count = d.has("v4") ? 4 : d.has("v2") ? 2 : 1;
  unsigned bytes = bitWidth(d.type()) / 8;
  d.instr.access.vector = static_cast<uint8_t>(count);
  d.instr.access.elementBytes = static_cast<uint8_t>(bytes);
  d.instr.run = runCopy<&BulkCopy::storeAsync>;
  info.isFromRegisters = true;
  if (d.opcode()[0] == 'r')
    info.reduction = parseReduction(d, d.type());
  if (!d.expectOperands(3) || !d.addAddress(d.operand(0), info.destination))
    return false;
  info.source.source = static_cast<uint8_t>(d.numSources());
  return d.addSrcList(d.operand(1), count, bytes) &&
         d.addAddress(d.operand(2), info.mbarrier);
}

void runNothing(Warp &, const Instr &, uint32_t) {}

/// Prefetches change nothing that could be seen.
bool decodePrefetch(Decoder &d) {
  d.instr.run = runNothing;
  BulkInfo &info = d.addBulk();
  if (d.has("tensor"))
    return d.expectOperands(1, 2) &&
           decodeMap(d, d.operand(0), info.source, info);
  if (d.has("bulk"))
    return d.expectOperands(2, 3) && d.addAddress(d.operand(0), info.source) &&
           addOperand(d, d.operand(1), 4, info.size);
  return d.expectOperands(1) && d.addAddress(d.operand(0), info.source);
}

} // namespace

std::vector<OpcodeRow> bulkOpcodes() {
  constexpr OpClass c = OpClass::AsyncCopy;
#define GOAT_RANK "(.1d|.2d|.3d|.4d|.5d)"
#define GOAT_BYTES ".mbarrier::complete_tx::bytes"
#define GOAT_POLICY "(.L2::cache_hint)?"
  return {
      {"cp.async.bulk.shared::cluster.global" GOAT_BYTES
       "(.multicast::cluster)?" GOAT_POLICY,
       c, decodeBulk},
      {"cp.async.bulk.shared::cta.global" GOAT_BYTES GOAT_POLICY, c,
       decodeBulk},
      {"cp.async.bulk.shared::cluster.shared::cta" GOAT_BYTES, c, decodeBulk},
      {"cp.async.bulk.global.shared::cta.bulk_group" GOAT_POLICY, c,
       decodeBulk},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group" GOAT_POLICY
       ".add(.u32|.s32|.u64|.f32|.f64)",
       c, decodeBulk},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group" GOAT_POLICY
       ".add.noftz(.f16|.bf16)",
       c, decodeBulk},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group" GOAT_POLICY
       "(.min|.max)(.u32|.s32|.u64|.s64)",
       c, decodeBulk},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group" GOAT_POLICY
       "(.inc|.dec).u32",
       c, decodeBulk},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group" GOAT_POLICY
       "(.and|.or|.xor)(.b32|.b64)",
       c, decodeBulk},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta" GOAT_BYTES
       ".add(.u32|.s32|.u64)",
       c, decodeBulk},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta" GOAT_BYTES
       "(.min|.max)(.u32|.s32)",
       c, decodeBulk},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta" GOAT_BYTES
       "(.inc|.dec).u32",
       c, decodeBulk},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta" GOAT_BYTES
       "(.and|.or|.xor).b32",
       c, decodeBulk},
      {"cp.async.bulk.tensor" GOAT_RANK
       ".shared::cluster.global(.tile)?" GOAT_BYTES
       "(.multicast::cluster)?" GOAT_POLICY,
       c, decodeBulk},
      {"cp.async.bulk.tensor" GOAT_RANK
       ".shared::cta.global(.tile)?" GOAT_BYTES GOAT_POLICY,
       c, decodeBulk},
      {"cp.async.bulk.tensor" GOAT_RANK
       ".global.shared::cta(.tile)?.bulk_group" GOAT_POLICY,
       c, decodeBulk},
      {"cp.reduce.async.bulk.tensor" GOAT_RANK
       ".global.shared::cta(.add|.min|.max|.inc|.dec|.and|.or|.xor)(.tile)?"
       ".bulk_group" GOAT_POLICY,
       c, decodeBulk},
      {"st.async(.weak)?.shared::cluster" GOAT_BYTES
       "(.v2|.v4)?(.b32|.u32|.s32|.f32)",
       c, decodeStoreAsync},
      {"st.async(.weak)?.shared::cluster" GOAT_BYTES
       "(.v2)?(.b64|.u64|.s64|.f64)",
       c, decodeStoreAsync},
      {"red.async.relaxed.cluster.shared::cluster" GOAT_BYTES
       ".add(.u32|.s32|.u64)",
       c, decodeStoreAsync},
      {"red.async.relaxed.cluster.shared::cluster" GOAT_BYTES
       "(.min|.max)(.u32|.s32)",
       c, decodeStoreAsync},
      {"red.async.relaxed.cluster.shared::cluster" GOAT_BYTES "(.inc|.dec).u32",
       c, decodeStoreAsync},
      {"red.async.relaxed.cluster.shared::cluster" GOAT_BYTES
       "(.and|.or|.xor).b32",
       c, decodeStoreAsync},
      {"cp.async.bulk.prefetch.tensor" GOAT_RANK
       ".L2.global(.tile)?" GOAT_POLICY,
       OpClass::Control, decodePrefetch},
      {"cp.async.bulk.prefetch.L2.global" GOAT_POLICY, OpClass::Control,
       decodePrefetch},
      {"prefetch(.param|.const)?.tensormap", OpClass::Control, decodePrefetch},
  };
#undef GOAT_RANK
#undef GOAT_BYTES
#undef GOAT_POLICY
}

} // namespace goat::ptxsim
