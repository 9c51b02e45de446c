# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row-wise Triton kernels: a sum of vectors, softmax, layer norm."""

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, count, TILE: tl.constexpr):
    """out[i] = x[i] + y[i] for i < count."""
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    is_inside = i < count
    tl.store(out + i, tl.load(x + i, mask=is_inside) +
             tl.load(y + i, mask=is_inside), mask=is_inside)


@triton.jit
def softmax(x, out, columns, stride, TILE: tl.constexpr):
    """One row for each program; exp2 stands for exp, to do without libdevice."""
    row = tl.program_id(0)
    i = tl.arange(0, TILE)
    is_inside = i < columns
    values = tl.load(x + row * stride + i, mask=is_inside, other=-1.0e30)
    values = (values - tl.max(values, 0)) * 1.4426950408889634
    weights = tl.where(is_inside, tl.exp2(values), 0.0)
    tl.store(out + row * stride + i, weights / tl.sum(weights, 0),
             mask=is_inside)


@triton.jit
def layer_norm(x, scale, shift, out, columns, stride, epsilon,
               TILE: tl.constexpr):
    """fp16 rows, moments in fp32, two passes over the row in tiles."""
    row = tl.program_id(0)
    x += row * stride
    out += row * stride
    total = tl.zeros((TILE,), dtype=tl.float32)
    for start in range(0, columns, TILE):
        i = start + tl.arange(0, TILE)
        total += tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros((TILE,), dtype=tl.float32)
    for start in range(0, columns, TILE):
        i = start + tl.arange(0, TILE)
        values = tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
        distance = tl.where(i < columns, values - mean, 0.0)
        squares += distance * distance
    inverse = tl.rsqrt(tl.sum(squares, 0) / columns + epsilon)
    for start in range(0, columns, TILE):
        i = start + tl.arange(0, TILE)
        values = tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
        normal = (values - mean) * inverse
        a = tl.load(scale + i, mask=i < columns, other=0.0)
        b = tl.load(shift + i, mask=i < columns, other=0.0)
        tl.store(out + i, (normal * a + b).to(tl.float16), mask=i < columns)
