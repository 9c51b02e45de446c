"""Checks the text of the source tree: files stay short enough to read at one
sitting, and none names a path of the machine it was written on.

usage: tree.py TOP

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import sys

# Folders whose files are read by people, and how long a file may be.
SHORT = ("include", "lib", "tools", "python")
MOST_LINES = 700
FOLDERS = SHORT + ("cmake", "docs", "test", ".ci")
MACHINE_PATH = re.compile(r"(?<![\w.$}%-])/(?:work|root|home|tmp)/[\w.]+")


def files(top):
    for name in sorted(os.listdir(top)):
        if os.path.isfile(os.path.join(top, name)) and name != ".git":
            yield name
    for folder in FOLDERS:
        for parent, folders, names in os.walk(os.path.join(top, folder)):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for name in sorted(names):
                yield os.path.relpath(os.path.join(parent, name), top)


def main():
    top = sys.argv[1]
    checked = findings = 0
    for name in files(top):
        try:
            with open(os.path.join(top, name), encoding="utf-8") as file:
                lines = file.read().splitlines()
        except UnicodeDecodeError:
            continue
        checked += 1
        if name.split(os.sep)[0] in SHORT and len(lines) >= MOST_LINES:
            print(f"{name}: expected fewer than {MOST_LINES} lines but got {len(lines)}")
            findings += 1
        for number, line in enumerate(lines, 1):
            for path in MACHINE_PATH.findall(line):
                print(f"{name}:{number}: names the machine path {path}")
                findings += 1
    print(f"{checked} text files")
    return 0 if checked and not findings else 1


if __name__ == "__main__":
    sys.exit(main())
