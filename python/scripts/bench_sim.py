#!/usr/bin/env python3
"""Measures how many warp instructions the simulator executes in a second, on a
flash attention kernel: what `make bench-sim` shows.

usage: bench_sim.py BIN      (BIN: the folder of goat-sim and, if built, goatc)

The kernel is that of docs/examples/gpt2-layer.mlir when goatc is there, else the
attention compiled by Triton among the tests. Every row is the best of several
runs, the time that of the execution alone: by the clock, and what the processors
spent on it, which counts on a machine that others use as well. Times are this
machine's.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile

RUNS = 7
HEADS, LENGTH, DIM = 12, 1024, 64
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def bf16_file(path, count, seed):
    """Normally distributed numbers, the same 65536 over and over."""
    draw = random.Random(seed)
    some = b"".join(struct.pack("<f", draw.gauss(0, 1))[2:] for _ in range(65536))
    with open(path, "wb") as file:
        file.write((some * (count // 65536 + 1))[: 2 * count])
    return "in:" + path


def f32_file(path, count, seed):
    draw = random.Random(seed)
    with open(path, "wb") as file:
        file.write(struct.pack(f"<{count}f", *(draw.gauss(0, 0.1) for _ in range(count))))
    return "in:" + path


def own_kernel(goatc, folder):
    """The arguments of goat-sim for the kernel of the layer of GPT-2's size."""
    source = os.path.join(SOURCE, "docs", "examples", "gpt2-layer.mlir")
    artifact = os.path.join(folder, "gpt2-layer")
    # One kernel: the prior is made where it is used.
    options = ["--target=sm_90", "--strip=tile", "--emit=artifact", "-o", artifact]
    subprocess.run([goatc, source, *options], check=True)
    with open(os.path.join(artifact, "kernel.json")) as file:
        launch = json.load(file)["variants"][0]["launches"][0]
    tensor = HEADS * LENGTH * DIM
    values = [bf16_file(os.path.join(folder, n), tensor, i) for i, n in enumerate("qkv")]
    values += [f32_file(os.path.join(folder, n), 4 * HEADS, 3) for n in ("alpha", "beta")]
    values += [f32_file(os.path.join(folder, "omega"), 4, 4)]
    values += [f32_file(os.path.join(folder, "u"), HEADS * LENGTH, 5)]
    values += [f"out:{2 * tensor}", f"out:{4 * HEADS * LENGTH}"] + 3 * [f"i32:{LENGTH}"]
    rows = int(launch["grid"][0]["args"][1])
    return [
        os.path.join(artifact, "kernel.ptx"),
        "--entry=" + launch["entry"],
        f"--grid={-(-LENGTH // rows)},{HEADS}",
        f"--block={launch['block'][0]}",
        f"--smem={launch['shared_bytes']}",
    ] + ["--arg=" + value for value in values]


def triton_kernel(folder):
    tensor = HEADS * LENGTH * DIM
    values = [bf16_file(os.path.join(folder, n), tensor, i) for i, n in enumerate("qkv")]
    values += [f"out:{2 * tensor}", f"out:{4 * HEADS * LENGTH}"]
    values += [f"u32:{LENGTH}", "f32:0.18", "null"]
    return [
        os.path.join(SOURCE, "test", "PTXSim", "Inputs", "triton", "attention.ptx"),
        "--entry=attention",
        f"--grid={LENGTH // 64},{HEADS}",
        "--block=128",
        "--smem=24576",
    ] + ["--arg=" + value for value in values]


def measure(command):
    """Warp instructions, and the least seconds of some runs by the clock and of
    the processors."""
    reports = []
    for _ in range(RUNS):
        run = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        reports.append(json.loads(run.stdout))
    return (
        reports[0]["counts"]["warp_instructions"],
        min(report["host_seconds"] for report in reports),
        min(report["cpu_seconds"] for report in reports),
    )


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    goat_sim, goatc = (os.path.join(sys.argv[1], tool) for tool in ("goat-sim", "goatc"))
    with tempfile.TemporaryDirectory() as folder:
        own = os.access(goatc, os.X_OK)
        arguments = own_kernel(goatc, folder) if own else triton_kernel(folder)
        print(f"flash attention, {HEADS} heads of {LENGTH} x {DIM},", end=" ")
        print("compiled by goatc" if own else "compiled by Triton")
        print("checks  cores  warp instructions  seconds  CPU seconds  million per CPU second")
        for checks in ("none", "all"):
            alone = 0
            for cores in range(1, 1 + min(2, os.cpu_count() or 1)):
                options = ["--json", f"--checks={checks}", f"--threads={cores}"]
                count, seconds, cpu = measure([goat_sim] + arguments + options)
                alone = alone or seconds
                scaling = f" ({alone / seconds:.2f} times one core)" if cores > 1 else ""
                print(
                    f"{checks:6}  {cores:5}  {count:17,}  {seconds:7.3f}"
                    f"  {cpu:11.3f}  {count / cpu / 1e6:22.2f}{scaling}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
