"""Compares the ops of two loops of kernels on tiles.

Usage: loop_ops.py NAME NUMBER NAME NUMBER < MODULE, with NAME a gpu.func and NUMBER
that of a loop among those outside of any other. Writes how many ops the first has,
and for each op that the second has more or less often, by how many.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections
import re
import sys


def indentation(line):
    return len(line) - len(line.lstrip())


def count(text, name, number):
    """How often each op stands in a loop."""
    kernel = text[text.index(f"gpu.func @{name}(") :]
    kernel = kernel[: kernel.index("gpu.return")].splitlines()
    loops = [i for i, line in enumerate(kernel) if "scf.for" in line]
    outermost = min(indentation(kernel[i]) for i in loops)
    begin = [i for i in loops if indentation(kernel[i]) == outermost][int(number)]
    counts = collections.Counter()
    for line in kernel[begin + 1 :]:
        if indentation(line) == outermost:
            break
        op = re.match(r"\s*(?:%[\w#:, %]+ = )?([\w.]+)", line)
        if op:
            counts[op.group(1)] += 1
    return counts


def main(name, number, other, other_number):
    text = sys.stdin.read()
    first = count(text, name, number)
    second = count(text, other, other_number)
    print(f"{sum(first.values())} ops")
    for op in sorted(first | second):
        if first[op] != second[op]:
            print(f"{second[op] - first[op]:+} {op}")


if __name__ == "__main__":
    main(*sys.argv[1:])
