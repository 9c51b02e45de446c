# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and ops of scalars, as MLIR writes them."""

import math
from typing import Any

FLOATS = ("f16", "bf16", "f32")


def literal(value: Any, dtype: str) -> str:
    """Returns a number as MLIR writes it."""
    if dtype == "i1":
        return "true" if value else "false"
    if dtype not in FLOATS:
        return str(int(value))
    number = float(value)
    if math.isfinite(number):
        largest = {"f16": 65504.0, "bf16": 3.3895313892515355e38,
                   "f32": 3.4028234663852886e38}[dtype]
        number = min(max(number, -largest), largest)
        return f"{number:.17e}"
    bits = {"f16": (0x7C00, 0xFC00, 0x7E00),
            "bf16": (0x7F80, 0xFF80, 0x7FC0),
            "f32": (0x7F800000, 0xFF800000, 0x7FC00000)}[dtype]
    which = 2 if math.isnan(number) else 0 if number > 0 else 1
    return f"0x{bits[which]:X}"


# Scalar ops by name: for floats, for integers.
BINARY = {
    "add": ("arith.addf", "arith.addi"), "sub": ("arith.subf", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli"), "div": ("arith.divf", "arith.divsi"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"), "shl": (None, "arith.shli"),
    "pow": ("math.powf", None), "floordiv": (None, "arith.floordivsi"),
    "rem": ("arith.remf", "arith.remsi"), "atan2": ("math.atan2", None),
    "and": (None, "arith.andi"), "or": (None, "arith.ori"),
    "xor": (None, "arith.xori"), "shr": (None, "arith.shrsi"),
}
UNARY = {
    "neg": "arith.negf", "exp": "math.exp", "exp2": "math.exp2",
    "log": "math.log", "log1p": "math.log1p", "log2": "math.log2",
    "expm1": "math.expm1", "tanh": "math.tanh", "sqrt": "math.sqrt",
    "rsqrt": "math.rsqrt", "sin": "math.sin", "cos": "math.cos",
    "erf": "math.erf", "floor": "math.floor", "ceil": "math.ceil",
    "abs": "math.absf", "round_even": "math.roundeven",
}


def of_dtype(op: str, dtype: str) -> str:
    """The one of BINARY that does `op` on booleans, of which true is -1."""
    booleans = {"mul": "and", "add": "or", "max": "or", "min": "and"}
    return booleans.get(op, op) if dtype == "i1" else op


def neutral(op: str, dtype: str) -> Any:
    """What a reduction by `op` starts from."""
    op = of_dtype(op, dtype)
    if op in ("max", "min") and dtype not in FLOATS:
        bits = int(dtype[1:])
        return -1 << (bits - 1) if op == "max" else (1 << (bits - 1)) - 1
    return {"add": 0, "mul": 1, "max": -math.inf, "min": math.inf, "or": 0,
            "and": True if dtype == "i1" else -1}[op]


COMPARISONS = {"eq": ("oeq", "eq"), "ne": ("une", "ne"), "lt": ("olt", "slt"),
               "le": ("ole", "sle"), "gt": ("ogt", "sgt"), "ge": ("oge", "sge")}
