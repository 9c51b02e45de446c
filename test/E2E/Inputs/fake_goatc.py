#!/usr/bin/env python3
"""A goatc whose kernels spill, for the test of kernel_table.py.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import sys

NAMES = ("tensor", "ldmatrix", "cp.async", "mufu", "ffma", "fmul", "fadd", "fmnmx",
         "fsel", "cvt", "shuffle", "integer", "uniform", "mov", "lds/sts", "global",
         "local", "control", "other")


def loop(role, stored):
    return {"role": role, "per_score": {name: 0.25 for name in NAMES},
            "per_score_without_tensor": 4.5,
            "local_bytes": {"stores": stored, "loads": 0},
            "predicted": {"limiting_pipe": "issue", "tflops_serial": 1,
                          "tflops_overlapped": 2}}


if "--version" in sys.argv:
    print("GOAT 0 with LLVM 22.1.8")
    sys.exit()
# A kernel of its own makes the strip before.
before = {"entry": "before", "language": "SASS", "loops": []}
code = {"entry": "layer", "language": "SASS", "loops": [loop("unmasked", 4), loop("masked", 60)],
        "local_bytes_outside": {"stores": 0, "loads": 0}}
kernel = {"code": [before, code], "tools": "ptxas 0, nvdisasm 0", "notes": [],
          "choices": {"schedule": "<rows = 128, keys = 64, warps = 4, stages = 2>"},
          "launches": [{"entry": "before"},
                       {"entry": "layer", "resources": {"registers": 255},
                        "resident": {"blocks": 2}}]}
print(json.dumps({"kernels": [kernel]}))
