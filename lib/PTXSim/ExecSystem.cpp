//===- ExecSystem.cpp - functions that the system provides ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vprintf prints nothing and returns the number of arguments its format names.
// __assertfail is a finding with what the assertion says. malloc takes pieces
// of one heap, one after the other, and gives none once that is used up; free
// gives nothing back.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "MemoryImpl.h"
#include "System.h"

namespace goat::ptxsim {

namespace {

/// Where the parameter of a call lies for one lane.
uint8_t *paramOf(Warp &warp, const Variable &variable, unsigned lane,
                 bool isResult = false) {
  Frame &frame = *warp.frames.back();
  size_t at =
      size_t(lane) * frame.function->syntax->callParamBytes + variable.offset;
  if (isResult)
    std::memset(&frame.callParamsWritten[at], 1, variable.size);
  return &frame.callParams[at];
}

template <typename T>
T argument(Warp &warp, const Instr &instr, size_t index, unsigned lane) {
  T value;
  std::memcpy(&value, paramOf(warp, *instr.call->arguments[index], lane),
              sizeof(T));
  return value;
}

template <typename T>
void giveBack(Warp &warp, const Instr &instr, unsigned lane, T value) {
  std::memcpy(paramOf(warp, *instr.call->returns[0], lane, true), &value,
              sizeof(T));
}

/// The string at a generic address of global memory, as far as it is there.
std::string stringAt(Warp &warp, uint64_t address) {
  constexpr size_t longest = 1000;
  std::string text;
  while (text.size() < longest) {
    const Allocation *found = warp.worker.launch.memory.find(address);
    if (!found || !found->contains(address, 1))
      break;
    char c = static_cast<char>(found->data[address - found->base]);
    if (!c)
      break;
    text += c;
    ++address;
  }
  return text;
}

void runPrint(Warp &warp, const Instr &instr, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    std::string format =
        stringAt(warp, argument<uint64_t>(warp, instr, 0, lane));
    uint32_t count = 0;
    for (size_t i = 0; i + 1 < format.size(); ++i)
      if (format[i] == '%')
        count += format[++i] != '%';
    giveBack(warp, instr, lane, count);
  }
}

void runAssertFail(Warp &warp, const Instr &instr, uint32_t mask) {
  unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
  auto text = [&](size_t index) {
    return stringAt(warp, argument<uint64_t>(warp, instr, index, lane));
  };
  warp.report(FindingKind::Trap, instr, mask, 0,
              "the assertion '" + text(0) + "' of " + text(1) + ":" +
                  std::to_string(argument<uint32_t>(warp, instr, 2, lane)) +
                  " fails");
  warp.exitLanes(mask);
}

void runAllocate(Warp &warp, const Instr &instr, uint32_t mask) {
  constexpr uint64_t alignment = 16;
  MemoryImpl &memory = warp.worker.launch.memory;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t bytes = argument<uint64_t>(warp, instr, 0, lane);
    uint64_t address = 0;
    if (bytes && bytes <= heapBytes) {
      uint64_t whole = (bytes + alignment - 1) / alignment * alignment;
      uint64_t at = memory.heapUsed.fetch_add(whole);
      if (at <= heapBytes && heapBytes - at >= whole)
        address = memory.heap + at;
    }
    giveBack(warp, instr, lane, address);
  }
}

void runFree(Warp &, const Instr &, uint32_t) {}

} // namespace

Handler systemFunction(std::string_view name) {
  return name == "vprintf"        ? runPrint
         : name == "__assertfail" ? runAssertFail
         : name == "malloc"       ? runAllocate
         : name == "free"         ? runFree
                                  : nullptr;
}

} // namespace goat::ptxsim
