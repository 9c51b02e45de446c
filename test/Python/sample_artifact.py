# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small artifact for tests, and its kernel as a Python function.

The kernel adds a scalar to rows of a bf16 matrix: out[b, i] = x[b, i] + shift.
"""

import json

import numpy as np

from goatc.dtypes import decode, encode

ROWS = {"dim": [0, 1]}


def description():
    """Returns a fresh kernel.json of the sample."""
    return {
        "schema": "goat-kernel/1", "name": "shift", "target": "sm_80",
        "ptx": "kernel.ptx", "cubin": "kernel.sm_80.cubin",
        "inputs": [
            {"name": "x", "dtype": "bf16", "shape": [None, None, 8]},
            {"name": "y", "dtype": "bf16", "shape": [None, None, 8]},
            {"name": "shift", "dtype": "f32", "shape": []}],
        "outputs": [{"name": "out", "dtype": "bf16",
                     "shape": [{"dim": [0, 0]}, ROWS, 8],
                     "initialise": None}],
        "requires": [{"equal": [{"dim": [0, 0]}, {"dim": [1, 0]}],
                      "message": "x and y have one batch size"}],
        "variants": [
            {"name": "short", "guards": [{"less": [ROWS, 4]}],
             "workspace_bytes": 0,
             "launches": [launch("shift_short", 1)]},
            {"name": "contiguous",
             "guards": [{"aligned": {"input": 0}, "bytes": 16}],
             "workspace_bytes": 0,
             "launches": [launch("shift_long", {
                 "op": "ceildiv", "args": [ROWS, 4]})]}],
        "choices": {}}


def launch(entry, blocks):
    """Returns one launch of the sample."""
    return {"entry": entry, "grid": [blocks, {"dim": [0, 0]}, 1],
            "block": [32, 1, 1], "cluster": [1, 1, 1], "shared_bytes": 64,
            "parameters": [
                {"kind": "input", "index": 0},
                {"kind": "input", "index": 2},
                {"kind": "output", "index": 0},
                {"kind": "dim", "index": 0, "axis": 1, "dtype": "i32"}],
            "tensor_maps": []}


def write(folder, text=None):
    """Writes the sample artifact and returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.json").write_text(json.dumps(text or description()))
    (folder / "kernel.ptx").write_text("// shift_short shift_long ptx")
    (folder / "kernel.sm_80.cubin").write_text("shift_short shift_long cubin")
    return folder


def kernel(driver, launched):
    """What both entries do, for a driver double."""
    x, shift, out, _ = launched.arguments
    values = decode(driver.view(x, np.uint16), "bf16") + np.float32(shift)
    driver.view(out, np.uint16)[:] = encode(values, "bf16")


KERNELS = {"shift_short": kernel, "shift_long": kernel}
