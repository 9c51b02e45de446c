# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a problem is made of.

A problem is a dict of choices, one for each axis: whole numbers, or text. Every axis draws
its value from the seed and its own name, after those that stand before it, and has a
simplest value, which a failing problem is brought to where it still fails.
"""

import random
import re
from typing import Callable, NamedTuple

from . import integers, masks, rows, scores, trees
from .trees import Tree

CHIPS = ["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"]
LENGTHS = [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 79, 80, 95, 96, 97, 127, 128,
           129, 130, 159, 191, 192, 193, 255, 256, 257]
DIMS = [1, 2, 3, 5, 7, 8, 12, 16, 16, 20, 24, 31, 32, 32, 33, 40, 48, 63, 64, 64, 64, 65, 72, 80,
        96, 100, 112, 128, 128, 129, 160, 176, 192, 200, 224, 240, 255, 256]
LAYOUTS = ["contiguous", "swapped", "padded", "odd", "shifted", "columns", "shared"]
# How much is multiplied, in elements of B x Hq x Lq x Lk x (D + Dv): a third of a second of
# simulation. Products of f32 are many more instructions.
WORK = {"bf16": 6e6, "f16": 6e6, "f32": 1.2e6}


class Axis(NamedTuple):
    name: str
    # (random numbers, the choices of the axes before) -> a value
    draw: Callable
    simplest: object
    # (value) -> simpler values, large steps first; nothing but `simplest` by default
    simpler: Callable = lambda value: ()


def work(c):
    return c["B"] * c["Hkv"] * c["group"] * (c["D"] + c["Dv"])


def toward(low):
    """Simpler numbers: `low`, then what is halfway between, then one less."""
    def simpler(value):
        step = value - low
        while step > 0:
            yield value - step
            step //= 2
    return simpler


def draw_rows(r, c, limit):
    most = WORK[c["dtype"]] / max(work(c), 1) / max(limit, 1)
    fitting = [n for n in LENGTHS if n <= most]
    if r.random() < 0.15:
        return r.randrange(int(min(most, 300)) + 1)
    return r.choice(fitting)


def draw_Lq(r, c):
    if r.random() < 0.1:
        return 1
    # Leaves room for some keys.
    return draw_rows(r, c, 64)


def draw_Lk(r, c):
    if r.random() < 0.35 and c["Lq"] ** 2 * work(c) <= WORK[c["dtype"]]:
        return c["Lq"]
    return draw_rows(r, c, c["Lq"])


def sometimes(chance, values, otherwise):
    return lambda r, c: r.choice(values) if r.random() < chance else otherwise


def draw_scale(r, c):
    if r.random() < 0.65:
        return "default"
    value = r.choice([0.3, -0.25, 0.0, 0.125, 1e-5, 1e-6, -1e-7])
    return r.choice(["", "run:"]) + repr(value)


def draw_offset(r, c):
    if r.random() < 0.7:
        return "default"
    values = [0, 1, -1, 5, -5, c["Lk"] - c["Lq"], -c["Lk"], c["Lk"] // 2, 64, 200, -200, 100000]
    kind = r.choice(["", "run:", "batch:"])
    return kind + ",".join(str(r.choice(values)) for _ in range(3 if kind == "batch:" else 1))


def draw_lengths(axis):
    def draw(r, c):
        if r.random() < 0.7:
            return "none"
        size = c[axis]
        values = [0, size, size, size // 2, max(size - 1, 0), min(size, 1), r.randrange(size + 1)]
        return ",".join(str(r.choice(values)) for _ in range(3))
    return draw


def softmax_only(draw):
    return lambda r, c: "none" if c["normalizer"] == "sigmoid" else draw(r, c)


def text_of(draw, chance):
    return lambda r, c: str(draw(r, c)) if r.random() < chance else "none"


def draw_own(r, c):
    """Without lengths or offsets known at run time, cross-attention has no own rows."""
    has_own = c["exclude"] != "none" and rows.reads_own(trees.parse(c["exclude"]))
    return str(rows.draw_own(r)) if has_own and r.random() < 0.3 else "none"


def draw_tile_rows(r, c):
    """Mostly what fits; what does not is refused."""
    rows = c["warps"] * r.choice([16, 32])
    return rows if rows * c["D"] * (4 if c["dtype"] == "f32" else 2) <= 40000 else 0


def fits(c, keys, stages):
    """Whether tiles of keys and values are likely to fit shared memory."""
    size = 4 if c["dtype"] == "f32" else 2
    return keys * stages * (c["D"] + c["Dv"] + 16) * size <= 60000


def draw_tile_keys(r, c):
    """Mostly what fits; what does not is refused."""
    if r.random() < 0.7:
        return 0
    return r.choice([n for n in (16, 32, 48, 64, 80, 96, 128) if fits(c, n, 2) or n == 16])


def draw_stages(r, c):
    if r.random() < 0.75:
        return 0
    return r.choice([n for n in (2, 3, 4) if fits(c, c["tile_keys"] or 32, n) or n == 2])


def draw_strip(r, c):
    if r.random() < 0.6:
        return "auto"
    return r.choice(["tile", "table"] + (["block"] if c["static_Lk"] == "yes" else []))


def draw_f32_product(r, c):
    """Bounds of tf32 are for scores near 1."""
    return "tf32" if c["key_data"] != "large" and r.random() < 0.4 else "exact"


def draw_strided(out=False):
    return lambda r, c: r.choice(LAYOUTS[:-1] if out else LAYOUTS) if r.random() < 0.2 else "no"


def kind_of(name):
    """What an expression of this name gives; None for numbers and the like."""
    return next((kind for kind, (names, leaf) in KINDS.items() if name in names), None)


# Names, and the simplest expression.
KINDS = {"mask": (masks.NAMES, "true"), "score": (scores.NAMES, "s"),
         "integer": (integers.NAMES, "h"), "strength": (rows.STRENGTHS, "one")}
LEAVES = {kind: Tree(leaf) for kind, (names, leaf) in KINDS.items()}


def simpler_tree(value):
    if value != "none":
        for candidate in trees.simpler(trees.parse(value), kind_of, LEAVES):
            yield str(candidate)


def simpler_chain(value):
    if value == "none":
        return
    steps = trees.parse(value).args
    for place, step in enumerate(steps):
        if len(steps) > 1:
            yield str(Tree("chain", steps[:place] + steps[place + 1:]))
        for at, arg in enumerate(step.args):
            others = list(trees.simpler(arg, kind_of, LEAVES))
            if kind_of(arg.name) == "strength" and arg.name != "one":
                others.append(LEAVES["strength"])
            for other in others:
                changed = Tree(step.name, step.args[:at] + (other,) + step.args[at + 1:])
                yield str(Tree("chain", steps[:place] + (changed,) + steps[place + 1:]))


def simpler_list(value):
    """Offsets and lengths: of an attribute, of one number, of smaller ones."""
    kind, _, numbers = value.rpartition(":")
    values = numbers.split(",")
    if kind == "batch":
        yield from ("run:" + v for v in values)
    if kind == "run":
        yield numbers
    for place, v in enumerate(values):
        if v.lstrip("-").isdigit() and int(v):
            for smaller in {0, 1, int(v) // 2 if int(v) > 0 else -(-int(v) // 2)} - {int(v)}:
                changed = ",".join(values[:place] + [str(smaller)] + values[place + 1:])
                yield f"{kind}:{changed}" if kind else changed


AXES = [
    Axis("chip", lambda r, c: r.choice(CHIPS), "sm_80"),
    Axis("dtype", lambda r, c: r.choice(["bf16"] * 4 + ["f16"] * 3 + ["f32"] * 2), "bf16"),
    Axis("layout", sometimes(0.25, ["bshd"], "bhsd"), "bhsd"),
    Axis("B", lambda r, c: r.choice([1] * 12 + [2] * 11 + [3, 3, 0]), 1, toward(0)),
    Axis("Hkv", lambda r, c: r.choice([1, 1, 1, 2, 2, 3, 4]), 1, toward(1)),
    Axis("group", lambda r, c: r.choice([1, 1, 1, 2, 2, 3, 4, 7, 8]) if c["Hkv"] < 3 else
         r.choice([1, 2]), 1, toward(1)),
    Axis("D", lambda r, c: r.choice(DIMS), 16, toward(1)),
    Axis("Dv", lambda r, c: c["D"] if r.random() < 0.6 else r.choice(DIMS), 16, toward(1)),
    Axis("Lq", draw_Lq, 1, toward(0)),
    Axis("Lk", draw_Lk, 1, toward(0)),
    Axis("static_B", sometimes(0.3, ["yes"], "no"), "no"),
    Axis("static_Lq", sometimes(0.3, ["yes"], "no"), "no"),
    Axis("static_Lk", sometimes(0.3, ["yes"], "no"), "no"),
    Axis("stride_query", draw_strided(), "no"),
    Axis("stride_key", draw_strided(), "no"),
    Axis("stride_value", draw_strided(), "no"),
    Axis("stride_out", draw_strided(out=True), "no"),
    Axis("normalizer", sometimes(0.12, ["sigmoid"], "softmax"), "softmax"),
    Axis("lse", softmax_only(sometimes(0.6, ["yes"], "none")), "none"),
    Axis("sink", softmax_only(sometimes(0.25, ["normal", "zero", "large"], "none")), "none"),
    Axis("scale", draw_scale, "default", simpler_list),
    Axis("q_lengths", draw_lengths("Lq"), "none", simpler_list),
    Axis("k_lengths", draw_lengths("Lk"), "none", simpler_list),
    Axis("q_offset", draw_offset, "default", simpler_list),
    Axis("k_offset", draw_offset, "default", simpler_list),
    Axis("integers", lambda r, c: r.choice(["index", "index", "i32", "i64"]), "index"),
    Axis("query_data", sometimes(0.2, ["constant", "alternating"], "normal"), "normal"),
    Axis("key_data", sometimes(0.3, ["large", "tiny", "constant", "alternating"], "normal"),
         "normal"),
    Axis("value_data", sometimes(0.3, ["large", "tiny", "constant", "alternating"], "normal"),
         "normal"),
    Axis("score", text_of(lambda r, c: scores.draw(r), 0.75), "none", simpler_tree),
    Axis("mask", text_of(lambda r, c: masks.draw(r), 0.6), "none", simpler_tree),
    Axis("exclude", text_of(lambda r, c: rows.draw_exclusion(
        r, c["Dv"], c["value_data"] != "large" and c["normalizer"] == "softmax"), 0.45), "none",
         simpler_chain),
    Axis("own", draw_own, "none", simpler_tree),
    Axis("load_q", text_of(lambda r, c: rows.draw_load(r, c["D"], "i"), 0.2), "none",
         simpler_chain),
    Axis("load_k", text_of(lambda r, c: rows.draw_load(r, c["D"], "j"), 0.2), "none",
         simpler_chain),
    Axis("poison", sometimes(0.7, ["yes"], "no"), "no"),
    Axis("warps", sometimes(0.25, [1, 2, 4, 8], 0), 0),
    Axis("tile_rows", draw_tile_rows, 0),
    Axis("tile_keys", draw_tile_keys, 0, toward(16)),
    Axis("stages", draw_stages, 0),
    Axis("strip", draw_strip, "auto"),
    Axis("key_terms", sometimes(0.3, ["add", "product"], "auto"), "auto"),
    Axis("mask_index", sometimes(0.4, ["always", "never"], "auto"), "auto"),
    Axis("f32_product", draw_f32_product, "exact"),
]


def draw(seed):
    """The problem of a seed."""
    choices = {"seed": seed}
    for axis in AXES:
        choices[axis.name] = axis.draw(random.Random(f"{seed}:{axis.name}"), choices)
    return choices


def override(choices, settings):
    """A problem with some choices set by hand; settings: NAME=VALUE texts. Raises
    ValueError where no axis has the name, or the axis another kind of value."""
    changed, axes = dict(choices), {axis.name: axis for axis in AXES}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in axes:
            raise ValueError(f"expected one of {', '.join(axes)} but got '{name}'")
        is_number = isinstance(axes[name].simplest, int)
        if is_number and not re.fullmatch(r"-?\d+", value):
            raise ValueError(f"expected {name} to be a whole number but got '{value}'")
        changed[name] = int(value) if is_number else value
    return changed


def settings(choices):
    """What has to be set by hand to get these choices from their seed."""
    drawn = draw(choices["seed"])
    return [f"{name}={value}" for name, value in choices.items() if drawn[name] != value]
