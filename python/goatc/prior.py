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
from goatc.terms import Prior, distance, key_position
from goatc.trace import Tensor, Value, as_float, current


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


def alibi(slopes: Any = None, symmetric: bool = False) -> Prior:
    """−slope_h · δ (arXiv 2108.12409), or −slope_h · |δ|. slopes: f32 per head;
    2^(−8(h + 1)/Hq) when None."""
    s = None if slopes is None else as_tensor(slopes, "slopes")

    def apply(b: Any, h: Any, i: Any, j: Any) -> Value:
        trace = current()
        return trace.emit(
            f"goat.alibi{trace.clause('slopes', s)} at ({trace.lift(h).name}) distance "
            f"{distance(b, i, j).name}{' {symmetric}' if symmetric else ''}",
            "f32")

    return Prior("alibi", apply)


def sink(gain: Any, bump: Any, hidden_weight: Any, hidden_bias: Any,
         out_weight: Any, out_bias: Any, omega: Any, length: Any) -> Prior:
    """GOAT's sink term as the official module computes it, from the key's
    position: gain_h · MLP(features) + bump_h · [t = 0].

    gain, bump: f32 per head. hidden_weight: (U, 2M + 2); hidden_bias,
    out_weight: (U); out_bias: (1); omega: (M). length: the training length, a
    number or an f32 scalar.
    """
    tensors = [as_tensor(array, name) for array, name in (
        (gain, "gain"), (bump, "bump"), (hidden_weight, "hidden_weight"),
        (hidden_bias, "hidden_bias"), (out_weight, "out_weight"),
        (out_bias, "out_bias"), (omega, "sink_omega"))]

    def apply(b: Any, h: Any, i: Any, j: Any) -> Value:
        trace = current()
        n = as_float(trace.lift(length)).name
        names = [trace.parameters.add(tensor) for tensor in tensors]
        types = ", ".join(f"type({name})" for name in names)
        return trace.emit(
            f"goat.sink_prior {names[0]}, {names[1]}, mlp("
            f"{', '.join(names[2:6])}) frequencies {names[6]} length {n} at ("
            f"{trace.lift(h).name}, {key_position(b, j).name}) : {types}", "f32")

    return Prior("sink", apply)


def t5(table: Any, max_distance: int = 128, bidirectional: bool = False
       ) -> Prior:
    """T5's bias (arXiv 1910.10683): table[h, bucket(δ)], f32 (Hq, buckets)."""
    t = as_tensor(table, "buckets")
    if t.ndim != 2 or t.shape[1] is None:
        raise ValueError(f"expected a table (Hq, buckets) of known size but got "
                         f"{t!r}")

    def apply(b: Any, h: Any, i: Any, j: Any) -> Any:
        both = ", bidirectional" if bidirectional else ""
        bucket = current().emit(
            f"goat.t5_bucket {distance(b, i, j).name} {{buckets = {t.shape[1]} : "
            f"i32, max_distance = {max_distance} : i32{both}}}", "index",
            small=True, positive=True)
        return t[h, bucket]

    return Prior("t5", apply)


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
