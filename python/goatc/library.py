# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's shared library, through ctypes.

include/goat-c/Goat.h explains the functions. The library is loaded when it is
first needed: from $GOATC_LIBRARY, from the package (a wheel carries it), or
from the newest build of the checkout that the package lies in.
"""

import ctypes
from ctypes import (POINTER, Structure, byref, c_char_p, c_double, c_int,
                    c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p)
from dataclasses import dataclass
import functools
import os
from pathlib import Path
from typing import Any, Callable, List, Mapping, Sequence, Tuple

import numpy as np

FILE = "libGoatC.so.0.1"
MAX_RANK = 8
DTYPES = ("f16", "bf16", "f32", "i32", "f64", "i1", "i8", "i64")
SEVERITIES = ("error", "warning", "remark", "note")


class GoatError(Exception):
    """The compiler, or a run, failed."""


class CompileError(GoatError):
    """A program that is not valid, or that the compiler cannot lower.

    `diagnostics` has all that was said, in order.
    """

    def __init__(self, message: str, diagnostics: Sequence["Diagnostic"]):
        super().__init__(message)
        self.diagnostics = list(diagnostics)


@dataclass(frozen=True)
class Diagnostic:
    """One thing that the compiler said; `line` and `column` count from 1 and
    are 0 where no place is known."""

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message}"


class RawDiagnostic(Structure):
    _fields_ = [("severity", c_int), ("message", c_char_p), ("file", c_char_p),
                ("line", c_uint32), ("column", c_uint32)]


class RawParameter(Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_int), ("rank", c_int32),
                ("shape", c_int64 * MAX_RANK)]


class RawTensor(Structure):
    _fields_ = [("data", c_void_p), ("dtype", c_int), ("rank", c_int32),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64))]


class RawComparison(Structure):
    _fields_ = [("relative_l2", c_double), ("tolerance", c_double),
                ("max_abs", c_double), ("is_within", c_int32)]


class RawLaunch(Structure):
    _fields_ = [("entry", c_char_p), ("grid", c_uint32 * 3),
                ("block", c_uint32 * 3), ("cluster", c_uint32 * 3),
                ("shared_bytes", c_uint32), ("arguments", POINTER(c_void_p)),
                ("argument_sizes", POINTER(c_size_t)),
                ("argument_count", c_size_t)]


class RawTensorMap(Structure):
    _fields_ = [("dtype", c_int), ("rank", c_int32), ("address", c_uint64),
                ("extents", c_uint64 * 5), ("strides", c_uint64 * 4),
                ("box", c_uint32 * 5), ("swizzle", c_uint32)]


P = c_void_p
SIGNATURES: Mapping[str, Tuple[Any, Sequence[Any]]] = {
    "goatVersionString": (c_char_p, []),
    "goatStatusName": (c_char_p, [c_int]),
    "goatStringData": (P, [P]),
    "goatStringSize": (c_size_t, [P]),
    "goatStringDestroy": (None, [P]),
    "goatDiagnosticsCreate": (P, []),
    "goatDiagnosticsDestroy": (None, [P]),
    "goatDiagnosticsCount": (c_size_t, [P]),
    "goatDiagnosticsGet": (c_int, [P, c_size_t, POINTER(RawDiagnostic)]),
    "goatOptionsCreate": (P, []),
    "goatOptionsDestroy": (None, [P]),
    "goatOptionsSet": (c_int, [P, c_char_p, c_char_p, P]),
    "goatOptionsKeys": (P, []),
    "goatCompile": (c_int, [c_char_p, c_size_t, c_char_p, P, POINTER(P), P]),
    "goatEmit": (c_int, [c_char_p, c_size_t, c_char_p, P, c_char_p,
                         POINTER(P), P]),
    "goatTransform": (c_int, [c_char_p, c_size_t, c_char_p, c_char_p,
                              POINTER(P), P]),
    "goatKernelRead": (c_int, [c_char_p, POINTER(P), P]),
    "goatKernelWrite": (c_int, [P, c_char_p, P]),
    "goatKernelDestroy": (None, [P]),
    "goatKernelName": (c_char_p, [P]),
    "goatKernelFile": (c_int, [P, c_char_p, POINTER(P), POINTER(c_size_t)]),
    "goatKernelReport": (c_int, [P, c_char_p, c_char_p, POINTER(P), P]),
    "goatKernelInputCount": (c_size_t, [P]),
    "goatKernelInput": (c_int, [P, c_size_t, POINTER(RawParameter)]),
    "goatKernelOutputCount": (c_size_t, [P]),
    "goatKernelOutput": (c_int, [P, c_size_t, POINTER(RawParameter)]),
    "goatKernelRun": (c_int, [P, c_int, POINTER(RawTensor), c_size_t, c_uint64,
                              POINTER(P), P]),
    "goatGraphRun": (c_int, [c_char_p, c_size_t, c_char_p, P, c_int,
                             POINTER(RawTensor), c_size_t, c_uint64,
                             POINTER(P), P]),
    "goatRunDestroy": (None, [P]),
    "goatRunOutputCount": (c_size_t, [P]),
    "goatRunOutput": (c_int, [P, c_size_t, POINTER(RawParameter)]),
    "goatRunCopyOutput": (c_int, [P, c_size_t, POINTER(RawTensor), P]),
    "goatRunCountCount": (c_size_t, [P]),
    "goatRunCount": (c_int, [P, c_size_t, POINTER(c_char_p),
                             POINTER(c_uint64)]),
    "goatRunCompare": (c_int, [P, P, c_size_t, POINTER(RawComparison), P]),
    "goatSimCreate": (P, [c_uint64]),
    "goatSimDestroy": (None, [P]),
    "goatSimAllocate": (c_uint64, [P, c_uint64, c_char_p]),
    "goatSimWrite": (c_int, [P, c_uint64, P, c_uint64]),
    "goatSimRead": (c_int, [P, c_uint64, P, c_uint64]),
    "goatSimEncodeTensorMap": (c_int, [POINTER(RawTensorMap), P, P]),
    "goatSimModuleLoad": (c_int, [c_char_p, c_size_t, c_char_p, POINTER(P), P]),
    "goatSimModuleDestroy": (None, [P]),
    "goatSimRun": (c_int, [P, P, POINTER(RawLaunch), P]),
}


def find_library() -> Path:
    """Returns the path of the library; raises GoatError where there is none."""
    named = os.environ.get("GOATC_LIBRARY")
    if named:
        return Path(named)
    package = Path(__file__).resolve().parent
    carried = package / "lib" / FILE
    if carried.exists():
        return carried
    built = sorted(package.parents[1].glob(f"build/*/lib/{FILE}"),
                   key=lambda path: path.stat().st_mtime)
    if built:
        return built[-1]
    raise GoatError(f"expected the compiler's library {FILE} in {carried.parent}"
                    f" but there is none; install the wheel, build the target "
                    f"GoatC in a checkout, or let $GOATC_LIBRARY name it")


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """Loads the library and declares its functions."""
    path = find_library()
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise GoatError(f"cannot load {path}: {error}") from error
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, list(arguments)
    return library


class Handle:
    """A handle of the library, destroyed with this object."""

    def __init__(self, address: Any, destroy: str):
        self.address, self._destroy = address, getattr(load(), destroy)

    def __del__(self) -> None:
        if getattr(self, "_destroy", None) and self.address:
            self._destroy(self.address)
            self.address = None


class Diagnostics(Handle):
    """A list that calls append to."""

    def __init__(self) -> None:
        super().__init__(load().goatDiagnosticsCreate(),
                         "goatDiagnosticsDestroy")

    def read(self) -> List[Diagnostic]:
        """Returns all entries."""
        entries, raw = [], RawDiagnostic()
        for index in range(load().goatDiagnosticsCount(self.address)):
            load().goatDiagnosticsGet(self.address, index, byref(raw))
            entries.append(Diagnostic(
                SEVERITIES[raw.severity], raw.message.decode(),
                raw.file.decode(), raw.line, raw.column))
        return entries


def call(name: str, *arguments: Any) -> Tuple[int, List[Diagnostic]]:
    """Calls a function whose last parameter is a list of diagnostics; returns
    the status and what was said."""
    diagnostics = Diagnostics()
    status = getattr(load(), name)(*arguments, diagnostics.address)
    return status, diagnostics.read()


def message_of(status: int, said: Sequence[Diagnostic]) -> str:
    """Returns the errors and their notes, or the status's name."""
    lines, keep = [], False
    for entry in said:
        keep = entry.severity == "error" or (keep and entry.severity == "note")
        if keep:
            lines.append(str(entry) if entry.line or entry.severity == "note"
                         else entry.message)
    return "\n".join(lines) or load().goatStatusName(status).decode()


def take_string(address: Any) -> bytes:
    """Returns the contents of a GoatString and destroys it."""
    handle = Handle(address, "goatStringDestroy")
    return ctypes.string_at(load().goatStringData(handle.address),
                            load().goatStringSize(handle.address))


def make_options(options: Mapping[str, Any]) -> Handle:
    """Returns the options as the library holds them; raises ValueError."""
    handle = Handle(load().goatOptionsCreate(), "goatOptionsDestroy")
    for key, value in options.items():
        status, said = call("goatOptionsSet", handle.address,
                            key.replace("_", "-").encode(),
                            str(value).encode())
        if status:
            raise ValueError(message_of(status, said))
    return handle


def describe(count: int, read: Callable[[int, Any], int]
             ) -> List[Tuple[str, str, Tuple[int, ...]]]:
    """Returns name, dtype and shape of parameters that `read` gives."""
    parameters, raw = [], RawParameter()
    for index in range(count):
        if read(index, byref(raw)):
            raise GoatError(f"parameter {index} has a type or a rank that this "
                            f"version cannot say")
        parameters.append((raw.name.decode(), DTYPES[raw.dtype],
                           tuple(raw.shape[:raw.rank])))
    return parameters


def make_tensor(array: np.ndarray, dtype: str) -> RawTensor:
    """Returns an array as the library takes it; `array` has to outlive it."""
    rank = array.ndim
    sizes = (c_int64 * max(rank, 1))(*array.shape)
    strides = (c_int64 * max(rank, 1))(
        *(stride // array.itemsize for stride in array.strides))
    return RawTensor(array.ctypes.data, DTYPES.index(dtype), rank, sizes,
                     strides)


def version() -> str:
    """Returns the versions of the library and of the LLVM in it."""
    return load().goatVersionString().decode()


def option_names() -> List[str]:
    """Returns the options of compile, spelled as keywords."""
    keys = take_string(load().goatOptionsKeys()).decode().split()
    return [key.replace("-", "_") for key in keys]


def fingerprint() -> str:
    """Returns what differs between two builds of the library, without loading
    it."""
    path = find_library()
    status = path.stat()
    return f"{path.resolve()}:{status.st_size}:{status.st_mtime_ns}"
