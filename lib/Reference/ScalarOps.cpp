//===- ScalarOps.cpp - arith and math ops on numbers ----------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each elementwise op of arith and math does to numbers. Float arithmetic
// is double whatever the type, with one exception: arith.truncf, which a user
// writes for its rounding.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;
using namespace goat;
using namespace goat::reference;

double goat::reference::roundTo(FloatType type, double value) {
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded.convertToDouble();
}

static Scalar number(double value) { return {value, 0}; }
static Scalar integer(int64_t value) { return {0.0, value}; }

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

using Unary = double (*)(double);
using Binary = double (*)(double, double);

static Unary findUnary(StringRef name) {
  static const llvm::StringMap<Unary> table = {
      {"arith.negf", [](double x) { return -x; }},
      {"arith.extf", [](double x) { return x; }},
      {"math.absf", [](double x) { return std::fabs(x); }},
      {"math.acos", [](double x) { return std::acos(x); }},
      {"math.acosh", [](double x) { return std::acosh(x); }},
      {"math.asin", [](double x) { return std::asin(x); }},
      {"math.asinh", [](double x) { return std::asinh(x); }},
      {"math.atan", [](double x) { return std::atan(x); }},
      {"math.atanh", [](double x) { return std::atanh(x); }},
      {"math.cbrt", [](double x) { return std::cbrt(x); }},
      {"math.ceil", [](double x) { return std::ceil(x); }},
      {"math.cos", [](double x) { return std::cos(x); }},
      {"math.cosh", [](double x) { return std::cosh(x); }},
      {"math.erf", [](double x) { return std::erf(x); }},
      {"math.erfc", [](double x) { return std::erfc(x); }},
      {"math.exp", [](double x) { return std::exp(x); }},
      {"math.exp2", [](double x) { return std::exp2(x); }},
      {"math.expm1", [](double x) { return std::expm1(x); }},
      {"math.floor", [](double x) { return std::floor(x); }},
      {"math.log", [](double x) { return std::log(x); }},
      {"math.log10", [](double x) { return std::log10(x); }},
      {"math.log1p", [](double x) { return std::log1p(x); }},
      {"math.log2", [](double x) { return std::log2(x); }},
      {"math.round", [](double x) { return std::round(x); }},
      {"math.roundeven", [](double x) { return std::nearbyint(x); }},
      {"math.rsqrt", [](double x) { return 1.0 / std::sqrt(x); }},
      {"math.sin", [](double x) { return std::sin(x); }},
      {"math.sinh", [](double x) { return std::sinh(x); }},
      {"math.sqrt", [](double x) { return std::sqrt(x); }},
      {"math.tan", [](double x) { return std::tan(x); }},
      {"math.tanh", [](double x) { return std::tanh(x); }},
      {"math.trunc", [](double x) { return std::trunc(x); }},
  };
  return table.lookup(name);
}

/// The larger of two, or NaN when either is.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  return std::fmax(a, b);
}

static Binary findBinary(StringRef name) {
  static const llvm::StringMap<Binary> table = {
      {"arith.addf", [](double a, double b) { return a + b; }},
      {"arith.subf", [](double a, double b) { return a - b; }},
      {"arith.mulf", [](double a, double b) { return a * b; }},
      {"arith.divf", [](double a, double b) { return a / b; }},
      {"arith.remf", [](double a, double b) { return std::fmod(a, b); }},
      {"arith.maximumf", maximum},
      {"arith.minimumf", [](double a, double b) { return -maximum(-a, -b); }},
      {"arith.maxnumf", [](double a, double b) { return std::fmax(a, b); }},
      {"arith.minnumf", [](double a, double b) { return std::fmin(a, b); }},
      {"math.atan2", [](double a, double b) { return std::atan2(a, b); }},
      {"math.copysign", [](double a, double b) { return std::copysign(a, b); }},
      {"math.powf", [](double a, double b) { return std::pow(a, b); }},
  };
  return table.lookup(name);
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are listed");
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Bits of an integer, or of an element; index has 64.
static unsigned widthOf(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static int64_t asSigned(int64_t value, unsigned width) {
  return llvm::SignExtend64(static_cast<uint64_t>(value), width);
}
static uint64_t asUnsigned(int64_t value, unsigned width) {
  return static_cast<uint64_t>(value) & llvm::maskTrailingOnes<uint64_t>(width);
}
/// The low `width` bits the way a Scalar holds them.
static int64_t hold(uint64_t value, unsigned width) {
  return width == 1 ? static_cast<int64_t>(value & 1)
                    : llvm::SignExtend64(value, width);
}

using SignedBinary = int64_t (*)(int64_t, int64_t);
using UnsignedBinary = uint64_t (*)(uint64_t, uint64_t);

/// Divisions come with a divisor that is not 0, and not −1 on the smallest
/// number.
static SignedBinary findSigned(StringRef name) {
  static const llvm::StringMap<SignedBinary> table = {
      {"arith.divsi", [](int64_t a, int64_t b) { return a / b; }},
      {"arith.remsi", [](int64_t a, int64_t b) { return a % b; }},
      {"arith.floordivsi",
       [](int64_t a, int64_t b) {
         return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
       }},
      {"arith.ceildivsi",
       [](int64_t a, int64_t b) {
         return a / b + ((a % b != 0 && (a < 0) == (b < 0)) ? 1 : 0);
       }},
      {"arith.maxsi", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"arith.minsi", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"arith.shrsi",
       [](int64_t a, int64_t b) { return a >> std::clamp<int64_t>(b, 0, 63); }},
  };
  return table.lookup(name);
}

static UnsignedBinary findUnsigned(StringRef name) {
  static const llvm::StringMap<UnsignedBinary> table = {
      {"arith.addi", [](uint64_t a, uint64_t b) { return a + b; }},
      {"arith.subi", [](uint64_t a, uint64_t b) { return a - b; }},
      {"arith.muli", [](uint64_t a, uint64_t b) { return a * b; }},
      {"arith.andi", [](uint64_t a, uint64_t b) { return a & b; }},
      {"arith.ori", [](uint64_t a, uint64_t b) { return a | b; }},
      {"arith.xori", [](uint64_t a, uint64_t b) { return a ^ b; }},
      {"arith.shli",
       [](uint64_t a, uint64_t b) { return b < 64 ? a << b : uint64_t(0); }},
      {"arith.shrui",
       [](uint64_t a, uint64_t b) { return b < 64 ? a >> b : uint64_t(0); }},
      {"arith.divui", [](uint64_t a, uint64_t b) { return a / b; }},
      {"arith.remui", [](uint64_t a, uint64_t b) { return a % b; }},
      {"arith.ceildivui",
       [](uint64_t a, uint64_t b) { return a / b + (a % b != 0); }},
      {"arith.maxui", [](uint64_t a, uint64_t b) { return std::max(a, b); }},
      {"arith.minui", [](uint64_t a, uint64_t b) { return std::min(a, b); }},
  };
  return table.lookup(name);
}

/// Whether the second operand divides.
static bool divides(StringRef name) {
  return name.contains("div") || name.contains("rem");
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b,
                    unsigned width) {
  uint64_t ua = asUnsigned(a, width), ub = asUnsigned(b, width);
  a = asSigned(a, width);
  b = asSigned(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("all predicates are listed");
}

static Kernel findIntegerKernel(Operation *op) {
  StringRef name = op->getName().getStringRef();
  unsigned to = op->getNumResults() == 1 &&
                        getElementTypeOrSelf(op->getResult(0)).isIntOrIndex()
                    ? widthOf(op->getResult(0).getType())
                    : 0;
  if (SignedBinary apply = findSigned(name))
    return [=](const Scalar *in, Frame &frame) {
      int64_t a = asSigned(in[0].i, to), b = asSigned(in[1].i, to);
      if (divides(name) && (b == 0 || (b == -1 && a == INT64_MIN))) {
        frame.fail(op, "expected a divisor other than 0");
        return integer(0);
      }
      return integer(hold(apply(a, b), to));
    };
  if (UnsignedBinary apply = findUnsigned(name))
    return [=](const Scalar *in, Frame &frame) {
      uint64_t a = asUnsigned(in[0].i, to), b = asUnsigned(in[1].i, to);
      if (divides(name) && b == 0) {
        frame.fail(op, "expected a divisor other than 0");
        return integer(0);
      }
      return integer(hold(apply(a, b), to));
    };
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    unsigned width = widthOf(cmp.getLhs().getType());
    return [=, predicate = cmp.getPredicate()](const Scalar *in, Frame &) {
      return integer(compare(predicate, in[0].i, in[1].i, width));
    };
  }
  if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(op)) {
    unsigned from = widthOf(op->getOperand(0).getType());
    return [=](const Scalar *in, Frame &) {
      return integer(hold(asSigned(in[0].i, from), to));
    };
  }
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op)) {
    unsigned from = widthOf(op->getOperand(0).getType());
    return [=](const Scalar *in, Frame &) {
      return integer(hold(asUnsigned(in[0].i, from), to));
    };
  }
  if (name == "math.absi")
    return [=](const Scalar *in, Frame &) {
      int64_t value = asSigned(in[0].i, to);
      return integer(
          hold(value < 0 ? -static_cast<uint64_t>(value) : value, to));
    };
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

/// Conversions between floats and integers.
static Kernel findConversion(Operation *op) {
  if (isa<arith::SIToFPOp>(op)) {
    unsigned from = widthOf(op->getOperand(0).getType());
    return [=](const Scalar *in, Frame &) {
      return number(static_cast<double>(asSigned(in[0].i, from)));
    };
  }
  if (isa<arith::UIToFPOp>(op)) {
    unsigned from = widthOf(op->getOperand(0).getType());
    return [=](const Scalar *in, Frame &) {
      return number(static_cast<double>(asUnsigned(in[0].i, from)));
    };
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    unsigned to = widthOf(op->getResult(0).getType());
    return [=](const Scalar *in, Frame &frame) {
      double whole = std::trunc(in[0].f);
      if (!(std::fabs(whole) < 0x1p63)) {
        frame.fail(op, "expected a number that the integer type can hold");
        return integer(0);
      }
      return integer(hold(static_cast<int64_t>(whole), to));
    };
  }
  return nullptr;
}

Kernel goat::reference::findKernel(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (Unary apply = findUnary(name))
    return [=](const Scalar *in, Frame &) { return number(apply(in[0].f)); };
  if (Binary apply = findBinary(name))
    return [=](const Scalar *in, Frame &) {
      return number(apply(in[0].f, in[1].f));
    };
  if (name == "math.fma")
    return [](const Scalar *in, Frame &) {
      return number(std::fma(in[0].f, in[1].f, in[2].f));
    };
  if (name == "math.fpowi")
    return [](const Scalar *in, Frame &) {
      return number(std::pow(in[0].f, static_cast<double>(in[1].i)));
    };
  if (isa<arith::TruncFOp>(op)) {
    auto type = cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    return [=](const Scalar *in, Frame &) {
      return number(roundTo(type, in[0].f));
    };
  }
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return [predicate = cmp.getPredicate()](const Scalar *in, Frame &) {
      return integer(compare(predicate, in[0].f, in[1].f));
    };
  if (isa<arith::SelectOp>(op) &&
      (getElementTypeOrSelf(op->getResult(0)).isIntOrIndexOrFloat()))
    return [](const Scalar *in, Frame &) { return in[0].i ? in[1] : in[2]; };
  if (Kernel conversion = findConversion(op))
    return conversion;
  return findIntegerKernel(op);
}
