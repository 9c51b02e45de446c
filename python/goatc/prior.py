# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Priors: terms that are added to the logits.

Arrays may be NumPy's, DLPack's, or a `goatc.Tensor` whose value a run is given.
A parameter "per head" has H' rows, H' being 1, the number of key heads or the
number of query heads; query head h reads row h·H'/Hq.
"""

from typing import Any, Callable, Optional

from goatc import ops
from goatc.capture import capture
from goatc.terms import Prior, distance
from goatc.trace import Tensor, Value, current


def as_tensor(array: Any, name: str) -> Tensor:
    """Returns an argument as a tensor with a name."""
    if not isinstance(array, Tensor):
        return capture(array, name)
    if array.name is None:
        array.name = name
    return array


def fourier(alpha: Any, beta: Any, omega: Any,
            delta: Optional[Callable[..., Any]] = None) -> Prior:
    """The relative prior of GOAT (arXiv 2601.15380):
    Σ_r α_r cos(ω_r δ) + β_r sin(ω_r δ).

    alpha, beta: f32 (H', R) or (B, H', R). omega: f32 (R).
    delta: a function (b, h, i, j) of integers in place of the distance, such as
        the difference of two columns of an image.
    """
    a, b_, w = (as_tensor(array, name) for array, name in
                ((alpha, "alpha"), (beta, "beta"), (omega, "omega")))

    def apply(b: Any, h: Any, i: Any, j: Any) -> Value:
        trace = current()
        names = [trace.parameters.add(tensor) for tensor in (a, b_, w)]
        for tensor in (a, b_):
            if tensor.ndim == 3:
                trace.parameters.note_index(tensor, 0, "b")
        by = trace.lift(distance(b, i, j) if delta is None
                        else delta(b, h, i, j))
        types = ", ".join(f"type({name})" for name in names)
        return trace.emit(
            f"goat.fourier_prior {', '.join(names)} at ({trace.lift(b).name}, "
            f"{trace.lift(h).name}) distance {by.name} : {types}", "f32")

    return Prior("fourier", apply)


def key(table: Any) -> Prior:
    """A bias u(j) for each key, GOAT's sink term: f32 (H', Lk) or
    (B, H', Lk), by the key's row."""
    u = as_tensor(table, "u")

    def apply(b: Any, h: Any, i: Any, j: Any) -> Value:
        trace = current()
        name = trace.parameters.add(u)
        if u.ndim == 3:
            trace.parameters.note_index(u, 0, "b")
        trace.parameters.note_index(u, u.ndim - 1, "j")
        return trace.emit(
            f"goat.key_prior {name} at ({trace.lift(b).name}, "
            f"{trace.lift(h).name}, {trace.lift(j).name}) : type({name})",
            "f32")

    return Prior("key", apply)


def alibi(slopes: Any) -> Prior:
    """−slope_h · δ (arXiv 2108.12409). slopes: f32 (Hq)."""
    s = as_tensor(slopes, "slopes")
    return Prior("alibi", lambda b, h, i, j: ops.multiply(
        ops.negate(distance(b, i, j)), s[h]))


def bias(table: Any) -> Prior:
    """Any array of numbers by row: (Lq, Lk), (Hq, Lq, Lk) or
    (B, Hq, Lq, Lk)."""
    t = as_tensor(table, "bias")
    if not 2 <= t.ndim <= 4:
        raise ValueError(f"expected a bias of rank 2 to 4 but got {t.ndim}")
    return Prior("bias", lambda *at: t[at[4 - t.ndim:]])


def relative(table: Any, first: int = 0) -> Prior:
    """A learned number for each distance: table[h, δ − first], f32 (Hq, N) or
    (N). Distances outside of it read its ends."""
    t = as_tensor(table, "table")
    size = t.shape[-1] if t.ndim in (1, 2) else None
    if size is None:
        raise ValueError(f"expected a table of rank 1 or 2 of known size but "
                         f"got {t!r}")

    def apply(b: Any, h: Any, i: Any, j: Any) -> Any:
        place = ops.clip(distance(b, i, j) - first, 0, size - 1)
        return t[place] if t.ndim == 1 else t[h, place]

    return Prior("relative", apply)
