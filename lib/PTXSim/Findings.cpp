//===- Findings.cpp - collecting and printing findings --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One entry per kind and instruction, with the number of times it happened.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>
#include <cstdio>

namespace goat::ptxsim {

const char *findingKindName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::ReadOnlyWrite:
    return "read-only-write";
  case FindingKind::UninitialisedRegister:
    return "uninitialised-register";
  case FindingKind::UninitialisedMemory:
    return "uninitialised-memory";
  case FindingKind::SharedRace:
    return "shared-race";
  case FindingKind::GlobalRace:
    return "global-race";
  case FindingKind::UndefinedResult:
    return "undefined-result";
  case FindingKind::MissingAsyncWait:
    return "missing-async-wait";
  case FindingKind::BarrierDivergence:
    return "barrier-divergence";
  case FindingKind::BarrierMismatch:
    return "barrier-mismatch";
  case FindingKind::InactiveLane:
    return "inactive-lane";
  case FindingKind::MbarrierMisuse:
    return "mbarrier-misuse";
  case FindingKind::MissingFence:
    return "missing-fence";
  case FindingKind::ClusterPeer:
    return "cluster-peer";
  case FindingKind::BadDescriptor:
    return "bad-descriptor";
  case FindingKind::BadCall:
    return "bad-call";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::Trap:
    return "trap";
  case FindingKind::StepLimit:
    return "step-limit";
  }
  return "unknown";
}

std::string Finding::str() const {
  char where[160];
  std::snprintf(where, sizeof(where),
                "%s: block (%u,%u,%u) warp %u lanes 0x%08x address 0x%llx",
                kernel.c_str(), block[0], block[1], block[2], warp, lanes,
                static_cast<unsigned long long>(address));
  std::string result = std::string(findingKindName(kind)) + " at line " +
                       std::to_string(line) + ": " + message + " [" + text +
                       "] in " + where;
  if (!allocation.empty())
    result += " near '" + allocation + "'";
  if (!source.empty())
    result += " from " + source;
  if (occurrences > 1)
    result += ", " + std::to_string(occurrences) + " times";
  return result;
}

bool FindingSink::isKnown(FindingKind kind, uint32_t instrId) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = index.find({kind, instrId});
  if (it == index.end())
    return false;
  ++findings[it->second].occurrences;
  return true;
}

void FindingSink::add(uint32_t instrId, Finding finding) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = index.insert({{finding.kind, instrId}, findings.size()});
  if (!isNew) {
    ++findings[it->second].occurrences;
    return;
  }
  if (findings.size() >= limit) {
    index.erase(it);
    stop = true;
    return;
  }
  findings.push_back(std::move(finding));
  if (findings.size() >= limit)
    stop = true;
}

std::vector<Finding> FindingSink::take() {
  std::vector<Finding> result = std::move(findings);
  std::sort(result.begin(), result.end(),
            [](const Finding &a, const Finding &b) {
              return std::tie(a.line, a.kind) < std::tie(b.line, b.kind);
            });
  return result;
}

} // namespace goat::ptxsim
