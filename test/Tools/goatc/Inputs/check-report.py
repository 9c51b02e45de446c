"""Checks the JSON report of layer.mlir, counted in SASS or PTX.

usage: check-report.py FILE LANGUAGE

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
assert report["schema"] == "goat-report/1", report["schema"]
kernel, = report["kernels"]
assert kernel["kernel"] == "layer"
launch, = kernel["launches"]
assert (launch["resources"] is None) == (sys.argv[2] == "PTX")
assert launch["resident"]["blocks"] == min(launch["resident"]["limits"].values())
assert kernel["product_flops"] == {
    "formula": "(256 * query.0 * 2 * query.2 * key.2)",
    "value": None,
}
code, = kernel["code"]
assert code["language"] == sys.argv[2]
assert code["local_bytes_outside"] == {"stores": 0, "loads": 0}
loops = code["loops"]
assert [loop["role"] for loop in loops] == ["unmasked", "masked"]
# The schedule builds the unmasked loop first.
assert 0 < loops[0]["tile_line"] < loops[1]["tile_line"]
for loop in loops:
    # The kinds are all there is.
    assert sum(loop["counts"].values()) == loop["instructions"]
    others = sum(n for kind, n in loop["per_score"].items() if kind != "tensor")
    assert abs(others - loop["per_score_without_tensor"]) < 1e-9
    clocks = loop["predicted"]["clocks_per_score"]
    assert clocks[loop["predicted"]["limiting_pipe"]] == max(clocks.values())
# Every instruction came from somewhere.
wanted = loops[0]["per_score_without_tensor"]
assert abs(sum(line["per_score_without_tensor"] for line in code["lines"]) - wanted) < 1e-9
assert abs(sum(code["tile_ops"].values()) - wanted) < 1e-9
assert code["tile_ops"].get("none", 0) < 0.05 * wanted, code["tile_ops"]
# A mask costs something.
assert loops[0]["per_score_without_tensor"] < loops[1]["per_score_without_tensor"]
# What no table knows is little.
assert code["counts"]["other"] < 0.05 * code["instructions"], code["counts"]
