# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/frameworks.md are what the other tests found.

They left their rows in the folder that GOATC_TABLES names. With
GOATC_WRITE_TABLES set, the tables are written. Differences vary with the
machine and are not compared.
"""

import os
import re
import unittest

import checking


def without_differences(rows):
    return [re.sub(r"\d(?:\.\d+)?e[-+]\d+", "", row) for row in rows]


class WrittenTest(unittest.TestCase):
    def test_tables(self):
        checking.load(os.environ["GOATC_TABLES"])
        self.assertTrue(checking.tables, "no other test was run")
        for table in checking.tables:
            if os.environ.get("GOATC_WRITE_TABLES"):
                checking.write(table)
            self.assertEqual(without_differences(checking.written(table)),
                             without_differences(checking.in_page(table)[0]))


if __name__ == "__main__":
    unittest.main()
