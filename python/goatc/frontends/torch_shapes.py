# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""aten's ops that make tensors, move their elements and look them up.

Functions are as in torch_ops.
"""

from typing import Any, Callable, Dict, List, Optional, Sequence

from goatc.frontends import blocks, windows
from goatc.frontends.builder import (ImportRefused, Payload, Value,
                                     broadcast_shapes)

# What keeps elements in order, and may change shape and dtype.
SAME = ("view", "squeeze", "unsqueeze", "clone", "alias", "lift_fresh_copy",
        "_to_copy", "convert_element_type")


def same(t: Any, node: Any, value: Any, *_: Any, **__: Any) -> Value:
    if isinstance(value, (bool, int, float)):
        return t.value(value, t.dtype_of(node))
    source = t.value(value)
    made = t.builder.reshape(t.convert(source, t.dtype_of(node)),
                             t.shape_of(node))
    return t.like(made, source)


# Tensors of numbers.


def filled(number: Any = None) -> Callable[..., Value]:
    def translate(t: Any, node: Any, first: Any, *rest: Any, **_: Any) -> Value:
        value = number if number is not None else rest[0] if rest else first
        return t.builder.splat(value, t.dtype_of(node), t.shape_of(node))
    return translate


def arange(t: Any, node: Any, start: Any, end: Any = None, step: Any = 1,
           **_: Any) -> Value:
    b, dtype = t.builder, t.dtype_of(node)
    if end is None:
        start = 0
    made = b.iota(t.shape_of(node), 0, dtype)
    if step != 1:
        made = b.binary("mul", made, b.splat(step, dtype))
    if start != 0:
        made = b.binary("add", made, b.splat(start, dtype))
    if start >= 0 and step >= 0:
        t.natural.add(made.name)
    return made


# Changes of shape.


def expand(t: Any, node: Any, value: Any, *_: Any, **__: Any) -> Value:
    source = t.value(value)
    return t.like(t.builder.broadcast(source, t.shape_of(node)), source)


def permute(t: Any, node: Any, value: Any, order: Sequence[int]) -> Value:
    source = t.value(value)
    rank = len(source.shape)
    return t.like(t.builder.transpose(source, [axis % rank for axis in order]),
                  source)


def part(t: Any, source: Value, axis: int, start: int, size: int, step: int = 1
         ) -> Value:
    """Takes `size` elements along an axis."""
    axis %= len(source.shape)
    first, sizes = [0] * len(source.shape), list(source.shape)
    steps = [1] * len(sizes)
    first[axis], sizes[axis], steps[axis] = start, size, step
    pieces = pieces_of(t, source, axis) if step == 1 else []
    # Whole pieces of what was joined are taken as they are.
    at, whole = 0, []
    for piece in pieces:
        if start <= at and at + piece.shape[axis] <= start + size:
            whole.append(piece)
        at += piece.shape[axis]
    if sum(piece.shape[axis] for piece in whole) == size > 0:
        return join(t, whole, axis)
    return t.like(t.builder.slice(source, first, sizes, steps), source)


def pieces_of(t: Any, value: Value, axis: int) -> List[Value]:
    """Returns what a tensor was joined from along an axis."""
    joined = t.joined.get(value.name)
    return joined[1] if joined and joined[0] == axis else [value]


def join(t: Any, values: Sequence[Value], axis: int) -> Value:
    """Joins tensors; what was joined along the same axis is taken apart."""
    axis %= len(values[0].shape)
    pieces = [piece for value in values for piece in pieces_of(t, value, axis)]
    made = t.builder.concat(pieces, axis)
    if len(pieces) > 1:
        t.joined[made.name] = axis, pieces
    return t.like(made, *values)


def slice_(t: Any, node: Any, value: Any, axis: int = 0,
           start: Optional[int] = None, end: Optional[int] = None, step: int = 1
           ) -> Value:
    source = t.value(value)
    taken = range(source.shape[axis])[start:end:step]
    return part(t, source, axis, taken.start, len(taken), step)


def select(t: Any, node: Any, value: Any, axis: int, index: int) -> Value:
    source = t.value(value)
    one = part(t, source, axis, index % source.shape[axis], 1)
    return t.like(t.builder.reshape(one, t.shape_of(node)), source)


def split(t: Any, node: Any, value: Any, sizes: Sequence[int], axis: int = 0
          ) -> List[Value]:
    source = t.value(value)
    starts = [sum(sizes[:n]) for n in range(len(sizes))]
    return [part(t, source, axis, start, size)
            for start, size in zip(starts, sizes)]


def getitem(t: Any, node: Any, values: Any, number: int) -> Value:
    results = t.values[values]
    if number >= len(results):
        raise ImportRefused(f"expected no use of result {number} of "
                            f"{values.target}")
    return results[number]


def concat(t: Any, node: Any, values: Sequence[Any], axis: int = 0) -> Value:
    dtype = t.dtype_of(node)
    joined = [t.value(value, dtype) for value in values]
    # A tensor of shape (0,) joins anything.
    joined = [value for value in joined if 0 not in value.shape]
    return join(t, joined, axis)


def slice_scatter(t: Any, node: Any, value: Any, source: Any, axis: int = 0,
                  start: Optional[int] = None, end: Optional[int] = None,
                  step: int = 1) -> Value:
    """`value` with a part of it replaced."""
    whole, new = t.value(value), t.value(source, t.dtype_of(node))
    size = whole.shape[axis]
    taken = range(size)[start:end:step]
    if step != 1:
        raise ImportRefused("expected elements that lie side by side to be "
                            "replaced")
    around = [(0, taken.start), (taken.stop, size - taken.stop)]
    before, after = ([part(t, whole, axis, first, count)] if count else []
                     for first, count in around)
    return join(t, [*before, new, *after], axis)


def pad(t: Any, node: Any, value: Any, counts: Sequence[int], number: float = 0
        ) -> Value:
    """Adds elements around axes from the last one on, or takes them away."""
    made = t.value(value)
    pairs = [(0, 0)] * (len(made.shape) - len(counts) // 2) + list(
        zip(counts[-2::-2], counts[-1::-2]))
    for axis, (before, after) in enumerate(pairs):
        start, end = max(-before, 0), made.shape[axis] - max(-after, 0)
        made = part(t, made, axis, start, end - start)
    return windows.pad(t.builder, made, [(max(before, 0), max(after, 0))
                                         for before, after in pairs], number)


def copy(t: Any, node: Any, value: Any, source: Any, *_: Any) -> Value:
    """All elements of `value` replaced."""
    new = t.value(source, t.dtype_of(node))
    return t.like(t.builder.broadcast(new, t.shape_of(node)), new)


def flip(t: Any, node: Any, value: Any, axes: Sequence[int]) -> Value:
    b, made = t.builder, t.value(value)
    for axis in axes:
        size = made.shape[axis]
        made = b.take(made, b.binary("sub", b.splat(size - 1, "i64"), b.iota(
            [size], 0, "i64")), axis)
    return made


def repeat(t: Any, node: Any, value: Any, counts: Sequence[int]) -> Value:
    source = t.value(value)
    made = t.builder.reshape(source, [1] * (len(counts) - len(source.shape)) +
                             list(source.shape))
    for axis, count in enumerate(counts):
        if count > 1:
            made = t.builder.concat([made] * count, axis)
    return t.like(made, source)


def repeat_interleave(t: Any, node: Any, value: Any, count: Any = None,
                      axis: Optional[int] = None, **_: Any) -> Value:
    if not isinstance(count, int) or axis is None:
        raise ImportRefused("expected one number of repetitions and a dim")
    return blocks.repeat_heads(t.builder, t.value(value), axis, count)


# Elements by number.


def wrapped(t: Any, ids: Value, size: int) -> Value:
    """blocks.wrapped, which knows of natural numbers."""
    return ids if t.is_natural(ids) else blocks.wrapped(t.builder, ids, size)


def index(t: Any, node: Any, value: Any, indices: Sequence[Any]) -> Value:
    """table[ids, ids, …], where None takes a whole axis."""
    b, table = t.builder, t.value(value)
    at: List[Optional[Value]] = []
    for axis, given in enumerate(indices):
        ids = None if given is None else t.value(given)
        if ids is not None and ids.dtype == "i1":
            raise ImportRefused("expected numbers of elements but got a mask, "
                                "which gives a size that is not known")
        at.append(None if ids is None else wrapped(t, ids, table.shape[axis]))
    at += [None] * (len(table.shape) - len(at))
    axes = [axis for axis, ids in enumerate(at) if ids is not None]
    together = axes == list(range(axes[0], axes[-1] + 1))
    numbers = [ids for ids in at if ids is not None]
    common = broadcast_shapes(*(ids.shape for ids in numbers))
    first = axes[0] if together else 0
    whole = [axis for axis in range(len(table.shape)) if axis not in axes]
    shape = t.shape_of(node)
    dims = [f"d{n}" for n in range(len(shape))]
    of_ids = list(range(first, first + len(common)))
    places = dict(zip(whole, [n for n in range(len(shape)) if n not in of_ids]))

    def indexing(ids: Value) -> List[str]:
        skipped = len(common) - len(ids.shape)
        return [dims[of_ids[skipped + n]] if size == common[skipped + n] else "0"
                for n, size in enumerate(ids.shape)]

    def body(p: Payload, *scalars: str) -> str:
        given = iter(zip(scalars, numbers))
        place = []
        for axis in range(len(table.shape)):
            if axis in places:
                place.append(p.index(places[axis]))
                continue
            scalar, ids = next(given)
            place.append(p.add(f"arith.index_cast {scalar} : {ids.dtype} to "
                               f"index"))
        return p.extract(table, place)
    return b.generic([(ids, indexing(ids)) for ids in numbers],
                     ["parallel"] * len(shape), dims, shape, table.dtype, body)


def gather(t: Any, node: Any, value: Any, axis: int, ids: Any) -> Value:
    """table[i, ids[i, j], …] along one axis."""
    b, table, numbers = t.builder, t.value(value), t.value(ids)
    numbers = wrapped(t, numbers, table.shape[axis])
    shape = numbers.shape
    dims = [f"d{n}" for n in range(len(shape))]

    def body(p: Payload, scalar: str) -> str:
        place = [p.index(n) for n in range(len(shape))]
        place[axis] = p.add(f"arith.index_cast {scalar} : {numbers.dtype} to "
                            f"index")
        return p.extract(table, place)
    return b.generic([(numbers, dims)], ["parallel"] * len(shape), dims, shape,
                     table.dtype, body)


def embedding(t: Any, node: Any, table: Any, ids: Any, *_: Any) -> Value:
    return t.builder.take(t.value(table), t.value(ids), 0)


def index_select(t: Any, node: Any, value: Any, axis: int, ids: Any) -> Value:
    return t.builder.take(t.value(value), t.value(ids), axis)


HANDLERS: Dict[str, Callable[..., Any]] = {
    **{name: same for name in SAME},
    "full": filled(), "full_like": filled(), "scalar_tensor": filled(),
    "empty": filled(0), "zeros": filled(0), "ones": filled(1),
    "constant_pad_nd": pad, "slice_scatter": slice_scatter, "copy": copy,
    "arange": arange, "expand": expand, "permute": permute, "slice": slice_,
    "select": select, "split_with_sizes": split,
    "<built-in function getitem>": getitem,
    "cat": concat, "flip": flip, "repeat": repeat,
    "repeat_interleave": repeat_interleave, "index": index, "gather": gather,
    "embedding": embedding, "index_select": index_select,
}
