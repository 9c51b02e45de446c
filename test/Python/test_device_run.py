# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of test/Device/run.py, with a driver double."""

import contextlib
import io
import json
from pathlib import Path
import sys
import tempfile
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "Device"),
                str(ROOT / "test" / "Python")]

from driver_double import DriverDouble  # noqa: E402
from goatc.driver import DeviceError  # noqa: E402
import run  # noqa: E402
import sample_artifact  # noqa: E402


class CompareTest(unittest.TestCase):
    def compare(self, actual, expected, rows=np.inf, total=np.inf):
        actual, expected = np.float32(actual), np.float32(expected)
        rows = np.broadcast_to(np.float32(rows), expected.shape[:1])
        return run.compare(actual, expected, rows, total)

    def test_equal_arrays(self):
        self.assertEqual(self.compare([1, -np.inf], [1, -np.inf], 0, 0),
                         {"max_abs_error": 0.0, "rel_l2_error": 0.0,
                          "equal_share": 1.0, "passed": True})

    def test_figures(self):
        figures = self.compare([3.0, 4.5], [3.0, 4.0])
        self.assertEqual(figures["max_abs_error"], 0.5)
        self.assertAlmostEqual(figures["rel_l2_error"], 0.1)
        self.assertEqual(figures["equal_share"], 0.5)

    def test_a_reference_of_zeros_gives_the_absolute_distance(self):
        self.assertEqual(self.compare([0.25, 0], [0, 0])["rel_l2_error"], 0.25)

    def test_rows_and_the_whole_are_bounded(self):
        off = ([[3, 4], [5.75, 1]], [[0, 0], [5, 0]])  # by 5 and by 1.25
        for rows, total, passed in (([5, 1.25], 5.2, True),
                                    ([4.9, 9], 9, False),
                                    ([9, 1.2], 9, False), ([9, 9], 5.1, False)):
            with self.subTest(f"{rows} {total}"):
                self.assertIs(self.compare(*off, rows, total)["passed"], passed)

    def test_bounds_of_another_shape_are_an_error(self):
        with self.assertRaisesRegex(run.ArtifactError, "expected bounds"):
            run.compare(np.zeros((2, 3)), np.zeros((2, 3)), np.ones(3), 1)

    def test_nan_and_lost_infinities_are_errors(self):
        for actual, expected in (([np.nan], [0]), ([np.nan], [np.nan]),
                                 ([-1e30], [-np.inf]), ([np.inf], [-np.inf])):
            with self.subTest(f"{actual} {expected}"):
                figures = self.compare(actual, expected, 1e38, 1e38)
                self.assertEqual(figures["rel_l2_error"], np.inf)
                self.assertFalse(figures["passed"])

    def test_empty_arrays_agree(self):
        figures = self.compare(np.zeros((0, 4)), np.zeros((0, 4)), 0, 0)
        self.assertEqual(figures["rel_l2_error"], 0.0)
        self.assertTrue(figures["passed"])


class RunTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.case = sample_artifact.write(self.root / "shift-layer")
        x = np.random.default_rng(0).integers(-8, 8, (2, 5, 8))
        self.store("inputs", x=x, y=np.zeros((2, 5, 8)), shift=np.array(0.5))
        self.expected = x + 0.5
        self.store("reference", out=self.expected)
        self.store("sim", out=self.expected)
        # 4e-3 of the whole, and of the largest row four times as much.
        norm = np.linalg.norm(self.expected)
        np.save(self.store("bounds", out=np.full((2, 5), 16e-3 * norm))
                / "out.total.npy", np.float32(4e-3 * norm))

    def store(self, folder, **arrays):
        (self.case / folder).mkdir(exist_ok=True)
        for name, array in arrays.items():
            np.save(self.case / folder / f"{name}.npy",
                    array.astype(np.float32))
        return self.case / folder

    def main(self, *arguments, connect=None):
        connect = connect or (lambda: DriverDouble(sample_artifact.KERNELS))
        with contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()) as err:
            code = run.main([str(a) for a in arguments], connect)
        return code, out.getvalue(), err.getvalue()

    def test_a_right_case_passes(self):
        code, out, _ = self.main(self.case, "--json", self.root / "r.json")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"shift-layer +out +reference .* 100.00% ok")
        result = json.loads((self.root / "r.json").read_text())
        self.assertTrue(result["passed"])
        self.assertEqual(result["device"], "double")
        self.assertEqual([row["against"] for row in
                          result["cases"][0]["outputs"]], ["reference", "sim"])

    def test_a_case_of_two_launches_passes(self):
        sample_artifact.write(self.case, sample_artifact.two_launches())
        self.store("inputs", shift=np.array(0.25))
        self.assertEqual(self.main(self.case)[0], 0)

    def test_a_wrong_result_fails(self):
        self.store("reference", out=self.expected * 1.01)
        code, out, _ = self.main(self.case)
        self.assertEqual(code, 1)
        self.assertRegex(out, "reference .* WRONG")
        self.assertRegex(out, "sim .* ok")

    def test_a_disagreement_with_the_simulator_fails(self):
        self.store("sim", out=-self.expected)
        self.assertEqual(self.main(self.case)[0], 1)

    def test_the_simulators_answer_may_be_missing(self):
        (self.case / "sim" / "out.npy").unlink()
        (self.case / "sim").rmdir()
        self.assertEqual(self.main(self.case)[0], 0)

    def test_a_case_without_a_reference_fails_by_name(self):
        (self.case / "reference" / "out.npy").unlink()
        code, out, _ = self.main(self.case)
        self.assertEqual(code, 1)
        self.assertRegex(out, "expected the array .*out.npy")

    def test_a_case_without_bounds_fails_by_name(self):
        (self.case / "bounds" / "out.npy").unlink()
        code, out, _ = self.main(self.case)
        self.assertEqual(code, 1)
        self.assertRegex(out, "expected the array .*bounds.*out.npy")

    def test_one_wrong_row_fails(self):
        bounds = np.full((2, 5), 1.0)
        bounds[1, 3] = 0.01
        self.store("bounds", out=bounds)
        reference = self.expected.copy()
        reference[1, 3, 2] += 0.02
        self.store("reference", out=reference)
        self.assertEqual(self.main(self.case)[0], 1)

    def test_one_broken_case_does_not_hide_the_others(self):
        code, out, _ = self.main(self.root / "missing", self.case)
        self.assertEqual(code, 1)
        self.assertRegex(out, "missing +expected an artifact directory")
        self.assertRegex(out, "shift-layer .* ok")

    def test_without_a_device_it_says_so(self):
        def connect():
            raise DeviceError("no CUDA device found; run elsewhere")
        code, _, err = self.main(self.case, connect=connect)
        self.assertEqual(code, 2)
        self.assertIn("error: no CUDA device found", err)

    def test_nothing_to_do_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.main()

    def test_vectors_are_written_with_the_device_they_came_from(self):
        def kernel(driver, launch):
            pass
        connect = lambda: DriverDouble({"unary": kernel, "matrix": kernel})
        folder = self.root / "vectors"
        code, _, _ = self.main("--vectors", folder, connect=connect)
        self.assertEqual(code, 0)
        device = json.loads((folder / "device.json").read_text())
        self.assertEqual(device, {"device": "double", "capability": "9.0"})
        self.assertEqual(np.load(folder / "cos.approx.f32.npy").dtype,
                         np.uint32)


if __name__ == "__main__":
    unittest.main()
