# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done to rows of query and key before scores are computed: `load_q` and
`load_k`. `a.then(b)` does b after a."""

from typing import Any, Callable, Optional

from goatc.prior import as_tensor
from goatc.terms import Load, key_position, query_position
from goatc.trace import F32, Value, current, show_float

PAIRINGS = ("halves", "neighbours")


def rope(omega: Any, pairing: str = "halves", first: int = 0,
         magnitude: float = 1.0,
         position: Optional[Callable[..., Any]] = None) -> Load:
    """Rotary position embedding (arXiv 2104.09864) of the columns from `first`
    on.

    omega: f32 (P), an angle per position for each pair of columns; fewer than
        half of the columns make it partial.
    pairing: "halves" pairs column r with r + P (GPT-NeoX, Llama), "neighbours"
        2r with 2r + 1 (GPT-J).
    magnitude: YaRN's factor. position: a function (b, h, i) of an integer in
        place of the row's position.
    """
    if pairing not in PAIRINGS:
        raise ValueError(f"expected the pairing to be halves or neighbours but "
                         f"got '{pairing}'")
    frequencies = as_tensor(omega, "rope_omega")

    def apply(row: Any, b: Any, h: Any, i: Any) -> Value:
        trace = current()
        if position is not None:
            at = trace.lift(position(b, h, i))
        elif trace.part == "load_k":
            at = key_position(b, i)
        else:
            at = query_position(b, i)
        name = trace.parameters.add(frequencies)
        return trace.emit(
            f"goat.rope {row.name}, {name} position {at.name} {{pairing = "
            f"#goat.pairing<{pairing}>, first = {first} : i64, magnitude = "
            f"{show_float(magnitude)} : f32}} : {row.type}, type({name})", F32,
            row.width)

    return Load("rope", apply)


def rms_norm(weight: Any = None, eps: float = 1e-6) -> Load:
    """x / √(Σx²/D + eps), times a weight per column, f32 (D)."""
    tensor = None if weight is None else as_tensor(weight, "norm_weight")

    def apply(row: Any, b: Any, h: Any, i: Any) -> Value:
        trace = current()
        return trace.emit(
            f"goat.rms_norm {row.name}{trace.clause('weight', tensor)} "
            f"{{eps = {show_float(eps)} : f32}} : {row.type}", F32, row.width)

    return Load("rms_norm", apply)


def l2_norm(eps: float = 1e-12) -> Load:
    """x / max(√Σx², eps), as F.normalize has it."""
    return Load("l2_norm", lambda row, b, h, i: current().emit(
        f"goat.l2_norm {row.name} {{eps = {show_float(eps)} : f32}} : "
        f"{row.type}", F32, row.width))
