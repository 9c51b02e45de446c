# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of the artifact reader and its expressions."""

from pathlib import Path
import sys
import tempfile
import unittest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "Python")]

from goatc.artifact import (Artifact, ArtifactError, evaluate,  # noqa: E402
                            load_artifact, show_shape)
import sample_artifact  # noqa: E402

SHAPES = [(2, 12, 200, 64), (2, 4, 0, 64)]
LQ = {"dim": [0, 2]}
LK = {"dim": [1, 2]}


def op(name, *args):
    return {"op": name, "args": list(args)}


class ExpressionTest(unittest.TestCase):
    def test_values(self):
        for expression, value in [
                (7, 7), (LQ, 200), (op("+", LQ, 1, 2), 203),
                (op("-", 1, LQ), -199), (op("*", LQ, 12, 2), 4800),
                (op("ceildiv", LQ, 128), 2), (op("ceildiv", LK, 64), 0),
                (op("ceildiv", 128, 128), 1), (op("floordiv", LQ, 128), 1),
                (op("floordiv", -1, 4), -1), (op("mod", LQ, 128), 72),
                (op("mod", -1, 4), 3), (op("min", LQ, LK), 0),
                (op("max", 1, op("min", LQ, 5)), 5)]:
            with self.subTest(str(expression)):
                self.assertEqual(evaluate(expression, SHAPES), value)

    def test_refusals(self):
        for expression, message in [
                ("Lq", 'expected an expression but got "Lq"'),
                (True, "expected an expression but got true"),
                (1.5, "expected an expression but got 1.5"),
                ({"dim": [2, 0]}, r"of an input but got \[2, 0\]"),
                ({"dim": [0, 4]}, r"of an input but got \[0, 4\]"),
                ({"dim": [0, -1]}, r"of an input but got \[0, -1\]"),
                ({"dim": 0}, r"\[input, axis\] of an input but got 0"),
                (op("/", 1, 2), r"one of \+ .* but got '/'"),
                (op("ceildiv", LQ), "two operands of 'ceildiv' but got 1"),
                (op("-", 1, 2, 3), "two operands of '-' but got 3"),
                (op("max"), "operands of 'max' but got 0"),
                (op("mod", LQ, LK), "a positive divisor but got 0"),
                ({"op": "+", "args": [1], "x": 1}, "expected an expression")]:
            with self.subTest(str(expression)):
                with self.assertRaisesRegex(ArtifactError, message):
                    evaluate(expression, SHAPES)


class ReaderTest(unittest.TestCase):
    def read(self, change=lambda text: None):
        text = sample_artifact.description()
        change(text)
        return Artifact(Path("case"), text)

    def refuse(self, message, change):
        with self.assertRaisesRegex(ArtifactError, message):
            self.read(change)

    def test_what_is_written_is_read(self):
        artifact = self.read()
        self.assertEqual([i.name for i in artifact.inputs],
                         ["x", "y", "shift"])
        self.assertEqual([v.name for v in artifact.variants],
                         ["short", "contiguous"])
        self.assertIsNone(artifact.outputs[0].initialise)

    def test_infinities_are_written_as_strings(self):
        def change(text):
            text["outputs"][0]["initialise"] = "-inf"
        self.assertEqual(self.read(change).outputs[0].initialise,
                         float("-inf"))

    def test_another_schema_is_refused(self):
        self.refuse("expected schema 'goat-kernel/1' but got 'goat-kernel/2'; use "
                    "the launcher that came with the compiler",
                    lambda text: text.update(schema="goat-kernel/2"))

    def test_a_missing_key_is_named(self):
        self.refuse("expected the key 'requires' in kernel.json",
                    lambda text: text.pop("requires"))

    def test_an_unknown_dtype_is_refused(self):
        self.refuse("expected the dtype of 'x' to be one of bf16.* but got 'fp8'",
                    lambda text: text["inputs"][0].update(dtype="fp8"))

    def test_an_unknown_target_is_refused(self):
        self.refuse("a target such as 'sm_90' but got 'gfx942'",
                    lambda text: text.update(target="gfx942"))

    def test_tensor_maps_name_what_is_there(self):
        good = {"tensor": {"input": 0}, "box": [1, 16, 8], "swizzle": 0}
        self.read(lambda text: text["variants"][0]["launches"][0].update(
            tensor_maps=[good]))
        for changed, message in [
                ({"tensor": {"input": 3}},
                 "expected a tensor map of 'shift_short' to name one of 3 "
                 "inputs but got 3"),
                ({"tensor": {"output": -1}}, "1 outputs but got -1"),
                ({"box": [16, 8]}, "expected the box of a tensor map of 'shift_short' "
                 "to have an extent for each axis of a tensor of 1 to 5 axes "
                 "but got 2 for 3"),
                ({"tensor": {"input": 2}, "box": []}, "but got 0 for 0"),
                ({"swizzle": 48},
                 "expected a swizzle of 0, 32, 64, 128 bytes but got 48")]:
            with self.subTest(str(changed)):
                self.refuse(message, lambda text: text["variants"][0][
                    "launches"][0].update(tensor_maps=[{**good, **changed}]))

    def test_tensor_maps_may_be_left_out(self):
        self.read(lambda text: text["variants"][0]["launches"][0].pop(
            "tensor_maps"))

    def test_parameters_name_what_is_there(self):
        for parameter, message in [
                ({"kind": "stream"},
                 "'shift_short' to be input, dim, output, input_stride, "
                 "output_stride, tensor_map or workspace but got 'stream'"),
                ({"kind": "tensor_map", "index": 0},
                 "one of 0 tensor maps but got 0"),
                ({"kind": "input", "index": 3},
                 "expected 'shift_short' to name one of 3 inputs but got 3"),
                ({"kind": "input", "index": -1}, "3 inputs but got -1"),
                ({"kind": "output", "index": 1}, "one of 1 outputs but got 1"),
                ({"kind": "dim", "index": 0, "axis": 3},
                 "expected 'shift_short' to name one of 3 axes of 'x' but got 3"),
                ({"kind": "workspace"}, "expected the key 'offset'")]:
            with self.subTest(str(parameter)):
                self.refuse(message, lambda text: text["variants"][0][
                    "launches"][0]["parameters"].append(parameter))

    def test_a_folder_without_kernel_json_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(ArtifactError, "No such file"):
                load_artifact(Path(folder))

    def test_broken_json_is_refused_with_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "kernel.json").write_text("{\n,")
            with self.assertRaisesRegex(ArtifactError, "line 2 column 1"):
                load_artifact(Path(folder))


class ShapeTest(unittest.TestCase):
    def setUp(self):
        self.artifact = Artifact(Path("case"), sample_artifact.description())

    def test_fitting_shapes_pass(self):
        self.artifact.check_shapes([(2, 5, 8), (2, 7, 8), ()])

    def test_a_fixed_extent_is_checked(self):
        with self.assertRaisesRegex(
                ArtifactError, r"expected 'x' of shape \?x\?x8 but got 2x5x9"):
            self.artifact.check_shapes([(2, 5, 9), (2, 5, 8), ()])

    def test_a_scalar_stays_a_scalar(self):
        with self.assertRaisesRegex(
                ArtifactError, "'shift' of shape scalar but got 1"):
            self.artifact.check_shapes([(2, 5, 8), (2, 5, 8), (1,)])

    def test_requirements_are_told_in_words(self):
        with self.assertRaisesRegex(
                ArtifactError, "x and y have one batch size but got 2 and 3"):
            self.artifact.check_shapes([(2, 5, 8), (3, 5, 8), ()])

    def test_output_shapes(self):
        self.assertEqual(self.artifact.output_shapes([(2, 5, 8)]),
                         [(2, 5, 8)])

    def test_the_workspace_is_enough_for_every_variant(self):
        text = sample_artifact.two_launches()
        text["variants"].append({**text["variants"][0],
                                 "workspace_bytes": {"op": "-", "args": [
                                     {"dim": [0, 0]}, 1]}})
        artifact = Artifact(Path("case"), text)
        self.assertEqual(artifact.workspace_bytes([(2, 5, 8)]), 260)
        self.assertEqual(artifact.workspace_bytes([(999, 5, 8)]), 998)
        with self.assertRaisesRegex(ArtifactError, "at least 0 .* 'two' but "
                                    "got -1"):
            artifact.workspace_bytes([(0, 5, 8)])

    def test_shapes_are_shown_with_their_free_extents(self):
        self.assertEqual(show_shape((2, None, 64)), "2x?x64")


class ChoiceTest(unittest.TestCase):
    def setUp(self):
        self.text = sample_artifact.description()

    def variant(self, rows, address):
        artifact = Artifact(Path("case"), self.text)
        return artifact.choose_variant([(1, rows, 8), (1, rows, 8), ()],
                                       {"input": [address, address, 0],
                                        "output": [512]}).name

    def test_the_first_variant_that_fits_is_taken(self):
        self.assertEqual(self.variant(3, 256), "short")
        self.assertEqual(self.variant(4, 256), "contiguous")

    def test_alignment_is_a_guard(self):
        with self.assertRaisesRegex(ArtifactError,
                                    "short, contiguous takes but got 1x4x8"):
            self.variant(4, 264)

    def test_results_have_alignments_too(self):
        guard = self.text["variants"][1]["guards"][0]
        guard.update(aligned={"output": 0}, bytes=512)
        self.assertEqual(self.variant(4, 264), "contiguous")
        guard.update(bytes=1024)
        with self.assertRaises(ArtifactError):
            self.variant(4, 264)

    def test_an_unknown_guard_is_refused(self):
        self.text["variants"][0]["guards"] = [{"odd": 1}]
        with self.assertRaisesRegex(ArtifactError, "expected a guard aligned, "
                                    "stride or less but got"):
            self.variant(3, 256)

    def image(self, target, capability):
        self.text["target"] = target
        return Artifact(Path("case"), self.text).choose_image(capability).name

    def test_the_cubin_runs_on_its_own_major_capability(self):
        self.assertEqual(self.image("sm_80", (8, 0)), "kernel.sm_80.cubin")
        self.assertEqual(self.image("sm_80", (8, 6)), "kernel.sm_80.cubin")

    def test_later_chips_take_the_ptx(self):
        self.assertEqual(self.image("sm_80", (9, 0)), "kernel.ptx")

    def test_without_a_cubin_the_ptx_is_taken(self):
        self.text["cubin"] = None
        self.assertEqual(self.image("sm_80", (8, 0)), "kernel.ptx")

    def test_what_cannot_run_is_refused(self):
        for target, capability in (("sm_90", (8, 0)), ("sm_90a", (10, 0))):
            with self.subTest(target):
                with self.assertRaisesRegex(ArtifactError,
                                            f"is compiled for {target}"):
                    self.image(target, capability)


if __name__ == "__main__":
    unittest.main()
