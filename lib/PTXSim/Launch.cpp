//===- Launch.cpp - run a kernel over a grid ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the call against what the kernel declares, places module variables,
// prepares constants, runs the blocks on host threads and adds up the counts.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>
#include <thread>

namespace goat::ptxsim {

namespace {

std::string triple(const std::array<uint32_t, 3> &t) {
  return std::to_string(t[0]) + "x" + std::to_string(t[1]) + "x" +
         std::to_string(t[2]);
}

/// Allocates the .global and .const variables of the module, once per memory.
bool placeModuleVariables(const ModuleImpl &module, Memory &memory,
                          std::string &error) {
  MemoryImpl &impl = memory.impl();
  if (impl.symbols.count(&module))
    return true;
  auto &symbols = impl.symbols[&module];
  for (const auto &variable : module.syntax.variables) {
    if (variable->space != Space::Global && variable->space != Space::Const)
      continue;
    uint64_t address =
        memory.allocate(variable->size, variable->name,
                        std::max<uint32_t>(variable->alignment, 1), Init::Zero);
    if (!address) {
      error = "expected room for variable '" + variable->name + "' of " +
              std::to_string(variable->size) + " bytes";
      return false;
    }
    symbols[variable.get()] = address;
  }
  for (const auto &variable : module.syntax.variables) {
    auto it = symbols.find(variable.get());
    if (it == symbols.end())
      continue;
    std::vector<uint8_t> bytes = variable->initial;
    for (const Relocation &relocation : variable->relocations) {
      uint64_t value = 0;
      bool isFound = false;
      for (const auto &[other, address] : symbols)
        if (other->name == relocation.symbol) {
          value = address + static_cast<uint64_t>(relocation.addend);
          isFound = true;
        }
      if (const Function *function = module.findFunction(relocation.symbol)) {
        value = function->address();
        isFound = true;
      }
      if (!isFound) {
        error = "expected the initialiser of '" + variable->name +
                "' to name a variable or function but got '" +
                relocation.symbol + "'";
        return false;
      }
      std::memcpy(bytes.data() + relocation.offset, &value, 8);
    }
    memory.write(it->second, bytes.data(), bytes.size());
    if (variable->space == Space::Const)
      impl.find(it->second)->isReadOnly = true;
  }
  return true;
}

bool packArguments(const Function &entry, const Arguments &arguments,
                   std::vector<uint8_t> &block, std::string &error) {
  const auto &params = entry.syntax->params;
  const auto &values = arguments.values();
  if (params.size() != values.size()) {
    error = "expected " + std::to_string(params.size()) + " arguments for '" +
            entry.name + "' but got " + std::to_string(values.size());
    return false;
  }
  block.assign(entry.syntax->entryParamBytes, 0);
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i]->size != values[i].size()) {
      error = "expected " + std::to_string(params[i]->size) +
              " bytes for parameter " + std::to_string(i) + " ('" +
              params[i]->name + "') but got " +
              std::to_string(values[i].size());
      return false;
    }
    if (!values[i].empty())
      std::memcpy(block.data() + params[i]->offset, values[i].data(),
                  values[i].size());
  }
  return true;
}

// The limits of every device since sm_90; the dynamic part of shared memory has
// to be asked for, the static part is limited by the assembler.
constexpr uint32_t gridLimits[] = {0x7fffffff, 65535, 65535};
constexpr uint32_t blockLimits[] = {1024, 1024, 64};
constexpr uint32_t maxBlockThreads = 1024;
constexpr uint32_t maxStaticShared = 48 * 1024;
constexpr uint32_t maxShared = 227 * 1024;
// Sixteen have to be asked for; eight are the limit otherwise.
constexpr uint32_t maxClusterBlocks = 16;
/// Blocks that run together have 2^24 bytes of a 32-bit address space each.
constexpr uint32_t maxCooperativeBlocks = 256;

bool checkConfig(const Function &entry, const LaunchConfig &config,
                 std::string &error) {
  uint64_t threads = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (!config.grid[d] || !config.block[d]) {
      error = "expected grid and block of at least 1 in each dimension but got "
              "grid " +
              triple(config.grid) + ", block " + triple(config.block);
      return false;
    }
    auto exceeds = [&](const char *what, const char *whole, uint32_t limit,
                       uint32_t extent) {
      if (extent <= limit)
        return false;
      error = "expected at most " + std::to_string(limit) + " " + what +
              " on axis " + std::to_string(d) + " of the " + whole + " of '" +
              entry.name + "' but got " + std::to_string(extent);
      return true;
    };
    if (exceeds("blocks", "grid", gridLimits[d], config.grid[d]) ||
        exceeds("threads", "block", blockLimits[d], config.block[d]))
      return false;
    threads *= config.block[d];
  }
  if (threads > maxBlockThreads) {
    error = "expected at most " + std::to_string(maxBlockThreads) +
            " threads in a block of '" + entry.name + "' but got " +
            triple(config.block);
    return false;
  }
  const auto &required = entry.syntax->requiredThreads;
  if (required[0] && required != config.block) {
    error = "expected block " + triple(required) +
            ", as .reqntid says, but got " + triple(config.block);
    return false;
  }
  const auto &most = entry.syntax->maxThreads;
  if (most[0] && threads > uint64_t(most[0]) * most[1] * most[2]) {
    error = "expected a block within .maxntid " + triple(most) + " but got " +
            triple(config.block);
    return false;
  }
  return true;
}

/// The cluster of the launch; `cluster` is set.
bool checkCluster(const Function &entry, const LaunchConfig &config,
                  std::array<uint32_t, 3> &cluster, std::string &error) {
  const auto &required = entry.syntax->requiredCluster;
  constexpr std::array<uint32_t, 3> single{1, 1, 1};
  cluster = config.cluster;
  if (required[0]) {
    if (cluster != single && cluster != required) {
      error = "expected cluster " + triple(required) +
              ", as .reqnctapercluster says, but got " + triple(cluster);
      return false;
    }
    cluster = required;
  }
  uint64_t size = uint64_t(cluster[0]) * cluster[1] * cluster[2];
  if (!size || size > maxClusterBlocks) {
    error = "expected a cluster of 1 to " + std::to_string(maxClusterBlocks) +
            " blocks but got " + triple(cluster);
    return false;
  }
  uint32_t most = entry.syntax->maxClusterRank;
  if (most && size > most) {
    error = "expected a cluster within .maxclusterrank " +
            std::to_string(most) + " but got " + triple(cluster);
    return false;
  }
  for (unsigned d = 0; d < 3; ++d)
    if (config.grid[d] % cluster[d]) {
      error = "expected a grid that is a multiple of the cluster " +
              triple(cluster) + " but got " + triple(config.grid);
      return false;
    }
  return true;
}

bool checkShared(const Function &entry, const SharedLayout &layout,
                 uint64_t dynamicBytes, uint64_t total, std::string &error) {
  if (layout.staticBytes > maxStaticShared) {
    error = "expected at most " + std::to_string(maxStaticShared) +
            " bytes of shared variables in '" + entry.name + "' but got " +
            std::to_string(layout.staticBytes) +
            "; larger arrays are .extern and sized by the launch";
    return false;
  }
  if (total > maxShared) {
    error = "expected at most " + std::to_string(maxShared) +
            " bytes of shared memory for '" + entry.name + "' but got " +
            std::to_string(total) + ", of them " +
            std::to_string(dynamicBytes) + " dynamic";
    return false;
  }
  return true;
}

/// The contents of a function's constant slots for this launch.
std::vector<uint8_t> buildConstants(const LaunchState &launch,
                                    const Function &function) {
  std::vector<uint8_t> image(
      size_t(function.numSlots - function.firstConstant) * slotBytes, 0);
  for (const ConstantSlot &constant : function.constants) {
    uint64_t value = constant.bits;
    const LaunchConfig &config = launch.config;
    switch (constant.kind) {
    case ConstantSlot::Bits:
    case ConstantSlot::LocalAddress:
      break;
    case ConstantSlot::Address: {
      uint64_t address = 0;
      launch.addressOf(*constant.variable, address);
      value += address;
      break;
    }
    case ConstantSlot::FunctionAddress:
      value = constant.function->address();
      break;
    case ConstantSlot::Special:
      switch (constant.special) {
      case SpecialRegister::NtidX:
        value = config.block[0];
        break;
      case SpecialRegister::NtidY:
        value = config.block[1];
        break;
      case SpecialRegister::NtidZ:
        value = config.block[2];
        break;
      case SpecialRegister::NctaidX:
        value = config.grid[0];
        break;
      case SpecialRegister::NctaidY:
        value = config.grid[1];
        break;
      case SpecialRegister::NctaidZ:
        value = config.grid[2];
        break;
      case SpecialRegister::ClusterSize:
        value = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
        break;
      case SpecialRegister::ClusterNctaidX:
        value = launch.cluster[0];
        break;
      case SpecialRegister::ClusterNctaidY:
        value = launch.cluster[1];
        break;
      case SpecialRegister::ClusterNctaidZ:
        value = launch.cluster[2];
        break;
      case SpecialRegister::NclusteridX:
        value = config.grid[0] / launch.cluster[0];
        break;
      case SpecialRegister::NclusteridY:
        value = config.grid[1] / launch.cluster[1];
        break;
      case SpecialRegister::NclusteridZ:
        value = config.grid[2] / launch.cluster[2];
        break;
      case SpecialRegister::Nwarpid:
        value = (config.block[0] * config.block[1] * config.block[2] +
                 warpSize - 1) /
                warpSize;
        break;
      case SpecialRegister::Nsmid:
        value = 1;
        break;
      case SpecialRegister::EnvReg1:
        value = launch.memory.gridWorkspace >> 32;
        break;
      case SpecialRegister::EnvReg2:
        value = static_cast<uint32_t>(launch.memory.gridWorkspace);
        break;
      case SpecialRegister::DynamicSmemSize:
        value = config.dynamicSharedBytes;
        break;
      case SpecialRegister::TotalSmemSize:
      case SpecialRegister::AggrSmemSize:
        value = launch.sharedLayout.packedBytes + config.dynamicSharedBytes;
        break;
      default:
        value = 0;
      }
    }
    uint8_t *slot = image.data() +
                    size_t(constant.slot - function.firstConstant) * slotBytes;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(slot + size_t(lane) * constant.bytes, &value,
                  std::min<unsigned>(constant.bytes, 8));
  }
  return image;
}

Counts sumCounts(const ModuleImpl &module,
                 const std::vector<std::unique_ptr<Worker>> &workers) {
  Counts counts;
  counts.lines.resize(module.lineStarts.size() + 1);
  for (const auto &function : module.functions)
    for (const Instr &instr : function->code)
      for (const auto &worker : workers) {
        const InstrCounts &from = worker->counts[instr.id];
        counts.warpInstructions += from.warps;
        counts.byClass[static_cast<size_t>(instr.opClass)] += from.warps;
        counts.tensorFlops += from.warps * instr.flops;
        counts.tensorFlopsByKind[static_cast<size_t>(instr.tensorKind)] +=
            from.warps * instr.flops;
        counts.sharedWavefronts += from.wavefronts;
        counts.bankConflicts += from.conflicts;
        counts.globalSectors += from.sectors;
        if (instr.opClass == OpClass::AsyncCopy)
          counts.asyncSectors += from.sectors;
        counts.globalBytes += from.bytes;
        LineCounts &line = counts.lines[instr.line];
        line.warpInstructions += from.warps;
        line.threadInstructions += from.threads;
        line.sharedWavefronts += from.wavefronts;
        line.bankConflicts += from.conflicts;
        line.globalSectors += from.sectors;
        line.globalBytes += from.bytes;
      }
  for (const auto &worker : workers) {
    counts.blockSectors += worker->blockSectors;
    counts.uniqueSectorsRead += worker->uniqueSectorsRead;
    counts.uniqueSectorsWritten += worker->uniqueSectorsWritten;
  }
  return counts;
}

} // namespace

bool LaunchState::addressOf(const Variable &variable, uint64_t &address) const {
  if (variable.space == Space::Shared) {
    for (const auto &[known, offset] : sharedLayout.offsets)
      if (known == &variable) {
        address = offset;
        return true;
      }
    return false;
  }
  auto symbols = memory.symbols.find(&module);
  if (symbols == memory.symbols.end())
    return false;
  auto it = symbols->second.find(&variable);
  if (it == symbols->second.end())
    return false;
  address = it->second;
  return true;
}

void LaunchState::placeShared() {
  uint32_t end = sharedBase;
  for (const auto &[variable, offset] : sharedLayout.offsets)
    if (!variable->isDynamicShared) {
      end = offset + static_cast<uint32_t>(variable->size);
      sharedSegments.push_back(
          {offset - sharedBase, end - sharedBase, variable->name});
    }
  if (config.dynamicSharedBytes) {
    uint32_t begin = sharedLayout.dynamicOffset;
    end = begin + config.dynamicSharedBytes;
    sharedSegments.push_back(
        {begin - sharedBase, end - sharedBase, "dynamic shared memory"});
  }
  sharedBytes = end - sharedBase;
}

bool LaunchState::gather(uint64_t numBlocks, std::string &error) {
  gang = isCooperative ? config.grid : cluster;
  if (isCooperative && cluster != std::array<uint32_t, 3>{1, 1, 1}) {
    error = "expected a cooperative launch without clusters but got clusters "
            "of " +
            triple(cluster) + " blocks";
    return false;
  }
  if (isCooperative && numBlocks > maxCooperativeBlocks) {
    error = "expected at most " + std::to_string(maxCooperativeBlocks) +
            " blocks in a cooperative launch of '" + entry.name + "' but got " +
            triple(config.grid);
    return false;
  }
  blocksPerGang = gang[0] * gang[1] * gang[2];
  return true;
}

std::array<uint32_t, 3> LaunchState::originOf(uint64_t index) const {
  uint64_t across = config.grid[0] / gang[0];
  uint64_t down = config.grid[1] / gang[1];
  return {static_cast<uint32_t>(index % across * gang[0]),
          static_cast<uint32_t>(index / across % down * gang[1]),
          static_cast<uint32_t>(index / across / down * gang[2])};
}

void BlockOrder::draw(uint64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  numClusters = count;
  first = random() % count;
  do
    step = random() % count;
  while (std::gcd(step, count) != 1);
}

uint64_t BlockOrder::operator[](uint64_t i) const {
  __extension__ typedef unsigned __int128 UInt128;
  return static_cast<uint64_t>((UInt128(i) * step + first) % numClusters);
}

namespace {
double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}
} // namespace

void Worker::run() {
  double start = threadSeconds();
  runClusters();
  cpuSeconds = threadSeconds() - start;
}

void Worker::runClusters() {
  Cluster cluster(*this);
  uint64_t count = launch.order.count();
  uint64_t total = count * launch.blocksPerGang;
  while (!launch.stop.load(std::memory_order_relaxed)) {
    uint64_t next = launch.nextCluster.fetch_add(1);
    if (next >= count)
      return;
    cluster.run(launch.order[next]);
    uint64_t done = launch.blocksDone.fetch_add(launch.blocksPerGang) +
                    launch.blocksPerGang;
    if (launch.config.progress) {
      std::lock_guard<std::mutex> lock(launch.progressMutex);
      launch.config.progress(done, total);
    }
  }
}

Result<LaunchResult> launch(const Module &module, std::string_view entryName,
                            Memory &memory, const Arguments &arguments,
                            const LaunchConfig &config) {
  const ModuleImpl &impl = module.impl();
  const Function *entry = impl.findFunction(entryName);
  if (!entry || !entry->syntax->isEntry) {
    std::string known;
    for (const KernelInfo &kernel : module.kernels())
      known += (known.empty() ? "" : ", ") + kernel.name;
    return Error{"expected a kernel of '" + impl.name + "' (" + known +
                 ") but got '" + std::string(entryName) + "'"};
  }
  std::string error;
  LaunchState state(impl, *entry, memory.impl(), config);
  if (!checkConfig(*entry, config, error) ||
      !checkCluster(*entry, config, state.cluster, error) ||
      !packArguments(*entry, arguments, state.params, error) ||
      !placeModuleVariables(impl, memory, error))
    return Error{error};
  state.sharedLayout = layoutShared(*entry);
  const SharedLayout &layout = state.sharedLayout;
  uint64_t sharedTotal =
      uint64_t(layout.packedBytes) + config.dynamicSharedBytes;
  if (!checkShared(*entry, layout, config.dynamicSharedBytes, sharedTotal,
                   error))
    return Error{error};
  state.placeShared();
  uint32_t globalGranule = 4;
  for (const Function *function : entry->reachable) {
    state.sharedGranule =
        std::min(state.sharedGranule, function->narrowestShared);
    state.usesAsync |= function->usesAsync;
    state.isCooperative |= function->usesGridBarrier;
    if (function->usesHeap && !memory.impl().heap)
      memory.impl().heap = memory.allocate(heapBytes, "the heap of malloc");
    globalGranule = std::min(globalGranule, function->narrowestGlobal);
  }
  uint64_t numBlocks =
      uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
  if (!state.gather(numBlocks, error))
    return Error{error};
  if (state.isCooperative && !memory.impl().gridWorkspace)
    memory.impl().gridWorkspace =
        memory.allocate(256, "the workspace of grid barriers", 256, Init::Zero);
  for (const auto &function : impl.functions)
    state.constants.push_back(buildConstants(state, *function));
  state.order.draw(numBlocks / state.blocksPerGang, config.seed);
  state.sectors = std::make_unique<SectorMap>(state.memory);

  if (config.checks == Checks::All)
    state.races = std::make_unique<GlobalRaces>(memory.impl(), globalGranule);

  uint32_t threads =
      config.threads ? config.threads : std::thread::hardware_concurrency();
  threads = static_cast<uint32_t>(
      std::min<uint64_t>(std::max<uint32_t>(threads, 1), state.order.count()));
  std::vector<std::unique_ptr<Worker>> workers;
  for (uint32_t t = 0; t < threads; ++t)
    workers.push_back(std::make_unique<Worker>(state));
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> helpers;
  for (uint32_t t = 1; t < threads; ++t)
    helpers.emplace_back([&workers, t] { workers[t]->run(); });
  workers[0]->run();
  for (std::thread &helper : helpers)
    helper.join();

  LaunchResult result;
  result.hostSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  for (const auto &worker : workers)
    result.cpuSeconds += worker->cpuSeconds;
  result.counts = sumCounts(impl, workers);
  result.findings = state.sink.take();
  result.completed = !state.stop && state.blocksDone == numBlocks;
  for (const Finding &finding : result.findings)
    result.completed &= finding.kind != FindingKind::Deadlock &&
                        finding.kind != FindingKind::StepLimit &&
                        finding.kind != FindingKind::Trap;
  return result;
}

} // namespace goat::ptxsim
