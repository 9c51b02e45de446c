//===- Artifact.h - kernel.json and the directory around it -----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled kernel on disk is a directory:
//
//   kernel.json          all that a launcher needs to know
//   kernel.ptx           the text the simulator checks and a driver loads
//   kernel.<arch>.cubin  the same assembled, when ptxas was at hand
//   source.mlir          the goat function it was compiled from
//
// kernel.json is described by lib/Target/PTX/kernel.schema.json.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TARGET_PTX_ARTIFACT_H
#define GOAT_TARGET_PTX_ARTIFACT_H

#include "goat/Target/PTX/Expr.h"

#include <array>
#include <optional>

namespace goat::ptx {

/// The value of "schema"; a reader refuses every other one.
inline constexpr const char *kernelSchema = "goat-kernel/1";

/// An I1 is a byte, false where it is 0.
enum class DType { F16, BF16, F32, I1, I8, I32, I64 };

/// "f16", "bf16", "f32", "i1", "i8", "i32", "i64".
const char *dtypeName(DType dtype);
std::optional<DType> parseDType(llvm::StringRef name);
int64_t dtypeBytes(DType dtype);
bool isInteger(DType dtype);

/// A contiguous row-major tensor, or a scalar passed by value.
struct InputSpec {
  std::string name;
  DType dtype = DType::F32;
  /// nullopt where the size is known at run time only.
  std::vector<std::optional<int64_t>> shape;
  /// Whether a call gives the strides; else the tensor is contiguous.
  bool isStrided = false;
  /// A tensor of rank 0, which lies in memory where a scalar does not.
  bool isTensorOfRank0 = false;

  bool isByValue() const { return shape.empty() && !isTensorOfRank0; }
};

struct OutputSpec {
  std::string name;
  DType dtype = DType::F32;
  std::vector<Expr> shape;
  /// What the launcher fills the tensor with before the first launch.
  std::optional<double> initialise;
  bool isStrided = false;
};

/// Two expressions that must be equal, or the call is refused.
struct Requirement {
  Expr left, right;
  std::string message;
};

/// A condition under which a variant may be launched.
struct Guard {
  enum class Kind { Aligned, Less, StrideMultiple, StrideEquals };
  Kind kind = Kind::Less;
  /// Aligned and strides: which input or output.
  bool isOutput = false;
  int64_t index = 0;
  /// Aligned: what the address is a multiple of, in bytes.
  int64_t bytes = 1;
  /// Less: left < right.
  Expr left, right;
  /// Strides: that of `axis`, in elements, is a multiple of `number`, or is it.
  int64_t axis = 0;
  int64_t number = 1;

  static Guard aligned(bool isOutput, int64_t index, int64_t bytes) {
    Guard guard;
    guard.kind = Kind::Aligned;
    guard.isOutput = isOutput;
    guard.index = index;
    guard.bytes = bytes;
    return guard;
  }
  static Guard less(Expr left, Expr right) {
    Guard guard;
    guard.left = std::move(left);
    guard.right = std::move(right);
    return guard;
  }
  static Guard stride(Kind kind, bool isOutput, int64_t index, int64_t axis,
                      int64_t number) {
    Guard guard;
    guard.kind = kind;
    guard.isOutput = isOutput;
    guard.index = index;
    guard.axis = axis;
    guard.number = number;
    return guard;
  }
};

/// One parameter of an entry, in the order of the PTX.
struct Parameter {
  enum class Kind {
    Input,
    Output,
    Dim,
    InputStride,
    OutputStride,
    Workspace,
    TensorMap
  };
  Kind kind = Kind::Input;
  /// Input: the address of the tensor or the scalar itself. Output: the
  /// address. Dim: the size of `axis` of this input, as i32. InputStride,
  /// OutputStride: the elements from one index of `axis` to the next, as i64.
  /// TensorMap: one of the launch's, by value.
  int64_t index = 0;
  int64_t axis = 0;
  /// Workspace: the address that many bytes into the workspace.
  Expr offset{};
};

/// The most blocks in x, y and z that any device launches.
inline constexpr std::array<int64_t, 3> maxGridExtents{2147483647, 65535,
                                                       65535};

/// A TMA descriptor of an input or output, as cuTensorMapEncodeTiled makes it,
/// not interleaved. Elements outside of the tensor are read as zero.
struct TensorMap {
  bool isOutput = false;
  int64_t index = 0;
  /// Extents of what one copy moves, one for each axis of the tensor.
  std::vector<int64_t> box;
  /// The bytes within which 16-byte chunks change places, or 0.
  int64_t swizzle = 0;
};

/// The most axes, and the greatest extent of a box, that a descriptor has.
inline constexpr int64_t maxTensorMapRank = 5, maxBoxExtent = 256;

struct Launch {
  std::string entry;
  std::array<Expr, 3> grid;
  std::array<int64_t, 3> block{1, 1, 1};
  std::array<int64_t, 3> cluster{1, 1, 1};
  /// Dynamic shared memory.
  Expr sharedBytes;
  std::vector<Parameter> parameters;
  std::vector<TensorMap> tensorMaps;
};

/// What the address of a workspace, and every offset in it that the compiler
/// writes, is a multiple of, in bytes.
inline constexpr int64_t workspaceAlignment = 256;

struct Variant {
  std::string name;
  std::vector<Guard> guards;
  /// Global memory that the launches of a call share; not initialised.
  Expr workspaceBytes;
  /// Launched in order on one stream; one whose grid has a zero extent is
  /// skipped.
  std::vector<Launch> launches;
};

struct Kernel {
  std::string name;
  /// "sm_90".
  std::string target;
  /// File names beside kernel.json.
  std::string ptx = "kernel.ptx";
  std::optional<std::string> cubin;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::vector<Requirement> requirements;
  /// The first one whose guards hold is launched.
  std::vector<Variant> variants;
  /// What the compiler chose, for reading.
  llvm::json::Object choices;
};

/// The text of kernel.json.
std::string writeKernel(const Kernel &kernel);

/// Reads kernel.json; `name` stands for the file in messages. Refuses unknown
/// schema versions, malformed JSON (with line and column) and values of the
/// wrong kind or out of range (with their path).
llvm::Expected<Kernel> readKernel(llvm::StringRef text, llvm::StringRef name);

/// A kernel with its files' contents.
struct Artifact {
  Kernel kernel;
  std::string ptx;
  /// Empty when there is none.
  std::string cubin;
  std::string source;
};

/// Writes the directory, which is created when it does not exist.
llvm::Error writeArtifact(const Artifact &artifact, llvm::StringRef directory);

llvm::Expected<Artifact> readArtifact(llvm::StringRef directory);

} // namespace goat::ptx

#endif // GOAT_TARGET_PTX_ARTIFACT_H
