//===- Expr.cpp - integer expressions of a problem's sizes ----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building, evaluating, printing and reading expressions.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Expr.h"

#include "mlir/IR/AffineExpr.h"

#include "llvm/Support/MathExtras.h"

using namespace goat::ptx;

namespace {
struct Operator {
  Expr::Kind kind;
  const char *name;
  bool isVariadic;
};
} // namespace

static constexpr Operator operators[] = {
    {Expr::Kind::Add, "+", true},
    {Expr::Kind::Subtract, "-", false},
    {Expr::Kind::Multiply, "*", true},
    {Expr::Kind::CeilDiv, "ceildiv", false},
    {Expr::Kind::FloorDiv, "floordiv", false},
    {Expr::Kind::Mod, "mod", false},
    {Expr::Kind::Min, "min", true},
    {Expr::Kind::Max, "max", true},
};

static const Operator &operatorOf(Expr::Kind kind) {
  for (const Operator &candidate : operators)
    if (candidate.kind == kind)
      return candidate;
  llvm_unreachable("constants and dimensions have no operator");
}

Expr Expr::fromAffine(mlir::AffineExpr affine, llvm::ArrayRef<Expr> symbols) {
  if (auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(affine))
    return Expr(constant.getValue());
  if (auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(affine))
    return symbols[symbol.getPosition()];
  auto binary = mlir::cast<mlir::AffineBinaryOpExpr>(affine);
  Kind kind = Kind::Add;
  switch (binary.getKind()) {
  case mlir::AffineExprKind::Mul:
    kind = Kind::Multiply;
    break;
  case mlir::AffineExprKind::CeilDiv:
    kind = Kind::CeilDiv;
    break;
  case mlir::AffineExprKind::FloorDiv:
    kind = Kind::FloorDiv;
    break;
  case mlir::AffineExprKind::Mod:
    kind = Kind::Mod;
    break;
  default:
    break;
  }
  return Expr(kind, {fromAffine(binary.getLHS(), symbols),
                     fromAffine(binary.getRHS(), symbols)});
}

/// One step of an evaluation; false on overflow.
static bool apply(Expr::Kind kind, int64_t left, int64_t right,
                  int64_t &result) {
  switch (kind) {
  case Expr::Kind::Add:
    return !llvm::AddOverflow(left, right, result);
  case Expr::Kind::Subtract:
    return !llvm::SubOverflow(left, right, result);
  case Expr::Kind::Multiply:
    return !llvm::MulOverflow(left, right, result);
  case Expr::Kind::CeilDiv:
    result = llvm::divideCeilSigned(left, right);
    return true;
  case Expr::Kind::FloorDiv:
    result = llvm::divideFloorSigned(left, right);
    return true;
  case Expr::Kind::Mod:
    result = llvm::mod(left, right);
    return true;
  case Expr::Kind::Min:
    result = std::min(left, right);
    return true;
  case Expr::Kind::Max:
    result = std::max(left, right);
    return true;
  case Expr::Kind::Constant:
  case Expr::Kind::Dim:
    break;
  }
  llvm_unreachable("not an operator");
}

llvm::Expected<int64_t> Expr::evaluate(Sizes sizes) const {
  if (kind == Kind::Constant)
    return value;
  if (kind == Kind::Dim)
    return sizes(dimension);
  const bool divides =
      kind == Kind::CeilDiv || kind == Kind::FloorDiv || kind == Kind::Mod;
  llvm::Expected<int64_t> result = arguments.front().evaluate(sizes);
  for (const Expr &argument : llvm::ArrayRef<Expr>(arguments).drop_front()) {
    if (!result)
      return result;
    llvm::Expected<int64_t> right = argument.evaluate(sizes);
    if (!right)
      return right;
    if (divides && *right <= 0)
      return llvm::createStringError(
          llvm::Twine("expected a positive divisor but got ") +
          llvm::Twine(*right));
    int64_t left = *result;
    if (!apply(kind, left, *right, *result))
      return llvm::createStringError(llvm::Twine("expected ") +
                                     llvm::Twine(left) + " " +
                                     operatorOf(kind).name + " " +
                                     llvm::Twine(*right) + " to fit 64 bits");
  }
  return result;
}

std::optional<int64_t> Expr::asConstant() const {
  llvm::Expected<int64_t> result =
      evaluate([](DimRef) -> llvm::Expected<int64_t> {
        return llvm::createStringError("a dimension");
      });
  if (result)
    return *result;
  llvm::consumeError(result.takeError());
  return std::nullopt;
}

std::string Expr::str(llvm::function_ref<std::string(DimRef)> name) const {
  if (kind == Kind::Constant)
    return std::to_string(value);
  if (kind == Kind::Dim)
    return name(dimension);
  const bool isCall = kind == Kind::Min || kind == Kind::Max;
  const std::string spelling = operatorOf(kind).name;
  std::string text = isCall ? spelling + "(" : "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i)
      text += isCall ? std::string(", ") : " " + spelling + " ";
    text += arguments[i].str(name);
  }
  return text + ")";
}

llvm::json::Value goat::ptx::toJSON(const Expr &expr) {
  if (expr.kind == Expr::Kind::Constant)
    return expr.value;
  if (expr.kind == Expr::Kind::Dim)
    return llvm::json::Object{
        {"dim", llvm::json::Array{expr.dimension.input, expr.dimension.axis}}};
  return llvm::json::Object{{"op", operatorOf(expr.kind).name},
                            {"args", llvm::json::Array(expr.arguments)}};
}

bool goat::ptx::fromJSON(const llvm::json::Value &json, Expr &expr,
                         llvm::json::Path path) {
  if (std::optional<int64_t> integer = json.getAsInteger()) {
    expr = Expr(*integer);
    return true;
  }
  const llvm::json::Object *object = json.getAsObject();
  if (!object) {
    path.report("expected an integer, {\"dim\": [input, axis]} or {\"op\": "
                "..., \"args\": [...]}");
    return false;
  }
  if (const llvm::json::Value *dim = object->get("dim")) {
    std::vector<int64_t> pair;
    if (!fromJSON(*dim, pair, path.field("dim")))
      return false;
    if (pair.size() != 2 || pair[0] < 0 || pair[1] < 0) {
      path.field("dim").report("expected [input, axis], both at least 0");
      return false;
    }
    expr = Expr(DimRef{pair[0], pair[1]});
    return true;
  }
  std::string name;
  std::vector<Expr> arguments;
  llvm::json::ObjectMapper map(json, path);
  if (!map.map("op", name) || !map.map("args", arguments))
    return false;
  for (const Operator &candidate : operators) {
    if (name != candidate.name)
      continue;
    if (arguments.size() < 2 ||
        (arguments.size() > 2 && !candidate.isVariadic)) {
      path.field("args").report("expected two arguments");
      return false;
    }
    expr = Expr(candidate.kind, std::move(arguments));
    return true;
  }
  path.field("op").report("expected one of + - * ceildiv floordiv mod min max");
  return false;
}
