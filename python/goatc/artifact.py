# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads an artifact directory: kernel.json and the code beside it.

kernel.json says how a kernel is launched for any shapes of its inputs. Its
numbers are expressions over those shapes:

    integer | {"dim": [input, axis]} | {"op": OP, "args": [expression, ...]}

with OP one of OPERATIONS. `evaluate` is the whole evaluator.
"""

from dataclasses import dataclass
import functools
import json
import math
from pathlib import Path
import re
from typing import (Any, Callable, Dict, List, Mapping, Optional, Sequence,
                    Tuple)

from goatc.dtypes import STORAGE

SCHEMA = "goat-kernel/1"
MAX_GRID = (2 ** 31 - 1, 65535, 65535)  # blocks in x, y and z
MAX_MAP_RANK = 5  # axes of a tensor map
SWIZZLES = (0, 32, 64, 128)  # bytes
WORKSPACE_ALIGNMENT = 256  # bytes; what the address of a workspace divides by
Shape = Tuple[int, ...]


class ArtifactError(ValueError):
    """An artifact that cannot be read, or inputs that do not fit it."""


def divide(a: int, b: int, round_up: bool) -> int:
    """Divides integers; raises ArtifactError unless b is positive."""
    if b <= 0:
        raise ArtifactError(f"expected a positive divisor but got {b}")
    return -(-a // b) if round_up else a // b


OPERATIONS: Dict[str, Callable[[Sequence[int]], int]] = {
    "+": sum,
    "*": math.prod,
    "min": min,
    "max": max,
    "-": lambda args: args[0] - args[1],
    "ceildiv": lambda args: divide(args[0], args[1], True),
    "floordiv": lambda args: divide(args[0], args[1], False),
    "mod": lambda args: args[0] - args[1] * divide(args[0], args[1], False),
}
BINARY = ("-", "ceildiv", "floordiv", "mod")


def evaluate(expression: Any, shapes: Sequence[Shape]) -> int:
    """Returns the value of an expression for the given shapes of the inputs.

    Raises ArtifactError, naming what was found, for anything but the grammar
    above.
    """
    if isinstance(expression, int) and not isinstance(expression, bool):
        return expression
    if isinstance(expression, dict) and set(expression) == {"dim"}:
        where = expression["dim"]
        try:
            index, axis = where
            if index < 0 or axis < 0:
                raise IndexError
            return int(shapes[index][axis])
        except (TypeError, ValueError, IndexError):
            raise ArtifactError(f"expected [input, axis] of an input but got "
                                f"{where}") from None
    if isinstance(expression, dict) and set(expression) == {"op", "args"}:
        name, args = expression["op"], expression["args"]
        if name not in OPERATIONS:
            raise ArtifactError(f"expected one of {' '.join(OPERATIONS)} but "
                                f"got '{name}'")
        if not args or (name in BINARY and len(args) != 2):
            raise ArtifactError(f"expected two operands of '{name}' but got "
                                f"{len(args)}")
        return OPERATIONS[name]([evaluate(arg, shapes) for arg in args])
    raise ArtifactError(f"expected an expression but got "
                        f"{json.dumps(expression)}")


@dataclass(frozen=True)
class Input:
    """A tensor, or a scalar when the shape is empty and it is not passed by
    address; None is any extent. A strided tensor need not be contiguous."""

    name: str
    dtype: str
    shape: Tuple[Optional[int], ...]
    by_address: bool
    strided: bool


@dataclass(frozen=True)
class Output:
    """A result; `initialise` is the value it is filled with before the first
    launch, None for nothing."""

    name: str
    dtype: str
    shape: Tuple[Any, ...]
    initialise: Optional[float]
    strided: bool


@dataclass(frozen=True)
class Launch:
    """One kernel launch; grid and shared_bytes are expressions, tensor_maps
    what the schema says of them."""

    entry: str
    grid: Tuple[Any, ...]
    block: Tuple[int, ...]
    cluster: Tuple[int, ...]
    shared_bytes: Any
    parameters: Tuple[Mapping[str, Any], ...]
    tensor_maps: Tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Variant:
    """A way to run the kernel, for inputs that pass its guards: launches, in
    order on one stream, that share a workspace of so many bytes, an
    expression. Nobody initialises it."""

    name: str
    guards: Tuple[Mapping[str, Any], ...]
    workspace_bytes: Any
    launches: Tuple[Launch, ...]


class Artifact:
    """What kernel.json says, checked, with the folder it came from."""

    def __init__(self, folder: Path, description: Mapping[str, Any]):
        schema = description.get("schema")
        if schema != SCHEMA:
            raise ArtifactError(f"{folder}: expected schema '{SCHEMA}' but got "
                                f"'{schema}'; use the launcher that came with "
                                f"the compiler")
        self.folder = folder
        try:
            self._read(description)
        except KeyError as error:
            raise ArtifactError(f"{folder}: expected the key {error} in "
                                f"kernel.json") from None

    def _read(self, description: Mapping[str, Any]) -> None:
        self.name: str = description["name"]
        self.target: str = description["target"]
        if not re.fullmatch(r"sm_\d+[af]?", self.target):
            raise ArtifactError(f"{self.folder}: expected a target such as "
                                f"'sm_90' but got '{self.target}'")
        self.ptx: str = description["ptx"]
        self.cubin: Optional[str] = description["cubin"]
        self.requires: List[Mapping[str, Any]] = description["requires"]
        self.inputs = [Input(i["name"], self._dtype(i), tuple(i["shape"]),
                             bool(i["shape"]) or i.get("by_address", False),
                             i.get("strided", False))
                       for i in description["inputs"]]
        self.outputs = [Output(o["name"], self._dtype(o), tuple(o["shape"]),
                               read_value(o["initialise"]),
                               o.get("strided", False))
                        for o in description["outputs"]]
        self.variants = [
            Variant(v["name"], tuple(v["guards"]), v["workspace_bytes"],
                    tuple(self._launch(launch) for launch in v["launches"]))
            for v in description["variants"]]

    def _dtype(self, entry: Mapping[str, Any]) -> str:
        if entry["dtype"] not in STORAGE:
            raise ArtifactError(
                f"{self.folder}: expected the dtype of '{entry['name']}' to be "
                f"one of {', '.join(STORAGE)} but got '{entry['dtype']}'")
        return entry["dtype"]

    def _launch(self, entry: Mapping[str, Any]) -> Launch:
        maps = tuple(self._tensor_map(entry["entry"], one)
                     for one in entry.get("tensor_maps", ()))
        return Launch(entry["entry"], tuple(entry["grid"]),
                      tuple(entry["block"]), tuple(entry["cluster"]),
                      entry["shared_bytes"],
                      tuple(self._parameter(entry["entry"], parameter, maps)
                            for parameter in entry["parameters"]), maps)

    def _tensor_map(self, entry: str,
                    one: Mapping[str, Any]) -> Mapping[str, Any]:
        """Checks that a tensor map is of something that is there, and has its
        rank."""
        ((role, index),) = one["tensor"].items()
        many: Sequence[Any] = (self.outputs if role == "output" else
                               self.inputs)
        if not 0 <= index < len(many):
            raise ArtifactError(
                f"{self.folder}: expected a tensor map of '{entry}' to name "
                f"one of {len(many)} {role}s but got {index}")
        rank = len(many[index].shape)
        if not 1 <= rank <= MAX_MAP_RANK or len(one["box"]) != rank:
            raise ArtifactError(
                f"{self.folder}: expected the box of a tensor map of '{entry}' "
                f"to have an extent for each axis of a tensor of 1 to "
                f"{MAX_MAP_RANK} axes but got {len(one['box'])} for {rank}")
        if one["swizzle"] not in SWIZZLES:
            raise ArtifactError(
                f"{self.folder}: expected a swizzle of "
                f"{', '.join(map(str, SWIZZLES))} bytes but got "
                f"{one['swizzle']}")
        return one

    def _parameter(self, entry: str, parameter: Mapping[str, Any],
                   maps: Sequence[Any]) -> Mapping[str, Any]:
        """Checks that a parameter names something that is there."""
        kind = parameter["kind"]
        if kind == "workspace":
            parameter["offset"]  # an expression, or a key that is missing
            return parameter
        of_kind: Dict[str, Sequence[Any]] = {
            "input": self.inputs, "dim": self.inputs, "output": self.outputs,
            "input_stride": self.inputs, "output_stride": self.outputs,
            "tensor_map": maps}
        many = of_kind.get(kind)
        if many is None:
            raise ArtifactError(
                f"{self.folder}: expected the parameters of '{entry}' to be "
                f"{', '.join(of_kind)} or workspace but got '{kind}'")
        index = parameter["index"]
        if not 0 <= index < len(many):
            what = {"tensor_map": "tensor maps"}.get(
                kind, "outputs" if many is self.outputs else "inputs")
            raise ArtifactError(
                f"{self.folder}: expected '{entry}' to name one of {len(many)} "
                f"{what} but got {index}")
        if kind not in ("input", "output", "tensor_map"):
            rank = len(many[index].shape)
            if not 0 <= parameter["axis"] < rank:
                raise ArtifactError(
                    f"{self.folder}: expected '{entry}' to name one of {rank} "
                    f"axes of '{many[index].name}' but got "
                    f"{parameter['axis']}")
        return parameter

    def check_shapes(self, shapes: Sequence[Shape]) -> None:
        """Raises ArtifactError unless the shapes fit the inputs and hold what
        the kernel requires of them."""
        for entry, shape in zip(self.inputs, shapes):
            fits = len(shape) == len(entry.shape) and all(
                want is None or want == have
                for want, have in zip(entry.shape, shape))
            if not fits:
                raise ArtifactError(
                    f"expected '{entry.name}' of shape "
                    f"{show_shape(entry.shape)} but got {show_shape(shape)}")
        for rule in self.requires:
            left, right = (evaluate(side, shapes) for side in rule["equal"])
            if left != right:
                raise ArtifactError(f"expected that {rule['message']} but got "
                                    f"{left} and {right}")

    def output_shapes(self, shapes: Sequence[Shape]) -> List[Shape]:
        """Returns the shape of each output for the shapes of the inputs."""
        return [tuple(evaluate(extent, shapes) for extent in output.shape)
                for output in self.outputs]

    def workspace_bytes(self, shapes: Sequence[Shape]) -> int:
        """Returns the size of a workspace that is enough for the shapes of the
        inputs, whichever variant their addresses will choose."""
        return max((workspace_bytes(variant, shapes)
                    for variant in self.variants), default=0)

    def choose_variant(self, shapes: Sequence[Shape],
                       addresses: Mapping[str, Sequence[int]],
                       strides: Optional[Mapping[str, Sequence[Shape]]] = None
                       ) -> Variant:
        """Returns the first variant whose guards hold.

        `addresses` has lists "input" and "output"; a scalar's entry is 0.
        `strides` has the same, of strides as `normalise_strides` makes them;
        without it all is contiguous.
        """
        if strides is None:
            strides = {"input": [contiguous_strides(s) for s in shapes],
                       "output": [contiguous_strides(s)
                                  for s in self.output_shapes(shapes)]}
        for variant in self.variants:
            if all(self.holds(guard, shapes, addresses, strides)
                   for guard in variant.guards):
                return variant
        raise self.no_variant(shapes)

    def no_variant(self, shapes: Sequence[Shape]) -> ArtifactError:
        """Returns the error for inputs that no variant takes."""
        return ArtifactError(
            f"{self.name}: expected inputs that one of the variants "
            f"{', '.join(v.name for v in self.variants)} takes but got "
            f"{' '.join(show_shape(shape) for shape in shapes)}")

    def may_take(self, variant: Variant, shapes: Sequence[Shape]) -> bool:
        """Whether the guards that depend on shapes alone hold."""
        return all(self.holds(guard, shapes, {}, {})
                   for guard in variant.guards if "less" in guard)

    def holds(self, guard: Mapping[str, Any], shapes: Sequence[Shape],
              addresses: Mapping[str, Sequence[int]],
              strides: Mapping[str, Sequence[Shape]]) -> bool:
        """Whether a guard of a variant holds; as for choose_variant."""
        if "aligned" in guard:
            ((role, index),) = guard["aligned"].items()
            return addresses[role][index] % guard["bytes"] == 0
        if "stride" in guard:
            ((role, index),) = guard["stride"].items()
            stride = strides[role][index][guard["axis"]]
            if "equals" in guard:
                return stride == guard["equals"]
            return stride % guard["multiple"] == 0
        if "less" in guard:
            left, right = (evaluate(side, shapes) for side in guard["less"])
            return left < right
        raise ArtifactError(f"{self.folder}: expected a guard aligned, stride "
                            f"or less but got {json.dumps(guard)}")

    def choose_image(self, capability: Tuple[int, int],
                     takes_cubin: bool = True) -> Path:
        """Returns the file to load on a device: the cubin where it runs, else
        the PTX, which the driver assembles.

        A cubin runs on its own major capability from its minor one on, PTX on
        every later chip, and either only on its own chip when the target ends
        in a letter. Raises ArtifactError when neither does.
        """
        digits = re.sub(r"\D", "", self.target)
        wanted = (int(digits[:-1]), int(digits[-1]))
        own_chip_only = self.target[-1] in "af"
        if capability == wanted or (not own_chip_only and capability > wanted):
            same_major = capability[0] == wanted[0]
            return self.folder / (
                self.cubin if self.cubin and same_major and takes_cubin
                else self.ptx)
        raise ArtifactError(
            f"{self.name} is compiled for {self.target} but the device is "
            f"sm_{capability[0]}{capability[1]}; compile it with "
            f"--target=sm_{capability[0]}{capability[1]}")


def workspace_bytes(variant: Variant, shapes: Sequence[Shape]) -> int:
    """Returns the bytes of workspace of a variant; raises ArtifactError for
    less than none."""
    num_bytes = evaluate(variant.workspace_bytes, shapes)
    if num_bytes < 0:
        raise ArtifactError(f"expected a workspace of at least 0 bytes for "
                            f"variant '{variant.name}' but got {num_bytes}")
    return num_bytes


def grid_of(launch: Launch, shapes: Sequence[Shape]) -> List[int]:
    """Returns the blocks of a launch in x, y and z; raises ArtifactError for
    more than a grid may have."""
    grid = [evaluate(extent, shapes) for extent in launch.grid]
    for axis, (extent, limit) in enumerate(zip(grid, MAX_GRID)):
        if not 0 <= extent <= limit:
            raise ArtifactError(
                f"expected from 0 to {limit} blocks on axis {axis} of the grid "
                f"of '{launch.entry}' but got {extent}")
        if extent % launch.cluster[axis]:
            raise ArtifactError(
                f"expected a multiple of {launch.cluster[axis]} blocks on axis "
                f"{axis} of the grid of '{launch.entry}', which runs in "
                f"clusters, but got {extent}")
    return grid


def contiguous_strides(shape: Shape) -> Shape:
    """Returns the strides of a row-major tensor without gaps, in elements."""
    return normalise_strides(shape, tuple(
        math.prod(shape[axis + 1:]) for axis in range(len(shape))))


@functools.lru_cache(maxsize=1024)
def normalise_strides(shape: Shape, strides: Shape) -> Shape:
    """Returns strides with those that say nothing, of axes of extent 0 or 1,
    as 0, or 1 for the last axis."""
    last = len(shape) - 1
    return tuple(int(axis == last) if size <= 1 else stride for axis,
                 (size, stride) in enumerate(zip(shape, strides)))


def show_shape(shape: Sequence[Optional[int]]) -> str:
    """Returns a shape as 2x?x64."""
    return "x".join("?" if d is None else str(d) for d in shape) or "scalar"


def read_value(value: Any) -> Optional[float]:
    """Reads a number, or the name of one JSON has not, such as "-inf"."""
    return None if value is None else float(value)


def load_artifact(folder: Path) -> Artifact:
    """Reads an artifact directory; raises ArtifactError."""
    path = Path(folder) / "kernel.json"
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArtifactError(f"expected an artifact directory but {path} cannot "
                            f"be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise ArtifactError(f"{path}: {error}") from error
    return Artifact(Path(folder), description)
