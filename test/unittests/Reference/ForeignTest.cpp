//===- ForeignTest.cpp - plug-in ops of other dialects on the reference ---===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op that the reference does not know is evaluated through the expansion
// that it gives, and refused when that leads nowhere.
//
//===----------------------------------------------------------------------===//

#include "../Tolerances.h"
#include "Evaluate.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using goat::reference::Tensor;
using goat::test::layer;
using goat::test::plainArguments;
using testing::HasSubstr;

namespace {

/// An op of one f32 to one f32 in another dialect. What it is, it says through
/// PluginOpInterface only.
template <typename Kind>
class ForeignOp
    : public Op<ForeignOp<Kind>, OpTrait::OneResult, OpTrait::OneOperand,
                OpTrait::ZeroRegions, MemoryEffectOpInterface::Trait,
                ConditionallySpeculatable::Trait,
                OpTrait::AlwaysSpeculatableImplTrait,
                PluginOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForeignOp)
  using Base =
      Op<ForeignOp<Kind>, OpTrait::OneResult, OpTrait::OneOperand,
         OpTrait::ZeroRegions, MemoryEffectOpInterface::Trait,
         ConditionallySpeculatable::Trait, OpTrait::AlwaysSpeculatableImplTrait,
         PluginOpInterface::Trait>;
  using Base::Base;
  static StringRef getOperationName() { return Kind::name; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}
  Value buildExpansion(OpBuilder &builder) {
    return Kind::expand(builder, this->getOperation());
  }
};

/// Doubles its operand.
struct Twice {
  static constexpr const char *name = "foreign.twice";
  static Value expand(OpBuilder &builder, Operation *op) {
    return arith::AddFOp::create(builder, op->getLoc(), op->getOperand(0),
                                 op->getOperand(0));
  }
};
/// Has no answer.
struct Silent {
  static constexpr const char *name = "foreign.silent";
  static Value expand(OpBuilder &, Operation *) { return Value(); }
};
/// Answers with itself.
struct Endless {
  static constexpr const char *name = "foreign.endless";
  static Value expand(OpBuilder &builder, Operation *op) {
    return builder.clone(*op)->getResult(0);
  }
};

class ForeignDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForeignDialect)
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    addOperations<ForeignOp<Twice>, ForeignOp<Silent>, ForeignOp<Endless>>();
  }
  static StringRef getDialectNamespace() { return "foreign"; }
};

} // namespace

/// Evaluates a layer whose logits are what the foreign op makes of 0.25.
static std::vector<Tensor> runForeign(test::Evaluator &evaluator,
                                      const std::string &name) {
  evaluator.context.loadDialect<ForeignDialect>();
  return evaluator.evaluate(layer(R"(score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c = arith.constant 0.25 : f32
    %t = ")" + name + R"("(%c) : (f32) -> f32
    goat.yield %t : f32
  })"),
                            plainArguments());
}

TEST(Foreign, PluginIsEvaluatedThroughItsExpansion) {
  test::Evaluator evaluator;
  std::vector<Tensor> results = runForeign(evaluator, "foreign.twice");
  EXPECT_EQ(evaluator.messages, "");
  ASSERT_EQ(results.size(), 2u);
  for (double lse : results[1].data)
    EXPECT_NEAR(lse, 0.5 + std::log(3.0), tolerances::exactAnswer);
}

TEST(Foreign, PluginWithoutAnswer) {
  test::Evaluator evaluator;
  EXPECT_TRUE(runForeign(evaluator, "foreign.silent").empty());
  EXPECT_THAT(evaluator.messages,
              HasSubstr("expected buildExpansion to give a value of the type "
                        "of the op's one result"));
}

TEST(Foreign, PluginWithoutEnd) {
  test::Evaluator evaluator;
  EXPECT_TRUE(runForeign(evaluator, "foreign.endless").empty());
  EXPECT_THAT(evaluator.messages,
              HasSubstr("expected plug-in ops to expand to plain ops but their "
                        "expansions still hold plug-in ops after 16 rounds"));
}
