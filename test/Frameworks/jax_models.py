# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tiny GPT and a tiny ViT as people write them in JAX."""

import jax
import jax.numpy as jnp
import numpy as np


def norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def heads(x, count):
    batch, length, width = x.shape
    return x.reshape(batch, length, count, width // count).transpose(0, 2, 1, 3)


def attention(x, p, count, dtype, causal, prior, xsa):
    """Self attention, with a prior on distance and key, and with the part along
    the row's own value taken out."""
    batch, length, width = x.shape
    qkv = x.astype(dtype) @ p["qkv"].astype(dtype)
    q, k, v = (heads(part, count) for part in jnp.split(qkv, 3, axis=-1))
    s = jnp.einsum("bhid,bhjd->bhij", q, k,
                   preferred_element_type=jnp.float32)
    s = s / jnp.sqrt(q.shape[-1])
    i = jnp.arange(length)[:, None]
    j = jnp.arange(length)[None, :]
    if prior:
        phase = (i - j)[..., None].astype(jnp.float32) * p["omega"]
        s = s + jnp.einsum("hr,ijr->hij", p["alpha"], jnp.cos(phase))
        s = s + jnp.einsum("hr,ijr->hij", p["beta"], jnp.sin(phase))
        s = s + p["key_prior"][:, None, :length]
    if causal:
        s = jnp.where(i >= j, s, -jnp.inf)
    y = jnp.einsum("bhij,bhjd->bhid", jax.nn.softmax(s).astype(dtype), v)
    if xsa:
        v = v / jnp.maximum(jnp.linalg.norm(v, axis=-1, keepdims=True), 1e-3)
        y = y - (y * v).sum(-1, keepdims=True) * v
    y = y.transpose(0, 2, 1, 3).reshape(batch, length, width)
    return y.astype(jnp.float32) @ p["out"]


def block(x, p, count, dtype, **kinds):
    x = x + attention(norm(x, *p["norm1"]), p, count, dtype, **kinds)
    h = jax.nn.gelu(norm(x, *p["norm2"]) @ p["up"])
    return x + h @ p["down"]


def gpt(ids, p, dtype, count=2):
    """ids (B, L) to logits (B, L, V)."""
    x = p["tokens"][ids] + p["places"][:ids.shape[1]]
    for layer in p["layers"]:
        x = block(x, layer, count, dtype, causal=True, prior=True, xsa=True)
    return norm(x, *p["norm"]) @ p["tokens"].T


def vit(images, p, dtype, count=2, patch=4):
    """images (B, H, W, C) to class logits (B, N)."""
    batch, height, width, channels = images.shape
    x = images.reshape(batch, height // patch, patch, width // patch, patch,
                       channels)
    x = x.transpose(0, 1, 3, 2, 4, 5).reshape(batch, -1,
                                              patch * patch * channels)
    x = x @ p["patch"]
    first = jnp.broadcast_to(p["class"], (batch, 1, x.shape[-1]))
    x = jnp.concatenate([first, x], 1) + p["places"]
    for layer in p["layers"]:
        x = block(x, layer, count, dtype, causal=False, prior=False, xsa=False)
    return norm(x, *p["norm"])[:, 0] @ p["head"]


def parameters(seed, width=32, layers=2, count=2, vocabulary=17, length=24,
               rank=3, pixels=48, classes=5):
    """Random parameters of both models."""
    rng = np.random.default_rng(seed)

    def draw(*shape, scale=None):
        scale = shape[0] ** -0.5 if scale is None else scale
        return jnp.asarray((scale * rng.normal(size=shape)).astype(np.float32))

    def norm_of():
        return draw(width, scale=1), draw(width, scale=0.1)

    def layer():
        return {"qkv": draw(width, 3 * width, scale=0.3), "out": draw(width, width),
                "up": draw(width, 4 * width), "down": draw(4 * width, width),
                "norm1": norm_of(), "norm2": norm_of(),
                "alpha": draw(count, rank, scale=0.5),
                "beta": draw(count, rank, scale=0.5),
                "omega": jnp.asarray(10.0 ** -np.arange(rank), jnp.float32),
                "key_prior": draw(count, length, scale=0.5)}
    return {"tokens": draw(vocabulary, width, scale=1),
            "places": draw(length, width, scale=0.3), "norm": norm_of(),
            "layers": [layer() for _ in range(layers)],
            "patch": draw(pixels, width), "class": draw(1, width),
            "head": draw(width, classes)}
