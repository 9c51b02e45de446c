# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""aten's ops around attention, each in ops of the builder.

Every function takes the translator, the node, and the node's arguments as aten
names them.
"""

import math
from typing import Any, Callable, Dict, List, Optional, Sequence

from goatc.frontends import blocks, windows
from goatc.frontends.builder import ImportRefused, Value
from goatc.frontends.scalars import FLOATS
from goatc.frontends.torch_export import dtype_name

UNARY = {name: name for name in (
    "neg", "exp", "exp2", "log", "log1p", "log2", "expm1", "tanh", "sqrt",
    "rsqrt", "sin", "cos", "erf", "floor", "ceil", "abs")}
BINARY = {"mul": "mul", "maximum": "max", "minimum": "min", "atan2": "atan2",
          "fmod": "rem",
          "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
          "bitwise_right_shift": "shr", "__rshift__": "shr",
          "bitwise_left_shift": "shl", "__lshift__": "shl"}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
LOGICAL = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}
# Of natural numbers, natural numbers.
NEVER_NEGATIVE = ("add", "mul", "max", "min", "and", "or", "xor", "floordiv",
                  "rem", "shr")


def accumulated(dtype: str) -> str:
    """Returns the dtype that sums of a dtype are computed in."""
    return "f32" if dtype in ("f16", "bf16") else dtype


def unary(op: str) -> Callable[..., Value]:
    def translate(t: Any, node: Any, value: Any) -> Value:
        made = t.builder.unary(op, t.value(value, t.dtype_of(node)))
        if op == "abs":
            t.natural.add(made.name)
        return made
    return translate


def combine(t: Any, op: str, left: Value, right: Value) -> Value:
    """Builder.binary, which knows of natural numbers."""
    made = t.builder.binary(op, left, right)
    if op in NEVER_NEGATIVE:
        t.like(made, left, right)
    return made


def binary(op: str) -> Callable[..., Value]:
    def translate(t: Any, node: Any, left: Any, right: Any) -> Value:
        dtype = t.dtype_of(node)
        return combine(t, op, t.value(left, dtype), t.value(right, dtype))
    return translate


def sum_of(op: str) -> Callable[..., Value]:
    def translate(t: Any, node: Any, left: Any, right: Any, alpha: float = 1
                  ) -> Value:
        dtype = t.dtype_of(node)
        left, right = t.value(left, dtype), t.value(right, dtype)
        if right.splat == 0 and right.shape == ():
            return left
        if alpha != 1:
            right = combine(t, "mul", right, t.value(alpha, dtype))
        return combine(t, op, left, right)
    return translate


def divide(t: Any, node: Any, left: Any, right: Any,
           rounding_mode: Optional[str] = None) -> Value:
    b, dtype = t.builder, t.dtype_of(node)
    left, right = t.value(left, dtype), t.value(right, dtype)
    if dtype not in FLOATS:
        if rounding_mode == "trunc":
            return t.like(b.binary("div", left, right), left, right)
        return combine(t, "floordiv", left, right)
    made = b.binary("div", left, right)
    if rounding_mode == "floor":
        return b.unary("floor", made)
    if rounding_mode == "trunc":
        return b.select(b.compare("lt", made, b.splat(0, dtype)),
                        b.unary("ceil", made), b.unary("floor", made))
    return made


def remainder(t: Any, node: Any, left: Any, right: Any) -> Value:
    """With the sign of the divisor."""
    b, dtype = t.builder, t.dtype_of(node)
    left, right = t.value(left, dtype), t.value(right, dtype)
    rest = combine(t, "rem", left, right)
    if t.is_natural(left) and t.is_natural(right):
        return rest
    zero = b.splat(0, dtype)
    differs = b.binary("xor", b.compare("lt", rest, zero),
                       b.compare("lt", right, zero))
    return b.select(b.binary("and", differs, b.compare("ne", rest, zero)),
                    b.binary("add", rest, right), rest)


def power(t: Any, node: Any, base: Any, exponent: Any) -> Value:
    dtype = t.dtype_of(node)
    return blocks.power(t.builder, t.value(base, dtype),
                        t.value(exponent, dtype))


def round_(t: Any, node: Any, value: Any, *, decimals: int = 0) -> Value:
    """To even; to a multiple of 10^-decimals."""
    b, dtype = t.builder, t.dtype_of(node)
    source = t.value(value, accumulated(dtype))
    if not source.is_float:
        return source
    scale = b.splat(10.0 ** abs(decimals), source.dtype)
    into, back = ("mul", "div") if decimals > 0 else ("div", "mul")
    if decimals:
        source = b.binary(into, source, scale)
    made = b.unary("round_even", source)
    return b.convert(b.binary(back, made, scale) if decimals else made, dtype)


def compare(predicate: str) -> Callable[..., Value]:
    def translate(t: Any, node: Any, left: Any, right: Any) -> Value:
        import torch
        sides = [side.meta["val"] if hasattr(side, "meta") else side
                 for side in (left, right)]
        dtype = dtype_name(torch.result_type(*sides))
        return t.builder.compare(predicate, t.value(left, dtype),
                                 t.value(right, dtype))
    return translate


def logical(op: str) -> Callable[..., Value]:
    def translate(t: Any, node: Any, left: Any, right: Any) -> Value:
        return t.builder.binary(op, t.value(left, "i1"), t.value(right, "i1"))
    return translate


def where(t: Any, node: Any, condition: Any, yes: Any, no: Any) -> Value:
    dtype = t.dtype_of(node)
    yes, no = t.value(yes, dtype), t.value(no, dtype)
    made = t.builder.select(t.value(condition, "i1"), yes, no)
    return t.like(made, yes, no)


def clamp(t: Any, node: Any, value: Any, low: Any = None, high: Any = None
          ) -> Value:
    b, dtype = t.builder, t.dtype_of(node)
    made = t.value(value, dtype)
    for op, bound in (("max", low), ("min", high)):
        if bound is not None:
            limit, before = t.value(bound, dtype), made
            made = b.binary(op, before, limit)
            if t.is_natural(limit) and (op == "max" or t.is_natural(before)):
                t.natural.add(made.name)
    return made


def relu(t: Any, node: Any, value: Any) -> Value:
    return clamp(t, node, value, 0)


def sigmoid(t: Any, node: Any, value: Any) -> Value:
    return t.builder.logistic(t.value(value, t.dtype_of(node)))


def silu(t: Any, node: Any, value: Any) -> Value:
    value = t.value(value)
    return t.builder.binary("mul", value, t.builder.logistic(value))


def gelu(t: Any, node: Any, value: Any, approximate: str = "none") -> Value:
    return blocks.gelu(t.builder, t.value(value), approximate == "tanh")


# Reductions.


def axes_of(value: Value, axes: Any) -> List[int]:
    """Returns the axes meant; none and an empty list mean all."""
    rank = len(value.shape)
    if isinstance(axes, int):
        axes = [axes]
    return [axis % rank for axis in axes] if axes else list(range(rank))


def reduction(op: str, is_mean: bool = False) -> Callable[..., Value]:
    def translate(t: Any, node: Any, value: Any, axes: Any = None,
                  keep: bool = False, **_: Any) -> Value:
        b, dtype = t.builder, t.dtype_of(node)
        source = t.value(value, accumulated(dtype))
        axes = axes_of(source, axes)
        made = (blocks.mean(b, source, axes, keep) if is_mean else
                b.reduce(op, source, axes, keep))
        return t.like(t.convert(made, dtype), source)
    return translate


def extreme(op: str) -> Callable[..., Any]:
    """max and min: of two tensors, of all elements, or along an axis, where
    they come with their places, which are not made."""
    def translate(t: Any, node: Any, value: Any, other: Any = None,
                  keep: bool = False) -> Any:
        if hasattr(other, "op"):
            return binary(op)(t, node, value, other)
        source = t.value(value)
        if other is None:
            return t.builder.reduce(op, source, axes_of(source, None))
        return [t.builder.reduce(op, source, [other], keep)]
    return translate


def variance(t: Any, node: Any, value: Any, axes: Any = None,
             correction: float = 1, keepdim: bool = False) -> Value:
    b, dtype = t.builder, t.dtype_of(node)
    source = t.value(value, accumulated(dtype))
    axes = axes_of(source, axes)
    centered = b.binary("sub", source, blocks.mean(b, source, axes))
    total = b.reduce("add", b.binary("mul", centered, centered), axes, keepdim)
    count = math.prod(source.shape[axis] for axis in axes) - correction
    return b.convert(b.binary("div", total, b.splat(count, source.dtype)), dtype)


def vector_norm(t: Any, node: Any, value: Any, order: float = 2, axes: Any = None,
                keep: bool = False, **_: Any) -> Value:
    b, dtype = t.builder, t.dtype_of(node)
    source = t.value(value, accumulated(dtype))
    axes = axes_of(source, axes)
    if order == 2:
        made = b.unary("sqrt", b.reduce("add", b.binary("mul", source, source),
                                        axes, keep))
    elif order in (1, math.inf):
        made = b.reduce("add" if order == 1 else "max",
                        b.unary("abs", source), axes, keep)
    else:
        raise ImportRefused(f"expected the norm of order 1, 2 or inf but got "
                            f"{order}")
    return b.convert(made, dtype)


def cumsum(t: Any, node: Any, value: Any, axis: int, **_: Any) -> Value:
    """A product with a triangle of ones."""
    b, dtype = t.builder, t.dtype_of(node)
    source = t.value(value, accumulated(dtype))
    size, rank = source.shape[axis], len(source.shape)
    ones = b.convert(blocks.is_at_or_before(b, size, size), source.dtype)
    letters = list("abcdefgh"[:rank])
    summed = "".join(letters)
    letters[axis] = "i"
    made = b.contract(f"i{summed[axis]},{summed}->{''.join(letters)}", ones,
                      source)
    return t.like(b.convert(made, dtype), source)


def softmax(t: Any, node: Any, value: Any, axis: int, *_: Any) -> Value:
    source = t.value(value, "f32")
    made = blocks.softmax(t.builder, source, [axis % len(source.shape)])
    return t.builder.convert(made, t.dtype_of(node))


# Products.


def product(t: Any, left: Value, right: Value) -> Value:
    """np.matmul, accumulated as PyTorch does."""
    made = blocks.matmul(t.builder, left, right, accumulated(left.dtype))
    return t.builder.convert(made, left.dtype)


def matmul(t: Any, node: Any, left: Any, right: Any, **_: Any) -> Value:
    return product(t, t.value(left), t.value(right))


def add_product(t: Any, node: Any, addend: Any, left: Any, right: Any, *,
                beta: float = 1, alpha: float = 1) -> Value:
    b, made = t.builder, product(t, t.value(left), t.value(right))
    if alpha != 1:
        made = b.binary("mul", made, b.splat(alpha, made.dtype))
    if beta == 0:
        return made
    addend = t.value(addend)
    if beta != 1:
        addend = b.binary("mul", addend, b.splat(beta, made.dtype))
    return b.binary("add", addend, made)


def linear(t: Any, node: Any, value: Any, weight: Any, bias: Any = None
           ) -> Value:
    b, value, weight = t.builder, t.value(value), t.value(weight)
    batch = "abcdefgh"[:len(value.shape) - 1]
    output = batch + "o" if len(weight.shape) == 2 else batch
    made = b.contract(f"{batch}k,{output[len(batch):]}k->{output}", value, weight,
                      accumulated(value.dtype))
    if bias is not None:
        made = b.binary("add", made, t.value(bias, made.dtype))
    return b.convert(made, value.dtype)


def convolution(t: Any, node: Any, value: Any, weight: Any, bias: Any,
                stride: Sequence[int], padding: Sequence[int],
                dilation: Sequence[int], is_transposed: bool,
                output_padding: Any, groups: int) -> Value:
    b, value, weight = t.builder, t.value(value), t.value(weight)
    if is_transposed:
        raise ImportRefused("expected a convolution but got a transposed one")
    rank = len(weight.shape) - 2

    def each(given: Sequence[int]) -> List[int]:
        return list(given) * rank if len(given) == 1 else list(given)
    made = windows.convolve(
        b, value, weight, stride=each(stride), dilation=each(dilation),
        padding=[(by, by) for by in each(padding)], groups=groups,
        dtype=accumulated(value.dtype))
    if bias is not None:
        shift = t.value(bias, made.dtype)
        made = b.binary("add", made, b.reshape(
            shift, [shift.shape[0]] + [1] * rank))
    return b.convert(made, value.dtype)


# Norms.


def normalized(t: Any, value: Value, axes: Sequence[int], epsilon: float,
               weight: Any, bias: Any, center: bool = True,
               shape: Sequence[int] = ()) -> Value:
    """Normalises in f32; `shape` is that of weight and bias, when not theirs."""
    b, dtype = t.builder, value.dtype
    made = blocks.normalize(b, b.convert(value, "f32"), axes, epsilon, center)
    for op, given in (("mul", weight), ("add", bias)):
        if given is not None:
            by = t.value(given, "f32")
            made = b.binary(op, made, b.reshape(by, shape) if shape else by)
    return b.convert(made, dtype)


def last_axes(value: Value, shape: Sequence[int]) -> List[int]:
    rank = len(value.shape)
    return list(range(rank - len(shape), rank))


def layer_norm(t: Any, node: Any, value: Any, shape: Sequence[int],
               weight: Any = None, bias: Any = None, eps: float = 1e-5,
               *_: Any) -> Value:
    value = t.value(value)
    return normalized(t, value, last_axes(value, shape), eps, weight, bias)


def native_layer_norm(t: Any, node: Any, *arguments: Any) -> List[Value]:
    return [layer_norm(t, node, *arguments)]


def rms_norm(t: Any, node: Any, value: Any, shape: Sequence[int],
             weight: Any = None, eps: Optional[float] = None) -> Value:
    value = t.value(value)
    eps = 2.0 ** -23 if eps is None else eps  # f32's, whatever the dtype
    return normalized(t, value, last_axes(value, shape), eps, weight, None,
                      center=False)


def group_norm(t: Any, node: Any, value: Any, weight: Any, bias: Any, n: int,
               c: int, area: int, groups: int, eps: float) -> List[Value]:
    b, source = t.builder, t.value(value)
    grouped = b.reshape(source, [n, groups, -(-c // groups) * area])
    made = b.reshape(normalized(t, grouped, [2], eps, None, None), [n, c, area])
    for op, given in (("mul", weight), ("add", bias)):
        if given is not None:
            made = b.binary(op, made, b.reshape(t.value(given, made.dtype),
                                                [c, 1]))
    return [b.reshape(made, source.shape)]


def batch_norm(t: Any, node: Any, value: Any, weight: Any, bias: Any, mean: Any,
               variance_: Any, momentum: float, eps: float) -> List[Value]:
    b, source = t.builder, t.value(value)
    mean, variance_, weight, bias = (
        None if given is None else t.value(given, "f32")
        for given in (mean, variance_, weight, bias))
    made = blocks.batch_norm(b, b.convert(source, "f32"), mean, variance_, eps,
                             weight, bias)
    return [b.convert(made, source.dtype)]


def native_dropout(t: Any, node: Any, value: Any, p: float, train: bool
                   ) -> List[Value]:
    if train and p:
        raise ImportRefused(f"expected no dropout but got one of {p}; call eval() "
                            f"on the model first")
    return [t.value(value)]


HANDLERS: Dict[str, Callable[..., Any]] = {
    **{name: unary(op) for name, op in UNARY.items()},
    **{name: binary(op) for name, op in BINARY.items()},
    **{name: compare(name) for name in COMPARISONS},
    **{name: logical(op) for name, op in LOGICAL.items()},
    "add": sum_of("add"), "sub": sum_of("sub"),
    "div": divide, "remainder": remainder,
    "reciprocal": lambda t, node, value: divide(t, node, 1, value),
    "pow": power, "round": round_,
    "logical_not": lambda t, node, value: t.builder.invert(t.value(value, "i1")),
    "bitwise_not": lambda t, node, value: t.builder.invert(t.value(value)),
    "where": where, "clamp": clamp,
    "relu": relu, "sigmoid": sigmoid, "silu": silu, "gelu": gelu,
    "sum": reduction("add"), "mean": reduction("add", is_mean=True),
    "amax": reduction("max"), "amin": reduction("min"),
    "prod": reduction("mul"), "any": reduction("or"), "max": extreme("max"),
    "min": extreme("min"), "var": variance,
    "linalg_vector_norm": vector_norm, "cumsum": cumsum, "_softmax": softmax,
    "mm": matmul, "bmm": matmul, "matmul": matmul, "addmm": add_product,
    "linear": linear, "convolution": convolution, "layer_norm": layer_norm,
    "native_layer_norm": native_layer_norm, "rms_norm": rms_norm,
    "native_group_norm": group_norm,
    "_native_batch_norm_legit_no_training": batch_norm,
    "native_dropout": native_dropout,
}
