# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C = A B with fp16 operands and fp32 result, as a Triton kernel.

A is (M, K), B is (K, N), C is (M, N), all row-major with a row stride in
elements. Every dimension may end inside a tile: rows and columns past M and N
and the tail of K are masked. One program computes one tile of C.
"""

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, stride_a, stride_b, stride_c,
           TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    cols = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    depth = tl.arange(0, TILE_K)
    row_ok = rows[:, None] < M
    col_ok = cols[None, :] < N
    a_tile = a + rows[:, None] * stride_a + depth[None, :]
    b_tile = b + depth[:, None] * stride_b + cols[None, :]
    acc = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(0, K, TILE_K):
        left = K - k
        lhs = tl.load(a_tile, mask=row_ok & (depth[None, :] < left), other=0.0)
        rhs = tl.load(b_tile, mask=(depth[:, None] < left) & col_ok, other=0.0)
        acc = tl.dot(lhs, rhs, acc)
        a_tile += TILE_K
        b_tile += TILE_K * stride_b
    tl.store(c + rows[:, None] * stride_c + cols[None, :], acc,
             mask=row_ok & col_ok)
