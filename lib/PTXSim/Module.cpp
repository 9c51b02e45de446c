//===- Module.cpp - from text to a module ---------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses, decodes every function, and answers what the module declares.
//
//===----------------------------------------------------------------------===//

#include "MemoryImpl.h"
#include "Opcodes.h"
#include "Parser.h"

#include <algorithm>

namespace goat::ptxsim {

namespace {

constexpr uint64_t functionSpacing = 16;

bool sizesAgree(const std::vector<const Variable *> &actual,
                const std::vector<Variable *> &formal) {
  return std::equal(
      actual.begin(), actual.end(), formal.begin(), formal.end(),
      [](const Variable *a, const Variable *b) { return a->size == b->size; });
}

/// Gives each call through a pointer that comes without a list of its targets
/// those that instructions or initialisers take the address of.
void findCallTargets(ModuleImpl &module) {
  std::vector<const Function *> taken;
  auto take = [&](const Function *function) {
    if (function && function->syntax->isDefined && !function->syntax->isEntry &&
        std::find(taken.begin(), taken.end(), function) == taken.end())
      taken.push_back(function);
  };
  for (const auto &function : module.functions)
    for (const ConstantSlot &constant : function->constants)
      take(constant.function);
  for (const auto &variable : module.syntax.variables)
    for (const Relocation &relocation : variable->relocations)
      take(module.findFunction(relocation.symbol));
  for (auto &function : module.functions)
    for (auto &call : function->calls) {
      if (call->callee || call->isListed)
        continue;
      for (const Function *target : taken)
        if (call->fits(*target->syntax)) {
          call->targets.push_back(target);
          function->reachable.push_back(target);
        }
    }
}

/// Makes `reachable` transitive and puts the function itself first.
void closeReachable(ModuleImpl &module) {
  for (auto &function : module.functions) {
    std::vector<const Function *> all{function.get()};
    for (size_t i = 0; i < all.size(); ++i)
      for (const Function *callee : module.functions[all[i]->index]->reachable)
        if (std::find(all.begin(), all.end(), callee) == all.end())
          all.push_back(callee);
    function->reachable = std::move(all);
  }
}

} // namespace

bool CallInfo::fits(const FunctionSyntax &callee) const {
  return sizesAgree(arguments, callee.params) &&
         sizesAgree(returns, callee.returns);
}

uint64_t Function::address() const {
  return functionWindow + index * functionSpacing;
}

const Function *ModuleImpl::functionAt(uint64_t address) const {
  uint64_t offset = address - functionWindow;
  return offset % functionSpacing == 0 &&
                 offset / functionSpacing < functions.size()
             ? functions[offset / functionSpacing].get()
             : nullptr;
}

std::string ModuleImpl::lineText(uint32_t line) const {
  if (line == 0 || line > lineStarts.size())
    return "";
  size_t begin = lineStarts[line - 1];
  size_t end = line < lineStarts.size() ? lineStarts[line] - 1 : text.size();
  auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (begin < end && isBlank(text[begin]))
    ++begin;
  while (end > begin && isBlank(text[end - 1]))
    --end;
  return text.substr(begin, end - begin);
}

SharedLayout layoutShared(const Function &entry) {
  SharedLayout layout;
  uint32_t packed = sharedBase, spread = sharedBase;
  std::vector<const Variable *> dynamic;
  uint32_t dynamicAlignment = 16;
  // Places the next variable behind a gap, in the same banks as without it.
  auto place = [&](uint32_t alignment, bool isFirst) {
    constexpr uint32_t gap = 512, banks = 128;
    packed = (packed + alignment - 1) & ~(alignment - 1);
    uint32_t period = std::max(alignment, banks);
    uint32_t least = isFirst ? packed : spread + gap;
    return least + ((packed - least) & (period - 1));
  };
  for (const Function *function : entry.reachable)
    for (const Variable *variable : function->variables) {
      if (variable->space != Space::Shared)
        continue;
      auto isKnown = [&](const auto &entry) { return entry.first == variable; };
      if (std::any_of(layout.offsets.begin(), layout.offsets.end(), isKnown))
        continue;
      if (variable->isDynamicShared) {
        dynamic.push_back(variable);
        dynamicAlignment = std::max(dynamicAlignment, variable->alignment);
        continue;
      }
      uint32_t offset = place(variable->alignment, layout.offsets.empty());
      layout.offsets.push_back({variable, offset});
      uint32_t size = static_cast<uint32_t>(variable->size);
      packed += size;
      spread = offset + size;
    }
  layout.staticBytes = packed - sharedBase;
  layout.dynamicOffset = place(dynamicAlignment, layout.offsets.empty());
  layout.packedBytes = packed - sharedBase;
  layout.usesDynamic = !dynamic.empty();
  for (const Variable *variable : dynamic)
    layout.offsets.push_back({variable, layout.dynamicOffset});
  return layout;
}

Result<Module> Module::parse(std::string_view text, std::string name) {
  auto impl = std::make_shared<ModuleImpl>();
  impl->name = std::move(name);
  impl->text = std::string(text);
  impl->lineStarts.push_back(0);
  for (size_t i = 0; i < impl->text.size(); ++i)
    if (impl->text[i] == '\n')
      impl->lineStarts.push_back(i + 1);
  Parser parser(impl->text, impl->name, impl->syntax);
  if (!parser.run())
    return Error{parser.error()};
  // All functions exist before the first call is decoded.
  for (const auto &syntax : impl->syntax.functions) {
    impl->functions.push_back(std::make_unique<Function>());
    Function &function = *impl->functions.back();
    function.syntax = syntax.get();
    function.name = syntax->name;
    function.index = static_cast<uint32_t>(impl->functions.size() - 1);
  }
  for (auto &function : impl->functions) {
    Decoder decoder(*impl, *function);
    if (!decoder.run())
      return Error{decoder.error()};
  }
  findCallTargets(*impl);
  closeReachable(*impl);
  for (const auto &function : impl->functions)
    if (function->syntax->isEntry)
      for (const Variable *variable : function->variables)
        if (variable->space == Space::Shared && variable->size > (1u << 20))
          return Error{impl->name +
                       ": expected at most 1 MiB of shared memory "
                       "but '" +
                       variable->name + "' has " +
                       std::to_string(variable->size) + " bytes"};
  return Module(std::move(impl));
}

std::vector<KernelInfo> Module::kernels() const {
  std::vector<KernelInfo> result;
  for (const auto &function : pimpl->functions) {
    const FunctionSyntax &syntax = *function->syntax;
    if (!syntax.isEntry)
      continue;
    KernelInfo info;
    info.name = function->name;
    for (const Variable *param : syntax.params)
      info.params.push_back({param->name, static_cast<uint32_t>(param->size),
                             param->alignment,
                             static_cast<uint32_t>(param->offset)});
    info.requiredThreads = syntax.requiredThreads;
    info.maxThreads = syntax.maxThreads;
    info.requiredCluster = syntax.requiredCluster;
    SharedLayout layout = layoutShared(*function);
    info.staticSharedBytes = layout.staticBytes;
    info.usesDynamicShared = layout.usesDynamic;
    result.push_back(std::move(info));
  }
  return result;
}

const std::string &Module::version() const { return pimpl->syntax.version; }
const std::string &Module::target() const { return pimpl->syntax.target; }

} // namespace goat::ptxsim
