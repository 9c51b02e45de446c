"""Plants known faults in a compiled layer and checks that each is caught.

A fault is a change to the kernel's level-1 text. The changed kernel is lowered
to PTX, takes the place of the right one in a copy of the artifact, and is run
in the simulator against the reference of the untouched source. A mutant that
passes would mean that the comparison is blind.

usage: mutants.py LAYER.mlir WORKDIR
"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Optional

SIZES = ["--size", "B=2", "--size", "Lq=70", "--size", "Lk=133"]


def substitute(text: str, pattern: str, replacement: str) -> str:
    """`text` with every match replaced; there must be one at least."""
    changed, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
    if count == 0:
        raise SystemExit(f"mutants.py: expected a match for {pattern!r}")
    return changed


def drop_sink(text: str) -> str:
    # The sink's logit is the one value loaded from its argument.
    sink = re.search(r"(%arg\d+): !goat_tile.ptr<f32> "
                     r"\{goat_tile.role = #goat_tile.input<7>\}", text).group(1)
    return substitute(text, rf"^(\s*%\w+) = goat_tile.load {sink}\[.*$",
                      r"\1 = arith.constant -1.0e+30 : f32")


def flip_beta(text: str) -> str:
    # sin is odd: the angle's sign is β's.
    return substitute(
        text, r"^(\s*)%(\w+) = math.sin (%\w+) fastmath<afn> : (.*)$",
        r"\1%minus_\2 = arith.negf \3 : \4\n"
        r"\1%\2 = math.sin %minus_\2 fastmath<afn> : \4")


def skip_division(text: str) -> str:
    one = re.search(r"(%\w+) = arith.constant dense<1.000000e\+00> : "
                    r"tensor<128xf32", text).group(1)
    return substitute(text, rf"= arith.divf {one}, %\w+ :",
                      rf"= arith.mulf {one}, {one} :")


def shift_diagonal(text: str) -> str:
    return substitute(text, r"arith.cmpi sle,", "arith.cmpi slt,")


def leave_xsa_out(text: str) -> str:
    # z = fma(−c, v, y): without its product it is y.
    head, tail = text.rsplit("math.fma", 1)
    operands = re.match(r" (%\w+), (%\w+), (%\w+)(?: \{.*?\})? : (.*)", tail)
    line = f"arith.maxnumf {operands[3]}, {operands[3]} : {operands[4]}"
    return head + line + tail[operands.end():]


def wait_too_little(text: str) -> str:
    return substitute(text, r"pending = 0", "pending = 1")


MUTANTS = {
    "drop the sink": drop_sink,
    "flip the sign of beta": flip_beta,
    "skip 1/l": skip_division,
    "shift the diagonal by one": shift_diagonal,
    "leave XSA out": leave_xsa_out,
    "wait for one group too few": wait_too_little,
}


def run(*command: str, stdin: Optional[str] = None) -> str:
    return subprocess.run(command, input=stdin, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def verdict(artifact: pathlib.Path) -> tuple[bool, dict]:
    """Whether goat-run passes the artifact, and what it says."""
    result = subprocess.run(
        ["goat-run", str(artifact), "--on=sim", "--compare", "--json", *SIZES],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return result.returncode == 0, json.loads(result.stdout)


def main() -> int:
    layer, work = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    right = work / "right"
    run("goatc", layer, "--target=sm_80", "--emit=artifact", "-o", str(right))
    passed, _ = verdict(right)
    print("the layer itself:", "right" if passed else "WRONG")
    if not passed:
        return 1

    tiles = run("goat-opt", "--goat-to-goat-tile", layer)
    survivors = 0
    for name, mutate in MUTANTS.items():
        nvvm = run("goat-opt", "--goat-tile-to-nvvm", "-", stdin=mutate(tiles))
        ptx = run("goat-translate", "--nvvm-to-ptx", "--target=sm_80", "-",
                  stdin=nvvm)
        artifact = work / name.replace(" ", "-").replace("/", "-")
        shutil.copytree(right, artifact)
        (artifact / "kernel.ptx").write_text(ptx)
        # What ptxas made of the right kernel does not belong to this one.
        description = json.loads((artifact / "kernel.json").read_text())
        description["cubin"] = None
        (artifact / "kernel.json").write_text(json.dumps(description))
        passed, said = verdict(artifact)
        survivors += passed
        print(f"{name}:", "SURVIVED" if passed else
              f"caught, relative L2 error {said['rel_l2_error']:.1e}, "
              f"{len(said['findings'])} findings")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
