//===- NormalizeScore.cpp - a score region as a sum of terms --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule has a cheap way to add what depends on the distance, on the key,
// or on the query alone, and finds such terms in sums. People write the same
// sum in many ways. This pass brings the common ones to one: differences become
// sums, factors that are the same in a whole tile are multiplied out, a
// constant factor of the score goes into the scale, and the summands of each
// kind stand together.
//
//===----------------------------------------------------------------------===//

#include "goat/Analysis/Dependence.h"
#include "goat/Conversion/GoatToGoatTile/GoatToGoatTile.h"

#include "ScoreTerms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace goat;

namespace goat {
#define GEN_PASS_DEF_NORMALIZESCORE
#include "goat/Conversion/GoatToGoatTile/Passes.h.inc"
} // namespace goat

namespace {

/// What a summand varies with inside a tile.
enum Kind { ofScore, ofDistance, ofKey, ofQuery, ofPair };

class ScoreNormalizer {
public:
  explicit ScoreNormalizer(AttentionOp attention)
      : attention(attention), analysis(attention) {}

  void run() {
    // What stands for an op is built before it, so the way back meets it.
    for (Operation *op = body().getTerminator()->getPrevNode(); op;
         op = op->getPrevNode())
      rewriteUses(op);
    foldFactors();
    eraseDead();
    analysis = DependenceAnalysis(attention);
    groupSummands();
    eraseDead();
  }

private:
  Block &body() { return attention.getScore().front(); }

  /// The kinds that `value` mixes, as a set of bits.
  unsigned kindsOf(Value value) {
    Dependence on = analysis.of(value);
    unsigned kinds = 0;
    for (auto [flag, kind] : {std::pair{Dependence::Score, ofScore},
                              {Dependence::Relative, ofDistance},
                              {Dependence::Key, ofKey},
                              {Dependence::Query, ofQuery}})
      kinds |= dependsOn(on, flag) << kind;
    return kinds;
  }
  Kind kindOf(Value value) {
    switch (kindsOf(value)) {
    case 0:
    case 1 << ofQuery:
      return ofQuery;
    case 1 << ofDistance:
      return ofDistance;
    case 1 << ofKey:
      return ofKey;
    default:
      return kindsOf(value) & (1 << ofScore) ? ofScore : ofPair;
    }
  }
  bool isMixed(Value value) { return llvm::popcount(kindsOf(value)) > 1; }
  bool isUniform(Value value) { return kindsOf(value) == 0; }
  bool isMixedSum(Value value) {
    Operation *op = value.getDefiningOp();
    return op && isa<arith::AddFOp, arith::SubFOp>(op) &&
           attention->isProperAncestor(op) && value.getType().isF32() &&
           isMixed(value);
  }

  void rewriteUses(Operation *op);
  Value rewrite(Operation *op, ImplicitLocOpBuilder &builder);
  Value expand(PluginOpInterface plugin, ImplicitLocOpBuilder &builder);
  bool scalesScore(Operation *op, PluginOpInterface plugin);
  bool foldFactor(Operation *op);
  void foldFactors();
  void groupSummands();
  void eraseDead();

  AttentionOp attention;
  /// Ops are erased only when nobody asks any more.
  DependenceAnalysis analysis;
};

} // namespace

void ScoreNormalizer::rewriteUses(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isF32() ||
      op->use_empty() || foldFactor(op))
    return;
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Value value;
  bool hasScore = kindsOf(op->getResult(0)) & (1 << ofScore);
  bool mixes = isMixed(op->getResult(0));
  if (auto plugin = dyn_cast<PluginOpInterface>(op);
      plugin && (hasScore || mixes))
    value = expand(plugin, builder);
  else if (mixes)
    value = rewrite(op, builder);
  if (value)
    op->getResult(0).replaceAllUsesWith(value);
}

/// The same value another way; null where the op stays.
Value ScoreNormalizer::rewrite(Operation *op, ImplicitLocOpBuilder &builder) {
  auto negate = [&](Value value) -> Value {
    return arith::NegFOp::create(builder, value);
  };
  /// f(x) + f(y) for x + y or, with f(−y), for x − y.
  auto ofSummands = [&](Value sum,
                        llvm::function_ref<Value(Value)> f) -> Value {
    Operation *inner = sum.getDefiningOp();
    Value second = inner->getOperand(1);
    if (isa<arith::SubFOp>(inner))
      second = negate(second);
    return arith::AddFOp::create(builder, f(inner->getOperand(0)), f(second));
  };
  if (isa<arith::SubFOp>(op))
    return ofSummands(op->getResult(0), [](Value value) { return value; });
  if (auto negation = dyn_cast<arith::NegFOp>(op)) {
    if (isMixedSum(negation.getOperand()))
      return ofSummands(negation.getOperand(), negate);
    if (auto inner = negation.getOperand().getDefiningOp<arith::NegFOp>())
      return inner.getOperand();
    return nullptr;
  }
  if (isa<arith::MulFOp>(op)) {
    for (auto [factor, sum] : {std::pair{op->getOperand(0), op->getOperand(1)},
                               std::pair{op->getOperand(1), op->getOperand(0)}})
      if (isMixedSum(sum) && isUniform(factor))
        return ofSummands(sum, [&, factor = factor](Value value) -> Value {
          return arith::MulFOp::create(builder, factor, value);
        });
    return nullptr;
  }
  if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    if (!isMixedSum(quotient.getLhs()) || !isUniform(quotient.getRhs()))
      return nullptr;
    return ofSummands(quotient.getLhs(), [&](Value value) -> Value {
      return arith::DivFOp::create(builder, value, quotient.getRhs());
    });
  }
  return nullptr;
}

/// Whether an op multiplies an operand of `plugin` that has the score by a
/// constant.
bool ScoreNormalizer::scalesScore(Operation *op, PluginOpInterface plugin) {
  if (!isa<arith::MulFOp>(op))
    return false;
  for (unsigned side : {0, 1}) {
    Value factor = op->getOperand(side);
    APFloat constant(0.0f);
    if (llvm::is_contained(plugin->getOperands(), factor) &&
        dependsOn(analysis.of(factor), Dependence::Score) &&
        matchPattern(op->getOperand(1 - side), m_ConstantFloat(&constant)))
      return true;
  }
  return false;
}

/// What a plug-in says it is, where that can be made cheaper: a sum of several
/// kinds, or a function of a multiple of the score, as a soft cap is, whose
/// factor can go into the scale and whose addend can join others.
Value ScoreNormalizer::expand(PluginOpInterface plugin,
                              ImplicitLocOpBuilder &builder) {
  Operation *before = plugin->getPrevNode();
  Value value = plugin.buildExpansion(builder);
  Operation *root = value.getDefiningOp();
  bool isKept = root && root->getBlock() == &body() &&
                isa<arith::AddFOp, arith::SubFOp>(root) &&
                isMixed(plugin->getResult(0));
  for (Operation *op = plugin->getPrevNode(); op != before && !isKept;
       op = op->getPrevNode())
    isKept = scalesScore(op, plugin);
  if (!isKept) {
    while (plugin->getPrevNode() != before)
      plugin->getPrevNode()->erase();
    return nullptr;
  }
  if (auto sum = value.getDefiningOp<math::FmaOp>())
    value = arith::AddFOp::create(
        builder, arith::MulFOp::create(builder, sum.getA(), sum.getB()),
        sum.getC());
  return value;
}

/// Whether nothing that the region yields is computed from an op. What has been
/// replaced stays until all is done.
static bool isDead(Operation *op) {
  return !op->hasTrait<OpTrait::IsTerminator>() &&
         llvm::all_of(op->getUsers(), isDead);
}

/// Takes c·s or s/c into a constant scale, where s is used nowhere else.
bool ScoreNormalizer::foldFactor(Operation *op) {
  Value score = body().getArgument(0);
  if (!isa<arith::MulFOp, arith::DivFOp>(op) || attention.getScale() ||
      !llvm::all_of(score.getUsers(), [&](Operation *user) {
        return user == op || isDead(user);
      }))
    return false;
  bool isProduct = isa<arith::MulFOp>(op);
  Value factor = op->getOperand(1);
  if (isProduct && factor == score)
    factor = op->getOperand(0);
  APFloat constant(0.0f);
  if (!llvm::is_contained(op->getOperands(), score) ||
      (!isProduct && op->getOperand(0) != score) ||
      !matchPattern(factor, m_ConstantFloat(&constant)))
    return false;
  double c = constant.convertToDouble(), scale = *attention.getConstantScale();
  scale = isProduct ? scale * c : scale / c;
  if (!tile::isFoldedScale(scale))
    return false;
  attention.setStaticScale(APFloat(static_cast<float>(scale)));
  op->getResult(0).replaceAllUsesWith(score);
  return true;
}

/// Takes in the factors around one that has been taken in.
void ScoreNormalizer::foldFactors() {
  Value score = body().getArgument(0);
  auto folds = [&](Operation *user) {
    return !user->use_empty() && foldFactor(user);
  };
  while (llvm::any_of(SmallVector<Operation *>(score.getUsers()), folds)) {
  }
}

/// Builds each sum of several kinds anew, the score first, then the terms of
/// each kind.
void ScoreNormalizer::groupSummands() {
  SmallVector<arith::AddFOp> roots;
  for (Operation &op : body())
    if (auto sum = dyn_cast<arith::AddFOp>(op)) {
      bool isInner =
          sum->hasOneUse() && isa<arith::AddFOp>(*sum->getUsers().begin());
      if (!isInner && isMixedSum(sum.getResult()))
        roots.push_back(sum);
    }
  for (arith::AddFOp root : roots) {
    SmallVector<SmallVector<Value>, 5> summands(5);
    SmallVector<Value> pending = {root.getRhs(), root.getLhs()};
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      auto sum = value.getDefiningOp<arith::AddFOp>();
      if (sum && sum->hasOneUse() && attention->isProperAncestor(sum))
        pending.append({sum.getRhs(), sum.getLhs()});
      else
        summands[kindOf(value)].push_back(value);
    }
    ImplicitLocOpBuilder builder(root.getLoc(), root);
    Value total;
    auto add = [&](Value &to, Value value) {
      to = to ? arith::AddFOp::create(builder, to, value).getResult() : value;
    };
    for (ArrayRef<Value> kind : summands) {
      Value part;
      for (Value value : kind)
        add(part, value);
      if (part)
        add(total, part);
    }
    root.getResult().replaceAllUsesWith(total);
  }
}

void ScoreNormalizer::eraseDead() {
  for (Operation *op = body().getTerminator()->getPrevNode(); op;) {
    Operation *before = op->getPrevNode();
    if (op->use_empty())
      op->erase();
    op = before;
  }
}

namespace {

struct NormalizeScore : public goat::impl::NormalizeScoreBase<NormalizeScore> {
  void runOnOperation() override {
    getOperation()->walk([](AttentionOp attention) {
      if (!attention.getScore().empty())
        ScoreNormalizer(attention).run();
    });
  }
};

} // namespace
