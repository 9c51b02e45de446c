# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies an artifact and spoils its PTX; fails when there is nothing to spoil. OLD
and TEXT are regular expressions.

    edit.py FROM TO drop TEXT           comments the first line with TEXT out
    edit.py FROM TO replace OLD NEW     puts NEW for every match of OLD
"""

from pathlib import Path
import re
import shutil
import sys

source, target, action, old, *rest = sys.argv[1:]
shutil.copytree(source, target)
path = Path(target) / "kernel.ptx"
text = path.read_text()
if not re.search(old, text):
    sys.exit(f"error: expected '{old}' in {path}")
if action == "drop":
    text = re.sub(f"(?m)^.*{old}", r"// \g<0>", text, count=1)
else:
    text = re.sub(old, rest[0], text)
path.write_text(text)
