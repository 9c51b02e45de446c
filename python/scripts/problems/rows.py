# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done to rows: load regions, exclusions and the own row.

    chain (step, ...)  steps one after another

Of a row of query or key:
    rope (pairs, first, halves|neighbours, magnitude, x)    rms (weight|plain)    l2
    gather (flip|shift|swap)    gain: times tanh of a number per head
    columns: times tanh of a captured row    slope: times (1 + column / D) / 2
Of a finished row:
    xsa (clamp|add|where, eps, strength)   gate (strength): times a number or a row
    rms  max: minus its largest   softmax  mean: minus its mean   own (c): plus c times own
    plus: a captured row    weigh (flip|shift|swap): times a captured row, in another order
    dot: plus a part of its product with a captured row    abs    tanh    slope
    strength: one, const(c), head, token, given(c): a scalar of the function, element(bf16),
    each also in tanh_of() or sigmoid_of()
"""

from . import masks
from .integers import draw as draw_integer
from .integers import emit as emit_integer
from .program import Region
from .trees import tree

STRENGTHS = {"one", "const", "head", "token", "given", "element", "tanh_of", "sigmoid_of"}


def draw_load(random, D, row):
    """Steps for a row of query ("i") or of key ("j")."""
    position = {"i": "qpos", "j": "kpos"}[row]
    steps = []
    for _ in range(random.choice([1, 1, 2, 3])):
        name = random.choice(["rope"] * 3 + ["rms", "rms", "l2", "gather", "gain", "columns",
                                              "slope"])
        if name == "rope" and D > 1:
            pairs = random.choice([1, max(1, D // 4), D // 2])
            first = random.choice([0, 0, D - 2 * pairs, (D - 2 * pairs) // 2])
            at = random.choice([tree(position), tree(position), tree(row),
                                tree("irem", tree(row), 7), tree("idiv", tree(row), 7),
                                tree("irem", draw_integer(random, (row, position, "b", "h"),
                                                          None, 1), 500)])
            steps.append(tree("rope", pairs, first, random.choice(["halves", "neighbours"]),
                              random.choice([1.0, 1.0, 1.125]), at))
        elif name == "rms":
            steps.append(tree(name, random.choice(["plain", "weight"])))
        elif name == "gather":
            steps.append(tree(name, random.choice(["flip", "shift", "swap"])))
        elif name != "rope":
            steps.append(tree(name))
    return tree("chain", *steps) if steps else tree("chain", "gain")


def draw_exclusion(random, Dv, is_near_one):
    """is_near_one: whether rows are small enough for an exponential."""
    steps = []
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        name = random.choice(["xsa"] * 5 + ["gate"] * 3 + [
            "rms", "max", "softmax" if is_near_one else "max", "own", "plus", "tanh", "weigh", "dot", "abs", "slope"]
            + (["mean"] if Dv > 7 else []))
        strength = random.choice([tree("const", random.choice([0.5, 0.0, -1.0, 2.0])),
                                  tree("head"), tree("token"), tree("given", 0.75)])
        if random.random() < 0.3:
            strength = tree(random.choice(["tanh_of", "sigmoid_of"]), strength)
        if name == "xsa":
            steps.append(tree(name, random.choice(["clamp", "add", "where"]),
                              random.choice([1e-12, 1e-12, 1e-6, 0.5, 1e-30]),
                              random.choice([tree("one"), tree("one"), strength])))
        elif name == "gate":
            steps.append(tree(name, random.choice(
                [strength, tree("sigmoid_of", tree("element", "bf16")), tree("element", "f32"),
                 tree("tanh_of", tree("element", "f16"))])))
        elif name == "weigh":
            steps.append(tree(name, random.choice(["flip", "shift", "swap"])))
        elif name == "own":
            steps.append(tree(name, random.choice([0.5, -0.5])))
        else:
            steps.append(tree(name))
    return tree("chain", *steps)


def draw_own(random):
    return draw_integer(random, ("i", "qpos"), None, 2)


class Row:
    """The row of a region while steps are applied to it."""

    def __init__(self, region, name, width, own=None):
        self.region, self.name, self.width, self.own = region, name, width, own
        self.type = f"tensor<{width}xf32>"

    def let(self, text):
        return self.region.let(f"{text} : {self.type}")

    def splat(self, number):
        return self.let(f"tensor.splat {number}")

    def captured(self, stem):
        p = self.region.program
        return p.argument(p.fresh(stem), self.type)

    def strength(self, node):
        """(name, whether it is a row) of a strength."""
        name, args = node
        region, p = self.region, self.region.program
        b, h, i = (region.indices[c] for c in "bhi")
        if name == "const":
            return region.number(args[0].number()).name, False
        if name == "one":
            return region.number(1).name, False
        if name == "given":
            return p.number("x", "f32", args[0].name), False
        if name == "head":
            return region.capture("strength", "f32", [h]), False
        if name == "token":
            return region.capture("strength", "f32", [b, h, i]), False
        if name == "element":
            element, gate = args[0].name, p.fresh("gate")
            dims = [p.dim("B"), str(p.Hq), p.dim("Lq"), str(self.width)]
            p.argument(gate, f"tensor<{'x'.join(dims)}x{element}>")
            row = region.let(
                f"tensor.extract_slice %{gate}[%b, %h, %i, 0] [1, 1, 1, {self.width}] [1, 1, 1, 1] "
                f": tensor<{'x'.join(dims)}x{element}> to tensor<{self.width}x{element}>")
            if element != "f32":
                row = region.let(f"arith.extf {row} : tensor<{self.width}x{element}> to "
                                 f"{self.type}")
            return row, True
        value, is_row = self.strength(args[0])
        type = self.type if is_row else "f32"
        if name == "tanh_of":
            return region.let(f"math.tanh {value} : {type}"), is_row
        one = region.let("arith.constant " + ("dense<1.0>" if is_row else "1.0") + f" : {type}")
        negative = region.let(f"arith.negf {value} : {type}")
        power = region.let(f"math.exp {negative} : {type}")
        bottom = region.let(f"arith.addf {one}, {power} : {type}")
        return region.let(f"arith.divf {one}, {bottom} : {type}"), is_row

    def scaled_by(self, factor):
        """The row times a number."""
        return self.let(f"arith.mulf {self.name}, {self.splat(factor)}")

    def step(self, node):
        name, args = node
        self.name = getattr(self, "do_" + name)(*args)

    # Steps of load regions.

    def do_rope(self, pairs, first, pairing, magnitude, at):
        region, p = self.region, self.region.program
        count = pairs.integer()
        omega = p.argument(p.fresh("omega"), f"tensor<{count}xf32>")
        p.give(omega[1:], [count], [10 ** (-4 * r / count) for r in range(count)], "f")
        position = region.cast(emit_integer(region, at, masks.emit), "index")
        return region.let(
            f"goat.rope {self.name}, {omega} position {position} {{pairing = #goat.pairing<"
            f"{pairing}>, first = {first} : i64, magnitude = {magnitude} : f32}} : {self.type}, "
            f"tensor<{count}xf32>")

    def do_l2(self):
        return self.let(f"goat.l2_norm {self.name}")

    def do_gather(self, how, source=None):
        region, type = self.region, f"tensor<{self.width}xi32>"
        columns = region.let(f"goat.columns : {type}")
        number, op = {"flip": (self.width - 1, "subi"), "shift": (1, "addi"),
                      "swap": (1, "xori")}[how.name]
        other = region.let(f"arith.constant dense<{number}> : {type}")
        operands = f"{other}, {columns}" if op == "subi" else f"{columns}, {other}"
        at = region.let(f"arith.{op} {operands} : {type}")
        return region.let(f"goat.gather_row {source or self.name}[{at}] : {self.type}, {type} -> "
                          f"{self.type}")

    def do_gain(self):
        gain = self.region.capture("gain", "f32", [self.region.indices["h"]])
        return self.scaled_by(self.region.let(f"math.tanh {gain} : f32"))

    def do_slope(self):
        type = f"tensor<{self.width}xi32>"
        columns = self.region.let(f"goat.columns : {type}")
        numbers = self.region.let(f"arith.sitofp {columns} : {type} to {self.type}")
        part = self.splat(self.region.number(0.5 / self.width).name)
        half = self.splat(self.region.number(0.5).name)
        return self.let(f"arith.mulf {self.name}, {self.let(f'math.fma {numbers}, {part}, {half}')}")

    def do_columns(self):
        factors = self.let(f"math.tanh {self.captured('columns')}")
        return self.let(f"arith.mulf {self.name}, {factors}")

    # Steps of exclusions, but for the norm, which both have.

    def do_rms(self, weight=None):
        if weight is not None:
            given = ""
            if weight.name == "weight":
                captured = self.captured("weight")
                given = f" weight({self.let(f'math.tanh {captured}')} : {self.type})"
            return self.let(f"goat.rms_norm {self.name}{given}")
        region = self.region
        squares = self.let(f"arith.mulf {self.name}, {self.name}")
        total = self.let(f"goat.row_sum {squares}")
        mean = region.let(f"math.fma {total}, {region.number(1 / self.width).name}, "
                          f"{region.number(0.01).name} : f32")
        return self.scaled_by(region.let(f"math.rsqrt {mean} : f32"))

    def do_xsa(self, mode, eps, strength):
        given = f" strength({self.strength(strength)[0]})" if strength.name != "one" else ""
        return self.let(f"goat.xsa {self.name}, {self.own}{given} {{eps_mode = #goat.eps_mode<"
                        f"{mode}>, eps = {eps.number():.8e} : f32}}")

    def do_gate(self, strength):
        value, is_row = self.strength(strength)
        return self.let(f"arith.mulf {self.name}, {value}") if is_row else self.scaled_by(value)

    def less(self, number):
        return self.let(f"arith.subf {self.name}, {self.splat(number)}")

    def do_max(self):
        return self.less(self.let(f"goat.row_max {self.name}"))

    def do_mean(self):
        total = self.let(f"goat.row_sum {self.name}")
        part = self.region.number(1 / self.width)
        return self.less(self.region.let(f"arith.mulf {total}, {part.name} : f32"))

    def do_softmax(self):
        powers = self.let(f"math.exp {self.do_max()}")
        total = self.let(f"goat.row_sum {powers}")
        return self.let(f"arith.divf {powers}, {self.splat(total)}")

    def do_own(self, factor):
        number = self.region.number(factor.number()).name
        part = self.let(f"arith.mulf {self.own}, {self.splat(number)}")
        return self.let(f"arith.addf {self.name}, {part}")

    def do_plus(self):
        return self.let(f"arith.addf {self.name}, {self.captured('plus')}")

    def do_weigh(self, how):
        return self.let(f"arith.mulf {self.name}, {self.do_gather(how, self.captured('weight'))}")

    def do_dot(self):
        products = self.let(f"arith.mulf {self.name}, {self.captured('other')}")
        total = self.let(f"goat.row_sum {products}")
        # As long a row as the first, so that errors of the sum do not drown it.
        part = self.region.number(self.width ** -0.5)
        scaled = self.region.let(f"arith.mulf {total}, {part.name} : f32")
        return self.let(f"arith.addf {self.name}, {self.splat(scaled)}")

    def do_abs(self):
        return self.let(f"math.absf {self.name}")

    def do_tanh(self):
        return self.let(f"math.tanh {self.name}")


def emit_load(program, node, row):
    """The text of load_q (row "i") or load_k (row "j")."""
    region = Region(program, "bhj" if row == "j" else "bhi")
    if row == "j":
        region.indices["h"] = region.indices["h"]._replace(high=program.Hkv - 1)
    return emit_steps(region, node, f"load_{'k' if row == 'j' else 'q'}", program.D, row, "row")


def emit_exclusion(program, node):
    return emit_steps(Region(program, "bhi"), node, "exclude", program.Dv, "i", "row", "own")


def emit_steps(region, node, keyword, width, last, *rows):
    row = Row(region, "%" + rows[0], width, "%own")
    for step in node.args:
        row.step(step)
    heading = ", ".join([f"%{name}: {row.type}" for name in rows]
                        + ["%b: index", "%h: index", f"%{last}: index"])
    lines = region.lines + [f"goat.yield {row.name} : {row.type}"]
    return f"{keyword} {{\n    ^bb0({heading}):\n      " + "\n      ".join(lines) + "\n    }"


def emit_own(program, node):
    region = Region(program, "bhi")
    name = region.cast(emit_integer(region, node, masks.emit), "index")
    lines = region.lines + [f"goat.yield {name} : index"]
    return ("own {\n    ^bb0(%b: index, %h: index, %i: index):\n      "
            + "\n      ".join(lines) + "\n    }")


def reads_own(node):
    return any(step.name in ("xsa", "own") for step in node.args)
