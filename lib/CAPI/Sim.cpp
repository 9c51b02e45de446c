//===- Sim.cpp - a simulated GPU, for code that launches ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands the simulator's memory and launches through.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "goat/PTXSim/PTXSim.h"
#include "goat/Runtime/TensorMaps.h"

#include <cstring>

using namespace goat;
using namespace goat::capi;

struct GoatSim {
  ptxsim::Memory memory;
  uint64_t seed;
};

struct GoatSimModule {
  ptxsim::Module module;
};

GoatSim *goatSimCreate(uint64_t seed) { return new GoatSim{{}, seed}; }

void goatSimDestroy(GoatSim *sim) { delete sim; }

uint64_t goatSimAllocate(GoatSim *sim, uint64_t bytes, const char *name) {
  return sim ? sim->memory.allocate(bytes, name ? name : "") : 0;
}

GoatStatus goatSimWrite(GoatSim *sim, uint64_t address, const void *source,
                        uint64_t bytes) {
  if (!sim || (bytes > 0 && !source))
    return GOAT_INVALID_ARGUMENT;
  return bytes == 0 || sim->memory.write(address, source, bytes)
             ? GOAT_OK
             : GOAT_MISMATCH;
}

GoatStatus goatSimRead(const GoatSim *sim, uint64_t address, void *destination,
                       uint64_t bytes) {
  if (!sim || (bytes > 0 && !destination))
    return GOAT_INVALID_ARGUMENT;
  return bytes == 0 || sim->memory.read(address, destination, bytes)
             ? GOAT_OK
             : GOAT_MISMATCH;
}

GoatStatus goatSimEncodeTensorMap(const GoatTensorMap *map, void *encoded,
                                  GoatDiagnostics *diagnostics) {
  if (!map || !encoded)
    return refuseNull(diagnostics, "goatSimEncodeTensorMap");
  std::optional<ptx::DType> dtype = ptx::parseDType(nameOf(map->dtype));
  if (!dtype)
    return fail(diagnostics, GOAT_INVALID_ARGUMENT,
                "expected a dtype that kernels take for a tensor map but got " +
                    nameOf(map->dtype));
  std::optional<ptxsim::TensorMapSwizzle> swizzle =
      runtime::tensorMapSwizzle(map->swizzle);
  if (!swizzle)
    return fail(diagnostics, GOAT_INVALID_ARGUMENT,
                "expected a swizzle of 0, 32, 64 or 128 bytes but got " +
                    llvm::Twine(map->swizzle));
  ptxsim::TensorMapDescription description;
  description.type = runtime::tensorMapType(*dtype);
  description.swizzle = *swizzle;
  description.rank = map->rank;
  description.address = map->address;
  llvm::copy(map->extents, description.dims.begin());
  llvm::copy(map->strides, description.strides.begin());
  llvm::copy(map->box, description.box.begin());
  ptxsim::Result<ptxsim::TensorMap> result =
      ptxsim::encodeTensorMap(description);
  if (!result)
    return fail(diagnostics, GOAT_INVALID_ARGUMENT, result.error());
  std::memcpy(encoded, result->data(), result->size());
  return GOAT_OK;
}

GoatStatus goatSimModuleLoad(const char *ptx, size_t size, const char *name,
                             GoatSimModule **module,
                             GoatDiagnostics *diagnostics) {
  if (!ptx || !name || !module)
    return refuseNull(diagnostics, "goatSimModuleLoad");
  ptxsim::Result<ptxsim::Module> parsed =
      ptxsim::Module::parse({ptx, size}, name);
  if (!parsed)
    return fail(diagnostics, GOAT_PARSE_ERROR, parsed.error());
  *module = new GoatSimModule{std::move(*parsed)};
  return GOAT_OK;
}

void goatSimModuleDestroy(GoatSimModule *module) { delete module; }

GoatStatus goatSimRun(GoatSim *sim, const GoatSimModule *module,
                      const GoatSimLaunch *launch,
                      GoatDiagnostics *diagnostics) {
  if (!sim || !module || !launch || !launch->entry ||
      (launch->argumentCount > 0 &&
       (!launch->arguments || !launch->argumentSizes)))
    return refuseNull(diagnostics, "goatSimRun");
  ptxsim::LaunchConfig config;
  llvm::copy(launch->grid, config.grid.begin());
  llvm::copy(launch->block, config.block.begin());
  llvm::copy(launch->cluster, config.cluster.begin());
  config.dynamicSharedBytes = launch->sharedBytes;
  config.seed = sim->seed;
  config.threads = 0;
  ptxsim::Arguments arguments;
  for (size_t i = 0; i < launch->argumentCount; ++i)
    arguments.bytes(launch->arguments[i], launch->argumentSizes[i]);
  ptxsim::Result<ptxsim::LaunchResult> result = ptxsim::launch(
      module->module, launch->entry, sim->memory, arguments, config);
  if (!result)
    return fail(diagnostics, GOAT_MISMATCH, result.error());
  for (const ptxsim::Finding &finding : result->findings)
    if (diagnostics)
      diagnostics->entries.push_back(
          {GOAT_ERROR, finding.str(), finding.source, finding.line});
  if (result->findings.empty() && !result->completed)
    return fail(diagnostics, GOAT_FINDINGS,
                llvm::Twine("'") + launch->entry + "' did not run to its end");
  return result->findings.empty() ? GOAT_OK : GOAT_FINDINGS;
}
