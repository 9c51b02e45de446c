//===- ExecControl.cpp - branches, calls and the end of threads -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bra, brx.idx, call, ret, exit, trap, and instructions without an effect here.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Opcodes.h"
#include "System.h"

#include <algorithm>
#include <cstdio>

namespace goat::ptxsim {

namespace {

void runBranch(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.branch(instr.target, instr.reconvergence, mask);
}

bool decodeBranch(Decoder &d) {
  if (!d.expectOperands(1))
    return false;
  if (d.operand(0).kind != Operand::Label)
    return d.fail("expected a label");
  d.instr.run = runBranch;
  d.instr.target = d.operand(0).index;
  return true;
}

void runIndexedBranch(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *index = warp.lanes<uint32_t>(instr.op[0]);
  std::vector<PathEntry> paths;
  uint32_t outside = 0;
  for (uint32_t left = mask; left;) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint32_t same = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      unsigned other = static_cast<unsigned>(__builtin_ctz(rest));
      same |= static_cast<uint32_t>(index[other] == index[lane]) << other;
    }
    left &= ~same;
    if (index[lane] < instr.targets->size())
      paths.push_back(
          {(*instr.targets)[index[lane]], instr.reconvergence, same});
    else
      outside |= same;
  }
  uint32_t fallen = warp.active & ~mask;
  if (fallen)
    paths.push_back({warp.pc, instr.reconvergence, fallen});
  if (outside)
    warp.report(
        FindingKind::OutOfBounds, instr, outside, index[__builtin_ctz(outside)],
        "expected an index below " + std::to_string(instr.targets->size()));
  warp.diverge(paths, instr.reconvergence);
  if (outside)
    warp.exitLanes(outside);
}

bool decodeIndexedBranch(Decoder &d) {
  if (!d.expectOperands(2))
    return false;
  auto it = d.functionSyntax().branchTargets.find(d.operand(1).name);
  if (d.operand(1).kind != Operand::Name ||
      it == d.functionSyntax().branchTargets.end())
    return d.fail("expected the name of a .branchtargets list");
  d.instr.run = runIndexedBranch;
  d.instr.targets = &it->second;
  return d.addSrc(d.operand(0), 4);
}

void runCall(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.call(instr, *instr.call->callee, mask);
}

/// Why `pointer` is none of the targets of an indirect call.
std::string explainBadCall(const ModuleImpl &module, const CallInfo &info,
                           uint64_t pointer) {
  if (!pointer)
    return "calls through a null pointer";
  const Function *function = module.functionAt(pointer);
  if (!function) {
    char text[24];
    std::snprintf(text, sizeof(text), "0x%llx",
                  static_cast<unsigned long long>(pointer));
    return std::string("expected the address of a function but got ") + text;
  }
  std::string got = " but got '" + function->name + "'";
  if (!function->syntax->isDefined || function->syntax->isEntry)
    return "expected a function with a body" + got;
  if (!info.fits(*function->syntax))
    return "expected a function with the parameters of the prototype" + got;
  return (info.isListed ? "expected a function that the call lists"
                        : "expected a function whose address is taken") +
         got;
}

void runIndirectCall(Warp &warp, const Instr &instr, uint32_t mask) {
  const ModuleImpl &module = warp.worker.launch.module;
  const CallInfo &info = *instr.call;
  const uint64_t *pointer = warp.lanes<uint64_t>(instr.op[0]);
  struct Group {
    const Function *callee;
    uint32_t lanes;
  };
  std::vector<Group> groups;
  uint32_t bad = 0;
  for (uint32_t left = mask; left;) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint32_t same = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      unsigned other = static_cast<unsigned>(__builtin_ctz(rest));
      same |= static_cast<uint32_t>(pointer[other] == pointer[lane]) << other;
    }
    left &= ~same;
    const Function *callee = module.functionAt(pointer[lane]);
    if (callee && std::find(info.targets.begin(), info.targets.end(), callee) !=
                      info.targets.end()) {
      groups.push_back({callee, same});
      continue;
    }
    warp.report(FindingKind::BadCall, instr, same, pointer[lane],
                explainBadCall(module, info, pointer[lane]));
    bad |= same;
  }
  if (bad)
    warp.exitLanes(bad);
  if (groups.empty())
    return;
  if (groups.size() > 1) {
    // One function after the other: each group comes back to this instruction
    // as a path of its own, and they meet behind it. The last goes at once.
    uint32_t next = warp.pc;
    std::vector<PathEntry> paths;
    for (const Group &group : groups)
      paths.push_back({next - 1, next, group.lanes});
    warp.diverge(paths, next);
    warp.pc = next;
    // Those that come back count when they do.
    warp.worker.counts[instr.id].threads -= static_cast<unsigned>(
        __builtin_popcount(mask & ~bad & ~groups.back().lanes));
  }
  warp.call(instr, *groups.back().callee, groups.back().lanes);
}

/// Binds the variables of a call to parameters of the same sizes.
bool bindParams(Decoder &d, const Operand *list,
                const std::vector<Variable *> &formal,
                std::vector<const Variable *> &actual) {
  size_t count = list ? list->elements.size() : 0;
  if (count != formal.size())
    return d.fail("expected " + std::to_string(formal.size()) +
                  " parameters but got " + std::to_string(count));
  for (size_t i = 0; i < count; ++i) {
    const Operand &operand = list->elements[i];
    if (operand.kind != Operand::Symbol ||
        operand.variable->space != Space::Param ||
        operand.variable->isEntryParam)
      return d.fail("expected a .param variable");
    if (operand.variable->size != formal[i]->size)
      return d.fail("expected a parameter of " +
                    std::to_string(formal[i]->size) + " bytes but got " +
                    std::to_string(operand.variable->size));
    actual.push_back(operand.variable);
  }
  return true;
}

/// The function of that name if it can be called.
const Function *findCallee(Decoder &d, std::string_view name) {
  const Function *callee = d.findFunction(name);
  if (callee && callee->syntax->isDefined && !callee->syntax->isEntry)
    return callee;
  d.fail("expected a function with a body but got '" + std::string(name) + "'");
  return nullptr;
}

/// The names after the pointer of an indirect call: a prototype, a list of
/// functions, or a table of them in memory. Gives the parameters to bind.
const FunctionSyntax *decodeTargets(Decoder &d, const Operand &operand,
                                    CallInfo &info) {
  std::vector<std::string_view> names;
  if (operand.kind == Operand::Prototype) {
    const FunctionSyntax &prototype =
        *d.functionSyntax().prototypes[operand.index];
    if (prototype.callTargets.empty())
      return &prototype;
    names = prototype.callTargets;
  } else if (operand.kind == Operand::Symbol) {
    for (const Relocation &relocation : operand.variable->relocations)
      names.push_back(relocation.symbol);
  }
  if (names.empty()) {
    d.fail("expected a .callprototype, .calltargets or table of functions");
    return nullptr;
  }
  info.isListed = true;
  for (std::string_view name : names) {
    const Function *target = findCallee(d, name);
    if (!target)
      return nullptr;
    info.targets.push_back(target);
    d.noteCall(*target);
  }
  return info.targets[0]->syntax;
}

/// Whether a function that the system provides is declared as CUDA does.
bool hasSystemShape(Decoder &d, const FunctionSyntax &declared) {
  struct Shape {
    std::string_view name;
    std::vector<uint64_t> params, returns;
  };
  static const Shape shapes[] = {{"vprintf", {8, 8}, {4}},
                                 {"__assertfail", {8, 8, 4, 8, 8}, {}},
                                 {"malloc", {8}, {8}},
                                 {"free", {8}, {}}};
  auto sizes = [](const std::vector<Variable *> &variables) {
    std::vector<uint64_t> result;
    for (const Variable *variable : variables)
      result.push_back(variable->size);
    return result;
  };
  for (const Shape &shape : shapes)
    if (shape.name == declared.name)
      return (sizes(declared.params) == shape.params &&
              sizes(declared.returns) == shape.returns) ||
             d.fail("expected '" + declared.name +
                    "' with the parameters that CUDA gives it");
  return true;
}

bool decodeCall(Decoder &d) {
  size_t next = 0;
  const Operand *returns = nullptr, *arguments = nullptr;
  if (!d.expectOperands(1, 4))
    return false;
  if (d.operand(0).kind == Operand::Arguments)
    returns = &d.operand(next++);
  if (next >= d.numOperands())
    return d.fail("expected a function");
  const Operand &target = d.operand(next++);
  if (next < d.numOperands() && d.operand(next).kind == Operand::Arguments)
    arguments = &d.operand(next++);
  CallInfo &info = d.addCall();
  const FunctionSyntax *callee = nullptr;
  if (target.kind == Operand::Register) {
    if (next + 1 != d.numOperands())
      return d.fail("expected a prototype or list of functions after a call "
                    "through a pointer");
    callee = decodeTargets(d, d.operand(next), info);
    d.instr.run = runIndirectCall;
    if (!callee || !d.addSrc(target, 8))
      return false;
  } else if (target.kind == Operand::Name) {
    if (next < d.numOperands())
      return d.fail("expected no prototype in a direct call");
    const Function *declared = d.findFunction(target.name);
    Handler provided = systemFunction(target.name);
    if (provided && declared && !declared->syntax->isDefined) {
      callee = declared->syntax;
      if (!hasSystemShape(d, *callee))
        return false;
      d.instr.run = provided;
      if (target.name == "malloc")
        d.noteHeap();
    } else {
      info.callee = findCallee(d, target.name);
      if (!info.callee)
        return false;
      d.noteCall(*info.callee);
      callee = info.callee->syntax;
      d.instr.run = runCall;
    }
  } else {
    return d.fail("expected a function or a register that points to one");
  }
  if (!bindParams(d, arguments, callee->params, info.arguments) ||
      !bindParams(d, returns, callee->returns, info.returns))
    return false;
  for (const Function *listed : info.targets)
    if (!info.fits(*listed->syntax))
      return d.fail("expected functions with the same parameters but got '" +
                    listed->name + "'");
  return true;
}

void runReturn(Warp &warp, const Instr &, uint32_t mask) {
  warp.returnLanes(mask);
}
void runExit(Warp &warp, const Instr &, uint32_t mask) { warp.exitLanes(mask); }
void runTrap(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.report(FindingKind::Trap, instr, mask, 0, "the kernel traps");
  warp.exitLanes(mask);
}
void runNothing(Warp &, const Instr &, uint32_t) {}

template <Handler Run> bool decodeSimple(Decoder &d) {
  d.instr.run = Run;
  return true;
}

} // namespace

bool endsThread(const Instr &instr) {
  return instr.run == runReturn || instr.run == runExit || instr.run == runTrap;
}

std::vector<OpcodeRow> controlOpcodes() {
  constexpr OpClass c = OpClass::Control;
  return {
      {"bra(.uni)?", c, decodeBranch},
      {"brx.idx(.uni)?", c, decodeIndexedBranch},
      {"call(.uni)?", c, decodeCall},
      {"ret(.uni)?", c, decodeSimple<runReturn>},
      {"exit", c, decodeSimple<runExit>},
      {"trap", c, decodeSimple<runTrap>},
      {"brkpt", c, decodeSimple<runNothing>},
      {"nanosleep.u32", c, decodeSimple<runNothing>},
      {"pmevent(.mask)?", c, decodeSimple<runNothing>},
      {"griddepcontrol(.wait|.launch_dependents)", c, decodeSimple<runNothing>},
  };
}

} // namespace goat::ptxsim
