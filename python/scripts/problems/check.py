# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one problem: compiled, on the simulator with all its checks, against the reference.

A process for each problem, so that a crash is one problem's; starting it takes 25 ms of the
third of a second that LLVM needs for a kernel.
"""

import json
import os
from pathlib import Path
import re
import signal
import subprocess
import tempfile
from typing import NamedTuple

from . import layer

TOP = Path(__file__).resolve().parents[3]
# Sections of docs/errors.md whose messages refuse a layer. What launchers and the reference
# refuse is a problem that should not have been made.
REFUSALS = ("The layer", "Compiling a layer")
SECONDS = 60  # of processor time


class Outcome(NamedTuple):
    kind: str  # right, refused, or what went wrong
    detail: str = ""

    @property
    def failed(self):
        return self.kind not in ("right", "refused")


def catalogue():
    """(number, regular expression) of all messages that may refuse a layer."""
    found, section = [], ""
    for line in (TOP / "docs" / "errors.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        row = re.match(r"\| (GOAT-E\d+) \| (.*) \| \S+ \|$", line)
        if row and section in REFUSALS:
            text = row.group(2).replace("; ", "…").replace("&lt;", "<").replace("\\", "")
            found.append((row.group(1), re.compile(".*".join(map(re.escape, text.split("…"))))))
    return found


CATALOGUE = catalogue()


def number_of(message):
    """The longest message of the catalogue that this one may be; None for no such."""
    fitting = [(len(pattern.pattern), number) for number, pattern in CATALOGUE
               if pattern.match(message)]
    return max(fitting)[1] if fitting else None


def plant(artifact, instruction):
    """Drops the first instruction that begins with some text; whether there was one."""
    path = artifact / "kernel.ptx"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for place, line in enumerate(lines):
        if line.strip().startswith(instruction):
            path.write_text("".join(lines[:place] + lines[place + 1:]), encoding="utf-8")
            return True
    return False


def run(tools, choices, planted=None, keep=None):
    """The outcome of one problem. planted: an instruction to leave out of the kernel; keep: a
    folder for the layer and its inputs."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        compiling, running = layer.write(choices, folder)
        command = ["layer.mlir", *compiling]
        if keep:
            (folder / "command").write_text(" ".join(
                ["goat-run", *command, "--compare", *running]) + "\n", encoding="utf-8")
        if planted:
            made = execute([tools / "goatc", *command, "--emit=artifact", "-o", "artifact"], folder)
            if made.returncode == 0 and plant(folder / "artifact", planted):
                command = ["artifact"]
        return judge(execute([tools / "goat-run", *command, "--compare", "--json", *running],
                             folder))


def execute(command, folder):
    """Runs a command; ptxas is not asked, as nothing here needs a cubin."""
    limited = ["sh", "-c", f'ulimit -t {SECONDS}; exec "$@"', "sh", *command]
    return subprocess.run(limited, cwd=folder, capture_output=True, text=True, errors="replace",
                          check=False, env={**os.environ, "GOAT_PTXAS": "none"})


def judge(done):
    """The outcome of a finished run of goat-run."""
    if done.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        return Outcome("timeout", f"more than {SECONDS} s of processor time")
    if done.returncode == 0:
        return Outcome("right")
    messages = [re.sub(r"^'[\w.]+' op ", "", line.split("error: ", 1)[1])
                for line in done.stderr.splitlines() if "error: " in line]
    if done.returncode == 2:
        said = json.loads(done.stdout)
        if said["findings"]:
            return Outcome("finding", re.sub(r"\d+", "N", said["findings"][0]))
        wrong = next(out for out in said["outputs"] if not out["passed"])
        # JSON has no infinities.
        error = wrong["worst_row_error"]
        return Outcome("wrong" if error is not None else "not finite",
                       f"{wrong['name']}{wrong['worst_row']} off by {error}, at most "
                       f"{wrong['worst_row_bound']:.3g}")
    if done.returncode == 1 and messages:
        number = number_of(messages[0])
        return Outcome("refused", number) if number else Outcome("unknown message", messages[0])
    last = [line for line in done.stderr.splitlines() if line.strip()]
    fault = next((line for line in last if "Assertion" in line or "LLVM ERROR" in line), "")
    return Outcome("crash", f"exit status {done.returncode}: {fault or ' '.join(last[:1])}")
