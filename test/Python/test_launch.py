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
from goatc.launch import (Workspace, build_extent,  # noqa: E402
                          run_artifact)
from goatc.tensor_map import describe  # noqa: E402
import sample_artifact  # noqa: E402


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.text = sample_artifact.description()
        self.driver = DriverDouble(sample_artifact.KERNELS)
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)

    def run_sample(self, rows=5, batch=2, workspace=None, **replaced):
        x = np.arange(batch * rows * 8, dtype=np.float32)
        inputs = {"x": x.reshape(batch, rows, 8),
                  "y": np.zeros((batch, rows, 8), np.float32),
                  "shift": np.float32(0.5), **replaced}
        artifact = load_artifact(sample_artifact.write(
            Path(self.temporary.name) / "case", self.text))
        return inputs, run_artifact(self.driver, artifact, inputs, workspace)

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

    def test_a_grid_beyond_the_limits_is_refused(self):
        launch = self.text["variants"][1]["launches"][0]
        for axis, limit in enumerate((2 ** 31 - 1, 65535, 65535)):
            for extent in (limit + 1, -1):
                launch["grid"] = [1, 1, 1]
                launch["grid"][axis] = extent
                with self.subTest(f"{axis} {extent}"):
                    with self.assertRaisesRegex(
                            ArtifactError, f"0 to {limit} blocks on axis {axis}"
                            f" of the grid of 'shift_long' but got {extent}"):
                        self.run_sample()
            launch["grid"][axis] = limit
            self.run_sample()

    def test_a_grid_that_is_no_multiple_of_its_cluster_is_refused(self):
        self.text["variants"][1]["launches"][0]["cluster"] = [2, 1, 1]
        with self.assertRaisesRegex(
                ArtifactError, "a multiple of 2 blocks on axis 0 of the grid "
                "of 'shift_long', which runs in clusters, but got 3"):
            self.run_sample(rows=9)
        self.run_sample(rows=8)

    def test_what_no_tensor_map_can_describe_is_refused(self):
        entry = {"box": [16, 64], "swizzle": 128}
        good = describe(entry, "x", "bf16", (1, 64), (0, 1), 64)
        self.assertEqual(good, ("bf16", 64, (64, 1), (16,), (64, 16), 128))
        for message, strides, address in [
                ("a stride of 1 of the last axis of 'x', which has a tensor "
                 "map, but got 2", (128, 2), 0),
                ("the address of 'x', which has a tensor map, to be a multiple "
                 "of 16 but got 8", (64, 1), 8),
                ("the stride in bytes of 'x', which has a tensor map, to be a "
                 "multiple of 16 but got 132", (66, 1), 0)]:
            with self.subTest(message):
                with self.assertRaisesRegex(ArtifactError,
                                            f"expected {message}"):
                    describe(entry, "x", "bf16", (5, 64), strides, address)

    def test_an_extent_beyond_its_type_is_refused(self):
        parameter = {"kind": "dim", "index": 0, "axis": 1, "dtype": "i32"}
        largest = build_extent(parameter, [(1, 2 ** 31 - 1)])
        self.assertEqual(largest, 2 ** 31 - 1)
        with self.assertRaisesRegex(ArtifactError, "the extent of axis 1 of "
                                    "input 0 to fit i32 but got 2147"):
            build_extent(parameter, [(1, 2 ** 31)])

    def test_launches_follow_one_another_through_the_workspace(self):
        self.text = sample_artifact.two_launches()
        inputs, outputs = self.run_sample()
        np.testing.assert_array_equal(outputs["out"], inputs["x"] + 1)
        first, second = self.driver.launches
        self.assertEqual((first.entry, second.entry),
                         ("double_shift", "shift_by_workspace"))
        self.assertEqual(first.arguments[1], second.arguments[1])
        self.assertEqual(first.arguments[1] % 256, 0)
        self.assertEqual(self.driver.memory, {})

    def test_the_workspace_has_its_size_and_is_not_initialised(self):
        self.text = sample_artifact.two_launches()
        seen = []

        def look(driver, launch):
            start = int(launch.arguments[1]) - 512  # 2 bytes for 129 rows
            seen.append(driver.memory[start].copy())
        self.driver.kernels = {"double_shift": look,
                               "shift_by_workspace": lambda *_: None}
        self.run_sample(rows=129)
        np.testing.assert_array_equal(seen[0], np.full(516, 0xFF, np.uint8))

    def test_an_empty_launch_does_not_skip_the_next(self):
        self.text = sample_artifact.two_launches()
        self.text["variants"][0]["launches"][0]["grid"][0] = 0
        _, outputs = self.run_sample()
        self.assertEqual([l.entry for l in self.driver.launches],
                         ["shift_by_workspace"])
        self.assertTrue(np.isnan(outputs["out"]).all())

    def test_the_caller_may_bring_the_workspace(self):
        self.text = sample_artifact.two_launches()
        address = self.driver.allocate(260)
        inputs, outputs = self.run_sample(workspace=Workspace(address, 260))
        np.testing.assert_array_equal(outputs["out"], inputs["x"] + 1)
        self.assertEqual(self.driver.launches[0].arguments[1], address + 256)
        self.assertEqual(list(self.driver.memory), [address])

    def test_a_workspace_that_does_not_fit_is_refused(self):
        self.text = sample_artifact.two_launches()
        for workspace in (Workspace(512, 259), Workspace(513, 4096)):
            with self.subTest(str(workspace)):
                with self.assertRaisesRegex(
                        ArtifactError, "a workspace of 260 bytes at a "
                        f"multiple of 256 but got {workspace.num_bytes}"):
                    self.run_sample(workspace=workspace)
        self.assertEqual(self.driver.launches, [])

    def test_an_offset_past_the_workspace_is_refused(self):
        self.text = sample_artifact.two_launches()
        self.text["variants"][0]["workspace_bytes"] = 255
        with self.assertRaisesRegex(
                ArtifactError, "expected an address in the workspace of 255 "
                "bytes but got offset 256"):
            self.run_sample()

    def test_without_a_workspace_none_is_asked_for(self):
        sizes = []
        allocate = self.driver.allocate
        self.driver.allocate = lambda n: sizes.append(n) or allocate(n)
        self.run_sample()
        self.assertEqual(sizes, [160, 160, 160])  # x, y, out

    def test_a_missing_input_is_named(self):
        artifact = load_artifact(sample_artifact.write(
            Path(self.temporary.name) / "case"))
        with self.assertRaisesRegex(
                ArtifactError, "expected the inputs x, y, shift but got no y, "
                "shift"):
            run_artifact(self.driver, artifact, {"x": np.zeros((1, 1, 8))})

    def test_a_wrong_shape_reaches_no_device(self):
        with self.assertRaisesRegex(ArtifactError, r"'y' of shape \?x\?x8"):
            self.run_sample(y=np.zeros((2, 5, 4)))
        self.assertEqual(self.driver.next_address, 0x10000)


if __name__ == "__main__":
    unittest.main()
