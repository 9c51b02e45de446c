# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward with online softmax, as a Triton kernel to count against.

q, k, v and out are (heads, length, DIM) bf16, lse is (heads, length) fp32; the
leading dimension is batch times heads. `length` is a multiple of both tiles, so
that no loop has a tail to mask: the kernel is as good as its compiler makes it.
Full key tiles run in a loop of their own; with CAUSAL a second loop takes the
tiles on the diagonal. This is the structure of Triton's tutorial on fused
attention, written anew.
"""

import triton
import triton.language as tl


@triton.jit
def log2(x):
    """Base-2 logarithm by the hardware unit; tl.log2 would link libdevice."""
    return tl.inline_asm_elementwise("lg2.approx.f32 $0, $1;", "=f,f", [x],
                                     dtype=tl.float32, is_pure=True, pack=1)


@triton.jit
def consume(acc, row_sum, row_max, q_tile, k_head, v_head, first, last,
            scale_log2e, rows, ON_DIAGONAL: tl.constexpr, DIM: tl.constexpr,
            TILE_N: tl.constexpr):
    """Folds the key tiles of [first, last) into the running row state."""
    dims = tl.arange(0, DIM)
    columns = tl.arange(0, TILE_N)
    here = columns[:, None] * DIM + dims[None, :]
    k_tiles = k_head + first * DIM + here
    v_tiles = v_head + first * DIM + here
    for start in range(first, last, TILE_N):
        k_tile = tl.load(k_tiles)
        v_tile = tl.load(v_tiles)
        logits = tl.dot(q_tile, tl.trans(k_tile))
        if ON_DIAGONAL:
            logits = tl.where(start + columns[None, :] <= rows[:, None],
                              logits, -1.0e30)
        new_max = tl.maximum(row_max, tl.max(logits, 1) * scale_log2e)
        weights = tl.exp2(logits * scale_log2e - new_max[:, None])
        shrink = tl.exp2(row_max - new_max)
        row_sum = row_sum * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v_tile.dtype), v_tile, acc * shrink[:, None])
        row_max = new_max
        k_tiles += TILE_N * DIM
        v_tiles += TILE_N * DIM
    return acc, row_sum, row_max


@triton.jit
def flash(q, k, v, out, lse, length, scale_log2e, DIM: tl.constexpr,
          TILE_M: tl.constexpr, TILE_N: tl.constexpr, CAUSAL: tl.constexpr):
    block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    rows = block * TILE_M + tl.arange(0, TILE_M)
    dims = tl.arange(0, DIM)
    base = head * length * DIM
    here = rows[:, None] * DIM + dims[None, :]
    q_tile = tl.load(q + base + here)

    acc = tl.zeros((TILE_M, DIM), dtype=tl.float32)
    row_sum = tl.zeros((TILE_M,), dtype=tl.float32)
    row_max = tl.full((TILE_M,), -1.0e30, dtype=tl.float32)
    full = block * TILE_M if CAUSAL else length
    acc, row_sum, row_max = consume(
        acc, row_sum, row_max, q_tile, k + base, v + base, 0, full,
        scale_log2e, rows, False, DIM, TILE_N)
    if CAUSAL:
        acc, row_sum, row_max = consume(
            acc, row_sum, row_max, q_tile, k + base, v + base, full,
            full + TILE_M, scale_log2e, rows, True, DIM, TILE_N)

    # The row state is kept in base 2; 0.6931471805599453 is ln 2.
    tl.store(out + base + here,
             (acc / row_sum[:, None]).to(out.dtype.element_ty))
    tl.store(lse + head * length + rows,
             (row_max + log2(row_sum)) * 0.6931471805599453)
