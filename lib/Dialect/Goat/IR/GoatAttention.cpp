//===- GoatAttention.cpp - what goat.attention demands --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers of goat.attention and of the ops that read its offsets. The
// constraint labels (C1), (C2), … are those of GoatAttention.td.
//
//===----------------------------------------------------------------------===//

#include "Verifiers.h"

#include "mlir/IR/OpImplementation.h"

#include <cmath>

using namespace mlir;
using namespace goat;

#define GET_OP_CLASSES
#include "goat/Dialect/Goat/IR/GoatOps.cpp.inc"

//===----------------------------------------------------------------------===//
// goat.attention
//===----------------------------------------------------------------------===//

std::optional<double> AttentionOp::getConstantScale() {
  if (getScale())
    return std::nullopt;
  if (std::optional<APFloat> scale = getStaticScale())
    return scale->convertToDouble();
  return 1.0 / std::sqrt(static_cast<double>(getHeadDim()));
}

static LogicalResult verifyShapes(AttentionOp op) {
  RankedTensorType query = op.getQueryType(), key = op.getKeyType(),
                   value = op.getValueType();
  Type element = query.getElementType();
  for (auto [name, type] : {std::pair{"key", key}, std::pair{"value", value}})
    if (type.getElementType() != element)
      return op.emitOpError("(C1) expected ")
             << name << " to have query's element type " << element
             << " but got " << type.getElementType();

  if (!agree(query.getDimSize(0), key.getDimSize(0)) ||
      !agree(query.getDimSize(0), value.getDimSize(0)))
    return op.emitOpError("(C2) expected one batch size but got ")
           << sizeText(query.getDimSize(0)) << ", "
           << sizeText(key.getDimSize(0)) << " and "
           << sizeText(value.getDimSize(0));
  int64_t headAxis = op.getHeadAxis(), lengthAxis = op.getLengthAxis();
  if (!agree(key.getDimSize(headAxis), value.getDimSize(headAxis)) ||
      !agree(key.getDimSize(lengthAxis), value.getDimSize(lengthAxis)))
    return op.emitOpError("(C2) expected key and value to have the same heads "
                          "and length but got ")
           << sizeText(key.getDimSize(headAxis)) << "x"
           << sizeText(key.getDimSize(lengthAxis)) << " and "
           << sizeText(value.getDimSize(headAxis)) << "x"
           << sizeText(value.getDimSize(lengthAxis));

  for (auto [name, type] : {std::pair{"query", query}, std::pair{"key", key},
                            std::pair{"value", value}})
    for (int64_t dim : {headAxis, int64_t(3)})
      if (type.isDynamicDim(dim) || type.getDimSize(dim) < 1)
        return op.emitOpError("(C3) expected ")
               << name << " to have a static, positive "
               << (dim == headAxis ? "head count" : "head dimension")
               << " but got " << sizeText(type.getDimSize(dim));
  if (query.getDimSize(3) != key.getDimSize(3))
    return op.emitOpError("(C3) expected query and key to have one head "
                          "dimension but got ")
           << query.getDimSize(3) << " and " << key.getDimSize(3);

  if (op.getNumQueryHeads() % op.getNumKeyHeads() != 0)
    return op.emitOpError("(C4) expected the query heads to be a multiple of "
                          "the key heads but got ")
           << op.getNumQueryHeads() << "/" << op.getNumKeyHeads()
           << "; repeat key and value heads to a count that divides";

  auto out = cast<RankedTensorType>(op.getOut().getType());
  for (int64_t dim = 0; dim < 4; ++dim) {
    int64_t expected = (dim == 3 ? value : query).getDimSize(dim);
    if (!agree(out.getDimSize(dim), expected))
      return op.emitOpError("(C5) expected dimension ")
             << dim << " of the result to be " << sizeText(expected)
             << " but got " << sizeText(out.getDimSize(dim));
  }
  if (out.getElementType() != element)
    return op.emitOpError("(C5) expected the result to have element type ")
           << element << " but got " << out.getElementType();

  if (Value lse = op.getLse()) {
    auto type = cast<RankedTensorType>(lse.getType());
    const int64_t axes[] = {0, headAxis, lengthAxis};
    for (auto [dim, axis] : llvm::enumerate(axes))
      if (!agree(type.getDimSize(dim), query.getDimSize(axis)))
        return op.emitOpError("(C6) expected dimension ")
               << dim << " of lse to be " << sizeText(query.getDimSize(axis))
               << " but got " << sizeText(type.getDimSize(dim));
  }
  return success();
}

static LogicalResult verifyParameters(AttentionOp op) {
  if (op.getScale() && op.getStaticScale())
    return op.emitOpError("(C7) expected scale once but got an operand and "
                          "static_scale; drop one");
  if (std::optional<APFloat> scale = op.getStaticScale())
    if (!scale->isFinite())
      return op.emitOpError("(C7) expected a finite scale");

  if ((op.getQOffset() && op.getStaticQOffset()) ||
      (op.getKOffset() && op.getStaticKOffset()))
    return op.emitOpError("(C8) expected each offset once but got an operand "
                          "and an attribute; drop one");

  for (auto [name, offset] : {std::pair{"q_offset", op.getStaticQOffset()},
                              std::pair{"k_offset", op.getStaticKOffset()}})
    if (offset && std::abs(int64_t(static_cast<int32_t>(*offset))) >= int64_t(1)
                                                                          << 30)
      return op.emitOpError("(C15) expected ")
             << name << " to lie in (-2^30, 2^30) but got "
             << static_cast<int32_t>(*offset)
             << "; shift both offsets, which changes no distance";

  int64_t batch = op.getQueryType().getDimSize(0);
  for (auto [name, operand] :
       {std::pair<StringRef, Value>{"q_offset", op.getQOffset()},
        {"k_offset", op.getKOffset()},
        {"q_lengths", op.getQLengths()},
        {"k_lengths", op.getKLengths()}}) {
    if (!operand)
      continue;
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (type && !agree(type.getDimSize(0), batch))
      return op.emitOpError("(C9) expected ")
             << name << " to have one element per batch entry, "
             << sizeText(batch) << ", but got " << type.getDimSize(0);
  }

  bool softmax = op.getNormalizer() == Normalizer::softmax;
  if (Value sink = op.getSink()) {
    if (!softmax)
      return op.emitOpError(
          "(C10) expected no sink with a sigmoid normaliser: it has no "
          "denominator for a sink to join");
    int64_t heads = cast<RankedTensorType>(sink.getType()).getDimSize(0);
    if (heads != op.getNumQueryHeads())
      return op.emitOpError("(C10) expected sink to have one element per query "
                            "head, ")
             << op.getNumQueryHeads() << ", but got " << sizeText(heads);
  }
  if (op.getLse() && !softmax)
    return op.emitOpError(
        "(C10) expected no lse with a sigmoid normaliser: it has no "
        "denominator to take the logarithm of");

  if (!op.getOwn().empty() && op.getExclude().empty())
    return op.emitOpError(
        "(C13) expected an exclude region beside the own region, which says "
        "what row it gets");
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  return verifyParameters(*this);
}

/// (C14): with everything static, row i's own index i + q_offset − k_offset
/// lies among the keys.
static LogicalResult verifyOwnRows(AttentionOp op) {
  if (op.getExclude().empty() || !op.getOwn().empty() ||
      op.getExclude().getArgument(1).use_empty())
    return success();
  int64_t queryLength = op.getQueryLength(), keyLength = op.getKeyLength();
  if (ShapedType::isDynamic(queryLength) || ShapedType::isDynamic(keyLength) ||
      queryLength == 0 || op.getQOffset() || op.getKOffset() ||
      op.getQLengths() || op.getKLengths())
    return success();
  auto offset = [](std::optional<uint32_t> given, int64_t otherwise) {
    return given ? static_cast<int64_t>(static_cast<int32_t>(*given))
                 : otherwise;
  };
  int64_t first = offset(op.getStaticQOffset(), keyLength - queryLength) -
                  offset(op.getStaticKOffset(), 0);
  int64_t last = first + queryLength - 1;
  if (first >= 0 && last < keyLength)
    return success();
  return op.emitOpError("(C14) expected every query row to have a value row of "
                        "its own among the ")
         << keyLength << " but got own rows " << first << " to " << last
         << "; cross-attention has none: drop the exclusion, or say which row "
            "it is in an own region";
}

LogicalResult AttentionOp::verifyRegions() {
  MLIRContext *context = getContext();
  Type f32 = Float32Type::get(context), index = IndexType::get(context),
       i1 = IntegerType::get(context, 1);
  Type row = RankedTensorType::get({getValueDim()}, f32);
  Type queryRow = RankedTensorType::get({getHeadDim()}, f32);
  struct Signature {
    StringRef name;
    Region &region;
    SmallVector<Type> arguments;
    Type result;
  };
  Signature signatures[] = {
      {"load_q", getLoadQ(), {queryRow, index, index, index}, queryRow},
      {"load_k", getLoadK(), {queryRow, index, index, index}, queryRow},
      {"score", getScore(), {f32, index, index, index, index}, f32},
      {"mask", getMask(), {index, index, index, index}, i1},
      {"exclude", getExclude(), {row, row, index, index, index}, row},
      {"own", getOwn(), {index, index, index}, index}};

  for (Signature &signature : signatures) {
    if (signature.region.empty())
      continue;
    Block &block = signature.region.front();
    if (!llvm::equal(block.getArgumentTypes(), signature.arguments)) {
      InFlightDiagnostic diagnostic = emitOpError("(C11) expected the ")
                                      << signature.name << " region to take (";
      llvm::interleaveComma(signature.arguments, diagnostic);
      diagnostic << ") but got (";
      llvm::interleaveComma(block.getArgumentTypes(), diagnostic);
      return diagnostic << ")";
    }
    auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
    if (!yield)
      return emitOpError("(C11) expected the ")
             << signature.name << " region to end with goat.yield";
    if (yield.getValue().getType() != signature.result)
      return emitOpError("(C11) expected the ")
             << signature.name << " region to yield " << signature.result
             << " but got " << yield.getValue().getType();
    for (Operation &inner : block.without_terminator())
      if (!isPure(&inner)) {
        InFlightDiagnostic diagnostic =
            emitOpError("(C12) expected only pure ops in the ")
            << signature.name << " region but got " << inner.getName();
        diagnostic.attachNote(inner.getLoc()) << "this op may have effects";
        return diagnostic;
      }
  }
  return verifyOwnRows(*this);
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

LogicalResult goat::verifyInsideAttention(Operation *op, StringRef constraint,
                                          StringRef read) {
  if (op->getParentOfType<AttentionOp>())
    return success();
  return op->emitOpError("(") << constraint
                              << ") expected to stand inside a region of "
                                 "goat.attention, whose "
                              << read << " it reads";
}

LogicalResult QueryPositionOp::verify() {
  return verifyInsideAttention(*this, "C1");
}
LogicalResult KeyPositionOp::verify() {
  return verifyInsideAttention(*this, "C1");
}
LogicalResult DistanceOp::verify() {
  return verifyInsideAttention(*this, "C1");
}

//===----------------------------------------------------------------------===//
// Row reductions
//===----------------------------------------------------------------------===//

LogicalResult RowSumOp::verify() {
  return verifyRowSize(*this, getRow().getType());
}
LogicalResult RowMaxOp::verify() {
  return verifyRowSize(*this, getRow().getType());
}

//===----------------------------------------------------------------------===//
// Per-head parameters
//===----------------------------------------------------------------------===//

/// Heads and batch of a (H', …) or (B, H', …) parameter fit the attention.
static LogicalResult verifyHeads(Operation *op, AttentionOp attention,
                                 StringRef name, RankedTensorType type) {
  int64_t batch = attention.getQueryType().getDimSize(0);
  if (type.getRank() == 3 && !agree(type.getDimSize(0), batch)) {
    InFlightDiagnostic diagnostic = op->emitOpError("(C3) expected ")
                                    << name << " to have " << batch
                                    << " batch entries but got "
                                    << type.getDimSize(0);
    diagnostic.attachNote(attention.getLoc()) << "the attention it belongs to";
    return diagnostic;
  }
  int64_t heads = type.getDimSize(type.getRank() - 2);
  if (heads == 1 || heads == attention.getNumKeyHeads() ||
      heads == attention.getNumQueryHeads())
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("(C3) expected ")
      << name << " to have 1, " << attention.getNumKeyHeads() << " or "
      << attention.getNumQueryHeads() << " heads but got " << sizeText(heads);
  diagnostic.attachNote(attention.getLoc()) << "the attention it belongs to";
  return diagnostic;
}

LogicalResult FourierPriorOp::verify() {
  auto alpha = cast<RankedTensorType>(getAlpha().getType());
  auto omega = cast<RankedTensorType>(getOmega().getType());
  if (alpha != getBeta().getType())
    return emitOpError("(C1) expected alpha and beta to have one type but got ")
           << alpha << " and " << getBeta().getType();
  int64_t rank = alpha.getRank();
  int64_t harmonics = alpha.getDimSize(rank - 1);
  if (alpha.isDynamicDim(rank - 1) || alpha.isDynamicDim(rank - 2) ||
      harmonics < 1)
    return emitOpError("(C1) expected alpha to have a static head count and a "
                       "static, positive number of harmonics but got ")
           << alpha;
  if (omega.getDimSize(0) != harmonics)
    return emitOpError("(C2) expected omega to have ")
           << harmonics << " elements, one per harmonic, but got "
           << sizeText(omega.getDimSize(0));
  if (failed(verifyInsideAttention(*this, "C4")))
    return failure();
  return verifyHeads(*this, (*this)->getParentOfType<AttentionOp>(), "alpha",
                     alpha);
}

LogicalResult KeyPriorOp::verify() {
  auto table = cast<RankedTensorType>(getTable().getType());
  int64_t rank = table.getRank();
  if (table.isDynamicDim(rank - 2))
    return emitOpError("(C1) expected the table to have a static head count "
                       "but got ")
           << table;
  if (failed(verifyInsideAttention(*this, "C4")))
    return failure();
  auto attention = (*this)->getParentOfType<AttentionOp>();
  int64_t length = attention.getKeyLength();
  if (!agree(table.getDimSize(rank - 1), length))
    return emitOpError("(C2) expected the table's last dimension to be the key "
                       "length ")
           << sizeText(length) << " but got " << table.getDimSize(rank - 1);
  return verifyHeads(*this, attention, "the table", table);
}

LogicalResult XsaOp::verify() {
  if (!getEps().isFinite() || getEps().isNegative() || getEps().isZero())
    return emitOpError("(C2) expected eps to be finite and positive; for no "
                       "guard but at v = 0 use the mode where");
  return success();
}
