//===- ExecControl.cpp - branches, calls and the end of threads -----------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bra, brx.idx, call, ret, exit, trap, and instructions without an effect here.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"
#include "Warp.h"

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
  warp.call(instr, mask);
}

bool decodeCall(Decoder &d) {
  size_t next = 0;
  const Operand *returns = nullptr, *arguments = nullptr;
  if (!d.expectOperands(1, 4))
    return false;
  if (d.operand(0).kind == Operand::Arguments)
    returns = &d.operand(next++);
  if (next >= d.numOperands() || d.operand(next).kind != Operand::Name)
    return d.fail("expected the name of a function; indirect calls are "
                  "unsupported");
  const Function *callee = d.findFunction(d.operand(next).name);
  if (!callee || !callee->syntax->isDefined || callee->syntax->isEntry)
    return d.fail("expected a function with a body but got '" +
                  std::string(d.operand(next).name) + "'");
  ++next;
  if (next < d.numOperands())
    arguments = &d.operand(next++);
  if (next < d.numOperands())
    return d.fail("expected no prototype in a direct call");
  CallInfo &info = d.addCall();
  info.callee = callee;
  d.noteCall(*callee);
  auto bind = [&](const Operand *list, const std::vector<Variable *> &formal,
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
  };
  d.instr.run = runCall;
  return bind(arguments, callee->syntax->params, info.arguments) &&
         bind(returns, callee->syntax->returns, info.returns);
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
