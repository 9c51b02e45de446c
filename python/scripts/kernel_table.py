#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/kernel-table.md: what the kernels' loops are made of.

    python3 python/scripts/kernel_table.py build/ci/bin/goatc --write
    python3 python/scripts/kernel_table.py build/ci/bin/goatc --check

Each configuration is compiled and its SASS counted by `goatc --emit=report`, as
is the PTX that Triton made for the same problem (test/E2E/Inputs/triton). Needs
ptxas and nvdisasm. --check compares with the committed page: line by line when
the tools have the versions the page names, otherwise instructions per score to
5 % and spills in the unmasked loop exactly. --spills holds the bounds on spills.
--only takes some head dimensions.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import json
from pathlib import Path
import re
import subprocess
import sys

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "docs" / "kernel-table.md"
TRITON = TOP / "test" / "E2E" / "Inputs" / "triton"
CHIPS = ("sm_80", "sm_90")
DIMS = (32, 64, 96, 128, 192, 256)
HEADS = 12
FOURIER_TERMS = 8

# Parts of a layer by the name of the kernel in the table.
KERNELS = {
    "plain": (),
    "plain, no LSE": ("no-lse",),
    "causal": ("causal",),
    "causal, table of distances": ("causal", "table"),
    "causal, Fourier": ("causal", "fourier"),
    "causal, Fourier, key": ("causal", "fourier", "key"),
    "causal, Fourier, key, XSA": ("causal", "fourier", "key", "xsa"),
}

# What a dtype of the table is in the layer, and the flags it is compiled with.
DTYPES = {"bf16": ("bf16", ()), "f16": ("f16", ()), "f32": ("f32", ()),
          "tf32": ("f32", ("--f32-product=tf32",))}

# Instructions per score of a kernel written by hand in CUDA C++, for sm_80 and
# sm_90, by D: its best for each case. Without an LSE it sums rows by mma.
BY_HAND = {
    "plain": {64: (7.73, 7.73), 128: (10.30, 9.64)},
    "plain, no LSE": {64: (6.77, 6.77), 128: (8.94, 8.70)},
    "causal": {64: (7.73, 7.73), 128: (10.30, 9.64)},
    "causal, table of distances": {64: (8.20, 8.23), 128: (10.59, 10.17)},
    "causal, Fourier, key, XSA": {64: (10.16, 10.28), 128: (12.09, 12.23)},
}

# At most so many for the plain kernel of 16 bits, by D, and what priors may add to what our plain
# kernel takes on the same chip: 0.6 a relative one, 0.9 both, whatever their source.
PLAIN_BOUNDS = {64: 8.0, 128: 10.4}
PRIOR_BOUNDS = {
    "plain": 0,
    "plain, no LSE": 0,
    "causal": 0,
    "causal, table of distances": 0.6,
    "causal, Fourier": 0.6,
    "causal, Fourier, key": 0.9,
    "causal, Fourier, key, XSA": 0.9,
}

MOST_MOVES = 0.3

KINDS = ("tensor", "ldmatrix", "cp.async", "mufu", "ffma", "fmul", "fadd", "fmnmx",
         "fsel", "cvt", "shuffle", "integer", "uniform", "mov", "lds/sts", "global",
         "local", "control", "other")

# Bytes that may be spilled, by the largest D they hold for: nothing in the
# unmasked loop, and elsewhere so much. With f32 a thread's part of the output and of
# the own values fill the registers at D = 128; ptxas reads them ahead and spills, once
# for a block.
SPILLS_ELSEWHERE = {64: 0, 128: 48}
F32_SPILLS_ELSEWHERE = {64: 8, 128: 160}

HEADER = """\
# Kernel table

Written by `python/scripts/kernel_table.py`; do not edit. Tools: {tools}.

Instructions for each score and thread in the loop over tiles that no mask touches,
without the tensor instructions, counted in SASS by `goatc --emit=report`
([report.md](report.md) says how). Counts, not times. Every kernel also writes the LSE.
Inputs are bf16 where a kernel names no other: f16, f32 multiplied exactly (2·D
multiply-adds per score are among the instructions), or tf32, which is f32 rounded for
the tensor instructions.
**Bold** misses its bound; [measurements.md](measurements.md) says why.

- *tile*: rows by keys, warps, stages.
- *by hand*: a kernel written in CUDA C++ for tiles of 128 rows by 64 keys, which
  rescales its output in every tile. Without an LSE it sums rows by mma; with a table,
  its strip is loaded in quads as the accumulator's start; with Fourier (8 terms), its
  strip is made in the kernel.
- *Triton*: `test/E2E/Inputs/triton`, 128 rows and 64 keys, 4 warps at D = 64 and 8 at
  D = 128. For sm_90 it multiplies by `wgmma`, whose operands need no ldmatrix and
  whose tensor instructions are few and large; ours are `mma.sync` on both.
- *bound*: the most it may cost: {plain_bounds} without priors; with
  a relative one 0.6 more than our plain kernel of the same D and chip, with a key prior
  as well 0.9.
- *blocks*: how many fit a multiprocessor at a time.
- *spills*: bytes of a thread, stores + loads, each instruction counted once: in the
  unmasked loop, in the masked loop, and outside of both. Bounds: none in the unmasked
  loop; elsewhere none up to D = 64 and 48 stored or loaded up to D = 128; 8 and 160 of
  f32, whose own values the exclusion reads ahead.
- *busiest pipe*: predicted from the counts and the chip's rates, with TFLOP/s in this
  loop if none of the pipes overlapped and if all did.

"""

COLUMNS = ("D", "kernel", "chip", "tile", "per score", "by hand", "Triton", "bound",
           "tensor", "registers", "blocks", "spills unmasked", "masked", "outside",
           "per score masked", "busiest pipe", "TFLOP/s")


def source(dim, dtype, parts, heads=HEADS):
    """A layer with `parts`, of dynamic batch and lengths."""
    tensor = f"tensor<?x{heads}x?x{dim}x{DTYPES[dtype][0]}>"
    terms = f"tensor<{heads}x{FOURIER_TERMS}xf32>"
    arguments = [f"%q: {tensor}", f"%k: {tensor}", f"%v: {tensor}"]
    score, sums = [], []
    if "table" in parts or "fourier" in parts:
        score.append("%d = goat.distance %b, %i, %j")
    if "table" in parts:
        arguments.append(f"%table: tensor<{heads}x?xf32>")
        score.append(f"%rel = tensor.extract %table[%h, %d] : tensor<{heads}x?xf32>")
        sums.append("%rel")
    if "fourier" in parts:
        omega = f"tensor<{FOURIER_TERMS}xf32>"
        arguments += [f"%alpha: {terms}", f"%beta: {terms}", f"%omega: {omega}"]
        score.append("%rel = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) "
                     f"distance %d : {terms}, {terms}, {omega}")
        sums.append("%rel")
    if "key" in parts:
        arguments.append(f"%u: tensor<{heads}x?xf32>")
        score.append(f"%key = goat.key_prior %u at (%b, %h, %j) : tensor<{heads}x?xf32>")
        sums.append("%key")
    regions = ""
    if score:
        prior = sums[0]
        if len(sums) == 2:
            score.append(f"%prior = arith.addf {sums[0]}, {sums[1]} : f32")
            prior = "%prior"
        score += [f"%t = arith.addf %s, {prior} : f32", "goat.yield %t : f32"]
        regions += (" score {\n^bb0(%s: f32, %b: index, %h: index, %i: index, "
                    "%j: index):\n" + "\n".join(score) + "\n}")
    if "causal" in parts:
        regions += (" mask {\n^bb0(%b: index, %h: index, %i: index, %j: index):\n"
                    "%m = goat.causal_mask %b, %i, %j\ngoat.yield %m : i1\n}")
    if "xsa" in parts:
        row = f"tensor<{dim}xf32>"
        regions += (f" exclude {{\n^bb0(%y: {row}, %own: {row}, %b: index, %h: index, "
                    f"%i: index):\n%z = goat.xsa %y, %own : {row}\n"
                    f"goat.yield %z : {row}\n}}")
    results, names = f"({tensor}, tensor<?x{heads}x?xf32>)", "%out, %lse"
    if "no-lse" in parts:
        results, names = f"({tensor})", "%out"
    return (f"func.func @layer({', '.join(arguments)}) -> {results} {{\n"
            f"{names} = goat.attention %q, %k, %v{regions}\n"
            f": ({tensor}, {tensor}, {tensor}) -> {results}\n"
            f"return {names} : {results[1:-1]}\n}}\n")


def tile_code(kernel):
    """The code of the entry with the loops over tiles, the cheapest one first."""
    for code in kernel["code"]:
        if code["loops"]:
            return code
    raise SystemExit(f"expected a loop over tiles in '{kernel['kernel']}' but found none")


def report(goatc, *arguments, text=None):
    """The JSON report of one kernel, or the first line of the refusal."""
    done = subprocess.run([goatc, *arguments, "--emit=report", "--report-format=json"],
                          input=text, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.split("error: ", 1)[-1].split("\n", 1)[0]
    kernel, = json.loads(done.stdout)["kernels"]
    if kernel["code"][0]["language"] != "SASS":
        raise SystemExit("expected ptxas and nvdisasm to count with: "
                         + "; ".join(kernel["notes"]))
    return kernel


def configurations(dims):
    for dim in dims:
        for name, parts in KERNELS.items():
            for chip in CHIPS:
                yield dim, "bf16", name, parts, chip
        # What a dtype changes shows on two kernels.
        if dim in (64, 128):
            for dtype in ("f16", "f32", "tf32"):
                for name in ("plain", "causal, Fourier, key, XSA"):
                    for chip in CHIPS:
                        yield dim, dtype, name, KERNELS[name], chip


def triton_count(goatc, dim, name, chip):
    path = TRITON / f"d{dim}-{name}-{chip}.ptx"
    if not path.exists():
        return None
    threads = {64: 128, 128: 256}[dim]
    kernel = report(goatc, str(path), f"--scores-per-thread={128 * 64 // threads}")
    return tile_code(kernel)["loops"][0]


def bytes_text(local):
    return f"{local['stores']} + {local['loads']}"


def bold(text, is_missed):
    return f"**{text}**" if is_missed else text


def per_score(kernel):
    """Instructions per score in the unmasked loop, without the tensor ones."""
    return tile_code(kernel)["loops"][0]["per_score_without_tensor"]


def summarise(config, kernel, triton, plain):
    """A line of the first table, the lines by kind, and its findings about spills.

    `plain` is the count of the plain kernel of the same D and chip.
    """
    dim, dtype, name, _, chip = config
    kernel_name = name + ("" if dtype == "bf16" else ", " + dtype)
    label = f"| {dim} | {kernel_name} | {chip} |"
    code = tile_code(kernel)
    loop, *others = code["loops"]
    by_kind_count = loop["per_score"]
    count = loop["per_score_without_tensor"]
    rows, keys, warps, stages = map(int, re.findall(r"= (\d+)",
                                                    kernel["choices"]["schedule"]))
    is_half = DTYPES[dtype][0] != "f32"
    hand = BY_HAND.get(name, {}).get(dim) if is_half else None
    bound = PLAIN_BOUNDS.get(dim) if is_half else None
    if bound and PRIOR_BOUNDS[name]:
        bound = min(bound, plain) + PRIOR_BOUNDS[name]
    predicted = loop["predicted"]
    launch, = (launch for launch in kernel["launches"] if launch["entry"] == code["entry"])
    masked = others[0] if others else None

    elsewhere = [code["local_bytes_outside"]] + [o["local_bytes"] for o in others]
    spilled = max(sum(place[way] for place in elsewhere) for way in ("stores", "loads"))
    spills_elsewhere = SPILLS_ELSEWHERE if is_half else F32_SPILLS_ELSEWHERE
    most = min((most for up_to, most in spills_elsewhere.items() if dim <= up_to),
               default=None)
    inside = loop["local_bytes"]
    is_inside = any(inside.values())
    is_elsewhere = most is not None and spilled > most
    findings = []
    where = f"D = {dim}, {kernel_name}, {chip}"
    if is_inside:
        findings.append(f"{where}: expected no spills in the unmasked loop but got "
                        f"{bytes_text(inside)} bytes")
    if is_elsewhere:
        findings.append(f"{where}: expected at most {most} bytes spilled outside the "
                        f"unmasked loop but got {spilled}")

    cells = [
        f"{rows}×{keys}, {warps}, {stages}",
        bold(f"{count:.2f}", bound and count > bound + 0.005),
        f"{hand[CHIPS.index(chip)]:.2f}" if hand else "–",
        f"{triton['per_score_without_tensor']:.2f}" if triton else "–",
        f"{bound:.2f}" if bound else "–",
        f"{by_kind_count['tensor']:.2f}",
        str(launch["resources"]["registers"]),
        str(launch["resident"]["blocks"]),
        bold(bytes_text(inside), is_inside),
        bold(bytes_text(masked["local_bytes"]), is_elsewhere) if masked else "–",
        bold(bytes_text(code["local_bytes_outside"]), is_elsewhere),
        f"{masked['per_score_without_tensor']:.2f}" if masked else "–",
        predicted["limiting_pipe"],
        f"{predicted['tflops_serial']:.0f}–{predicted['tflops_overlapped']:.0f}",
    ]
    by_kind = [f"{label} " + " | ".join(
        bold(f"{by_kind_count[kind]:.2f}",
             kind == "mov" and by_kind_count[kind] > MOST_MOVES)
        for kind in KINDS) + " |"]
    if triton:
        by_kind.append(f"| {dim} | Triton, {name} | {chip} | " + " | ".join(
            f"{triton['per_score'][kind]:.2f}" for kind in KINDS) + " |")
    return f"{label} {' | '.join(cells)} |", by_kind, findings


def count_all(goatc, dims):
    """Returns (tools, lines of the first table, lines by kind, spills over)."""
    cases = list(configurations(dims))
    with ThreadPoolExecutor(2) as pool:
        ours = list(pool.map(
            lambda c: report(goatc, "-", f"--target={c[4]}", *DTYPES[c[1]][1],
                             text=source(c[0], c[1], c[3])), cases))
        theirs = list(pool.map(
            lambda c: triton_count(goatc, c[0], c[2], c[4])
            if c[1] == "bf16" else None, cases))
    version = subprocess.run([goatc, "--version"], capture_output=True, text=True)
    tools = re.search(r"LLVM [\d.]+|$", version.stdout).group()
    summary, by_kind, findings, refused = [], [], [], []
    plain = {(c[0], c[4]): per_score(kernel) for c, kernel in zip(cases, ours)
             if c[1:3] == ("bf16", "plain") and not isinstance(kernel, str)}
    for config, kernel, triton in zip(cases, ours, theirs):
        if isinstance(kernel, str):
            if config[0] not in refused:
                summary.append(f"| {config[0]} | refused: {kernel} |"
                               + " |" * (len(COLUMNS) - 2))
            refused.append(config[0])
            continue
        if "ptxas" not in tools:
            tools += ", " + kernel["tools"]
        line, lines, found = summarise(config, kernel, triton,
                                         plain[config[0], config[4]])
        summary.append(line)
        findings += found
        if config[1] == "bf16":
            by_kind += lines
    return tools, summary, by_kind, findings


def page(tools, summary, by_kind):
    def head(columns):
        return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"

    bounds = " and ".join(f"{most} at D = {dim}" for dim, most in PLAIN_BOUNDS.items())
    return (HEADER.format(tools=tools, plain_bounds=bounds) + head(COLUMNS)
            + "\n".join(summary)
            + "\n\n## By kind\n\nThe same loop, tensor instructions included. Bound: "
            f"{MOST_MOVES} mov.\n\n" + head(COLUMNS[:3] + KINDS)
            + "\n".join(by_kind) + "\n")


def key(line):
    return tuple(line.split("|")[1:4])


def check(page_file, tools, lines):
    """The lines of the page that today's counts contradict."""
    text = page_file.read_text(encoding="utf-8")
    same_tools = f"Tools: {tools}." in text
    # The first table has each key first.
    committed = {}
    for line in text.splitlines():
        if line.startswith("|"):
            committed.setdefault(key(line), line)
    stale = []
    for line in lines:
        old = committed.get(key(line), "")
        if old == line:
            continue
        cells = [dict(zip(COLUMNS, (cell.strip(" *") for cell in text.split("|")[1:-1])))
                 for text in (old, line)]
        try:
            before, now = (float(row["per score"]) for row in cells)
            spills = [row["spills unmasked"] for row in cells]
            near = abs(before - now) <= 0.05 * now and spills[0] == spills[1]
        except (KeyError, ValueError):
            near = False
        if same_tools or not near:
            stale.append(f"expected {line}\n but got {old or 'no such line'}")
    return stale


def main():
    parser = argparse.ArgumentParser(description="count the kernels' loops")
    parser.add_argument("goatc")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--check", action="store_true", help="compare with the page")
    parser.add_argument("--spills", action="store_true",
                        help="fail when there are more spills than may be")
    parser.add_argument("--only", type=int, nargs="*", default=DIMS,
                        help="head dimensions")
    parser.add_argument("--page", type=Path, default=PAGE,
                        help="the page (default: docs/kernel-table.md)")
    arguments = parser.parse_args()
    tools, summary, by_kind, findings = count_all(arguments.goatc, arguments.only)
    failures = list(findings) if arguments.spills else []
    if arguments.check:
        stale = check(arguments.page, tools, summary)
        failures += stale
        if stale:
            failures.append(
                f"{arguments.page.name} is stale; write it anew with python3 "
                "python/scripts/kernel_table.py build/ci/bin/goatc --write")
    text = page(tools, summary, by_kind)
    if arguments.write:
        arguments.page.write_text(text, encoding="utf-8")
    elif not arguments.check and not arguments.spills:
        sys.stdout.write(text)
    for failure in failures:
        print(failure)
    print(f"{len(summary)} kernels")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
