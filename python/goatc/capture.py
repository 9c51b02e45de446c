# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the arrays that a function uses and hands it tensors in their place.

A NumPy array cannot be indexed by a value that is only recorded. So a function
is called as a copy whose variables (closure, globals, defaults, and those of
functions it calls that are written in Python) hold a `Tensor` wherever the
original holds an array.
"""

import functools
import inspect
import types
from typing import Any, Callable, Dict, List, Optional, Set

import numpy as np

from goatc.arrays import is_array, to_host
from goatc.trace import Tensor, dtype_name


def capture(array: Any, name: Optional[str] = None) -> Tensor:
    """Returns an array as a tensor that recorded functions may index.

    array: a NumPy array, or anything with `__dlpack__` on the CPU, of floats
        (f64 is rounded to f32), of integers that fit 32 bits, or of truth
        values. Raises ValueError for integers that do not fit.
    """
    host = to_host(array)
    kind = dtype_name(host.dtype)
    if kind == "i32" and host.dtype != np.int32 and host.dtype != bool:
        limits = np.iinfo(np.int32)
        if host.size and not (host.min() >= limits.min and
                              host.max() <= limits.max):
            raise ValueError(f"expected integers of 32 bits but got {host.min()}"
                             f" to {host.max()}")
        host = host.astype(np.int32)
    if host.dtype == np.float64:
        host = host.astype(np.float32)
    return Tensor(host.shape, kind, name, host)


class Rewriter:
    """Copies functions; an array becomes the same tensor wherever it is met."""

    def __init__(self) -> None:
        self.tensors: Dict[int, Tensor] = {}
        self.keep: List[Any] = []  # so that no id is used again
        self.copies: Dict[int, Any] = {}

    def tensor(self, array: Any, name: Optional[str] = None) -> Tensor:
        """Returns the tensor of an array, or the tensor it is."""
        if isinstance(array, Tensor):
            if array.name is None:
                array.name = name
            return array
        if id(array) not in self.tensors:
            self.tensors[id(array)] = capture(array, name)
            self.keep.append(array)
        return self.tensors[id(array)]

    def replace(self, value: Any, name: str) -> Any:
        """Returns what a copy of a function has in a variable."""
        if isinstance(value, Tensor) or (is_array(value) and np.ndim(value)):
            return self.tensor(value, name)
        if isinstance(value, (list, tuple)) and any(
                is_array(item) for item in value):
            return type(value)(self.replace(item, f"{name}_{place}")
                               for place, item in enumerate(value))
        if isinstance(value, functools.partial):
            return functools.partial(
                self.replace(value.func, name),
                *(self.replace(item, f"{name}_{place}")
                  for place, item in enumerate(value.args)),
                **{key: self.replace(item, key)
                   for key, item in value.keywords.items()})
        if isinstance(value, types.FunctionType):
            return self.function(value)
        return value

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a function with tensors for arrays; the same one where it
        has none."""
        if isinstance(function, functools.partial):
            return self.replace(function, "captured")
        if not isinstance(function, types.FunctionType) or is_own(function):
            return function
        if id(function) not in self.copies:
            self.copies[id(function)] = function  # while it is looked at
            self.keep.append(function)
            self.copies[id(function)] = self._copy(function)
        return self.copies[id(function)]

    def _copy(self, function: types.FunctionType) -> types.FunctionType:
        code = function.__code__
        changed = False

        def exchange(value: Any, name: str) -> Any:
            nonlocal changed
            new = self.replace(value, name)
            changed |= new is not value
            return new

        cells = []
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                value = cell.cell_contents
            except ValueError:  # a variable without a value yet
                cells.append(cell)
                continue
            cells.append(types.CellType(exchange(value, name)))
        used = {name: exchange(function.__globals__[name], name)
                for name in names_of(code) if name in function.__globals__}
        defaults = tuple(exchange(value, name) for name, value in zip(
            default_names(function), function.__defaults__ or ()))
        keywords = {name: exchange(value, name) for name, value in
                    (function.__kwdefaults__ or {}).items()}
        if not changed:
            return function
        copy = types.FunctionType(code, {**function.__globals__, **used},
                                  function.__name__, defaults, tuple(cells))
        copy.__kwdefaults__ = keywords
        return copy


def is_own(function: types.FunctionType) -> bool:
    """Whether a function is one of this package, or of NumPy."""
    module = (function.__module__ or "").split(".")[0]
    return module in ("goatc", "numpy")


def names_of(code: types.CodeType) -> Set[str]:
    """Returns the global names that a function, or one inside of it, uses."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_of(constant)
    return names


def default_names(function: types.FunctionType) -> List[str]:
    """Returns the parameters that have a default, in order."""
    count = len(function.__defaults__ or ())
    positional = [name for name, parameter in
                  inspect.signature(function).parameters.items()
                  if parameter.kind in (parameter.POSITIONAL_ONLY,
                                        parameter.POSITIONAL_OR_KEYWORD)]
    return positional[len(positional) - count:]
