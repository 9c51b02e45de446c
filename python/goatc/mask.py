# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks: which keys a query sees. They combine with & | and ~, and the compiler
works out which tiles of keys no query of a block sees, and leaves them out.

"position" is the row plus the layer's offset; by default the last query stands
at the last key. A number may be an int, an i32 scalar (`goatc.Tensor((), "i32")`)
or an i32 array with one for each batch entry.
"""

from typing import Any, Callable, List, Sequence

import numpy as np

from goatc.prior import as_tensor
from goatc.terms import Mask
from goatc.trace import I1, Value, current


def coordinates(*at: Any) -> str:
    """Returns coordinates as the operands of an op."""
    trace = current()
    return ", ".join(trace.lift(place).name for place in at)


def number(given: Any, name: str) -> Callable[[Any], str]:
    """Returns a function that, in a region, gives the SSA name of an i32."""
    if isinstance(given, (int, np.integer)):
        return lambda b: current().constant(int(given), "i32").name
    tensor = as_tensor(given, name)
    if tensor.dtype != "i32" or tensor.ndim > 1:
        raise ValueError(f"expected '{name}' to be an integer, or i32 of rank 0 "
                         f"or 1, but got {tensor!r}")

    def read(b: Any) -> str:
        trace = current()
        ssa = trace.parameters.add(tensor)
        if not tensor.shape:
            return ssa
        trace.parameters.note_index(tensor, 0, "b")
        return trace.emit(f"tensor.extract {ssa}[{coordinates(b)}] : "
                          f"type({ssa})", "i32").name

    return read


def causal() -> Mask:
    """Keys that do not come after the query, in positions."""
    return Mask("causal", lambda b, h, i, j: current().emit(
        f"goat.causal_mask {coordinates(b, i, j)}", I1))


def window(left: Any = None, right: Any = None, dilation: int = 1) -> Mask:
    """−right ≤ δ ≤ left, both ends included; None is no end. The last w tokens
    and the query's own are `window(w, 0)`. With a dilation of n only distances
    that are multiples of n count."""
    if left is None and right is None and dilation == 1:
        raise ValueError("expected a width on one side of the window at least")
    sides = [(word, number(given, f"window_{word}"))
             for word, given in (("left", left), ("right", right))
             if given is not None]

    def apply(b: Any, h: Any, i: Any, j: Any) -> Value:
        widths = "".join(f" {word}({read(b)})" for word, read in sides)
        every = f" dilation {dilation}" if dilation != 1 else ""
        return current().emit(
            f"goat.window_mask {coordinates(b, i, j)}{widths}{every}", I1)

    return Mask(f"window({left!r}, {right!r})", apply)


def prefix(length: Any) -> Mask:
    """Keys at the first `length` positions. With `| causal()` it makes a prefix
    language model."""
    read = number(length, "prefix_length")
    return Mask("prefix", lambda b, h, i, j: current().emit(
        f"goat.prefix_mask {coordinates(b, j)} length({read(b)})", I1))


def streaming(sinks: Any, width: int) -> Mask:
    """The first `sinks` keys and the last `width`, as StreamingLLM
    (arXiv 2309.17453) has them; causal."""
    return (prefix(sinks) | window(left=width - 1)) & causal()


def documents(ids: Any, key_ids: Any = None, sorted: bool = False) -> Mask:
    """Keys of the query's own document. ids: i32 (L) or (B, L), by row;
    key_ids: those of the keys where they are others. `sorted` promises that the
    numbers never fall: a document's keys are then found by binary search."""
    q = as_tensor(ids, "documents")
    k = q if key_ids is None else as_tensor(key_ids, "key_documents")
    for tensor in (q, k):
        if tensor.ndim not in (1, 2) or tensor.dtype != "i32":
            raise ValueError(f"expected document numbers, i32 of rank 1 or 2, "
                             f"but got {tensor!r}")

    def apply(b: Any, h: Any, i: Any, j: Any) -> Value:
        trace = current()
        names: List[str] = []
        for tensor, letter in ((q, "i"), (k, "j")):
            names.append(trace.parameters.add(tensor))
            trace.parameters.note_index(tensor, tensor.ndim - 1, letter)
            if tensor.ndim == 2:
                trace.parameters.note_index(tensor, 0, "b")
        return trace.emit(
            f"goat.document_mask {'sorted ' if sorted else ''}"
            f"{', '.join(names)} at ({coordinates(b, i, j)}) : "
            f"type({names[0]}), type({names[1]})", I1)

    return Mask("documents", apply)


def neighborhood(extents: Sequence[int], kernel: Sequence[int]) -> Mask:
    """The nearest tokens on a grid, as in NATTEN (arXiv 2204.07143).

    extents: of the grid, one to three; tokens are numbered by position, the
        last axis fastest. kernel: how many places a query sees along each axis,
        odd; at the border they move inwards.
    """
    sizes = [", ".join(str(int(size)) for size in values)
             for values in (extents, kernel)]
    return Mask(f"neighborhood([{sizes[0]}], [{sizes[1]}])",
                lambda b, h, i, j: current().emit(
                    f"goat.neighborhood_mask {coordinates(b, i, j)} grid "
                    f"[{sizes[0]}] kernel [{sizes[1]}]", I1))


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
