//===- saxpy.cpp - the simulator in a program -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses PTX, runs y = a x + y on a thousand elements, prints what was found
// and what an H100 would take.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/PTXSim.h"
#include "goat/PTXSim/Performance.h"

#include <cstdio>
#include <vector>

using namespace goat::ptxsim;

static const char *const text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a,
                      .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 ret;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mad.wide.u32 %rd3, %r4, 4, %rd1;
  mad.wide.u32 %rd4, %r4, 4, %rd2;
  ld.param.f32 %f1, [a];
  ld.global.f32 %f2, [%rd3];
  ld.global.f32 %f3, [%rd4];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd4], %f4;
  ret;
}
)";

int main() {
  const unsigned n = 1000;
  Result<Module> module = Module::parse(text, "saxpy.ptx");
  if (!module) {
    std::fprintf(stderr, "%s\n", module.error().c_str());
    return 1;
  }
  std::vector<float> x(n), y(n);
  for (unsigned i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 1;
  }
  Memory memory;
  uint64_t xAddress = memory.allocate(4 * n, "x");
  uint64_t yAddress = memory.allocate(4 * n, "y");
  memory.write(xAddress, x.data(), 4 * n);
  memory.write(yAddress, y.data(), 4 * n);
  LaunchConfig config;
  config.grid = {(n + 127) / 128, 1, 1};
  config.block = {128, 1, 1};
  Result<LaunchResult> run = launch(
      *module, "saxpy", memory,
      Arguments().pointer(xAddress).pointer(yAddress).f32(2).u32(n), config);
  if (!run) {
    std::fprintf(stderr, "%s\n", run.error().c_str());
    return 1;
  }
  for (const Finding &finding : run->findings)
    std::printf("%s\n", finding.str().c_str());
  memory.read(yAddress, y.data(), 4 * n);
  std::printf("%zu findings, y[999] = %g\n", run->findings.size(), y[999]);
  LaunchShape shape;
  shape.blocks = config.grid[0];
  shape.threads = 128;
  std::printf(
      "%s",
      predictionText(predict(run->counts, shape, *findChip("sm_90"))).c_str());
  return run->findings.empty() && y[999] == 1999 ? 0 : 1;
}
