"""Copies a kernel.json without the first launch of each variant.

usage: drop_first.py FROM TO

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    kernel = json.load(file)
for variant in kernel["variants"]:
    assert len(variant["launches"]) == 2, "expected two launches"
    del variant["launches"][0]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(kernel, file)
