# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in JAX: every attention is found, and what the kernels give in the
simulator is what JAX gives."""

import unittest

import jax
import jax.numpy as jnp
import numpy as np

import goatc
import jax_models
from checking import TOLERANCE, difference, record
from goatc.frontends.builder import ImportRefused
from goatc.frontends.jax import from_jax

RNG = np.random.default_rng(5)
DTYPES = {"f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16}


class JaxTest(unittest.TestCase):
    def check(self, model, x, length, dtype, label, fused):
        parameters = jax_models.parameters(0, length=length)

        def function(x):
            return model(x, parameters, dtype=DTYPES[dtype])
        module = from_jax(function, x)
        self.assertEqual(len(module.attentions), 2, module.remarks)
        expected = jax.jit(function)(x)
        for on in ("reference", "sim"):
            worst = difference(module.run(x, on=on), expected)
            self.assertLess(worst, TOLERANCE[dtype], on)
        record("models", (label, "JAX", dtype), "2 of 2", fused, worst)
        return module

    def test_gpt(self):
        ids = RNG.integers(0, 17, (2, 24)).astype(np.int32)
        for dtype in DTYPES:
            with self.subTest(dtype=dtype):
                module = self.check(
                    jax_models.gpt, ids, 24, dtype, "GPT, 2 layers",
                    "causal mask, spectral and key prior, exclusion")
                self.assertEqual(module.text.count("goat.xsa"), 2)
                self.assertEqual(module.text.count("math.cos"), 6)
                self.assertNotIn("math.exp ", module.text)
                kernel = module.kernels()[0]
                self.assertEqual(kernel.inputs[0].shape, (2, 2, 24, 16))

    def test_vit(self):
        images = RNG.normal(size=(2, 16, 16, 3)).astype(np.float32)
        for dtype in DTYPES:
            with self.subTest(dtype=dtype):
                module = self.check(jax_models.vit, images, 17, dtype,
                                    "ViT, 2 layers", "")
                self.assertNotIn("goat.xsa", module.text)

    def test_dot_product_attention(self):
        mask = RNG.random((2, 1, 24, 40)) < 0.7
        mask[..., 0] = True
        cases = {"": {}, "is_causal": {"is_causal": True},
                 "bias": {"bias": RNG.normal(size=(1, 4, 24, 40)).astype("f4")},
                 "mask": {"mask": mask}, "scale": {"scale": 0.3},
                 "local_window_size": {"local_window_size": (3, 2)},
                 "key_value_seq_lengths": {
                     "key_value_seq_lengths": np.array([30, 40], np.int32)}}
        for key_heads in (1, 2, 4):
            q = RNG.normal(size=(2, 24, 4, 16)).astype(np.float32)
            k, v = RNG.normal(size=(2, 2, 40, key_heads, 16)).astype(np.float32)
            for label, case in cases.items():
                with self.subTest(label, key_heads=key_heads):
                    def function(q, k, v):
                        return jax.nn.dot_product_attention(q, k, v, **case)
                    module = from_jax(function, q, k, v)
                    self.assertEqual(len(module.attentions), 1, module.remarks)
                    worst = difference(module.run(q, k, v), function(q, k, v))
                    self.assertLess(worst, TOLERANCE["f32"])
                    if label == "is_causal":
                        self.assertIn("mask {", module.text)
                    record("jax", (label or "no argument",), worst)

    def test_integers_and_powers(self):
        x = np.arange(-3, 5, dtype=np.int32)

        def function(x):
            size = abs(x)
            return (~x, x.max(), x.min(), (x > 0).all(), (x > 0).any(),
                    x ** 3, size ** jnp.float32(0.5), size ** jnp.full(8, 1.5))
        module = from_jax(function, x)
        # One of abs and one of max, which starts from the least number.
        self.assertEqual(module.graph.count("arith.maxsi"), 2)
        for one, other in zip(module.run(x), jax.jit(function)(x), strict=True):
            self.assertLess(difference(one, other), TOLERANCE["f32"])

    def test_softmax_over_something_else_is_left_alone(self):
        def function(q, k, v):
            return jax.nn.softmax(q @ k.T, axis=0) @ v
        q = RNG.normal(size=(8, 16)).astype(np.float32)
        module = from_jax(function, q, q, q)
        self.assertEqual(module.attentions, [])
        self.assertIn("over the keys", module.remarks[0].message)
        self.assertTrue(module.remarks[0].file.endswith("test_jax.py"))
        self.assertLess(difference(module.run(q, q, q),
                                   jax.jit(function)(q, q, q)), 1e-5)

    def test_an_unknown_op_is_refused_by_name_and_place(self):
        with self.assertRaisesRegex(ImportRefused,
                                    r"test_jax.py:\d+: .*stablehlo.sort"):
            from_jax(lambda x: jnp.sort(x),
                     jax.ShapeDtypeStruct((8,), jnp.float32))

    def test_inputs_that_do_not_fit(self):
        module = from_jax(lambda x: x + 1,
                          jax.ShapeDtypeStruct((8,), jnp.float32))
        with self.assertRaisesRegex(goatc.ArtifactError, "1 inputs of 'main'"):
            module.run()


if __name__ == "__main__":
    unittest.main()
