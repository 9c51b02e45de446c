# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tests error_catalogue.py takes for provoking a message."""

from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python" / "scripts"))
from error_catalogue import Message, find_test  # noqa: E402

YIELD = "expected the … region to end with goat.yield"
TAKE = "expected the … region to take … rows but got …"
SHORT = "expected … but got …"

# A message, what a test has, and whether that provokes the message.
CASES = (
    (YIELD, "expected the score region to end with goat.yield", True),
    (YIELD, "region to end with", True),
    (YIELD, "expected the key region to take 3 rows but got 4", False),
    (YIELD, "end with goat", False),
    (TAKE, "expected the key region to take 3 rows but got 4", True),
    (TAKE, "expected the key region", False),
    (SHORT, "expected f32 but got f16", True),
    (SHORT, "expected f32", False),
)

failures = [case for case in CASES if case[2] != (find_test(
    Message("", case[0], False, "Goat"), [YIELD, TAKE, SHORT],
    [("test/Goat/some.mlir", case[1])]) is not None)]
python_only = Message("", YIELD, False, "Python")
if find_test(python_only, [], [("test/Python/some.mlir", YIELD)]):
    failures.append("a message of Python's, provoked by another file")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
