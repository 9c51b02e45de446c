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


def two_launches():
    """Returns a kernel.json whose first launch doubles the shift into a
    workspace behind a region of two bytes per row, for the second to add."""
    text = description()
    first, second = launch("double_shift", 1), launch("shift_by_workspace", 2)
    region = {"kind": "workspace", "offset": {
        "op": "*", "args": [{"op": "ceildiv", "args": [
            {"op": "*", "args": [ROWS, 2]}, 256]}, 256]}}
    first["parameters"] = [{"kind": "input", "index": 2}, region]
    second["parameters"] = [{"kind": "input", "index": 0}, region,
                            {"kind": "output", "index": 0}]
    text["variants"] = [{
        "name": "two", "guards": [], "launches": [first, second],
        "workspace_bytes": {"op": "+", "args": [region["offset"], 4]}}]
    return text


def write(folder, text=None):
    """Writes the sample artifact and returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.json").write_text(json.dumps(text or description()))
    entries = "shift_short shift_long double_shift shift_by_workspace"
    (folder / "kernel.ptx").write_text(f"// {entries} ptx")
    (folder / "kernel.sm_80.cubin").write_text(f"{entries} cubin")
    return folder


def kernel(driver, launched):
    """What both entries do, for a driver double."""
    x, shift, out, _ = launched.arguments
    values = decode(driver.view(x, np.uint16), "bf16") + np.float32(shift)
    driver.view(out, np.uint16)[:] = encode(values, "bf16")


def double_shift(driver, launched):
    """The first of the two launches."""
    shift, region = launched.arguments
    driver.view(region, np.float32)[0] = 2 * shift


def shift_by_workspace(driver, launched):
    """The second of the two launches."""
    x, region, out = launched.arguments
    shift = driver.view(region, np.float32)[0]
    values = decode(driver.view(x, np.uint16), "bf16") + shift
    driver.view(out, np.uint16)[:] = encode(values, "bf16")


KERNELS = {"shift_short": kernel, "shift_long": kernel,
           "double_shift": double_shift,
           "shift_by_workspace": shift_by_workspace}
