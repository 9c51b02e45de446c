# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exclusions: what is done to a finished row of attention."""

from typing import Any

from goatc.prior import as_tensor
from goatc.terms import Exclusion
from goatc.trace import F32, Value, current, is_number, as_float, show_float

MODES = ("clamp", "add", "where")


def per_token(array: Any, name: str) -> Any:
    """Returns a function of (b, h, i): of a number, (Hq) or (B, Hq, Lq)."""
    if is_number(array):
        return lambda b, h, i: array
    if callable(array):
        return array
    tensor = as_tensor(array, name)
    if tensor.ndim not in (0, 1, 3):
        raise ValueError(f"expected '{name}' to be a number, (Hq) or "
                         f"(B, Hq, Lq) but got {tensor!r}")
    if tensor.ndim == 0:
        return lambda b, h, i: tensor
    return lambda b, h, i: tensor[h] if tensor.ndim == 1 else tensor[b, h, i]


def xsa(strength: Any = None, mode: str = "clamp", eps: float = 1e-12
        ) -> Exclusion:
    """Exclusive self attention (arXiv 2603.09078): removes the component along
    the token's own value v, z = y − a·(y·v)·inv·v, in f32.

    strength: a; 1 when None. A number, an array (Hq) or (B, Hq, Lq), or a
        function of (b, h, i).
    mode, eps: inv is 1/max(‖v‖², eps) for "clamp", 1/(‖v‖² + eps) for "add",
        and 1/‖v‖², 0 for v = 0, for "where". F.normalize(eps=e) is "clamp" with
        e².
    """
    if mode not in MODES:
        raise ValueError(f"expected the mode of XSA to be one of "
                         f"{', '.join(MODES)} but got '{mode}'")
    read = None if strength is None else per_token(strength, "strength")

    def apply(y: Any, own: Any, b: Any, h: Any, i: Any) -> Value:
        trace = current()
        by = ""
        if read is not None:
            by = f" strength({as_float(trace.lift(read(b, h, i))).name})"
        return trace.emit(
            f"goat.xsa {y.name}, {own.name}{by} {{eps_mode = "
            f"#goat.eps_mode<{mode}>, eps = {show_float(eps)} : f32}} : "
            f"{y.type}", F32, y.width)

    return Exclusion("xsa", apply)


def gate(weights: Any) -> Exclusion:
    """Multiplies the row by a number: an array (Hq) or (B, Hq, Lq), or a
    function of (b, h, i)."""
    read = per_token(weights, "gate")
    return Exclusion("gate", lambda y, own, b, h, i: y * read(b, h, i))
