# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX: decomposed graphs and the Attention op, node by node.

What is computed from known numbers alone, such as shapes, is computed here by
ONNX's own reference.
"""

import math
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from goatc.frontends.blocks import (attend, batch_norm, causal, gelu, masked,
                                    matmul, mean, normalize, power,
                                    repeat_heads, softmax, top_left, wrapped)
from goatc.frontends.builder import Builder, ImportRefused, Value
from goatc.frontends.module import Module
from goatc.frontends.windows import convolve, pool_max, pool_mean
from goatc.library import Diagnostic

# Known numbers of more elements are parameters, which are not folded.
MOST_FOLDED = 65536

# What masks are made of stays a function of the index.
NOT_FOLDED = ("Range", "Trilu")

Known = Union[Value, np.ndarray, None]

# Before it, Clip, Pad and Slice are other ops.
FIRST_OPSET = 11
DTYPES = {1: "f32", 10: "f16", 16: "bf16", 6: "i32", 7: "i64", 9: "i1",
          3: "i8"}
UNARY = {"Exp": "exp", "Log": "log", "Tanh": "tanh", "Sqrt": "sqrt",
         "Erf": "erf", "Neg": "neg", "Abs": "abs", "Cos": "cos", "Sin": "sin",
         "Floor": "floor", "Ceil": "ceil"}
BINARY = {"Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div",
          "Max": "max", "Min": "min", "And": "and", "Or": "or", "Xor": "xor"}
COMPARISONS = {"Equal": "eq", "Less": "lt", "LessOrEqual": "le",
               "Greater": "gt", "GreaterOrEqual": "ge"}
REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2",
              "ReduceSumSquare")


def dtype_of(array: np.ndarray) -> str:
    """Returns the dtype of known numbers."""
    names = {"float32": "f32", "float16": "f16", "bfloat16": "bf16",
             "int32": "i32", "int64": "i64", "bool": "i1", "int8": "i8"}
    if array.dtype.name not in names:
        raise ImportRefused(f"expected a dtype that kernels know but got "
                            f"{array.dtype}")
    return names[array.dtype.name]


class Translator:
    """Translates a graph's nodes in order."""

    def __init__(self, model: Any, name: str):
        import onnx
        self.builder, self.model = Builder(name), model
        self.values: Dict[str, Known] = {"": None}
        self.remarks: List[Diagnostic] = []
        self.opset = max((one.version for one in model.opset_import
                          if one.domain in ("", "ai.onnx")), default=FIRST_OPSET)
        if self.opset < FIRST_OPSET:
            raise ImportRefused(f"expected opset {FIRST_OPSET} or later but got "
                                f"{self.opset}; convert the model with "
                                "onnx.version_converter")
        for tensor in model.graph.initializer:
            self.values[tensor.name] = onnx.numpy_helper.to_array(tensor)
        self.parameters: Dict[int, Value] = {}

    def value(self, known: Known, name: str = "weight") -> Value:
        """Returns a tensor of the graph, for known numbers too."""
        if isinstance(known, np.ndarray):
            if id(known) not in self.parameters:
                self.parameters[id(known)] = self.builder.constant(
                    known, dtype_of(known), name)
            return self.parameters[id(known)]
        if known is None:
            raise ImportRefused("expected an input but got none")
        return known

    def graph(self) -> None:
        """Translates everything."""
        for given in self.model.graph.input:
            if given.name in self.values:
                continue
            tensor = given.type.tensor_type
            shape = [dim.dim_value for dim in tensor.shape.dim]
            if not all(shape) or tensor.elem_type not in DTYPES:
                raise ImportRefused(
                    f"expected '{given.name}' to have known sizes and a dtype "
                    f"that kernels know; give its shape to from_onnx")
            self.values[given.name] = self.builder.add_input(
                given.name, shape, DTYPES[tensor.elem_type])
        for number, node in enumerate(self.model.graph.node):
            try:
                self.node(node)
            except ImportRefused as error:
                raise ImportRefused(f"node {number} '{node.name}' of "
                                    f"{node.op_type}: {error}") from None
        self.builder.results = [
            self.value(self.values[output.name])
            for output in self.model.graph.output]

    def node(self, node: Any) -> None:
        """Folds or translates one node."""
        import onnx
        inputs = [self.values[name] for name in node.input]
        attributes = {a.name: onnx.helper.get_attribute_value(a)
                      for a in node.attribute}
        if node.op_type == "Shape" and isinstance(inputs[0], Value):
            shape = inputs[0].shape[attributes.get("start", 0):
                                    attributes.get("end")]
            self.values[node.output[0]] = np.array(shape, np.int64)
            return
        known = [one for one in inputs if one is not None]
        if node.op_type not in NOT_FOLDED and MOST_FOLDED >= sum(
                MOST_FOLDED + 1 if isinstance(one, Value) else one.size
                for one in known):
            self.values.update(zip(node.output, self.fold(node, inputs)))
            return
        handler = HANDLERS.get(node.op_type)
        if handler is None or node.domain not in ("", "ai.onnx"):
            raise ImportRefused("expected an op that is translated")
        result = handler(self, node, attributes, inputs)
        results = result if isinstance(result, list) else [result]
        self.values.update(zip(node.output, results))

    def fold(self, node: Any, inputs: Sequence[Known]) -> List[np.ndarray]:
        """Computes a node of known numbers."""
        from onnx.reference import ReferenceEvaluator
        evaluator = ReferenceEvaluator(
            node, opsets={o.domain: o.version for o in self.model.opset_import})
        feeds = {name: known for name, known in zip(node.input, inputs) if name}
        return [np.asarray(out) for out in evaluator.run(None, feeds)]

    def numbers(self, known: Known) -> List[int]:
        """Returns known integers."""
        if not isinstance(known, np.ndarray):
            raise ImportRefused("expected sizes, axes and bounds that are known")
        return [int(n) for n in known.reshape(-1)]


def unary(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    return t.builder.unary(UNARY[node.op_type], t.value(inputs[0]))


def binary(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    values = [t.value(known) for known in inputs]
    result = values[0]
    for value in values[1:]:
        result = t.builder.binary(BINARY[node.op_type], result, value)
    return result


def pow_(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    base, exponent = (t.value(known) for known in inputs)
    return power(t.builder, base, t.builder.convert(exponent, base.dtype))


def compare(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    return t.builder.compare(COMPARISONS[node.op_type],
                             *(t.value(known) for known in inputs))


def reduction(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    b, value = t.builder, t.value(inputs[0])
    axes = (t.numbers(inputs[1]) if len(inputs) > 1 and inputs[1] is not None
            else list(attributes.get("axes", range(len(value.shape)))))
    keep = bool(attributes.get("keepdims", 1))
    kind = node.op_type
    if kind in ("ReduceL2", "ReduceSumSquare"):
        value = b.binary("mul", value, value)
    op = {"ReduceMax": "max", "ReduceMin": "min"}.get(kind, "add")
    result = b.reduce(op, value, axes, keep)
    if kind == "ReduceMean":
        count = math.prod(value.shape[axis] for axis in axes)
        return b.binary("div", result, b.splat(count, value.dtype))
    return b.unary("sqrt", result) if kind == "ReduceL2" else result


def layer_norm(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    b, value = t.builder, t.value(inputs[0])
    axes = list(range(attributes.get("axis", -1) % len(value.shape),
                      len(value.shape)))
    result = b.binary("mul", normalize(
        b, value, axes, attributes.get("epsilon", 1e-5),
        center=node.op_type == "LayerNormalization"), t.value(inputs[1]))
    if len(inputs) > 2 and inputs[2] is not None:
        result = b.binary("add", result, t.value(inputs[2]))
    return result


def reshape(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    value, shape = t.value(inputs[0]), t.numbers(inputs[1])
    if not attributes.get("allowzero", 0):
        shape = [value.shape[n] if size == 0 else size
                 for n, size in enumerate(shape)]
    if -1 in shape:
        rest = -math.prod(shape)
        shape[shape.index(-1)] = math.prod(value.shape) // max(rest, 1)
    return t.builder.reshape(value, shape)


def squeeze(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    value = t.value(inputs[0])
    rank = len(value.shape)
    # An attribute before opset 13.
    axes = (t.numbers(inputs[1]) if len(inputs) > 1 else attributes.get(
        "axes", [n for n, size in enumerate(value.shape) if size == 1]))
    if node.op_type == "Squeeze":
        gone = [axis % rank for axis in axes]
        return t.builder.reshape(value, [size for n, size in
                                         enumerate(value.shape)
                                         if n not in gone])
    shape = list(value.shape)
    for axis in sorted(axis % (rank + len(axes)) for axis in axes):
        shape.insert(axis, 1)
    return t.builder.reshape(value, shape)


def slice_(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    value = t.value(inputs[0])
    starts, ends = t.numbers(inputs[1]), t.numbers(inputs[2])
    axes = (t.numbers(inputs[3]) if len(inputs) > 3 and inputs[3] is not None
            else list(range(len(starts))))
    steps = t.numbers(inputs[4]) if len(inputs) > 4 else [1] * len(starts)
    if min(steps) < 1:
        raise ImportRefused("expected steps forward")
    first, size = [0] * len(value.shape), list(value.shape)
    step = [1] * len(value.shape)
    for start, end, axis, by in zip(starts, ends, axes, steps):
        taken = range(value.shape[axis])[start:end:by]
        first[axis], size[axis], step[axis] = taken.start, len(taken), by
    return t.builder.slice(value, first, size, step)


def split(t: Translator, node: Any, attributes: Any, inputs: Any
          ) -> List[Value]:
    value = t.value(inputs[0])
    axis = attributes.get("axis", 0) % len(value.shape)
    if len(inputs) > 1 and inputs[1] is not None:
        sizes = t.numbers(inputs[1])
    elif "split" in attributes:  # before opset 13
        sizes = attributes["split"]
    else:
        each = -(-value.shape[axis] // len(node.output))
        sizes = [min(each, value.shape[axis] - n * each)
                 for n in range(len(node.output))]
    parts, start = [], 0
    for size in sizes:
        first, shape = [0] * len(value.shape), list(value.shape)
        first[axis], shape[axis] = start, size
        parts.append(t.builder.slice(value, first, shape))
        start += size
    return parts


def trilu(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    b, value = t.builder, t.value(inputs[0])
    offset = t.numbers(inputs[1])[0] if len(inputs) > 1 else 0
    matrix = value.shape[-2:]
    row = b.binary("add", b.iota(matrix, 0, "i64"), b.splat(offset, "i64"))
    keeps = b.compare("ge" if attributes.get("upper", 1) else "le",
                      b.iota(matrix, 1, "i64"), row)
    return b.select(keeps, value, b.splat(0, value.dtype))


def softmax_of(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    value = t.value(inputs[0])
    rank = len(value.shape)
    if t.opset >= 13:
        return softmax(t.builder, value, [attributes.get("axis", -1) % rank])
    # Along all axes from this one on.
    first = attributes.get("axis", 1) % rank
    return softmax(t.builder, value, range(first, rank))


def range_(t: Translator, node: Any, attributes: Any, inputs: Any) -> Known:
    b = t.builder
    if any(isinstance(known, Value) for known in inputs):
        raise ImportRefused("expected bounds that are known")
    count = len(np.arange(*(known.item() for known in inputs)))
    dtype = dtype_of(inputs[0])
    first, step = (b.splat(known.item(), dtype)
                   for known in (inputs[0], inputs[2]))
    result = b.iota([count], 0, dtype)
    if step.splat != 1:
        result = b.binary("mul", result, step)
    return b.binary("add", result, first) if first.splat else result


def expand(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    value = t.value(inputs[0])
    shape = np.broadcast_shapes(value.shape, tuple(t.numbers(inputs[1])))
    return t.builder.broadcast(value, shape)


def gather(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    b, table, ids = t.builder, t.value(inputs[0]), t.value(inputs[1])
    axis = attributes.get("axis", 0)
    if isinstance(inputs[1], np.ndarray) and inputs[1].ndim == 0:
        first, size = [0] * len(table.shape), list(table.shape)
        axis %= len(size)
        first[axis], size[axis] = int(inputs[1]) % size[axis], 1
        return b.reshape(b.slice(table, first, size),
                         size[:axis] + size[axis + 1:])
    return b.take(table, wrapped(b, ids, table.shape[axis]), axis)


def gemm(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    b, left, right = t.builder, t.value(inputs[0]), t.value(inputs[1])
    if attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0:
        raise ImportRefused("expected alpha and beta to be 1")
    result = b.contract(
        f"{'ki' if attributes.get('transA', 0) else 'ik'},"
        f"{'jk' if attributes.get('transB', 0) else 'kj'}->ij", left, right)
    if len(inputs) > 2 and inputs[2] is not None:
        result = b.binary("add", result, t.value(inputs[2]))
    return result


def clip(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    value = t.value(inputs[0])
    for op, bound in zip(("max", "min"), inputs[1:]):
        if bound is not None:
            value = t.builder.binary(op, value, t.value(bound))
    return value


def hard_sigmoid(t: Translator, node: Any, attributes: Any, inputs: Any
                 ) -> Value:
    b, value = t.builder, t.value(inputs[0])
    is_swish = node.op_type == "HardSwish"
    numbers = [1 / 6 if is_swish else attributes.get("alpha", 0.2),
               0.5 if is_swish else attributes.get("beta", 0.5), 0, 1]
    alpha, beta, low, high = (b.splat(n, value.dtype) for n in numbers)
    made = b.binary("add", b.binary("mul", value, alpha), beta)
    made = b.binary("min", b.binary("max", made, low), high)
    return b.binary("mul", value, made) if is_swish else made


def window_of(attributes: Any, kernel: Sequence[int]) -> Dict[str, Any]:
    """Returns stride, padding and dilation of a convolution or a pool."""
    if attributes.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
        raise ImportRefused("expected pads that are given but got auto_pad "
                            f"{attributes['auto_pad'].decode()}")
    if attributes.get("ceil_mode", 0):
        raise ImportRefused("expected ceil_mode to be 0 but got 1")
    rank = len(kernel)
    pads = attributes.get("pads", [0] * (2 * rank))
    return {"stride": attributes.get("strides", [1] * rank),
            "padding": list(zip(pads[:rank], pads[rank:])),
            "dilation": attributes.get("dilations", [1] * rank)}


def convolution(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    b, value, weight = t.builder, t.value(inputs[0]), t.value(inputs[1])
    made = convolve(b, value, weight, groups=attributes.get("group", 1),
                    **window_of(attributes, weight.shape[2:]))
    if len(inputs) > 2 and inputs[2] is not None:
        bias = t.value(inputs[2])
        made = b.binary("add", made, b.reshape(
            bias, [*bias.shape, *[1] * (len(weight.shape) - 2)]))
    return made


def pool(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    value, kernel = t.value(inputs[0]), attributes["kernel_shape"]
    window = window_of(attributes, kernel)
    if node.op_type == "MaxPool":
        if any(node.output[1:]):
            raise ImportRefused("expected a pool without indices")
        return pool_max(t.builder, value, kernel, **window)
    if max(window.pop("dilation")) > 1:
        raise ImportRefused("expected an average of neighbours but got a pool "
                            "with dilations")
    return pool_mean(t.builder, value, kernel, **window, counts_padding=bool(
        attributes.get("count_include_pad", 0)))


def attention(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    """Attention of opset 23 and 24, without a cache: causal from the top left,
    the mask added before the softcap, as its specification has them."""
    b = t.builder
    if any(known is not None for known in inputs[4:]) or any(node.output[1:]):
        raise ImportRefused("expected an Attention without cache, lengths and "
                            "further outputs; compute on whole sequences")
    q, k, v = (t.value(known) for known in inputs[:3])
    packed = len(q.shape) == 3

    def heads(value: Value, count: int) -> Value:
        batch, length, width = value.shape
        return b.transpose(b.reshape(value, [batch, length, count,
                                             width // count]), [0, 2, 1, 3])
    if packed:
        q = heads(q, attributes["q_num_heads"])
        k, v = (heads(part, attributes["kv_num_heads"]) for part in (k, v))
    batch, count, rows, depth = q.shape
    group = count // k.shape[1]
    k, v = (repeat_heads(b, part, 1, group) for part in (k, v))
    scale = attributes.get("scale") or 1 / math.sqrt(depth)
    mask = inputs[3] if len(inputs) > 3 else None
    is_causal, cap = (attributes.get("is_causal", 0),
                      attributes.get("softcap", 0.0))

    def scored(score: Value) -> Value:
        if mask is not None:
            score = masked(b, score, t.value(mask))
        if is_causal:
            score = causal(b, score)
        if cap:
            limit = b.splat(cap, "f32")
            score = b.binary("mul", limit, b.unary("tanh", b.binary(
                "div", score, limit)))
        return score
    if is_causal and rows != k.shape[2]:
        t.remarks.append(Diagnostic("remark", top_left(node.name, "ONNX")))
    if cap and (mask is not None or is_causal):
        t.remarks.append(Diagnostic(
            "remark", f"'{node.name}' caps after the mask, as ONNX has it; a "
            f"masked key keeps a logit of -{cap}"))
    out = attend(b, q, k, v, scale, scored)
    if packed:
        out = b.transpose(out, [0, 2, 1, 3])
        out = b.reshape(out, [batch, rows, count * v.shape[3]])
    return out


def cast(t: Translator, node: Any, attributes: Any, inputs: Any) -> Value:
    if attributes["to"] not in DTYPES:
        import onnx
        name = onnx.TensorProto.DataType.Name(attributes["to"])
        raise ImportRefused(f"expected a dtype that kernels know but got {name}")
    return t.builder.convert(t.value(inputs[0]), DTYPES[attributes["to"]])


Handler = Callable[[Translator, Any, Any, Any], Any]
HANDLERS: Dict[str, Handler] = {
    **{name: unary for name in UNARY}, **{name: binary for name in BINARY},
    **{name: compare for name in COMPARISONS},
    **{name: reduction for name in REDUCTIONS},
    "MatMul": lambda t, n, a, i: matmul(t.builder, t.value(i[0]), t.value(i[1])),
    "Gemm": gemm, "Pow": pow_, "Attention": attention, "LayerNormalization": layer_norm,
    "RMSNormalization": layer_norm, "Reshape": reshape,
    "Gelu": lambda t, n, a, i: gelu(
        t.builder, t.value(i[0]), a.get("approximate", b"none") == b"tanh"),
    "Squeeze": squeeze, "Unsqueeze": squeeze, "Slice": slice_, "Split": split,
    "Trilu": trilu, "Range": range_, "Expand": expand, "Gather": gather,
    "Identity": lambda t, n, a, i: t.value(i[0]),
    "Transpose": lambda t, n, a, i: t.builder.transpose(
        t.value(i[0]), a.get("perm") or
        list(range(len(t.value(i[0]).shape)))[::-1]),
    "Concat": lambda t, n, a, i: t.builder.concat(
        [t.value(known) for known in i], a["axis"]),
    "Where": lambda t, n, a, i: t.builder.select(
        *(t.value(known) for known in i)),
    "Softmax": softmax_of,
    "Sigmoid": lambda t, n, a, i: t.builder.logistic(t.value(i[0])),
    "Reciprocal": lambda t, n, a, i: t.builder.binary(
        "div", t.builder.splat(1, t.value(i[0]).dtype), t.value(i[0])),
    "Not": lambda t, n, a, i: t.builder.invert(t.value(i[0])),
    "Relu": lambda t, n, a, i: t.builder.binary(
        "max", t.value(i[0]), t.builder.splat(0, t.value(i[0]).dtype)),
    "Cast": cast, "Clip": clip, "HardSigmoid": hard_sigmoid,
    "HardSwish": hard_sigmoid, "Conv": convolution, "MaxPool": pool,
    "AveragePool": pool,
    "GlobalAveragePool": lambda t, n, a, i: mean(
        t.builder, t.value(i[0]), range(2, len(t.value(i[0]).shape))),
    "BatchNormalization": lambda t, n, a, i: batch_norm(
        t.builder, t.value(i[0]), t.value(i[3]), t.value(i[4]),
        a.get("epsilon", 1e-5), t.value(i[1]), t.value(i[2])),
}


def from_onnx(model: Any, *, name: str = "main",
              shapes: Optional[Dict[str, Sequence[int]]] = None) -> Module:
    """Imports an ONNX model.

    model: an onnx.ModelProto or the path of a file. name: of the function made.
    shapes: of inputs whose sizes the model leaves open.

    Weights become inputs that a run need not give. Raises ImportRefused for a
    node that is not translated, by name and number.
    """
    import onnx
    if isinstance(model, (str, os.PathLike)):
        model = onnx.load(os.fspath(model))
    if shapes:
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        model = copy
        for given in model.graph.input:
            for dim, size in zip(given.type.tensor_type.shape.dim,
                                 shapes.get(given.name, ())):
                dim.dim_value = size
    translator = Translator(model, name)
    translator.graph()
    return Module(translator.builder, translator.remarks)
