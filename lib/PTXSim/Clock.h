//===- Clock.h - what one party knows of the others -----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks. The parties are the warps of a cluster and, in kernels with
// asynchronous copies, the warpgroups for what their wgmmas read and the copies
// behind the mbarriers. Such kernels keep three
// clocks one after the other, so that every release and acquire carries all of
// them: what is known to have happened; what is known to be visible to the
// async proxy as well; which mbarriers are known to be initialised.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_CLOCK_H
#define GOAT_LIB_PTXSIM_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace goat::ptxsim {

using Clock = std::vector<uint32_t>;

/// The later of both, entry by entry; an empty clock knows nothing.
inline void join(Clock &into, const Clock &from) {
  if (into.size() < from.size())
    into.resize(from.size(), 0);
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

/// Mbarriers that are told apart by the order of their copies; beyond that many
/// some share a party, and orders between those may be taken for granted.
constexpr uint32_t asyncParties = 32;

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_CLOCK_H
