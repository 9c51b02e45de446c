# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One problem as a file of the goat dialect, files of inputs, and flags of goat-run."""

import math

from . import masks, rows, scores
from .program import Program
from .trees import parse

OPTIONS = ("warps", "tile_rows", "tile_keys", "stages", "strip", "key_terms", "mask_index",
           "f32_product")
DEFAULTS = {0, "auto", "exact"}


def write(choices, folder):
    """Writes layer.mlir and inputs; the compiler's flags for it, and those that goat-run takes
    beside them."""
    program = Program(choices, folder)
    operands, attributes = [], []
    types = declare_tensors(program)
    declare_operands(program, operands, attributes)
    give_tensors(program)
    regions = []
    for name in ("load_q", "load_k", "score", "mask", "exclude", "own"):
        if choices[name] != "none":
            regions.append(region_text(program, name, parse(choices[name])))
    result = ["%out"] + (["%lse"] if choices["lse"] == "yes" else [])
    lse_type = f"tensor<{program.dim('B')}x{program.Hq}x{program.dim('Lq')}xf32>"
    result_types = [types["out"]] + [lse_type] * (len(result) - 1)
    named = [f'{type} {{goat.name = "{name[1:]}"'
             + (", goat.strided}" if name == "%out" and choices["stride_out"] != "no" else "}")
             for name, type in zip(result, result_types)]
    parameters = ", ".join(f'%{name}: {type} {{goat.name = "{name}"{more}}}'
                           for name, type, more in program.arguments)
    inputs = ", ".join(types[name] for name in ("query", "key", "value"))
    # In the order of the op's assembly format.
    order = ("scale", "sink", "q_offset", "k_offset", "q_lengths", "k_lengths")
    operands.sort(key=lambda operand: order.index(operand.split("(")[0]))
    text = (f"func.func @layer({parameters})\n    -> ({', '.join(named)}) {{\n"
            f"  {', '.join(result)} = goat.attention %query, %key, %value "
            f"{' '.join(operands)}\n    "
            + "\n    ".join(regions)
            + (f"\n    attributes {{{', '.join(attributes)}}}" if attributes else "")
            + f"\n    : ({inputs})\n    -> ({', '.join(result_types)})\n"
            f"  return {', '.join(result)} : {', '.join(result_types)}\n}}\n")
    (folder / "layer.mlir").write_text(text, encoding="utf-8")
    flags = program.flags + ["--seed", str(choices["seed"])]
    for axis in ("B", "Lq", "Lk"):
        flags += ["--size", f"{axis}={choices[axis]}"]
    return compile_flags(choices), flags


def compile_flags(choices):
    return [f"--target={choices['chip']}"] + [
        f"--{name.replace('_', '-')}={choices[name]}" for name in OPTIONS
        if choices[name] not in DEFAULTS]


def region_text(program, name, node):
    if name == "score":
        return scores.emit_region(program, node)
    if name == "mask":
        region = rows.Region(program, "bhij")
        value = masks.emit(region, node)
        return ("mask {\n    ^bb0(%b: index, %h: index, %i: index, %j: index):\n      "
                + "\n      ".join(region.lines + [f"goat.yield {value} : i1"]) + "\n    }")
    if name == "exclude":
        return rows.emit_exclusion(program, node)
    if name == "own":
        return rows.emit_own(program, node)
    return rows.emit_load(program, node, "i" if name == "load_q" else "j")


def axes_of(program, heads, length, width):
    """(sizes, as a type spells them) of query, key, value or out."""
    b, l = program.dim("B"), program.dim(length)
    sizes = [program.B, heads, program.size(length), width]
    dims = [b, str(heads), l, str(width)]
    if program.choices["layout"] == "bshd":
        for axes in (sizes, dims):
            axes[1], axes[2] = axes[2], axes[1]
    return sizes, dims


def declare_tensors(program):
    """The first three arguments; types by name, out included."""
    types = {}
    for name, heads, length, width in (("query", program.Hq, "Lq", program.D),
                                       ("key", program.Hkv, "Lk", program.D),
                                       ("value", program.Hkv, "Lk", program.Dv),
                                       ("out", program.Hq, "Lq", program.Dv)):
        sizes, dims = axes_of(program, heads, length, width)
        types[name] = f"tensor<{'x'.join(dims)}x{program.choices['dtype']}>"
        how = program.choices["stride_" + name]
        if name != "out":
            program.argument(name, types[name], ", goat.strided" if how != "no" else "")
        if how not in ("no", "contiguous"):
            strides, offset = placement(how, sizes, program.choices["layout"] == "bshd")
            program.flags += ["--strides", f"{name}={','.join(map(str, strides))}"]
            if offset:
                program.flags += ["--offset", f"{name}={offset}"]
    return types


def placement(how, sizes, is_swapped):
    """(strides, offset) of a tensor that lies in some way."""
    n, a, b, width = (max(size, 1) for size in sizes)
    if how == "swapped":
        # The other one of BHSD and BSHD.
        return [a * b * width, width, a * width, 1], 0
    if how == "padded":
        row = -(-width // 8) * 8 + 8
        return [a * (b + 3) * row, (b + 3) * row, row, 1], 0
    if how == "odd":
        row = width + 1
        return [a * b * row + 5, b * row, row, 1], 0
    if how == "shifted":
        return [a * b * width, b * width, width, 1], 3
    if how == "columns":
        return [a * b * width, b * width, 1, b], 0
    # One head for all.
    return ([a * width, width, 0, 1] if is_swapped else [b * width, 0, width, 1]), 0


def declare_operands(program, operands, attributes):
    c = program.choices
    scale = 1 / math.sqrt(program.D)
    if c["scale"] != "default":
        kind, _, value = c["scale"].rpartition(":")
        scale = float(value)
        if kind:
            operands.append(f"scale({program.argument('scale', 'f32')})")
            program.flags += ["--arg", f"scale={value}"]
        else:
            attributes.append(f"static_scale = {scale:.8e} : f32")
    magnitude = 8 if c["key_data"] == "large" else 1
    program.score_limit = max(1.0, 6 * abs(scale) * math.sqrt(program.D) * magnitude)
    if c["sink"] != "none":
        type = f"tensor<{program.Hq}xf32>"
        operands.append(f"sink({program.argument('sink', type)} : {type})")
        numbers = program.random("sink")
        values = {"normal": lambda: numbers.gauss(0, 1), "zero": lambda: 0.0,
                  "large": lambda: numbers.choice([-1e4, -20.0, 5.0, 30.0])}[c["sink"]]
        program.give("sink", [program.Hq], [values() for _ in range(program.Hq)], "f")
    for name in ("q_lengths", "k_lengths"):
        if c[name] != "none":
            size = program.size("Lq" if name == "q_lengths" else "Lk")
            values = spread(c[name], program.B)
            values = [min(value, size) for value in values]
            setattr(program, name, values)
            type = f"tensor<{program.dim('B')}xi32>"
            operands.append(f"{name}({program.argument(name, type)} : {type})")
            program.give(name, [program.B], values, "i")
    program.q_offset = [k - q for q, k in zip(program.q_lengths, program.k_lengths)]
    for name in ("q_offset", "k_offset"):
        if c[name] != "default":
            kind, _, numbers = c[name].rpartition(":")
            values = spread(numbers, program.B)
            setattr(program, name, values)
            if not kind:
                attributes.append(f"static_{name} = {numbers} : i32")
                continue
            type = "i32" if kind == "run" else f"tensor<{program.dim('B')}xi32>"
            operands.append(f"{name}({program.argument(name, type)} : {type})")
            if kind == "run":
                program.flags += ["--arg", f"{name}={numbers}"]
            else:
                program.give(name, [program.B], values, "i")
    if c["normalizer"] == "sigmoid":
        attributes.append("normalizer = #goat.normalizer<sigmoid>")
    if c["layout"] == "bshd":
        attributes.append("layout = #goat.layout<bshd>")


def spread(text, count):
    """`count` numbers, those of a text again and again."""
    values = [int(value) for value in text.split(",")]
    return [values[b % len(values)] for b in range(count)]


# What the elements of a row are, from normal random numbers x and the row's number.
DATA = {"large": lambda x, row: 8 * x, "tiny": lambda x, row: x / 64,
        "constant": lambda x, row: 0.5, "alternating": lambda x, row: (-1) ** row * abs(x)}


def give_tensors(program):
    """Files for query, key and value where goat-run's random ones do not do: other data, and
    rows past a length that hold what must not be read."""
    c = program.choices
    for name, heads, length, width, lengths in (
            ("query", program.Hq, "Lq", program.D, program.q_lengths),
            ("key", program.Hkv, "Lk", program.D, program.k_lengths),
            ("value", program.Hkv, "Lk", program.Dv, program.k_lengths)):
        how, size = c[name + "_data"], program.size(length)
        is_shared = c["stride_" + name] == "shared"
        is_poisoned = c["poison"] == "yes" and lengths != [size] * program.B
        if how == "normal" and not is_poisoned and not is_shared:
            continue
        numbers, poison = program.random(name), program.random(name + ".poison")
        element, bad = DATA.get(how, lambda x, row: x), [math.nan, math.inf, -math.inf]
        rows_of = {}
        for b in range(program.B):
            for h in range(heads):
                for row in range(size):
                    if is_shared and h > 0:
                        rows_of[b, h, row] = rows_of[b, 0, row]
                    elif is_poisoned and row >= lengths[b]:
                        rows_of[b, h, row] = [poison.choice(bad)] * width
                    else:
                        rows_of[b, h, row] = [element(numbers.gauss(0, 1), row)
                                              for _ in range(width)]
        order = [(b, h, row) for b in range(program.B) for h in range(heads)
                 for row in range(size)]
        if c["layout"] == "bshd":
            order.sort(key=lambda at: (at[0], at[2], at[1]))
        sizes, _ = axes_of(program, heads, length, width)
        program.give(name, sizes, [x for at in order for x in rows_of[at]], "f")
