//===- PTXSim.h - execute PTX text on the CPU -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public interface of the PTX simulator: parse PTX, allocate simulated
// global memory, launch a kernel, read findings and counts. The library depends
// on the C++ standard library alone and shares no code with the compiler whose
// output it judges.
//
//   Result<Module> module = Module::parse(text, "scale.ptx");
//   Memory memory;
//   uint64_t x = memory.allocate(4 * n, "x");
//   memory.write(x, host, 4 * n);
//   LaunchConfig config;
//   config.grid = {blocks, 1, 1};
//   config.block = {128, 1, 1};
//   Result<LaunchResult> run = launch(*module, "scale", memory,
//                                     Arguments().pointer(x).u32(n), config);
//   for (const Finding &finding : run->findings)
//     report(finding.str());
//   memory.read(x, host, 4 * n);
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_PTXSIM_PTXSIM_H
#define GOAT_PTXSIM_PTXSIM_H

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace goat::ptxsim {

/// What went wrong with an input; `message` is complete in itself.
struct Error {
  std::string message;
};

/// A value, or the reason why there is none.
template <typename T> class Result {
public:
  Result(T value) : storage(std::make_unique<T>(std::move(value))) {}
  Result(Error error) : failure(std::move(error.message)) {}
  explicit operator bool() const { return storage != nullptr; }
  T &operator*() { return *storage; }
  const T &operator*() const { return *storage; }
  T *operator->() { return storage.get(); }
  const T *operator->() const { return storage.get(); }
  /// The message; empty when there is a value.
  const std::string &error() const { return failure; }

private:
  std::unique_ptr<T> storage;
  std::string failure;
};

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// One parameter of a kernel: sizes and offsets in bytes in the packed block.
struct ParamInfo {
  std::string name;
  uint32_t size = 0;
  uint32_t alignment = 1;
  uint32_t offset = 0;
};

/// What the text declares about one `.entry`.
struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  /// `.reqntid` and `.maxntid`; 0 where not given.
  std::array<uint32_t, 3> requiredThreads{0, 0, 0};
  std::array<uint32_t, 3> maxThreads{0, 0, 0};
  /// `.reqnctapercluster`; 0 where not given.
  std::array<uint32_t, 3> requiredCluster{0, 0, 0};
  /// Bytes of statically sized shared variables the kernel can reach.
  uint32_t staticSharedBytes = 0;
  /// The kernel refers to an `.extern .shared` array.
  bool usesDynamicShared = false;
};

struct ModuleImpl;

/// Parsed and decoded PTX. Immutable; one module may be launched from several
/// threads.
class Module {
public:
  /// Parses `text`; `name` stands for the file in messages. Malformed text,
  /// unresolved names and unsupported instructions are errors of the form
  /// "name:line:column: reason".
  static Result<Module> parse(std::string_view text, std::string name);

  std::vector<KernelInfo> kernels() const;
  /// `.version` and `.target` as written, for example "8.4" and "sm_80".
  const std::string &version() const;
  const std::string &target() const;

  const ModuleImpl &impl() const { return *pimpl; }

private:
  explicit Module(std::shared_ptr<const ModuleImpl> impl)
      : pimpl(std::move(impl)) {}
  std::shared_ptr<const ModuleImpl> pimpl;
};

/// The spellings the simulator accepts, printed from its own tables, one
/// pattern per entry: `(a|b)` is a choice and a trailing `?` makes it optional.
std::vector<std::string> supportedInstructions();

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

enum class Init { Uninitialised, Zero };

struct MemoryImpl;

/// Simulated global memory. Allocations lie far apart, so that an access which
/// leaves one is found; pages are only backed once they are touched, so that
/// allocations of many gigabytes are cheap.
class Memory {
public:
  Memory();
  ~Memory();
  Memory(Memory &&) noexcept;
  Memory &operator=(Memory &&) noexcept;

  /// Returns the device address of `bytes` fresh bytes; `name` appears in
  /// findings, `alignment` is a power of two. 0 if the host has no room.
  uint64_t allocate(uint64_t bytes, std::string name, uint64_t alignment = 256,
                    Init init = Init::Uninitialised);

  /// Copies host bytes in and marks them initialised. False when the range does
  /// not lie within one allocation.
  bool write(uint64_t address, const void *source, uint64_t bytes);

  /// Copies bytes out, initialised or not. False as for `write`.
  bool read(uint64_t address, void *destination, uint64_t bytes) const;

  /// How many of the bytes have never been written by host or device.
  uint64_t countUninitialised(uint64_t address, uint64_t bytes) const;

  /// Device address of a `.global` or `.const` variable, once its module was
  /// launched with this memory; 0 if there is none.
  uint64_t addressOf(const Module &module, std::string_view symbol) const;

  MemoryImpl &impl() { return *pimpl; }

private:
  std::unique_ptr<MemoryImpl> pimpl;
};

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

enum class TensorMapType : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  BF16,
  F32,
  TF32,
  F64,
};

/// Which 16-byte chunks of shared memory change places: the number is the span
/// in bytes.
enum class TensorMapSwizzle : uint8_t { None, B32, B64, B128 };

/// What elements outside of the tensor are read as.
enum class TensorMapFill : uint8_t { Zero, NaN };

/// A tensor in global memory and the box that one copy moves, without
/// interleaving. Dimension 0 is the innermost, its elements are contiguous.
struct TensorMapDescription {
  TensorMapType type = TensorMapType::F16;
  /// 1 to 5 dimensions.
  uint32_t rank = 1;
  uint64_t address = 0;
  /// Extents in elements.
  std::array<uint64_t, 5> dims{1, 1, 1, 1, 1};
  /// Bytes from one index to the next of dimensions 1 to rank - 1.
  std::array<uint64_t, 4> strides{0, 0, 0, 0};
  /// Extents of the box in elements.
  std::array<uint32_t, 5> box{1, 1, 1, 1, 1};
  /// Every how many elements of a dimension above 0 one is copied.
  std::array<uint32_t, 5> elementStrides{1, 1, 1, 1, 1};
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapFill fill = TensorMapFill::Zero;
};

using TensorMap = std::array<uint8_t, 128>;

/// The opaque tensor map for a kernel of this simulator, passed by value or
/// through global memory. Fails where the driver's cuTensorMapEncodeTiled does:
/// the address and the strides are multiples of 16 bytes, a stride is below
/// 2^40, an extent at most 2^32, a box at most 256 and its innermost extent a
/// multiple of 16 bytes within the span of the swizzle, element strides are 1
/// to 8, and NaN fills floating-point types.
Result<TensorMap> encodeTensorMap(const TensorMapDescription &description);

/// The parameter block of a launch. Values are pushed in order; the launch
/// checks number and sizes against the kernel's declaration.
class Arguments {
public:
  Arguments &pointer(uint64_t address) { return scalar(address); }
  Arguments &i32(int32_t value) { return scalar(value); }
  Arguments &u32(uint32_t value) { return scalar(value); }
  Arguments &i64(int64_t value) { return scalar(value); }
  Arguments &u64(uint64_t value) { return scalar(value); }
  Arguments &f32(float value) { return scalar(value); }
  Arguments &f64(double value) { return scalar(value); }
  /// A 16-bit value given by its bits (fp16, bf16, i16).
  Arguments &bits16(uint16_t value) { return scalar(value); }
  /// A parameter passed by value.
  Arguments &bytes(const void *data, size_t size);
  /// A tensor map passed by value.
  Arguments &tensorMap(const TensorMap &map) {
    return bytes(map.data(), map.size());
  }

  const std::vector<std::vector<uint8_t>> &values() const { return pushed; }

private:
  template <typename T> Arguments &scalar(T value) {
    return bytes(&value, sizeof(T));
  }
  std::vector<std::vector<uint8_t>> pushed;
};

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

enum class FindingKind {
  OutOfBounds,
  Misaligned,
  ReadOnlyWrite,
  UninitialisedRegister,
  UninitialisedMemory,
  SharedRace,
  GlobalRace,
  UndefinedResult,
  MissingAsyncWait,
  BarrierDivergence,
  BarrierMismatch,
  InactiveLane,
  /// An mbarrier that is not initialised, counts that do not fit, a phase that
  /// is neither the current nor the previous one.
  MbarrierMisuse,
  /// No fence between accesses of different proxies or of wgmma.
  MissingFence,
  /// Shared memory of a block of the cluster that may not have started yet or
  /// may have left.
  ClusterPeer,
  /// A matrix descriptor or tensor map that the hardware does not take.
  BadDescriptor,
  /// A call through a pointer that is null, no function, or one with other
  /// parameters.
  BadCall,
  Deadlock,
  Trap,
  StepLimit,
};

/// The name a report uses, for example "out-of-bounds".
const char *findingKindName(FindingKind kind);

/// Something the kernel did that it must not do. Repetitions of one kind at one
/// instruction are counted, not listed.
struct Finding {
  FindingKind kind;
  std::string message;
  std::string kernel;
  /// 1-based line in the PTX and the text of that line.
  uint32_t line = 0;
  std::string text;
  /// "file:line" from `.loc`, if there was one.
  std::string source;
  std::array<uint32_t, 3> block{0, 0, 0};
  uint32_t warp = 0;
  /// Bit i is set when lane i is concerned.
  uint32_t lanes = 0;
  /// The first address concerned, in the space that the message names.
  uint64_t address = 0;
  /// Global accesses: the allocation hit or missed; empty if there is none
  /// near.
  std::string allocation;
  uint64_t occurrences = 1;

  /// The whole finding on one line.
  std::string str() const;
};

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Which part of the chip an instruction asks for.
enum class OpClass : uint8_t {
  TensorMma,
  LoadMatrix,
  StoreMatrix,
  AsyncCopy,
  LoadGlobal,
  StoreGlobal,
  LoadShared,
  StoreShared,
  LoadLocal,
  StoreLocal,
  LoadConst,
  Atomic,
  Fp32Fma,
  Fp32Add,
  Fp32Mul,
  Fp32Other,
  Fp64,
  Half,
  Mufu,
  Convert,
  ConvertFormat,
  Integer,
  Shuffle,
  Sync,
  Control,
  Move,
  Count
};

const char *opClassName(OpClass opClass);

/// Tensor instructions by what they run on and the bits of an element.
enum class TensorKind : uint8_t {
  Mma8,
  Mma16,
  /// tf32.
  Mma32,
  Mma64,
  Warpgroup8,
  Warpgroup16,
  Warpgroup32,
  Count
};

const char *tensorKindName(TensorKind kind);

/// wgmma, in contrast to mma.sync.
inline bool isWarpgroup(TensorKind kind) {
  return kind >= TensorKind::Warpgroup8;
}

/// Executions of one PTX line. Warp instructions count once however many lanes
/// are active; those with no active lane are not counted.
struct LineCounts {
  uint64_t warpInstructions = 0;
  uint64_t threadInstructions = 0;
  /// Shared memory passes, and how many of them are due to bank conflicts.
  uint64_t sharedWavefronts = 0;
  uint64_t bankConflicts = 0;
  /// 32-byte sectors of global memory touched, per warp request.
  uint64_t globalSectors = 0;
  uint64_t globalBytes = 0;
};

struct Counts {
  uint64_t warpInstructions = 0;
  std::array<uint64_t, static_cast<size_t>(OpClass::Count)> byClass{};
  /// Multiply and add count as two.
  uint64_t tensorFlops = 0;
  std::array<uint64_t, static_cast<size_t>(TensorKind::Count)>
      tensorFlopsByKind{};
  uint64_t sharedWavefronts = 0;
  uint64_t bankConflicts = 0;
  uint64_t globalSectors = 0;
  uint64_t globalBytes = 0;
  /// Those of `globalSectors` that copies to shared memory ask for.
  uint64_t asyncSectors = 0;
  /// Different sectors each block reads, and writes, summed over blocks: what
  /// passes an L1 cache that forgets nothing.
  uint64_t blockSectors = 0;
  /// Different sectors the launch reads, and writes: what the memory moves when
  /// the L2 cache forgets nothing.
  uint64_t uniqueSectorsRead = 0, uniqueSectorsWritten = 0;
  /// Index is the 1-based PTX line.
  std::vector<LineCounts> lines;

  uint64_t of(OpClass opClass) const {
    return byClass[static_cast<size_t>(opClass)];
  }
};

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// How much of what a kernel does is checked while it runs.
enum class Checks {
  /// What keeps the simulator going: addresses within allocations, deadlock, an
  /// endless block. For a kernel that is known to be right.
  None,
  All,
};

/// What the approximate functions of fp32 return: `ex2.approx` and its like.
enum class Approximation : uint8_t {
  /// The value, rounded once.
  Exact,
  /// The same; NaN and a finding where the ISA promises no error.
  Promised,
  /// A value drawn by seed and argument from within the error that the ISA
  /// promises; NaN and a finding where it promises none.
  Perturbed,
};

/// One executed warp instruction.
struct TraceEvent {
  std::array<uint32_t, 3> block{0, 0, 0};
  uint32_t warp = 0;
  /// The lanes that executed it.
  uint32_t lanes = 0;
  uint32_t line = 0;
  /// The text of the line.
  std::string text;
  /// The first register it wrote, in its lowest lane, and how wide that is; 0
  /// bytes when there is none.
  uint64_t value = 0;
  uint32_t valueBytes = 0;
};

struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{32, 1, 1};
  /// Blocks of a cluster; the grid is a multiple of it. With 1x1x1 the
  /// `.reqnctapercluster` of the kernel counts, if it has one.
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  /// Orders blocks and warps; the same seed gives the same interleaving of the
  /// warps of every block.
  uint64_t seed = 0;
  Checks checks = Checks::All;
  Approximation approximation = Approximation::Exact;
  /// How mma.sync sums in floating point: 0 adds exact products in double and
  /// rounds once; other numbers draw one of the ways in which hardware does.
  uint64_t mmaNumerics = 0;
  /// The launch stops once that many different findings were made.
  uint32_t maxFindings = 16;
  /// Host threads; 0 means as many as the host has.
  uint32_t threads = 1;
  /// Warp instructions one block may execute before it is called endless.
  uint64_t maxBlockInstructions = uint64_t(1) << 30;
  /// Called after every warp instruction, from one thread at a time.
  std::function<void(const TraceEvent &event)> trace;
  /// Called with blocks done and blocks in total, from one thread at a time.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

struct LaunchResult {
  std::vector<Finding> findings;
  Counts counts;
  /// All blocks ran to their end.
  bool completed = false;
  /// Wall clock time of the execution on the host.
  double hostSeconds = 0;
  /// Time that the host's processors spent on it, all threads together.
  double cpuSeconds = 0;
};

/// Executes `entry` of `module`. The error says what is wrong with the call
/// (unknown kernel, arguments or sizes that do not fit); what the kernel does
/// wrong are findings.
Result<LaunchResult> launch(const Module &module, std::string_view entry,
                            Memory &memory, const Arguments &arguments,
                            const LaunchConfig &config);

} // namespace goat::ptxsim

#endif // GOAT_PTXSIM_PTXSIM_H
