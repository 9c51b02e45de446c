//===- ExprTest.cpp - the expressions of kernel.json ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values, errors and the JSON form of expressions.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Expr.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace goat::ptx;
using Kind = Expr::Kind;

/// Input i has size 10·i + axis on every axis below 4.
static llvm::Expected<int64_t> sizes(DimRef dim) {
  if (dim.axis >= 4)
    return llvm::createStringError("no such axis");
  return 10 * dim.input + dim.axis;
}

static int64_t valueOf(const Expr &expr) {
  llvm::Expected<int64_t> value = expr.evaluate(sizes);
  EXPECT_TRUE(bool(value)) << llvm::toString(value.takeError());
  return value ? *value : -1;
}

static std::string errorOf(const Expr &expr) {
  llvm::Expected<int64_t> value = expr.evaluate(sizes);
  return value ? "" : llvm::toString(value.takeError());
}

static const Expr d12 = DimRef{1, 2}; // 12
static const Expr d20 = DimRef{2, 0}; // 20

TEST(Expr, EvaluatesEveryOperator) {
  EXPECT_EQ(valueOf(Expr(7)), 7);
  EXPECT_EQ(valueOf(d12), 12);
  EXPECT_EQ(valueOf(Expr(Kind::Add, {d12, d20, Expr(1)})), 33);
  EXPECT_EQ(valueOf(Expr(Kind::Subtract, {d12, d20})), -8);
  EXPECT_EQ(valueOf(Expr(Kind::Multiply, {d12, d20, Expr(2)})), 480);
  EXPECT_EQ(valueOf(Expr(Kind::Min, {d20, d12, Expr(13)})), 12);
  EXPECT_EQ(valueOf(Expr(Kind::Max, {d12, d20, Expr(13)})), 20);
}

TEST(Expr, DivisionRoundsByItsName) {
  for (auto [left, ceil, floor, mod] : {std::array<int64_t, 4>{20, 2, 1, 8},
                                        {24, 2, 2, 0},
                                        {0, 0, 0, 0},
                                        {-1, 0, -1, 11},
                                        {-12, -1, -1, 0}}) {
    EXPECT_EQ(valueOf(Expr(Kind::CeilDiv, {Expr(left), d12})), ceil);
    EXPECT_EQ(valueOf(Expr(Kind::FloorDiv, {Expr(left), d12})), floor);
    EXPECT_EQ(valueOf(Expr(Kind::Mod, {Expr(left), d12})), mod);
  }
}

TEST(Expr, ReportsWhatCannotBeEvaluated) {
  for (Kind kind : {Kind::CeilDiv, Kind::FloorDiv, Kind::Mod}) {
    EXPECT_EQ(errorOf(Expr(kind, {d12, Expr(0)})),
              "expected a positive divisor but got 0");
    EXPECT_EQ(errorOf(Expr(kind, {d12, Expr(-3)})),
              "expected a positive divisor but got -3");
  }
  Expr most(std::numeric_limits<int64_t>::max());
  Expr least(std::numeric_limits<int64_t>::min());
  EXPECT_EQ(errorOf(Expr(Kind::Add, {most, Expr(1)})),
            "expected 9223372036854775807 + 1 to fit 64 bits");
  EXPECT_NE(errorOf(Expr(Kind::Subtract, {least, Expr(1)})), "");
  EXPECT_NE(errorOf(Expr(Kind::Multiply, {most, Expr(2)})), "");
  EXPECT_EQ(errorOf(Expr(DimRef{0, 4})), "no such axis");
}

TEST(Expr, ComesFromAffineExpressions) {
  mlir::MLIRContext context;
  mlir::AffineExpr s0 = mlir::getAffineSymbolExpr(0, &context);
  mlir::AffineExpr s1 = mlir::getAffineSymbolExpr(1, &context);
  Expr symbols[] = {d12, d20};
  EXPECT_EQ(valueOf(Expr::fromAffine(s0 * s1 + 3, symbols)), 243);
  EXPECT_EQ(valueOf(Expr::fromAffine(s1 - s0, symbols)), 8);
  EXPECT_EQ(valueOf(Expr::fromAffine(s1.ceilDiv(8), symbols)), 3);
  EXPECT_EQ(valueOf(Expr::fromAffine(s1.floorDiv(8), symbols)), 2);
  EXPECT_EQ(valueOf(Expr::fromAffine(s1 % 8, symbols)), 4);
}

TEST(Expr, SurvivesJson) {
  Expr expr(Kind::CeilDiv,
            {Expr(Kind::Max, {d12, Expr(5), Expr(Kind::Mod, {d20, Expr(7)})}),
             Expr(128)});
  std::string text = llvm::formatv("{0}", llvm::json::Value(expr));
  EXPECT_EQ(text, R"({"args":[{"args":[{"dim":[1,2]},5,{"args":[{"dim":[2,0]})"
                  R"(,7],"op":"mod"}],"op":"max"},128],"op":"ceildiv"})");
  llvm::json::Path::Root root("expr");
  Expr read;
  ASSERT_TRUE(fromJSON(llvm::cantFail(llvm::json::parse(text)), read, root));
  EXPECT_EQ(llvm::formatv("{0}", llvm::json::Value(read)).str(), text);
}

TEST(Expr, RefusesMalformedJson) {
  for (auto [text, message] :
       {std::pair<const char *, const char *>{
            R"("Lq")", "expected an integer, {\"dim\": [input, axis]} or "
                       "{\"op\": ..., \"args\": [...]} when parsing grid"},
        {"1.5", "expected an integer"},
        {R"({"dim": [1]})", "expected [input, axis], both at least 0 at "
                            "grid.dim"},
        {R"({"dim": [-1, 0]})", "both at least 0"},
        {R"({"op": "/", "args": [1, 2]})",
         "expected one of + - * ceildiv floordiv mod min max at "
         "grid.op"},
        {R"({"op": "-", "args": [1, 2, 3]})", "expected two arguments"},
        {R"({"op": "+", "args": [1]})", "expected two arguments"},
        {R"({"op": "+"})", "missing value at grid.args"},
        {R"({"op": "+", "args": [1, true]})", "grid.args[1]"}}) {
    llvm::json::Path::Root root("grid");
    Expr read;
    EXPECT_FALSE(fromJSON(llvm::cantFail(llvm::json::parse(text)), read, root));
    std::string error = llvm::toString(root.getError());
    EXPECT_NE(error.find(message), std::string::npos) << text << ": " << error;
  }
}

TEST(Expr, PrintsAndFolds) {
  Expr expr(Kind::CeilDiv, {d12, Expr(Kind::Min, {d20, Expr(2)})});
  EXPECT_EQ(expr.str([](DimRef dim) {
    return "i" + std::to_string(dim.input) + "." + std::to_string(dim.axis);
  }),
            "(i1.2 ceildiv min(i2.0, 2))");
  EXPECT_EQ(expr.asConstant(), std::nullopt);
  EXPECT_EQ(Expr(Kind::Mod, {Expr(9), Expr(4)}).asConstant(), 1);
}
