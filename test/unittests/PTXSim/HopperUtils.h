//===- HopperUtils.h - kernels for the tests of asynchronous features -----===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wrapper of TestUtils.h for sm_90a, runs over several seeds, and findings
// by kind.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TEST_UNITTESTS_PTXSIM_HOPPERUTILS_H
#define GOAT_TEST_UNITTESTS_PTXSIM_HOPPERUTILS_H

#include "TestUtils.h"

namespace goat::ptxsim::test {

/// The kernel of `wrap`, for sm_90a.
inline std::string wrap90(const std::string &body,
                          const std::string &declarations = "",
                          const std::string &directives = "") {
  std::string text = wrap(body, declarations);
  size_t at = text.find(header);
  text.replace(at, header.size(),
               ".version 8.6\n.target sm_90a\n.address_size 64\n");
  if (!directives.empty())
    text.insert(text.find("out) {") + 4, "\n" + directives + "\n");
  return text;
}

inline std::string kinds(const KernelRun &run) {
  std::string all;
  for (const Finding &finding : run.result.findings)
    all += std::string(all.empty() ? "" : " ") + findingKindName(finding.kind);
  return all;
}

/// The text of the first finding.
inline std::string firstMessage(const KernelRun &run) {
  return run.result.findings.empty() ? "" : run.result.findings[0].message;
}

constexpr uint64_t numSeeds = 8;

} // namespace goat::ptxsim::test

#endif // GOAT_TEST_UNITTESTS_PTXSIM_HOPPERUTILS_H
