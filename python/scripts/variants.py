#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/variants.md: the variants of attention in docs/examples/gallery.

    python3 python/scripts/variants.py build/ci/bin --write --count
    python3 python/scripts/variants.py build/ci/bin --check

Each file of the gallery says in its first lines what it is, where it comes from,
and the arguments of goat-run for a small problem. That is run, as the PTX of each
chip on the simulator against the reference in double precision, and the reference
against the formulas of gallery_formulas.py in NumPy, where there is NumPy. --count also
counts the instructions of the loops over tiles in SASS, of all or some variants, for
which it needs ptxas and nvdisasm (GOAT_NVDISASM); without it --write keeps what the
page says of them. --check runs everything again and compares with the page: every
result right, errors to a quarter, and that no file is missing; with --count also the
counts, which have to be the same by the tools the page names, and by others to 5 %.
--only takes some variants.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import json
from pathlib import Path
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

import kernel_table

try:
    import gallery_formulas
    import numpy
except ImportError:
    gallery_formulas = None

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

- *reference*: relative L2 error of the reference, which evaluates the file, against
  the variant's formula written once more in NumPy, in double precision, by
  [gallery_formulas.py](../python/scripts/gallery_formulas.py); files hold f32, which
  alone is 3e-8.
- *error*: relative L2 error of the result of the emitted PTX, run on the simulator,
  against the reference in double precision; bf16 rounding alone is 2e-3.
- *per score*: instructions for each score and thread in the loop over tiles, without
  the tensor instructions, counted in SASS; tiles that no mask touches, and after the
  stroke those that the mask is evaluated on. The plain kernel is the line `full`.
- *how*: which way each part of the score reaches the tile; – where there is none.

Counted with {tools}.

"""

COLUMNS = ("variant", "what", "from", "reference", "error sm_80", "error sm_90",
           "per score sm_80", "per score sm_90", "how")

# What the report calls the parts of a score, in short.
HOW = {"relative_terms": "strip", "grid_terms": "grid table", "key_terms": "key vector",
       "query_terms": "query vector", "other_terms": "element by element",
       "score": "function of the score"}
# How far the reference may be from the formulas: files hold f32.
REFERENCE_TOLERANCE = 1e-6


def first_lines(path):
    """The description, the source and the arguments that a file states."""
    lines = re.match(r"(// .*\n)+", path.read_text(encoding="utf-8")).group().splitlines()
    text = [line[3:] for line in lines]
    fields = {key: next(line for line in text if line.startswith(key)).split(": ", 1)[1]
              for key in ("From", "Run")}
    what = " ".join(line for line in text if not line.startswith(("From: ", "Run: ")))
    return what, fields["From"].rstrip("."), fields["Run"].split()


def reference_error(name, folder):
    """How far the reference is from the formula, of what a run wrote to a folder."""
    def load(path):
        return numpy.load(path).astype(float)
    arguments = {path.stem: numpy.load(path) for path in (folder / "inputs").glob("*.npy")}
    for expected, output in zip(gallery_formulas.evaluate(name, arguments), ("out", "lse")):
        if expected is None:
            continue
        got = load(folder / "reference" / f"{output}.npy")
        finite = numpy.isfinite(expected)
        if not numpy.array_equal(finite, numpy.isfinite(got)):
            return float("inf")
        error = (numpy.linalg.norm(got[finite] - expected[finite])
                 / numpy.linalg.norm(expected[finite]))
        if output == "out" or error > REFERENCE_TOLERANCE:
            result = error
    return float(result)


def run(tools, name, chip):
    """The JSON of goat-run, with the reference's error, or the message of what it
    refused."""
    path = GALLERY / f"{name}.mlir"
    arguments = first_lines(path)[2]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([tools / "goat-run", path.name, f"--target={chip}", "--compare",
                               "--json", f"--out={folder}", *arguments],
                              cwd=GALLERY, capture_output=True, text=True)
        try:
            outcome = json.loads(done.stdout)
        except json.JSONDecodeError:
            return done.stderr.split("error: ", 1)[-1].split("\n", 1)[0]
        if gallery_formulas:
            outcome["reference_error"] = reference_error(name, Path(folder))
        return outcome


class Count(NamedTuple):
    per_score: str
    how: str
    tools: str


def count(tools, name, chip):
    """Instructions per score, the choices of the kernel in short, and the tools."""
    kernel = kernel_table.report(tools / "goatc", GALLERY / f"{name}.mlir", f"--target={chip}")
    if isinstance(kernel, str):
        raise SystemExit(f"{name}, {chip}: {kernel}")
    loops = [f"{loop['per_score_without_tensor']:.2f}"
             for loop in kernel_table.tile_code(kernel)["loops"]]
    choices = kernel["choices"]
    how = [short for key, short in HOW.items()
           if key in choices or f"{key}_after" in choices]
    held = [choices[key].split()[0] + " " + what
            for key, what in (("held_over_distance", "strips"), ("held_over_keys", "key vectors"),
                              ("held_over_queries", "query vectors"),
                              ("held_over_differences", "tables of differences"))
            if key in choices]
    if held:
        how.append("with " + ", ".join(held) + " inside")
    return Count(" / ".join(loops), ", ".join(how) or "–", kernel["tools"])


def is_right(outcome):
    return (isinstance(outcome, dict) and not outcome["findings"]
            and outcome.get("reference_error", 0) <= REFERENCE_TOLERANCE
            and all(output["passed"] for output in outcome["outputs"]))


def is_near(before, now):
    """Whether counts of a line, by other tools, are to 5 % those of today."""
    numbers = [[float(number) for number in text.split(" / ")] for text in (before, now)]
    return (len(numbers[0]) == len(numbers[1])
            and all(abs(old - new) <= 0.05 * new for old, new in zip(*numbers)))


def check(rows, outcomes, counts, same_tools):
    """What the page says that today's runs and counts contradict."""
    stale = []
    for name, by_chip in outcomes.items():
        if name not in rows:
            stale.append(f"{name}: is not on the page")
            continue
        row = rows[name]
        for chip, outcome in by_chip.items():
            if not is_right(outcome):
                stale.append(f"{name}, {chip}: expected a right result but got {outcome}")
                continue
            before = row[f"per score {chip}"]
            if "–" in (before, row[f"error {chip}"]):
                stale.append(f"{name}, {chip}: the page lacks its error or its count")
                continue
            error, now = float(row[f"error {chip}"]), outcome["rel_l2_error"]
            if abs(now - error) > 0.25 * error:
                stale.append(f"{name}, {chip}: expected an error of {error} but got {now:.2e}")
            counted = counts.get((name, chip))
            if counted and before != counted.per_score and (
                    same_tools or not is_near(before, counted.per_score)):
                stale.append(f"{name}, {chip}: expected {before} per score but got "
                             f"{counted.per_score}; count again with --write --count {name}")
    return stale


def page_rows(page):
    """The cells of a page by variant and column, as its table names these."""
    rows, columns = {}, ()
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells[:1] == ["variant"]:
            columns = cells
        name = re.match(r"\| \[(\w+)\]", line)
        if name:
            rows[name.group(1)] = dict(zip(columns, cells))
    return rows


def page_tools(page):
    """What a page was counted with."""
    return re.search(r"^Counted with (.*)\.$", page, re.M)[1]


def main():
    parser = argparse.ArgumentParser(description="run the gallery of variants")
    parser.add_argument("tools", type=Path, help="the folder of goat-run and goatc")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--count", nargs="*", help="count SASS, of all or of these")
    parser.add_argument("--check", action="store_true", help="compare with the page")
    parser.add_argument("--only", nargs="*", help="names of variants")
    parser.add_argument("--chips", nargs="*", default=CHIPS, help="chips to run")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page "
                        "(default: docs/variants.md)")
    arguments = parser.parse_args()
    page = arguments.page.read_text(encoding="utf-8")
    rows = page_rows(page)
    tools = arguments.tools.resolve()
    names = arguments.only or sorted(path.stem for path in GALLERY.glob("*.mlir"))
    cases = [(name, chip) for name in names for chip in arguments.chips]
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(cases, pool.map(lambda case: run(tools, *case), cases)))
        counted = [case for case in cases if arguments.count is not None
                   and (not arguments.count or case[0] in arguments.count)]
        counts = dict(zip(counted, pool.map(lambda case: count(tools, *case), counted)))
    outcomes = {name: {chip: results[name, chip] for chip in arguments.chips} for name in names}
    counted_with = ", ".join({result.tools for result in counts.values()})
    failures = [f"{name}, {chip}: {outcome}" for name, by_chip in outcomes.items()
                for chip, outcome in by_chip.items() if not is_right(outcome)]
    if arguments.check:
        failures = check(rows, outcomes, counts, page_tools(page) == counted_with)
        if not arguments.only:
            failures += [f"{name}: is on the page but not in the gallery"
                         for name in rows.keys() - outcomes.keys()]
    if arguments.write and not failures:
        lines = []
        for name in sorted(rows.keys() | outcomes.keys()):
            path = GALLERY / f"{name}.mlir"
            if not path.exists():
                continue
            what, source, _ = first_lines(path)
            row = dict.fromkeys(COLUMNS, "–")
            row.update(rows.get(name, {}))
            row.update({"variant": f"[{name}](examples/gallery/{name}.mlir)",
                        "what": what.replace("|", "\\|"), "from": source})
            for chip, outcome in outcomes.get(name, {}).items():
                row[f"error {chip}"] = f"{outcome['rel_l2_error']:.2e}"
                if "reference_error" in outcome:
                    row["reference"] = f"{outcome['reference_error']:.0e}"
                if (name, chip) in counts:
                    row[f"per score {chip}"], row["how"], _ = counts[name, chip]
            lines.append("| " + " | ".join(row[column] for column in COLUMNS) + " |")
        header = HEADER.format(tools=counted_with or page_tools(page))
        arguments.page.write_text(
            header + f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
            + "\n".join(lines) + "\n", encoding="utf-8")
    for failure in failures:
        print(failure)
    print(f"{len(names)} variants on {' and '.join(arguments.chips)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
