# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations that a recorded function may use.

Python's operators and NumPy's functions lead here. Numbers of one operation are
brought to one type first: f32 if one of them is, else integers of 64 bits, else
truth values. Integers divide as Python's do: / in f32, // and % rounded down.
"""

import functools
from typing import Any, Callable

import numpy as np

from goatc.numeric import OPERATORS
from goatc.trace import (F32, FUNCTIONS, I1, UFUNCS, TraceError, Value, as_float,
                         as_index, spread, trace_of, unify)


def binary(name: str, a: Value, b: Value, **facts: bool) -> Value:
    """Records an op on two values of one type."""
    return a.trace.emit(f"{name} {a.name}, {b.name} : {a.type}", a.kind,
                        a.width, **facts)


def arithmetic(float_op: str, integer_op: str, sign: Callable[..., bool],
               grows: bool = False) -> Callable[[Any, Any], Value]:
    """Returns + - or *; truth values count as 0 and 1."""

    def operate(a: Any, b: Any) -> Value:
        x, y = unify(a, b)
        if x.kind == I1:
            x, y = ((as_float(x), as_float(y)) if x.width is not None
                    else (as_index(x), as_index(y)))
        if x.kind == F32:
            return binary(float_op, x, y)
        return binary(integer_op, x, y, small=x.small and y.small and not grows,
                      positive=sign(x.positive, y.positive))

    return operate


add = arithmetic("arith.addf", "arith.addi", lambda x, y: x and y)
subtract = arithmetic("arith.subf", "arith.subi", lambda x, y: False)
multiply = arithmetic("arith.mulf", "arith.muli", lambda x, y: x and y, True)


def divide(a: Any, b: Any) -> Value:
    """a / b, in f32 also for integers."""
    return binary("arith.divf", *unify(a, b, force=F32))


def check_divisor(y: Value) -> None:
    """Raises TraceError unless an integer may be divided by."""
    if not y.number:
        raise TraceError(
            "expected a constant other than 0 as a divisor of integers, as a "
            "division by 0 has no value; divide as numbers of f32, "
            "np.floor(a / b)")


def floor_divide(a: Any, b: Any) -> Value:
    """a // b, rounded down; b is a constant where both are integers."""
    x, y = unify(a, b)
    if x.kind == F32:
        return floor(binary("arith.divf", x, y))
    x, y = as_index(x), as_index(y)
    check_divisor(y)
    if y.number == -1:  # which might overflow, for all that MLIR knows
        return negate(x)
    if x.positive and y.positive:
        return binary("arith.divui", x, y, small=x.small, positive=True)
    return binary("arith.floordivsi", x, y, small=x.small)


def remainder(a: Any, b: Any) -> Value:
    """a % b, with the sign of b; b is a constant where both are integers."""
    x, y = unify(a, b)
    if x.kind == F32:
        return subtract(x, multiply(floor(divide(x, y)), y))
    x, y = as_index(x), as_index(y)
    check_divisor(y)
    if x.positive and y.positive:
        return binary("arith.remui", x, y, small=y.small, positive=True)
    rest = binary("arith.remsi", x, y, small=y.small)
    wrong = (rest != 0) & ((rest < 0) ^ (y < 0))
    result = where(wrong, rest + y, rest)
    result.small, result.positive = y.small, y.positive
    return result


def power(a: Any, b: Any) -> Value:
    """a ** b, in f32."""
    if isinstance(b, (int, np.integer)) and 1 <= b <= 4:
        result = unify(a)[0]
        base = result
        for _ in range(int(b) - 1):
            result = multiply(result, base)
        return result
    return binary("math.powf", *unify(a, b, force=F32))


def negate(a: Any) -> Value:
    """-a."""
    (x,) = unify(a)
    if x.kind == F32:
        return unary("arith.negf")(x)
    return subtract(0, x)


def absolute(a: Any) -> Value:
    """|a|."""
    (x,) = unify(a)
    if x.kind == F32:
        return unary("math.absf")(x)
    x = as_index(x)
    return binary("arith.maxsi", x, negate(x), small=x.small, positive=True)


def compare(name: str, a: Any, b: Any) -> Value:
    """A comparison; `name` is "eq", "ne", "lt", "le", "gt" or "ge"."""
    x, y = unify(a, b)
    if x.kind == I1 and name not in ("eq", "ne"):
        x, y = as_index(x), as_index(y)
    op, prefix = "arith.cmpi", "" if name in ("eq", "ne") else "s"
    if x.kind == F32:
        op, prefix = "arith.cmpf", "u" if name == "ne" else "o"
    return x.trace.emit(f"{op} {prefix}{name}, {x.name}, {y.name} : {x.type}",
                        I1, x.width)


def logical(op: str) -> Callable[[Any, Any], Value]:
    """Returns & | or ^ of truth values."""

    def operate(a: Any, b: Any) -> Value:
        x, y = unify(a, b)
        if x.kind != I1:
            raise TraceError(f"expected truth values for &, | and ^ but got "
                             f"{x!r}; compare them first")
        return binary(op, x, y)

    return operate


logical_and = logical("arith.andi")
logical_or = logical("arith.ori")
logical_xor = logical("arith.xori")


def logical_not(a: Any) -> Value:
    """~a of a truth value."""
    return logical_xor(a, True)


def where(condition: Any, a: Any, b: Any) -> Value:
    """a where the condition holds, else b; both are evaluated."""
    trace = trace_of((condition, a, b))
    (test,) = unify(condition)
    if test.kind != I1:
        test = compare("ne", test, 0)
    x, y = unify(a, b)
    if test.width is None and x.width is None:
        return trace.emit(
            f"arith.select {test.name}, {x.name}, {y.name} : {x.type}", x.kind,
            small=x.small and y.small, positive=x.positive and y.positive)
    width = test.width or x.width
    test, x, y = (spread(value, width) for value in (test, x, y))
    return trace.emit(f"arith.select {test.name}, {x.name}, {y.name} : "
                      f"{test.type}, {x.type}", x.kind, width)


def extremum(float_op: str, integer_op: str,
             sign: Callable[[bool, bool], bool]) -> Callable[[Any, Any], Value]:
    """Returns the smaller or the larger of two numbers."""

    def operate(a: Any, b: Any) -> Value:
        x, y = unify(a, b)
        if x.kind == F32:
            return binary(float_op, x, y)
        x, y = as_index(x), as_index(y)
        return binary(integer_op, x, y, small=x.small and y.small,
                      positive=sign(x.positive, y.positive))

    return operate


minimum = extremum("arith.minimumf", "arith.minsi", lambda x, y: x and y)
maximum = extremum("arith.maximumf", "arith.maxsi", lambda x, y: x or y)


def clip(a: Any, low: Any, high: Any) -> Value:
    """a, but at least `low` and at most `high`."""
    return minimum(maximum(a, low), high)


def unary(op: str) -> Callable[[Any], Value]:
    """Returns a function of one f32."""

    def operate(a: Any) -> Value:
        (x,) = unify(a, force=F32)
        return x.trace.emit(f"{op} {x.name} : {x.type}", F32, x.width)

    operate.__doc__ = f"{op.split('.')[1]} of a number, in f32."
    return operate


exp, exp2, log, log2, log1p = (unary("math." + name) for name in (
    "exp", "exp2", "log", "log2", "log1p"))
sin, cos, tanh, sqrt, rsqrt, ceil = (unary("math." + name) for name in (
    "sin", "cos", "tanh", "sqrt", "rsqrt", "ceil"))
floor = unary("math.floor")


def sigmoid(a: Any) -> Value:
    """1 / (1 + exp(-a))."""
    return divide(1.0, add(1.0, exp(negate(a))))


def softplus(a: Any) -> Value:
    """log(1 + exp(a)), without overflow."""
    return add(maximum(a, 0.0), log1p(exp(negate(absolute(as_float(
        unify(a)[0]))))))


def softcap(score: Any, cap: Any) -> Value:
    """cap · tanh(score / cap), to an absolute error of |cap|·2^-20."""
    x, y = unify(score, cap, force=F32)
    if x.width is not None:
        return multiply(y, tanh(divide(x, y)))
    return x.trace.emit(f"goat.softcap {x.name}, {y.name}", F32)


def row_sum(row: Any) -> Value:
    """The sum of the elements of a row, in an exclusion."""
    return reduce_row("goat.row_sum", row)


def row_max(row: Any) -> Value:
    """The largest element of a row, in an exclusion."""
    return reduce_row("goat.row_max", row)


def reduce_row(op: str, row: Any) -> Value:
    """Records a reduction of a row."""
    (x,) = unify(row, force=F32)
    if x.width is None:
        raise TraceError(f"expected a row but got {row!r}; an exclusion has "
                         f"them")
    return x.trace.emit(f"{op} {x.name} : {x.type}", F32)


UFUNCS.update({
    "add": add, "subtract": subtract, "multiply": multiply, "divide": divide,
    "true_divide": divide, "floor_divide": floor_divide,
    "remainder": remainder, "power": power, "negative": negate,
    "absolute": absolute, "fabs": absolute, "exp": exp, "exp2": exp2,
    "log": log, "log2": log2, "log1p": log1p, "sin": sin, "cos": cos,
    "tanh": tanh, "sqrt": sqrt, "floor": floor, "ceil": ceil,
    "minimum": minimum, "maximum": maximum, "logical_and": logical_and,
    "logical_or": logical_or, "logical_xor": logical_xor,
    "logical_not": logical_not, "bitwise_and": logical_and,
    "bitwise_or": logical_or, "bitwise_xor": logical_xor,
    "invert": logical_not, "equal": lambda a, b: compare("eq", a, b),
    "not_equal": lambda a, b: compare("ne", a, b),
    "less": lambda a, b: compare("lt", a, b),
    "less_equal": lambda a, b: compare("le", a, b),
    "greater": lambda a, b: compare("gt", a, b),
    "greater_equal": lambda a, b: compare("ge", a, b)})
FUNCTIONS.update({"where": where, "clip": clip})
OPERATORS.update({
    "add": add, "sub": subtract, "mul": multiply, "truediv": divide,
    "floordiv": floor_divide, "mod": remainder, "pow": power,
    "and": logical_and, "or": logical_or, "xor": logical_xor,
    "neg": negate, "abs": absolute, "invert": logical_not,
    **{name: functools.partial(compare, name)
       for name in ("eq", "ne", "lt", "le", "gt", "ge")}})
