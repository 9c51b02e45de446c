# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pools, in ops of the builder; tensors are (N, C, …)."""

import functools
import itertools
import math
from typing import List, Optional, Sequence, Tuple

from goatc.frontends.builder import Builder, ImportRefused, Value

# How many elements are added before and after, along each axis.
Padding = Sequence[Tuple[int, int]]


def pad(builder: Builder, value: Value, padding: Padding, number: float = 0
        ) -> Value:
    """Puts `number` before and after the elements along each axis."""
    for axis, counts in enumerate(padding):
        def side(count: int) -> List[Value]:
            shape = list(value.shape)
            shape[axis] = count
            return [builder.splat(number, value.dtype, shape)] if count else []
        value = builder.concat([*side(counts[0]), value, *side(counts[1])],
                               axis)
    return value


def window_counts(value: Value, kernel: Sequence[int], stride: Sequence[int],
                  dilation: Sequence[int]) -> List[int]:
    """How many windows fit along each of the last axes."""
    return [(size - by * (width - 1) - 1) // step + 1
            for size, width, step, by in zip(value.shape[2:], kernel, stride,
                                             dilation)]


def convolve(builder: Builder, value: Value, weight: Value, *,
             stride: Sequence[int], padding: Padding, dilation: Sequence[int],
             groups: int = 1, dtype: Optional[str] = None) -> Value:
    """Correlates value (N, C, …) with weight (O, C/groups, …), in products and
    sums of `dtype`."""
    count, channels, *kernel = weight.shape
    rank = len(kernel)
    if value.shape[1] != channels * groups or len(value.shape) != rank + 2:
        raise ImportRefused(f"expected an input of {channels * groups} channels "
                            f"and {rank} more axes but got shape "
                            f"{list(value.shape)}")
    value = pad(builder, value, [(0, 0), (0, 0), *padding])
    places = window_counts(value, kernel, stride, dilation)
    grouped = builder.reshape(value, [value.shape[0], groups, channels,
                                      *value.shape[2:]])
    weight = builder.reshape(weight, [groups, count // groups, channels,
                                      *kernel])
    n, group, output, *rest = (f"d{loop}" for loop in range(4 + 2 * rank))
    at, channel, inside = rest[:rank], rest[rank], rest[rank + 1:]
    read = [f"{one} * {step} + {other} * {by}" for one, step, other, by in
            zip(at, stride, inside, dilation)]
    made = builder.sum_of_products(
        (grouped, [n, group, channel, *read]),
        (weight, [group, output, channel, *inside]),
        ["parallel"] * (3 + rank) + ["reduction"] * (1 + rank),
        [n, group, output, *at],
        [value.shape[0], groups, count // groups, *places],
        dtype or value.dtype)
    return builder.reshape(made, [value.shape[0], count, *places])


def pool_max(builder: Builder, value: Value, kernel: Sequence[int], *,
             stride: Sequence[int], padding: Padding, dilation: Sequence[int]
             ) -> Value:
    """The greatest element of each window."""
    value = pad(builder, value, [(0, 0), (0, 0), *padding], -math.inf)
    places = window_counts(value, kernel, stride, dilation)
    parts = [builder.slice(
        value, [0, 0, *(n * by for n, by in zip(shift, dilation))],
        [*value.shape[:2], *places], [1, 1, *stride])
             for shift in itertools.product(*map(range, kernel))]
    return functools.reduce(functools.partial(builder.binary, "max"), parts)


def pool_mean(builder: Builder, value: Value, kernel: Sequence[int], *,
              stride: Sequence[int], padding: Padding, counts_padding: bool
              ) -> Value:
    """The mean of each window, of its elements that are no padding or of all."""
    channels, ones = value.shape[1], [1] * len(kernel)

    def total(of: Value) -> Value:
        weight = builder.splat(1, value.dtype, [channels, 1, *kernel])
        return convolve(builder, of, weight, stride=stride, padding=padding,
                        dilation=ones, groups=channels)
    if counts_padding or not any(map(any, padding)):
        number = builder.splat(math.prod(kernel), value.dtype)
    else:
        number = total(builder.splat(1, value.dtype, value.shape))
    return builder.binary("div", total(value), number)

