//===- DecodeBulk.cpp - how bulk copies are written -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and forms of cp.async.bulk, cp.reduce.async.bulk, their tensor
// forms, st.async and red.async, and of prefetches.
//
//===----------------------------------------------------------------------===//

#include "BulkCopy.h"
#include "Reduction.h"

namespace goat::ptxsim {

namespace {

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
  // A column and four rows, or the corner of the box.
  return d.addSrcList(operand.elements[1], info.isByRows ? 5 : info.rank, 4);
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
  info.isByRows = d.has("tile::gather4") || d.has("tile::scatter4");
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
      {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4" GOAT_BYTES
       "(.multicast::cluster)?" GOAT_POLICY,
       c, decodeBulk},
      {"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4" GOAT_BYTES
           GOAT_POLICY,
       c, decodeBulk},
      {"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_"
       "group" GOAT_POLICY,
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
