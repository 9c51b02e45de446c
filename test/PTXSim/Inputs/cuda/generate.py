#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the CUDA kernels of this directory to PTX.

    generate.py [--nvcc=NVCC] [--check] [NAME ...]

writes NAME.ptx for each NAME.cu, or all of them. With --check it writes nothing
and fails where a committed NAME.ptx is not what comes out now. Another nvcc than
the pinned one is refused, because the text it gives would differ.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import re
import subprocess
import sys

NVCC_VERSION = "13.0.88"
HERE = Path(__file__).resolve().parent
# Kernels for later chips; everything else is for sm_80.
CHIPS = {"blackwell": "sm_100a", "clusters": "sm_90a", "hopper": "sm_90a",
         "tma": "sm_90a", "wgmma": "sm_90a", "bugs90": "sm_90a"}


def compile_to_ptx(nvcc, name):
    """The PTX of NAME.cu without trailing blanks. Names of internal symbols hold
    a hash of where the file lies; it becomes zeros."""
    command = [nvcc, f"-arch={CHIPS.get(name, 'sm_80')}", "-O3", "-std=c++17",
               "-ptx", f"{name}.cu", "-o", "-"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    text = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    text = re.sub(r"(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}_", r"\g<1>00000000_", text)
    return text.strip() + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc", default="/usr/local/cuda/bin/nvcc")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    version = subprocess.run([options.nvcc, "--version"], capture_output=True,
                             text=True, check=True).stdout
    found = re.search(r"V([\d.]+)", version)
    if not found or found[1] != NVCC_VERSION:
        raise SystemExit(f"expected nvcc {NVCC_VERSION} but got "
                         f"{found[1] if found else version!r}")
    names = options.names or sorted(p.stem for p in HERE.glob("*.cu"))
    with ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(lambda n: compile_to_ptx(options.nvcc, n), names))
    stale = 0
    for name, text in zip(names, texts):
        path = HERE / f"{name}.ptx"
        if not options.check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{name}.ptx is not what nvcc makes of {name}.cu; run "
                  f"generate.py")
            stale += 1
    print(f"{len(names)} files" + (", all fresh" if options.check and not stale
                                   else ""))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
