# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python -B %s
"""Tests of the launch expressions."""

from pathlib import Path
import sys
import unittest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from goatc.expression import ExpressionError, evaluate  # noqa: E402

SIZES = {"B": 2, "Hq": 12, "Lq": 200, "Lk": 0}


class ExpressionTest(unittest.TestCase):
    def test_values(self):
        for text, value in [
                ("7", 7), ("Lq", 200), ("B * Hq", 24), ("B+Hq*Lq", 2402),
                ("(B + Hq) * 2", 28), ("Lq - B - Hq", 186), ("-B", -2),
                ("2 - -B", 4), ("ceildiv(Lq, 128)", 2), ("ceildiv(Lk, 64)", 0),
                ("ceildiv(Lq + 56, 128)", 2), ("min(Lq, Lk)", 0),
                ("max(1, min(Lq, 5))", 5)]:
            with self.subTest(text):
                self.assertEqual(evaluate(text, SIZES), value)

    def test_an_integer_stands_for_itself(self):
        self.assertEqual(evaluate(128, {}), 128)

    def test_refusals(self):
        for text, message in [
                ("", "expected a value but got its end"),
                ("Lq +", "expected a value but got its end"),
                ("Lq B", "expected an operator but got 'B'"),
                ("(Lq", r"expected '\)' but got its end"),
                ("ceildiv(Lq)", r"expected ',' but got '\)'"),
                ("ceildiv(Lq, Lk)", "expected a positive divisor but got 0"),
                ("Lv * 2", "one of the sizes B, Hq, Lk, Lq but got 'Lv'"),
                ("Lq / 2", "but got '/' in 'Lq / 2'"),
                ("Lq.real", r"but got '\.'"),
                ("* 2", r"expected a value but got '\*'")]:
            with self.subTest(text):
                with self.assertRaisesRegex(ExpressionError, message):
                    evaluate(text, SIZES)


if __name__ == "__main__":
    unittest.main()
