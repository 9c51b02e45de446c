# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorials do what they say."""

import doctest
import pathlib
import unittest
import warnings

TUTORIALS = pathlib.Path(__file__).parents[2] / "docs" / "tutorials"


class TutorialsTest(unittest.TestCase):
    def test_all(self):
        pages = sorted(TUTORIALS.glob("*.md"))
        self.assertEqual(len(pages), 3)
        for page in pages:
            with self.subTest(page.name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = doctest.testfile(
                    str(page), module_relative=False, encoding="utf-8",
                    optionflags=doctest.ELLIPSIS |
                    doctest.NORMALIZE_WHITESPACE)
                self.assertGreater(found.attempted, 10)
                self.assertEqual(found.failed, 0)


if __name__ == "__main__":
    unittest.main()
