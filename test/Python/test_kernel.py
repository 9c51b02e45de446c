# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy, goatc-library
# RUN: %python -B %s
"""Tests of compiling, loading and running kernels from Python."""

import gc
from pathlib import Path
import re
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import goatc  # noqa: E402
from goatc import kernel as kernel_module  # noqa: E402
from goatc.dtypes import encode  # noqa: E402

RNG = np.random.default_rng(1)
Q, K, V = (RNG.normal(size=(1, 2, 19, 8)).astype(np.float32)
           for _ in range(3))
SLOPES = np.array([0.5, 0.25], np.float32)
SHAPE = (None, 2, None, 8)


def build(dtype, **parts):
    q = goatc.Tensor(SHAPE, dtype)
    return goatc.attention(q, q, q, score=goatc.prior.alibi(SLOPES),
                           mask=goatc.mask.causal(), name="small", **parts)


class KernelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernel = goatc.compile(build("bf16", return_lse=True),
                                   target="sm_80")

    def folder(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        return Path(temporary.name) / "kernel"

    def test_what_a_kernel_says_of_itself(self):
        kernel = self.kernel
        self.assertEqual(repr(kernel), "<goatc.Kernel small(query, key, value, "
                         "slopes) for sm_80>")
        self.assertEqual(kernel.inputs[0], ("query", "bf16", (None, 2, None, 8)))
        self.assertEqual(kernel.outputs[1], ("lse", "f32", (None, 2, None)))
        self.assertIn(".entry", kernel.ptx)
        self.assertIn("goat.attention", kernel.source)
        self.assertIn("schedule", kernel.choices)
        self.assertIn("small", kernel.report(B=1, Lq=64, Lk=64))
        self.assertEqual(kernel.report("json")[0], "{")
        with self.assertRaisesRegex(ValueError, "B, Lq"):
            kernel.report(Lx=1)

    def test_outputs_have_the_kernels_types(self):
        out, lse = goatc.run(self.kernel, Q, K, V)
        self.assertEqual(goatc.to_float(out).shape, Q.shape)
        self.assertEqual(lse.dtype, np.float32)
        exact = goatc.run(self.kernel, Q, K, V, on="reference")
        self.assertEqual(exact.out.dtype, np.float64)
        np.testing.assert_allclose(goatc.to_float(out), exact.out, atol=2e-2)
        np.testing.assert_allclose(lse, exact.lse, atol=1e-4)

    def test_bf16_without_its_package(self):
        with mock.patch.object(kernel_module, "bfloat16", lambda: None):
            out, _ = goatc.run(self.kernel, Q, K, V)
        self.assertEqual(out.dtype, np.uint16)
        again, _ = goatc.run(self.kernel, *(encode(a, "bf16")
                                            for a in (Q, K, V)))
        np.testing.assert_array_equal(goatc.to_float(again),
                                      goatc.to_float(out))

    def test_inputs_of_other_types_and_strides(self):
        exact = goatc.run(self.kernel, Q, K, V, on="reference")
        strided = goatc.run(
            self.kernel, Q.astype(np.float64),
            np.ascontiguousarray(K.transpose(0, 1, 3, 2)).transpose(0, 1, 3, 2),
            np.repeat(V, 2, axis=2)[:, :, ::2], on="reference")
        np.testing.assert_array_equal(strided.out, exact.out)

    def test_bound_inputs_may_be_replaced(self):
        flat = goatc.run(self.kernel, Q, K, V, on="reference",
                         slopes=[0.0, 0.0]).lse
        self.assertFalse(np.allclose(
            flat, goatc.run(self.kernel, Q, K, V, on="reference").lse))
        np.testing.assert_array_equal(
            flat, goatc.run(self.kernel, Q, K, V, np.zeros(2),
                            on="reference").lse)

    def test_inputs_that_do_not_fit(self):
        run = goatc.run
        for message, arrays, named in (
                ("but got no value", (Q, K), {}),
                ("at most 4 inputs", (Q, K, V, SLOPES, SLOPES), {}),
                ("but got keys", (Q, K, V), {"keys": K}),
                ("two of query", (Q, K, V), {"query": Q}),
                ("'query' of shape .* but got 1x2x19x4", (Q[..., :4], K, V),
                 {}),
                ("'key' to be of numbers but got <U1", (Q, np.array(["a"]), V),
                 {})):
            with self.subTest(message):
                with self.assertRaisesRegex(goatc.ArtifactError, message):
                    run(self.kernel, *arrays, **named)
        with self.assertRaisesRegex(ValueError, "reference or sim but got 'gpu'"):
            run(self.kernel, Q, K, V, on="gpu")

    def test_comparison_and_counts(self):
        for found in goatc.compare(self.kernel, Q, K, V, seed=3):
            self.assertTrue(found.is_within, found)
            self.assertGreater(found.tolerance, found.relative_l2)
        self.assertGreater(goatc.count(self.kernel, Q, K, V)["tensor_mma"], 0)

    def test_saved_and_loaded(self):
        folder = self.folder()
        self.kernel.save(folder)
        loaded = goatc.load(folder)
        self.assertEqual(loaded.ptx, self.kernel.ptx)
        self.assertEqual(loaded.description, self.kernel.description)
        np.testing.assert_array_equal(
            goatc.run(loaded, Q, K, V, SLOPES).lse,
            goatc.run(self.kernel, Q, K, V).lse)
        with self.assertRaisesRegex(goatc.ArtifactError, "no slopes"):
            goatc.run(loaded, Q, K, V)

    def test_a_kernel_that_does_wrong(self):
        folder = self.folder()
        self.kernel.save(folder)
        path = folder / "kernel.ptx"
        # The log-sum-exp is stored by the last store of a single f32.
        text, changed = re.subn(r"\n[^\n]*st\.global[^\n]*\.[fb]32[^\n]*;",
                                "\n", path.read_text())
        self.assertGreater(changed, 0)
        path.write_text(text)
        with self.assertRaisesRegex(goatc.KernelFault,
                                    "missing-store") as caught:
            goatc.run(goatc.load(folder), Q, K, V, SLOPES)
        self.assertEqual(caught.exception.outputs.lse.shape, (1, 2, 19))

    def test_an_artifact_that_cannot_be_read(self):
        with self.assertRaisesRegex(goatc.ArtifactError, "an artifact directory"):
            goatc.load(self.folder())

    def test_without_a_cache_nothing_stays(self):
        kernel = goatc.compile(build("f16"), target="sm_80", cached=False,
                               cubin="none")
        folder = kernel.folder
        self.assertTrue((folder / "kernel.json").exists())
        self.assertIsNone(kernel.cubin)
        del kernel
        gc.collect()
        self.assertFalse(folder.exists())


class CompileTest(unittest.TestCase):
    def test_a_file(self):
        path = ROOT / "docs" / "examples" / "alibi.mlir"
        kernel = goatc.compile(path, target="reference")
        self.assertEqual(kernel.name, "alibi")
        with self.assertRaisesRegex(ValueError, "given as a pathlib.Path"):
            goatc.compile(str(path))

    def test_diagnostics_have_a_place(self):
        with self.assertRaises(goatc.CompileError) as caught:
            goatc.compile("func.func @f() {\n  goat.nothing\n}\n")
        first = caught.exception.diagnostics[0]
        self.assertEqual((first.severity, first.line, first.column),
                         ("error", 2, 3))
        self.assertIn("<text>:2:3: error: ", str(caught.exception))

    def test_what_the_compiler_refuses(self):
        q = goatc.Tensor((None, 3, None, 8), "f16")
        k = goatc.Tensor((None, 2, None, 8), "f16")
        with self.assertRaisesRegex(goatc.CompileError, "multiple"):
            goatc.compile(goatc.attention(q, k, k))

    def test_options(self):
        self.assertIn("tile_rows", goatc.options())
        with self.assertRaisesRegex(ValueError, "but got 'tile-row'"):
            goatc.compile(build("f16"), tile_row=64)
        with self.assertRaisesRegex(ValueError, "an integer but got 'x'"):
            goatc.compile(build("f16"), tile_rows="x")
        text = goatc.emit(build("f16"), "tile", tile_rows=32, warps=2)
        self.assertIn("rows = 32", text)
        with self.assertRaisesRegex(goatc.CompileError, "got 'sass'"):
            goatc.emit(build("f16"), "sass")

    def test_passes(self):
        text = build("f16").text
        again, said = goatc.transform(text, "func.func(cse),canonicalize")
        self.assertIn("goat.attention", again)
        self.assertEqual(said, [])
        with self.assertRaisesRegex(ValueError, "no-such-pass"):
            goatc.transform(text, "no-such-pass")
        with self.assertRaisesRegex(goatc.CompileError, "<text>:1:"):
            goatc.transform("x\n", "cse")

    def test_one_of_several_functions(self):
        text = build("f16").text
        both = text + text.replace("@small", "@other")
        kernel = goatc.compile(both, target="reference", function="other")
        self.assertEqual(kernel.name, "other")
        with self.assertRaisesRegex(goatc.CompileError, "'small', 'other'"):
            goatc.compile(both, target="reference")

    def test_a_kernel_of_the_reference(self):
        kernel = goatc.compile(build("f32"), target="reference")
        goatc.run(kernel, Q, K, V, on="reference")
        with self.assertRaisesRegex(goatc.GoatError, "compile it for a chip"):
            goatc.run(kernel, Q, K, V)
        with self.assertRaisesRegex(goatc.GoatError, "no kernel.ptx"):
            kernel.ptx

    def test_integers_have_to_fit(self):
        lengths = goatc.Tensor((None,), "i32")
        kernel = goatc.compile(build("f16", k_lengths=lengths),
                               target="reference")
        short = goatc.run(kernel, Q, K, V, on="reference", k_lengths=[5])
        self.assertTrue(np.all(short[:, :, :14] == 0))
        for wrong, message in (([2 ** 40], "to fit i32"),
                               ([1.5], "to be of integers")):
            with self.assertRaisesRegex(goatc.ArtifactError, message):
                goatc.run(kernel, Q, K, V, on="reference", k_lengths=wrong)

    def test_the_version(self):
        self.assertRegex(goatc.version(), r"GOAT \d+\.\d+\.\d+ with LLVM 22")


if __name__ == "__main__":
    unittest.main()
