#!/usr/bin/env python3
"""Compiles two attention layers, runs the kernels' PTX on the simulated GPU and
compares with the reference: what `make demo` shows.

usage: demo.py BIN      (BIN: the folder of goatc and goat-run)

Everything it does is done by the two tools; the command lines are printed, so
that they can be tried with other files. The exit status is 0 when both layers
are right and the simulator found nothing.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import shlex
import subprocess
import sys
import time

TARGET = "sm_90"

LAYERS = [
    {
        "title": "a layer of a trained text encoder, on a real text",
        "text": "Q, K and V are those of layer 3 of all-MiniLM-L6-v2 for a text of 123\n"
        "tokens (12 heads of dimension 32, no mask). Added to it: a Fourier prior\n"
        "of the distance, a bias per key (both seeded), and XSA.",
        "name": "encoder-layer",
        "inputs": {
            "query": "encoder-layer/q.npy",
            "key": "encoder-layer/k.npy",
            "value": "encoder-layer/v.npy",
        },
        "sizes": {},
    },
    {
        "title": "a causal layer of the size of GPT-2 small",
        "text": "12 heads of dimension 64, 1024 tokens, seeded Q, K and V. The Fourier\n"
        "prior (rank 4) and the bias per key follow the method's official\n"
        "parameterisation; then XSA. The kernel also gives the log-sum-exp.",
        "name": "gpt2-layer",
        "inputs": {
            "alpha": "gpt2-layer/alpha.npy",
            "beta": "gpt2-layer/beta.npy",
            "omega": "gpt2-layer/omega.npy",
            "u": "gpt2-layer/u.npy",
        },
        "sizes": {"B": 1, "Lq": 1024, "Lk": 1024},
    },
]


def say(text="", indent="  "):
    for line in text.splitlines() or [""]:
        print((indent + line).rstrip(), flush=True)


def run(command, **options):
    """Runs a tool; its progress and its errors go to the terminal."""
    say("$ " + shlex.join(command))
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options
    )


def show(layer, goatc, goat_run):
    """Compiles and runs one layer. Returns whether it is right."""
    say(layer["text"])
    say()
    source = os.path.join("docs", "examples", layer["name"] + ".mlir")
    artifact = os.path.join("demo-out", layer["name"])

    say("Compile it to PTX, and say what was compiled and what it costs:")
    start = time.monotonic()
    compiled = run([goatc, source, f"--target={TARGET}", "--emit=ptx", "-o", os.devnull])
    seconds = time.monotonic() - start
    if compiled.returncode != 0:
        return False
    say(f"from text to PTX in {seconds:.2f} s", "    ")
    report = run([goatc, source, f"--target={TARGET}", "--emit=report"])
    say(report.stdout, "    ")
    if report.returncode != 0:
        return False
    say()

    say("Write what would be shipped, and execute exactly that PTX on the CPU:")
    written = run([goatc, source, f"--target={TARGET}", "--emit=artifact", "-o", artifact])
    if written.returncode != 0:
        return False
    command = [goat_run, artifact, "--on=sim", "--compare", "--json"]
    command += [
        f"--arg={name}=" + os.path.join("test", "Inputs", path)
        for name, path in layer["inputs"].items()
    ]
    command += [f"--size={name}={size}" for name, size in layer["sizes"].items()]
    start = time.monotonic()
    ran = run(command)
    seconds = time.monotonic() - start
    try:
        outcome = json.loads(ran.stdout)
    except ValueError:
        say(ran.stdout, "    ")
        return False

    say(
        f"{outcome['instructions']:,} warp instructions simulated and compared in"
        f" {seconds:.0f} s",
        "    ",
    )
    say("against the formulas in double precision, on the same inputs:", "    ")
    right = ran.returncode == 0
    for output in outcome["outputs"]:
        passed = output["passed"]
        right = right and passed
        shape = "×".join(str(size) for size in output["shape"])
        say(
            f"{output['name']} ({shape}): relative L2 error"
            f" {output['rel_l2_error']:.1e} (at most {output['tolerance']:.0e}),"
            f" largest error {output['max_abs_error']:.1e}:"
            f" {'right' if passed else 'WRONG'}",
            "      ",
        )
    findings = outcome["findings"]
    say(
        "the simulator found "
        + (f"{len(findings)} faults:" if findings else "no fault")
        + " (bounds, alignment, uninitialised memory, missing waits)",
        "    ",
    )
    for finding in findings[:10]:
        say(str(finding), "      ")
    return right and not findings


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    goatc = os.path.join(sys.argv[1], "goatc")
    goat_run = os.path.join(sys.argv[1], "goat-run")
    wrong = []
    for number, layer in enumerate(LAYERS, 1):
        print(f"\n[{number}/{len(LAYERS)}] {layer['title']}\n", flush=True)
        if not show(layer, goatc, goat_run):
            wrong.append(layer["name"])
    print()
    if wrong:
        print("WRONG: " + ", ".join(wrong))
        return 1
    print(f"{len(LAYERS)} layers right, 0 findings.")
    print("The artifacts are in demo-out; --emit=tile shows the kernel as tiles.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
