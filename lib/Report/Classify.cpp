//===- Classify.cpp - what an instruction is and occupies -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of opcodes. An opcode belongs to the longest entry that it starts
// with; one that no entry covers is "other", which a test holds to a small
// share.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Code.h"

#include "llvm/ADT/StringExtras.h"

using namespace goat::report;

const char *goat::report::languageName(Language language) {
  return language == Language::SASS ? "SASS" : "PTX";
}

const char *goat::report::kindName(Kind kind) {
  static constexpr const char *names[numKinds] = {
      "tensor",  "ldmatrix", "cp.async", "mufu", "ffma",
      "fmul",    "fadd",     "fmnmx",    "fsel", "cvt",
      "shuffle", "integer",  "uniform",  "mov",  "lds/sts",
      "global",  "local",    "control",  "other"};
  return names[static_cast<int>(kind)];
}

const char *goat::report::pipeName(Pipe pipe) {
  static constexpr const char *names[] = {"none", "tensor", "special functions",
                                          "fp32", "alu",    "shared memory"};
  return names[static_cast<int>(pipe)];
}

namespace {

struct Entry {
  llvm::StringLiteral prefix;
  Kind kind;
  Pipe pipe;
};

} // namespace

static constexpr Entry sassTable[] = {
    {"HMMA", Kind::Tensor, Pipe::Tensor},
    {"IMMA", Kind::Tensor, Pipe::Tensor},
    {"QMMA", Kind::Tensor, Pipe::Tensor},
    {"OMMA", Kind::Tensor, Pipe::Tensor},
    {"HGMMA", Kind::Tensor, Pipe::Tensor},
    {"QGMMA", Kind::Tensor, Pipe::Tensor},
    {"IGMMA", Kind::Tensor, Pipe::Tensor},
    {"LDSM", Kind::LoadMatrix, Pipe::Shared},
    {"STSM", Kind::LoadMatrix, Pipe::Shared},
    {"MOVM", Kind::Other, Pipe::None},
    {"LDGSTS", Kind::CopyAsync, Pipe::Shared},
    {"UBLKCP", Kind::CopyAsync, Pipe::None},
    {"UTMA", Kind::CopyAsync, Pipe::None},
    {"MUFU", Kind::Special, Pipe::Special},
    {"FFMA", Kind::FMA, Pipe::FMA},
    {"FMUL", Kind::FMul, Pipe::FMA},
    {"FADD", Kind::FAdd, Pipe::FMA},
    {"FMNMX", Kind::FMinMax, Pipe::ALU},
    {"FSEL", Kind::FSelect, Pipe::ALU},
    {"FSET", Kind::FSelect, Pipe::ALU},
    {"FCHK", Kind::FSelect, Pipe::ALU},
    {"FSWZADD", Kind::FAdd, Pipe::FMA},
    {"HFMA2", Kind::FMA, Pipe::FMA},
    {"HMUL2", Kind::FMul, Pipe::FMA},
    {"HADD2", Kind::FAdd, Pipe::FMA},
    {"HMNMX2", Kind::FMinMax, Pipe::ALU},
    {"F2FP", Kind::Convert, Pipe::ALU},
    {"I2FP", Kind::Convert, Pipe::ALU},
    {"F2F", Kind::Convert, Pipe::Special},
    {"F2I", Kind::Convert, Pipe::Special},
    {"I2F", Kind::Convert, Pipe::Special},
    {"FRND", Kind::Convert, Pipe::Special},
    {"SHFL", Kind::Shuffle, Pipe::Shared},
    {"IADD", Kind::Integer, Pipe::ALU},
    {"VIADD", Kind::Integer, Pipe::ALU},
    {"VIMNMX", Kind::Integer, Pipe::ALU},
    {"IMNMX", Kind::Integer, Pipe::ALU},
    {"IABS", Kind::Integer, Pipe::ALU},
    {"ISETP", Kind::Integer, Pipe::ALU},
    {"ICMP", Kind::Integer, Pipe::ALU},
    {"LOP3", Kind::Integer, Pipe::ALU},
    {"PLOP3", Kind::Integer, Pipe::ALU},
    {"LEA", Kind::Integer, Pipe::ALU},
    {"SHF", Kind::Integer, Pipe::ALU},
    {"SHL", Kind::Integer, Pipe::ALU},
    {"SHR", Kind::Integer, Pipe::ALU},
    {"SGXT", Kind::Integer, Pipe::ALU},
    {"BMSK", Kind::Integer, Pipe::ALU},
    {"POPC", Kind::Integer, Pipe::Special},
    {"FLO", Kind::Integer, Pipe::Special},
    {"BREV", Kind::Integer, Pipe::Special},
    {"P2R", Kind::Integer, Pipe::ALU},
    {"R2P", Kind::Integer, Pipe::ALU},
    {"SEL", Kind::Integer, Pipe::ALU},
    {"IMAD", Kind::Integer, Pipe::FMA},
    {"MOV", Kind::Move, Pipe::ALU},
    {"IMAD.MOV", Kind::Move, Pipe::FMA},
    {"PRMT", Kind::Integer, Pipe::ALU},
    {"CS2R", Kind::Other, Pipe::ALU},
    {"U", Kind::Uniform, Pipe::None},
    {"R2UR", Kind::Uniform, Pipe::ALU},
    {"S2UR", Kind::Uniform, Pipe::None},
    {"REDUX", Kind::Uniform, Pipe::None},
    {"LDS", Kind::Shared, Pipe::Shared},
    {"STS", Kind::Shared, Pipe::Shared},
    {"ATOMS", Kind::Shared, Pipe::Shared},
    {"LDG", Kind::Global, Pipe::Shared},
    {"STG", Kind::Global, Pipe::Shared},
    {"LD", Kind::Global, Pipe::Shared},
    {"ST", Kind::Global, Pipe::Shared},
    {"RED", Kind::Global, Pipe::Shared},
    {"ATOM", Kind::Global, Pipe::Shared},
    {"LDC", Kind::Other, Pipe::None},
    {"LDL", Kind::Local, Pipe::Shared},
    {"STL", Kind::Local, Pipe::Shared},
    {"BRA", Kind::Control, Pipe::None},
    {"BRX", Kind::Control, Pipe::None},
    {"JMP", Kind::Control, Pipe::None},
    {"EXIT", Kind::Control, Pipe::None},
    {"RET", Kind::Control, Pipe::None},
    {"CALL", Kind::Control, Pipe::None},
    {"BSSY", Kind::Control, Pipe::None},
    {"BSYNC", Kind::Control, Pipe::None},
    {"BREAK", Kind::Control, Pipe::None},
    {"BAR", Kind::Control, Pipe::None},
    {"DEPBAR", Kind::Control, Pipe::None},
    {"LDGDEPBAR", Kind::Control, Pipe::None},
    {"SYNCS", Kind::Control, Pipe::None},
    {"WARPSYNC", Kind::Control, Pipe::None},
    {"WARPGROUP", Kind::Control, Pipe::None},
    {"NOP", Kind::Control, Pipe::None},
    {"YIELD", Kind::Control, Pipe::None},
    {"NANOSLEEP", Kind::Control, Pipe::None},
    {"MEMBAR", Kind::Control, Pipe::None},
    {"FENCE", Kind::Control, Pipe::None},
    {"ERRBAR", Kind::Control, Pipe::None},
    {"CCTL", Kind::Control, Pipe::None},
    {"ELECT", Kind::Control, Pipe::None},
    {"ENDCOLLECTIVE", Kind::Control, Pipe::None},
};

static constexpr Entry ptxTable[] = {
    {"mma.", Kind::Tensor, Pipe::Tensor},
    {"wgmma.mma_async", Kind::Tensor, Pipe::Tensor},
    {"wgmma.", Kind::Control, Pipe::None},
    {"ldmatrix", Kind::LoadMatrix, Pipe::Shared},
    {"stmatrix", Kind::LoadMatrix, Pipe::Shared},
    {"cp.async", Kind::CopyAsync, Pipe::Shared},
    {"cp.async.bulk", Kind::CopyAsync, Pipe::None},
    {"cp.async.commit", Kind::Control, Pipe::None},
    {"cp.async.wait", Kind::Control, Pipe::None},
    {"cp.async.mbarrier", Kind::Control, Pipe::None},
    {"cp.async.bulk.commit", Kind::Control, Pipe::None},
    {"cp.async.bulk.wait", Kind::Control, Pipe::None},
    {"ex2", Kind::Special, Pipe::Special},
    {"lg2", Kind::Special, Pipe::Special},
    {"sin", Kind::Special, Pipe::Special},
    {"cos", Kind::Special, Pipe::Special},
    {"rcp", Kind::Special, Pipe::Special},
    {"rsqrt", Kind::Special, Pipe::Special},
    {"sqrt", Kind::Special, Pipe::Special},
    {"tanh", Kind::Special, Pipe::Special},
    {"div", Kind::Special, Pipe::Special},
    {"fma", Kind::FMA, Pipe::FMA},
    {"mul", Kind::Integer, Pipe::FMA},
    {"mad", Kind::Integer, Pipe::FMA},
    {"mul.f", Kind::FMul, Pipe::FMA},
    {"mul.rn", Kind::FMul, Pipe::FMA},
    {"mul.ftz", Kind::FMul, Pipe::FMA},
    {"add", Kind::Integer, Pipe::ALU},
    {"sub", Kind::Integer, Pipe::ALU},
    {"add.f", Kind::FAdd, Pipe::FMA},
    {"sub.f", Kind::FAdd, Pipe::FMA},
    {"add.rn", Kind::FAdd, Pipe::FMA},
    {"sub.rn", Kind::FAdd, Pipe::FMA},
    {"max", Kind::Integer, Pipe::ALU},
    {"min", Kind::Integer, Pipe::ALU},
    {"max.f", Kind::FMinMax, Pipe::ALU},
    {"min.f", Kind::FMinMax, Pipe::ALU},
    {"max.ftz", Kind::FMinMax, Pipe::ALU},
    {"min.ftz", Kind::FMinMax, Pipe::ALU},
    {"neg.f", Kind::FAdd, Pipe::FMA},
    {"abs.f", Kind::FAdd, Pipe::FMA},
    {"neg", Kind::Integer, Pipe::ALU},
    {"abs", Kind::Integer, Pipe::ALU},
    {"selp", Kind::Integer, Pipe::ALU},
    {"selp.f", Kind::FSelect, Pipe::ALU},
    {"setp", Kind::Integer, Pipe::ALU},
    {"set", Kind::Integer, Pipe::ALU},
    {"and", Kind::Integer, Pipe::ALU},
    {"or", Kind::Integer, Pipe::ALU},
    {"xor", Kind::Integer, Pipe::ALU},
    {"not", Kind::Integer, Pipe::ALU},
    {"lop3", Kind::Integer, Pipe::ALU},
    {"shl", Kind::Integer, Pipe::ALU},
    {"shr", Kind::Integer, Pipe::ALU},
    {"shf", Kind::Integer, Pipe::ALU},
    {"bfe", Kind::Integer, Pipe::ALU},
    {"bfi", Kind::Integer, Pipe::ALU},
    {"bfind", Kind::Integer, Pipe::Special},
    {"clz", Kind::Integer, Pipe::Special},
    {"popc", Kind::Integer, Pipe::Special},
    {"prmt", Kind::Integer, Pipe::ALU},
    {"rem", Kind::Integer, Pipe::ALU},
    {"cvta", Kind::Integer, Pipe::ALU},
    {"cvt", Kind::Convert, Pipe::Special},
    {"cvt.rn.bf16x2", Kind::Convert, Pipe::ALU},
    {"cvt.rn.f16x2", Kind::Convert, Pipe::ALU},
    {"cvt.rn.bf16.", Kind::Convert, Pipe::ALU},
    {"cvt.rn.f16.", Kind::Convert, Pipe::ALU},
    {"cvt.u", Kind::Integer, Pipe::ALU},
    {"cvt.s", Kind::Integer, Pipe::ALU},
    {"cvt.b", Kind::Integer, Pipe::ALU},
    {"mov", Kind::Move, Pipe::ALU},
    {"shfl", Kind::Shuffle, Pipe::Shared},
    {"ld.shared", Kind::Shared, Pipe::Shared},
    {"st.shared", Kind::Shared, Pipe::Shared},
    {"ld.local", Kind::Local, Pipe::Shared},
    {"st.local", Kind::Local, Pipe::Shared},
    {"ld.param", Kind::Other, Pipe::None},
    {"ld.", Kind::Global, Pipe::Shared},
    {"st.", Kind::Global, Pipe::Shared},
    {"atom", Kind::Global, Pipe::Shared},
    {"red", Kind::Global, Pipe::Shared},
    {"bra", Kind::Control, Pipe::None},
    {"ret", Kind::Control, Pipe::None},
    {"exit", Kind::Control, Pipe::None},
    {"call", Kind::Control, Pipe::None},
    {"bar", Kind::Control, Pipe::None},
    {"mbarrier", Kind::Control, Pipe::None},
    {"fence", Kind::Control, Pipe::None},
    {"membar", Kind::Control, Pipe::None},
    {"setmaxnreg", Kind::Control, Pipe::None},
    {"griddepcontrol", Kind::Control, Pipe::None},
};

template <size_t N>
static const Entry *longestPrefix(const Entry (&table)[N],
                                  llvm::StringRef opcode) {
  const Entry *best = nullptr;
  for (const Entry &entry : table)
    if (opcode.starts_with(entry.prefix) &&
        (!best || entry.prefix.size() > best->prefix.size()))
      best = &entry;
  return best;
}

/// The number at the start of `text`, 0 if there is none.
static int64_t leadingNumber(llvm::StringRef text) {
  int64_t number = 0;
  text.take_while([](char c) { return llvm::isDigit(c); })
      .getAsInteger(10, number);
  return number;
}

namespace {

/// Rows, columns and depth of a product; zeros when there is none.
struct Shape {
  int64_t m = 0, n = 0, k = 0;
};

} // namespace

/// HMMA.16816 is m16n8k16; HGMMA.64x128x16 is m64n128k16.
static Shape sassShape(llvm::StringRef opcode) {
  llvm::SmallVector<llvm::StringRef> parts;
  opcode.split(parts, '.');
  for (llvm::StringRef part : llvm::drop_begin(parts)) {
    auto [m, rest] = part.split('x');
    auto [n, k] = rest.split('x');
    if (!k.empty() && leadingNumber(m))
      return {leadingNumber(m), leadingNumber(n), leadingNumber(k)};
    if (part.size() >= 4 && part.starts_with("168") &&
        llvm::all_of(part, llvm::isDigit))
      return {16, 8, leadingNumber(part.drop_front(3))};
  }
  return {};
}

/// …m16n8k16….
static Shape ptxShape(llvm::StringRef opcode) {
  llvm::SmallVector<llvm::StringRef> parts;
  opcode.split(parts, '.');
  for (llvm::StringRef part : parts) {
    if (!part.consume_front("m"))
      continue;
    auto [columns, depth] = part.split('n').second.split('k');
    if (leadingNumber(columns) && leadingNumber(depth))
      return {leadingNumber(part), leadingNumber(columns),
              leadingNumber(depth)};
  }
  return {};
}

/// Sets what a tensor instruction of `shape` does. Four warps share a wgmma,
/// which reads B, and A unless it is in registers, from shared memory.
static void setTensor(Instruction &instruction, Shape shape, bool isWarpgroup,
                      bool isAShared) {
  instruction.tensorFlops =
      2 * shape.m * shape.n * shape.k / (isWarpgroup ? 4 : 1);
  // A step in depth is 32 bytes long for every type of element.
  if (isWarpgroup)
    instruction.bytes = 32 * (shape.n + (isAShared ? shape.m : 0)) / 128;
}

static int sassBytes(Kind kind, llvm::StringRef opcode) {
  if (kind == Kind::Shuffle)
    return 4;
  if (kind == Kind::LoadMatrix)
    return opcode.ends_with(".4") ? 16 : opcode.ends_with(".2") ? 8 : 4;
  for (auto [suffix, bytes] :
       {std::pair(".128", 16), std::pair(".64", 8), std::pair(".U8", 1),
        std::pair(".S8", 1), std::pair(".U16", 2), std::pair(".S16", 2)})
    if (opcode.contains(suffix))
      return bytes;
  return 4;
}

static int ptxBytes(Kind kind, llvm::StringRef opcode,
                    llvm::StringRef operands) {
  if (kind == Kind::Shuffle)
    return 4;
  if (kind == Kind::LoadMatrix)
    return opcode.contains(".x4") ? 16 : opcode.contains(".x2") ? 8 : 4;
  // cp.async…[to], [from], bytes
  if (kind == Kind::CopyAsync)
    return leadingNumber(
        operands.split(']').second.split(']').second.ltrim(", "));
  // The type comes last: .v4.b32.
  llvm::StringRef type = opcode.rsplit('.').second;
  const int bits = leadingNumber(type.drop_front(type.empty() ? 0 : 1));
  const int vector = opcode.contains(".v4")   ? 4
                     : opcode.contains(".v2") ? 2
                                              : 1;
  return vector * bits / 8;
}

void goat::report::classifySass(Instruction &instruction,
                                llvm::StringRef operands) {
  llvm::StringRef opcode = instruction.opcode;
  if (const Entry *entry = longestPrefix(sassTable, opcode)) {
    instruction.kind = entry->kind;
    instruction.pipe = entry->pipe;
  }
  // A constant put into a register by the pipe for halves: 0·0 + constant.
  if (opcode.starts_with("HFMA2") && operands.contains("-RZ, RZ,"))
    instruction.kind = Kind::Move;
  if (instruction.pipe == Pipe::Tensor)
    // HGMMA R24, gdesc[UR8], R24: one descriptor for both A and B.
    setTensor(instruction, sassShape(opcode),
              opcode.starts_with("HGMMA") || opcode.starts_with("QGMMA") ||
                  opcode.starts_with("IGMMA"),
              operands.split(',').second.ltrim().starts_with("gdesc"));
  if (instruction.pipe == Pipe::Shared)
    instruction.bytes = sassBytes(instruction.kind, opcode);
  instruction.isHalfRate = opcode.starts_with("IMAD");
}

void goat::report::classifyPTX(Instruction &instruction,
                               llvm::StringRef operands) {
  llvm::StringRef opcode = instruction.opcode;
  if (const Entry *entry = longestPrefix(ptxTable, opcode)) {
    instruction.kind = entry->kind;
    instruction.pipe = entry->pipe;
  }
  // setp and set name the comparison before the type.
  if (opcode.starts_with("set") && opcode.contains(".f"))
    instruction.kind = Kind::FSelect;
  if (instruction.pipe == Pipe::Tensor)
    // wgmma {sums}, {a} or descriptor of a, descriptor of b, …
    setTensor(instruction, ptxShape(opcode), opcode.starts_with("wgmma"),
              !operands.split('}').second.ltrim(", ").starts_with("{"));
  if (instruction.pipe == Pipe::Shared)
    instruction.bytes = ptxBytes(instruction.kind, opcode, operands);
  instruction.isHalfRate =
      instruction.kind == Kind::Integer && instruction.pipe == Pipe::FMA;
}
