# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds an attention layer from Python functions."""

import inspect
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from goatc.arrays import is_array, to_host
from goatc.capture import Rewriter
from goatc.terms import Mask, Prior
from goatc.trace import (F32, I1, INDEX, STATE, Parameters, Tensor, Trace,
                         TraceError, Value, as_float, as_index, dtype_name,
                         show_float, spread)

# What each region is called with, and what a coordinate is.
ARGUMENTS = {"score": "sbhij", "mask": "bhij", "exclude": "yobhi",
             "own": "bhi", "load_q": "rbhi", "load_k": "rbhj"}
ROWS = {"y": "y", "o": "own", "r": "row"}
LAYOUTS = {"bhsd": (1, 2), "bshd": (2, 1)}  # the axes of heads and of rows


class Attention:
    """An attention layer as MLIR text, with the arrays it was built from.

    text: a module with one function, `name`.
    inputs: names of its parameters, in order: query, key, value, the rest.
    bound: values of those parameters that were given as arrays. A run uses them
        unless it is given others.
    """

    def __init__(self, name: str, text: str, inputs: Sequence[str],
                 bound: Dict[str, np.ndarray]):
        self.name, self.text = name, text
        self.inputs, self.bound = list(inputs), bound

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<goatc.Attention {self.name}({', '.join(self.inputs)})>"


def attention(query: Any, key: Any, value: Any, *,
              score: Optional[Callable[..., Any]] = None,
              mask: Optional[Callable[..., Any]] = None,
              exclude: Optional[Callable[..., Any]] = None,
              own: Optional[Callable[..., Any]] = None,
              load_q: Optional[Callable[..., Any]] = None,
              load_k: Optional[Callable[..., Any]] = None,
              layout: str = "bhsd", strided: bool = False,
              scale: Any = None, sink: Any = None,
              normalizer: str = "softmax", q_offset: Any = None,
              k_offset: Any = None, q_lengths: Any = None,
              k_lengths: Any = None, return_lse: bool = False,
              name: str = "attention") -> Attention:
    """Returns attention with the given parts, as docs/spec.md defines it.

    query, key, value: (B, Hq, Lq, D), (B, Hkv, Lk, D), (B, Hkv, Lk, Dv), of f16,
        bf16 or f32: a `goatc.Tensor`, or arrays of those shapes and dtypes;
        with arrays, batch and lengths may differ from run to run.
    score: (s, b, h, i, j) to the logit; s is scale·(q·k). Or a prior of
        `goatc.prior`, which is added to s.
    mask: (b, h, i, j) to whether query i sees key j. Or one of `goatc.mask`.
    exclude: (y, own, b, h, i) to the row that is stored; y is the finished row,
        own the token's own value row. Or one of `goatc.exclude`.
    own: (b, h, i) to the index of the own row, where it is another.
    load_q, load_k: (row, b, h, i) to the row of query (of key) that scores are
        computed from, such as one of `goatc.rows`; h is a head of query (of
        key).
    layout: "bshd" for axes (B, L, H, D) of query, key, value and the output.
    strided: whether calls may give query, key, value and the output with gaps,
        in variants of the kernel; else they are contiguous.
    scale: a number or an f32 scalar; 1/√D when None.
    sink: f32 (Hq), a logit that joins each row.
    normalizer: "softmax" or "sigmoid".
    q_offset, k_offset: an int, an i32 scalar or i32 (B): position(i) is
        i + q_offset. q_lengths, k_lengths: i32 (B): how many rows count.
    return_lse: also gives the log-sum-exp, f32 (B, Hq, Lq), natural logarithm.
    name: what the function, and the kernel, is called.

    Functions are called once, on values that record what is done to them: b, h,
    i, j are integers, s is f32. They use operators, `goatc.where` and the other
    functions of goatc or NumPy's, and index arrays. Arrays that they use become
    inputs of the kernel whose value is known already.

    Raises TraceError where a function cannot be recorded, and ValueError for
    arguments that are wrong by themselves; the compiler checks the rest.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"expected the layout to be bhsd or bshd but got "
                         f"'{layout}'")
    builder = Builder(layout, strided)
    operands = [builder.operand(array, part) for array, part in
                ((query, "query"), (key, "key"), (value, "value"))]
    clauses, attributes = [], []

    def option(given: Any, word: str, dtype: str) -> None:
        """An argument that is a number (an attribute) or an operand."""
        if given is None:
            return
        if isinstance(given, (int, float)) and word in ("scale", "q_offset",
                                                        "k_offset"):
            number = (f"{show_float(given)} : f32" if dtype == "f32"
                      else f"{int(given)} : i32")
            attributes.append(f"static_{word} = {number}")
            return
        tensor = builder.tensor(given, word, dtype)
        ssa = builder.parameters.add(tensor)
        typed = "" if word == "scale" else f" : type({ssa})"
        clauses.append(f"{word}({ssa}{typed})")
        if tensor.shape and word != "sink":
            builder.parameters.note_index(tensor, 0, "b")

    option(scale, "scale", "f32")
    option(sink, "sink", "f32")
    for word, given in (("q_offset", q_offset), ("k_offset", k_offset),
                        ("q_lengths", q_lengths), ("k_lengths", k_lengths)):
        option(given, word, "i32")
    if normalizer not in ("softmax", "sigmoid"):
        raise ValueError(f"expected the normalizer to be softmax or sigmoid but "
                         f"got '{normalizer}'")
    if normalizer != "softmax":
        attributes.append(f"normalizer = #goat.normalizer<{normalizer}>")
    if layout != "bhsd":
        attributes.append(f"layout = #goat.layout<{layout}>")
    if isinstance(score, Prior):
        score = add_to_score(score)
    for part, function in (("score", score), ("mask", mask),
                           ("exclude", exclude), ("own", own),
                           ("load_q", load_q), ("load_k", load_k)):
        width = operands[0 if part.startswith("load") else 2].shape[3]
        if function is not None:
            clauses.append(builder.region(part, function, width))
    return builder.finish(name, operands, clauses, attributes, return_lse)


def add_to_score(prior: Prior) -> Callable[..., Any]:
    """Returns the score function that adds a prior."""
    return lambda s, b, h, i, j: s + prior(b, h, i, j)


class Builder:
    """Collects parameters and regions of one layer."""

    def __init__(self, layout: str, strided: bool) -> None:
        self.head_axis, self.row_axis = LAYOUTS[layout]
        self.strided = strided
        self.parameters = Parameters()
        self.rewriter = Rewriter()

    def tensor(self, given: Any, name: str, dtype: str) -> Tensor:
        """Returns an argument that is no part of a function."""
        if isinstance(given, Tensor):
            return self.rewriter.tensor(given, name)
        if not is_array(given):
            given = np.asarray(given)
        tensor = self.rewriter.tensor(given, name)
        if tensor.dtype != dtype:
            raise ValueError(f"expected '{name}' of dtype {dtype} but got "
                             f"{tensor.dtype}")
        return tensor

    def operand(self, given: Any, name: str) -> Tensor:
        """Returns query, key or value; batch and length of an array are free,
        and its contents are not kept."""
        if not isinstance(given, Tensor):
            if not is_array(given):
                raise ValueError(f"expected '{name}' to be an array or a "
                                 f"goatc.Tensor but got a "
                                 f"{type(given).__name__}")
            shape, dtype = shape_and_dtype(given)
            given = Tensor([None if axis in (0, self.row_axis) else size
                            for axis, size in enumerate(shape)], dtype)
        if given.ndim != 4:
            raise ValueError(f"expected '{name}' of rank 4, (B, H, L, D) or "
                             f"(B, L, H, D), but got {given.ndim}")
        operand = Tensor(given.shape, given.dtype, name)
        self.parameters.add(operand)
        return operand

    def region(self, part: str, function: Callable[..., Any],
               width: Optional[int]) -> str:
        """Records a function and returns the region."""
        letters = ARGUMENTS[part]
        check_arity(part, function, letters)
        trace = Trace(self.parameters)
        trace.part = part
        arguments = []
        for letter in letters:
            if letter in ROWS:
                arguments.append(Value(trace, f"%{letter}", F32, width))
            elif letter == "s":
                arguments.append(Value(trace, "%s", F32))
            else:
                arguments.append(Value(trace, f"%{letter}", INDEX, small=True,
                                       positive=True, coordinate=letter))
        outer, STATE.trace = STATE.trace, trace
        try:
            result = self.rewriter.function(function)(*arguments)
            if result is None:
                raise TraceError(f"expected the {part} function to return a "
                                 f"value but got None")
            yielded = fit(part, trace.lift(result), width)
        finally:
            STATE.trace = outer
        block = ", ".join(f"{a.name}: {a.type}" for a in arguments)
        lines = prune(trace.lines, yielded.name)
        return "\n".join([f"{part} {{", f"    ^bb0({block}):", *lines,
                          f"      goat.yield {yielded.name} : {yielded.type}",
                          "    }"])

    def finish(self, name: str, operands: Sequence[Tensor],
               clauses: List[str], attributes: List[str],
               return_lse: bool) -> Attention:
        """Puts the layer together."""
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(f"expected a name of letters, digits and _ but got "
                             f"'{name}'")
        query, key = operands[0], operands[1]
        lengths = {"b": query.shape[0], "i": query.shape[self.row_axis],
                   "j": key.shape[self.row_axis]}
        free = [letter for letter, size in lengths.items() if size is None]
        types = {}
        for tensor in self.parameters.tensors:
            types[self.parameters.add(tensor)] = (
                self.parameters.type_of(tensor, free))
        q, k, v = (types[self.parameters.add(o)] for o in operands)
        out = (*query.shape[:3], operands[2].shape[3])
        results = [("out", show_type(out, query.dtype))]
        if return_lse:
            results.append(("lse", show_type(
                (query.shape[0], query.shape[self.head_axis], lengths["i"]),
                "f32")))
        gaps = {"%query", "%key", "%value", "out"} if self.strided else set()
        values = ", ".join(f"%{result}" for result, _ in results)
        result_types = ", ".join(kind for _, kind in results)
        given = ", ".join(
            f"{ssa}: {kind}{' {goat.strided}' if ssa in gaps else ''}"
            for ssa, kind in types.items())
        named = ", ".join(
            f'{kind} {{goat.name = "{result}"'
            f"{', goat.strided' if result in gaps else ''}}}"
            for result, kind in results)
        extra = (f" attributes {{{', '.join(attributes)}}}" if attributes
                 else "")
        body = " ".join(clauses)
        text = (f"func.func @{name}({given})\n    -> ({named}) {{\n"
                f"  {values} = goat.attention %query, %key, %value "
                f"{body}{extra}\n"
                f"    : ({q}, {k}, {v}) -> ({result_types})\n"
                f"  return {values} : {result_types}\n}}\n")
        text = re.sub(r"type\((%\w+)\)", lambda found: types[found[1]], text)
        bound = {self.parameters.names[id(t)]: t.data
                 for t in self.parameters.tensors if t.data is not None}
        return Attention(name, text, [ssa[1:] for ssa in types], bound)


def shape_and_dtype(array: Any) -> Tuple[Tuple[int, ...], str]:
    """Returns the shape and element type of an array on any device."""
    if isinstance(array, np.ndarray):
        return array.shape, dtype_name(array.dtype)
    name = str(getattr(array, "dtype", "")).split(".")[-1]
    names = {"bfloat16": "bf16", "float16": "f16", "float32": "f32"}
    if name in names:
        return tuple(array.shape), names[name]
    host = to_host(array)
    return host.shape, dtype_name(host.dtype)


def show_type(shape: Sequence[Optional[int]], dtype: str) -> str:
    """Returns an MLIR tensor type."""
    return "tensor<" + "".join(f"{'?' if size is None else size}x"
                               for size in shape) + dtype + ">"


def check_arity(part: str, function: Callable[..., Any],
                letters: str) -> None:
    """Raises TraceError unless a function takes the region's arguments."""
    spelled = ", ".join(ROWS.get(letter, letter) for letter in letters)
    if not callable(function):
        raise TraceError(f"expected '{part}' to be a function of ({spelled}) but "
                         f"got a {type(function).__name__}")
    if part == "mask" and isinstance(function, Prior) or (
            part != "mask" and isinstance(function, Mask)):
        module = {"score": "prior", "load_q": "rows", "load_k": "rows"}.get(
            part, part)
        raise TraceError(f"expected '{part}' to be one of goatc.{module} or a "
                         f"function of ({spelled}) but got {function!r}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*letters)
    except TypeError:
        raise TraceError(f"expected '{part}' to be a function of ({spelled}) but "
                         f"got {signature}") from None


def fit(part: str, value: Value, width: Optional[int]) -> Value:
    """Returns a result in the type that its region yields."""
    if part == "score" and value.width is None:
        return as_float(value)
    if part == "mask" and value.kind == I1 and value.width is None:
        return value
    if part == "own" and value.kind not in (F32, I1):
        return as_index(value)
    if part in ("exclude", "load_q", "load_k"):
        return spread(as_float(value), width)
    wanted = {"score": "a number", "mask": "a truth value",
              "own": "an integer"}[part]
    raise TraceError(f"expected the {part} function to return {wanted} but got "
                     f"{value!r}")


def prune(lines: Sequence[str], result: str) -> List[str]:
    """Returns the lines that a result needs."""
    needed, kept = {result}, []
    for line in reversed(lines):
        target, _, rest = line.strip().partition(" = ")
        if target in needed:
            needed.update(re.findall(r"%\w+", rest))
            kept.append(line)
    return kept[::-1]
