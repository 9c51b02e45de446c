# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors of single instructions, recorded on a device for the simulator.

PTX leaves the last bits of the approximate functions and the order of the sums
inside `mma.sync` open. Each vector is a set of inputs and the bits the device
returned, so that the simulator can be compared with what hardware does. Inputs
are made here, on the host, from fixed seeds; `record` runs them.

Per unary instruction: NAME.npy, uint32 (2, N): bits of the inputs and of the
results, fp32. Per matrix instruction: NAME.a.npy uint32 (cases, 32, 4),
NAME.b.npy uint32 (cases, 32, 2), NAME.c.npy and NAME.d.npy uint32 (cases, 32,
4): the registers of each lane, in the order PTX lists them.
"""

from typing import Callable, Dict, Tuple

import numpy as np

from goatc.driver import Driver
from goatc.dtypes import encode
from goatc.launch import Session

UNARY = ("ex2.approx.f32", "ex2.approx.ftz.f32", "lg2.approx.f32",
         "rcp.approx.f32", "rcp.approx.ftz.f32", "cos.approx.f32",
         "sin.approx.f32", "rsqrt.approx.f32", "tanh.approx.f32")
MATRIX = {
    "mma.m16n8k16.bf16":
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
    "mma.m16n8k16.f16":
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
}
HEAD = ".version 7.0\n.target sm_80\n.address_size 64\n"
THREADS = 128
CASES = 64


def unary_ptx(instruction: str) -> str:
    """Returns a kernel `unary(x, y, n)` that applies one instruction."""
    return HEAD + f"""
.visible .entry unary(.param .u64 x, .param .u64 y, .param .u32 n)
{{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .f32 %f<2>;
  .reg .b64 %d<5>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r0, %r1, %r2;
  ld.param.u32 %r4, [n];
  setp.ge.s32 %p, %r3, %r4;
  @%p ret;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  mul.wide.s32 %d2, %r3, 4;
  add.s64 %d3, %d0, %d2;
  add.s64 %d4, %d1, %d2;
  ld.global.f32 %f0, [%d3];
  {instruction} %f1, %f0;
  st.global.f32 [%d4], %f1;
  ret;
}}
"""


def matrix_ptx(instruction: str) -> str:
    """Returns a kernel `matrix(a, b, c, d)`; a warp per case."""
    return HEAD + f"""
.visible .entry matrix(.param .u64 a, .param .u64 b, .param .u64 c,
                       .param .u64 d)
{{
  .reg .b32 %r<14>;
  .reg .f32 %f<8>;
  .reg .b64 %d<10>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r0, 5;
  add.s32 %r3, %r2, %r1;
  mul.wide.s32 %d0, %r3, 16;
  mul.wide.s32 %d1, %r3, 8;
  ld.param.u64 %d2, [a];
  ld.param.u64 %d3, [b];
  ld.param.u64 %d4, [c];
  ld.param.u64 %d5, [d];
  add.s64 %d6, %d2, %d0;
  add.s64 %d7, %d3, %d1;
  add.s64 %d8, %d4, %d0;
  add.s64 %d9, %d5, %d0;
  ld.global.v4.b32 {{%r4, %r5, %r6, %r7}}, [%d6];
  ld.global.v2.b32 {{%r8, %r9}}, [%d7];
  ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%d8];
  {instruction}
    {{%f4, %f5, %f6, %f7}}, {{%r4, %r5, %r6, %r7}}, {{%r8, %r9}},
    {{%f0, %f1, %f2, %f3}};
  st.global.v4.f32 [%d9], {{%f4, %f5, %f6, %f7}};
  ret;
}}
"""


def unary_inputs(instruction: str) -> np.ndarray:
    """Returns fp32 inputs: a sweep of the range kernels use, the same range at
    random, every power of two, and the special values."""
    rng = np.random.default_rng(0)
    low, high = {"ex2": (-150.0, 130.0), "lg2": (0.0, 1.0e4),
                 "rcp": (-1.0e4, 1.0e4), "cos": (-320.0, 320.0),
                 "sin": (-320.0, 320.0), "rsqrt": (0.0, 1.0e4),
                 "tanh": (-12.0, 12.0)}[instruction.split(".")[0]]
    powers = np.ldexp(1.0, np.arange(-149, 128))
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40]
    return np.concatenate([
        np.linspace(low, high, 4096), rng.uniform(low, high, 4096),
        np.linspace(-2.0, 2.0, 2048), powers, -powers,
        special]).astype(np.float32)


def matrix_inputs(kind: str) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the registers a (cases, 32, 4), b (cases, 32, 2), c (cases, 32,
    4), uint32.

    A third of the cases has operands of similar size, a third exponents far
    apart (which shows how many bits the sum keeps), a third a large c that
    cancels.
    """
    rng = np.random.default_rng(1)
    a = rng.standard_normal((CASES, 32, 8))
    b = rng.standard_normal((CASES, 32, 4))
    c = rng.standard_normal((CASES, 32, 4))
    wide = slice(CASES // 3, 2 * CASES // 3)
    a[wide] *= np.exp2(rng.integers(-7, 8, a[wide].shape))
    b[wide] *= np.exp2(rng.integers(-7, 8, b[wide].shape))
    cancel = slice(2 * CASES // 3, CASES)
    c[cancel] *= np.exp2(rng.integers(0, 24, c[cancel].shape))
    return (encode(a, kind).view(np.uint32),
            encode(b, kind).view(np.uint32),
            c.astype(np.float32).view(np.uint32))


def run_kernel(driver: Driver, ptx: str, entry: str, grid: int, block: int,
               inputs: Tuple[np.ndarray, ...], output: np.ndarray,
               *scalars: np.generic) -> np.ndarray:
    """Runs entry(inputs..., output, scalars...) and returns the output."""
    with Session(driver, ptx.encode()) as session:
        buffers = [session.place(array) for array in (*inputs, output)]
        driver.launch(driver.function(session.module, entry), (grid, 1, 1),
                      (block, 1, 1), 0,
                      [np.uint64(address) for address in buffers]
                      + list(scalars))
        driver.synchronize()
        driver.download(output, buffers[-1])
    return output


def record(driver: Driver, say: Callable[[str], None]
           ) -> Dict[str, np.ndarray]:
    """Runs every vector; returns the arrays by file name (without .npy)."""
    arrays: Dict[str, np.ndarray] = {}
    for instruction in UNARY:
        x = unary_inputs(instruction)
        y = run_kernel(driver, unary_ptx(instruction), "unary",
                       -(-len(x) // THREADS), THREADS, (x,),
                       np.empty_like(x), np.int32(len(x)))
        arrays[instruction] = np.stack([x.view(np.uint32), y.view(np.uint32)])
        say(f"{instruction}: {len(x)} values")
    for name, instruction in MATRIX.items():
        a, b, c = matrix_inputs(name.rsplit(".", 1)[1])
        d = run_kernel(driver, matrix_ptx(instruction), "matrix", CASES, 32,
                       (a, b, c), np.empty_like(c))
        arrays.update({f"{name}.a": a, f"{name}.b": b, f"{name}.c": c,
                       f"{name}.d": d})
        say(f"{name}: {CASES} cases")
    return arrays
