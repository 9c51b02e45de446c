//===- ExecMemory.cpp - loads and stores ----------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ld and st of every width, vector and space. A register may be wider than what
// is loaded; it is extended as the type says.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

namespace goat::ptxsim {

namespace {

__extension__ typedef unsigned __int128 UInt128;

/// Loads elements of type M into registers of type R.
template <typename M, typename R>
void runLoad(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess access;
  computeAddresses(warp, instr, instr.op[instr.numDst], access);
  unsigned count = instr.access.vector;
  auto step = beginAccess(warp, instr, AccessKind::Read);
  uint32_t valid =
      resolveAccess(warp, instr, instr.access.space, AccessKind::Read,
                    static_cast<uint32_t>(count * sizeof(M)), mask, access);
  for (unsigned k = 0; k < count; ++k) {
    R *dst = warp.lanes<R>(instr.op[k]);
    for (uint32_t left = valid; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      M value;
      std::memcpy(&value, access.data[lane] + k * sizeof(M), sizeof(M));
      dst[lane] = static_cast<R>(value);
    }
    // A failed access gives a pattern that is easy to recognise.
    for (uint32_t left = mask & ~valid; left; left &= left - 1)
      std::memset(&dst[__builtin_ctz(left)], 0xCB, sizeof(R));
  }
}

template <typename M, typename R>
void runStore(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess access;
  computeAddresses(warp, instr, instr.op[0], access);
  unsigned count = instr.access.vector;
  auto step = beginAccess(warp, instr, AccessKind::Write);
  uint32_t valid =
      resolveAccess(warp, instr, instr.access.space, AccessKind::Write,
                    static_cast<uint32_t>(count * sizeof(M)), mask, access);
  for (unsigned k = 0; k < count; ++k) {
    const R *src = warp.lanes<R>(instr.op[1 + k]);
    for (uint32_t left = valid; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      M value = static_cast<M>(src[lane]);
      std::memcpy(access.data[lane] + k * sizeof(M), &value, sizeof(M));
    }
  }
  if (!access.overlaps)
    return;
  uint32_t lost = 0;
  for (unsigned k = 0; k < count; ++k) {
    const R *src = warp.lanes<R>(instr.op[1 + k]);
    for (uint32_t left = valid; left; left &= left - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      M value = static_cast<M>(src[lane]);
      if (std::memcmp(access.data[lane] + k * sizeof(M), &value, sizeof(M)))
        lost |= 1u << lane;
    }
  }
  reportOverlap(warp, instr, lost, access);
}

template <typename M> Handler loadHandler(unsigned registerBytes) {
  if (registerBytes < sizeof(M))
    return nullptr;
  return registerBytes == 2   ? runLoad<M, uint16_t>
         : registerBytes == 4 ? runLoad<M, uint32_t>
                              : runLoad<M, uint64_t>;
}

template <typename M> Handler storeHandler(unsigned registerBytes) {
  if (registerBytes < sizeof(M))
    return nullptr;
  return registerBytes == 2   ? runStore<M, uint16_t>
         : registerBytes == 4 ? runStore<M, uint32_t>
                              : runStore<M, uint64_t>;
}

Handler pickLoad(Type type, unsigned registerBytes) {
  switch (bitWidth(type)) {
  case 8:
    return isSigned(type) ? loadHandler<int8_t>(registerBytes)
                          : loadHandler<uint8_t>(registerBytes);
  case 16:
    return isSigned(type) ? loadHandler<int16_t>(registerBytes)
                          : loadHandler<uint16_t>(registerBytes);
  case 32:
    return isSigned(type) ? loadHandler<int32_t>(registerBytes)
                          : loadHandler<uint32_t>(registerBytes);
  case 128:
    return runLoad<UInt128, UInt128>;
  default:
    return loadHandler<uint64_t>(registerBytes);
  }
}

Handler pickStore(Type type, unsigned registerBytes) {
  switch (bitWidth(type)) {
  case 8:
    return storeHandler<uint8_t>(registerBytes);
  case 16:
    return storeHandler<uint16_t>(registerBytes);
  case 32:
    return storeHandler<uint32_t>(registerBytes);
  case 128:
    return runStore<UInt128, UInt128>;
  default:
    return storeHandler<uint64_t>(registerBytes);
  }
}

/// The address names a parameter and lies outside of it, perhaps in the next.
void runOutsideParam(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t bytes = uint64_t(instr.access.vector) * instr.access.elementBytes;
  warp.report(FindingKind::OutOfBounds, instr, mask,
              static_cast<uint64_t>(instr.imm),
              "accesses " + std::to_string(bytes) + " bytes at offset " +
                  std::to_string(instr.imm) +
                  " of a parameter, outside of what it has");
}

bool decodeAccess(Decoder &d, bool isStore) {
  Type type = d.type();
  unsigned bytes = bitWidth(type) / 8;
  unsigned count = d.has("v2") ? 2 : d.has("v4") ? 4 : d.has("v8") ? 8 : 1;
  if (count * bytes > 16 && parseSpace(d) != Space::Global)
    return d.fail("expected at most 16 bytes for each thread; 32 are possible "
                  "in global memory");
  if (count * bytes > 32 || (count == 8 && bytes != 4))
    return d.fail("expected at most 32 bytes for each thread, and .v8 with "
                  "elements of 32 bits alone");
  AccessInfo &access = d.instr.access;
  access.space = parseSpace(d);
  access.vector = static_cast<uint8_t>(count);
  access.elementBytes = static_cast<uint8_t>(bytes);
  for (std::string_view mod :
       {"volatile", "relaxed", "acquire", "release", "mmio"})
    access.isStrong |= d.has(mod);
  access.acquires = d.has("acquire");
  access.releases = d.has("release");
  switch (access.space) {
  case Space::Shared:
  case Space::SharedCluster:
    d.instr.opClass = isStore ? OpClass::StoreShared : OpClass::LoadShared;
    break;
  case Space::Local:
    d.instr.opClass = isStore ? OpClass::StoreLocal : OpClass::LoadLocal;
    break;
  case Space::Param:
  case Space::Const:
    d.instr.opClass = isStore ? OpClass::StoreLocal : OpClass::LoadConst;
    break;
  default:
    d.instr.opClass = isStore ? OpClass::StoreGlobal : OpClass::LoadGlobal;
  }
  if (access.space == Space::Shared || access.space == Space::SharedCluster ||
      access.space == Space::Generic)
    d.noteSharedWidth(bytes * count);
  if (access.space == Space::Global || access.space == Space::Generic)
    d.noteGlobalWidth(bytes * count);
  access.isBlockScope = d.has("cta");
  if (isStore && access.space == Space::Const)
    return d.fail("expected a space that can be written");
  // A cache policy may follow; it changes nothing here.
  if (!d.expectOperands(2, d.has("L2::cache_hint") ? 3 : 2))
    return false;
  const Operand &value = d.operand(isStore ? 1 : 0);
  const Operand &address = d.operand(isStore ? 0 : 1);
  std::vector<const Operand *> registers;
  if (value.kind == Operand::Vector) {
    for (const Operand &element : value.elements)
      registers.push_back(&element);
  } else {
    registers.push_back(&value);
  }
  if (registers.size() != count)
    return d.fail("expected " + std::to_string(count) + " registers but got " +
                  std::to_string(registers.size()));
  unsigned registerBytes = 0;
  for (const Operand *operand : registers) {
    unsigned width = d.operandBytes(*operand);
    if (width && registerBytes && width != registerBytes)
      return d.fail("expected registers of one width");
    registerBytes = width ? width : registerBytes;
  }
  if (!registerBytes)
    registerBytes = bytes < 2 ? 2 : bytes;
  if (isStore) {
    if (!d.addAddress(address))
      return false;
    for (const Operand *operand : registers)
      if (!d.addSrc(*operand, registerBytes))
        return false;
    d.instr.run = pickStore(type, registerBytes);
  } else {
    for (const Operand *operand : registers)
      if (!d.addDst(*operand, registerBytes))
        return false;
    if (!d.addAddress(address))
      return false;
    d.instr.run = pickLoad(type, registerBytes);
  }
  const Variable *param = address.elements[0].variable;
  if (access.space == Space::Param && param && d.instr.run &&
      (address.value < 0 ||
       uint64_t(address.value) + bytes * count > param->size))
    d.instr.run = runOutsideParam;
  if (!d.instr.run)
    return d.fail("expected registers of at least " +
                  std::to_string(8 * bytes) + " bits");
  return true;
}

bool decodeLoad(Decoder &d) { return decodeAccess(d, false); }
bool decodeStore(Decoder &d) { return decodeAccess(d, true); }

void runNothing(Warp &, const Instr &, uint32_t) {}
bool decodeNothing(Decoder &d) {
  d.instr.run = runNothing;
  return true;
}

} // namespace

std::vector<OpcodeRow> memoryOpcodes() {
  constexpr OpClass c = OpClass::LoadGlobal;
  return {
      {"ld(.weak|.volatile|.relaxed.sys|.relaxed.gpu|.relaxed.cluster|"
       ".relaxed.cta|.acquire.sys|.acquire.gpu|.acquire.cluster|.acquire.cta|"
       ".mmio.relaxed.sys)?"
       "(.const|.global|.local|.param|.param::entry|.param::func|.shared|"
       ".shared::cta|.shared::cluster)?(.ca|.cg|.cs|.lu|.cv)?(.nc)?"
       "(.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|"
       ".L1::evict_last|.L1::no_allocate)?"
       "(.L2::evict_normal|.L2::evict_first|.L2::evict_last)?"
       "(.L2::cache_hint)?(.L2::64B|.L2::128B|.L2::256B)?(.v2|.v4|.v8)?"
       "(.b8|.b16|.b32|.b64|.b128|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|"
       ".f64)",
       c, decodeLoad},
      {"ldu.global(.v2)?(.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|"
       ".s64|.f32|.f64)",
       c, decodeLoad},
      {"ldu.global.v4(.b8|.b16|.b32|.u8|.u16|.u32|.s8|.s16|.s32|.f32)", c,
       decodeLoad},
      {"st(.weak|.volatile|.relaxed.sys|.relaxed.gpu|.relaxed.cluster|"
       ".relaxed.cta|.release.sys|.release.gpu|.release.cluster|.release.cta|"
       ".mmio.relaxed.sys)?"
       "(.global|.local|.param|.param::func|.shared|.shared::cta|"
       ".shared::cluster)?"
       "(.wb|.cg|.cs|.wt)?"
       "(.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|"
       ".L1::evict_last|.L1::no_allocate)?"
       "(.L2::evict_normal|.L2::evict_first|.L2::evict_last)?"
       "(.L2::cache_hint)?(.v2|.v4|.v8)?"
       "(.b8|.b16|.b32|.b64|.b128|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|"
       ".f64)",
       OpClass::StoreGlobal, decodeStore},
      {"prefetch(.global|.local)?(.L1|.L2)", OpClass::Control, decodeNothing},
      {"prefetch.global(.L2::evict_last|.L2::evict_normal)", OpClass::Control,
       decodeNothing},
      {"prefetchu.L1", OpClass::Control, decodeNothing},
      {"applypriority(.global)?.L2::evict_normal", OpClass::Control,
       decodeNothing},
      {"discard(.global)?.L2", OpClass::Control, decodeNothing},
  };
}

} // namespace goat::ptxsim
