"""Checks that no link command of a build.ninja names a static LLVM or MLIR
library: beside the shared ones it would give two copies of MLIR's globals, and
the result crashes where nobody looks for the reason.

usage: link_line.py BUILD.NINJA

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import sys


def main():
    path = sys.argv[1]
    links = findings = 0
    target = ""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("build "):
                target = line[len("build ") :].split(":")[0]
                links += bool(re.search(r": C(XX)?_(EXECUTABLE|SHARED|MODULE)", line))
            elif not re.match(r"\s+(LINK_LIBRARIES|LINK_FLAGS)\s*=", line):
                continue
            for name in re.findall(r"\blib(?:MLIR|LLVM)[\w.+-]*\.a\b", line):
                print(f"{target}: links the static {name}; link MLIR and LLVM only")
                findings += 1
    print(f"{links} link commands")
    return 0 if links and not findings else 1


if __name__ == "__main__":
    sys.exit(main())
