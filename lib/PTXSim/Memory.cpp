//===- Memory.cpp - simulated global memory -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations are anonymous mappings without reserved swap: untouched pages
// cost nothing, so that a tensor with far rows can be held as it is on a
// device.
//
//===----------------------------------------------------------------------===//

#include "MemoryImpl.h"
#include "Program.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace goat::ptxsim {

namespace {
/// Distance kept between allocations, so that a wrong stride does not land in a
/// neighbour, not even one that is off by the size of a whole tensor.
constexpr uint64_t guardBytes = uint64_t(1) << 40;

/// Fresh memory up to this size is filled with a pattern, so that what a kernel
/// does not write stands out. Larger allocations stay zero and unbacked.
constexpr uint64_t poisonBytes = uint64_t(1) << 24;

uint8_t *map(uint64_t bytes) {
  void *result = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return result == MAP_FAILED ? nullptr : static_cast<uint8_t *>(result);
}
} // namespace

MemoryImpl::~MemoryImpl() {
  for (auto &allocation : allocations) {
    uint64_t mapped = std::max<uint64_t>(allocation->size, 1);
    munmap(allocation->data, mapped);
    munmap(allocation->shadow, mapped);
  }
}

Allocation *MemoryImpl::find(uint64_t address) const {
  auto it = std::upper_bound(
      allocations.begin(), allocations.end(), address,
      [](uint64_t value, const auto &a) { return value < a->base; });
  if (it == allocations.begin())
    return nullptr;
  Allocation *candidate = (it - 1)->get();
  return candidate->contains(address, 1) ? candidate : nullptr;
}

const Allocation *MemoryImpl::nearest(uint64_t address) const {
  const Allocation *best = nullptr;
  uint64_t bestDistance = guardBytes;
  for (const auto &allocation : allocations) {
    uint64_t end = allocation->base + allocation->size;
    uint64_t distance = address < allocation->base ? allocation->base - address
                        : address >= end           ? address - end
                                                   : 0;
    if (distance < bestDistance) {
      best = allocation.get();
      bestDistance = distance;
    }
  }
  return best;
}

Memory::Memory() : pimpl(std::make_unique<MemoryImpl>()) {}
Memory::~Memory() = default;
Memory::Memory(Memory &&) noexcept = default;
Memory &Memory::operator=(Memory &&) noexcept = default;

uint64_t Memory::allocate(uint64_t bytes, std::string name, uint64_t alignment,
                          Init init) {
  if (!alignment || (alignment & (alignment - 1)) || bytes >> 46)
    return 0;
  auto allocation = std::make_unique<Allocation>();
  allocation->size = bytes;
  allocation->name = std::move(name);
  allocation->base = (pimpl->nextAddress + alignment - 1) & ~(alignment - 1);
  // An address that is aligned to more than was asked for would hide a kernel's
  // wrong assumption.
  if ((allocation->base & (2 * alignment - 1)) == 0)
    allocation->base += alignment;
  uint64_t mapped = std::max<uint64_t>(bytes, 1);
  allocation->data = map(mapped);
  if (!allocation->data)
    return 0;
  allocation->shadow = map(mapped);
  if (!allocation->shadow) {
    munmap(allocation->data, mapped);
    return 0;
  }
  allocation->isInitialised = init == Init::Zero;
  if (init == Init::Uninitialised && bytes <= poisonBytes)
    std::memset(allocation->data, 0xCB, bytes);
  pimpl->nextAddress = allocation->base + bytes + guardBytes;
  pimpl->allocations.push_back(std::move(allocation));
  return pimpl->allocations.back()->base;
}

bool Memory::write(uint64_t address, const void *source, uint64_t bytes) {
  Allocation *allocation = pimpl->find(address);
  if (!bytes)
    return true;
  if (!allocation || !allocation->contains(address, bytes))
    return false;
  uint64_t offset = address - allocation->base;
  std::memcpy(allocation->data + offset, source, bytes);
  if (bytes == allocation->size)
    allocation->isInitialised = true;
  else if (!allocation->isInitialised)
    std::memset(allocation->shadow + offset, 1, bytes);
  return true;
}

bool Memory::read(uint64_t address, void *destination, uint64_t bytes) const {
  const Allocation *allocation = pimpl->find(address);
  if (!bytes)
    return true;
  if (!allocation || !allocation->contains(address, bytes))
    return false;
  std::memcpy(destination, allocation->data + (address - allocation->base),
              bytes);
  return true;
}

uint64_t Memory::countUninitialised(uint64_t address, uint64_t bytes) const {
  const Allocation *allocation = pimpl->find(address);
  if (!allocation || !allocation->contains(address, bytes))
    return bytes;
  if (allocation->isInitialised)
    return 0;
  const uint8_t *shadow = allocation->shadow + (address - allocation->base);
  return static_cast<uint64_t>(std::count(shadow, shadow + bytes, 0));
}

uint64_t Memory::addressOf(const Module &module,
                           std::string_view symbol) const {
  auto it = pimpl->symbols.find(&module.impl());
  if (it == pimpl->symbols.end())
    return 0;
  for (const auto &[variable, address] : it->second)
    if (variable->name == symbol)
      return address;
  return 0;
}

Arguments &Arguments::bytes(const void *data, size_t size) {
  const uint8_t *begin = static_cast<const uint8_t *>(data);
  pushed.emplace_back(begin, begin + size);
  return *this;
}

} // namespace goat::ptxsim
