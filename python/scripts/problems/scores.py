# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions over (s, b, h, i, j) that give a number.

    s    a number    scalar (f32, x): captured
    bias (f32, x, ...): an element of a captured tensor, at any indices (ranks 0 to 4)
    f (x): an integer as a number           flag (mask): 1 or 0
    fourier (heads, R, batch|all, x)   key (heads, batch|all)   sink (heads, U, M, length, x)
    alibi (heads|own, both|signed, x)  softcap (x, cap);  heads is 1, kv or q
    add sub mul max min maxnum minnum div (a / (1 + |b|)) fma (of three) pick (mask, x, y)
    hide (mask, a, -inf|-3.4e38|-1.0e9): a mask as some write it, around everything else
    neg abs tanh sin cos erf atan exp exp2 log1p sqrt rsqrt pow sigmoid: of a tamed argument

What a kernel computes in f32 and the reference in double has to agree, so that magnitudes
are bounded: each number carries a bound, large ones are scaled down, and s takes part in
continuous functions alone.
"""

from . import masks
from .integers import draw as draw_integer
from .integers import emit as emit_integer
from .program import Float, Region
from .trees import tree

TWO = {"add": "addf", "sub": "subf", "mul": "mulf", "max": "maximumf", "min": "minimumf",
       "maxnum": "maxnumf", "minnum": "minnumf"}
ONE = {"neg", "abs", "tanh", "sin", "cos", "erf", "atan", "exp", "exp2", "log1p", "sqrt", "rsqrt",
       "pow", "sigmoid"}
NAMES = {"s", "scalar", "bias", "f", "flag", "fourier", "key", "sink", "alibi", "softcap", "div",
         "fma", "pick", "number", "hide"} | set(TWO) | ONE
INTEGERS = ("i", "j", "dist", "dist", "qpos", "kpos", "h", "b")


def draw_heads(random):
    return random.choice(["1", "kv", "q"])


def draw_named(random):
    """A term people write."""
    kind = random.choice(["fourier", "fourier", "key", "key", "sink", "alibi", "t5", "swin",
                          "relative", "dense", "fox", "kerple", "fire", "gated", "image"])
    heads, dist = draw_heads(random), tree("dist")
    difference = tree("isub", tree("i"), tree("j"))
    if kind == "fourier":
        return tree("fourier", heads, random.choice([1, 2, 3, 8]), random.choice(["all", "batch"]),
                    random.choice([dist, dist, difference, tree("isub", tree("qpos"), tree("j"))]))
    if kind == "key":
        return tree("key", heads, random.choice(["all", "all", "batch"]))
    if kind == "sink":
        return tree("sink", heads, random.choice([1, 4]), random.choice([1, 2]),
                    random.choice([1, 64, 1024]), tree("kpos"))
    if kind == "alibi":
        return tree("alibi", random.choice(["own", heads]), random.choice(["signed", "both"]),
                    random.choice([dist, difference]))
    if kind == "t5":
        n, far, both = random.choice([(32, 128, "both"), (32, 128, "past"), (8, 20, "both"),
                                      (2, 5, "past"), (64, 100, "both")])
        bucket = tree("t5", n, far, both, dist)
        return tree("bias", "f32", *random.choice([(bucket, tree("h")), (tree("h"), bucket)]))
    if kind in ("swin", "image"):
        width = random.choice([3, 7, 8, 12])
        dy, dx = (tree("isub", *(tree(op, tree(c), width) for c in "ij"))
                  for op in ("idiv", "irem"))
        if kind == "swin":
            return tree("bias", "f32", tree("h"), dy, dx)
        return tree("add", *(tree("fourier", heads, 2, "all", d) for d in (dy, dx)))
    if kind == "relative":
        return tree("bias", random.choice(["f32", "bf16"]), tree("h"),
                    random.choice([dist, difference, tree("iabs", dist)]))
    if kind == "dense":
        axes = [tree(c) for c in "bhij" if random.random() < 0.7]
        return tree("bias", random.choice(["f32", "f32", "bf16", "f16"]), *axes)
    if kind == "fox":
        return tree("sub", *(tree("bias", "f32", tree("b"), tree("h"), tree(c)) for c in "ij"))
    if kind == "kerple":
        return tree("neg", tree("mul", tree("bias", "f32", tree("h")),
                                tree(random.choice(["log1p", "pow", "sqrt"]), tree("f", dist))))
    if kind == "fire":
        return tree("mul", tree("bias", "f32", tree("h")),
                    tree("div", tree("log1p", tree("f", dist)),
                         tree("log1p", tree("f", tree("qpos")))))
    gate = random.choice([tree("bias", "f32", tree("b"), tree("h"), tree("i")),
                          tree("sigmoid", tree("bias", "f32", tree("h"), tree("i")))])
    return tree("mul", gate, tree("add", tree("fourier", heads, 2, "all", dist),
                                  tree("key", heads, "all")))


def draw_number(random, depth=0):
    """A random number without s."""
    def inner():
        return draw_number(random, depth + 1)

    names = ["f", "f", "bias", "bias", "scalar", "number", "flag"]
    if depth < 3:
        names += ["unary"] * 3 + list(TWO) + ["div", "fma", "pick", "named"]
    name = random.choice(names)
    if name == "named":
        return draw_named(random)
    if name == "f":
        return tree("f", draw_integer(random, INTEGERS, lambda: masks.draw(random, 3), 1))
    if name == "bias":
        return tree("bias", random.choice(["f32", "f32", "bf16", "f16"]),
                    *(draw_integer(random, INTEGERS, None, random.choice([1, 3, 3]))
                      for _ in range(random.choice([0, 1, 1, 2, 2, 3, 4]))))
    if name == "scalar":
        return tree("scalar", random.choice(["f32", "f32", "bf16", "f16"]),
                    random.choice([0.0, 0.5, -0.75, 1.25, -2.0]))
    if name == "number":
        return tree("number", random.choice([0.0, 1.0, -1.0, 0.5, -0.125, 3.0]))
    if name == "flag":
        return tree("flag", masks.draw(random, 2))
    if name == "unary":
        return tree(random.choice(sorted(ONE)), inner())
    if name == "fma":
        return tree(name, inner(), inner(), inner())
    if name == "pick":
        return tree(name, masks.draw(random, 2), inner(), inner())
    return tree(name, inner(), inner())


def draw(random):
    """A score region: s, and what is done to it one after another."""
    score = tree("s")
    for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
        term = (draw_named if random.random() < 0.6 else draw_number)(random)
        step = random.choice(["add"] * 8 + ["radd", "sub", "mul", "softcap", "softcap", "max",
                                            "min", "pick", "tanh", "abs"])
        if step == "radd":
            score = tree("add", term, score)
        elif step == "mul":
            score = tree("mul", score, tree("tanh", term))
        elif step == "softcap":
            score = tree("softcap", score, random.choice([1.0, 5.0, 30.0]))
        elif step == "pick":
            score = tree("pick", masks.draw(random, 2), score, tree("add", score, term))
        elif step in ("tanh", "abs"):
            score = tree(step, score)
        else:
            score = tree(step, score, term)
    if random.random() < 0.1:
        return tree("hide", masks.draw(random, 2), score,
                    random.choice(["-inf", "-3.4e38", "-1.0e9"]))
    return score


def heads_of(region, node):
    p = region.program
    return {"1": 1, "kv": p.Hkv, "q": p.Hq}[node.name]


def emit(region, node):
    """Writes an expression; a Float."""
    name, args = node
    p = region.program
    if name == "s":
        return Float("%s", p.score_limit)
    if name == "number":
        return region.number(args[0].number())
    if name == "scalar":
        value = p.number("x", args[0].name, args[1].name)
        return Float(widen(region, value, args[0].name), abs(args[1].number()))
    if name == "bias":
        indices = [emit_integer(region, x, masks.emit) for x in args[1:]]
        value = region.capture("bias", args[0].name, indices)
        return Float(widen(region, value, args[0].name), 5)
    if name == "f":
        index = emit_integer(region, args[0], masks.emit)
        limit = max(-index.low, index.high)
        type = "i32" if limit < 2**31 else "i64"
        return Float(region.let(f"arith.sitofp {region.cast(index, type)} : {type} to f32"), limit)
    if name == "flag":
        return Float(region.let(f"arith.uitofp {masks.emit(region, args[0])} : i1 to f32"), 1)
    if name in ("fourier", "key", "sink", "alibi"):
        return {"fourier": fourier, "key": key, "sink": sink, "alibi": alibi}[name](region, args)
    if name == "softcap":
        cap = args[1].number()
        return Float(region.let(f"goat.softcap {emit(region, args[0]).name}, "
                                f"{region.number(cap).name}"), cap)
    if name == "pick":
        condition = masks.emit(region, args[0])
        a, b = (emit(region, x) for x in args[1:])
        return Float(region.let(f"arith.select {condition}, {a.name}, {b.name} : f32"),
                     max(a.limit, b.limit))
    values = [term(region, x) for x in args]
    if name in TWO:
        return two(region, name, *values)
    if name == "div":
        a, b = values
        one = Float(region.let(f"math.absf {b.name} : f32"), b.limit)
        b = two(region, "add", one, region.number(1))
        return Float(region.let(f"arith.divf {a.name}, {b.name} : f32"), a.limit)
    if name == "fma":
        a, b, c = values
        return Float(region.let(f"math.fma {a.name}, {b.name}, {c.name} : f32"),
                     a.limit * b.limit + c.limit)
    if name in ONE:
        return one_argument(region, name, values[0])
    raise ValueError(f"expected a score but got '{node}'")


def contains_score(node):
    return node.name == "s" or any(contains_score(arg) for arg in node.args)


def term(region, node):
    """An operand: what s does not take part in is tamed, in f32 more than in 16 bits."""
    value = emit(region, node)
    if contains_score(node):
        return value
    return region.within(value, 6 if region.program.choices["dtype"] == "f32" else 12)


def two(region, name, a, b):
    limit = a.limit * b.limit if name == "mul" else a.limit + b.limit
    return Float(region.let(f"arith.{TWO[name]} {a.name}, {b.name} : f32"), limit)


def one_argument(region, name, x):
    def let(text, limit):
        return Float(region.let(text), limit)

    if name in ("neg", "abs"):
        return let(f"{'arith.negf' if name == 'neg' else 'math.absf'} {x.name} : f32", x.limit)
    if name in ("tanh", "sin", "cos", "erf", "atan"):
        return let(f"math.{name} {x.name} : f32", min(x.limit, 1.6) if name != "cos" else 1)
    absolute = let(f"math.absf {x.name} : f32", x.limit)
    if name in ("exp", "exp2"):
        negative = let(f"arith.negf {absolute.name} : f32", x.limit)
        return let(f"math.{name} {negative.name} : f32", 1)
    if name == "log1p":
        return let(f"math.log1p {absolute.name} : f32", x.limit)
    if name == "sigmoid":
        negative = let(f"arith.negf {x.name} : f32", x.limit)
        power = let(f"math.exp {negative.name} : f32", 1)
        bottom = let(f"arith.addf {region.number(1).name}, {power.name} : f32", 1)
        return let(f"arith.divf {region.number(1).name}, {bottom.name} : f32", 1)
    positive = two(region, "add", absolute, region.number(1))
    if name == "pow":
        return let(f"math.powf {positive.name}, {region.number(0.75).name} : f32", positive.limit)
    return let(f"math.{name} {positive.name} : f32", positive.limit)


def widen(region, value, element):
    return value if element == "f32" else region.let(f"arith.extf {value} : {element} to f32")


def parameter(region, stem, shape):
    """A captured tensor of static shape but for the axes it is given as text."""
    p = region.program
    type = f"tensor<{''.join(f'{n}x' for n in shape)}f32>"
    return p.argument(p.fresh(stem), type), type


def fourier(region, args):
    p = region.program
    heads, count = heads_of(region, args[0]), args[1].integer()
    shape = ([p.dim("B")] if args[2].name == "batch" else []) + [heads, count]
    (alpha, type), (beta, _) = (parameter(region, stem, shape) for stem in ("alpha", "beta"))
    omega, omega_type = parameter(region, "omega", [count])
    p.give(omega[1:], [count], [10 ** (-4 * r / max(count - 1, 1)) for r in range(count)], "f")
    delta = region.cast(emit_integer(region, args[3], masks.emit), "index")
    return Float(region.let(f"goat.fourier_prior {alpha}, {beta}, {omega} at (%b, %h) distance "
                            f"{delta} : {type}, {type}, {omega_type}"), 3 * count)


def key(region, args):
    p = region.program
    shape = ([p.dim("B")] if args[1].name == "batch" else []) + [heads_of(region, args[0]),
                                                                p.dim("Lk")]
    table, type = parameter(region, "u", shape)
    return Float(region.let(f"goat.key_prior {table} at (%b, %h, %j) : {type}"), 5)


def sink(region, args):
    heads, units, count = heads_of(region, args[0]), args[1].integer(), args[2].integer()
    shapes = {"gain": [heads], "bump": [heads], "weight_in": [units, 2 * count + 2],
              "bias_in": [units], "weight_out": [units], "bias_out": [1], "omega": [count]}
    names, types = zip(*(parameter(region, stem, shape) for stem, shape in shapes.items()))
    gain, bump, weight_in, bias_in, weight_out, bias_out, omega = names
    length = region.number(args[3].number())
    position = emit_integer(region, args[4], masks.emit)
    at = region.cast(position, "index")
    value = region.let(f"goat.sink_prior {gain}, {bump}, mlp({weight_in}, {bias_in}, {weight_out}, "
                       f"{bias_out}) frequencies {omega} length {length.name} at (%h, {at}) : "
                       f"{', '.join(types)}")
    return Float(value, 40 + 125 * units * max(0, position.high) / args[3].number())


def alibi(region, args):
    index = emit_integer(region, args[2], masks.emit)
    delta, slopes, steep = region.cast(index, "index"), "", 1
    if args[0].name != "own":
        name, type = parameter(region, "slopes", [heads_of(region, args[0])])
        slopes, steep = f"slopes({name} : {type}) ", 5
    both = " {symmetric}" if args[1].name == "both" else ""
    value = region.let(f"goat.alibi {slopes}at (%h) distance {delta}{both}")
    return Float(value, max(-index.low, index.high) * steep)


def hide(region, value, node):
    condition = masks.emit(region, node.args[0])
    hidden = region.constant({"-inf": "0xFF800000"}.get(node.args[2].name, node.args[2].name),
                             "f32")
    return Float(region.let(f"arith.select {condition}, {value.name}, {hidden} : f32"),
                 value.limit)


def emit_region(program, node):
    """The score region's text."""
    region = Region(program, "bhij")
    # What is hidden is not scaled.
    inner = node.args[1] if node.name == "hide" else node
    value = region.within(emit(region, inner), 40 if program.choices["dtype"] == "f32" else 100)
    if node.name == "hide":
        value = hide(region, value, node)
    lines = region.lines + [f"goat.yield {value.name} : f32"]
    return ("score {\n    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):\n      "
            + "\n      ".join(lines) + "\n    }")
