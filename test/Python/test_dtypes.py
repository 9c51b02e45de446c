# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of the element types."""

from pathlib import Path
import sys
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from goatc.dtypes import decode, encode  # noqa: E402


class Bf16Test(unittest.TestCase):
    def test_rounding_is_to_nearest_even(self):
        x = np.array([1.0, 1.0 + 2.0 ** -8, 1.0 + 3 * 2.0 ** -8,
                      1.0 + 2.0 ** -8 + 2.0 ** -20, -3.14159])
        np.testing.assert_array_equal(
            decode(encode(x, "bf16"), "bf16"),
            np.float32([1.0, 1.0, 1.0 + 2.0 ** -6, 1.0 + 2.0 ** -7,
                        -3.140625]))

    def test_special_values(self):
        # The last NaN would become an infinity if it were rounded.
        x = np.array([0.0, np.inf, -np.inf, 3.4e38, np.nan,
                      np.uint32(0x7F800001).view(np.float32)], np.float32)
        np.testing.assert_array_equal(
            encode(x, "bf16"),
            [0x0000, 0x7F80, 0xFF80, 0x7F80, 0x7FC0, 0x7FC0])

    def test_all_bits_come_back(self):
        bits = np.arange(65536, dtype=np.uint16)
        numbers = bits[(bits & 0x7F80) != 0x7F80]
        np.testing.assert_array_equal(
            encode(decode(numbers, "bf16"), "bf16"), numbers)


class OtherTest(unittest.TestCase):
    def test_f16_is_widened(self):
        values = decode(encode(np.array([1.0009765, 7e4]), "f16"), "f16")
        self.assertEqual(values.dtype, np.float32)
        np.testing.assert_array_equal(values,
                                      np.float32([1.0009765625, np.inf]))

    def test_integers_stay(self):
        values = decode(encode(np.array([1.0, -2.0]), "i32"), "i32")
        self.assertEqual(values.dtype, np.int32)
        large = np.array([2**40, -1])
        np.testing.assert_array_equal(decode(encode(large, "i64"), "i64"), large)
        np.testing.assert_array_equal(encode(np.array([True, False]), "i1"),
                                      [True, False])
        self.assertEqual(encode(np.array([3]), "i8").itemsize, 1)


if __name__ == "__main__":
    unittest.main()
