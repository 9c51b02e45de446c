//===- MemoryImpl.h - simulated global memory -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocations behind `Memory`, each with one shadow byte per byte that says
// whether it was ever written.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_MEMORYIMPL_H
#define GOAT_LIB_PTXSIM_MEMORYIMPL_H

#include "goat/PTXSim/PTXSim.h"

#include <atomic>
#include <map>

namespace goat::ptxsim {

constexpr uint64_t heapBytes = uint64_t(8) << 20;

struct ModuleImpl;
struct Variable;

/// Where generic addresses point. Global memory lies above all windows.
constexpr uint64_t sharedWindow = uint64_t(0x02) << 40;
constexpr uint64_t localWindow = uint64_t(0x03) << 40;
constexpr uint64_t functionWindow = uint64_t(0x04) << 40;
constexpr uint64_t paramWindow = uint64_t(0x05) << 40;
constexpr uint64_t windowBytes = uint64_t(1) << 32;
constexpr uint64_t firstGlobalAddress = uint64_t(0x7000) << 32;
/// Shared variables begin here, so that address 0 stays invalid.
constexpr uint32_t sharedBase = 1024;

struct RaceGranule;

struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0;
  std::string name;
  uint8_t *data = nullptr;
  uint8_t *shadow = nullptr;
  /// All bytes are known to be initialised; the shadow is not looked at.
  bool isInitialised = false;
  bool isReadOnly = false;
  /// Who touched each granule, during a launch that checks; else null.
  RaceGranule *races = nullptr;

  bool contains(uint64_t address, uint64_t bytes) const {
    return address - base < size && size - (address - base) >= bytes;
  }
};

struct MemoryImpl {
  ~MemoryImpl();

  /// The allocation that holds `address`, or null.
  Allocation *find(uint64_t address) const;
  /// The allocation that begins or ends closest to `address`, or null.
  const Allocation *nearest(uint64_t address) const;

  /// In order of addresses.
  std::vector<std::unique_ptr<Allocation>> allocations;
  uint64_t nextAddress = firstGlobalAddress;
  /// What barriers of a whole grid count in; 0 until a launch needs it.
  uint64_t gridWorkspace = 0;
  /// Where malloc of kernels takes from, and how much it has taken; 0 until a
  /// launch needs it.
  uint64_t heap = 0;
  std::atomic<uint64_t> heapUsed{0};
  /// Addresses of module variables, per module.
  std::map<const ModuleImpl *, std::map<const Variable *, uint64_t>> symbols;
};

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_MEMORYIMPL_H
