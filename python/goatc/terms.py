# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `goatc.prior`, `goatc.mask` and `goatc.exclude` make, and how it is
combined.

Each is a function of coordinates like one that you write, so that
`lambda s, b, h, i, j: s + prior(b, h, i, j)` works too.
"""

from typing import Any, Callable

from goatc import ops
from goatc.trace import Trace, Value, current


class Term:
    """A function of coordinates with a name."""

    def __init__(self, name: str, function: Callable[..., Any]):
        self.name = name
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __repr__(self) -> str:
        return self.name


class Prior(Term):
    """A term that is added to the logits, (b, h, i, j) to f32. Priors add,
    subtract and scale: `fourier(...) + 0.5 * key(u)`."""

    def __add__(self, other: "Prior") -> "Prior":
        if not isinstance(other, Prior):
            return NotImplemented
        return Prior(f"({self!r} + {other!r})",
                     lambda *at: ops.add(self(*at), other(*at)))

    def __sub__(self, other: "Prior") -> "Prior":
        return self + -other

    def __neg__(self) -> "Prior":
        return Prior(f"-{self!r}", lambda *at: ops.negate(self(*at)))

    def __mul__(self, factor: Any) -> "Prior":
        return Prior(f"{factor!r} * {self!r}",
                     lambda *at: ops.multiply(factor, self(*at)))

    __rmul__ = __mul__


class Mask(Term):
    """Says which keys a query sees, (b, h, i, j) to a truth value. Masks
    combine with & | and ~."""

    def __and__(self, other: "Mask") -> "Mask":
        return self._combine("&", ops.logical_and, other)

    def __or__(self, other: "Mask") -> "Mask":
        return self._combine("|", ops.logical_or, other)

    def __invert__(self) -> "Mask":
        return Mask(f"~{self!r}", lambda *at: ops.logical_not(self(*at)))

    def _combine(self, sign: str, operate: Callable[..., Any],
                 other: "Mask") -> "Mask":
        if not isinstance(other, Mask):
            return NotImplemented
        return Mask(f"({self!r} {sign} {other!r})",
                    lambda *at: operate(self(*at), other(*at)))


class Exclusion(Term):
    """Maps a finished row, (y, own, b, h, i) to a row. `a.then(b)` does b after
    a."""

    def then(self, other: Callable[..., Any]) -> "Exclusion":
        return Exclusion(f"{self!r}.then({other!r})",
                         lambda y, own, *at: other(self(y, own, *at), own, *at))


class Load(Term):
    """Maps a row of query or key, (row, b, h, i) to a row. `a.then(b)` does b
    after a."""

    def then(self, other: Callable[..., Any]) -> "Load":
        return Load(f"{self!r}.then({other!r})",
                    lambda row, *at: other(self(row, *at), *at))


# Coordinates.

def distance(b: Value, i: Value, j: Value) -> Value:
    """δ = position(i) − position(j): query minus key, so that the past has
    positive distances. A prior of it alone is made as a strip of values."""
    trace = current()
    return trace.emit(f"goat.distance {trace.lift(b).name}, "
                      f"{trace.lift(i).name}, {trace.lift(j).name}", "index",
                      small=True)


def query_position(b: Value, i: Value) -> Value:
    """position(i) = i + q_offset[b]."""
    return position("query", b, i)


def key_position(b: Value, j: Value) -> Value:
    """position(j) = j + k_offset[b]."""
    return position("key", b, j)


def position(side: str, b: Any, row: Any) -> Value:
    """Records a position."""
    trace: Trace = current()
    return trace.emit(f"goat.{side}_position {trace.lift(b).name}, "
                      f"{trace.lift(row).name}", "index", small=True)
