//===- GoatOps.cpp - priors, exclusions, coordinates ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formula of every goat op but masks that stands inside a region of
// goat.attention.
// Sources: GOAT, arXiv 2601.15380; XSA, arXiv 2603.09078.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <complex>
#include <numeric>

using namespace mlir;
using namespace goat;
using namespace goat::reference;

/// Whether `value` lies in [0, size); records a failure when not.
static bool inRange(Frame &frame, Operation *op, StringRef what, int64_t value,
                    int64_t size) {
  if (value >= 0 && value < size)
    return true;
  frame.fail(op, "expected the " + what + " to lie in [0, " + Twine(size) +
                     ") but got " + Twine(value));
  return false;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

static int64_t queryPosition(const Frame &frame, int64_t batch, int64_t query) {
  return query + frame.coordinates->queryOffset[batch];
}

static int64_t keyPosition(const Frame &frame, int64_t batch, int64_t key) {
  return key + frame.coordinates->keyOffset[batch];
}

/// Steps of ops whose operands are the batch entry, then a query, a key, or a
/// query and a key.
using Coordinate = int64_t (*)(const Frame &, int64_t batch, int64_t first,
                               int64_t second);
static Step compileCoordinate(Operation *op, const Slots &slots,
                              Coordinate compute) {
  int batch = slots.operands[0], first = slots.operands[1],
      second = slots.operands.back(), result = slots.results[0];
  return [=](Frame &frame) {
    int64_t b = frame.scalars[batch].i;
    if (inRange(frame, op, "batch entry", b, frame.coordinates->batch))
      frame.scalars[result].i =
          compute(frame, b, frame.scalars[first].i, frame.scalars[second].i);
  };
}

//===----------------------------------------------------------------------===//
// Priors
//===----------------------------------------------------------------------===//

/// Where the row of query head h starts in a parameter (H', n) or (B, H', n):
/// n·(b·H' + h·H'/Hq). −1 after a failure.
static int64_t parameterRow(Frame &frame, Operation *op, const Tensor &tensor,
                            int64_t batch, int64_t head) {
  const Coordinates &coordinates = *frame.coordinates;
  if (!inRange(frame, op, "batch entry", batch, coordinates.batch) ||
      !inRange(frame, op, "head", head, coordinates.queryHeads))
    return -1;
  size_t rank = tensor.shape.size();
  int64_t heads = tensor.shape[rank - 2];
  int64_t row = head * heads / coordinates.queryHeads;
  if (rank == 3) {
    if (tensor.shape[0] != coordinates.batch) {
      frame.fail(op, "(C3) expected the parameter to have " +
                         Twine(coordinates.batch) + " batch entries but got " +
                         Twine(tensor.shape[0]));
      return -1;
    }
    row += batch * heads;
  }
  return row * tensor.shape[rank - 1];
}

/// Σ_r α_r cos(ω_r δ) + β_r sin(ω_r δ)
static Step compileFourier(FourierPriorOp op, const Slots &slots) {
  int alphaSlot = slots.operands[0], betaSlot = slots.operands[1],
      omegaSlot = slots.operands[2], batch = slots.operands[3],
      head = slots.operands[4], distance = slots.operands[5],
      result = slots.results[0];
  return [=](Frame &frame) {
    const Tensor &alpha = *frame.tensors[alphaSlot];
    const Tensor &beta = *frame.tensors[betaSlot];
    const Tensor &omega = *frame.tensors[omegaSlot];
    int64_t row = parameterRow(frame, op, alpha, frame.scalars[batch].i,
                               frame.scalars[head].i);
    if (row < 0)
      return;
    double delta = static_cast<double>(frame.scalars[distance].i);
    double sum = 0.0;
    for (size_t r = 0; r < omega.data.size(); ++r) {
      double angle = omega.data[r] * delta;
      sum += alpha.data[row + r] * std::cos(angle) +
             beta.data[row + r] * std::sin(angle);
    }
    frame.scalars[result].f = sum;
  };
}

/// u[h', key], or u[batch, h', key].
static Step compileKeyPrior(KeyPriorOp op, const Slots &slots) {
  int tableSlot = slots.operands[0], batch = slots.operands[1],
      head = slots.operands[2], keySlot = slots.operands[3],
      result = slots.results[0];
  return [=](Frame &frame) {
    const Tensor &table = *frame.tensors[tableSlot];
    if (table.shape.back() != frame.coordinates->keyLength)
      return frame.fail(
          op, "(C2) expected the table's last dimension to be the key length " +
                  Twine(frame.coordinates->keyLength) + " but got " +
                  Twine(table.shape.back()));
    int64_t row = parameterRow(frame, op, table, frame.scalars[batch].i,
                               frame.scalars[head].i);
    int64_t key = frame.scalars[keySlot].i;
    if (row >= 0 && inRange(frame, op, "key", key, table.shape.back()))
      frame.scalars[result].f = table.data[row + key];
  };
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static double dot(const Tensor &a, const Tensor &b) {
  double sum = 0.0;
  for (auto [x, y] : llvm::zip(a.data, b.data))
    sum += x * y;
  return sum;
}

/// z = y − a·(y·v)·inv·v with inv guarded as the mode says.
static Step compileXsa(XsaOp op, const Slots &slots) {
  int row = slots.operands[0], own = slots.operands[1],
      result = slots.results[0];
  int strength = op.getStrength() ? slots.operands[2] : -1;
  EpsMode mode = op.getEpsMode();
  double eps = op.getEps().convertToDouble();
  return [=](Frame &frame) {
    const Tensor &y = *frame.tensors[row];
    const Tensor &v = *frame.tensors[own];
    double a = strength < 0 ? 1.0 : frame.scalars[strength].f;
    double n = dot(v, v);
    double component = dot(y, v);
    switch (mode) {
    case EpsMode::clamp:
      component /= std::max(n, eps);
      break;
    case EpsMode::add:
      component /= n + eps;
      break;
    case EpsMode::where:
      component = n > 0.0 ? component / n : 0.0;
      break;
    }
    Tensor &z = frame.define(result, y.shape);
    for (size_t d = 0; d < z.data.size(); ++d)
      z.data[d] = y.data[d] - a * component * v.data[d];
  };
}

static Step compileColumns(ColumnsOp op, int result) {
  int64_t width = op.getType().getDimSize(0);
  return [=](Frame &frame) {
    Tensor &row = frame.define(result, {width});
    std::iota(row.data.begin(), row.data.end(), 0.0);
  };
}

static Step compileGather(const Slots &slots) {
  int source = slots.operands[0], columns = slots.operands[1],
      result = slots.results[0];
  return [=](Frame &frame) {
    const std::vector<double> &values = frame.tensors[source]->data;
    const Tensor &from = *frame.tensors[columns];
    Tensor &row = frame.define(result, from.shape);
    for (auto [element, column] : llvm::zip(row.data, from.data))
      element = column >= 0 && column < values.size()
                    ? values[static_cast<size_t>(column)]
                    : 0.0;
  };
}

/// Each pair of columns as a complex number, times m·e^(i·position·ω).
static Step compileRope(RopeOp op, const Slots &slots) {
  int row = slots.operands[0], frequencies = slots.operands[1],
      position = slots.operands[2], result = slots.results[0];
  bool areHalves = op.getPairing() == Pairing::halves;
  size_t first = op.getFirst();
  double magnitude = op.getMagnitude().convertToDouble();
  return [=](Frame &frame) {
    const Tensor &x = *frame.tensors[row];
    const std::vector<double> &omega = frame.tensors[frequencies]->data;
    double at = static_cast<double>(frame.scalars[position].i);
    Tensor &y = frame.define(result, x.shape);
    y.data = x.data;
    for (size_t r = 0; r < omega.size(); ++r) {
      size_t a = first + (areHalves ? r : 2 * r);
      size_t c = areHalves ? a + omega.size() : a + 1;
      std::complex<double> turned =
          std::complex<double>(x.data[a], x.data[c]) *
          (magnitude * std::complex<double>(std::cos(at * omega[r]),
                                            std::sin(at * omega[r])));
      y.data[a] = turned.real();
      y.data[c] = turned.imag();
    }
  };
}

/// x over the root of its mean square, times the weight.
static Step compileRmsNorm(RmsNormOp op, const Slots &slots) {
  int row = slots.operands[0], result = slots.results[0];
  int weight = op.getWeight() ? slots.operands[1] : -1;
  double eps = op.getEps().convertToDouble();
  return [=](Frame &frame) {
    const Tensor &x = *frame.tensors[row];
    double root = std::sqrt(dot(x, x) / x.data.size() + eps);
    Tensor &y = frame.define(result, x.shape);
    for (size_t d = 0; d < x.data.size(); ++d)
      y.data[d] = x.data[d] / root *
                  (weight < 0 ? 1.0 : frame.tensors[weight]->data[d]);
  };
}

static Step compileL2Norm(L2NormOp op, const Slots &slots) {
  int row = slots.operands[0], result = slots.results[0];
  double eps = op.getEps().convertToDouble();
  return [=](Frame &frame) {
    const Tensor &x = *frame.tensors[row];
    double length = std::max(std::sqrt(dot(x, x)), eps);
    Tensor &y = frame.define(result, x.shape);
    for (size_t d = 0; d < x.data.size(); ++d)
      y.data[d] = x.data[d] / length;
  };
}

static Step compileReduction(int row, int result,
                             double (*combine)(double, double)) {
  return [=](Frame &frame) {
    const std::vector<double> &data = frame.tensors[row]->data;
    double value = data.front();
    for (double element : llvm::drop_begin(data))
      value = combine(value, element);
    frame.scalars[result].f = value;
  };
}

Step goat::reference::compileGoatOp(Operation *op, const Slots &slots) {
  return llvm::TypeSwitch<Operation *, Step>(op)
      .Case([&](QueryPositionOp) {
        return compileCoordinate(
            op, slots, [](const Frame &frame, int64_t b, int64_t i, int64_t) {
              return queryPosition(frame, b, i);
            });
      })
      .Case([&](KeyPositionOp) {
        return compileCoordinate(
            op, slots, [](const Frame &frame, int64_t b, int64_t j, int64_t) {
              return keyPosition(frame, b, j);
            });
      })
      .Case([&](DistanceOp) {
        return compileCoordinate(
            op, slots, [](const Frame &frame, int64_t b, int64_t i, int64_t j) {
              return queryPosition(frame, b, i) - keyPosition(frame, b, j);
            });
      })
      .Case([&](FourierPriorOp prior) { return compileFourier(prior, slots); })
      .Case([&](KeyPriorOp prior) { return compileKeyPrior(prior, slots); })
      .Case([&](XsaOp xsa) { return compileXsa(xsa, slots); })
      .Case([&](ColumnsOp columns) {
        return compileColumns(columns, slots.results[0]);
      })
      .Case([&](GatherRowOp) { return compileGather(slots); })
      .Case([&](RopeOp rope) { return compileRope(rope, slots); })
      .Case([&](RmsNormOp norm) { return compileRmsNorm(norm, slots); })
      .Case([&](L2NormOp norm) { return compileL2Norm(norm, slots); })
      .Case([&](RowSumOp) {
        return compileReduction(slots.operands[0], slots.results[0],
                                [](double a, double b) { return a + b; });
      })
      .Case([&](RowMaxOp) {
        return compileReduction(
            slots.operands[0], slots.results[0],
            [](double a, double b) { return std::isnan(b) || b > a ? b : a; });
      })
      .Default([](Operation *) { return nullptr; });
}
