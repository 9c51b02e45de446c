# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of the launcher, with a driver double."""

from pathlib import Path
import sys
import tempfile
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "Python")]

from driver_double import DriverDouble  # noqa: E402
from goatc.artifact import ArtifactError, load_artifact  # noqa: E402
from goatc.launch import build_argument, run_artifact  # noqa: E402
import sample_artifact  # noqa: E402


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.text = sample_artifact.description()
        self.driver = DriverDouble(sample_artifact.KERNELS)
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)

    def run_sample(self, rows=5, batch=2, **replaced):
        x = np.arange(batch * rows * 8, dtype=np.float32)
        inputs = {"x": x.reshape(batch, rows, 8),
                  "y": np.zeros((batch, rows, 8), np.float32),
                  "shift": np.float32(0.5), **replaced}
        artifact = load_artifact(sample_artifact.write(
            Path(self.temporary.name) / "case", self.text))
        return inputs, run_artifact(self.driver, artifact, inputs)

    def test_the_result_is_the_kernels(self):
        inputs, outputs = self.run_sample()
        self.assertEqual(outputs["out"].dtype, np.float32)
        np.testing.assert_array_equal(outputs["out"], inputs["x"] + 0.5)

    def test_grid_block_and_shared_memory(self):
        self.run_sample(rows=9)
        (launch,) = self.driver.launches
        self.assertEqual(launch.entry, "shift_long")
        self.assertEqual(launch.grid, (3, 2, 1))
        self.assertEqual(launch.block, (32, 1, 1))
        self.assertEqual(launch.shared_bytes, 64)

    def test_arguments_have_the_widths_of_the_parameters(self):
        self.run_sample()
        kinds = [a.dtype for a in self.driver.launches[0].arguments]
        self.assertEqual(kinds, [np.uint64, np.float32, np.uint64, np.int32])

    def test_the_guards_choose(self):
        self.run_sample(rows=3)
        self.assertEqual(self.driver.launches[0].entry, "shift_short")

    def test_a_later_chip_gets_the_ptx(self):
        self.run_sample()
        self.assertIn(b"ptx", self.driver.images[0])

    def test_unwritten_results_are_nan(self):
        self.driver.kernels = {"shift_long": lambda driver, launch: None}
        _, outputs = self.run_sample()
        self.assertTrue(np.isnan(outputs["out"]).all())

    def test_an_empty_grid_is_not_launched(self):
        _, outputs = self.run_sample(batch=0)
        self.assertEqual(self.driver.launches, [])
        self.assertEqual(outputs["out"].shape, (0, 5, 8))

    def test_what_is_not_launched_keeps_its_initial_value(self):
        self.text["outputs"][0]["initialise"] = "-inf"
        self.text["outputs"][0]["shape"] = [2, 8]
        _, outputs = self.run_sample(batch=0)
        np.testing.assert_array_equal(outputs["out"],
                                      np.full((2, 8), -np.inf))

    def test_everything_is_given_back(self):
        self.run_sample()
        self.assertEqual(self.driver.memory, {})
        self.assertEqual(self.driver.loaded, [])

    def test_everything_is_given_back_after_a_failure_too(self):
        self.text["variants"] = self.text["variants"][:1]
        with self.assertRaises(ArtifactError):
            self.run_sample(rows=9)
        self.assertEqual(self.driver.memory, {})
        self.assertEqual(self.driver.loaded, [])

    def test_an_unknown_parameter_is_refused(self):
        launch = self.text["variants"][1]["launches"][0]
        launch["parameters"].append({"kind": "stream"})
        with self.assertRaisesRegex(ArtifactError, "but got 'stream'"):
            self.run_sample()

    def test_an_extent_beyond_its_type_is_refused(self):
        parameter = {"kind": "dim", "index": 0, "axis": 1, "dtype": "i32"}
        largest = build_argument(parameter, [(1, 2 ** 31 - 1)], {})
        self.assertEqual(largest, 2 ** 31 - 1)
        with self.assertRaisesRegex(ArtifactError, "to fit i32 but got 2147"):
            build_argument(parameter, [(1, 2 ** 31)], {})

    def test_a_missing_input_is_named(self):
        artifact = load_artifact(sample_artifact.write(
            Path(self.temporary.name) / "case"))
        with self.assertRaisesRegex(ArtifactError, "but got no y, shift"):
            run_artifact(self.driver, artifact, {"x": np.zeros((1, 1, 8))})

    def test_a_wrong_shape_reaches_no_device(self):
        with self.assertRaisesRegex(ArtifactError, r"'y' of shape \?x\?x8"):
            self.run_sample(y=np.zeros((2, 5, 4)))
        self.assertEqual(self.driver.next_address, 0x10000)


if __name__ == "__main__":
    unittest.main()
