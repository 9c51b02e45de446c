# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published examples of FlexAttention, as PyTorch functions of score and of mask.

Each entry says where it is published and gives a function that makes the score,
the mask or both for `Sizes`; what they read is captured.
"""

import math
from typing import Callable, NamedTuple, Optional

import torch
from torch.nn.attention.flex_attention import and_masks, or_masks


class Sizes(NamedTuple):
    batch: int = 2
    heads: int = 4
    rows: int = 48
    columns: int = 48


class Entry(NamedTuple):
    name: str
    source: str
    make: Callable
    sizes: Sizes


class Variant(NamedTuple):
    score: Optional[Callable] = None
    mask: Optional[Callable] = None


GALLERY = []


def entry(source, **sizes):
    """Adds an example to the gallery."""
    def add(make):
        GALLERY.append(Entry(make.__name__, source, make, Sizes(**sizes)))
        return make
    return add


IMAGE = {"rows": 64, "columns": 64, "batch": 1}  # 8 × 8


def causal_mask(b, h, i, j):
    return i >= j


# Scores.


@entry("blog, full attention")
def full(size):
    return Variant()


@entry("blog, relative position encodings")
def relative_distance(size):
    return Variant(lambda s, b, h, i, j: s + (i - j))


@entry("attention-gym, mods/alibi")
def alibi(size):
    def score(s, b, h, i, j):
        slope = torch.exp2(-((h + 1) * 8.0 / size.heads))
        return s + slope * (j - i)
    return Variant(score, causal_mask)


@entry("attention-gym, mods/softcapping")
def softcap(size):
    return Variant(lambda s, b, h, i, j: 20 * torch.tanh(s / 20), causal_mask)


@entry("attention-gym, mods/latent_attention")
def mla_rope(size):
    query = torch.randn(size.batch, size.heads, size.rows, 8)
    key = torch.randn(size.batch, 1, size.columns, 8)

    def score(s, b, h, i, j):
        return s + 0.2 * torch.dot(query[b, h, i], key[b, h // size.heads, j])
    return Variant(score)


@entry("attention-gym, examples/learnable_bias, relative_1d")
def relative_1d(size):
    bias = torch.randn(2 * size.columns)
    return Variant(lambda s, b, h, i, j: s + bias[torch.abs(i - j)])


@entry("attention-gym, examples/learnable_bias, absolute_2d")
def absolute_2d(size):
    bias = torch.randn(size.rows, size.columns)
    return Variant(lambda s, b, h, i, j: s + bias[i, j])


@entry("attention-gym, examples/learnable_bias, head_specific")
def head_specific(size):
    bias = torch.randn(size.heads, size.rows, size.columns)
    return Variant(lambda s, b, h, i, j: s + bias[h, i, j])


@entry("attention-gym, examples/learnable_bias, batch_head")
def batch_head(size):
    bias = torch.randn(*size)
    return Variant(lambda s, b, h, i, j: s + bias[b, h, i, j])


@entry("attention-gym, examples/learnable_bias, multiplicative")
def multiplicative(size):
    factor = torch.randn(size.rows)
    return Variant(lambda s, b, h, i, j: s * factor[i])


@entry("attention-gym, examples/learnable_bias, local_window")
def local_window(size):
    width = 8
    bias = torch.randn(2 * width + 1)
    return Variant(lambda s, b, h, i, j: s + bias[torch.clamp(
        i - j + width, 0, 2 * width)])


@entry("attention-gym, examples/learnable_bias, global_tokens")
def global_tokens(size):
    bias = torch.randn(size.columns)
    return Variant(lambda s, b, h, i, j: s + bias[j])


@entry("attention-gym, examples/learnable_bias, weird")
def weird(size):
    bias, which = torch.randn(size.batch, size.heads, 4, size.rows), torch.tensor(1)
    return Variant(lambda s, b, h, i, j: s + bias[b, h, which, i])


@entry("attention-gym, examples/learnable_bias, offset")
def offset(size):
    bias = torch.randn(size.rows)
    where = torch.randint(0, size.rows, (size.rows,))
    return Variant(lambda s, b, h, i, j: s + bias[where[i]])


@entry("T5")
def t5(size):
    table, buckets, farthest = torch.randn(32, size.heads), 16, 128

    def score(s, b, h, i, j):
        away = j - i
        side = torch.where(away > 0, buckets, 0)
        away = away.abs()
        exact = buckets // 2
        far = exact + (torch.log(torch.clamp(away, min=1) / exact) / math.log(
            farthest / exact) * (buckets - exact)).to(torch.int64)
        far = torch.clamp(far, max=buckets - 1)
        return s + table[side + torch.where(away < exact, away, far), h]
    return Variant(score)


@entry("Swin Transformer", **IMAGE)
def swin(size):
    table = torch.randn(size.heads, 15, 15)
    return Variant(lambda s, b, h, i, j: s + table[
        h, i // 8 - j // 8 + 7, i % 8 - j % 8 + 7])


@entry("Forgetting Transformer")
def fox(size):
    gates = torch.log(torch.sigmoid(torch.randn(size.batch, size.heads,
                                                size.rows) + 2)).cumsum(-1)
    return Variant(lambda s, b, h, i, j: s + gates[b, h, i] - gates[b, h, j],
                   causal_mask)


@entry("KERPLE")
def kerple_log(size):
    p, a = torch.rand(2, size.heads)
    return Variant(lambda s, b, h, i, j: s - p[h] * torch.log1p(
        a[h] * (i - j).abs()), causal_mask)


@entry("FIRE")
def fire(size):
    into, out = torch.randn(8), torch.randn(size.heads, 8)
    shift = torch.randn(8)

    def score(s, b, h, i, j):
        away = torch.clamp(i - j, min=0)
        x = torch.log(0.5 * away + 1) / torch.log(
            0.5 * torch.clamp(i, min=16) + 1)
        return s + (torch.relu(x * into + shift) * out[h]).sum()
    return Variant(score, causal_mask)


@entry("GOAT")
def goat(size):
    alpha, beta = torch.randn(2, size.heads, 3)
    omega, sink = torch.tensor([1.0, 0.1, 0.01]), torch.randn(size.heads,
                                                              size.columns)

    def score(s, b, h, i, j):
        angle = omega * (i - j)
        return s + sink[h, j] + torch.sum(
            alpha[h] * torch.cos(angle) + beta[h] * torch.sin(angle))
    return Variant(score, causal_mask)


# Masks.


@entry("attention-gym, masks/causal")
def causal(size):
    return Variant(mask=causal_mask)


@entry("attention-gym, masks/sliding_window")
def sliding_window(size):
    return Variant(mask=and_masks(causal_mask, lambda b, h, i, j: i - j <= 12))


@entry("attention-gym, masks/dilated_sliding_window")
def dilated_window(size):
    def mask(b, h, i, j):
        away = torch.abs(i - j)
        return (away <= 12) & (away % 3 == 0)
    return Variant(mask=mask)


@entry("attention-gym, masks/prefix_lm")
def prefix_lm(size):
    return Variant(mask=or_masks(lambda b, h, i, j: j < 10, causal_mask))


@entry("attention-gym, masks/document_mask")
def documents(size):
    ids = torch.repeat_interleave(torch.arange(4), torch.tensor([7, 15, 20, 6]))

    def same(b, h, i, j):
        return ids[i] == ids[j]
    return Variant(mask=and_masks(same, causal_mask))


@entry("blog, jagged sequences")
def jagged(size):
    lengths = torch.tensor([7, 15, 20, 6])
    ids = torch.repeat_interleave(torch.arange(4), lengths)
    first = torch.cumsum(lengths, 0) - lengths

    def mask(b, h, i, j):
        within = (i - first[ids[i]]) - (j - first[ids[j]])
        return (ids[i] == ids[j]) & (torch.abs(within) <= 5)
    return Variant(mask=mask)


@entry("attention-gym, masks/batchify")
def batchify(size):
    return Variant(mask=lambda b, h, i, j: (i // 12 == j // 12) &
                   (i % 12 >= j % 12))


@entry("attention-gym, masks/sink_attn")
def streaming_llm(size):
    def mask(b, h, i, j):
        return (i >= j) & ((i - j < 10) | (j < 4))
    return Variant(mask=mask)


@entry("attention-gym, masks/flamingo", rows=30, columns=36)
def flamingo(size):
    image = torch.repeat_interleave(torch.arange(3), 12)
    begin, end = torch.tensor([[0, 30], [7, 19], [20, 30]]).T

    def mask(b, h, i, j):
        return (i >= begin[image[j]]) & (i < end[image[j]])
    return Variant(mask=mask)


@entry("attention-gym, masks/transfusion")
def transfusion(size):
    image = torch.zeros(size.rows, dtype=torch.int64)
    image[5:14], image[20:30] = 1, 2

    def within(b, h, i, j):
        return (image[i] == image[j]) & (image[i] > 0)
    return Variant(mask=or_masks(causal_mask, within))


@entry("blog, stand-alone self-attention", **IMAGE)
def sasa(size):
    def mask(b, h, i, j):
        return ((i % 8 - j % 8).abs() <= 2) & ((i // 8 - j // 8).abs() <= 2)
    return Variant(mask=mask)


def neighbours(place, kernel=5, width=8):
    """A neighbourhood kept inside the image; place(n) gives x and y."""
    half = kernel // 2

    def mask(b, h, i, j):
        (xi, yi), (xj, yj) = place(i), place(j)
        xi = xi.clamp(half, width - 1 - half)
        yi = yi.clamp(half, width - 1 - half)
        return ((xi - xj).abs() <= half) & ((yi - yj).abs() <= half)
    return mask


@entry("attention-gym, masks/natten", **IMAGE)
def natten(size):
    return Variant(mask=neighbours(lambda n: (n % 8, n // 8)))


@entry("attention-gym, masks/natten", **IMAGE)
def tiled_natten(size):
    def place(n):
        tile, inside = n // 16, n % 16
        return tile % 2 * 4 + inside % 4, tile // 2 * 4 + inside // 4
    return Variant(mask=neighbours(place))


@entry("attention-gym, masks/natten", **IMAGE)
def morton_natten(size):
    def even_bits(n):
        n = n & 0x55555555
        n = (n | (n >> 1)) & 0x33333333
        n = (n | (n >> 2)) & 0x0F0F0F0F
        return (n | (n >> 4)) & 0x00FF00FF
    return Variant(mask=neighbours(lambda n: (even_bits(n), even_bits(n >> 1))))


def sliding_tiles(tiles, kernel, tile, text):
    """Tiles of a picture see the tiles around, all see the text behind it, and
    the text sees everything."""
    picture = math.prod(tiles) * tile

    def places(n):
        out, n = [], n // tile
        for count in reversed(tiles):
            out.insert(0, n % count)
            n = n // count
        return out

    def mask(b, h, i, j):
        near = (i < picture) & (j < picture)
        for at, other, count, width in zip(places(i), places(j), tiles, kernel):
            center = at.clamp(width // 2, count - 1 - width // 2)
            near = near & ((center - other).abs() <= width // 2)
        return near | (i >= picture) | (j >= picture)
    return mask


@entry("attention-gym, masks/sta", rows=70, columns=70, batch=1)
def sliding_tile_2d(size):
    return Variant(mask=sliding_tiles((4, 4), (3, 1), 4, 6))


@entry("attention-gym, masks/sta", rows=70, columns=70, batch=1)
def sliding_tile_3d(size):
    return Variant(mask=sliding_tiles((2, 4, 4), (1, 3, 3), 2, 6))


@entry("attention-gym, masks/svg", rows=58, columns=58, batch=1)
def svg_spatial(size):
    return Variant(mask=lambda b, h, i, j: (i < 2) | (j < 16) |
                   ((i - j).abs() < 14))


@entry("attention-gym, masks/svg", rows=58, columns=58, batch=1)
def svg_temporal(size):
    def mask(b, h, i, j):
        return (i < 2) | (j < 2) | (((i - 2) % 14 - (j - 2) % 14).abs() < 3)
    return Variant(mask=mask)


@entry("BigBird")
def random_blocks(size):
    seen = torch.rand(size.rows // 16, size.columns // 16) < 0.6
    return Variant(mask=lambda b, h, i, j: seen[i // 16, j // 16])


@entry("Longformer")
def global_local(size):
    is_global = torch.zeros(size.columns, dtype=torch.bool)
    is_global[torch.tensor([0, 17])] = True
    return Variant(mask=lambda b, h, i, j: ((i - j).abs() <= 5) |
                   is_global[i] | is_global[j])
