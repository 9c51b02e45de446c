//===- GridTerms.cpp - functions of differences on a grid -----------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridTerms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace goat;
using namespace goat::tile;

/// The most values a function may have for one difference along the outermost
/// axis: they lie in shared memory.
static constexpr int64_t longestRow = 1024;

int64_t Grid::rowLength() const {
  int64_t length = 1;
  for (const GridAxis &axis : innerAxes())
    length *= axis.numDifferences();
  return llvm::alignTo(length, 4);
}

int64_t Grid::numRows(int64_t rows, int64_t keys) const {
  if (!hasOutermost())
    return 1;
  // A tile may begin anywhere in a row of the grid.
  int64_t divisor = axes.front().divisor;
  return llvm::divideCeil(rows - 1, divisor) +
         llvm::divideCeil(keys - 1, divisor) + 1;
}

namespace {

class GridFinder {
public:
  GridFinder(Grid grid, AttentionOp attention, DependenceAnalysis &analysis)
      : grid(std::move(grid)), attention(attention), analysis(analysis) {}

  bool visit(Value value);

  Grid grid;

private:
  std::optional<GridAxis> coordinateOf(Value value, Dependence kind,
                                       unsigned depth = 0);
  std::optional<Grid::Difference> differenceOf(Value value);
  bool addAxis(GridAxis axis);

  AttentionOp attention;
  DependenceAnalysis &analysis;
  llvm::SmallPtrSet<Operation *, 32> visited;
};

} // namespace

/// The axis that `value` is the coordinate of the query, or of the key, on.
std::optional<GridAxis> GridFinder::coordinateOf(Value value, Dependence kind,
                                                 unsigned depth) {
  constexpr unsigned deepest = 8;
  if (isCoordinate(value, kind, attention))
    return GridAxis{1, 0};
  Operation *op = value.getDefiningOp();
  if (!op || !attention->isProperAncestor(op) || depth == deepest)
    return std::nullopt;
  // Fewer bits do not hold every row.
  if (IntegerType type = dyn_cast<IntegerType>(value.getType());
      type && type.getWidth() < 32)
    return std::nullopt;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return coordinateOf(op->getOperand(0), kind, depth + 1);
  // A row is not negative, so signed and unsigned are one.
  bool isQuotient = isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
                        arith::ShRUIOp, arith::ShRSIOp>(op);
  APInt constant;
  if ((!isQuotient && !isa<arith::RemUIOp, arith::RemSIOp>(op)) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&constant)) ||
      !constant.isStrictlyPositive() || !constant.isIntN(20))
    return std::nullopt;
  int64_t number = constant.getZExtValue();
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op)) {
    if (number > 20)
      return std::nullopt;
    number = int64_t(1) << number;
  }
  std::optional<GridAxis> inner =
      coordinateOf(op->getOperand(0), kind, depth + 1);
  // ((n / d) mod m) / c and (n / d) mod m mod c, where c divides m.
  if (!inner || (inner->modulus != 0 && inner->modulus % number != 0))
    return std::nullopt;
  GridAxis axis =
      isQuotient ? GridAxis{inner->divisor * number, inner->modulus / number}
                 : GridAxis{inner->divisor, number};
  if (axis.divisor >= (int64_t(1) << 30))
    return std::nullopt;
  return axis;
}

std::optional<Grid::Difference> GridFinder::differenceOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::SubIOp>(op))
    return std::nullopt;
  for (bool isReversed : {false, true})
    if (std::optional<GridAxis> query =
            coordinateOf(op->getOperand(isReversed), Dependence::Query))
      if (std::optional<GridAxis> key =
              coordinateOf(op->getOperand(!isReversed), Dependence::Key);
          key && *key == *query)
        return Grid::Difference{value, *query, isReversed};
  return std::nullopt;
}

/// Adds an axis, where that leaves the table small.
bool GridFinder::addAxis(GridAxis axis) {
  if (llvm::is_contained(grid.axes, axis))
    return true;
  if (axis.modulus == 0) {
    if (grid.hasOutermost())
      return false;
    grid.axes.insert(grid.axes.begin(), axis);
    return true;
  }
  // Before their number is computed, which may be large.
  if (grid.rowLength() * axis.numDifferences() > longestRow)
    return false;
  grid.axes.push_back(axis);
  return true;
}

/// Whether `value` depends on query and key by differences only.
bool GridFinder::visit(Value value) {
  const Dependence rows = Dependence::Score | Dependence::Query |
                          Dependence::Key | Dependence::Relative;
  if (!dependsOn(analysis.of(value), rows))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !attention->isProperAncestor(op))
    return false;
  if (!visited.insert(op).second)
    return true;
  if (std::optional<Grid::Difference> difference = differenceOf(value)) {
    if (!addAxis(difference->axis))
      return false;
    grid.differences.push_back(*difference);
    return true;
  }
  return op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return visit(operand); });
}

bool tile::addToGrid(Grid &grid, Value term, AttentionOp attention,
                     DependenceAnalysis &analysis) {
  GridFinder finder(grid, attention, analysis);
  if (!finder.visit(term))
    return false;
  grid = std::move(finder.grid);
  return true;
}
