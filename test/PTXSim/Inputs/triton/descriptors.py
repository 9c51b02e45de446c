# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C = A B through tensor descriptors, as a Triton kernel.

A is (M, K) and B is (K, N) in fp16, C is (M, N) in fp32, described by the host:
loads and stores go through the tensor memory accelerator, which fills and drops
what lies outside.
"""

import triton
import triton.language as tl


@triton.jit
def matmul_descriptors(a, b, c, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
                       TILE_K: tl.constexpr):
    row = tl.program_id(0) * TILE_M
    column = tl.program_id(1) * TILE_N
    acc = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(0, K, TILE_K):
        acc = tl.dot(a.load([row, k]), b.load([k, column]), acc)
    c.store([row, column], acc)
