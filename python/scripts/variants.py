#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/variants.md: the variants of attention in docs/examples/gallery.

    python3 python/scripts/variants.py build/ci/bin --write --count
    python3 python/scripts/variants.py build/ci/bin --check

Each file of the gallery says in its first lines what it is, where it comes from,
and the arguments of goat-run for a small problem. That is run, as the PTX of each
chip on the simulator against the reference in double precision. --count also
counts the instructions of the loops over tiles in SASS, of all or some variants, for
which it needs ptxas and nvdisasm (GOAT_NVDISASM); without it --write keeps what the
page says of them. --check runs everything again and compares with the
page: every result right, errors to a quarter, and that no file is missing. --only takes some variants.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import json
from pathlib import Path
import re
import subprocess
import sys

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "docs" / "variants.md"
GALLERY = TOP / "docs" / "examples" / "gallery"
CHIPS = ("sm_80", "sm_90")

HEADER = """\
# Variants of attention

Written by `python/scripts/variants.py`; do not edit.

Every file of [examples/gallery](examples/gallery) is a complete layer, bf16 with four
query heads on two key heads of 64. A variant is *right* when each row of its result is
within the bounds of `goat-run --compare`, here on the problem its file names.

- *error*: relative L2 error of the result of the emitted PTX, run on the simulator,
  against the formulas in double precision; bf16 rounding alone is 2e-3.
- *per score*: instructions for each score and thread in the loop over tiles, without
  the tensor instructions, counted in SASS; tiles that no mask touches, and after the
  stroke those that the mask is evaluated on. The plain kernel is the line `full`.
- *how*: which way each part of the score reaches the tile.

A – was not recorded; the test still demands that the result is right.

"""

COLUMNS = ("variant", "what", "from", "error sm_80", "error sm_90", "per score sm_80",
           "per score sm_90", "how")

# What the report calls the parts of a score, in short.
HOW = {"relative_terms": "strip", "key_terms": "key vector", "query_terms": "query vector",
       "other_terms": "element by element", "score": "function of the score"}


def first_lines(path):
    """The description, the source and the arguments that a file states."""
    lines = re.match(r"(// .*\n)+", path.read_text(encoding="utf-8")).group().splitlines()
    text = [line[3:] for line in lines]
    fields = {key: next(line for line in text if line.startswith(key)).split(": ", 1)[1]
              for key in ("From", "Run")}
    what = " ".join(line for line in text if not line.startswith(("From: ", "Run: ")))
    return what, fields["From"].rstrip("."), fields["Run"].split()


def run(tools, name, chip):
    """The JSON of goat-run, or the message of what it refused."""
    path = GALLERY / f"{name}.mlir"
    arguments = first_lines(path)[2]
    done = subprocess.run([tools / "goat-run", path.name, f"--target={chip}", "--compare",
                           "--json", *arguments], cwd=GALLERY, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.stderr.split("error: ", 1)[-1].split("\n", 1)[0]


def count(tools, name, chip):
    """Instructions per score, and the choices of the kernel in short."""
    done = subprocess.run([tools / "goatc", f"{name}.mlir", f"--target={chip}", "--emit=report",
                           "--report-format=json"], cwd=GALLERY, capture_output=True, text=True)
    kernel, = json.loads(done.stdout)["kernels"]
    if kernel["code"][0]["language"] != "SASS":
        raise SystemExit("variants.py needs ptxas and nvdisasm: " + "; ".join(kernel["notes"]))
    code, = (code for code in kernel["code"] if code["loops"])
    loops = [f"{loop['per_score_without_tensor']:.2f}" for loop in code["loops"]]
    choices = kernel["choices"]
    how = [short for key, short in HOW.items() if key in choices]
    held = [choices[key].split()[0] + " " + what
            for key, what in (("held_over_distance", "strips"), ("held_over_keys", "key vectors"),
                              ("held_over_queries", "query vectors"),
                              ("held_over_differences", "tables of differences"))
            if key in choices]
    if held:
        how.append("with " + ", ".join(held) + " inside")
    return " / ".join(loops), ", ".join(how) or "–"


def is_right(outcome):
    return (isinstance(outcome, dict) and not outcome["findings"]
            and all(output["passed"] for output in outcome["outputs"]))


def cells_of(line):
    """The cells of a line of the page, by column."""
    return dict(zip(COLUMNS, (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])))


def check(lines, outcomes):
    """What the page says that today's runs contradict."""
    stale = []
    for name, by_chip in outcomes.items():
        if name not in lines:
            stale.append(f"{name}: is not on the page")
            continue
        row = cells_of(lines[name])
        for chip, outcome in by_chip.items():
            if not is_right(outcome):
                stale.append(f"{name}, {chip}: expected a right result but got {outcome}")
                continue
            if row[f"error {chip}"] == "–":
                continue
            error, now = float(row[f"error {chip}"]), outcome["rel_l2_error"]
            if abs(now - error) > 0.25 * error:
                stale.append(f"{name}, {chip}: expected an error of {error} but got {now:.2e}")
    return stale


def page_lines():
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        name = re.match(r"\| \[(\w+)\]", line)
        if name:
            found[name.group(1)] = line
    return found


def main():
    parser = argparse.ArgumentParser(description="run the gallery of variants")
    parser.add_argument("tools", type=Path, help="the folder of goat-run and goatc")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--count", nargs="*", help="count SASS, of all or of these")
    parser.add_argument("--check", action="store_true", help="compare with the page")
    parser.add_argument("--only", nargs="*", help="names of variants")
    parser.add_argument("--chips", nargs="*", default=CHIPS, help="chips to run")
    arguments = parser.parse_args()
    tools = arguments.tools.resolve()
    names = arguments.only or sorted(path.stem for path in GALLERY.glob("*.mlir"))
    cases = [(name, chip) for name in names for chip in arguments.chips]
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(cases, pool.map(lambda case: run(tools, *case), cases)))
        counted = [case for case in cases if arguments.count is not None
                   and (not arguments.count or case[0] in arguments.count)]
        counts = dict(zip(counted, pool.map(lambda case: count(tools, *case), counted)))
    outcomes = {name: {chip: results[name, chip] for chip in arguments.chips} for name in names}
    failures = [f"{name}, {chip}: {outcome}" for name, by_chip in outcomes.items()
                for chip, outcome in by_chip.items() if not is_right(outcome)]
    if arguments.check:
        lines = page_lines()
        failures = check(lines, outcomes)
        if not arguments.only:
            failures += [f"{name}: is on the page but not in the gallery"
                         for name in lines.keys() - outcomes.keys()]
    if arguments.write and not failures:
        old = page_lines() if PAGE.exists() else {}
        rows = []
        for name in names:
            what, source, _ = first_lines(GALLERY / f"{name}.mlir")
            by_chip = outcomes[name]
            kept = cells_of(old[name]) if name in old else {}
            row = {"variant": f"[{name}](examples/gallery/{name}.mlir)",
                   "what": what.replace("|", "\\|"), "from": source, "how": kept.get("how", "–")}
            for chip in CHIPS:
                row[f"error {chip}"] = f"{by_chip[chip]['rel_l2_error']:.2e}"
                row[f"per score {chip}"] = kept.get(f"per score {chip}", "–")
                if (name, chip) in counts:
                    row[f"per score {chip}"], row["how"] = counts[name, chip]
            rows.append("| " + " | ".join(row[column] for column in COLUMNS) + " |")
        PAGE.write_text(HEADER + f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
                        + "\n".join(rows) + "\n", encoding="utf-8")
    for failure in failures:
        print(failure)
    print(f"{len(names)} variants on {' and '.join(arguments.chips)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
