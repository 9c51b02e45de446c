# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks: which keys a query sees. They combine with & | and ~.

"position" is the row plus the layer's offset; by default the last query stands
at the last key.
"""

from typing import Any, Optional

from goatc.prior import as_tensor
from goatc.terms import Mask, distance, key_position
from goatc.trace import Value, current


def causal() -> Mask:
    """Keys that do not come after the query, in positions."""

    def apply(b: Any, h: Any, i: Any, j: Any) -> Value:
        trace = current()
        return trace.emit(f"goat.causal_mask {trace.lift(b).name}, "
                          f"{trace.lift(i).name}, {trace.lift(j).name}", "i1")

    return Mask("causal", apply)


def window(left: Optional[int] = None, right: Optional[int] = None) -> Mask:
    """−right ≤ δ ≤ left, both ends included; None is no end. The last w tokens
    and the query's own are `window(w, 0)`."""
    if left is None and right is None:
        raise ValueError("expected a width on one side of the window at least")

    def apply(b: Any, h: Any, i: Any, j: Any) -> Any:
        delta = distance(b, i, j)
        sides = ([delta <= left] if left is not None else []) + (
            [delta >= -right] if right is not None else [])
        return sides[0] if len(sides) == 1 else sides[0] & sides[1]

    return Mask(f"window({left}, {right})", apply)


def prefix(length: Any) -> Mask:
    """Keys at the first `length` positions: an int, or i32 (B). With
    `| causal()` it makes a prefix language model."""
    if isinstance(length, int):
        return Mask(f"prefix({length})",
                    lambda b, h, i, j: key_position(b, j) < length)
    lengths = as_tensor(length, "prefix_length")
    return Mask("prefix", lambda b, h, i, j: key_position(b, j) < (
        lengths[b] if lengths.shape else lengths))


def streaming(sinks: int, width: int) -> Mask:
    """The first `sinks` keys and the last `width`, as StreamingLLM
    (arXiv 2309.17453) has them; causal."""
    return (prefix(sinks) | window(left=width - 1)) & causal()


def documents(ids: Any, key_ids: Any = None) -> Mask:
    """Keys of the query's own document. ids: i32 (L) or (B, L), by row;
    key_ids: those of the keys where they are others."""
    q = as_tensor(ids, "documents")
    k = q if key_ids is None else as_tensor(key_ids, "key_documents")
    for tensor in (q, k):
        if tensor.ndim not in (1, 2):
            raise ValueError(f"expected document numbers of rank 1 or 2 but "
                             f"got {tensor!r}")

    def apply(b: Any, h: Any, i: Any, j: Any) -> Any:
        return (q[i] if q.ndim == 1 else q[b, i]) == (
            k[j] if k.ndim == 1 else k[b, j])

    return Mask("documents", apply)


def array(table: Any) -> Mask:
    """Any array of truth values by row: (Lq, Lk), (Hq, Lq, Lk) or
    (B, Hq, Lq, Lk)."""
    t = as_tensor(table, "mask")
    if not 2 <= t.ndim <= 4:
        raise ValueError(f"expected a mask of rank 2 to 4 but got {t.ndim}")

    def apply(*at: Any) -> Any:
        read = t[at[4 - t.ndim:]]
        return read if t.is_truth else read != 0

    return Mask("array", apply)
