# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of the instruction vectors, with a driver double and with ptxas."""

from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "Device"),
                str(ROOT / "test" / "Python")]

import vectors  # noqa: E402
from driver_double import DriverDouble  # noqa: E402


def double_unary(driver, launch):
    x, y, count = launch.arguments
    source = driver.view(x, np.float32, int(count))
    with np.errstate(over="ignore"):
        driver.view(y, np.float32, int(count))[:] = source * np.float32(2)


def copy_c_to_d(driver, launch):
    _, _, c, d = launch.arguments
    driver.view(d, np.uint32)[:] = driver.view(c, np.uint32)


class RecordTest(unittest.TestCase):
    def setUp(self):
        self.driver = DriverDouble({"unary": double_unary,
                                    "matrix": copy_c_to_d})
        self.arrays = vectors.record(self.driver, lambda line: None)

    def test_every_instruction_gives_its_arrays(self):
        expected = set(vectors.UNARY) | {
            f"{name}.{part}" for name in vectors.MATRIX for part in "abcd"}
        self.assertEqual(set(self.arrays), expected)

    def test_inputs_and_results_stand_side_by_side(self):
        x, y = self.arrays["ex2.approx.f32"].view(np.float32)
        finite = np.isfinite(x) & (np.abs(x) < 1e38)
        np.testing.assert_array_equal(y[finite], 2 * x[finite])

    def test_the_grid_covers_every_value(self):
        for launch in self.driver.launches:
            if launch.entry == "unary":
                self.assertGreaterEqual(launch.grid[0] * launch.block[0],
                                        int(launch.arguments[2]))

    def test_registers_have_the_shapes_of_m16n8k16(self):
        for name in vectors.MATRIX:
            shapes = [self.arrays[f"{name}.{part}"].shape[1:]
                      for part in "abcd"]
            self.assertEqual(shapes, [(32, 4), (32, 2), (32, 4), (32, 4)])

    def test_everything_is_given_back(self):
        self.assertEqual(self.driver.memory, {})
        self.assertEqual(self.driver.loaded, [])

    def test_the_instruction_is_in_the_module(self):
        texts = [image.decode() for image in self.driver.images]
        for instruction, text in zip(
                list(vectors.UNARY) + list(vectors.MATRIX.values()), texts):
            self.assertEqual(
                len(re.findall(re.escape(instruction) + r"\s", text)), 1)


class InputsTest(unittest.TestCase):
    def test_operands_are_finite(self):
        for kind, exponent in (("bf16", 0x7F80), ("f16", 0x7C00)):
            a, b, _ = vectors.matrix_inputs(kind)
            for bits in (a, b):
                halves = bits.view(np.uint16)
                self.assertTrue(np.all((halves & exponent) != exponent))


@unittest.skipUnless(shutil.which("ptxas"), "ptxas is not installed")
class AssembleTest(unittest.TestCase):
    def test_ptxas_accepts_every_kernel(self):
        texts = ([vectors.unary_ptx(i) for i in vectors.UNARY]
                 + [vectors.matrix_ptx(i) for i in vectors.MATRIX.values()])
        with tempfile.TemporaryDirectory() as folder:
            for text in texts:
                path = Path(folder) / "kernel.ptx"
                path.write_text(text)
                result = subprocess.run(
                    ["ptxas", "-arch=sm_80", str(path), "-o",
                     str(Path(folder) / "kernel.cubin")],
                    capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
