//===- Warp.cpp - the interpreter loop ------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Issues instructions for the active lanes, keeps the stack of diverged paths
// and the call frames. A branch that divides the active lanes leaves an entry
// at the meeting point, which continues once both sides have arrived there.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"
#include "Cluster.h"

#include <algorithm>

namespace goat::ptxsim {

void Warp::start(uint32_t warpId, uint32_t lanesExisting, uint32_t clockParty,
                 size_t clockSize) {
  id = warpId;
  party = clockParty;
  existing = lanesExisting;
  exited = 0;
  issued = 0;
  carry = 0;
  state = State::Ready;
  waitsAt = nullptr;
  copies.clear();
  openGroup.fill(0);
  stores.clear();
  openStoreGroup.fill(0);
  wgmmas.clear();
  finishedWgmmas = computedWgmmas = 0;
  openWgmmaGroup = 0;
  hasWgmmaFence = false;
  warpgroupStep = 0;
  maxRegisters = 0;
  clock.assign(clockSize, 0);
  // At 1 it has started, whatever it does comes later.
  clock[party] = 2;
  givesUp = false;
  rotations = 0;
  clusterArrived = clusterCompleted = 0;
  fenced.clear();
  fencedWide.clear();
  seen.clear();
  laneOrder.reset();
  localTop = 0;
  while (!frames.empty()) {
    spareFrames.push_back(std::move(frames.back()));
    frames.pop_back();
  }
  enterFrame(worker.launch.entry);
  Frame &frame = *frames.back();
  frame.paths.assign(1, {0, noTarget, lanesExisting});
  loadFrame();
}

void Warp::enterFrame(const Function &function) {
  std::unique_ptr<Frame> frame;
  for (auto it = spareFrames.begin(); it != spareFrames.end(); ++it)
    if ((*it)->function == &function) {
      frame = std::move(*it);
      spareFrames.erase(it);
      break;
    }
  if (!frame) {
    frame = std::make_unique<Frame>();
    frame->storage.resize(size_t(function.numSlots) * slotBytes + 64);
    uintptr_t address = reinterpret_cast<uintptr_t>(frame->storage.data());
    frame->regs = frame->storage.data() + ((64 - address % 64) % 64);
  }
  frame->function = &function;
  uint32_t writtenLanes = worker.isChecked ? 0 : allLanes;
  frame->written.assign(function.numSlots, writtenLanes);
  frame->packedParts.clear();
  frame->predicates.assign(function.numPredicates + 1, 0);
  frame->predicatesWritten.assign(function.numPredicates + 1, writtenLanes);
  size_t paramBytes = size_t(function.syntax->callParamBytes) * warpSize;
  frame->callParams.assign(paramBytes, 0xCB);
  frame->callParamsWritten.assign(paramBytes, 0);
  frame->wgmmaSlots.assign(function.wgmmas.empty() ? 0 : function.numSlots, 0);
  frame->paths.clear();
  frame->allocas.clear();
  frame->call = nullptr;
  frame->localBase = (localTop + 15) & ~15u;
  localTop = frame->localBase + function.syntax->localBytes;
  // What an earlier call left there is not this one's, even where local memory
  // has yet to grow to the whole of the frame.
  uint32_t localEnd = std::min(localTop, localCapacity);
  if (frame->localBase < localEnd)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memset(localShadow(lane, frame->localBase), 0,
                  localEnd - frame->localBase);
  localBegin = localEnd = 0;
  fillConstants(*frame);
  frames.push_back(std::move(frame));
}

void Warp::fillConstants(Frame &frame) {
  const Function &function = *frame.function;
  const std::vector<uint8_t> &image = worker.launch.constants[function.index];
  if (!image.empty())
    std::memcpy(frame.regs + size_t(function.firstConstant) * slotBytes,
                image.data(), image.size());
  std::fill(frame.written.begin() + function.firstConstant, frame.written.end(),
            allLanes);
  const LaunchConfig &config = worker.launch.config;
  const auto &ntid = config.block;
  for (const ConstantSlot &constant : function.constants) {
    uint8_t *slot = frame.regs + size_t(constant.slot) * slotBytes;
    if (constant.kind == ConstantSlot::LocalAddress) {
      for (unsigned lane = 0; lane < warpSize; ++lane) {
        uint64_t value =
            frame.localBase + constant.variable->offset + constant.bits;
        std::memcpy(slot + lane * constant.bytes, &value, constant.bytes);
      }
    } else if (constant.kind == ConstantSlot::Address && block.rank &&
               constant.variable->space == Space::Shared) {
      uint64_t address = 0;
      worker.launch.addressOf(*constant.variable, address);
      address += constant.bits + (uint64_t(block.rank) << rankShift);
      for (unsigned lane = 0; lane < warpSize; ++lane)
        std::memcpy(slot + lane * constant.bytes, &address, constant.bytes);
    } else if (constant.kind == ConstantSlot::Special) {
      for (unsigned lane = 0; lane < warpSize; ++lane) {
        uint32_t thread = id * warpSize + lane;
        uint64_t value = 0;
        switch (constant.special) {
        case SpecialRegister::TidX:
          value = thread % ntid[0];
          break;
        case SpecialRegister::TidY:
          value = thread / ntid[0] % ntid[1];
          break;
        case SpecialRegister::TidZ:
          value = thread / ntid[0] / ntid[1];
          break;
        case SpecialRegister::CtaidX:
          value = block.index[0];
          break;
        case SpecialRegister::CtaidY:
          value = block.index[1];
          break;
        case SpecialRegister::CtaidZ:
          value = block.index[2];
          break;
        case SpecialRegister::Laneid:
          value = lane;
          break;
        case SpecialRegister::Warpid:
          value = id;
          break;
        case SpecialRegister::LanemaskEq:
          value = 1u << lane;
          break;
        case SpecialRegister::LanemaskLt:
          value = (1u << lane) - 1;
          break;
        case SpecialRegister::LanemaskLe:
          value = (2u << lane) - 1;
          break;
        case SpecialRegister::LanemaskGe:
          value = ~((1u << lane) - 1);
          break;
        case SpecialRegister::LanemaskGt:
          value = ~((2u << lane) - 1);
          break;
        case SpecialRegister::ClusterRank:
          value = worker.launch.isCooperative ? 0 : block.rank;
          break;
        case SpecialRegister::ClusterCtaidX:
        case SpecialRegister::ClusterCtaidY:
        case SpecialRegister::ClusterCtaidZ: {
          size_t axis = static_cast<size_t>(constant.special) -
                        static_cast<size_t>(SpecialRegister::ClusterCtaidX);
          value = block.index[axis] % worker.launch.cluster[axis];
          break;
        }
        case SpecialRegister::ClusteridX:
        case SpecialRegister::ClusteridY:
        case SpecialRegister::ClusteridZ: {
          size_t axis = static_cast<size_t>(constant.special) -
                        static_cast<size_t>(SpecialRegister::ClusteridX);
          value = block.index[axis] / worker.launch.cluster[axis];
          break;
        }
        default:
          continue; // the same for the whole launch: in the image already
        }
        std::memcpy(slot + lane * constant.bytes, &value, constant.bytes);
      }
    }
  }
}

void Warp::loadFrame() {
  Frame &frame = *frames.back();
  regs = frame.regs;
  written = frame.written.data();
  predicates = frame.predicates.data();
  predicatesWritten = frame.predicatesWritten.data();
  code = frame.function->code.data();
  codeSize = static_cast<uint32_t>(frame.function->code.size());
  loadPath();
}

void Warp::loadPath() {
  const PathEntry &top = frames.back()->paths.back();
  pc = top.pc;
  reconvergence = top.reconvergence;
  active = top.mask;
}

void Warp::popPath() {
  Frame &frame = *frames.back();
  frame.paths.pop_back();
  while (!frame.paths.empty() && !frame.paths.back().mask)
    frame.paths.pop_back();
  if (frame.paths.empty()) {
    leaveFrame();
    return;
  }
  loadPath();
}

void Warp::branch(uint32_t target, uint32_t meet, uint32_t taken) {
  uint32_t fallen = active & ~taken;
  if (!fallen) {
    pc = target;
    return;
  }
  // `pc` is the instruction after the branch already.
  diverge({{pc, meet, fallen}, {target, meet, taken}}, meet);
}

void Warp::diverge(const std::vector<PathEntry> &ways, uint32_t meet) {
  std::vector<PathEntry> &paths = frames.back()->paths;
  // The entry on top waits where the paths meet. If it ends there as well it is
  // not needed: its lanes are in the entry below.
  if (meet != noTarget && meet != reconvergence) {
    paths.back().pc = meet;
    paths.back().mask = active;
  } else {
    paths.pop_back();
  }
  for (const PathEntry &way : ways)
    if (way.pc != meet)
      paths.push_back(way);
  if (paths.empty()) // every lane is about to leave
    paths.push_back({codeSize, noTarget, active});
  loadPath();
}

bool Warp::rotatePaths() {
  std::vector<PathEntry> &paths = frames.back()->paths;
  if (rotations >= paths.size())
    return false;
  ++rotations;
  paths.back().pc = pc;
  // A path is free to run if it is no meeting point of the ones above it.
  for (size_t i = paths.size() - 1; i-- > 0;) {
    if (!paths[i].mask || (paths[i].mask & active))
      continue;
    std::rotate(paths.begin() + static_cast<ptrdiff_t>(i),
                paths.begin() + static_cast<ptrdiff_t>(i) + 1, paths.end());
    loadPath();
    return true;
  }
  return false;
}

void Warp::exitLanes(uint32_t mask) {
  exited |= mask;
  if (!stores.empty())
    abandonStores(mask);
  for (auto &frame : frames) {
    frame->callMask &= ~mask;
    for (PathEntry &path : frame->paths)
      path.mask &= ~mask;
  }
  active &= ~mask;
  frames.back()->paths.back().pc = pc;
  if (!active)
    popPath();
}

void Warp::returnLanes(uint32_t mask) {
  if (frames.size() == 1) {
    exitLanes(mask);
    return;
  }
  for (PathEntry &path : frames.back()->paths)
    path.mask &= ~mask;
  active &= ~mask;
  if (!active)
    popPath();
}

void Warp::call(const Instr &instr, const Function &callee, uint32_t mask) {
  // Lanes that do not take part in a predicated call wait at the instruction
  // after it.
  Frame &caller = *frames.back();
  caller.paths.back().pc = pc;
  if (frames.size() >= 64) {
    report(FindingKind::Trap, instr, mask, 0,
           "calls are nested more than 64 deep");
    exitLanes(existing & ~exited);
    return;
  }
  enterFrame(callee);
  Frame &frame = *frames.back();
  frame.call = &instr;
  frame.callMask = mask;
  uint32_t from = caller.function->syntax->callParamBytes;
  uint32_t to = callee.syntax->callParamBytes;
  const auto &params = callee.syntax->params;
  for (size_t i = 0; i < params.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      frame.copyParam(size_t(lane) * to + params[i]->offset, caller,
                      size_t(lane) * from + instr.call->arguments[i]->offset,
                      params[i]->size);
  frame.paths.assign(1, {0, noTarget, mask});
  loadFrame();
}

void Warp::leaveFrame() {
  if (!wgmmas.empty())
    abandonWgmma();
  std::unique_ptr<Frame> frame = std::move(frames.back());
  frames.pop_back();
  localTop = frame->localBase;
  localBegin = localEnd = 0;
  const Instr *call = frame->call;
  if (!call) {
    spareFrames.push_back(std::move(frame));
    active = 0;
    state = State::Done;
    yields = true;
    return;
  }
  Frame &caller = *frames.back();
  uint32_t from = frame->function->syntax->callParamBytes;
  uint32_t to = caller.function->syntax->callParamBytes;
  const auto &returns = frame->function->syntax->returns;
  for (size_t i = 0; i < returns.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (frame->callMask >> lane & 1)
        caller.copyParam(size_t(lane) * to + call->call->returns[i]->offset,
                         *frame, size_t(lane) * from + returns[i]->offset,
                         returns[i]->size);
  spareFrames.push_back(std::move(frame));
  while (!caller.paths.empty() && !caller.paths.back().mask)
    caller.paths.pop_back();
  if (caller.paths.empty())
    leaveFrame();
  else
    loadFrame();
}

uint32_t Warp::readPredicate(const Instr &instr, PredicateUse use,
                             uint32_t mask) {
  if (use.index == noPredicate)
    return use.negated ? allLanes : 0;
  uint32_t missing = mask & ~predicatesWritten[use.index];
  if (missing) {
    report(FindingKind::UninitialisedRegister, instr, missing, 0,
           "reads a predicate register that was never written");
    predicatesWritten[use.index] |= missing;
  }
  uint32_t bits = predicates[use.index];
  return use.negated ? ~bits : bits;
}

void Warp::checkWritten(const Instr &instr, uint32_t mask) {
  const uint32_t *source = instr.op + instr.numDst;
  for (unsigned i = 0; i < instr.numChecked; ++i) {
    uint32_t missing = mask & ~written[source[i]];
    if (!missing)
      continue;
    report(FindingKind::UninitialisedRegister, instr, missing, 0,
           "reads a register that was never written");
    written[source[i]] |= missing;
  }
}

void Warp::trace(const Instr &instr, uint32_t mask) {
  LaunchState &launch = worker.launch;
  TraceEvent event;
  event.block = block.index;
  event.warp = id;
  event.lanes = mask;
  event.line = instr.line;
  event.text = launch.module.lineText(instr.line);
  // Instructions that write a register leave their frame where it is.
  if (instr.numDst && instr.dstBytes) {
    event.valueBytes = std::min<uint32_t>(instr.dstBytes, 8);
    const uint8_t *value = lanes<uint8_t>(instr.op[0]) +
                           size_t(__builtin_ctz(mask)) * instr.dstBytes;
    std::memcpy(&event.value, value, event.valueBytes);
  }
  std::lock_guard<std::mutex> lock(launch.progressMutex);
  launch.config.trace(event);
}

template <bool IsChecked, bool IsTraced>
uint64_t Warp::runLoop(uint64_t budget) {
  yields = false;
  InstrCounts *counts = worker.counts.data();
  uint64_t first = issued;
  while (issued - first < budget && !yields) {
    if (pc == reconvergence) {
      popPath();
      continue;
    }
    if (pc >= codeSize) { // falls off the end: the same as ret
      returnLanes(active);
      continue;
    }
    const Instr &instr = code[pc++];
    uint32_t mask = active;
    if (instr.guard.index != noPredicate)
      mask &= readPredicate(instr, instr.guard, mask);
    ++issued;
    if (!mask)
      continue;
    InstrCounts &count = counts[instr.id];
    ++count.warps;
    count.threads += mask == allLanes
                         ? warpSize
                         : static_cast<unsigned>(__builtin_popcount(mask));
    if constexpr (IsChecked) {
      uint32_t missing = 0;
      const uint32_t *source = instr.op + instr.numDst;
      for (unsigned i = 0; i < instr.numChecked; ++i)
        missing |= mask & ~written[source[i]];
      if (missing && !instr.isPure) {
        checkWritten(instr, mask);
        missing = 0;
      }
      // A handler may leave the frame, so note what it defines first.
      if (!instr.propagates)
        for (unsigned i = 0; i < instr.numDst; ++i)
          written[instr.op[i]] = (written[instr.op[i]] | mask) & ~missing;
      if (missing) { // the frame stays
        instr.run(*this, instr, mask);
        for (int32_t predicate : instr.predicateDst)
          if (predicate != noPredicate)
            predicatesWritten[predicate] &= ~missing;
        if constexpr (IsTraced)
          trace(instr, mask);
        continue;
      }
      if (instr.touchesWgmma)
        touchWgmma(instr, mask);
    }
    instr.run(*this, instr, mask);
    if constexpr (IsTraced)
      trace(instr, mask);
  }
  if (!frames.empty() && !frames.back()->paths.empty())
    frames.back()->paths.back().pc = pc;
  return issued - first;
}

uint64_t Warp::run(uint64_t budget) {
  if (worker.launch.config.trace)
    return worker.isChecked ? runLoop<true, true>(budget)
                            : runLoop<false, true>(budget);
  return worker.isChecked ? runLoop<true, false>(budget)
                          : runLoop<false, false>(budget);
}

uint8_t *Warp::localData(uint32_t lane, uint64_t offset, uint32_t bytes) {
  if (offset >= localTop || localTop - offset < bytes)
    return nullptr;
  if (localTop > localCapacity) {
    uint32_t capacity = localTop * 2;
    std::vector<uint8_t> grown(size_t(capacity) * warpSize, 0xCB);
    std::vector<uint8_t> grownWritten(size_t(capacity) * warpSize, 0);
    for (unsigned l = 0; l < warpSize && localCapacity; ++l) {
      std::memcpy(&grown[size_t(l) * capacity],
                  &local[size_t(l) * localCapacity], localCapacity);
      std::memcpy(&grownWritten[size_t(l) * capacity],
                  &localWritten[size_t(l) * localCapacity], localCapacity);
    }
    local = std::move(grown);
    localWritten = std::move(grownWritten);
    localCapacity = capacity;
  }
  return &local[size_t(lane) * localCapacity + offset];
}

uint32_t Warp::growLocal(uint32_t bytes, uint32_t alignment) {
  uint32_t begin = (localTop + alignment - 1) & ~(alignment - 1);
  localTop = begin + bytes;
  frames.back()->allocas.push_back({begin, localTop});
  uint32_t known = std::min(localTop, localCapacity);
  if (begin < known)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memset(localShadow(lane, begin), 0, known - begin);
  return begin;
}

void Warp::shrinkLocal(uint32_t top) {
  auto &allocas = frames.back()->allocas;
  while (!allocas.empty() && allocas.back().second > top)
    allocas.pop_back();
  localTop = std::min(localTop, top);
  localBegin = localEnd = 0;
}

bool Warp::isWithinLocal(uint64_t offset, uint32_t bytes) {
  if (offset >= localBegin && offset + bytes <= localEnd)
    return true;
  for (size_t f = frames.size(); f-- > 0;) {
    const Frame &frame = *frames[f];
    for (const auto &variable : frame.function->syntax->variables) {
      uint64_t begin = frame.localBase + variable->offset;
      if (variable->space != Space::Local || offset < begin ||
          offset + bytes > begin + variable->size)
        continue;
      localBegin = begin;
      localEnd = begin + variable->size;
      return true;
    }
    for (auto [begin, end] : frame.allocas)
      if (offset >= begin && offset + bytes <= end)
        return true;
  }
  return false;
}

uint8_t *Warp::localShadow(uint32_t lane, uint64_t offset) {
  return &localWritten[size_t(lane) * localCapacity + offset];
}

void Warp::report(FindingKind kind, const Instr &instr, uint32_t mask,
                  uint64_t address, std::string message,
                  std::string allocation) {
  LaunchState &launch = worker.launch;
  // Without checks nobody keeps what these are found by.
  bool needsHistory = kind == FindingKind::UninitialisedRegister ||
                      kind == FindingKind::UninitialisedMemory ||
                      kind == FindingKind::SharedRace ||
                      kind == FindingKind::MissingAsyncWait;
  if ((needsHistory && !worker.isChecked) ||
      launch.sink.isKnown(kind, instr.id))
    return;
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.kernel = launch.entry.name;
  finding.line = instr.line;
  finding.text = launch.module.lineText(instr.line);
  if (instr.sourceLine) {
    auto file = launch.module.syntax.files.find(instr.sourceFile);
    finding.source =
        (file == launch.module.syntax.files.end() ? std::string("?")
                                                  : file->second) +
        ":" + std::to_string(instr.sourceLine);
  }
  finding.block = block.index;
  finding.warp = id;
  finding.lanes = mask;
  finding.address = address;
  finding.allocation = std::move(allocation);
  launch.sink.add(instr.id, std::move(finding));
}

} // namespace goat::ptxsim
