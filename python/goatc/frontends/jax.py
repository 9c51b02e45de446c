# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX: StableHLO, op by op, read through jaxlib's own bindings."""

import re
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

from goatc.frontends.blocks import power
from goatc.frontends.builder import Builder, ImportRefused, Payload, Value
from goatc.frontends.module import Module
from goatc.frontends.scalars import neutral

UNARY = {
    "negate": "neg", "exponential": "exp", "log": "log", "tanh": "tanh",
    "sqrt": "sqrt", "rsqrt": "rsqrt", "sine": "sin", "cosine": "cos",
    "floor": "floor", "ceil": "ceil", "abs": "abs", "log_plus_one": "log1p",
    "exponential_minus_one": "expm1", "round_nearest_even": "round_even",
}
BINARY = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "div",
          "maximum": "max", "minimum": "min", "and": "and", "or": "or",
          "xor": "xor", "remainder": "rem", "atan2": "atan2"}
REDUCERS = {"stablehlo.add": "add", "stablehlo.maximum": "max",
            "stablehlo.minimum": "min", "stablehlo.multiply": "mul",
            "stablehlo.and": "and", "stablehlo.or": "or"}


def describe_type(type_: Any) -> Any:
    """Returns shape and dtype of an MLIR type."""
    text = str(type_)
    match = re.fullmatch(r"tensor<((?:\d+x)*)(\w+)(?:,.*)?>", text)
    dtype = match.group(2) if match else text
    if not match or dtype not in ("f16", "bf16", "f32", "i1", "i8", "i32", "i64"):
        raise ImportRefused(f"expected tensors of known sizes and of a dtype "
                            f"that kernels know but got {text}")
    return tuple(int(n) for n in match.group(1).split("x") if n), dtype


class Translator:
    """Walks functions of a StableHLO module."""

    def __init__(self, module: Any, name: str):
        self.builder = Builder(name)
        self.functions = {str(op.attributes["sym_name"]).strip('"'): op
                          for op in module.body.operations}

    def function(self, op: Any, arguments: Sequence[Value]) -> List[Value]:
        """Translates a function's body in place of a call."""
        block = op.regions[0].blocks[0]
        known: Dict[Any, Value] = dict(zip(block.arguments, arguments))
        for inner in block.operations:
            operation = inner.operation
            operands = [known[operand] for operand in operation.operands]
            if operation.name in ("func.return", "stablehlo.return"):
                return operands
            results = self.operation(operation, operands)
            known.update(zip(operation.results, results))
        return []

    def operation(self, op: Any, operands: List[Value]) -> List[Value]:
        """Translates one op."""
        place = re.search(r'"([^"]+)":(\d+):\d+', str(op.location))
        self.builder.origin = ((place.group(1), int(place.group(2)))
                               if place else None)
        dialect, _, name = op.name.partition(".")
        try:
            if op.name in ("func.call", "stablehlo.composite"):
                attribute = "callee" if dialect == "func" else "decomposition"
                callee = str(op.attributes[attribute]).lstrip("@").strip('"')
                return self.function(self.functions[callee], operands)
            if name == "optimization_barrier":
                return operands
            if name in UNARY and len(operands) == 1:
                return [self.builder.unary(UNARY[name], operands[0])]
            if name in BINARY:
                return [self.builder.binary(BINARY[name], *operands)]
            handler = HANDLERS.get(name)
            if dialect not in ("stablehlo", "chlo") or handler is None:
                detail = ""
                if "call_target_name" in op.attributes:
                    detail = f" of {op.attributes['call_target_name']}"
                raise ImportRefused(f"expected an op that is translated but got "
                                    f"{op.name}{detail}")
            return [handler(self.builder, op, *operands)]
        except ImportRefused as error:
            if place and place.group(1) not in str(error):
                raise ImportRefused(f"{place.group(1)}:{place.group(2)}: "
                                    f"{error}") from None
            raise


def integers(attribute: Any) -> List[int]:
    """Returns the elements of an attribute that is an array."""
    return [int(n) for n in attribute]


def constant(b: Builder, op: Any) -> Value:
    """A tensor of numbers."""
    shape, dtype = describe_type(op.results[0].type)
    attribute = op.attributes["value"]
    if attribute.is_splat:
        return b.splat(attribute.get_splat_value().value, dtype, shape)
    if dtype == "bf16":
        elements = [float(element) for element in attribute]
        return b.constant(np.array(elements, np.float32).reshape(shape), dtype)
    return b.constant(np.array(attribute).reshape(shape), dtype)


def dot_general(b: Builder, op: Any, left: Value, right: Value) -> Value:
    """Any product of two tensors."""
    from jaxlib.mlir.dialects import stablehlo
    numbers = stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    of_left = [""] * len(left.shape)
    of_right = [""] * len(right.shape)
    batch: List[str] = []
    contracted: List[str] = []
    for mine, yours, into in (
            (numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions,
             batch),
            (numbers.lhs_contracting_dimensions,
             numbers.rhs_contracting_dimensions, contracted)):
        for one, other in zip(mine, yours):
            of_left[one] = of_right[other] = next(letters)
            into.append(of_left[one])
    of_left = [c or next(letters) for c in of_left]
    of_right = [c or next(letters) for c in of_right]
    output = batch + [c for c in of_left if c not in batch + contracted] + [
        c for c in of_right if c not in batch + contracted]
    return b.contract(f"{''.join(of_left)},{''.join(of_right)}->"
                      f"{''.join(output)}", left, right,
                      describe_type(op.results[0].type)[1])


def reduce(b: Builder, op: Any, value: Value, start: Value, *more: Value
           ) -> Value:
    """Sums, maxima and the like along axes."""
    body = [inner.operation.name for inner in op.regions[0].blocks[0].operations]
    if more or len(body) != 2 or body[0] not in REDUCERS:
        raise ImportRefused(f"expected a reduction by one op but got "
                            f"stablehlo.reduce by {', '.join(body[:-1])}")
    kind = REDUCERS[body[0]]
    result = b.reduce(kind, value, integers(op.attributes["dimensions"]))
    if start.splat is not None and start.splat == neutral(kind,
                                                                value.dtype):
        return result
    return b.binary(kind, result, start)


def gather(b: Builder, op: Any, table: Value, starts: Value) -> Value:
    """Slices of one table; each starts where a row of `starts` says."""
    from jaxlib.mlir.dialects import stablehlo
    numbers = stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    shape, dtype = describe_type(op.results[0].type)
    sizes = integers(op.attributes["slice_sizes"])
    if list(numbers.operand_batching_dims):
        raise ImportRefused("expected no batching axes but got stablehlo.gather "
                            "with some")
    offsets = list(numbers.offset_dims)
    collapsed = list(numbers.collapsed_slice_dims)
    map_ = list(numbers.start_index_map)
    vector = numbers.index_vector_dim
    dims = [f"d{n}" for n in range(len(shape))]
    batch = [n for n in range(len(shape)) if n not in offsets]
    kept = [n for n in range(len(sizes)) if n not in collapsed]

    def body(p: Payload) -> str:
        index = {n: p.index(n) for n in range(len(shape))}
        zero = p.add("arith.constant 0 : index")
        place = [zero] * len(sizes)
        for axis, result_axis in zip(kept, offsets):
            place[axis] = index[result_axis]
        for number, axis in enumerate(map_):
            at = [index[n] for n in batch]
            if vector < len(starts.shape):
                at.insert(vector, p.add(f"arith.constant {number} : index"))
            start = p.extract(starts, at)
            start = p.add(f"arith.index_cast {start} : {starts.dtype} to index")
            last = p.add(f"arith.constant {table.shape[axis] - sizes[axis]} : "
                         f"index")
            start = p.add(f"arith.maxsi {start}, {zero} : index")
            start = p.add(f"arith.minsi {start}, {last} : index")
            place[axis] = start if place[axis] == zero else p.add(
                f"arith.addi {start}, {place[axis]} : index")
        return p.extract(table, place)
    return b.generic([], ["parallel"] * len(shape), dims, shape, dtype, body)


def clamped_starts(p: Payload, starts: Sequence[Value], whole: Sequence[int],
                   part: Sequence[int]) -> List[str]:
    """Numbers that scalar tensors hold, moved so that the part lies inside."""
    made = []
    for start, size, taken in zip(starts, whole, part):
        at = p.add(f"arith.index_cast {p.extract(start, [])} : {start.dtype} to index")
        low = p.add("arith.constant 0 : index")
        high = p.add(f"arith.constant {size - taken} : index")
        at = p.add(f"arith.maxsi {at}, {low} : index")
        made.append(p.add(f"arith.minsi {at}, {high} : index"))
    return made


def dynamic_slice(b: Builder, op: Any, value: Value, *starts: Value) -> Value:
    """A part that starts where scalars say."""
    shape = integers(op.attributes["slice_sizes"])

    def body(p: Payload) -> str:
        place = [p.add(f"arith.addi {start}, {p.index(axis)} : index")
                 for axis, start in enumerate(clamped_starts(
                     p, starts, value.shape, shape))]
        return p.extract(value, place)
    return b.generic([], ["parallel"] * len(shape),
                     [f"d{n}" for n in range(len(shape))], shape, value.dtype,
                     body)


def dynamic_update_slice(b: Builder, op: Any, value: Value, new: Value,
                         *starts: Value) -> Value:
    """All elements, with a part replaced that starts where scalars say."""
    dims = [f"d{n}" for n in range(len(value.shape))]

    def body(p: Payload, old: str) -> str:
        zero, place, inside = p.add("arith.constant 0 : index"), [], None
        for axis, start in enumerate(clamped_starts(p, starts, value.shape,
                                                    new.shape)):
            at = p.add(f"arith.subi {p.index(axis)}, {start} : index")
            last = p.add(f"arith.constant {new.shape[axis] - 1} : index")
            # Elsewhere an element is read that is not used.
            near = p.add(f"arith.maxsi {at}, {zero} : index")
            near = p.add(f"arith.minsi {near}, {last} : index")
            place.append(near)
            is_here = p.add(f"arith.cmpi eq, {at}, {near} : index")
            inside = is_here if inside is None else p.add(
                f"arith.andi {inside}, {is_here} : i1")
        element = p.extract(new, place)
        return element if inside is None else p.add(
            f"arith.select {inside}, {element}, {old} : {value.dtype}")
    return b.generic([(value, dims)], ["parallel"] * len(dims), dims,
                     value.shape, value.dtype, body)


def slice_(b: Builder, op: Any, value: Value) -> Value:
    """A part with constant bounds."""
    starts, limits, steps = (integers(op.attributes[name]) for name in
                             ("start_indices", "limit_indices", "strides"))
    return b.slice(value, starts, [-(-(limit - start) // step) for
                                   start, limit, step in
                                   zip(starts, limits, steps)], steps)


def iota(b: Builder, op: Any) -> Value:
    """The index along an axis."""
    shape, dtype = describe_type(op.results[0].type)
    return b.iota(shape, int(op.attributes["iota_dimension"]), dtype)


def compare(b: Builder, op: Any, left: Value, right: Value) -> Value:
    """A comparison of signed numbers, booleans or floats."""
    match = re.search(r"[A-Z]{2}", str(op.attributes["comparison_direction"]))
    assert match is not None
    return b.compare(match.group().lower(), left, right)


def erfc(b: Builder, op: Any, value: Value) -> Value:
    """1 - erf(x)."""
    return b.binary("sub", b.splat(1, value.dtype), b.unary("erf", value))


def clamp(b: Builder, op: Any, low: Value, value: Value, high: Value) -> Value:
    """min(max(x, low), high)."""
    return b.binary("min", b.binary("max", value, low), high)


HANDLERS: Dict[str, Callable[..., Value]] = {
    "constant": constant, "dot_general": dot_general, "reduce": reduce,
    "gather": gather, "slice": slice_, "iota": iota, "compare": compare,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice, "clamp": clamp, "erfc": erfc,
    "square": lambda b, op, value: b.binary("mul", value, value),
    "power": lambda b, op, base, exponent: power(b, base, exponent),
    "erf": lambda b, op, value: b.unary("erf", value),
    "logistic": lambda b, op, value: b.logistic(value),
    "not": lambda b, op, value: b.invert(value),
    "select": lambda b, op, *values: b.select(*values),
    "convert": lambda b, op, value: b.convert(
        value, describe_type(op.results[0].type)[1]),
    "reshape": lambda b, op, value: b.reshape(
        value, describe_type(op.results[0].type)[0]),
    "transpose": lambda b, op, value: b.transpose(
        value, integers(op.attributes["permutation"])),
    "broadcast_in_dim": lambda b, op, value: b.broadcast(
        value, describe_type(op.results[0].type)[0],
        integers(op.attributes["broadcast_dimensions"])),
    "concatenate": lambda b, op, *values: b.concat(
        values, int(op.attributes["dimension"])),
}


def from_jax(function: Callable[..., Any], *arguments: Any,
             name: str = "main") -> Module:
    """Imports a JAX function.

    function: what jax.jit takes. arguments: arrays, jax.ShapeDtypeStruct or
        trees of them; all sizes are fixed by them. name: of the function made.

    Arrays that the function closes over become inputs that a run need not give.
    Raises ImportRefused for an op that is not translated, by name and with the
    line it stands at.
    """
    import jax
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    module = lowered.compiler_ir("stablehlo")
    with module.context:
        translator = Translator(module, name)
        builder = translator.builder
        main = translator.functions["main"]
        paths = [jax.tree_util.keystr(path) for path, _ in
                 jax.tree_util.tree_flatten_with_path(arguments)[0]]
        inputs = []
        for path, argument in zip(paths, main.regions[0].blocks[0].arguments):
            label = re.sub(r"\W+", "_", path).strip("_")
            inputs.append(builder.add_input(f"arg{label}",
                                            *describe_type(argument.type)))
        builder.results = translator.function(main, inputs)
    tree = lowered.out_tree
    return Module(builder,
                  flatten=lambda *given: jax.tree_util.tree_leaves(given),
                  unflatten=lambda outputs: jax.tree_util.tree_unflatten(
                      tree, outputs))
