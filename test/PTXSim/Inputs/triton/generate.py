#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the Triton kernels of this directory to PTX, without a GPU.

    python3 -m venv venv && venv/bin/pip install triton==3.3.1
    venv/bin/python generate.py

writes NAME.ptx and NAME.launch.json for each kernel beside this file. Needs
Triton 3.3.1 and nothing else; another version is refused, because the text it
gives would differ from the committed one.
"""

import json
from pathlib import Path
import re
import sys

TRITON_VERSION = "3.3.1"
CAPABILITY = 80
HERE = Path(__file__).resolve().parent


def pointer(name, ptx_type, shape, access, meaning):
    """Describes a global buffer; Triton assumes 16-byte aligned addresses."""
    return {"name": name, "kind": "pointer", "dtype": ptx_type, "shape": shape,
            "access": access, "alignment": 16, "meaning": meaning}


def scalar(name, dtype, value, meaning, divisible_by=1):
    """Describes a by-value parameter and its value at the given size."""
    return {"name": name, "kind": "scalar", "dtype": dtype, "value": value,
            "divisible_by": divisible_by, "meaning": meaning}


M, N, K = 100, 80, 112
HEADS, LENGTH, DIM = 3, 200, 64
LOG2E = 1.4426950408889634

KERNELS = {
    "matmul": {
        "formula": "c[m,n] = sum_k a[m,k] b[k,n], accumulated in fp32",
        "size": {"M": M, "N": N, "K": K},
        "constexprs": {"TILE_M": 64, "TILE_N": 64, "TILE_K": 32},
        "num_warps": 4,
        "num_stages": 3,
        "grid": [-(-M // 64), -(-N // 64), 1],
        "parameters": [
            pointer("a", "f16", [M, K], "read", "left operand, row-major"),
            pointer("b", "f16", [K, N], "read", "right operand, row-major"),
            pointer("c", "f32", [M, N], "write", "result, row-major"),
            scalar("M", "i32", M, "rows of a and c"),
            scalar("N", "i32", N, "columns of b and c", 16),
            scalar("K", "i32", K, "columns of a, rows of b", 16),
            scalar("stride_a", "i32", K, "elements from row to row of a", 16),
            scalar("stride_b", "i32", N, "elements from row to row of b", 16),
            scalar("stride_c", "i32", N, "elements from row to row of c", 16),
        ],
    },
    "attention": {
        "formula": "out[h,i] = sum_{j<=i} softmax_j(scale q[h,i].k[h,j]) "
                   "v[h,j]; lse[h,i] = log sum_{j<=i} exp(scale q[h,i].k[h,j])",
        "size": {"heads": HEADS, "length": LENGTH, "dim": DIM},
        "constexprs": {"DIM": DIM, "TILE_M": 64, "TILE_N": 32},
        "num_warps": 4,
        "num_stages": 3,
        "grid": [-(-LENGTH // 64), HEADS, 1],
        "parameters": [
            pointer("q", "bf16", [HEADS, LENGTH, DIM], "read", "queries"),
            pointer("k", "bf16", [HEADS, LENGTH, DIM], "read", "keys"),
            pointer("v", "bf16", [HEADS, LENGTH, DIM], "read", "values"),
            pointer("out", "bf16", [HEADS, LENGTH, DIM], "write", "result"),
            pointer("lse", "f32", [HEADS, LENGTH], "write",
                    "logarithm of the row sum, natural"),
            scalar("length", "i32", LENGTH, "rows of q, k, v and out"),
            scalar("scale_log2e", "f32", DIM ** -0.5 * LOG2E,
                   "softmax scale times log2(e)"),
        ],
    },
}


def compile_kernel(name, spec):
    """Returns (PTX text, launch description) of one kernel."""
    sys.path.insert(0, str(HERE))
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function = getattr(__import__(name), name)
    signature, attributes = {}, {}
    for index, parameter in enumerate(spec["parameters"]):
        if parameter["kind"] == "pointer":
            triton_type = {"f16": "*fp16", "bf16": "*bf16",
                           "f32": "*fp32"}[parameter["dtype"]]
        else:
            triton_type = {"i32": "i32", "f32": "fp32"}[parameter["dtype"]]
        signature[parameter["name"]] = triton_type
        if parameter.get("alignment") == 16 or parameter.get(
                "divisible_by") == 16:
            attributes[(index,)] = [["tt.divisibility", 16]]
    for constant in spec["constexprs"]:
        signature[constant] = "constexpr"
    compiled = triton.compile(
        ASTSource(function, signature, constexprs=spec["constexprs"],
                  attrs=attributes),
        target=GPUTarget("cuda", CAPABILITY, 32),
        options={"num_warps": spec["num_warps"],
                 "num_stages": spec["num_stages"]})
    metadata = compiled.metadata
    if metadata.global_scratch_size:
        raise SystemExit(f"{name}: expected no global scratch memory but got "
                         f"{metadata.global_scratch_size} bytes")
    hidden = [{
        "name": "global_scratch", "kind": "pointer", "dtype": "u8",
        "shape": [0], "access": "none", "alignment": 16,
        "meaning": "appended by Triton after the declared parameters; unused "
                   "by this kernel (its size is 0), pass a null pointer"}]
    ptx = strip_debug(compiled.asm["ptx"])
    parameters = spec["parameters"] + hidden
    declared = ptx[ptx.index(".entry"):].split(")")[0].count(".param")
    if declared != len(parameters):
        raise SystemExit(f"{name}: expected {len(parameters)} parameters in "
                         f"the PTX but got {declared}")
    launch = {
        "kernel": f"{name}.ptx",
        "entry": metadata.name,
        "target": f"sm_{CAPABILITY}",
        "compiler": f"triton {TRITON_VERSION}",
        "formula": spec["formula"],
        "size": spec["size"],
        "grid": spec["grid"],
        "block": [spec["num_warps"] * 32, 1, 1],
        "dynamic_shared_bytes": metadata.shared,
        "num_stages": spec["num_stages"],
        "constexprs": spec["constexprs"],
        "parameters": parameters,
    }
    return ptx, launch


def strip_debug(ptx):
    """Drops line tables and DWARF, which name the compiling machine's paths."""
    ptx = re.split(r"^\s*\.section\s+\.debug", ptx, flags=re.M)[0]
    kept = [line for line in ptx.splitlines()
            if not re.match(r"\s*\.(file|loc)\b", line)
            and not re.match(r"\$L__tmp\d+:|\$L__func_(begin|end)\d+:",
                             line)]
    text = "\n".join(line.rstrip() for line in kept).rstrip() + "\n"
    return re.sub(r"(\.target\s+sm_\w+), debug", r"\1", text)


def main():
    import triton
    if triton.__version__ != TRITON_VERSION:
        raise SystemExit(f"expected triton {TRITON_VERSION} but got "
                         f"{triton.__version__}; pip install "
                         f"triton=={TRITON_VERSION}")
    for name, spec in KERNELS.items():
        ptx, launch = compile_kernel(name, spec)
        (HERE / f"{name}.ptx").write_text(ptx)
        (HERE / f"{name}.launch.json").write_text(
            json.dumps(launch, indent=2) + "\n")
        print(f"{name}: {len(ptx.splitlines())} lines of PTX, "
              f"{launch['dynamic_shared_bytes']} bytes of shared memory")


if __name__ == "__main__":
    main()
