#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of docs/kernel-table.md on the simulator, under many seeds.

    python3 python/scripts/check_kernels.py build/ci/bin --seeds 10

Each configuration is compiled once and executed for every seed, which decides the
inputs and the order of blocks and warps. Right means: every output within its bound
of the reference, no finding, and no bank conflict in shared memory anywhere in the
kernel. Two heads, 200 queries that are the last of 500 positions: blocks that begin
and end inside of tiles, and a loop that no mask touches. --only takes some head
dimensions.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import json
from pathlib import Path
import subprocess
import sys
import tempfile

import kernel_table

SIZES = {"B": 1, "Lq": 200, "Lk": 500}
HEADS = 2


def run(*command, text=None):
    return subprocess.run(list(map(str, command)), input=text, capture_output=True,
                          text=True)


def wrongs(done):
    """What one run says against the kernel."""
    try:
        outcome = json.loads(done.stdout)
    except ValueError:
        return [done.stderr.strip() or f"expected JSON but got {done.stdout!r}"]
    found = list(outcome["findings"])
    found += [f"{output['name']} is wrong in row {output['worst_row']}"
              for output in outcome["outputs"] if not output["passed"]]
    conflicts = outcome["counts"].get("bank_conflicts", 0)
    if conflicts:
        found.append(f"{conflicts} bank conflicts")
    if not found and done.returncode != 0:
        found.append(f"goat-run returned {done.returncode}")
    return found


def check(bin_dir, config, seeds):
    """Everything wrong with one configuration, a line for each."""
    dim, dtype, name, parts, chip = config
    where = f"D = {dim}, {dtype}, {name}, {chip}"
    with tempfile.TemporaryDirectory() as artifact:
        built = run(bin_dir / "goatc", "-", f"--target={chip}", "--emit=artifact",
                    *kernel_table.DTYPES[dtype][1],
                    "-o", artifact, text=kernel_table.source(dim, dtype, parts, HEADS))
        if built.returncode != 0:
            return [f"{where}: {built.stderr.strip()}"]
        sizes = dict(SIZES)
        if "table" in parts:
            sizes["table.1"] = SIZES["Lk"]
        flags = [flag for item in sizes.items() for flag in ("--size", "%s=%d" % item)]
        return [f"{where}, seed {seed}: {wrong}"
                for seed in range(seeds)
                for wrong in wrongs(run(bin_dir / "goat-run", artifact, "--compare",
                                        "--json", "--seed", seed, *flags))]


def main():
    parser = argparse.ArgumentParser(description="run the kernels of the table")
    parser.add_argument("bin", type=Path, help="where goatc and goat-run are")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each (default: 1)")
    parser.add_argument("--only", type=int, nargs="*", default=kernel_table.DIMS,
                        help="head dimensions")
    arguments = parser.parse_args()
    cases = list(kernel_table.configurations(arguments.only))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda case: check(arguments.bin, case, arguments.seeds),
                              cases))
    for line in (line for lines in found for line in lines):
        print(line)
    right = sum(not lines for lines in found)
    print(f"{right} of {len(cases)} kernels right under {arguments.seeds} seeds")
    return 0 if right == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
