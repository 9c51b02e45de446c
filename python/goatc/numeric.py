# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's operators on what is recorded."""

from typing import TYPE_CHECKING, Any, Callable, Dict

if TYPE_CHECKING:
    from goatc.trace import Value

# What each operator does, by its name without underscores; goatc.ops fills it.
OPERATORS: Dict[str, Callable[..., "Value"]] = {}


class Numeric:
    """Has the operators of numbers, each of which is recorded."""

    __hash__ = object.__hash__

    def __add__(self, other: Any) -> "Value":
        return OPERATORS["add"](self, other)

    def __radd__(self, other: Any) -> "Value":
        return OPERATORS["add"](other, self)

    def __sub__(self, other: Any) -> "Value":
        return OPERATORS["sub"](self, other)

    def __rsub__(self, other: Any) -> "Value":
        return OPERATORS["sub"](other, self)

    def __mul__(self, other: Any) -> "Value":
        return OPERATORS["mul"](self, other)

    def __rmul__(self, other: Any) -> "Value":
        return OPERATORS["mul"](other, self)

    def __truediv__(self, other: Any) -> "Value":
        return OPERATORS["truediv"](self, other)

    def __rtruediv__(self, other: Any) -> "Value":
        return OPERATORS["truediv"](other, self)

    def __floordiv__(self, other: Any) -> "Value":
        return OPERATORS["floordiv"](self, other)

    def __rfloordiv__(self, other: Any) -> "Value":
        return OPERATORS["floordiv"](other, self)

    def __mod__(self, other: Any) -> "Value":
        return OPERATORS["mod"](self, other)

    def __rmod__(self, other: Any) -> "Value":
        return OPERATORS["mod"](other, self)

    def __pow__(self, other: Any) -> "Value":
        return OPERATORS["pow"](self, other)

    def __rpow__(self, other: Any) -> "Value":
        return OPERATORS["pow"](other, self)

    def __and__(self, other: Any) -> "Value":
        return OPERATORS["and"](self, other)

    def __rand__(self, other: Any) -> "Value":
        return OPERATORS["and"](other, self)

    def __or__(self, other: Any) -> "Value":
        return OPERATORS["or"](self, other)

    def __ror__(self, other: Any) -> "Value":
        return OPERATORS["or"](other, self)

    def __xor__(self, other: Any) -> "Value":
        return OPERATORS["xor"](self, other)

    def __rxor__(self, other: Any) -> "Value":
        return OPERATORS["xor"](other, self)

    def __lt__(self, other: Any) -> "Value":
        return OPERATORS["lt"](self, other)

    def __le__(self, other: Any) -> "Value":
        return OPERATORS["le"](self, other)

    def __gt__(self, other: Any) -> "Value":
        return OPERATORS["gt"](self, other)

    def __ge__(self, other: Any) -> "Value":
        return OPERATORS["ge"](self, other)

    def __eq__(self, other: Any) -> "Value":  # type: ignore[override]
        return OPERATORS["eq"](self, other)

    def __ne__(self, other: Any) -> "Value":  # type: ignore[override]
        return OPERATORS["ne"](self, other)

    def __neg__(self) -> "Value":
        return OPERATORS["neg"](self)

    def __abs__(self) -> "Value":
        return OPERATORS["abs"](self)

    def __invert__(self) -> "Value":
        return OPERATORS["invert"](self)
