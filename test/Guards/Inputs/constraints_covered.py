"""Checks that the labels (C1), (C2), ... of each op's description and those of
its test err-<op>.mlir are the same.

Usage: constraints_covered.py PAGE TESTS, with PAGE the generated documentation
of a dialect and TESTS the folder of its tests.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import sys


def labels(text):
    """The numbers n of all labels (Cn) in a text."""
    return {int(number) for number in re.findall(r"\(C(\d+)\)", text)}


def main(page, tests):
    faults = []
    sections = re.split(r"^### `(\w+\.\w+)`", page.read_text(), flags=re.M)
    for op, text in zip(sections[1::2], sections[2::2]):
        name = "err-" + op.split(".")[1].replace("_", "-") + ".mlir"
        path = tests / name
        # What follows the last op is about attributes and types.
        stated = labels(re.split(r"^## ", text, flags=re.M)[0])
        tested = labels(path.read_text()) if path.exists() else set()
        for number in sorted(stated - tested):
            faults.append(f"{page.name}: {op} (C{number}) has no test in {name}")
        for number in sorted(tested - stated):
            faults.append(f"{name}: tests (C{number}), which {op} does not have")
    if not sections[1:]:
        faults.append(f"{page.name}: holds no op")
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
