# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a function of linalg, arith, math and tensor ops.

What all frontends share: values with a shape and a dtype, and the few ways of
making one from others, each printed as one structured op. All sizes are known.
"""

import math
from dataclasses import dataclass
from typing import (Any, Callable, Dict, List, NamedTuple, Optional, Sequence,
                    Tuple)

import numpy as np

from goatc.frontends.scalars import (BINARY, COMPARISONS, FLOATS, UNARY, literal,
                                     neutral, of_dtype)
from goatc.library import GoatError

# A constant of more elements comes as an input that a run need not give.
MOST_PRINTED = 64


class ImportRefused(GoatError):
    """A graph holds what a frontend cannot translate; the message names it and
    says where it stands."""


@dataclass(frozen=True)
class Value:
    """A tensor of the graph. splat: what all its elements are, where that is
    known."""

    name: str
    shape: Tuple[int, ...]
    dtype: str
    splat: Any = None

    @property
    def type(self) -> str:
        """The MLIR type."""
        return tensor_type(self.shape, self.dtype)

    @property
    def is_float(self) -> bool:
        """Whether it holds floating-point numbers."""
        return self.dtype in FLOATS


class Input(NamedTuple):
    """A parameter of the function; value where a run need not give it."""

    name: str
    shape: Tuple[int, ...]
    dtype: str
    value: Optional[np.ndarray]


def tensor_type(shape: Sequence[int], dtype: str) -> str:
    """Returns "tensor<2x3xf32>"."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"


def broadcast_shapes(*shapes: Sequence[int]) -> Tuple[int, ...]:
    """Returns the shape that NumPy gives; raises ValueError."""
    return tuple(np.broadcast_shapes(*map(tuple, shapes)))


class Payload:
    """The scalar code inside a structured op."""

    def __init__(self, builder: "Builder"):
        self.builder, self.lines = builder, []  # type: Builder, List[str]

    def add(self, text: str) -> str:
        """Writes an op and returns its result."""
        name = self.builder.fresh()
        self.lines.append(f"      {name} = {text}")
        return name

    def index(self, loop: int) -> str:
        """Returns the number of the iteration along a loop."""
        return self.add(f"linalg.index {loop} : index")

    def extract(self, tensor: Value, place: Sequence[str]) -> str:
        """Returns one element of a tensor."""
        return self.add(f"tensor.extract {tensor.name}[{', '.join(place)}] : "
                        f"{tensor.type}")

    def constant(self, value: Any, dtype: str) -> str:
        """Returns a scalar constant."""
        return self.add(f"arith.constant {literal(value, dtype)}"
                        + ("" if dtype == "i1" else f" : {dtype}"))

    def convert(self, value: str, source: str, target: str) -> str:
        """Returns `value` of dtype `source` as `target` has it."""
        if source == target:
            return value
        if source in FLOATS and target in FLOATS:
            width = {"f16": 16, "bf16": 16, "f32": 32}
            if width[source] == width[target]:
                value = self.add(f"arith.extf {value} : {source} to f32")
                return self.convert(value, "f32", target)
            op = "extf" if width[source] < width[target] else "truncf"
        elif source in FLOATS:
            if target == "i1":
                zero = self.constant(0, source)
                return self.add(f"arith.cmpf une, {value}, {zero} : {source}")
            op = "fptosi"
        elif target in FLOATS:
            op = "uitofp" if source == "i1" else "sitofp"
        else:
            if target == "i1":
                zero = self.constant(0, source)
                return self.add(f"arith.cmpi ne, {value}, {zero} : {source}")
            op = ("extui" if source == "i1" else
                  "extsi" if int(source[1:]) < int(target[1:]) else "trunci")
        return self.add(f"arith.{op} {value} : {source} to {target}")


class Builder:
    """A function on its way.

    origin: where the op that is being translated stands, as (file, line), for
    what the compiler remarks about it.
    """

    def __init__(self, name: str):
        self.name = name
        self.inputs: List[Input] = []
        self.lines: List[str] = []
        self.results: List[Value] = []
        self.origin: Optional[Tuple[str, int]] = None
        self._count = 0
        self._constants: Dict[Tuple[Any, ...], Value] = {}

    def fresh(self) -> str:
        """Returns a name for a result."""
        self._count += 1
        return f"%{self._count}"

    # Inputs and constants.

    def add_input(self, name: str, shape: Sequence[int], dtype: str,
                  value: Optional[np.ndarray] = None) -> Value:
        """Returns a new parameter."""
        taken = {known.name for known in self.inputs}
        name = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
        name = name or "input"
        unique, number = name, 1
        while unique in taken:
            unique, number = f"{name}_{number}", number + 1
        # Parameters have integers of one kind.
        stored = dtype if dtype in FLOATS else "i32"
        self.inputs.append(Input(unique, tuple(shape), stored, value))
        made = Value(f"%in{len(self.inputs) - 1}", tuple(shape), stored)
        return self.convert(made, dtype)

    def splat(self, value: Any, dtype: str, shape: Sequence[int] = ()) -> Value:
        """Returns a tensor of one number everywhere."""
        text = literal(value, dtype)
        key = (text, dtype, tuple(shape))
        if key not in self._constants:
            number = (bool(value) if dtype == "i1" else
                      float(value) if dtype in FLOATS else int(value))
            made = Value(f"%c{len(self._constants)}", tuple(shape), dtype,
                         number)
            self._constants[key] = made
            self.lines.insert(len(self._constants) - 1,
                              f"  {made.name} = arith.constant dense<{text}> : "
                              f"{made.type}")
        return self._constants[key]

    def constant(self, array: np.ndarray, dtype: str,
                 name: str = "constant") -> Value:
        """Returns a tensor with these elements."""
        array = np.asarray(array)
        if array.size and (array.ndim == 0 or (array == array.flat[0]).all()):
            return self.splat(array.flat[0], dtype, array.shape)
        if not 0 < array.size <= MOST_PRINTED:
            return self.add_input(name, array.shape, dtype, array)

        def nested(part: np.ndarray) -> str:
            if part.ndim == 0:
                return literal(part[()], dtype)
            return "[" + ", ".join(map(nested, part)) + "]"
        made = Value(self.fresh(), array.shape, dtype)
        self.lines.append(f"  {made.name} = arith.constant "
                          f"dense<{nested(array)}> : {made.type}")
        return made

    # Structured ops.

    def _empty(self, shape: Sequence[int], dtype: str) -> str:
        name = self.fresh()
        self.lines.append(f"  {name} = tensor.empty() : "
                          f"{tensor_type(shape, dtype)}")
        return name

    def _location(self) -> str:
        if not self.origin:
            return ""
        file, line = self.origin
        quoted = file.replace("\\", "\\\\").replace('"', '\\"')
        return f' loc("{quoted}":{line}:1)'

    def generic(self, operands: Sequence[Tuple[Value, Sequence[str]]],
                loops: Sequence[str], target: Sequence[str],
                shape: Sequence[int], dtype: str,
                body: Callable[..., str], start: Optional[str] = None) -> Value:
        """Writes a linalg.generic.

        operands: each tensor with its indexing, such as ["d0", "0"]. loops:
        "parallel" or "reduction" for each. target: the result's indexing.
        body(payload, *scalars) writes the payload and returns what it yields;
        with `start`, a tensor to begin from, the last scalar is the result so
        far.
        """
        dims = ", ".join(f"d{n}" for n in range(len(loops)))
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(map_)})>"
                         for map_ in [m for _, m in operands] + [target])
        init = start or self._empty(shape, dtype)
        payload = Payload(self)
        arguments = [self.fresh() for _ in operands]
        accumulator = self.fresh()
        types = [value.dtype for value, _ in operands] + [dtype]
        given = arguments + ([accumulator] if start else [])
        yielded = body(payload, *given)
        made = Value(self.fresh(), tuple(shape), dtype)
        out = tensor_type(shape, dtype)
        ins = ""
        if operands:
            ins = (f" ins({', '.join(v.name for v, _ in operands)} : "
                   f"{', '.join(v.type for v, _ in operands)})")
        block = ", ".join(f"{name}: {type_}" for name, type_ in
                          zip(arguments + [accumulator], types))
        kinds = ", ".join(f'"{kind}"' for kind in loops)
        self.lines.append(
            f"  {made.name} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{kinds}]}}{ins} outs({init} : {out}) {{\n"
            f"    ^bb0({block}):\n" + "".join(f"{line}\n" for line in
                                              payload.lines) +
            f"      linalg.yield {yielded} : {dtype}\n"
            f"  }} -> {out}{self._location()}")
        return made

    def elementwise(self, values: Sequence[Value], dtype: str,
                    body: Callable[..., str]) -> Value:
        """Applies scalar code element by element, after broadcasting."""
        shape = broadcast_shapes(*(value.shape for value in values))
        rank = len(shape)

        def indexing(value: Value) -> List[str]:
            first = rank - len(value.shape)
            return [f"d{first + axis}" if size == shape[first + axis] else "0"
                    for axis, size in enumerate(value.shape)]
        return self.generic([(value, indexing(value)) for value in values],
                            ["parallel"] * rank,
                            [f"d{axis}" for axis in range(rank)], shape, dtype,
                            body)

    def binary(self, op: str, left: Value, right: Value) -> Value:
        """Applies one of BINARY to tensors of one dtype."""
        if left.dtype != right.dtype:
            raise ImportRefused(f"expected operands of one dtype for '{op}' but "
                                f"got {left.dtype} and {right.dtype}")
        # The greater of anything and minus infinity, as softmax begins with.
        for one, other in ((left, right), (right, left)):
            if (op == "max" and one.splat == -math.inf and
                    broadcast_shapes(one.shape, other.shape) == other.shape):
                return other
        name = BINARY[of_dtype(op, left.dtype)][0 if left.is_float else 1]
        if name is None:
            raise ImportRefused(f"expected another dtype for '{op}' than "
                                f"{left.dtype}")
        return self.elementwise(
            [left, right], left.dtype,
            lambda p, a, b: p.add(f"{name} {a}, {b} : {left.dtype}"))

    def unary(self, op: str, value: Value) -> Value:
        """Applies one of UNARY; negation and absolute values of integers, too."""
        dtype = value.dtype
        if not value.is_float:
            if op == "neg":
                return self.binary("sub", self.splat(0, dtype), value)
            if op == "abs":
                return self.binary("max", value, self.unary("neg", value))
            raise ImportRefused(f"expected a float for '{op}' but got {dtype}")
        return self.elementwise([value], dtype, lambda p, a: p.add(
            f"{UNARY[op]} {a} : {dtype}"))

    def invert(self, value: Value) -> Value:
        """Inverts every bit of an integer, or a boolean."""
        return self.binary("xor", value, self.splat(
            True if value.dtype == "i1" else -1, value.dtype))

    def logistic(self, value: Value) -> Value:
        """1 / (1 + exp(-x))."""
        one = self.splat(1, value.dtype)
        return self.binary("div", one, self.binary(
            "add", self.unary("exp", self.unary("neg", value)), one))

    def compare(self, predicate: str, left: Value, right: Value) -> Value:
        """Compares two tensors of one dtype; gives i1."""
        of_float, of_int = COMPARISONS[predicate]
        which = f"cmpf {of_float}" if left.is_float else f"cmpi {of_int}"
        if left.dtype == "i1":
            which = which.replace(" s", " u")
        return self.elementwise(
            [left, right], "i1",
            lambda p, a, b: p.add(f"arith.{which}, {a}, {b} : {left.dtype}"))

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        """Takes elements of one of two tensors."""
        return self.elementwise(
            [condition, yes, no], yes.dtype, lambda p, c, a, b: p.add(
                f"arith.select {c}, {a}, {b} : {yes.dtype}"))

    def convert(self, value: Value, dtype: str) -> Value:
        """Converts elements; floats go to integers by truncation."""
        if value.dtype == dtype:
            return value
        if value.splat is not None and (dtype in FLOATS or
                                        math.isfinite(value.splat)):
            return self.splat(value.splat, dtype, value.shape)
        return self.elementwise([value], dtype, lambda p, a: p.convert(
            a, value.dtype, dtype))

    def iota(self, shape: Sequence[int], axis: int, dtype: str) -> Value:
        """The index along one axis."""
        def body(payload: Payload) -> str:
            index = payload.index(axis)
            if dtype in FLOATS:
                index = payload.add(f"arith.index_cast {index} : index to i32")
                return payload.convert(index, "i32", dtype)
            return payload.add(f"arith.index_cast {index} : index to {dtype}")
        dims = [f"d{n}" for n in range(len(shape))]
        return self.generic([], ["parallel"] * len(shape), dims, shape, dtype,
                            body)

    def broadcast(self, value: Value, shape: Sequence[int],
                  axes: Optional[Sequence[int]] = None) -> Value:
        """Puts axis n of `value` at axes[n] of `shape`; without `axes` the last
        axes agree."""
        if axes is None:
            first = len(shape) - len(value.shape)
            axes = range(first, len(shape))
        if value.splat is not None:
            return self.splat(value.splat, value.dtype, shape)
        if tuple(shape) == value.shape and list(axes) == list(range(len(shape))):
            return value
        dims = [f"d{n}" for n in range(len(shape))]
        read = [dims[axis] if size == shape[axis] else "0"
                for axis, size in zip(axes, value.shape)]
        return self.generic([(value, read)], ["parallel"] * len(shape), dims,
                            shape, value.dtype, lambda p, a: a)

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        """Axis n of the result is axis order[n] of `value`."""
        if list(order) == sorted(order):
            return value
        read = [""] * len(order)
        for place, axis in enumerate(order):
            read[axis] = f"d{place}"
        shape = [value.shape[axis] for axis in order]
        return self.generic([(value, read)], ["parallel"] * len(order),
                            [f"d{n}" for n in range(len(order))], shape,
                            value.dtype, lambda p, a: a)

    def reduce(self, op: str, value: Value, axes: Sequence[int],
               keep: bool = False) -> Value:
        """Combines along axes: "add", "max", "min", "mul", "and" or "or"."""
        axes = sorted(axis % len(value.shape) for axis in axes)
        op = of_dtype(op, value.dtype)
        if not axes:
            return value
        rest = [axis for axis in range(len(value.shape)) if axis not in axes]
        shape = [value.shape[axis] for axis in rest]
        name = BINARY[op][0 if value.is_float else 1]
        start = self._fill(neutral(op, value.dtype), value.dtype, shape)
        result = self.generic(
            [(value, [f"d{n}" for n in range(len(value.shape))])],
            ["reduction" if axis in axes else "parallel"
             for axis in range(len(value.shape))],
            [f"d{axis}" for axis in rest], shape, value.dtype,
            lambda p, a, sum_: p.add(f"{name} {sum_}, {a} : {value.dtype}"),
            start)
        if keep:
            return self.reshape(result, [1 if axis in axes else size for
                                         axis, size in enumerate(value.shape)])
        return result

    def _fill(self, value: Any, dtype: str, shape: Sequence[int]) -> str:
        number, name = self.fresh(), self.fresh()
        empty, type_ = self._empty(shape, dtype), tensor_type(shape, dtype)
        text = literal(value, dtype) + ("" if dtype == "i1" else f" : {dtype}")
        self.lines += [f"  {number} = arith.constant {text}",
                       f"  {name} = linalg.fill ins({number} : {dtype}) "
                       f"outs({empty} : {type_}) -> {type_}"]
        return name

    def contract(self, equation: str, left: Value, right: Value,
                 dtype: Optional[str] = None) -> Value:
        """np.einsum of two operands, "bhid,bhjd->bhij", products and sums of
        `dtype`. An axis of extent 1 stands for any extent."""
        inputs, output = equation.split("->")
        dtype = dtype or left.dtype
        names = inputs.split(",")
        sizes: Dict[str, int] = {}
        for letters, value in zip(names, (left, right)):
            for letter, size in zip(letters, value.shape):
                if sizes.get(letter, 1) not in (1, size) and size != 1:
                    raise ImportRefused(
                        f"expected sizes that agree in {equation} but got "
                        f"{left.shape} and {right.shape}")
                sizes[letter] = max(sizes.get(letter, 1), size)
        order = output + "".join(sorted(set("".join(names)) - set(output)))
        place = {letter: f"d{n}" for n, letter in enumerate(order)}
        shape = [sizes[letter] for letter in output]
        first, second = (
            (value, [place[c] if value.shape[n] == sizes[c] else "0"
                     for n, c in enumerate(letters)])
            for letters, value in zip(names, (left, right)))
        # Ones that are multiplied with, as masks of heads are by default.
        for one, other in ((first, second), (second, first)):
            if one[0].splat == 1 and len(order) == len(output):
                source = other[0].dtype
                return self.generic(
                    [other], ["parallel"] * len(order), list(place.values()),
                    shape, dtype, lambda p, a: p.convert(a, source, dtype))
        return self.sum_of_products(
            first, second,
            ["parallel" if c in output else "reduction" for c in order],
            [place[c] for c in output], shape, dtype)

    def sum_of_products(self, left: Tuple[Value, Sequence[str]],
                        right: Tuple[Value, Sequence[str]],
                        loops: Sequence[str], target: Sequence[str],
                        shape: Sequence[int], dtype: str) -> Value:
        """Writes a linalg.generic, as `generic` has its arguments, that adds up
        products of two tensors in `dtype`."""
        mul, add = (BINARY[op][0 if dtype in FLOATS else 1]
                    for op in ("mul", "add"))

        def body(p: Payload, a: str, b: str, sum_: str) -> str:
            a, b = (p.convert(x, v.dtype, dtype)
                    for x, (v, _) in ((a, left), (b, right)))
            product = p.add(f"{mul} {a}, {b} : {dtype}")
            return p.add(f"{add} {sum_}, {product} : {dtype}")
        return self.generic([left, right], loops, target, shape, dtype, body,
                            self._fill(0, dtype, shape))

    # Changes of shape.

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """Keeps the elements' row-major order."""
        shape = tuple(int(size) for size in shape)
        if math.prod(shape) != math.prod(value.shape):
            raise ImportRefused(f"expected a shape of "
                                f"{math.prod(value.shape)} elements but got "
                                f"{list(shape)}")
        if shape == value.shape:
            return value
        if value.splat is not None:
            return self.splat(value.splat, value.dtype, shape)
        if 0 in shape:
            raise ImportRefused("expected tensors with elements but got shape "
                                f"{list(shape)}")
        groups = reassociate(value.shape, shape)
        middle = [math.prod(value.shape[a] for a in old) for old, _ in groups]
        collapsed = self._regroup("collapse", value, [old for old, _ in groups],
                                  middle)
        return self._regroup("expand", collapsed, [new for _, new in groups],
                             shape)

    def _regroup(self, which: str, value: Value, groups: Sequence[Sequence[int]],
                 shape: Sequence[int]) -> Value:
        if tuple(shape) == value.shape:
            return value
        made = Value(self.fresh(), tuple(shape), value.dtype)
        text = "[" + ", ".join(str(list(group)) for group in groups) + "]"
        if not value.shape or not shape:
            text = "[]"
        sizes = f" output_shape {list(shape)}" if which == "expand" else ""
        self.lines.append(f"  {made.name} = tensor.{which}_shape {value.name} "
                          f"{text}{sizes} : {value.type} into {made.type}")
        return made

    def slice(self, value: Value, starts: Sequence[int], sizes: Sequence[int],
              steps: Optional[Sequence[int]] = None) -> Value:
        """Takes sizes[n] elements of each axis."""
        steps = list(steps or [1] * len(sizes))
        if tuple(sizes) == value.shape:
            return value
        if value.splat is not None:
            return self.splat(value.splat, value.dtype, sizes)
        if 0 in sizes:  # which may start after the last element
            return Value(self._empty(sizes, value.dtype), tuple(sizes),
                         value.dtype)
        made = Value(self.fresh(), tuple(sizes), value.dtype)
        self.lines.append(
            f"  {made.name} = tensor.extract_slice {value.name}{list(starts)} "
            f"{list(sizes)} {steps} : {value.type} to {made.type}")
        return made

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        """Joins tensors along an axis."""
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        axis %= len(shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        made = Value(self.fresh(), tuple(shape), values[0].dtype)
        types = ", ".join(value.type for value in values)
        self.lines.append(f"  {made.name} = tensor.concat dim({axis}) "
                          f"{', '.join(v.name for v in values)} : ({types}) -> "
                          f"{made.type}")
        return made

    def take(self, table: Value, ids: Value, axis: int) -> Value:
        """Rows of `table` along `axis` by number; the axes of `ids` stand in
        its place. A number outside takes the nearest row."""
        axis %= len(table.shape)
        before, after = table.shape[:axis], table.shape[axis + 1:]
        shape = before + ids.shape + after
        count = len(ids.shape)
        dims = [f"d{n}" for n in range(len(shape))]

        def body(p: Payload, number: str) -> str:
            at = p.add(f"arith.index_cast {number} : {ids.dtype} to index")
            low = p.add("arith.constant 0 : index")
            high = p.add(f"arith.constant {table.shape[axis] - 1} : index")
            at = p.add(f"arith.maxsi {at}, {low} : index")
            at = p.add(f"arith.minsi {at}, {high} : index")
            others = [p.index(n) for n in range(len(shape))
                      if not axis <= n < axis + count]
            return p.extract(table, others[:axis] + [at] + others[axis:])
        return self.generic([(ids, dims[axis:axis + count])],
                            ["parallel"] * len(shape), dims, shape,
                            table.dtype, body)

    # The end.

    def text(self) -> str:
        """Returns the function."""
        arguments = ", ".join(
            f'%in{n}: {tensor_type(i.shape, i.dtype)} {{goat.name = "{i.name}"}}'
            for n, i in enumerate(self.inputs))
        types = ", ".join(value.type for value in self.results)
        names = ", ".join(value.name for value in self.results)
        body = "\n".join(self.lines)
        return (f"func.func @{self.name}({arguments}) -> ({types}) {{\n{body}\n"
                f"  return {names} : {types}\n}}\n")


def reassociate(old: Sequence[int], new: Sequence[int]
                ) -> List[Tuple[List[int], List[int]]]:
    """Returns the finest groups of consecutive axes, of each shape, that hold
    equally many elements."""
    groups: List[Tuple[List[int], List[int]]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        left, right = [i], [j]
        a, b = old[i], new[j]
        i, j = i + 1, j + 1
        while a != b:
            if a < b:
                a *= old[i]
                left.append(i)
                i += 1
            else:
                b *= new[j]
                right.append(j)
                j += 1
        groups.append((left, right))
    # What is left has extent 1.
    if groups:
        groups[-1][0].extend(range(i, len(old)))
        groups[-1][1].extend(range(j, len(new)))
    return groups
