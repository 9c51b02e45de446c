# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What more than one framework has as one op, in ops of the builder."""

import math
from typing import Callable, Optional, Sequence

from goatc.frontends.builder import (Builder, ImportRefused, Value,
                                     broadcast_shapes)


def matmul(builder: Builder, left: Value, right: Value,
           dtype: Optional[str] = None) -> Value:
    """np.matmul, with products and sums of `dtype`."""
    a, b = len(left.shape), len(right.shape)
    if a < 1 or b < 1:
        raise ImportRefused("expected a product of vectors or matrices")
    rank = max(a, b)
    batch = "abcdefgh"[:max(rank - 2, 0)]
    of_left = batch[rank - a:] + "ik" if a > 1 else "k"
    of_right = batch[rank - b:] + "kj" if b > 1 else "k"
    output = (batch if rank > 2 else "") + ("i" if a > 1 else "") + (
        "j" if b > 1 else "")
    return builder.contract(f"{of_left},{of_right}->{output}", left, right,
                            dtype)


def power(builder: Builder, base: Value, exponent: Value) -> Value:
    """base to the exponent; by products and roots where those give it."""
    b, by, one = builder, exponent.splat, builder.splat(1, base.dtype)
    if by in (1, 2, 3):
        made = base
        for _ in range(int(by) - 1):
            made = b.binary("mul", made, base)
    elif by == -1 and base.is_float:
        made = b.binary("div", one, base)
    elif by in (0.5, -0.5):
        made = b.unary("sqrt" if by > 0 else "rsqrt", base)
    else:
        return b.binary("pow", base, exponent)
    return b.broadcast(made, broadcast_shapes(base.shape, exponent.shape))


def softmax(builder: Builder, value: Value, axes: Sequence[int]) -> Value:
    """exp(x - max) / sum."""
    greatest = builder.reduce("max", value, axes, keep=True)
    weights = builder.unary("exp", builder.binary("sub", value, greatest))
    return builder.binary("div", weights, builder.reduce(
        "add", weights, axes, keep=True))


def mean(builder: Builder, value: Value, axes: Sequence[int],
         keep: bool = True) -> Value:
    """The mean along axes."""
    count = math.prod(value.shape[axis] for axis in axes)
    return builder.binary("div", builder.reduce("add", value, axes, keep),
                          builder.splat(count, value.dtype))


def normalize(builder: Builder, value: Value, axes: Sequence[int],
              epsilon: float, center: bool = True) -> Value:
    """(x - mean) / sqrt(variance + epsilon); without `center`, the mean is
    taken for 0."""
    if center:
        value = builder.binary("sub", value, mean(builder, value, axes))
    variance = mean(builder, builder.binary("mul", value, value), axes)
    return builder.binary("mul", value, builder.unary("rsqrt", builder.binary(
        "add", variance, builder.splat(epsilon, value.dtype))))


def gelu(builder: Builder, x: Value, is_tanh: bool) -> Value:
    """x·Φ(x), or its approximation by a tanh."""
    b = builder

    def number(value: float) -> Value:
        return b.splat(value, x.dtype)
    if is_tanh:
        cube = b.binary("mul", b.binary("mul", x, x), x)
        inner = b.binary("add", x, b.binary("mul", number(0.044715), cube))
        part = b.unary("tanh", b.binary("mul", number(math.sqrt(2 / math.pi)),
                                        inner))
    else:
        part = b.unary("erf", b.binary("mul", x, number(math.sqrt(0.5))))
    return b.binary("mul", b.binary("mul", x, number(0.5)),
                    b.binary("add", part, number(1)))


def repeat_heads(builder: Builder, value: Value, axis: int, group: int
                 ) -> Value:
    """Each element along `axis`, `group` times."""
    axis %= len(value.shape)
    if group == 1:
        return value
    before, after = value.shape[:axis + 1], value.shape[axis + 1:]
    axes = [n if n <= axis else n + 1 for n in range(len(value.shape))]
    wide = builder.broadcast(value, [*before, group, *after], axes)
    return builder.reshape(wide, [*before[:-1], before[-1] * group, *after])


def is_at_or_before(builder: Builder, rows: int, columns: int) -> Value:
    """j ≤ i, aligned at the top left."""
    shape = (rows, columns)
    return builder.compare("ge", builder.iota(shape, 0, "i64"),
                           builder.iota(shape, 1, "i64"))


def causal(builder: Builder, logits: Value) -> Value:
    """Hides keys after the query, aligned at the top left."""
    return masked(builder, logits, is_at_or_before(builder, *logits.shape[-2:]))


def masked(builder: Builder, logits: Value, mask: Value) -> Value:
    """Hides keys where a mask is false; adds one that is not of booleans."""
    if mask.dtype == "i1":
        return builder.select(mask, logits, builder.splat(-math.inf, "f32"))
    return builder.binary("add", logits, builder.convert(mask, "f32"))


def top_left(node: str, framework: str) -> str:
    """Returns the remark of a causal attention with more rows or columns."""
    return (f"'{node}' is causal from the top left, as {framework} has it; "
            f"goat.attention by itself aligns at the bottom right")


def wrapped(builder: Builder, ids: Value, size: int) -> Value:
    """Counts negative numbers from the end."""
    is_negative = builder.compare("lt", ids, builder.splat(0, ids.dtype))
    from_end = builder.binary("add", ids, builder.splat(size, ids.dtype))
    return builder.select(is_negative, from_end, ids)


def attend(builder: Builder, query: Value, key: Value, value: Value,
           scale: float, score: Callable[[Value], Value]) -> Value:
    """softmax(score(scale·q·kᵀ))·v on the last two axes; logits and weights in
    f32, whatever the tensors are in."""
    rank = len(query.shape)
    batch = "abcdefgh"[:rank - 2]
    logits = builder.contract(f"{batch}id,{batch}jd->{batch}ij", query, key,
                              "f32")
    logits = score(builder.binary("mul", logits, builder.splat(scale, "f32")))
    weights = builder.convert(softmax(builder, logits, [rank - 1]), value.dtype)
    rows = builder.contract(f"{batch}ij,{batch}jd->{batch}id", weights, value,
                            "f32")
    return builder.convert(rows, value.dtype)


def batch_norm(builder: Builder, value: Value, mean: Value, variance: Value,
               epsilon: float, weight: Optional[Value],
               bias: Optional[Value]) -> Value:
    """Normalises axis 1 by statistics that are known, as batch norms do."""
    def of_channel(given: Value) -> Value:
        return builder.reshape(given, [value.shape[1]] +
                               [1] * (len(value.shape) - 2))
    made = builder.binary("sub", value, of_channel(mean))
    made = builder.binary("mul", made, builder.unary("rsqrt", builder.binary(
        "add", of_channel(variance), builder.splat(epsilon, value.dtype))))
    for op, given in (("mul", weight), ("add", bias)):
        if given is not None:
            made = builder.binary(op, made, of_channel(given))
    return made
