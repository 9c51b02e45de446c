# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy, goatc-library
# RUN: %python -B %s
"""What docs/python.md shows is what happens, and the example of README.md
runs."""

import contextlib
import doctest
import io
import os
from pathlib import Path
import re
import sys
import tempfile
import unittest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]


class TutorialTest(unittest.TestCase):
    def test_the_tutorial(self):
        failed, tried = doctest.testfile(
            str(ROOT / "docs" / "python.md"), module_relative=False,
            optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 20)

    def test_the_readme(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        example = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
        here, said = os.getcwd(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(said):
                    exec(example, {})
                self.assertTrue(Path("alibi", "kernel.json").exists())
            finally:
                os.chdir(here)
        self.assertIn("is_within=True", said.getvalue())


if __name__ == "__main__":
    unittest.main()
