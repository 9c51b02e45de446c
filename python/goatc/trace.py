# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns ordinary Python functions of (s, b, h, i, j) into regions of ops.

A function is called once, on `Value`s, which record what is done to them as
lines of MLIR. A `Value` is a number for one query and key (f32, a coordinate, a
truth value) or, in an exclusion, a row of them. NumPy's functions work on
values, so that the same function can be called on arrays too.
"""

import numbers
import re
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from goatc.dtypes import STORAGE
from goatc.numeric import Numeric

F32, INDEX, I1 = "f32", "index", "i1"
INTEGERS = (INDEX, "i64", "i32", "i8")

# NumPy's functions by name, as recorded operations; goatc.ops fills both.
UFUNCS: Dict[str, Callable[..., "Value"]] = {}
FUNCTIONS: Dict[str, Callable[..., "Value"]] = {}


class TraceError(TypeError):
    """A function did what cannot be recorded."""


class State(threading.local):
    """What is being recorded in this thread."""

    trace: Optional["Trace"] = None


STATE = State()


def current() -> "Trace":
    """Returns the trace that is being recorded."""
    if STATE.trace is None:
        raise TraceError("expected this inside of a function that is given to "
                         "goatc.attention, but nothing is being recorded")
    return STATE.trace


class Tensor(Numeric):
    """An argument of an attention layer that functions may index.

    shape: sizes, None where a size is known at run time only.
    dtype: "f16", "bf16", "f32" or "i32"; a NumPy dtype of that kind does too.
    name: what the kernel calls it; by default the variable that holds it.
    data: the value it has unless a run is given another one.

    With an empty shape it is a number, and is used like one.
    """

    __array_ufunc__ = None  # NumPy's operators leave theirs to __radd__ & co.

    def __init__(self, shape: Sequence[Optional[int]], dtype: Any = "f32",
                 name: Optional[str] = None, data: Optional[np.ndarray] = None):
        self.shape = tuple(shape)
        self.dtype = dtype if dtype in STORAGE else dtype_name(dtype)
        self.name = name
        self.data = data
        self.is_truth = data is not None and data.dtype == bool

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape or self.shape[0] is None:
            raise TypeError(f"the first size of {self!r} is not known")
        return self.shape[0]

    def __repr__(self) -> str:
        sizes = ", ".join("None" if s is None else str(s) for s in self.shape)
        return f"Tensor(({sizes}), '{self.dtype}', name={self.name!r})"

    def __getitem__(self, index: Any) -> "Union[Value, Rows]":
        indices = index if isinstance(index, tuple) else (index,)
        return Rows(self, ())[indices]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self.data is None:
            raise TypeError(f"{self!r} has no value before it is run")
        return np.asarray(self.data, dtype)


class Rows(Numeric):
    """A tensor of which some axes, from the first on, are indexed."""

    def __init__(self, tensor: Tensor, indices: Tuple[Any, ...]):
        self.tensor = tensor
        self.indices = indices

    def __getitem__(self, index: Any) -> "Union[Value, Rows]":
        more = index if isinstance(index, tuple) else (index,)
        indices = self.indices + more
        if len(indices) > self.tensor.ndim:
            raise TraceError(f"expected at most {self.tensor.ndim} indices of "
                             f"{self.tensor!r} but got {len(indices)}")
        if len(indices) < self.tensor.ndim:
            return Rows(self.tensor, indices)
        return current().extract(self.tensor, indices)

    def __repr__(self) -> str:
        return (f"{self.tensor!r} with {len(self.indices)} of "
                f"{self.tensor.ndim} indices")


def dtype_name(dtype: Any) -> str:
    """Returns "f16", "bf16", "f32" or "i32" for a dtype that NumPy knows."""
    kind = np.dtype(dtype)
    if kind.name == "bfloat16":
        return "bf16"
    if kind == np.float16:
        return "f16"
    if kind.kind == "f":
        return "f32"
    if kind.kind in "iub":
        return "i32"
    raise TypeError(f"expected an array of numbers but got dtype {kind}")


class Value(Numeric):
    """A number (or a row of numbers) of the function that is recorded.

    `small` is a promise that an integer lies within 32 bits, `positive` that it
    is not negative.
    """

    def __init__(self, trace: "Trace", name: str, kind: str,
                 width: Optional[int] = None, small: bool = False,
                 positive: bool = False, coordinate: str = ""):
        self.trace, self.name, self.kind, self.width = trace, name, kind, width
        self.small, self.positive = small, positive
        self.coordinate = coordinate  # "b", "h", "i" or "j"
        self.number: Optional[int] = None  # of an integer constant

    @property
    def type(self) -> str:
        """The MLIR type."""
        return self.kind if self.width is None else (
            f"tensor<{self.width}x{self.kind}>")

    def __repr__(self) -> str:
        return f"<traced {self.type} {self.name}>"

    # What Python would have to know while the function is recorded.

    def __bool__(self) -> bool:
        raise TraceError(
            "a traced value has no truth value while it is recorded; instead of "
            "`if`, `and`, `or`, `not` and chained comparisons use goatc.where, "
            "&, | and ~")

    def _is_no_number(self, *_: Any) -> Any:
        raise TraceError(
            "a traced value is no Python number while it is recorded; use the "
            "functions of goatc or NumPy in place of those of math, and give "
            "arrays to index as goatc.Tensor or goatc.capture(array)")

    __float__ = __int__ = __index__ = __complex__ = _is_no_number
    __array__ = __len__ = __iter__ = _is_no_number

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any,
                        **options: Any) -> Any:
        function = UFUNCS.get(ufunc.__name__)
        if method != "__call__" or options or function is None:
            raise TraceError(f"expected one of NumPy's functions "
                             f"{', '.join(sorted(UFUNCS))} but got "
                             f"{ufunc.__name__}")
        return function(*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any,
                           options: Any) -> Any:
        own = FUNCTIONS.get(function.__name__)
        if own is None or options:
            raise TraceError(f"expected np.where, np.clip or a ufunc on a "
                             f"traced value but got {function.__name__}")
        return own(*args)


def is_number(value: Any) -> bool:
    """Whether a value is a constant of a recorded function."""
    return isinstance(value, (numbers.Real, np.bool_, np.number))


class Trace:
    """One region while it is recorded; `parameters` is shared by all regions of
    a layer and grows."""

    def __init__(self, parameters: "Parameters", depth: int = 3):
        self.parameters = parameters
        self.lines: List[str] = []
        self.known: Dict[str, str] = {}
        self.indent = "  " * depth
        self.part = ""  # the name of the region

    def emit(self, text: str, kind: str, width: Optional[int] = None,
             **facts: Any) -> Value:
        """Records an op; one that was recorded before is not repeated."""
        if text not in self.known:
            self.known[text] = f"%v{len(self.known)}"
            self.lines.append(f"{self.indent}{self.known[text]} = {text}")
        return Value(self, self.known[text], kind, width, **facts)

    def constant(self, value: Any, kind: str) -> Value:
        """Returns a constant of a type."""
        if kind == F32:
            return self.emit(f"arith.constant {show_float(value)} : f32", F32)
        if kind == I1:
            return self.emit(f"arith.constant {str(bool(value)).lower()}", I1)
        number = int(value)
        result = self.emit(f"arith.constant {number} : {kind}", kind,
                           small=-2 ** 31 <= number < 2 ** 31,
                           positive=number >= 0)
        result.number = number
        return result

    def lift(self, value: Any) -> Value:
        """Returns any number as a value."""
        if isinstance(value, Value):
            if value.trace is not self:
                raise TraceError(
                    "expected values of this function but got one of another; "
                    "a function may keep nothing from one region for the next")
            return value
        if isinstance(value, Tensor) and not value.shape:
            return self.scalar(value)
        if isinstance(value, (Tensor, Rows)):
            raise TraceError(f"expected a number but got {value!r}; index all "
                             f"of its axes")
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, (bool, np.bool_)):
            return self.constant(value, I1)
        if isinstance(value, (int, np.integer)):
            return self.constant(value, INDEX)
        if is_number(value):
            return self.constant(value, F32)
        raise TraceError(f"expected a number but got a {type(value).__name__}; "
                         f"an array to index has to be a variable of the "
                         f"function, or goatc.capture(array)")

    def clause(self, word: str, tensor: Optional[Tensor]) -> str:
        """Returns what names an optional operand in an op's text."""
        if tensor is None:
            return ""
        name = self.parameters.add(tensor)
        return f" {word}({name} : type({name}))"

    def scalar(self, tensor: Tensor) -> Value:
        """Returns an argument that is one number."""
        name = self.parameters.add(tensor)
        if tensor.dtype in ("f16", "bf16"):
            return self.emit(f"arith.extf {name} : {tensor.dtype} to f32", F32)
        value = Value(self, name, tensor.dtype,
                      small=tensor.dtype == "i32")
        return value if tensor.dtype == F32 else as_index(value)

    def extract(self, tensor: Tensor, indices: Sequence[Any]) -> Value:
        """Records the reading of one element."""
        name = self.parameters.add(tensor)
        places = []
        for axis, index in enumerate(indices):
            place = self.lift(index)
            if place.kind == F32 or place.kind == I1 or place.width:
                raise TraceError(f"expected integers as indices of {tensor!r} "
                                 f"but got {place!r} for axis {axis}")
            if not isinstance(index, Value):
                place = self.constant(self.parameters.wrap(tensor, axis, index),
                                      INDEX)
            place = as_index(place)
            self.parameters.note_index(tensor, axis, place.coordinate)
            places.append(place.name)
        # The type is filled in when all indices are known.
        read = self.emit(f"tensor.extract {name}[{', '.join(places)}] : "
                         f"type({name})", tensor.dtype,
                         small=tensor.dtype == "i32")
        if tensor.dtype in ("f16", "bf16"):
            return self.emit(f"arith.extf {read.name} : {tensor.dtype} to f32",
                             F32)
        if tensor.is_truth:
            zero = self.constant(0, tensor.dtype)
            return self.emit(f"arith.cmpi ne, {read.name}, {zero.name} : "
                             f"{tensor.dtype}", I1)
        return read if tensor.dtype == F32 else as_index(read)


class Parameters:
    """The arguments of a layer that is being built, in order of first use."""

    def __init__(self) -> None:
        self.tensors: List[Tensor] = []
        self.names: Dict[int, str] = {}
        self.dynamic: Dict[Tuple[int, int], set] = {}

    def add(self, tensor: Tensor) -> str:
        """Returns the SSA name of an argument, which becomes one if it is
        none."""
        if id(tensor) not in self.names:
            wish = re.sub(r"\W", "_", tensor.name or "") or "captured"
            if wish[0].isdigit():
                wish = "_" + wish
            name, count = wish, 1
            while name in self.names.values():
                count += 1
                name = f"{wish}_{count}"
            self.names[id(tensor)] = name
            self.tensors.append(tensor)
        return "%" + self.names[id(tensor)]

    def wrap(self, tensor: Tensor, axis: int, index: int) -> int:
        """Returns a constant index, counted from the end where negative."""
        size = tensor.shape[axis]
        if index < 0 and size is None:
            raise TraceError(f"expected an index of at least 0 where the size "
                             f"of axis {axis} of {tensor!r} is not known but "
                             f"got {index}")
        wrapped = index + size if index < 0 and size else index
        if wrapped < 0 or (size is not None and wrapped >= size):
            raise TraceError(f"expected an index of axis {axis} of {tensor!r} "
                             f"but got {index}")
        return wrapped

    def note_index(self, tensor: Tensor, axis: int, coordinate: str) -> None:
        """Remembers what an axis is indexed by: one that follows the lengths of
        a call must not be fixed by the array at hand."""
        self.dynamic.setdefault((id(tensor), axis), set()).add(coordinate)

    def type_of(self, tensor: Tensor, free: Sequence[str]) -> str:
        """Returns the MLIR type of an argument. An axis that is indexed by a
        coordinate of `free`, and by nothing else, has any size."""
        if not tensor.shape:
            return tensor.dtype
        sizes = []
        for axis, size in enumerate(tensor.shape):
            used = self.dynamic.get((id(tensor), axis), {""})
            sizes.append("?" if size is None or used <= set(free)
                         else str(size))
        return f"tensor<{'x'.join(sizes)}x{tensor.dtype}>"


def show_float(value: Any) -> str:
    """Returns an f32 constant as MLIR reads it back exactly."""
    single = np.float32(value)
    if np.isfinite(single):
        text = repr(float(single))
        mantissa, _, exponent = text.partition("e")
        if "." not in mantissa:
            mantissa += ".0"
        return mantissa + ("e" + exponent if exponent else "")
    return f"0x{single.view(np.uint32):08X}"


# Conversions.

def as_index(value: Value) -> Value:
    """Returns an integer as an index."""
    if value.kind == INDEX:
        return value
    trace = value.trace
    if value.kind == I1:
        one, zero = trace.constant(1, INDEX), trace.constant(0, INDEX)
        return trace.emit(f"arith.select {value.name}, {one.name}, {zero.name} "
                          f": index", INDEX, small=True, positive=True)
    return trace.emit(
        f"arith.index_cast {value.name} : {value.kind} to index", INDEX,
        small=value.small, positive=value.positive)


def as_float(value: Value) -> Value:
    """Returns a number as f32."""
    if value.kind == F32:
        return value
    emit, width = value.trace.emit, value.width
    if value.kind == I1:
        kind = value.type.replace(I1, F32)
        return emit(f"arith.uitofp {value.name} : {value.type} to {kind}", F32,
                    width)
    wide = "i32" if value.small else "i64"
    cast = emit(f"arith.index_cast {value.name} : index to {wide}", wide)
    return emit(f"arith.sitofp {cast.name} : {wide} to f32", F32)


def spread(value: Value, width: Optional[int]) -> Value:
    """Returns a number as a row of it."""
    if width is None or value.width == width:
        return value
    if value.width is not None:
        raise TraceError(f"expected rows of one size but got {value.width} and "
                         f"{width}")
    return value.trace.emit(
        f"tensor.splat {value.name} : tensor<{width}x{value.kind}>", value.kind,
        width)


def trace_of(values: Sequence[Any]) -> Trace:
    """Returns the trace that some value belongs to."""
    for value in values:
        if isinstance(value, Value):
            return value.trace
    return current()


def unify(*values: Any, force: Optional[str] = None) -> List[Value]:
    """Returns numbers as values of one type: f32 if one of them is or `force`
    says so, else integers, else truth values; rows if one of them is one."""
    trace = trace_of(values)
    lifted = [trace.lift(value) for value in values]
    kinds = {value.kind for value in lifted}
    kind = force or (F32 if F32 in kinds else
                     INDEX if kinds & set(INTEGERS) else I1)
    if kind == F32:
        lifted = [trace.constant(given, F32) if is_number(given)
                  else as_float(value)
                  for given, value in zip(values, lifted)]
    elif kind == INDEX:
        lifted = [as_index(value) for value in lifted]
    width = next((v.width for v in lifted if v.width is not None), None)
    return [spread(value, width) for value in lifted]
