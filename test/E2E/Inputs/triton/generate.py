#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles flash.py to PTX, without a GPU, for kernel-table.py to count.

    python3 -m venv venv && venv/bin/pip install triton==3.3.1
    venv/bin/python generate.py [DIRECTORY]

writes NAME.ptx for each configuration into DIRECTORY, or beside this file. Needs
Triton 3.3.1; another version is refused, because the text it gives would differ
from the committed one.
"""

from pathlib import Path
import re
import sys

TRITON_VERSION = "3.3.1"
HERE = Path(__file__).resolve().parent
TILE_M, TILE_N = 128, 64

# At D = 128 four warps spill hundreds of registers, so that Triton's own
# autotuner would take eight.
WARPS = {64: 4, 128: 8}
STAGES = {64: 2, 128: 2}


def compile_kernel(capability, dim, causal):
    """Returns the PTX of one configuration."""
    sys.path.insert(0, str(HERE))
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from flash import flash

    tensors = ["q", "k", "v", "out"]
    signature = {name: "*bf16" for name in tensors}
    signature |= {"lse": "*fp32", "length": "i32", "scale_log2e": "fp32"}
    constants = {"DIM": dim, "TILE_M": TILE_M, "TILE_N": TILE_N,
                 "CAUSAL": causal}
    # Addresses and the length are multiples of 16.
    attributes = {(i,): [["tt.divisibility", 16]] for i in range(6)}
    compiled = triton.compile(
        ASTSource(flash, signature | {name: "constexpr" for name in constants},
                  constexprs=constants, attrs=attributes),
        target=GPUTarget("cuda", capability, 32),
        options={"num_warps": WARPS[dim], "num_stages": STAGES[dim]})
    return strip_debug(compiled.asm["ptx"])


def strip_debug(ptx):
    """Drops line tables and debug sections, which name the machine's paths."""
    lines = []
    for line in ptx.split("\n"):
        text = line.strip()
        if text.startswith(".section"):
            break
        if not text.startswith((".loc", ".file")) and not re.fullmatch(
                r"\$L__tmp\d+:|\$L__func_\w+:", text):
            lines.append(line.rstrip())
    return "\n".join(lines).replace(", debug", "").rstrip() + "\n"


def main():
    import triton

    if triton.__version__ != TRITON_VERSION:
        raise SystemExit(f"expected triton {TRITON_VERSION} but got "
                         f"{triton.__version__}")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for capability in (80, 90):
        for dim in (64, 128):
            for causal in (False, True):
                name = f"d{dim}-{'causal' if causal else 'plain'}-sm_{capability}"
                text = compile_kernel(capability, dim, causal)
                (folder / f"{name}.ptx").write_text(text)
                print(f"{name}.ptx: {text.count(chr(10))} lines")


if __name__ == "__main__":
    main()
