//===- TestPlantFault.cpp - small faults in tile kernels ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that plants one fault in a kernel on tiles: an operand in the place of
// another, a constant off by one, an effect left out. Most kinds ask for types,
// traits and effects; what is particular to an op, its opposite or a number
// that may be off, stands in a table. Without a site the pass prints the sites
// of all kinds, one a line: number, kind, and a place that names function, op,
// change, and which of those that read alike it is.
//
//===----------------------------------------------------------------------===//

#include "TestPlantFault.h"

#include "goat/Dialect/GoatTile/IR/GoatTileDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace mlir;
using namespace goat::tile;

namespace {

/// A fault that can be planted: its kind, how the change reads, and the change.
struct Fault {
  StringRef kind;
  std::string change;
  std::function<void(OpBuilder &)> plant;
};

using Faults = SmallVector<Fault>;

/// Ops and what stands for them where "another operation" is planted. Both take
/// the same operands, results and attributes.
constexpr std::pair<StringRef, StringRef> opposites[] = {
    {"arith.addi", "arith.subi"},
    {"arith.subi", "arith.addi"},
    {"arith.addf", "arith.subf"},
    {"arith.subf", "arith.addf"},
    {"arith.mulf", "arith.addf"},
    {"arith.andi", "arith.ori"},
    {"arith.ori", "arith.andi"},
    {"arith.minsi", "arith.maxsi"},
    {"arith.maxsi", "arith.minsi"},
    {"arith.maxnumf", "arith.minnumf"},
    {"arith.maximumf", "arith.minimumf"},
    {"arith.extsi", "arith.extui"},
    {"math.sin", "math.cos"},
    {"math.cos", "math.sin"},
    {"math.exp2", "math.exp"},
    {"math.roundeven", "math.trunc"}};

/// Numbers in attributes that may be one more or, where they are not 0, one
/// less; and where a number is of a cycle, how long that is.
struct AttributeNumber {
  StringRef op, attribute;
  int64_t cycle;
};
constexpr AttributeNumber numbers[] = {{"goat_tile.wait", "pending", 0},
                                       {"goat_tile.block_index", "axis", 3}};

} // namespace

static bool isTileOp(Operation *op) {
  return op->getName().getDialectNamespace() == "goat_tile";
}

static bool isIntegerOrTile(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrIndex() && !element.isInteger(1);
}

static bool isBooleanOrTile(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

/// A constant of `value`, the same in all elements where `type` is a tile.
static Value constantOf(OpBuilder &builder, Location loc, Type type,
                        Attribute value) {
  auto element = cast<TypedAttr>(value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    element = DenseElementsAttr::get(shaped, ArrayRef<Attribute>(value));
  return arith::ConstantOp::create(builder, loc, element);
}

static Value integerOf(OpBuilder &builder, Location loc, Type type,
                       int64_t value) {
  return constantOf(builder, loc, type,
                    builder.getIntegerAttr(getElementTypeOrSelf(type), value));
}

static Fault replaceOperand(StringRef kind, OpOperand &operand,
                            std::string change,
                            std::function<Value(OpBuilder &)> other) {
  return {
      kind,
      llvm::formatv("operand {0} → {1}", operand.getOperandNumber(), change),
      [&operand, other = std::move(other)](OpBuilder &builder) {
        operand.set(other(builder));
      }};
}

/// The value of a constant, or of each element of one; null for others.
static TypedAttr uniformConstant(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return {};
  auto dense = dyn_cast<SplatElementsAttr>(constant.getValue());
  return dense ? dense.getSplatValue<TypedAttr>() : constant.getValue();
}

static void swapOperands(Operation *op, Faults &faults) {
  const bool isSelect = isa<arith::SelectOp>(op);
  const unsigned first = isSelect ? 1 : 0;
  const bool isFma = op->getName().getStringRef() == "math.fma";
  const unsigned second = isFma ? 2 : first + 1;
  if (op->getNumResults() != 1 || op->getNumOperands() != second + 1 ||
      isTileOp(op) || isa<arith::CmpIOp, arith::CmpFOp>(op) ||
      op->hasTrait<OpTrait::IsCommutative>() ||
      op->getOperand(first) == op->getOperand(second) ||
      op->getOperand(first).getType() != op->getOperand(second).getType())
    return;
  faults.push_back({"swap operands", llvm::formatv("{0}, {1}", first, second),
                    [=](OpBuilder &) {
                      Value value = op->getOperand(first);
                      op->setOperand(first, op->getOperand(second));
                      op->setOperand(second, value);
                    }});
}

/// One end of the order more or less, or the other answer to equality.
static void otherPredicate(Operation *op, Faults &faults) {
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  static constexpr std::pair<I, I> ofIntegers[] = {
      {I::slt, I::sle}, {I::sle, I::slt}, {I::sgt, I::sge}, {I::sge, I::sgt},
      {I::ult, I::ule}, {I::ule, I::ult}, {I::ugt, I::uge}, {I::uge, I::ugt},
      {I::eq, I::ne},   {I::ne, I::eq}};
  static constexpr std::pair<F, F> ofFloats[] = {
      {F::OLT, F::OGE}, {F::OLE, F::OGT}, {F::OGT, F::OLE}, {F::OGE, F::OLT},
      {F::ULT, F::OGE}, {F::ULE, F::OGT}, {F::UGT, F::OLE}, {F::UGE, F::OLT},
      {F::OEQ, F::ONE}, {F::ONE, F::OEQ}, {F::UNE, F::OEQ}};
  auto add = [&](auto compare, auto &pairs) {
    for (auto [from, to] : pairs)
      if (compare.getPredicate() == from)
        faults.push_back(
            {"another predicate",
             llvm::formatv("{0} → {1}", stringifyEnum(from), stringifyEnum(to)),
             [compare, to = to](OpBuilder &) mutable {
               compare.setPredicate(to);
             }});
  };
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    add(compare, ofIntegers);
  else if (auto compare = dyn_cast<arith::CmpFOp>(op))
    add(compare, ofFloats);
}

/// A constant that is off where this op takes it; other uses keep it.
static void otherConstant(Operation *op, Faults &faults) {
  for (OpOperand &operand : op->getOpOperands()) {
    TypedAttr value = uniformConstant(operand.get());
    Type type = operand.get().getType();
    if (auto integer = dyn_cast_or_null<IntegerAttr>(value)) {
      if (!isIntegerOrTile(type))
        continue;
      const int64_t number = integer.getValue().getSExtValue();
      faults.push_back(
          replaceOperand("integer constant + 1", operand,
                         llvm::formatv("{0}", number + 1), [=](OpBuilder &b) {
                           return integerOf(b, op->getLoc(), type, number + 1);
                         }));
    } else if (auto real = dyn_cast_or_null<FloatAttr>(value)) {
      const double number = real.getValueAsDouble();
      const double other = number == 0          ? 1
                           : std::isinf(number) ? -number
                                                : number * 1.0625;
      const char *change = number == 0          ? "1"
                           : std::isinf(number) ? "negated"
                                                : "6 % larger";
      faults.push_back(replaceOperand(
          "another float constant", operand, change, [=](OpBuilder &b) {
            Type element = getElementTypeOrSelf(type);
            return constantOf(b, op->getLoc(), type,
                              b.getFloatAttr(element, other));
          }));
    }
  }
}

static void otherOperation(Operation *op, Faults &faults) {
  for (auto [from, to] : opposites)
    if (op->getName().getStringRef() == from)
      faults.push_back({"another operation", ("→ " + to).str(),
                        [op, to = to](OpBuilder &builder) {
                          OperationState state(op->getLoc(), to);
                          state.addOperands(op->getOperands());
                          state.addTypes(op->getResultTypes());
                          state.addAttributes(
                              op->getAttrDictionary().getValue());
                          Operation *other = builder.create(state);
                          op->replaceAllUsesWith(other);
                          op->erase();
                        }});
}

/// An operand for the result of an op without effects.
static void leaveOut(Operation *op, Faults &faults) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op))
    return;
  llvm::SmallPtrSet<Value, 4> seen;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType() == op->getResult(0).getType() &&
        seen.insert(operand.get()).second)
      faults.push_back(
          {"leave an operation out",
           llvm::formatv("→ operand {0}", operand.getOperandNumber()),
           [op, value = operand.get()](OpBuilder &) {
             op->getResult(0).replaceAllUsesWith(value);
           }});
}

/// Without its results nobody misses it: a store, a barrier.
static void dropEffect(Operation *op, Faults &faults) {
  if (op->getNumResults() == 0 && op->getNumRegions() == 0 && isTileOp(op))
    faults.push_back(
        {"drop an effect", "", [op](OpBuilder &) { op->erase(); }});
  // A copy whose token a commit takes beside others.
  if (!isTileOp(op) || op->getNumResults() != 1 ||
      !op->getResult(0).hasOneUse() || isMemoryEffectFree(op) ||
      !hasEffect<MemoryEffects::Write>(op))
    return;
  OpOperand &use = *op->getResult(0).use_begin();
  if (isTileOp(use.getOwner()) && use.getOwner()->getNumOperands() > 1)
    faults.push_back({"drop an effect", "", [op, &use](OpBuilder &) {
                        use.getOwner()->eraseOperand(use.getOperandNumber());
                        op->erase();
                      }});
}

/// A mask or condition that always or never holds.
static void fixedCondition(Operation *op, Faults &faults) {
  if (!isTileOp(op) && !isa<arith::SelectOp, scf::IfOp>(op))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (!isBooleanOrTile(type) ||
        (isa<arith::SelectOp>(op) && operand.getOperandNumber() != 0))
      continue;
    for (bool value : {true, false})
      faults.push_back(replaceOperand(
          "fixed condition", operand, value ? "true" : "false",
          [=](OpBuilder &b) {
            return constantOf(b, op->getLoc(), type, b.getBoolAttr(value));
          }));
  }
}

static void otherAttribute(Operation *op, Faults &faults) {
  for (const AttributeNumber &number : numbers) {
    if (op->getName().getStringRef() != number.op)
      continue;
    auto attribute = op->getAttrOfType<IntegerAttr>(number.attribute);
    const int64_t value = attribute.getInt();
    auto add = [&](int64_t other) {
      faults.push_back(
          {"another attribute",
           llvm::formatv("{0} = {1} → {2}", number.attribute, value, other),
           [=, name = number.attribute](OpBuilder &builder) {
             op->setAttr(name,
                         builder.getIntegerAttr(attribute.getType(), other));
           }});
    };
    if (number.cycle)
      add((value + 1) % number.cycle);
    else
      add(value + 1);
    if (!number.cycle && value > 0)
      add(value - 1);
  }
  // The one attribute of an op that says how a row is reduced.
  if (op->getName().getStringRef() != "goat_tile.reduce")
    return;
  std::string text;
  llvm::raw_string_ostream(text) << op->getAttr("kind");
  StringRef other = StringRef(text).contains("sum") ? "max" : "sum";
  std::string replaced =
      (StringRef("#goat_tile.reduction<") + other + ">").str();
  faults.push_back(
      {"another attribute", ("→ " + other).str(), [=](OpBuilder &builder) {
         op->setAttr("kind", parseAttribute(replaced, builder.getContext()));
       }});
}

/// A row, an offset, a stride, a stage off by one.
static void nextIndex(Operation *op, Faults &faults) {
  if (!isTileOp(op))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (!isIntegerOrTile(type))
      continue;
    if (uniformConstant(operand.get()))
      continue;
    // A stage is taken in turn.
    auto stage = dyn_cast<StageOp>(op);
    faults.push_back(replaceOperand(
        "next index", operand, "+ 1",
        [=, loc = op->getLoc(),
         value = operand.get()](OpBuilder &b) mutable -> Value {
          Value next =
              arith::AddIOp::create(b, loc, value, integerOf(b, loc, type, 1));
          if (!stage)
            return next;
          const int64_t stages = stage.getBuffer().getType().getShape()[0];
          return arith::RemSIOp::create(b, loc, next,
                                        integerOf(b, loc, type, stages));
        }));
  }
}

/// The buffer, or pointer, of the same type that stands before this one.
static void otherBuffer(Operation *op, Faults &faults) {
  if (!isTileOp(op))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (!isa<BufferType, PointerType>(type))
      continue;
    Operation *definition = operand.get().getDefiningOp();
    if (!definition)
      continue;
    for (Operation *other = definition->getPrevNode(); other;
         other = other->getPrevNode())
      if (other->getNumResults() == 1 &&
          other->getResult(0).getType() == type) {
        faults.push_back(replaceOperand(
            "another buffer", operand, "the one before",
            [other](OpBuilder &) { return other->getResult(0); }));
        break;
      }
  }
}

/// What a loop hands on is what it got; a trip more or less.
static void otherLoop(Operation *op, Faults &faults) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return;
  Operation *yield = loop.getBody()->getTerminator();
  for (OpOperand &operand : yield->getOpOperands()) {
    Value argument = loop.getRegionIterArg(operand.getOperandNumber());
    // A group of copies is no value at run time.
    if (operand.get() != argument && !isa<GroupType>(argument.getType()))
      faults.push_back(
          {"stale value in a loop",
           llvm::formatv("value {0}", operand.getOperandNumber()),
           [&operand, argument](OpBuilder &) { operand.set(argument); }});
  }
  auto step = [op, size = loop.getStep()](OpBuilder &b, Value bound,
                                          bool isUp) -> Value {
    if (isUp)
      return arith::AddIOp::create(b, op->getLoc(), bound, size);
    return arith::SubIOp::create(b, op->getLoc(), bound, size);
  };
  faults.push_back(
      {"other bounds of a loop", "begins later", [=](OpBuilder &b) mutable {
         loop.setLowerBound(step(b, loop.getLowerBound(), true));
       }});
  faults.push_back(
      {"other bounds of a loop", "ends earlier", [=](OpBuilder &b) mutable {
         loop.setUpperBound(step(b, loop.getUpperBound(), false));
       }});
  faults.push_back(
      {"other bounds of a loop", "ends later", [=](OpBuilder &b) mutable {
         loop.setUpperBound(step(b, loop.getUpperBound(), true));
       }});
}

static constexpr void (*kinds[])(Operation *, Faults &) = {
    swapOperands, otherPredicate, otherConstant,  otherOperation,
    leaveOut,     dropEffect,     fixedCondition, otherAttribute,
    nextIndex,    otherBuffer,    otherLoop};

namespace {

struct TestPlantFault : public PassWrapper<TestPlantFault, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPlantFault)

  TestPlantFault() = default;
  TestPlantFault(const TestPlantFault &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-plant-fault"; }
  StringRef getDescription() const override {
    return "plant one small fault in a kernel on tiles, or list the sites";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }

  void runOnOperation() override {
    int64_t number = 0;
    llvm::StringMap<unsigned> alike;
    Fault chosen;
    Operation *at = nullptr;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto name = op->getName().getStringRef();
      if (name.ends_with("func"))
        function = SymbolTable::getSymbolName(op).str();
      Faults faults;
      for (auto kind : kinds)
        kind(op, faults);
      for (Fault &fault : faults) {
        if (site == number) {
          chosen = fault;
          at = op;
        }
        if (site < 0)
          print(number, fault, op, alike);
        ++number;
      }
    });
    if (site < 0)
      return;
    if (!at) {
      getOperation()->emitError("expected a site below ")
          << number << " but got " << site.getValue();
      return signalPassFailure();
    }
    OpBuilder builder(at);
    chosen.plant(builder);
  }

  /// The place is told by a number made of the names of ops nearby, and by
  /// which of those that are alike in all this it is, so that it outlives most
  /// changes elsewhere in the kernel.
  void print(int64_t number, const Fault &fault, Operation *op,
             llvm::StringMap<unsigned> &alike) {
    std::string around;
    Operation *before = op, *after = op;
    for (int i = 0; i < 3; ++i) {
      before = before ? before->getPrevNode() : nullptr;
      after = after ? after->getNextNode() : nullptr;
      for (Operation *near : {before, after})
        around += (near ? near->getName().getStringRef() : "").str() + " ";
    }
    std::string place = llvm::formatv(
        "{0}: {1} {2}", function, op->getName().getStringRef(), fault.change);
    place = StringRef(place).rtrim().str();
    place += llvm::formatv(" #{0:x-4}", llvm::xxh3_64bits(around) & 0xffff);
    const unsigned which = ++alike[(fault.kind + place).str()];
    llvm::outs() << number << "\t" << fault.kind << "\t" << place << "."
                 << which << "\n";
  }

  Option<int64_t> site{*this, "site",
                       llvm::cl::desc("Number of the site; without it the "
                                      "sites are printed"),
                       llvm::cl::init(-1)};
  std::string function;
};

} // namespace

void goat::test::registerTestPlantFaultPass() {
  PassRegistration<TestPlantFault>();
}
