# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flax, both linen and nnx: every attention is found, and the simulator gives what
JAX gives."""

import unittest

import flax.linen as linen
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from checking import TOLERANCE, difference, record, surprising
from goatc.frontends.jax import from_jax

RNG = np.random.default_rng(11)
WIDTH, HEADS, LENGTH = 32, 4, 9
DTYPES = {"f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16}


class LinenDecoder(linen.Module):
    """A causal transformer."""

    dtype: object

    @linen.compact
    def __call__(self, ids):
        x = linen.Embed(17, WIDTH)(ids)
        x += self.param("places", linen.initializers.normal(0.3),
                        (ids.shape[1], WIDTH))
        mask = linen.make_causal_mask(ids)
        for _ in range(2):
            x += linen.MultiHeadDotProductAttention(
                HEADS, dtype=self.dtype, dropout_rate=0.1, deterministic=True)(
                    linen.LayerNorm()(x), mask=mask)
            h = linen.gelu(linen.Dense(4 * WIDTH)(linen.LayerNorm()(x)))
            x += linen.Dense(WIDTH)(linen.Dropout(0.1)(h, deterministic=True))
        return linen.Dense(17)(linen.LayerNorm()(x))


class NnxBlock(nnx.Module):
    def __init__(self, dtype, rngs):
        self.attention = nnx.MultiHeadAttention(
            HEADS, WIDTH, dtype=dtype, dropout_rate=0.1, deterministic=True,
            decode=False, rngs=rngs)
        self.norms = nnx.List([nnx.LayerNorm(WIDTH, rngs=rngs)
                               for _ in range(2)])
        self.up = nnx.Linear(WIDTH, 4 * WIDTH, rngs=rngs)
        self.down = nnx.Linear(4 * WIDTH, WIDTH, rngs=rngs)

    def __call__(self, x, mask):
        x += self.attention(self.norms[0](x), mask=mask)
        return x + self.down(nnx.gelu(self.up(self.norms[1](x))))


class NnxDecoder(nnx.Module):
    """The same transformer."""

    def __init__(self, dtype):
        rngs = nnx.Rngs(3)
        self.tokens = nnx.Embed(17, WIDTH, rngs=rngs)
        self.places = nnx.Embed(LENGTH, WIDTH, rngs=rngs)
        self.blocks = nnx.List([NnxBlock(dtype, rngs) for _ in range(2)])
        self.head = nnx.Linear(WIDTH, 17, rngs=rngs)

    def __call__(self, ids):
        x = self.tokens(ids) + self.places(jnp.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x, nnx.make_causal_mask(ids))
        return self.head(x)


class FlaxTest(unittest.TestCase):
    def check(self, function, *inputs, attentions=1, dtype="f32"):
        """The greatest difference of all results."""
        module = from_jax(function, *inputs)
        self.assertEqual(len(module.attentions), attentions, module.remarks)
        self.assertEqual(surprising(module.remarks), [])
        expected = jax.tree_util.tree_leaves(jax.jit(function)(*inputs))
        found = jax.tree_util.tree_leaves(module.run(*inputs))
        worst = max(difference(one, other)
                    for one, other in zip(found, expected, strict=True))
        self.assertLess(worst, TOLERANCE[dtype])
        return worst

    def test_decoders(self):
        ids = RNG.integers(0, 17, (2, LENGTH)).astype(np.int32)
        for name, dtype in DTYPES.items():
            with self.subTest("linen", dtype=name):
                model = LinenDecoder(dtype)
                weights = model.init(jax.random.key(0), ids)
                record("models", ("GPT, 2 layers", "JAX, Flax linen", name),
                       "2 of 2", "causal mask", self.check(
                           lambda ids: model.apply(weights, ids), ids,
                           attentions=2, dtype=name))
            with self.subTest("nnx", dtype=name):
                record("models", ("GPT, 2 layers", "JAX, Flax nnx", name),
                       "2 of 2", "causal mask", self.check(
                           NnxDecoder(dtype), ids, attentions=2, dtype=name))

    def record(self, of, label, *arguments, dtype="f32"):
        with self.subTest(of, case=label):
            record("flax", (of, label, dtype),
                   self.check(*arguments, dtype=dtype))

    def test_linen_attention(self):
        x, y = (RNG.normal(size=(2, n, WIDTH)).astype(np.float32)
                for n in (LENGTH, 13))
        ones = np.ones((2, LENGTH))
        causal = linen.make_causal_mask(ones)
        padding = linen.make_attention_mask(
            ones, np.arange(LENGTH) < np.array([[6], [LENGTH]]))
        for label, options, call, dtype in (
                ("no mask", {}, {}, "f32"),
                ("causal mask", {}, {"mask": causal}, "f32"),
                ("both masks", {},
                 {"mask": linen.combine_masks(causal, padding)}, "f32"),
                ("normalize_qk", {"normalize_qk": True}, {}, "f32"),
                ("softmax in f32", {"force_fp32_for_softmax": True,
                                    "dtype": jnp.float16}, {}, "f16")):
            layer = linen.MultiHeadDotProductAttention(
                HEADS, deterministic=True, **options)
            weights = layer.init(jax.random.key(1), x)
            self.record("linen.MultiHeadDotProductAttention", label,
                        lambda x: layer.apply(weights, x, **call), x,
                        dtype=dtype)
        self.record("linen.MultiHeadDotProductAttention", "of another sequence",
                    lambda x, y: layer.apply(weights, x, y), x, y, dtype="f16")

        layer = linen.MultiHeadDotProductAttention(HEADS, decode=True)
        variables = layer.init(jax.random.key(1), x)

        def step(cache, x):
            return layer.apply({"params": variables["params"], "cache": cache},
                               x, mutable=["cache"])
        cache = variables["cache"]
        for number in range(3):
            _, written = step(cache, x[:, number:number + 1])
            cache = written["cache"]
        self.record("linen.MultiHeadDotProductAttention", "decode, at row 3",
                    step, cache, x[:, 3:4])

    def test_nnx_attention(self):
        x = RNG.normal(size=(2, LENGTH, WIDTH)).astype(np.float32)
        causal = nnx.make_causal_mask(np.ones((2, LENGTH)))

        def attention(decode):
            return nnx.MultiHeadAttention(HEADS, WIDTH, decode=decode,
                                          rngs=nnx.Rngs(5))
        for label, mask in (("no mask", None), ("causal mask", causal)):
            layer = attention(False)
            self.record("nnx.MultiHeadAttention", label,
                        lambda x: layer(x, mask=mask), x)

        layer = attention(True)
        layer.init_cache(x.shape)
        for number in range(3):
            layer(x[:, number:number + 1])
        graph, weights, cache = nnx.split(layer, nnx.Param, ...)

        def step(cache, x):
            inside = nnx.merge(graph, weights, cache)
            return inside(x), nnx.state(inside, nnx.Cache)
        self.record("nnx.MultiHeadAttention", "decode, at row 3", step, cache,
                    x[:, 3:4])

    def test_dot_product_attention(self):
        q, k, v = RNG.normal(size=(3, 2, LENGTH, HEADS, 16)).astype(np.float32)
        bias = RNG.normal(size=(1, HEADS, LENGTH, LENGTH)).astype(np.float32)
        mask = linen.make_causal_mask(np.ones((2, LENGTH)))
        for of, function in (
                ("linen.dot_product_attention", linen.dot_product_attention),
                ("nnx.dot_product_attention", nnx.dot_product_attention)):
            self.record(of, "bias and mask", lambda q, k, v: function(
                q, k, v, bias=bias, mask=mask), q, k, v)


if __name__ == "__main__":
    unittest.main()
