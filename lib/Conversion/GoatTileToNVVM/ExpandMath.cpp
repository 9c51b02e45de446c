//===- ExpandMath.cpp - scalar functions for the NVPTX backend ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas around the hardware's approximations of 2^x, log2 x, 1/x, 1/√x, sin
// and cos. Their errors are those the PTX ISA states ("Floating Point
// Instructions"); the table in Passes.td says what becomes of them.
//
//===----------------------------------------------------------------------===//

#include "goat/Conversion/GoatTileToNVVM/Passes.h"

#include "goat/Dialect/GoatTile/IR/PerElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace goat {
#define GEN_PASS_DEF_GOATEXPANDMATH
#include "goat/Conversion/GoatTileToNVVM/Passes.h.inc"
} // namespace goat

using namespace mlir;
using namespace goat;

namespace {

/// Emits f32 formulas at one place.
class FloatEmitter {
public:
  FloatEmitter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(float value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, float b) { return mul(a, constant(b)); }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value fma(Value a, float b, Value c) { return fma(a, constant(b), c); }
  Value abs(Value a) { return math::AbsFOp::create(builder, loc, a); }
  Value copySign(Value magnitude, Value sign) {
    return math::CopySignOp::create(builder, loc, magnitude, sign);
  }
  Value round(Value a) { return math::RoundEvenOp::create(builder, loc, a); }
  Value less(Value a, float b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a,
                                 constant(b));
  }
  Value equal(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }

  Value exp2(Value x) { return intrinsic("llvm.nvvm.ex2.approx.ftz.f32", x); }
  Value log2(Value x) { return intrinsic("llvm.nvvm.lg2.approx.ftz.f", x); }
  Value rsqrt(Value x) { return intrinsic("llvm.nvvm.rsqrt.approx.ftz.f", x); }
  Value reciprocal(Value x) {
    return intrinsic("llvm.nvvm.rcp.approx.ftz.f", x);
  }

  /// x·p(square), p's coefficients from the highest power down.
  Value oddSeries(Value x, Value square, ArrayRef<float> coefficients) {
    Value sum = constant(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      sum = fma(sum, square, constant(coefficient));
    return mul(x, sum);
  }

  Value divide(Value a, Value b) { return mul(a, reciprocal(b)); }
  Value sqrt(Value a) { return math::SqrtOp::create(builder, loc, a); }
  Value trunc(Value a) { return math::TruncOp::create(builder, loc, a); }
  Value less(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  }
  /// The larger and the smaller of two, NaN where one is.
  Value maximum(Value a, Value b) {
    return arith::MaximumFOp::create(builder, loc, a, b);
  }
  Value minimum(Value a, Value b) {
    return arith::MinimumFOp::create(builder, loc, a, b);
  }
  Value toFloat(Value integer) {
    return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), integer);
  }

  Value exp(Value x);
  Value expm1(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value erf(Value x);
  Value atan2(Value y, Value x);
  Value cbrt(Value x);
  Value pow(Value x, Value y);
  /// xⁿ of an integer n.
  Value powi(Value x, Value n);
  /// To the nearest whole number, halves away from zero.
  Value roundAway(Value x);
  /// x − 2π·round(x / 2π).
  Value reduceAngle(Value x);

private:
  Value intrinsic(StringRef name, Value x) {
    return LLVM::CallIntrinsicOp::create(builder, loc, x.getType(),
                                         builder.getStringAttr(name),
                                         ValueRange{x})
        .getResult(0);
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace

/// Splitting off the integer part keeps what the product x·log2 e loses, which
/// is worth 2^-17 of the result at x = 80.
Value FloatEmitter::exp(Value x) {
  // Beyond ±256 the result is 0 or infinite, and ∞ − ∞ is kept out; a NaN
  // stays one.
  x = arith::MinimumFOp::create(builder, loc, x, constant(256.0f));
  x = arith::MaximumFOp::create(builder, loc, x, constant(-256.0f));
  constexpr float log2eHigh = 1.44269502f, log2eLow = 1.92596303e-8f;
  Value high = mul(x, log2eHigh);
  Value low = fma(x, log2eHigh, arith::NegFOp::create(builder, loc, high));
  low = fma(x, log2eLow, low);
  Value whole = round(high);
  Value fraction = add(sub(high, whole), low);
  return mul(exp2(fraction), exp2(whole));
}

/// log(1 + x) = 2·artanh(s), s = x / (2 + x): |s| ≤ 1/3 for |x| ≤ 1/2, where
/// the next term of the series is below 2^-25 of the first.
Value FloatEmitter::log1p(Value x) {
  Value s = mul(x, reciprocal(add(x, constant(2.0f))));
  Value series = oddSeries(s, mul(s, s),
                           {2.0f / 15, 2.0f / 13, 2.0f / 11, 2.0f / 9, 2.0f / 7,
                            2.0f / 5, 2.0f / 3, 2.0f});
  Value direct = mul(log2(add(x, constant(1.0f))), 0.693147181f);
  return select(less(abs(x), 0.5f), series, direct);
}

Value FloatEmitter::tanh(Value x) {
  Value magnitude = abs(x);
  // 2·log2 e; e^(2|x|) may overflow, then 2 / ∞ = 0.
  Value power = exp2(mul(magnitude, 2.88539008f));
  Value far =
      fma(reciprocal(add(power, constant(1.0f))), -2.0f, constant(1.0f));
  Value near = oddSeries(x, mul(x, x),
                         {-1382.0f / 155925, 62.0f / 2835, -17.0f / 315,
                          2.0f / 15, -1.0f / 3, 1.0f});
  return select(less(magnitude, 0.25f), near, copySign(far, x));
}

/// e^x − 1: a Taylor series below 1/2, whose next term is below 2^-25.
Value FloatEmitter::expm1(Value x) {
  Value series = constant(1.0f / 40320);
  for (float coefficient :
       {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f})
    series = fma(series, x, constant(coefficient));
  Value far = sub(exp(x), constant(1.0f));
  return select(less(abs(x), 0.5f), mul(x, series), far);
}

/// From e^(|x|/2), which overflows only where the result does.
Value FloatEmitter::sinh(Value x) {
  Value root = exp(mul(abs(x), 0.5f));
  Value power = mul(mul(root, 0.5f), root);
  Value far = sub(power, mul(reciprocal(power), 0.25f));
  Value near = oddSeries(
      x, mul(x, x), {1.0f / 362880, 1.0f / 5040, 1.0f / 120, 1.0f / 6, 1.0f});
  return select(less(abs(x), 1.0f), near, copySign(far, x));
}

Value FloatEmitter::cosh(Value x) {
  Value root = exp(mul(abs(x), 0.5f));
  Value power = mul(mul(root, 0.5f), root);
  return add(power, mul(reciprocal(power), 0.25f));
}

/// log(x + √(x² + 1)) = log1p(|x| + x²/(1 + √(x² + 1))); far out log |x| +
/// ln 2.
Value FloatEmitter::asinh(Value x) {
  Value magnitude = abs(x), square = mul(x, x), one = constant(1.0f);
  Value near =
      log1p(add(magnitude, divide(square, add(one, sqrt(add(square, one))))));
  Value far = fma(log2(magnitude), 0.693147181f, constant(0.693147181f));
  return copySign(select(less(magnitude, 1e9f), near, far), x);
}

/// log(x + √(x² − 1)) = log1p(t + √(t² + 2t)), t = x − 1; far out log x + ln 2.
Value FloatEmitter::acosh(Value x) {
  Value t = sub(x, constant(1.0f));
  Value near = log1p(add(t, sqrt(fma(t, t, add(t, t)))));
  Value far = fma(log2(x), 0.693147181f, constant(0.693147181f));
  return select(less(x, 1e9f), near, far);
}

Value FloatEmitter::atanh(Value x) {
  Value magnitude = abs(x);
  Value argument =
      divide(add(magnitude, magnitude), sub(constant(1.0f), magnitude));
  return copySign(mul(log1p(argument), 0.5f), x);
}

/// A series below 1, whose next term is below 2^-26; from there the formula
/// 7.1.26 of Abramowitz and Stegun, |error| ≤ 1.5e-7.
Value FloatEmitter::erf(Value x) {
  Value magnitude = abs(x), square = mul(x, x);
  // 2/√π · (−1)^n / (n!·(2n + 1)), n from 9 down.
  Value near =
      oddSeries(x, square,
                {-1.6365844e-7f, 1.6462114e-6f, -1.4925650e-5f, 1.2055332e-4f,
                 -8.5483270e-4f, 5.2239776e-3f, -2.6866170e-2f, 1.1283792e-1f,
                 -3.7612638e-1f, 1.1283792f});
  Value t = reciprocal(fma(magnitude, 0.3275911f, constant(1.0f)));
  Value sum = constant(1.061405429f);
  for (float coefficient :
       {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f})
    sum = fma(sum, t, constant(coefficient));
  Value power = exp2(mul(square, -1.44269504f));
  Value far = fma(mul(mul(sum, t), -1.0f), power, constant(1.0f));
  return select(less(magnitude, 1.0f), near, copySign(far, x));
}

/// The angle of (x, y): arctan of the smaller over the larger by the polynomial
/// 4.4.49 of Abramowitz and Stegun, |error| ≤ 2e-8, turned into its octant.
Value FloatEmitter::atan2(Value y, Value x) {
  Value width = abs(x), height = abs(y);
  Value larger = maximum(width, height), smaller = minimum(width, height);
  // The reciprocal of what is very large is flushed to 0.
  Value scale =
      select(less(larger, 0x1p64f), constant(1.0f), constant(0x1p-64f));
  Value ratio = divide(mul(smaller, scale), mul(larger, scale));
  // 0/0 and ∞/∞ have an angle; a NaN stays one.
  ratio = select(equal(smaller, larger), constant(1.0f), ratio);
  ratio = select(less(larger, 0x1p-126f), constant(0.0f), ratio);
  Value angle = oddSeries(ratio, mul(ratio, ratio),
                          {0.0028662257f, -0.0161657367f, 0.0429096138f,
                           -0.0752896400f, 0.1065626393f, -0.1420889944f,
                           0.1999355085f, -0.3333314528f, 1.0f});
  angle = select(less(width, height), sub(constant(1.57079633f), angle), angle);
  // −0 counts as negative.
  Value isLeft = less(copySign(constant(1.0f), x), 0.0f);
  angle = select(isLeft, sub(constant(3.14159265f), angle), angle);
  return copySign(angle, y);
}

/// Newton's step after 2^(log2|x|/3).
Value FloatEmitter::cbrt(Value x) {
  Value magnitude = abs(x);
  Value root = exp2(mul(log2(magnitude), 1.0f / 3));
  Value inverse = reciprocal(mul(root, root));
  // root + (x/root² − root)/3
  Value correction = mul(fma(magnitude, inverse, mul(root, -1.0f)), 1.0f / 3);
  Value refined = add(root, correction);
  // ∞ is its own root, and so is 0, for which all below 2^-126 counts.
  Value isPlain = less(mul(magnitude, 0.0f), 1.0f);
  isPlain = arith::AndIOp::create(builder, loc, isPlain,
                                  less(constant(0x1p-126f), magnitude));
  return select(isPlain, copySign(refined, x), x);
}

Value FloatEmitter::roundAway(Value x) {
  Value whole = trunc(x);
  Value isDown = less(abs(sub(x, whole)), 0.5f);
  Value step = select(isDown, constant(0.0f), constant(1.0f));
  // ∞ − ∞ is NaN, and steps from ∞ lead nowhere.
  return add(whole, copySign(step, x));
}

Value FloatEmitter::pow(Value x, Value y) {
  Value power = exp2(mul(y, log2(abs(x))));
  // A negative base: only integers are exponents, odd ones give its sign.
  Value half = mul(y, 0.5f);
  Value isInteger = equal(round(y), y), isEven = equal(round(half), half);
  Value signedPower = select(isEven, power, copySign(power, x));
  Value nan = constant(std::numeric_limits<float>::quiet_NaN());
  Value negative = select(isInteger, signedPower, nan);
  Value result = select(less(x, 0.0f), negative, power);
  // 0 · log2(…) is NaN for an infinite logarithm, and 1^y is 1.
  Value one = constant(1.0f);
  result = select(equal(y, constant(0.0f)), one, result);
  return select(equal(x, one), one, result);
}

Value FloatEmitter::powi(Value x, Value n) {
  // Parity is asked of the integer: from 2^24 on f32 has even numbers only.
  Value power = pow(abs(x), toFloat(n));
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(n.getType(), value));
  };
  Value isOdd = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      arith::AndIOp::create(builder, loc, n, integer(1)), integer(0));
  return select(isOdd, copySign(power, x), power);
}

Value FloatEmitter::reduceAngle(Value x) {
  // 2π = 6.2831854820251465 − 1.7484556e-7, each part rounded to f32; the first
  // step is exact.
  Value turns = round(mul(x, 0.159154943f));
  x = fma(turns, -6.28318548f, x);
  return fma(turns, 1.7484556e-7f, x);
}

static bool isApproximate(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  return fast && bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(),
                                    arith::FastMathFlags::afn);
}

/// A quotient of f32 that may be approximate.
static bool isApproximateQuotient(Operation *op) {
  return isa<arith::DivFOp>(op) && isApproximate(op) &&
         op->getResult(0).getType().isF32();
}

/// The value of a math op, or of an approximate quotient; null if it is to
/// stay, failure if it is refused.
static FailureOr<Value> expand(Operation *op, OpBuilder &builder) {
  using Result = FailureOr<Value>;
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
          math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp,
          math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
          math::IsNaNOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op))
    return Value();
  FloatEmitter emitter(builder, op->getLoc());
  Type type = op->getResult(0).getType();
  auto onF32 = [&](auto formula) -> Result {
    if (type.isF32())
      return Value(formula());
    return op->emitOpError("expected f32 but got ")
           << type << "; convert with arith.extf or arith.truncf around the op";
  };
  Value x = op->getOperand(0);
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::DivFOp quotient) -> Result {
        Value inverse = emitter.reciprocal(quotient.getRhs());
        return matchPattern(x, m_OneFloat()) ? inverse
                                             : emitter.mul(x, inverse);
      })
      .Case([&](math::ExpOp) { return onF32([&] { return emitter.exp(x); }); })
      .Case(
          [&](math::Exp2Op) { return onF32([&] { return emitter.exp2(x); }); })
      .Case([&](math::LogOp) {
        return onF32(
            [&] { return emitter.mul(emitter.log2(x), 0.693147181f); });
      })
      .Case(
          [&](math::Log2Op) { return onF32([&] { return emitter.log2(x); }); })
      .Case([&](math::Log10Op) {
        return onF32(
            [&] { return emitter.mul(emitter.log2(x), 0.301029996f); });
      })
      .Case([&](math::ExpM1Op) {
        return onF32([&] { return emitter.expm1(x); });
      })
      .Case(
          [&](math::SinhOp) { return onF32([&] { return emitter.sinh(x); }); })
      .Case(
          [&](math::CoshOp) { return onF32([&] { return emitter.cosh(x); }); })
      .Case([&](math::AsinhOp) {
        return onF32([&] { return emitter.asinh(x); });
      })
      .Case([&](math::AcoshOp) {
        return onF32([&] { return emitter.acosh(x); });
      })
      .Case([&](math::AtanhOp) {
        return onF32([&] { return emitter.atanh(x); });
      })
      .Case([&](math::ErfOp) { return onF32([&] { return emitter.erf(x); }); })
      .Case([&](math::ErfcOp) {
        return onF32([&] {
          return emitter.sub(emitter.constant(1.0f), emitter.erf(x));
        });
      })
      .Case([&](math::AtanOp) {
        return onF32([&] { return emitter.atan2(x, emitter.constant(1.0f)); });
      })
      .Case([&](math::Atan2Op atan2Op) {
        return onF32([&] { return emitter.atan2(x, atan2Op.getRhs()); });
      })
      .Case<math::AsinOp, math::AcosOp>([&](auto function) {
        return onF32([&]() -> Value {
          Value one = emitter.constant(1.0f);
          Value other = emitter.sqrt(
              emitter.mul(emitter.sub(one, x), emitter.add(one, x)));
          return isa<math::AsinOp>(op) ? emitter.atan2(x, other)
                                       : emitter.atan2(other, x);
        });
      })
      .Case(
          [&](math::CbrtOp) { return onF32([&] { return emitter.cbrt(x); }); })
      .Case([&](math::TanOp) {
        return onF32([&] {
          Value angle = emitter.reduceAngle(x);
          auto fast = arith::FastMathFlags::afn;
          return emitter.divide(
              math::SinOp::create(builder, op->getLoc(), angle, fast),
              math::CosOp::create(builder, op->getLoc(), angle, fast));
        });
      })
      .Case([&](math::RoundOp) {
        return onF32([&] { return emitter.roundAway(x); });
      })
      .Case([&](math::FPowIOp powOp) {
        return onF32([&] { return emitter.powi(x, powOp.getRhs()); });
      })
      .Case([&](math::ClampFOp clamp) {
        return onF32([&] {
          return emitter.minimum(emitter.maximum(x, clamp.getMin()),
                                 clamp.getMax());
        });
      })
      .Case([&](math::Log1pOp) {
        return onF32([&] { return emitter.log1p(x); });
      })
      .Case([&](math::RsqrtOp) {
        return onF32([&] { return emitter.rsqrt(x); });
      })
      .Case([&](math::PowFOp powOp) {
        return onF32([&] { return emitter.pow(x, powOp.getRhs()); });
      })
      .Case([&](math::TanhOp) {
        return onF32(
            [&] { return isApproximate(op) ? Value() : emitter.tanh(x); });
      })
      .Case<math::CosOp, math::SinOp>([&](auto function) {
        return onF32([&]() -> Value {
          if (isApproximate(op))
            return {};
          return decltype(function)::create(builder, op->getLoc(),
                                            emitter.reduceAngle(x),
                                            arith::FastMathFlags::afn);
        });
      })
      .Default([&](Operation *) -> Result {
        return op->emitOpError("has no lowering to PTX; write it with "
                               "other ops of math");
      });
}

namespace {

struct GoatExpandMath : public goat::impl::GoatExpandMathBase<GoatExpandMath> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          !isApproximateQuotient(op))
        return WalkResult::advance();
      OpBuilder builder(op);
      Operation *before = op->getPrevNode();
      FailureOr<Value> value = expand(op, builder);
      if (failed(value))
        return WalkResult::interrupt();
      if (*value) {
        // What stands for an op is evaluated where it was.
        if (Attribute mark = op->getAttr(tile::perElementAttrName))
          for (Operation *created = before ? before->getNextNode()
                                           : &op->getBlock()->front();
               created != op; created = created->getNextNode())
            created->setAttr(tile::perElementAttrName, mark);
        op->getResult(0).replaceAllUsesWith(*value);
        op->erase();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
