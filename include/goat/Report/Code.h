//===- Code.h - a kernel's instructions, SASS or PTX ------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A listing as text becomes instructions with a kind (what a person calls
// them), a pipe (what of the chip they occupy) and control flow, so that the
// rest of the report need not know which language it counts.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_REPORT_CODE_H
#define GOAT_REPORT_CODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace goat::report {

enum class Language { SASS, PTX };

/// "SASS", "PTX".
const char *languageName(Language language);

/// What an instruction does, in the words of the tables in docs/.
enum class Kind {
  Tensor,
  LoadMatrix,
  CopyAsync,
  Special,
  FMA,
  FMul,
  FAdd,
  FMinMax,
  FSelect,
  Convert,
  Shuffle,
  Integer,
  Uniform,
  Move,
  Shared,
  Global,
  Local,
  Control,
  Other
};
inline constexpr int numKinds = static_cast<int>(Kind::Other) + 1;

/// "tensor", "ldmatrix", "cp.async", …
const char *kindName(Kind kind);

/// What of a multiprocessor an instruction occupies, besides the slot it is
/// issued in.
enum class Pipe { None, Tensor, Special, FMA, ALU, Shared };

/// "tensor", "special functions", …
const char *pipeName(Pipe pipe);

/// Position in a source that a listing was made from; lines count from 1.
struct SourcePosition {
  int file = 0;
  int line = 0;
};

struct Instruction {
  /// The mnemonic with its suffixes: "FMNMX", "ld.shared.v4.b32".
  std::string opcode;
  Kind kind = Kind::Other;
  Pipe pipe = Pipe::None;
  /// Tensor instructions: multiplications and additions of one warp.
  int64_t tensorFlops = 0;
  /// Bytes one lane moves through shared memory or the L1 cache; of wgmma, its
  /// share of the operands that lie there.
  int bytes = 0;
  /// An fp32-pipe instruction that takes two slots where the pipe is 128 wide.
  bool isHalfRate = false;
  /// Where it may continue.
  bool fallsThrough = true;
  /// The label it may branch to; empty for none.
  std::string target;
  /// Its line in the listing, from 1.
  int line = 0;
  std::optional<SourcePosition> source;
};

/// One kernel.
struct Listing {
  Language language = Language::PTX;
  std::string entry;
  std::vector<Instruction> instructions;
  /// Label and the index of the instruction it stands before.
  std::vector<std::pair<std::string, size_t>> labels;
  /// PTX only: .target, and the threads of a block by .reqntid or .maxntid (0
  /// when the text does not say).
  std::string target;
  int threads = 0;
};

/// Fills kind, pipe, tensorFlops, bytes and isHalfRate from the opcode.
void classifySass(Instruction &instruction, llvm::StringRef operands);
void classifyPTX(Instruction &instruction, llvm::StringRef operands);

/// The kernels in what `nvdisasm -c -g` printed, in its order.
std::vector<Listing> readSass(llvm::StringRef text);

/// The kernels (.entry) of a PTX text, in its order. A text without any is an
/// error.
llvm::Expected<std::vector<Listing>> readPTX(llvm::StringRef text);

/// A loop: the indices of its instructions in rising order.
struct Loop {
  std::vector<size_t> instructions;
  /// Work in registers alone that a branch leads around, as raising a softmax's
  /// reference and rescaling what was accumulated: done in few rounds, and not
  /// part of `instructions`.
  std::vector<size_t> rare;
  /// Whether another loop lies inside, which `instructions` holds once.
  bool hasInner = false;
};

/// The natural loops of `listing`, those that end in the same header joined.
std::vector<Loop> findLoops(const Listing &listing);

/// The loops that multiply tiles: innermost ones with tensor instructions and
/// exponentials (when there are none, innermost ones with tensor instructions;
/// without tensor instructions, innermost ones with asynchronous copies,
/// exponentials and fused multiply-adds), the one with the fewest other
/// instructions for each product first. That one has no mask to evaluate.
std::vector<Loop> findTileLoops(const Listing &listing);

} // namespace goat::report

#endif // GOAT_REPORT_CODE_H
