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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

namespace goat {
#define GEN_PASS_DEF_GOATEXPANDMATH
#include "goat/Conversion/GoatTileToNVVM/Passes.h.inc"
} // namespace goat

using namespace mlir;

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

  Value exp(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value pow(Value x, Value y);
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

Value FloatEmitter::reduceAngle(Value x) {
  // 2π = 6.2831854820251465 − 1.7484556e-7, each part rounded to f32; the first
  // step is exact.
  Value turns = round(mul(x, 0.159154943f));
  x = fma(turns, -6.28318548f, x);
  return fma(turns, 1.7484556e-7f, x);
}

/// The value of a math op, null if it is to stay, failure if it is refused.
static FailureOr<Value> expand(Operation *op, OpBuilder &builder) {
  using Result = FailureOr<Value>;
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
          math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp,
          math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
          math::IsNaNOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op))
    return Value();
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  bool isApproximate =
      fast && bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(),
                                 arith::FastMathFlags::afn);
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
      .Case([&](math::ExpOp) { return onF32([&] { return emitter.exp(x); }); })
      .Case(
          [&](math::Exp2Op) { return onF32([&] { return emitter.exp2(x); }); })
      .Case([&](math::LogOp) {
        return onF32(
            [&] { return emitter.mul(emitter.log2(x), 0.693147181f); });
      })
      .Case(
          [&](math::Log2Op) { return onF32([&] { return emitter.log2(x); }); })
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
        return onF32([&] { return isApproximate ? Value() : emitter.tanh(x); });
      })
      .Case<math::CosOp, math::SinOp>([&](auto function) {
        return onF32([&]() -> Value {
          if (isApproximate)
            return {};
          return decltype(function)::create(builder, op->getLoc(),
                                            emitter.reduceAngle(x),
                                            arith::FastMathFlags::afn);
        });
      })
      .Default([&](Operation *) -> Result {
        return op->emitOpError("has no lowering to PTX; write it with exp, "
                               "exp2, log, log2, log1p, tanh, sin, cos, pow, "
                               "sqrt and rsqrt");
      });
}

namespace {

struct GoatExpandMath : public goat::impl::GoatExpandMathBase<GoatExpandMath> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()))
        return WalkResult::advance();
      OpBuilder builder(op);
      FailureOr<Value> value = expand(op, builder);
      if (failed(value))
        return WalkResult::interrupt();
      if (*value) {
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
