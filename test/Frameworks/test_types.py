# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The type hints of the package hold."""

import pathlib
import unittest

from mypy import api

PYTHON = pathlib.Path(__file__).parents[2] / "python"


class TypesTest(unittest.TestCase):
    def test_package(self):
        found, errors, status = api.run([
            "--config-file", str(PYTHON / "mypy.ini"), str(PYTHON / "goatc")])
        self.assertEqual(status, 0, found + errors)


if __name__ == "__main__":
    unittest.main()
