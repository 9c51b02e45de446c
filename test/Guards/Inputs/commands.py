"""Checks that a page for people tells the truth about the tree: each `make X`
is a target of the Makefile, each build/ci/bin/X is a tool that is built, each
relative link leads to a file, and a program that is quoted after a link to it is
what the file says.

usage: commands.py TOP TOOLS PAGE...     (TOOLS: names with spaces between)

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import sys


def main():
    top, tools, pages = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
    with open(os.path.join(top, "Makefile"), encoding="utf-8") as file:
        targets = re.findall(r"^([a-z][\w-]*):(?!=)", file.read(), re.MULTILINE)
    found = []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        name = os.path.basename(page)
        # A command is a line of its own or stands in backticks.
        for target in re.findall(r"(?:^ *|`)make ([a-z][\w-]*)", text, re.MULTILINE):
            if target not in targets:
                found.append(f"{name}: make {target} is not in the Makefile")
        for tool in re.findall(r"build/ci/bin/([\w-]+)", text):
            if tool not in tools:
                found.append(f"{name}: no tool is called {tool}")
        quotes = r"\]\(([^)]+\.mlir)\)((?:(?!\]\().)*?)```mlir\n(.*?)```"
        for file, _, quote in re.findall(quotes, text, re.DOTALL):
            with open(os.path.join(os.path.dirname(page), file), encoding="utf-8") as f:
                if "".join(quote.split()) not in "".join(f.read().split()):
                    found.append(f"{name}: quotes what {file} does not say")
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if not os.path.exists(os.path.join(os.path.dirname(page), link)):
                found.append(f"{name}: {link} does not exist")
    print("\n".join(found + [f"{len(pages)} pages"]))
    return 0 if targets and pages and not found else 1


if __name__ == "__main__":
    sys.exit(main())
