# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every variant of docs/examples/gallery once more, in NumPy.

What a file of the gallery means is computed here from its source's formula, on whole
matrices in double precision and without the dialect, so that the reference has
something to be held against. `evaluate` takes the arguments of a layer by name and
returns (out, lse).

A formula gets a namespace v: the arguments as float64 or integers under their names,
the logits s (B, H, Lq, Lk), and the coordinates h, i, j and d, the distance, shaped to
spread over them; b is spread by arrays that begin with it.
"""

from types import SimpleNamespace

import numpy as np

HEADS = 4


def fourier(v, alpha, beta, distance):
    """Σ_r α_r cos ω_r δ + β_r sin ω_r δ for each query head, of key heads' rows."""
    group = HEADS // len(alpha)
    angles = np.multiply.outer(v.omega, distance)  # (R, 1, 1, Lq, Lk)
    prior = [np.tensordot(a, np.cos(angles), 1) + np.tensordot(b, np.sin(angles), 1)
             for a, b in zip(alpha, beta)]
    return np.concatenate([prior[h // group] for h in range(HEADS)], axis=1)


def of_keys(table):
    """A table (H', Lk) as a term of each query head and key."""
    return np.repeat(table, HEADS // len(table), axis=0)[None, :, None, :]


def alibi(v):
    return -2.0 ** (-8.0 * (v.h + 1) / HEADS) * v.d


def official_sink(v):
    t, length = np.arange(v.s.shape[-1], dtype=float), 1024.0
    features = [f(w * t) for f in (np.cos, np.sin) for w in v.omega_sink]
    features += [t / length, np.log1p(t) / np.log1p(length)]
    hidden = v.w1 @ np.stack(features) + v.b1[:, None]
    value = v.w2 @ (hidden / (1 + np.exp(-hidden))) + v.b2
    return of_keys(np.outer(v.gain, value) + np.outer(v.bump, t == 0))


def fire(v):
    x = np.log1p(v.c * np.maximum(v.d, 0)) / np.log1p(v.c * np.maximum(v.i + v.ahead, v.L))
    hidden = np.maximum(np.multiply.outer(v.weight_in, x)
                        + v.bias_in[:, None, None, None, None], 0)
    return np.tensordot(v.weight_out, hidden, 1)[:, 0, 0][None]


def t5(v):
    """T5's own _relative_position_bucket, bidirectional, 32 buckets up to 128."""
    past, n = v.d[0, 0] >= 0, np.abs(v.d[0, 0])
    coarse = 8 + np.floor(np.log(np.maximum(n, 1) / 8) / np.log(128 / 8) * 8 + 1e-9)
    bucket = np.where(n < 8, n, np.minimum(coarse, 15)) + np.where(past, 0, 16)
    return np.moveaxis(v.table[bucket.astype(int)], -1, 0)[None]


def grid_differences(v, width):
    return v.i // width - v.j // width, v.i % width - v.j % width


def absolute(bias):
    """A bias with leading axes left out, for all heads and batch entries."""
    return bias.reshape((1,) * (4 - bias.ndim) + bias.shape)


def mla(v):
    return v.rope_scale * np.einsum("bhid,bgjd->bhij", v.query_rope, v.key_rope)


SCORES = {
    "absolute_2d": lambda v: v.s + absolute(v.bias),
    "alibi": lambda v: v.s + alibi(v),
    "alibi_by_hand": lambda v: v.s + alibi(v),
    "batch_head": lambda v: v.s + v.bias,
    "fire": lambda v: v.s + fire(v),
    "fox": lambda v: v.s + v.c[:, :, v.positions, None] - v.c[:, :, None, :v.s.shape[-1]],
    "global_tokens": lambda v: v.s + v.bias,
    "goat": lambda v: v.s + fourier(v, v.alpha, v.beta, v.d) + of_keys(v.u) + alibi(v),
    "goat_2d": lambda v: v.s + fourier(v, v.alpha_x, v.beta_x, grid_differences(v, 12)[0])
                         + fourier(v, v.alpha_y, v.beta_y, grid_differences(v, 12)[1]),
    "goat_official": lambda v: v.s + fourier(v, v.alpha, v.beta, v.d) + official_sink(v)
                               + alibi(v),
    "goat_row_gate": lambda v: v.s + v.gate[..., None]
                               * (fourier(v, v.alpha, v.beta, v.d) + of_keys(v.u)),
    "goat_softcap": lambda v: 20 * np.tanh(v.s / 20) + fourier(v, v.alpha, v.beta, v.d)
                              + of_keys(v.u),
    "head_specific": lambda v: v.s + absolute(v.bias),
    "kerple_log": lambda v: v.s - np.abs(v.p)[:, None, None]
                            * np.log1p(np.abs(v.scale)[:, None, None] * np.abs(v.d)),
    "kerple_power": lambda v: v.s - np.abs(v.c)[:, None, None]
                              * np.abs(v.d) ** np.abs(v.p)[:, None, None],
    "key_bias": lambda v: v.s + v.bias,
    "local_window": lambda v: v.s + v.table[np.clip(v.i - v.j + 16, 0, 32)],
    "log_length_scale": lambda v: v.s * np.maximum(
        np.log(v.i + v.ahead + 2) / np.log(v.length), 1),
    "mla_rope": lambda v: v.s + mla(v),
    "multiplicative": lambda v: v.s * v.factor[:, None],
    "offset": lambda v: v.s + v.bias[v.offset][:, None],
    "relative_1d": lambda v: v.s + v.table[np.abs(v.i - v.j)],
    "relative_distance": lambda v: v.s + (v.i - v.j),
    "sandwich": lambda v: v.s + fourier(v, v.alpha, v.beta, v.d),
    "sigmoid": lambda v: v.s + v.bias[:, None, None],
    "softcap": lambda v: 20 * np.tanh(v.s / 20),
    "softcap_by_hand": lambda v: 20 * np.tanh(v.s / 20),
    "swin": lambda v: v.s + v.table[(v.h,) + tuple(x + 11 for x in grid_differences(v, 12))],
    "t5": lambda v: v.s + t5(v),
    "weird": lambda v: v.s + v.bias[:, :, int(v.which), :, None],
}


def past(v):
    return v.d >= 0


def window(width):
    return lambda v: (v.d >= 0) & (v.d <= width)


def same(ids):
    return ids[:, None] == ids


def flamingo(v):
    begin, end = v.intervals[v.image, 0], v.intervals[v.image, 1]
    return (v.i >= begin) & (v.i < end)


def jagged(v):
    place = np.arange(len(v.ids)) - v.offsets[v.ids]
    return same(v.ids) & (place[:, None] >= place)


def neighbourhood(place, extent, kernel):
    """For each axis of a row's place: whether a key is among the `kernel` nearest."""
    seen = True
    for query, key in zip(*place):
        begin = np.clip(query - kernel // 2, 0, extent - kernel)
        seen = seen & (key >= begin) & (key < begin + kernel)
    return seen


def natten(v):
    return neighbourhood([(n // 12, n % 12) for n in (v.i, v.j)], 12, 5)


def morton(n):
    """The even and the odd bits of n."""
    return [sum(((n >> (2 * bit + odd)) & 1) << bit for bit in range(16)) for odd in (0, 1)]


def tiled(n):
    tile, inside = n // 16, n % 16
    return tile // 3 * 4 + inside // 4, tile % 3 * 4 + inside % 4


def sliding_tiles(counts, size, text, reach):
    """Sliding tile attention: tiles of `size` tokens, `counts` of them per axis; each axis
    sees the tiles from `left` before a query's, clamped, to `right` after."""
    def mask(v):
        vision = size * int(np.prod(counts))
        query, key = v.i // size, v.j // size
        seen = True
        for axis, (count, (left, right)) in enumerate(zip(counts, reach)):
            inner = int(np.prod(counts[axis + 1:]))
            centre = np.clip(query // inner, left, count - 1 - right)
            at = key // inner
            query, key = query % inner, key % inner
            seen = seen & (at >= centre - left) & (at <= centre + right)
        is_text = (v.j >= vision) & (v.j < vision + text)
        return (((v.i < vision) & (v.j < vision) & seen) | ((v.i < vision) & is_text)
                | ((v.i >= vision) & (v.j < vision + text)))
    return mask


def svg_temporal(v):
    query, key = ((n - 2) % 14 for n in (v.i, v.j))
    return (v.i < 2) | (v.j < 2) | (np.abs(query - key) < 3)


MASKS = {
    "batchify": lambda v: (v.i // 24 == v.j // 24) & (v.i % 24 >= v.j % 24),
    "dense_mask": lambda v: v.seen[:, None] != 0,
    "dilated_window": lambda v: (np.abs(v.d) <= 24) & (v.d % 3 == 0),
    "documents": lambda v: same(v.ids) & past(v),
    "documents_by_hand": lambda v: same(v.ids) & past(v),
    "flamingo": flamingo,
    "global_local": lambda v: (np.abs(v.d) <= 16) | (v.is_global[:, None] != 0)
                              | (v.is_global != 0),
    "jagged": jagged,
    "lookahead": lambda v: v.j < ((v.i + v.ahead_of_keys) // 16 + 1) * 16 + v.ahead,
    "morton_natten": lambda v: neighbourhood([morton(n) for n in (v.i, v.j)], 16, 5),
    "natten": natten,
    "natten_by_hand": natten,
    "not_self": lambda v: past(v) & (v.i != v.j),
    "prefix_lm": lambda v: past(v) | (v.j < v.prefix),
    "random_blocks": lambda v: v.blocks[v.i // 16, v.j // 16] != 0,
    "sasa": lambda v: (np.abs(grid_differences(v, 12)[0]) <= 3)
                      & (np.abs(grid_differences(v, 12)[1]) <= 3),
    "shared_prefix": lambda v: (same(v.ids) | (v.ids == 0)) & past(v),
    "sliding_tile_2d": sliding_tiles((3, 3), 16, 10, ((0, 0), (1, 0))),
    "sliding_tile_3d": sliding_tiles((2, 2, 2), 32, 6, ((0, 0), (1, 0), (0, 0))),
    "sliding_window": window(32),
    "sliding_window_by_hand": window(32),
    "streaming_llm": lambda v: past(v) & ((v.d <= 32) | (v.j < 4)),
    "svg_spatial": lambda v: (v.i < 2) | (v.j < 16) | (np.abs(v.i - v.j) < 28),
    "svg_temporal": svg_temporal,
    "tiled_natten": lambda v: neighbourhood([tiled(n) for n in (v.i, v.j)], 12, 5),
    "transfusion": lambda v: past(v) | (same(v.image) & (v.image != 0)),
}

# Layers that see every key; all others without a mask of their own are causal.
UNMASKED = {"absolute_2d", "batch_head", "full", "global_tokens", "goat_2d", "head_specific",
            "key_bias", "local_window", "mla_rope", "multiplicative", "offset",
            "relative_1d", "relative_distance", "sigmoid", "swin", "t5", "weird"}


def sigma(x):
    return 1 / (1 + np.exp(-x))


def xsa(v, y, strength=1.0, inverse=lambda n: 1 / np.maximum(n, 1e-12)):
    n = (v.own ** 2).sum(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        factor = (y * v.own).sum(-1, keepdims=True) * inverse(n)
    return y - strength * factor * v.own


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


ROWS = {
    "gate_element": lambda v, y: y * sigma(v.gate),
    "gate_head": lambda v, y: y * sigma(v.gate)[..., None],
    "gate_then_xsa": lambda v, y: xsa(v, y * sigma(v.gate)),
    "goat": xsa,
    "rms_norm": lambda v, y: y / np.sqrt((y ** 2).mean(-1, keepdims=True) + 1e-6) * v.weight,
    "row_softmax": lambda v, y: softmax(y),
    "xsa": xsa,
    "xsa_add": lambda v, y: xsa(v, y, inverse=lambda n: 1 / (n + 1e-6)),
    "xsa_constant": lambda v, y: xsa(v, y, 0.5),
    "xsa_head": lambda v, y: xsa(v, y, v.a[:, None, None]),
    "xsa_tanh": lambda v, y: xsa(v, y, np.tanh(v.a)[:, None, None]),
    "xsa_then_gate": lambda v, y: xsa(v, y) * sigma(v.gate),
    "xsa_token": lambda v, y: xsa(v, y, v.a[..., None]),
    "xsa_where": lambda v, y: xsa(v, y, inverse=lambda n: np.where(n > 0, 1 / n, 0)),
}

SINKS = {"off_by_one": "zero", "sink_logit": "sink"}


def evaluate(name, arguments):
    """out (B, H, Lq, D) and lse (B, H, Lq), or None for lse, of the variant `name` on
    `arguments`, arrays by name. KeyError for a variant that has no formula."""
    v = SimpleNamespace(**{key: np.asarray(value, dtype=float)
                           if np.asarray(value).dtype.kind == "f" else np.asarray(value)
                           for key, value in arguments.items()})
    known = (SCORES, MASKS, ROWS, SINKS, UNMASKED, {"causal"})
    if not any(name in group for group in known):
        raise KeyError(name)
    group = v.query.shape[1] // v.key.shape[1]
    key, value = (np.repeat(x, group, axis=1) for x in (v.key, v.value))
    rows, keys = v.query.shape[2], key.shape[2]
    v.s = np.einsum("bhid,bhjd->bhij", v.query, key) / np.sqrt(v.query.shape[-1])
    v.h = np.arange(HEADS).reshape(1, HEADS, 1, 1)
    v.i, v.j = np.arange(rows).reshape(1, 1, rows, 1), np.arange(keys).reshape(1, 1, 1, keys)
    v.positions = np.arange(rows) + keys - rows
    v.ahead_of_keys = keys - rows
    v.d = v.positions.reshape(1, 1, rows, 1) - v.j
    if name != "lookahead":  # which has an argument of that name
        v.ahead = keys - rows

    logits = SCORES[name](v) if name in SCORES else v.s
    seen = MASKS[name](v) if name in MASKS else True if name in UNMASKED else past(v)
    seen = np.broadcast_to(seen, logits.shape)
    if name == "sigmoid":
        return np.where(seen, sigma(logits), 0) @ value, None
    logits = np.where(seen, logits, -np.inf)
    if name in SINKS:
        sink = getattr(v, SINKS[name]).reshape(1, HEADS, 1, 1)
        logits = np.concatenate([logits, np.broadcast_to(sink, logits[..., :1].shape)], -1)
    most = logits.max(-1, keepdims=True)
    weights = np.exp(logits - np.where(np.isfinite(most), most, 0))
    total = weights.sum(-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        lse = (np.log(total) + most)[..., 0]
        out = np.where(total > 0, weights[..., :keys] @ value / total, 0)
    lse = np.where(np.isfinite(most[..., 0]), lse, -np.inf)
    if name in ROWS:
        own = v.positions
        v.own = value[:, :, own]
        out = np.where(np.isfinite(lse)[..., None], ROWS[name](v, out), 0)
    return out, lse
