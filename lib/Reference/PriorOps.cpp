//===- PriorOps.cpp - priors by name --------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of the ops of GoatPriors.td, in double precision and without the
// ops' own expansions.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using namespace goat::reference;

/// The value of query head h in a parameter (H'): h·H'/Hq.
static double ofHead(Frame &frame, Operation *op, const Tensor &parameter,
                     int64_t head) {
  int64_t queryHeads = frame.coordinates->queryHeads;
  if (head < 0 || head >= queryHeads) {
    frame.fail(op, "expected the head to lie in [0, " + Twine(queryHeads) +
                       ") but got " + Twine(head));
    return 0.0;
  }
  return parameter.data[head * parameter.shape[0] / queryHeads];
}

/// −slope·δ, or −slope·|δ|.
static Step compileAlibi(AlibiOp op, const Slots &slots) {
  bool hasSlopes = static_cast<bool>(op.getSlopes());
  bool isSymmetric = op.getSymmetric();
  int slopes = hasSlopes ? slots.operands[0] : -1;
  int head = slots.operands[hasSlopes],
      distance = slots.operands[hasSlopes + 1], result = slots.results[0];
  return [=](Frame &frame) {
    int64_t h = frame.scalars[head].i;
    double slope =
        hasSlopes ? ofHead(frame, op, *frame.tensors[slopes], h)
                  : std::exp2(-8.0 * (h + 1) / frame.coordinates->queryHeads);
    double delta = static_cast<double>(frame.scalars[distance].i);
    frame.scalars[result].f = -slope * (isSymmetric ? std::fabs(delta) : delta);
  };
}

/// gain·MLP(feat(t)) + bump·[t = 0].
static Step compileSink(SinkPriorOp op, const Slots &slots) {
  SmallVector<int> in(slots.operands);
  int result = slots.results[0];
  return [=](Frame &frame) {
    auto tensor = [&](unsigned operand) -> const Tensor & {
      return *frame.tensors[in[operand]];
    };
    const Tensor &weight = tensor(2), &omega = tensor(6);
    double length = frame.scalars[in[7]].f;
    int64_t head = frame.scalars[in[8]].i;
    double t =
        static_cast<double>(std::max<int64_t>(frame.scalars[in[9]].i, 0));
    std::vector<double> features;
    for (double frequency : omega.data)
      features.push_back(std::cos(frequency * t));
    for (double frequency : omega.data)
      features.push_back(std::sin(frequency * t));
    features.push_back(t / length);
    features.push_back(std::log1p(t) / std::log1p(length));
    double sum = tensor(5).data[0];
    for (int64_t unit = 0; unit < weight.shape[0]; ++unit) {
      double hidden = tensor(3).data[unit];
      for (size_t f = 0; f < features.size(); ++f)
        hidden += weight.data[unit * features.size() + f] * features[f];
      sum += tensor(4).data[unit] * hidden / (1.0 + std::exp(-hidden));
    }
    frame.scalars[result].f =
        ofHead(frame, op, tensor(0), head) * sum +
        (t == 0.0 ? ofHead(frame, op, tensor(1), head) : 0.0);
  };
}

static Step compileSoftcap(const Slots &slots) {
  int score = slots.operands[0], cap = slots.operands[1],
      result = slots.results[0];
  return [=](Frame &frame) {
    double c = frame.scalars[cap].f;
    frame.scalars[result].f = c * std::tanh(frame.scalars[score].f / c);
  };
}

/// By logarithms, where the op compares with thresholds.
static Step compileBucket(T5BucketOp op, const Slots &slots) {
  int distance = slots.operands[0], result = slots.results[0];
  bool isBidirectional = op.getBidirectional();
  int64_t count = op.getBuckets() / (isBidirectional ? 2 : 1);
  int64_t exact = count / 2;
  double range = std::log(double(op.getMaxDistance()) / exact);
  return [=](Frame &frame) {
    int64_t delta = frame.scalars[distance].i, offset = 0;
    if (isBidirectional && delta < 0) {
      offset = count;
      delta = -delta;
    }
    delta = std::max<int64_t>(delta, 0);
    if (delta >= exact) {
      double place = std::log(double(delta) / exact) / range * (count - exact);
      // What is a whole number in exact arithmetic may come out just below.
      delta = exact + static_cast<int64_t>(std::floor(place + 1e-9));
      delta = std::min(delta, count - 1);
    }
    frame.scalars[result].i = offset + delta;
  };
}

Step goat::reference::compilePriorOp(Operation *op, const Slots &slots) {
  return llvm::TypeSwitch<Operation *, Step>(op)
      .Case([&](AlibiOp alibi) { return compileAlibi(alibi, slots); })
      .Case([&](SinkPriorOp sink) { return compileSink(sink, slots); })
      .Case([&](SoftcapOp) { return compileSoftcap(slots); })
      .Case([&](T5BucketOp bucket) { return compileBucket(bucket, slots); })
      .Default([](Operation *) { return nullptr; });
}
