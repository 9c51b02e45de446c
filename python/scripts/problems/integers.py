# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions over the coordinates of a region that give an integer.

    b h i j          coordinates              qpos kpos dist    positions, their difference
    iadd isub imax imin  of two               imul idiv irem iand ior ixor (x, constant)
    iabs ineg        of one                   isel (mask, x, y)
    take (i32, x, ...)  an element of a captured tensor of integers, at any indices
    iscalar (i32, n)  a captured number       t5 (buckets, distance, both|past, x)
"""

from .program import Index
from .trees import tree

NAMES = {"b", "h", "i", "j", "qpos", "kpos", "dist", "iadd", "isub", "imax", "imin", "imul", "idiv",
         "irem", "iand", "ior", "ixor", "iabs", "ineg", "isel", "take", "iscalar", "t5", "int"}


def draw(random, leaves, mask=None, depth=0):
    """A random expression over some leaves; mask draws a condition."""
    def inner():
        return draw(random, leaves, mask, depth + 1)

    names = list(leaves)
    if depth < 3:
        names += ["iadd", "isub", "imax", "imin", "imul", "idiv", "irem", "idiv", "irem", "iand",
                  "ior", "ixor", "iabs", "ineg", "take", "iscalar", "int"]
        names += ["isel"] if mask else []
    name = random.choice(names)
    if name in leaves:
        return tree(name)
    if name in ("iadd", "isub", "imax", "imin"):
        return tree(name, inner(), inner())
    if name in ("imul", "idiv", "irem", "iand", "ior", "ixor"):
        return tree(name, inner(), random.choice([2, 3, 4, 5, 7, 8, 16, 24, 64]))
    if name in ("iabs", "ineg"):
        return tree(name, inner())
    if name == "isel":
        return tree(name, mask(), inner(), inner())
    if name == "take":
        return tree(name, random.choice(["i32", "i32", "i64", "i8"]),
                    *(inner() for _ in range(random.choice([0, 1, 1, 1, 2, 3]))))
    if name == "iscalar":
        return tree(name, random.choice(["i32", "i64", "i8", "index"]),
                    random.choice([0, 1, 3, 17, 64, 100]))
    return tree("int", random.choice([-70, -7, -1, 0, 1, 2, 5, 16, 63, 64, 100]))


def positions(region, query):
    """The positions of query or key rows: (range of offsets, Index)."""
    p = region.program
    offsets = (p.q_offset if query else p.k_offset) or [0]
    row = region.indices["i" if query else "j"]
    op = "goat.query_position" if query else "goat.key_position"
    return Index(region.let(f"{op} %b, {row.name}"), min(offsets), max(offsets) + row.high)


def distance(region):
    p = region.program
    differences = [q - k for q, k in zip(p.q_offset, p.k_offset)] or [0]
    return Index(region.let("goat.distance %b, %i, %j"),
                 min(differences) - region.indices["j"].high,
                 max(differences) + region.indices["i"].high)


def emit(region, node, emit_mask):
    """Writes an expression; an Index."""
    name, args = node
    if name in region.indices:
        return region.indices[name]
    if name == "qpos":
        return positions(region, True)
    if name == "kpos":
        return positions(region, False)
    if name == "dist":
        return distance(region)
    if name == "int":
        value = args[0].integer()
        return Index(region.constant(value, "index"), value, value)
    if name == "take":
        most = 3 if args[0].name == "i8" else 40
        found = region.capture("table", args[0].name,
                               [emit(region, x, emit_mask) for x in args[1:]],
                               lambda numbers: numbers.randrange(most))
        return Index(found, 0, most - 1, args[0].name)
    if name == "iscalar":
        value = args[1].integer()
        return Index(region.program.number("n", args[0].name, value), value, value, args[0].name)
    if name == "t5":
        n, far, both = args[0].integer(), args[1].integer(), args[2].name == "both"
        at = region.cast(emit(region, args[3], emit_mask), "index")
        attributes = (f"buckets = {n} : i32, max_distance = {far} : i32"
                      + (", bidirectional" if both else ""))
        return Index(region.let(f"goat.t5_bucket {at} {{{attributes}}}"), 0, n - 1)
    if name == "isel":
        condition = emit_mask(region, args[0])
        left, right = (emit(region, x, emit_mask) for x in args[1:])
        type, (a, b) = common(region, left, right, min(left.low, right.low),
                              max(left.high, right.high))
        return Index(region.let(f"arith.select {condition}, {a}, {b} : {type}"),
                     min(left.low, right.low), max(left.high, right.high), type)
    return arithmetic(region, name, [emit(region, x, emit_mask) if x.name in NAMES
                                     else constant(x.integer()) for x in args])


def constant(value):
    """A number that is written where its type is known."""
    return Index("", value, value, "constant")


def common(region, left, right, low, high):
    """(type, names) in which two integers meet; i32 only where all values fit."""
    type = region.program.choices["integers"]
    if type == "i32" and min(low, left.low, right.low, -high, -left.high, -right.high) < -2**31:
        type = "index"
    if type == "i32" and "i64" in (left.type, right.type):
        type = "i64"
    return type, [region.cast(left, type), region.cast(right, type)]


def arithmetic(region, name, values):
    name = name[1:]
    x = values[0]
    y = values[1] if len(values) == 2 else constant(0)
    corners = [(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    if name == "add":
        op, results = "arith.addi", [a + b for a, b in corners]
    elif name in ("sub", "neg"):
        if name == "neg":
            x, y, corners = y, x, [(b, a) for a, b in corners]
        op, results = "arith.subi", [a - b for a, b in corners]
    elif name == "mul":
        op, results = "arith.muli", [a * b for a, b in corners]
    elif name == "max":
        op, results = "arith.maxsi", [max(x.low, y.low), max(x.high, y.high)]
    elif name == "min":
        op, results = "arith.minsi", [min(x.low, y.low), min(x.high, y.high)]
    elif name == "abs":
        results = [0 if x.low <= 0 <= x.high else min(abs(x.low), abs(x.high)),
                   max(abs(x.low), abs(x.high))]
        return Index(region.let(f"math.absi {x.name} : {x.type}"), *results, x.type)
    elif name == "div":
        op = "arith.divui" if x.low >= 0 else "arith.floordivsi"
        results = [a // b for a, b in corners]
    elif name == "rem":
        op = "arith.remui" if x.low >= 0 else "arith.remsi"
        results = [0 if x.low >= 0 else 1 - y.high, y.high - 1]
    else:
        # Bits of numbers in two's complement, as many as the larger one has.
        op = f"arith.{name}i"
        bits = max(v.bit_length() for v in (x.low, x.high, y.low, y.high))
        results = [-(1 << bits) if min(x.low, y.low) < 0 else 0, (1 << bits) - 1]
    low, high = min(results), max(results)
    type, (a, b) = common(region, x, y, low, high)
    return Index(region.let(f"{op} {a}, {b} : {type}"), low, high, type)
