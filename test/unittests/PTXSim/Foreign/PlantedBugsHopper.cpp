//===- PlantedBugsHopper.cpp - planted bugs with the units of sm_90 -------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and launches for the kernels of cuda/bugs90.cu and their repaired
// twins.
//
//===----------------------------------------------------------------------===//

#include "ForeignKernel.h"

#include <numeric>

using namespace goat::ptxsim;
using namespace goat::ptxsim::test;

namespace {

std::vector<int> counting(size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

PLANTED_BUG("cuda/bugs90", bulkNotAwaited,
            "a row is read without waiting for its bulk copy",
            FindingKind::MissingAsyncWait, FindingKind::UninitialisedMemory,
            FindingKind::SharedRace) {
  return device.tryLaunch({1}, {64}, device.upload(counting(64)),
                          device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs90", bytesMiscounted,
            "an mbarrier expects more bytes than come", FindingKind::Deadlock) {
  return device.tryLaunch({1}, {64}, device.upload(counting(64)),
                          device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs90", storeWithoutFence,
            "a bulk store of what threads wrote, without a proxy fence",
            FindingKind::MissingFence) {
  return device.tryLaunch({1}, {64}, device.upload(counting(64)),
                          device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs90", clearedWithoutFence,
            "a bulk copy over what threads wrote, without a proxy fence",
            FindingKind::MissingFence) {
  return device.tryLaunch({1}, {64}, device.upload(counting(48)),
                          device.empty<int>(64), 48);
}

PLANTED_BUG("cuda/bugs90", fenceOfOtherSpace,
            "a bulk store behind a proxy fence for global memory alone",
            FindingKind::MissingFence) {
  return device.tryLaunch({1}, {64}, device.upload(counting(64)),
                          device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs90", storeOverwritten,
            "the buffer of a bulk store is overwritten too early",
            FindingKind::MissingAsyncWait, FindingKind::SharedRace) {
  return device.tryLaunch({1}, {64}, device.upload(counting(128)),
                          device.empty<int>(128));
}

PLANTED_BUG("cuda/bugs90", ringNotEmpty,
            "a producer that does not wait until a buffer is free",
            FindingKind::SharedRace, FindingKind::MissingAsyncWait,
            FindingKind::MbarrierMisuse, FindingKind::Deadlock) {
  return device.tryLaunch({1}, {96}, device.upload(counting(6 * 64)),
                          device.empty<int>(64), 6);
}

PLANTED_BUG("cuda/bugs90", arrivalMissing,
            "an mbarrier that one thread does not arrive at",
            FindingKind::Deadlock) {
  return device.tryLaunch({1}, {64}, device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs90", barrierTooEarly,
            "an mbarrier is used without a barrier after its initialisation",
            FindingKind::MbarrierMisuse, FindingKind::Deadlock) {
  return device.tryLaunch({1}, {64}, device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs90", peerNotSynchronised,
            "a neighbour's shared memory is read without a cluster barrier",
            FindingKind::SharedRace, FindingKind::UninitialisedMemory,
            FindingKind::ClusterPeer) {
  return device.tryLaunch({2}, {32}, device.upload(counting(64)),
                          device.empty<int>(64));
}

PLANTED_BUG("cuda/bugs90", peerLeaves,
            "a block leaves while its neighbour reads its shared memory",
            FindingKind::ClusterPeer) {
  return device.tryLaunch({2}, {32}, device.upload(counting(64)),
                          device.empty<int>(64));
}

LaunchResult runWgmma(Device &device) {
  std::vector<uint16_t> a(64 * 16, 0x3f80), b(8 * 16, 0x3f80);
  return device.tryLaunch({1}, {128}, device.upload(a), device.upload(b),
                          device.empty<float>(512));
}

PLANTED_BUG("cuda/bugs90", wgmmaWithoutProxyFence,
            "wgmma reads what threads wrote, without a proxy fence",
            FindingKind::MissingFence) {
  return runWgmma(device);
}

PLANTED_BUG("cuda/bugs90", wgmmaNotAwaited,
            "accumulators are read before wgmma.wait_group",
            FindingKind::MissingAsyncWait) {
  return runWgmma(device);
}

PLANTED_BUG("cuda/bugs90", wgmmaWithoutFence,
            "accumulators are set up without wgmma.fence",
            FindingKind::MissingFence) {
  return runWgmma(device);
}

} // namespace
