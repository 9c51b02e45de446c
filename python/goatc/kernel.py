# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling, loading and running kernels."""

import collections
import ctypes
from dataclasses import asdict, dataclass
import functools
import json
import os
from pathlib import Path
import shutil
import tempfile
from typing import (Any, Dict, List, Mapping, NamedTuple, Optional, Sequence,
                    Tuple, Union)
import weakref

import numpy as np

from goatc import cache, library
from goatc.arrays import bfloat16, to_host
from goatc.artifact import Artifact, ArtifactError, load_artifact
from goatc.attention import Attention
from goatc.dtypes import STORAGE
from goatc.library import (CompileError, Diagnostic, GoatError, Handle, call,
                           message_of)

INVALID_ARGUMENT = 1  # GOAT_INVALID_ARGUMENT and the like
COMPILE_ERROR = 3
FINDINGS = 6
UNAVAILABLE = 7
RUNNERS = ("reference", "sim")


class KernelFault(GoatError):
    """A kernel did what it must not do.

    findings: what and where, one line each. outputs: what it wrote.
    """

    def __init__(self, name: str, findings: Sequence[str], outputs: Any):
        super().__init__(f"'{name}' ran with {len(findings)} findings:\n" +
                         "\n".join(findings))
        self.findings, self.outputs = list(findings), outputs


class Parameter(NamedTuple):
    """An input or output: dtype is "f16", "bf16", "f32", "i32" and the like,
    None in the shape a size known at run time only."""

    name: str
    dtype: str
    shape: Tuple[Optional[int], ...]


@dataclass(frozen=True)
class Comparison:
    """An output of the simulated kernel against the reference: the L2 norm of
    the difference by that of the reference and the most it may be, the largest
    difference, and whether every row, too, is within its bound."""

    name: str
    relative_l2: float
    tolerance: float
    max_abs: float
    is_within: bool


class Kernel:
    """A compiled attention layer.

    folder: its artifact directory; None for a kernel of the reference.
    inputs, outputs: its parameters. bound: values of inputs that a run need not
    give. diagnostics: what the compiler said about it.
    """

    def __init__(self, folder: Optional[Path], handle: Optional[Handle],
                 bound: Mapping[str, np.ndarray] = {},
                 diagnostics: Sequence[Diagnostic] = ()):
        self.folder, self._handle = folder, handle
        self.bound = dict(bound)
        self.diagnostics = list(diagnostics)
        self.loaded: Dict[int, Any] = {}  # by driver; goatc.launch's
        if folder is not None:
            self.artifact: Optional[Artifact] = load_artifact(folder)
            self.name, self.target = self.artifact.name, self.artifact.target
            self.inputs = [Parameter(i.name, i.dtype, i.shape)
                           for i in self.artifact.inputs]
            self.outputs = [
                Parameter(o.name, o.dtype,
                          tuple(s if isinstance(s, int) else None
                                for s in o.shape))
                for o in self.artifact.outputs]
        else:
            self.artifact, self.target = None, "reference"
            self.name = library.load().goatKernelName(
                self.handle.address).decode()
            self.inputs = read_parameters(self.handle, "Input")
            self.outputs = read_parameters(self.handle, "Output")

    def __repr__(self) -> str:
        return (f"<goatc.Kernel {self.name}"
                f"({', '.join(i.name for i in self.inputs)}) for "
                f"{self.target}>")

    @property
    def handle(self) -> Handle:
        """The library's handle; the library is loaded when it is first asked
        for."""
        if self._handle is None:
            address = ctypes.c_void_p()
            status, said = call("goatKernelRead", str(self.folder).encode(),
                                ctypes.byref(address))
            if status:
                raise ArtifactError(message_of(status, said))
            self._handle = Handle(address.value, "goatKernelDestroy")
        return self._handle

    def _file(self, name: str) -> bytes:
        if self.folder is not None:
            return (self.folder / name).read_bytes()
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        if library.load().goatKernelFile(
                self.handle.address, name.encode(), ctypes.byref(data),
                ctypes.byref(size)):
            raise GoatError(f"a kernel for the reference has no {name}; compile "
                            f"it for a chip")
        return ctypes.string_at(data, size.value)

    @property
    def ptx(self) -> str:
        """The PTX text."""
        return self._file("kernel.ptx").decode()

    @property
    def description(self) -> Dict[str, Any]:
        """kernel.json."""
        return json.loads(self._file("kernel.json"))

    @property
    def choices(self) -> Dict[str, Any]:
        """What the compiler chose, for reading."""
        return self.description["choices"]

    @property
    def cubin(self) -> Optional[bytes]:
        """The assembled kernel, None where there is none."""
        name = self.artifact.cubin if self.artifact else None
        return self._file(name) if name else None

    @property
    def source(self) -> str:
        """The function that was compiled, as MLIR."""
        return self._file("source.mlir").decode()

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the artifact directory: all that a launcher needs. Arrays that
        are bound are not part of it."""
        status, said = call("goatKernelWrite", self.handle.address,
                            os.fsencode(folder))
        if status:
            raise GoatError(message_of(status, said))

    def report(self, format: str = "text", **sizes: int) -> str:
        """Returns the performance report, as "text" or "json". Sizes, such as
        B=4, Lq=4096, Lk=4096, are those at which formulas are evaluated."""
        result = ctypes.c_void_p()
        given = " ".join(f"{name}={size}" for name, size in sizes.items())
        status, said = call("goatKernelReport", self.handle.address,
                            format.encode(), given.encode(),
                            ctypes.byref(result))
        if status:
            raise ValueError(message_of(status, said))
        return library.take_string(result.value).decode()


def read_parameters(handle: Handle, side: str) -> List[Parameter]:
    """Returns the inputs or outputs of a handle."""
    api = library.load()
    read = getattr(api, f"goatKernel{side}")
    return [Parameter(name, dtype,
                      tuple(None if s < 0 else s for s in shape))
            for name, dtype, shape in library.describe(
                getattr(api, f"goatKernel{side}Count")(handle.address),
                functools.partial(read, handle.address))]


# Compiling.

Source = Union[str, "os.PathLike[str]", Attention]


def read_source(source: Source) -> Tuple[str, str, Dict[str, np.ndarray]]:
    """Returns the text of a program, a name for it, and bound arrays."""
    if isinstance(source, Attention):
        return source.text, f"<{source.name}>", source.bound
    if isinstance(source, str):
        if "\n" not in source and "@" not in source:
            raise ValueError(f"expected the text of a program but got "
                             f"'{source}'; a file is given as a pathlib.Path")
        return source, "<text>", {}
    path = Path(source)
    return path.read_text(encoding="utf-8"), str(path), {}


def find_ptxas() -> str:
    """Returns the ptxas that the compiler would use, "" for none."""
    named = os.environ.get("GOAT_PTXAS")
    if named is not None:
        return named
    home = os.environ.get("CUDA_HOME")
    places = [None] + ([f"{home}/bin"] if home else []) + ["/usr/local/cuda/bin"]
    found = (shutil.which("ptxas", path=place) for place in places)
    return next((path for path in found if path), "")


def compile_native(text: str, name: str, options: Mapping[str, Any]
                   ) -> Tuple[Handle, List[Diagnostic]]:
    """Compiles a text; raises CompileError with all that was said."""
    handle = library.make_options(options)
    data, address = text.encode(), ctypes.c_void_p()
    status, said = call("goatCompile", data, len(data), name.encode(),
                        handle.address, ctypes.byref(address))
    if status:
        raise CompileError(message_of(status, said), said)
    return Handle(address.value, "goatKernelDestroy"), said


def compile(source: Source, *, target: str = "sm_90",
            function: Optional[str] = None, cubin: str = "auto",
            cached: bool = True, **options: Any) -> Kernel:
    """Compiles an attention layer.

    source: what `goatc.attention` returned, MLIR text, or the path of a file.
    target: the chip, such as "sm_80" or "sm_90"; "reference" compiles nothing
        and gives a kernel that runs on the reference only.
    function: which function of the program, where it has several.
    cubin: "none", "auto" (where ptxas is found) or "required".
    cached: whether to look for it in, and keep it in, the compile cache.
    options: those of the pipeline, such as tile_rows=64 (`goatc.options()`
        lists them).

    Raises CompileError for a program that is not valid or cannot be compiled,
    and ValueError for an option there is none of.
    """
    text, name, bound = read_source(source)
    settings = {"target": target, "cubin": cubin, **options}
    if function is not None:
        settings["function"] = function
    if target == "reference":
        handle, said = compile_native(text, name, settings)
        return Kernel(None, handle, bound, said)

    def make(folder: Path) -> None:
        handle, said = compile_native(text, name, settings)
        status, errors = call("goatKernelWrite", handle.address,
                              str(folder / "kernel").encode())
        if status:
            raise GoatError(message_of(status, errors))
        (folder / "diagnostics.json").write_text(
            json.dumps([asdict(entry) for entry in said]), encoding="utf-8")

    root = cache.directory() if cached else None
    temporary = root is None
    if root is None:
        folder = Path(tempfile.mkdtemp(prefix="goatc-"))
        make(folder)
    else:
        key = cache.key_of({
            "text": text, "name": name,
            "options": {k: str(v) for k, v in settings.items()},
            "library": library.fingerprint(),
            "ptxas": "" if cubin == "none" else find_ptxas()})
        folder = cache.get(root, key, make)
        temporary = root not in folder.parents
    said = [Diagnostic(**entry) for entry in json.loads(
        (folder / "diagnostics.json").read_text(encoding="utf-8"))]
    kernel = Kernel(folder / "kernel", None, bound, said)
    if temporary:
        weakref.finalize(kernel, shutil.rmtree, folder, True)
    return kernel


def load(folder: Union[str, "os.PathLike[str]"]) -> Kernel:
    """Reads an artifact directory; raises ArtifactError."""
    return Kernel(Path(folder), None)


def emit(source: Source, kind: str, *, target: str = "sm_90",
         function: Optional[str] = None, **options: Any) -> str:
    """Returns a stage of compilation as text: "goat", "tile", "nvvm", "llvm" or
    "ptx". Raises as `compile` does."""
    text, name, _ = read_source(source)
    settings = {"target": target, **options}
    if function is not None:
        settings["function"] = function
    handle = library.make_options(settings)
    data, result = text.encode(), ctypes.c_void_p()
    status, said = call("goatEmit", data, len(data), name.encode(),
                        handle.address, kind.encode(), ctypes.byref(result))
    if status:
        raise CompileError(message_of(status, said), said)
    return library.take_string(result.value).decode()


def transform(source: Source, pipeline: str) -> Tuple[str, List[Diagnostic]]:
    """Runs passes on a program and returns its text and what they said.

    pipeline: passes of goat and MLIR by name, as goat-opt's --pass-pipeline
        takes them, such as "func.func(goat-raise-attention)".

    Raises ValueError for a pass there is none of, and CompileError for a
    program that is not valid and for passes that fail.
    """
    text, name, _ = read_source(source)
    data, result = text.encode(), ctypes.c_void_p()
    status, said = call("goatTransform", data, len(data), name.encode(),
                        pipeline.encode(), ctypes.byref(result))
    if status == INVALID_ARGUMENT:
        raise ValueError(message_of(status, said))
    if status:
        raise CompileError(message_of(status, said), said)
    return library.take_string(result.value).decode(), said


# Running.

def take_array(array: Any, parameter: Parameter) -> Tuple[np.ndarray, str]:
    """Returns an input as the library takes it, with the dtype it has."""
    host = to_host(array)
    if parameter.dtype == "bf16" and host.dtype == np.uint16:
        return host, "bf16"
    if host.dtype.name == "bfloat16":
        return host.view(np.uint16), "bf16"
    if parameter.dtype.startswith("i"):
        storage = STORAGE[parameter.dtype]
        if host.dtype.kind not in "iub":
            raise ArtifactError(f"expected '{parameter.name}' to be of integers "
                                f"but got {host.dtype}")
        cast = host.astype(storage)
        if not np.array_equal(cast, host):
            raise ArtifactError(f"expected '{parameter.name}' to fit "
                                f"{parameter.dtype} but got {host.min()} to "
                                f"{host.max()}")
        return cast, parameter.dtype
    if host.dtype.kind not in "fiub":
        raise ArtifactError(f"expected '{parameter.name}' to be of numbers but "
                            f"got {host.dtype}")
    names = {"float16": "f16", "float32": "f32", "float64": "f64"}
    if host.dtype.name not in names:
        host = host.astype(np.float64)
    return host, names[host.dtype.name]


def gather_inputs(kernel: Kernel, arrays: Sequence[Any],
                  named: Mapping[str, Any]) -> List[Any]:
    """Returns a value for each input, in order: given by place, by name, or
    bound."""
    names = [parameter.name for parameter in kernel.inputs]
    if len(arrays) > len(names):
        raise ArtifactError(f"expected at most {len(names)} inputs of "
                            f"'{kernel.name}' but got {len(arrays)}")
    unknown = [name for name in named if name not in names]
    if unknown:
        raise ArtifactError(f"expected inputs called {', '.join(names)} but got "
                            f"{', '.join(unknown)}")
    given = {**kernel.bound, **dict(zip(names, arrays)), **named}
    twice = [name for name in names[:len(arrays)] if name in named]
    if twice:
        raise ArtifactError(f"expected one value of each input but got two of "
                            f"{', '.join(twice)}")
    missing = [name for name in names if name not in given]
    if missing:
        raise ArtifactError(f"{kernel.name}: expected the inputs "
                            f"{', '.join(names)} but got no "
                            f"{', '.join(missing)}")
    return [given[name] for name in names]


class Run(Handle):
    """The outcome of a run on the library's side."""

    def outputs(self, exact: bool) -> List[np.ndarray]:
        """Returns the outputs in their own types, or floats as float64."""
        api, results = library.load(), []
        described = library.describe(
            api.goatRunOutputCount(self.address),
            functools.partial(api.goatRunOutput, self.address))
        for index, (_, dtype, shape) in enumerate(described):
            if exact and not dtype.startswith("i"):
                dtype = "f64"
            storage = np.float64 if dtype == "f64" else STORAGE[dtype]
            array = np.empty(shape, storage)
            raw = library.make_tensor(array, dtype)
            status, said = call("goatRunCopyOutput", self.address, index,
                                ctypes.byref(raw))
            if status:
                raise GoatError(message_of(status, said))
            own = bfloat16() if dtype == "bf16" else None
            results.append(array if own is None else array.view(own))
        return results

    def counts(self) -> Dict[str, int]:
        """Returns what the simulator counted."""
        api, found = library.load(), {}
        name, value = ctypes.c_char_p(), ctypes.c_uint64()
        for index in range(api.goatRunCountCount(self.address)):
            api.goatRunCount(self.address, index, ctypes.byref(name),
                             ctypes.byref(value))
            found[(name.value or b"").decode()] = value.value
        return found


def run_native(entry: str, leading: Sequence[Any], arrays: Sequence[Any],
               parameters: Sequence[Parameter], on: str, seed: int
               ) -> Tuple[Run, List[str]]:
    """Calls an entry of the library that runs something, whose arguments begin
    with `leading`; returns the outcome and the findings."""
    if on not in RUNNERS:
        raise ValueError(f"expected on to be reference or sim but got '{on}'; "
                         f"goatc.launch runs on a GPU")
    taken = [take_array(array, parameter)
             for array, parameter in zip(arrays, parameters)]
    raw = (library.RawTensor * max(len(taken), 1))(
        *(library.make_tensor(array, dtype) for array, dtype in taken))
    address = ctypes.c_void_p()
    status, said = call(entry, *leading, RUNNERS.index(on), raw, len(taken),
                        seed, ctypes.byref(address))
    if status == COMPILE_ERROR:
        raise CompileError(message_of(status, said), said)
    if status == UNAVAILABLE:
        raise GoatError(message_of(status, said))
    if status and status != FINDINGS:
        raise ArtifactError(message_of(status, said))
    findings = [finding.message for finding in said] if status else []
    return Run(address.value, "goatRunDestroy"), findings


def run_kernel(kernel: Kernel, inputs: Sequence[Any], on: str, seed: int
               ) -> Tuple[Run, List[str]]:
    """Runs a kernel; returns the outcome and the findings."""
    return run_native("goatKernelRun", [kernel.handle.address], inputs,
                      kernel.inputs, on, seed)


def bundle(kernel: Kernel, outputs: Sequence[np.ndarray]) -> Any:
    """Returns one output as it is and several as a named tuple."""
    if len(outputs) == 1:
        return outputs[0]
    names = [output.name for output in kernel.outputs]
    return collections.namedtuple("Outputs", names, rename=True)(*outputs)


def run(kernel: Kernel, *arrays: Any, on: str = "sim", seed: int = 0,
        **named: Any) -> Any:
    """Runs a kernel on the CPU.

    arrays: the inputs in order, or by name: NumPy's, DLPack's on the host, or
        numbers, with any strides. Floats are rounded to the input's dtype; bf16
        may come as uint16 bits. Inputs that the layer was built with may be
        left out.
    on: "sim" executes the PTX on a simulated GPU; "reference" evaluates the
        formulas in double precision and rounds nothing.
    seed: orders the simulator's blocks and warps.

    Returns the output, or a named tuple of several. From the simulator they
    have the kernel's dtypes, bf16 being ml_dtypes.bfloat16, or uint16 bits
    where that package is missing (`goatc.to_float` takes either); from the
    reference floats are float64.

    Raises ArtifactError for inputs that do not fit, and KernelFault when the
    kernel did what it must not do, such as reading out of bounds.
    """
    outcome, findings = run_kernel(
        kernel, gather_inputs(kernel, arrays, named), on, seed)
    outputs = bundle(kernel, outcome.outputs(on == "reference"))
    if findings:
        raise KernelFault(kernel.name, findings, outputs)
    return outputs


def compare(kernel: Kernel, *arrays: Any, seed: int = 0, **named: Any
            ) -> List[Comparison]:
    """Runs a kernel in the simulator and on the reference, on the same inputs
    (as for `run`), and returns how far each output is off.

    The tolerances and their reasons are in include/goat/Runtime/Tolerances.h.
    Raises as `run` does.
    """
    inputs = gather_inputs(kernel, arrays, named)
    sim, findings = run_kernel(kernel, inputs, "sim", seed)
    if findings:
        raise KernelFault(kernel.name, findings,
                          bundle(kernel, sim.outputs(False)))
    reference, _ = run_kernel(kernel, inputs, "reference", seed)
    results, raw = [], library.RawComparison()
    for index, output in enumerate(kernel.outputs):
        status, said = call("goatRunCompare", sim.address, reference.address,
                            index, ctypes.byref(raw))
        if status:
            raise GoatError(message_of(status, said))
        results.append(Comparison(output.name, raw.relative_l2, raw.tolerance,
                                  raw.max_abs, bool(raw.is_within)))
    return results


def count(kernel: Kernel, *arrays: Any, seed: int = 0, **named: Any
          ) -> Dict[str, int]:
    """Runs a kernel in the simulator and returns what that counted: warp
    instructions, by kind, FLOPs, bytes, bank conflicts."""
    outcome, _ = run_kernel(
        kernel, gather_inputs(kernel, arrays, named), "sim", seed)
    return outcome.counts()
