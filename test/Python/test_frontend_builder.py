# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy, goatc-library
# RUN: %python -B %s
"""Tests of the builder that the frontends share: what it writes, the reference
evaluates as NumPy does."""

from pathlib import Path
import sys
import unittest
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

from goatc import library  # noqa: E402
from goatc.artifact import ArtifactError  # noqa: E402
from goatc.frontends.blocks import attend, power, wrapped  # noqa: E402
from goatc.frontends.builder import (Builder, ImportRefused,  # noqa: E402
                                     reassociate)
from goatc.frontends.module import Module  # noqa: E402
from goatc.frontends.windows import convolve, pool_max, pool_mean  # noqa: E402
from goatc.library import GoatError  # noqa: E402

RNG = np.random.default_rng(3)
X = RNG.normal(size=(2, 3, 4)).astype(np.float32)


class BuilderTest(unittest.TestCase):
    def check(self, build, expected, *arrays):
        builder = Builder("main")
        values = [builder.add_input("x", array.shape, {"f": "f32", "i": "i32"}
                                    [array.dtype.kind]) for array in arrays]
        builder.results = [build(builder, *values)]
        found = Module(builder).run(*arrays, on="reference")
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)

    def test_elementwise_broadcasts(self):
        self.check(lambda b, x, y: b.binary("sub", x, y), X - X[:, :1],
                   X, X[:, :1])
        self.check(lambda b, x: b.select(
            b.compare("gt", x, b.splat(0, "f32")), x, b.unary("neg", x)),
            np.abs(X), X)
        self.check(lambda b, x: b.logistic(x), 1 / (1 + np.exp(-X)), X)
        self.check(lambda b, x: b.convert(b.convert(x, "i32"), "f32"),
                   np.trunc(X), X)

    def test_reductions(self):
        self.check(lambda b, x: b.reduce("max", x, [1], keep=True),
                   X.max(1, keepdims=True), X)
        self.check(lambda b, x: b.reduce("add", x, [0, -1]), X.sum((0, 2)), X)

    def test_reductions_of_booleans(self):
        for op, expected in (("max", X > 0), ("min", X > 0)):
            expected = getattr(expected, op)(1).astype(np.float32)
            self.check(lambda b, x, op=op: b.convert(b.reduce(
                op, b.compare("gt", x, b.splat(0, "f32")), [1]), "f32"),
                expected, X)

    def test_reductions_start_from_their_neutral_element(self):
        numbers = np.array([[-7, -3], [5, 9]], np.int32)
        for op, expected in (("max", numbers.max(0)), ("min", numbers.min(0)),
                             ("and", numbers[0] & numbers[1]),
                             ("or", numbers[0] | numbers[1])):
            self.check(lambda b, x, op=op: b.reduce(op, x, [0]), expected,
                       numbers)
        self.check(lambda b, x: b.invert(x), ~numbers, numbers)
        self.check(lambda b, x: wrapped(b, x, 20), numbers % 20, numbers)

    def test_powers_are_as_wide_as_the_exponent(self):
        x = np.abs(X[..., :1])
        for by in (1, 2, 3, -1, 0.5, -0.5, 1.5):
            self.check(lambda b, x, by=by: power(b, x, b.splat(by, "f32", [4])),
                       np.broadcast_to(x ** by, X.shape), x)

    def test_windows(self):
        x = X[None]  # (1, 2, 3, 4)
        ones = [1, 1]
        pairs = np.maximum(x[..., ::2], x[..., 1::2])
        self.check(lambda b, x: pool_max(
            b, x, [3, 2], stride=[1, 2], padding=[(1, 1), (0, 0)],
            dilation=ones), np.stack([pairs[:, :, max(n - 1, 0):n + 2].max(2)
                                      for n in range(3)], 2), x)
        self.check(lambda b, x: pool_mean(
            b, x, [1, 4], stride=ones, padding=[(0, 0), (0, 0)],
            counts_padding=False), x.mean(3, keepdims=True), x)
        weight = RNG.normal(size=(4, 1, 3, 1)).astype(np.float32)
        expected = np.stack([(x[:, o // 2] * weight[o]).sum(1)
                             for o in range(4)], 1)[:, :, None]
        self.check(lambda b, x, w: convolve(
            b, x, w, stride=ones, padding=[(0, 0), (0, 0)], dilation=ones,
            groups=2), expected, x, weight)

    def test_contractions(self):
        self.check(lambda b, x, y: b.contract("bij,bkj->bik", x, y),
                   np.einsum("bij,bkj->bik", X, X), X, X)

    def test_a_product_with_ones_is_none(self):
        builder = Builder("main")
        x = builder.add_input("x", (2, 3, 4), "f32")
        ones = builder.slice(builder.splat(1, "f32", [5, 3]), [0, 0], [1, 3])
        ones = builder.convert(builder.convert(ones, "i32"), "f32")
        made = builder.contract("bij,i->ibj", x, builder.reshape(ones, [3]))
        builder.results = [made]
        module = Module(builder)
        self.assertNotIn("arith.mulf", module.graph)
        np.testing.assert_array_equal(module.run(X, on="reference"),
                                      X.transpose(1, 0, 2))

    def test_changes_of_shape(self):
        self.check(lambda b, x: b.transpose(x, [2, 0, 1]),
                   X.transpose(2, 0, 1), X)
        self.check(lambda b, x: b.reshape(x, [4, 3, 1, 2]),
                   X.reshape(4, 3, 1, 2), X)
        self.check(lambda b, x: b.slice(x, [0, 1, 0], [2, 2, 2], [1, 1, 2]),
                   X[:, 1:, ::2], X)
        self.check(lambda b, x: b.concat([x, x], 1),
                   np.concatenate([X, X], 1), X)
        self.check(lambda b, x: b.broadcast(x, [5, 2, 3, 4]),
                   np.broadcast_to(X, (5, 2, 3, 4)), X)
        self.assertEqual(reassociate((2, 3, 4, 1), (6, 2, 2)),
                         [([0, 1], [0]), ([2, 3], [1, 2])])

    def test_indices(self):
        ids = np.array([[2, 0], [1, 1]], np.int32)
        self.check(lambda b, x, i: b.take(x, i, 1), X.take(ids, 1), X, ids)
        self.check(lambda b, x: b.binary("add", x, b.iota([3, 4], 0, "f32")),
                   X + np.arange(3)[:, None], X)

    def test_constants(self):
        table = RNG.normal(size=(3, 4)).astype(np.float32)
        large = RNG.normal(size=(2, 3, 4, 30)).astype(np.float32)
        self.check(lambda b, x: b.binary("add", x, b.constant(table, "f32")),
                   X + table, X)
        self.check(lambda b, x: b.binary(
            "max", b.reduce("add", b.constant(large, "f32"), [3]),
            b.splat(-np.inf, "f32")), large.sum(3), X)

    def test_refusals(self):
        builder = Builder("main")
        x = builder.add_input("x", (2, 3), "f32")
        with self.assertRaisesRegex(ImportRefused, "of 6 elements but got"):
            builder.reshape(x, [4])
        with self.assertRaisesRegex(ImportRefused, "one dtype for 'add'"):
            builder.binary("add", x, builder.splat(1, "i32"))
        with self.assertRaisesRegex(ImportRefused, "agree in ij,jk->ik"):
            builder.contract("ij,jk->ik", x, x)

    def test_attention_is_found(self):
        builder = Builder("main")
        q, k, v = (builder.add_input(name, (1, 2, 8, 16), "f16")
                   for name in "qkv")
        alpha = builder.add_input("alpha", (2, 3), "f32")
        s = builder.contract("bhid,bhjd->bhij", q, k, "f32")
        # A short sum of features of the distance is computed for each pair.
        distance = builder.binary("sub", builder.iota([8, 8, 3], 0, "f32"),
                                  builder.iota([8, 8, 3], 1, "f32"))
        distance = builder.binary("mul", distance,
                                  builder.iota([8, 8, 3], 2, "f32"))
        s = builder.binary("add", s, builder.contract(
            "hr,ijr->hij", alpha, builder.unary("cos", distance)))
        e = builder.unary("exp", builder.binary(
            "sub", s, builder.reduce("max", s, [3], keep=True)))
        p = builder.binary("div", e, builder.reduce("add", e, [3], keep=True))
        y = builder.contract("bhij,bhjd->bhid", builder.convert(p, "f16"), v)
        builder.results = [builder.binary("add", y, y)]
        module = Module(builder)
        self.assertEqual(module.text.count("math.cos"), 3)
        self.assertEqual(module.attentions, ["main_attention_0"])
        arrays = [RNG.normal(size=(1, 2, 8, 16)).astype(np.float16)
                  for _ in range(3)]
        arrays.append(RNG.normal(size=(2, 3)).astype(np.float32))
        sim, exact = (module.run(*arrays, on=on) for on in ("sim", "reference"))
        self.assertLess(np.linalg.norm(sim - exact) / np.linalg.norm(exact),
                        2e-3)


class RunTest(unittest.TestCase):
    """The keywords of Module.run."""

    @classmethod
    def setUpClass(cls):
        builder = Builder("main")
        q, k, v = (builder.add_input(name, (1, 2, 8, 16), "f16")
                   for name in "qkv")
        builder.results = [attend(builder, q, k, v, 0.25, lambda s: s)]
        cls.module = Module(builder)
        cls.arrays = RNG.normal(size=(3, 1, 2, 8, 16)).astype(np.float16)

    def test_on(self):
        sim = self.module.run(*self.arrays, on="sim")
        exact = self.module.run(*self.arrays, on="reference")
        np.testing.assert_array_equal(sim, self.module.run(*self.arrays))
        self.assertEqual((sim.dtype, exact.dtype), (np.float64, np.float64))
        np.testing.assert_allclose(sim, exact, atol=2e-3)
        self.assertTrue((sim != exact).any())
        with self.assertRaisesRegex(ValueError, "on to be reference or sim but "
                                    "got 'gpu'; goatc.launch runs on a GPU"):
            self.module.run(*self.arrays, on="gpu")

    def given(self, **keywords):
        """The arguments of the library's call."""
        with mock.patch("goatc.kernel.call", wraps=library.call) as call:
            self.module.run(*self.arrays, **keywords)
        return call.call_args_list[0].args

    def test_seed(self):
        self.assertEqual(self.given()[-2], 0)
        self.assertEqual(self.given(seed=7)[-2], 7)

    def test_target_and_options(self):
        expected = self.module.run(*self.arrays)
        for options in ({"target": "sm_80"}, {"tile_rows": 64},
                        {"target": "sm_80", "tile_rows": 64}):
            np.testing.assert_allclose(self.module.run(*self.arrays, **options),
                                       expected, atol=2e-3)
            with mock.patch("goatc.library.make_options",
                            wraps=library.make_options) as made:
                self.module.run(*self.arrays, **options)
            made.assert_called_once_with({"function": "main", **options})
        for options, message in (
                ({"tile_row": 64}, "an option called one of .* got 'tile-row'"),
                ({"target": "sm_1"}, "'sm_1'")):
            with self.assertRaisesRegex((ValueError, GoatError), message):
                self.module.run(*self.arrays, **options)

    def test_inputs_that_do_not_fit(self):
        with self.assertRaisesRegex(ArtifactError, "3 inputs of 'main' but got 2"):
            self.module.run(*self.arrays[:2])
        with self.assertRaisesRegex(ArtifactError, "input 'k' of shape 1x2x8x16"):
            self.module.run(self.arrays[0], self.arrays[1][:, :1],
                            self.arrays[2])


if __name__ == "__main__":
    unittest.main()
