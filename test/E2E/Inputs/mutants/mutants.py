"""Plants small faults in compiled layers and says how each is caught.

A mutant is a layer of layers.mlir with one fault in its tile IR or in its PTX. Its PTX
takes the place of the right one in an artifact and runs in the simulator against the
reference of the untouched source. One that passes every run of its layer survives, and has to be
explained in docs/mutants.md, which lists them all.

usage: mutants.py write PAGE | check PAGE [few]

`write` chooses faults, those of the list first, plants each and writes the list into
PAGE; a survivor keeps its explanation as long as its place is there. `check` plants those of the list, or with `few`
some of each kind, and fails unless each fares as listed: survives or is caught. A kernel
that has changed may lack some places; `few` lets a quarter of them pass.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Container, Iterable, NamedTuple, Optional, Union

import ptx_faults
from layers import LAYERS, SOURCE, Inputs

# Processor time of one run, of which the right kernels take a tenth of a second.
SECONDS = 8
# How many faults of a kind are planted in a layer.
PER_KIND = {"PTX": 2, "tile": 1}
OTHER_NUMBERS = {
    ("PTX", "another register"): 4, ("PTX", "integer constant + 1"): 3,
    ("PTX", "round to zero"): 1, ("PTX", "compare with other signs"): 1,
    ("tile", "leave an operation out"): 3, ("tile", "another operation"): 2,
    ("tile", "integer constant + 1"): 2, ("tile", "next index"): 2,
    ("tile", "fixed condition"): 2, ("tile", "drop an effect"): 2}
# How many of a kind `few` plants.
FEW = 2
SURVIVED = "survived"


class Mutant(NamedTuple):
    layer: str
    level: str
    kind: str
    place: str


class Row(NamedTuple):
    mutant: Mutant
    verdict: str
    # Why it survived: the name of a reason of the page.
    reason: str


def run(*command: str, stdin: Optional[str] = None) -> str:
    # Nobody needs a cubin.
    return subprocess.run(command, input=stdin, check=True, text=True,
                          env={**os.environ, "GOAT_PTXAS": os.devnull},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


class Refused(Exception):
    """A fault that does not get as far as PTX."""


class Kernel:
    """A layer, compiled without a fault, and where faults can be planted."""

    def __init__(self, name: str, work: pathlib.Path):
        self.name, self.layer = name, LAYERS[name]
        self.folder = work / name
        self.folder.mkdir()
        compiler = ("goatc", str(SOURCE), f"--function={name}",
                    f"--target={self.layer.chip}", *shlex.split(self.layer.flags))
        run(*compiler, "--emit=artifact", "-o", str(self.folder))
        self.ptx = (self.folder / "kernel.ptx").read_text()
        self.ptx_sites = {(site.kind, site.place): site
                          for site in ptx_faults.sites(self.ptx)}
        self.tiles = run(*compiler, "--emit=tile")
        # By kind and place, the number by which the pass knows a site.
        listed = run("goat-test-opt", "--test-plant-fault", "-o", os.devnull,
                     stdin=self.tiles)
        self.tile_sites = {(kind, place): number for number, kind, place in (
            line.split("\t") for line in listed.splitlines())}

    def sites(self) -> list[Mutant]:
        return ([Mutant(self.name, "tile", *site) for site in self.tile_sites]
                + [Mutant(self.name, "PTX", *site) for site in self.ptx_sites])

    def site(self, mutant: Mutant) -> Union[str, ptx_faults.Site, None]:
        """Where the mutant's fault is, if there; the first place that reads so for one
        without a number."""
        sites = self.tile_sites if mutant.level == "tile" else self.ptx_sites
        if "#" in mutant.place:
            return sites.get((mutant.kind, mutant.place))
        return next((site for (kind, place), site in sites.items()
                     if (kind, place.split(" #")[0]) == (mutant.kind, mutant.place)), None)

    def plant(self, mutant: Mutant) -> str:
        """The mutant's PTX."""
        site = self.site(mutant)
        if mutant.level == "PTX":
            return ptx_faults.plant(self.ptx, site)
        try:
            nvvm = run("goat-test-opt", f"--test-plant-fault=site={site}",
                       "--goat-tile-to-nvvm", stdin=self.tiles)
            return run("goat-translate", "--nvvm-to-ptx", f"--target={self.layer.chip}",
                       stdin=nvvm)
        except subprocess.CalledProcessError as error:
            if error.returncode != 1:
                raise SystemExit(f"mutants.py: {error.cmd} ended with "
                                 f"{error.returncode}: {error.stderr}")
            raise Refused from error


class Judge:
    def __init__(self, work: pathlib.Path):
        self.work = work
        self.inputs = Inputs(work)

    def once(self, folder: pathlib.Path, flags: str) -> str:
        """How one run is caught, or that it is not."""
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        done = subprocess.run(
            ["goat-run", str(folder), "--on=sim", "--compare", "--json",
             *shlex.split(flags.format_map(self.inputs))],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=limit)
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return "endless"
        if done.returncode == 1:
            return "refused"
        if done.returncode not in (0, 2):
            raise SystemExit(f"mutants.py: goat-run ended with {done.returncode} on "
                             f"{folder}: {done.stderr}")
        if done.returncode == 0:
            return SURVIVED
        findings = json.loads(done.stdout)["findings"]
        return findings[0].split()[0].rstrip(":") if findings else "numbers"

    def verdict(self, kernel: Kernel, ptx: str) -> str:
        with tempfile.TemporaryDirectory(dir=self.work) as name:
            folder = pathlib.Path(name)
            (folder / "kernel.ptx").write_text(ptx)
            for file in ("kernel.json", "source.mlir"):
                shutil.copy(kernel.folder / file, folder)
            for flags in kernel.layer.runs:
                verdict = self.once(folder, flags)
                if verdict != SURVIVED:
                    return verdict
        return SURVIVED


def rank(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def choose(sites: Iterable[Mutant], listed: Container[Mutant]) -> list[Mutant]:
    """For each kind some faults, in instructions that read differently: those that are
    listed, so that most stay when a kernel changes; others are drawn from their names."""
    def order(site: Mutant) -> tuple[bool, bytes]:
        return site not in listed, rank("".join(site))
    kinds: dict[str, dict[str, list[Mutant]]] = collections.defaultdict(
        lambda: collections.defaultdict(list))
    for site in sites:
        kinds[f"{site.level} {site.kind}"][site.place.split(" #")[0]].append(site)
    chosen = []
    for alike in kinds.values():
        drawn = sorted((min(group, key=order) for group in alike.values()), key=order)
        level, kind = drawn[0].level, drawn[0].kind
        chosen += drawn[:OTHER_NUMBERS.get((level, kind), PER_KIND[level])]
    return chosen


ROW = re.compile(r"^\| \d+ \| (\w+) \| (\w+) \| ([^|]*) \| `([^`]*)` \| "
                 r"([\w -]*?)(?:, \[(\w[\w ]*)\]\(#[^)]*\))? \|$", re.MULTILINE)
BEGIN, END = "<!-- list -->\n", "<!-- end -->\n"


def read(page: str) -> list[Row]:
    return [Row(Mutant(*match.groups()[:4]), match[5], match[6] or "")
            for match in ROW.finditer(page)]


def listing(rows: list[Row]) -> str:
    levels = sorted({row.mutant.level for row in rows})
    lines = []
    for level in levels:
        counts: dict[str, collections.Counter[str]] = collections.defaultdict(
            collections.Counter)
        for row in rows:
            if row.mutant.level == level:
                how = row.verdict if row.verdict in (
                    "numbers", "refused", "endless", SURVIVED) else "finding"
                counts[row.mutant.kind][how] += 1
                counts["all"][how] += 1
        counts["all"] = counts.pop("all")
        hows = ("numbers", "finding", "refused", "endless", SURVIVED)
        lines += [f"| {level}: fault | mutants | wrong numbers | a finding | refused | "
                  "endless | survived |", "|---|---|---|---|---|---|---|"]
        lines += [f"| {kind} | {count.total()} | "
                  + " | ".join(str(count[how]) for how in hows) + " |"
                  for kind, count in counts.items()]
        lines.append("")
    lines += ["| no. | layer | level | fault | where | verdict |", "|---|---|---|---|---|---|"]
    for number, row in enumerate(rows, 1):
        reason = f", [{row.reason}](#{row.reason.replace(' ', '-')})" if row.reason else ""
        layer, level, kind, place = row.mutant
        lines.append(f"| {number} | {layer} | {level} | {kind} | `{place}` | "
                     f"{row.verdict}{reason} |")
    return "\n".join(lines) + "\n"


def judge_all(kernels: dict[str, Kernel], judge: Judge,
              mutants: list[Mutant]) -> list[Optional[str]]:
    """Verdicts; none for a mutant whose place is gone."""
    def one(mutant: Mutant) -> Optional[str]:
        kernel = kernels[mutant.layer]
        if kernel.site(mutant) is None:
            return None
        try:
            return judge.verdict(kernel, kernel.plant(mutant))
        except Refused:
            return "refused"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, mutants))


def compile_layers(names: Iterable[str], work: pathlib.Path,
                   judge: Judge) -> dict[str, Kernel]:
    def one(name: str) -> Kernel:
        kernel = Kernel(name, work)
        verdict = judge.verdict(kernel, kernel.ptx)
        if verdict != SURVIVED:
            raise SystemExit(f"mutants.py: expected layer '{name}' to be right without "
                             f"a fault but got: {verdict}")
        return kernel
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {kernel.name: kernel for kernel in pool.map(one, names)}


def write(path: pathlib.Path, work: pathlib.Path) -> int:
    page = path.read_text(encoding="utf-8")
    reasons = {row.mutant: row.reason for row in read(page)}
    judge = Judge(work)
    kernels = compile_layers(LAYERS, work, judge)
    mutants = [mutant for kernel in kernels.values()
               for mutant in choose(kernel.sites(), reasons)]
    verdicts = judge_all(kernels, judge, mutants)
    rows = [Row(mutant, verdict, reasons.get(mutant, "") if verdict == SURVIVED else "")
            for mutant, verdict in zip(mutants, verdicts)]
    before, rest = page.split(BEGIN)
    path.write_text(before + BEGIN + listing(rows) + END + rest.split(END)[1],
                    encoding="utf-8")
    wrong = explanations(page, rows)
    print(*wrong, sep="\n")
    print(f"{len(rows)} mutants, {sum(row.verdict == SURVIVED for row in rows)} survived, "
          f"{len(wrong)} wrong")
    return 1 if wrong else 0


def explanations(page: str, rows: list[Row]) -> list[str]:
    """What is wrong with the reasons on the page and their use."""
    defined = set(re.findall(r"^### (.+)$", page, re.MULTILINE))
    used = {row.reason for row in rows if row.reason}
    return ([f"survived, and nothing says why: {' | '.join(row.mutant)}"
             for row in rows if row.verdict == SURVIVED and not row.reason]
            + [f"the page has no reason '{name}'" for name in sorted(used - defined)]
            + [f"nothing survives by '{name}'" for name in sorted(defined - used)])


def check(path: pathlib.Path, work: pathlib.Path, is_few: bool) -> int:
    page = path.read_text(encoding="utf-8")
    rows = read(page)
    wrong = explanations(page, rows)
    if is_few:
        kinds: dict[str, list[Row]] = collections.defaultdict(list)
        for row in sorted(rows, key=lambda row: rank("".join(row.mutant))):
            kinds[row.mutant.level + row.mutant.kind].append(row)
        rows = [row for kind in kinds.values() for row in kind[:FEW]]
    judge = Judge(work)
    kernels = compile_layers(sorted({row.mutant.layer for row in rows}), work, judge)
    verdicts = judge_all(kernels, judge, [row.mutant for row in rows])
    gone = verdicts.count(None)
    for row, verdict in zip(rows, verdicts):
        if verdict is not None and (verdict == SURVIVED) != (row.verdict == SURVIVED):
            wrong.append(f"expected '{row.verdict}' but got '{verdict}': "
                         + " | ".join(row.mutant))
    if gone > (len(rows) // 4 if is_few else 0):
        wrong.append(f"{gone} of {len(rows)} places are gone from the kernels")
    if not rows:
        wrong.append("the page lists no mutants")
    print(*wrong, sep="\n")
    if wrong:
        print(f"{path} is stale; write it anew with "
              f"python3 {sys.argv[0]} write {path}, and explain what survives")
    print(f"{len(rows) - gone} mutants planted, {gone} places gone, {len(wrong)} wrong")
    return 1 if wrong else 0


def main() -> int:
    mode, page, few = (sys.argv[1:] + [""])[:3]
    with tempfile.TemporaryDirectory() as work:
        if mode == "write":
            return write(pathlib.Path(page), pathlib.Path(work))
        return check(pathlib.Path(page), pathlib.Path(work), few == "few")


if __name__ == "__main__":
    sys.exit(main())
