#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the Triton kernels of this directory to PTX, without a GPU.

    python3 -m venv venv && venv/bin/pip install triton==3.3.1
    venv/bin/python generate.py

writes NAME.ptx and NAME.launch.json beside this file for each kernel that is
pinned to the installed version of Triton, 3.3.1 for all but those with tensor
descriptors, which need 3.5.1; NAME_sm90 is the same kernel for sm_90. Other
versions are refused, because the text they give would differ from the committed
one.
"""

import json
from pathlib import Path
import re
import sys

TRITON_VERSION = "3.3.1"
HERE = Path(__file__).resolve().parent


def pointer(name, ptx_type, shape, access, meaning):
    """Describes a global buffer; Triton assumes 16-byte aligned addresses."""
    return {"name": name, "kind": "pointer", "dtype": ptx_type, "shape": shape,
            "access": access, "alignment": 16, "meaning": meaning}


def descriptor(name, dtype, shape, block, meaning):
    """Describes a tensor map; shape and strides follow as scalars, unused."""
    return {"name": name, "kind": "tensormap", "dtype": dtype, "shape": shape,
            "block": block, "meaning": meaning}


def scalar(name, dtype, value, meaning, divisible_by=1):
    """Describes a by-value parameter and its value at the given size."""
    return {"name": name, "kind": "scalar", "dtype": dtype, "value": value,
            "divisible_by": divisible_by, "meaning": meaning}


M, N, K = 100, 80, 112
HEADS, LENGTH, DIM = 3, 200, 64
LOG2E = 1.4426950408889634

ROWS, COLUMNS, STRIDE = 5, 200, 208

KERNELS = {
    "vector_add": {
        "module": "pointwise",
        "formula": "out[i] = x[i] + y[i]",
        "size": {"count": 1000},
        "constexprs": {"TILE": 256},
        "num_warps": 4,
        "num_stages": 3,
        "grid": [4, 1, 1],
        "parameters": [
            pointer("x", "f32", [1000], "read", "left operand"),
            pointer("y", "f32", [1000], "read", "right operand"),
            pointer("out", "f32", [1000], "write", "sum"),
            scalar("count", "i32", 1000, "elements"),
        ],
    },
    "softmax": {
        "module": "pointwise",
        "formula": "out[r,i] = exp(x[r,i]) / sum_j exp(x[r,j])",
        "size": {"rows": ROWS, "columns": COLUMNS},
        "constexprs": {"TILE": 256},
        "num_warps": 4,
        "num_stages": 3,
        "grid": [ROWS, 1, 1],
        "parameters": [
            pointer("x", "f32", [ROWS, STRIDE], "read", "rows"),
            pointer("out", "f32", [ROWS, STRIDE], "write", "result"),
            scalar("columns", "i32", COLUMNS, "elements of a row"),
            scalar("stride", "i32", STRIDE, "elements from row to row"),
        ],
    },
    "layer_norm": {
        "module": "pointwise",
        "formula": "out[r,i] = (x[r,i] - mean) / sqrt(variance + epsilon) "
                   "scale[i] + shift[i]",
        "size": {"rows": ROWS, "columns": COLUMNS},
        "constexprs": {"TILE": 128},
        "num_warps": 4,
        "num_stages": 3,
        "grid": [ROWS, 1, 1],
        "parameters": [
            pointer("x", "f16", [ROWS, STRIDE], "read", "rows"),
            pointer("scale", "f32", [COLUMNS], "read", "factor"),
            pointer("shift", "f32", [COLUMNS], "read", "offset"),
            pointer("out", "f16", [ROWS, STRIDE], "write", "result"),
            scalar("columns", "i32", COLUMNS, "elements of a row"),
            scalar("stride", "i32", STRIDE, "elements from row to row"),
            scalar("epsilon", "f32", 1e-5, "added to the variance"),
        ],
    },
    "matmul_descriptors": {
        "module": "descriptors",
        "triton": "3.5.1",
        "chips": [90],
        "formula": "c[m,n] = sum_k a[m,k] b[k,n], accumulated in fp32",
        "size": {"M": M, "N": N, "K": K},
        "constexprs": {"TILE_M": 64, "TILE_N": 64, "TILE_K": 64},
        "num_warps": 4,
        "num_stages": 3,
        "grid": [-(-M // 64), -(-N // 64), 1],
        "parameters": [
            descriptor("a", "f16", [M, K], [64, 64], "left operand"),
            descriptor("b", "f16", [K, N], [64, 64], "right operand"),
            descriptor("c", "f32", [M, N], [64, 64], "result"),
            scalar("K", "i32", K, "columns of a, rows of b"),
        ],
    },
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


TYPES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "i32": "i32"}


def triton_type(parameter):
    """The type of a parameter as Triton's signatures spell it."""
    name = TYPES[parameter["dtype"]]
    if parameter["kind"] == "tensormap":
        return f"tensordesc<{name}{parameter['block']}>"
    return f"*{name}" if parameter["kind"] == "pointer" else name


def compile_kernel(name, spec, chip):
    """Returns (PTX text, launch description) of one kernel for sm_CHIP."""
    sys.path.insert(0, str(HERE))
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function = getattr(__import__(spec.get("module", name)), name)
    signature, attributes = {}, {}
    for index, parameter in enumerate(spec["parameters"]):
        signature[parameter["name"]] = triton_type(parameter)
        if parameter.get("alignment") == 16 or parameter.get(
                "divisible_by") == 16:
            attributes[(index,)] = [["tt.divisibility", 16]]
    for constant in spec["constexprs"]:
        signature[constant] = "constexpr"
    compiled = triton.compile(
        ASTSource(function, signature, constexprs=spec["constexprs"],
                  attrs=attributes),
        target=GPUTarget("cuda", chip, 32),
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
    if spec.get("triton", TRITON_VERSION) != TRITON_VERSION:
        parameters.append({**hidden[0], "name": "profile_scratch"})
    declared = ptx[ptx.index(".entry"):].split(")")[0].count(".param")
    # A descriptor is followed by two extents and two strides.
    expected = sum(5 if p["kind"] == "tensormap" else 1 for p in parameters)
    if declared != expected:
        raise SystemExit(f"{name}: expected {expected} parameters in "
                         f"the PTX but got {declared}")
    launch = {
        "kernel": f"{file_name(name, chip)}.ptx",
        "entry": metadata.name,
        "target": f"sm_{chip}",
        "compiler": f"triton {triton.__version__}",
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


def file_name(name, chip):
    return name if chip == 80 else f"{name}_sm{chip}"


def main():
    import triton
    pinned = {name: spec for name, spec in KERNELS.items()
              if spec.get("triton", TRITON_VERSION) == triton.__version__}
    if not pinned:
        raise SystemExit(f"expected triton {TRITON_VERSION} but got "
                         f"{triton.__version__}; pip install "
                         f"triton=={TRITON_VERSION}")
    for name, spec in pinned.items():
        for chip in spec.get("chips", [80, 90]):
            ptx, launch = compile_kernel(name, spec, chip)
            file = file_name(name, chip)
            (HERE / f"{file}.ptx").write_text(ptx)
            (HERE / f"{file}.launch.json").write_text(
                json.dumps(launch, indent=2) + "\n")
            print(f"{file}: {len(ptx.splitlines())} lines of PTX, "
                  f"{launch['dynamic_shared_bytes']} bytes of shared memory")


if __name__ == "__main__":
    main()
