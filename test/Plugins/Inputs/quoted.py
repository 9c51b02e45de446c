"""Checks that the code a page shows is the code of the sources it speaks of.

    quoted.py PAGE SOURCE...

Every block of the page marked `c++` or `tablegen` must stand in one of the
sources, up to white space; a line of the block that is only `…` stands for
anything in between. Prints the blocks that do not and fails.
"""
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import sys


def squeeze(text):
    return re.sub(r"\s+", "", text)


def stands_in(block, source):
    at = 0
    for part in re.split(r"^\s*…\s*$", block, flags=re.MULTILINE):
        at = source.find(squeeze(part), at)
        if at < 0:
            return False
        at += len(squeeze(part))
    return True


def main(page, *sources):
    texts = [squeeze(open(path, encoding="utf-8").read()) for path in sources]
    text = open(page, encoding="utf-8").read()
    blocks = re.findall(r"^```(?:c\+\+|tablegen)\n(.*?)^```$", text, re.M | re.S)
    strays = [b for b in blocks if not any(stands_in(b, t) for t in texts)]
    for block in strays:
        print(f"{page}: expected this to be quoted from the sources:\n{block}")
    print(f"{len(blocks)} quotations, {len(strays)} stray")
    return 1 if strays or not blocks else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
