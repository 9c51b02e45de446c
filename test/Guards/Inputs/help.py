"""Checks what a tool's --help says: it comes, with status 0 and a usage line,
and each option has a description. Of a tool around one of MLIR's mains, which
shows LLVM's options too, only the project's own options are looked at.

usage: help.py PROGRAM...

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import subprocess
import sys

OPTION = re.compile(r"^\s+(--?[\w-]+)(?:=<[^>]*>|\[=.*?\])?\s*(?:-\s*(.*))?$")
UPSTREAM_MAINS = ("-opt", "-translate", "-reduce", "-lsp-server")


def findings(program):
    name = os.path.basename(program)
    run = subprocess.run(
        [program, "--help"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if run.returncode != 0:
        return [f"{name} --help: expected exit status 0 but got {run.returncode}"]
    found = []
    if "usage" not in run.stdout.lower():
        found.append(f"{name} --help: expected a usage line but got none")
    for line in run.stdout.splitlines():
        option = OPTION.match(line)
        if not option or (
            name.endswith(UPSTREAM_MAINS) and "goat" not in option[1]
        ):
            continue
        if not option[2]:
            found.append(f"{name} --help: {option[1]} has no description")
    return found


def main():
    found = [line for program in sys.argv[1:] for line in findings(program)]
    print("\n".join(found + [f"{len(sys.argv) - 1} programs"]))
    return 0 if len(sys.argv) > 1 and not found else 1


if __name__ == "__main__":
    sys.exit(main())
