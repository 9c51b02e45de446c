# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions over (b, h, i, j) that say whether a query sees a key.

    causal   past (causal with the index of the rows)   true false
    window (left, right, dilation); a width is -, a number, or run(n): known at run time
    prefix (n) with n a number, run(n) or batch(n): one per batch entry
    documents (sorted|any, rank)      grid (extents, kernel): grid(4x5,3x3)
    cmp (predicate, x, y) of integers     seen (x, ...): a captured tensor of i1
    above (x, ...): a captured number is more than 0, at indices
    switch (0|1): a truth value known at run time
    and or xor (of two)  not   ifelse (mask, mask, mask)
"""

from .integers import draw as draw_integer
from .integers import emit as emit_integer
from .trees import tree

NAMES = {"causal", "past", "true", "false", "window", "prefix", "documents", "grid", "cmp",
         "seen", "above", "switch", "and", "or", "xor", "not", "ifelse"}
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge")


def draw_width(random):
    value = random.choice([-3, 0, 0, 1, 4, 16, 31, 64, 100, 1000])
    kind = random.choice(["-", "", "", "run"])
    return "-" if kind == "-" else tree("run", value) if kind else value


LEAVES = ("i", "j", "i", "j", "b", "h", "qpos", "kpos", "dist")


def draw(random, depth=0):
    """A random mask; at a depth of 3 without parts."""
    def inner():
        return draw(random, depth + 1)

    names = ["causal", "causal", "causal", "window", "window", "prefix", "documents", "grid",
             "cmp", "cmp", "seen", "past", "above", "switch"]
    if depth < 3:
        names += ["and"] * 3 + ["or"] * 3 + ["not", "xor", "ifelse"]
    name = random.choice(names)
    if name in ("and", "or", "xor"):
        return tree(name, inner(), inner())
    if name == "not":
        return tree(name, inner())
    if name == "ifelse":
        return tree(name, inner(), inner(), inner())
    if name == "switch":
        return tree(name, random.choice([0, 1, 1]))
    if name == "window":
        left, right = draw_width(random), draw_width(random)
        dilation = random.choice([1, 1, 2, 3, 16])
        return tree(name, 5 if left == right == "-" and dilation == 1 else left, right, dilation)
    if name == "prefix":
        n = random.choice([0, 1, 5, 16, 64, 70])
        return tree(name, random.choice([n, tree("run", n), tree("batch", n)]))
    if name == "documents":
        return tree(name, random.choice(["sorted", "sorted", "any"]), random.choice([1, 2]))
    if name == "grid":
        axes = random.choice([1, 2, 2, 3])
        extents = [random.choice([1, 3, 4, 7, 12] if axes > 1 else [40, 64, 100, 130])
                   for _ in range(axes)]
        kernel = [random.choice([k for k in (1, 3, 5, 7, 31) if k <= extent])
                  for extent in extents]
        return tree(name, "x".join(map(str, extents)), "x".join(map(str, kernel)))
    if name == "cmp":
        return tree(name, random.choice(PREDICATES), draw_integer(random, LEAVES, inner, 1),
                    draw_integer(random, LEAVES, inner, 1))
    if name in ("seen", "above"):
        return tree(name, *(draw_integer(random, LEAVES, None, 2)
                            for _ in range(random.choice([1, 2, 2, 3, 4]))))
    return tree(name)


def number(region, node, type="i32"):
    """A number that is constant, a scalar of the function, or one per batch entry."""
    p = region.program
    if node.name == "run":
        return p.number("width", type, node.args[0].name)
    if node.name == "batch":
        most = node.args[0].integer() + 1
        return region.capture("lengths", type, [region.indices["b"]],
                              lambda numbers: numbers.randrange(most))
    return region.constant(node.name, type)


def emit(region, node):
    """Writes an expression; the name of an i1."""
    name, args = node
    if name == "causal":
        return region.let("goat.causal_mask %b, %i, %j")
    if name == "past":
        return region.let("arith.cmpi sle, %j, %i : index")
    if name in ("true", "false"):
        return region.let(f"arith.constant {name}")
    if name in ("and", "or", "xor"):
        a, b = (emit(region, x) for x in args)
        return region.let(f"arith.{name}i {a}, {b} : i1")
    if name == "not":
        a, one = emit(region, args[0]), region.let("arith.constant true")
        return region.let(f"arith.xori {a}, {one} : i1")
    if name == "ifelse":
        a, b, c = (emit(region, x) for x in args)
        return region.let(f"arith.select {a}, {b}, {c} : i1")
    if name == "switch":
        return region.program.number("switch", "i1", args[0].name)
    if name == "window":
        widths = [f" {side}({number(region, width)})"
                  for side, width in zip(("left", "right"), args) if width.name != "-"]
        dilation = f" dilation {args[2]}" if args[2].integer() > 1 else ""
        return region.let(f"goat.window_mask %b, %i, %j{''.join(widths)}{dilation}")
    if name == "prefix":
        return region.let(f"goat.prefix_mask %b, %j length({number(region, args[0])})")
    if name == "documents":
        return documents(region, args[0].name == "sorted", args[1].integer())
    if name == "grid":
        extents, kernel = (x.name.replace("x", ", ") for x in args)
        return region.let(f"goat.neighborhood_mask %b, %i, %j grid [{extents}] kernel [{kernel}]")
    if name == "cmp":
        x, y = (emit_integer(region, a, emit) for a in args[1:])
        type = region.program.choices["integers"]
        if type == "i32" and max(-x.low, x.high, -y.low, y.high) >= 2**31:
            type = "index"
        return region.let(f"arith.cmpi {args[0].name}, {region.cast(x, type)}, "
                          f"{region.cast(y, type)} : {type}")
    indices = [emit_integer(region, x, emit) for x in args]
    if name == "seen":
        return region.capture("seen", "i1", indices, lambda numbers: numbers.random() < 0.6)
    if name == "above":
        value, zero = region.capture("level", "f32", indices), region.constant("0.0", "f32")
        return region.let(f"arith.cmpf ogt, {value}, {zero} : f32")
    raise ValueError(f"expected a mask but got '{node}'")


def documents(region, is_sorted, rank):
    p = region.program
    names, types = [], []
    for side, axis in (("query", "Lq"), ("key", "Lk")):
        name = p.fresh(f"{side}_ids")
        shape, dims = [p.size(axis)], [p.dim(axis)]
        if rank == 2:
            shape, dims = [p.B] + shape, [p.dim("B")] + dims
        numbers, ids = p.random(name), []
        for _ in range(shape[0] if rank == 2 else 1):
            row = [numbers.randrange(4) for _ in range(shape[-1])]
            ids += sorted(row) if is_sorted else row
        types.append(f"tensor<{'x'.join(dims)}xi32>")
        names.append(p.argument(name, types[-1]))
        p.give(name, shape, ids, "i")
    return region.let(f"goat.document_mask {'sorted ' if is_sorted else ''}{names[0]}, {names[1]} "
                      f"at (%b, %i, %j) : {types[0]}, {types[1]}")
