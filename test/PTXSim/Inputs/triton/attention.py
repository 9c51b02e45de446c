# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention with online softmax in bf16, as a Triton kernel.

q, k, v and out are (heads, length, 64) bf16, lse is (heads, length) fp32; the
leading dimension is batch times heads. Row i sees the keys j <= i:

    out[i] = sum_j softmax_j(scale q[i].k[j]) v[j]
    lse[i] = log(sum_j exp(scale q[i].k[j]))        (natural logarithm)

One program computes TILE_M query rows of one head. Key blocks wholly below the
diagonal run in a loop of their own without the causal comparison.
"""

import triton
import triton.language as tl


@triton.jit
def log2(x):
    """Base-2 logarithm by the hardware unit; tl.log2 would link libdevice."""
    return tl.inline_asm_elementwise("lg2.approx.f32 $0, $1;", "=f,f", [x],
                                     dtype=tl.float32, is_pure=True, pack=1)


@triton.jit
def consume(acc, row_sum, row_max, q_tile, k_head, v_head, first, last, length,
            scale_log2e, rows, ON_DIAGONAL: tl.constexpr, DIM: tl.constexpr,
            TILE_N: tl.constexpr):
    """Folds the key blocks [first, last) into the running row state."""
    dims = tl.arange(0, DIM)
    for start in range(first, last, TILE_N):
        keys = start + tl.arange(0, TILE_N)
        offsets = keys[:, None] * DIM + dims[None, :]
        k_tile = tl.load(k_head + offsets, mask=keys[:, None] < length,
                         other=0.0)
        v_tile = tl.load(v_head + offsets, mask=keys[:, None] < length,
                         other=0.0)
        logits = tl.dot(q_tile, tl.trans(k_tile)) * scale_log2e
        if ON_DIAGONAL:
            logits = tl.where(keys[None, :] <= rows[:, None], logits, -1.0e30)
        new_max = tl.maximum(row_max, tl.max(logits, 1))
        weights = tl.exp2(logits - new_max[:, None])
        shrink = tl.exp2(row_max - new_max)
        row_sum = row_sum * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v_tile.dtype), v_tile, acc * shrink[:, None])
        row_max = new_max
    return acc, row_sum, row_max


@triton.jit
def attention(q, k, v, out, lse, length, scale_log2e, DIM: tl.constexpr,
              TILE_M: tl.constexpr, TILE_N: tl.constexpr):
    block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    rows = block * TILE_M + tl.arange(0, TILE_M)
    dims = tl.arange(0, DIM)
    base = head * length * DIM
    here = rows[:, None] * DIM + dims[None, :]
    row_ok = rows[:, None] < length
    q_tile = tl.load(q + base + here, mask=row_ok, other=0.0)

    acc = tl.zeros((TILE_M, DIM), dtype=tl.float32)
    row_sum = tl.zeros((TILE_M,), dtype=tl.float32)
    row_max = tl.full((TILE_M,), -1.0e30, dtype=tl.float32)
    diagonal = block * TILE_M
    end = tl.minimum(diagonal + TILE_M, length)
    acc, row_sum, row_max = consume(
        acc, row_sum, row_max, q_tile, k + base, v + base, 0, diagonal, length,
        scale_log2e, rows, False, DIM, TILE_N)
    acc, row_sum, row_max = consume(
        acc, row_sum, row_max, q_tile, k + base, v + base, diagonal, end,
        length, scale_log2e, rows, True, DIM, TILE_N)

    # The row state is kept in base 2; 0.6931471805599453 is ln 2.
    tl.store(out + base + here, (acc / row_sum[:, None]).to(out.dtype.element_ty),
             mask=row_ok)
    tl.store(lse + head * length + rows,
             (row_max + log2(row_sum)) * 0.6931471805599453,
             mask=rows < length)
