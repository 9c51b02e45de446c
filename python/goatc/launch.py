# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an artifact on a device: shapes, arguments, launches.

`Launcher` is a kernel that is loaded; `run_artifact` also moves arrays of the
host there and back.
"""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from goatc.artifact import (WORKSPACE_ALIGNMENT, Artifact, ArtifactError,
                            Launch, Shape, Variant, contiguous_strides,
                            evaluate, grid_of, workspace_bytes)
from goatc.dtypes import STORAGE, decode, encode
from goatc.driver import Driver
from goatc.tensor_map import describe

POISON = 0xFF  # bytes of this value are NaN in every float type
MOST_PLANS = 256  # sizes a launcher remembers, and tensor maps
BY_CALL = ("input", "output", "input_stride", "output_stride")


class Workspace(NamedTuple):
    """Device memory that the launches of a call share."""

    address: int
    num_bytes: int


class Step(NamedTuple):
    """A launch at the sizes of a call. An argument that they determine is
    there; another is its parameter in kernel.json, a workspace with its offset
    worked out, a tensor map with what it says and the shape of its tensor."""

    function: Any
    grid: Sequence[int]
    block: Sequence[int]
    cluster: Sequence[int]
    shared_bytes: int
    arguments: Sequence[Any]


class Route(NamedTuple):
    """A variant at the sizes of a call, with the guards that they leave
    open."""

    variant: Variant
    guards: Sequence[Mapping[str, Any]]
    workspace_bytes: int
    steps: Sequence[Step]


class Plan(NamedTuple):
    """All that the sizes of a call determine."""

    outputs: Sequence[Shape]
    routes: Sequence[Route]


class Memory(NamedTuple):
    """Where the tensors of a call lie: lists "input" and "output" of addresses
    (the value itself, for a scalar) and of strides as normalise_strides makes
    them."""

    values: Mapping[str, Sequence[np.generic]]
    strides: Mapping[str, Sequence[Shape]]


def build_extent(parameter: Mapping[str, Any],
                 shapes: Sequence[Shape]) -> np.generic:
    """Returns the argument for the size of an axis; raises ArtifactError for
    one that its type cannot hold."""
    index, axis = parameter["index"], parameter["axis"]
    value = evaluate({"dim": [index, axis]}, shapes)
    storage = STORAGE[parameter["dtype"]]
    if value > np.iinfo(storage).max:
        raise ArtifactError(f"expected the extent of axis {axis} of input "
                            f"{index} to fit {parameter['dtype']} but got "
                            f"{value}")
    return storage.type(value)


def build_offset(parameter: Mapping[str, Any], shapes: Sequence[Shape],
                 num_bytes: int) -> int:
    """Returns an offset in the workspace; raises ArtifactError for one outside
    of it."""
    offset = evaluate(parameter["offset"], shapes)
    if not 0 <= offset <= num_bytes:
        raise ArtifactError(f"expected an address in the workspace of "
                            f"{num_bytes} bytes but got offset {offset}")
    return offset


def read_image(driver: Driver, artifact: Artifact) -> bytes:
    """Returns the file of an artifact that a driver loads."""
    return artifact.choose_image(driver.describe()[1],
                                 getattr(driver, "takes_cubin", True)
                                 ).read_bytes()


class Launcher:
    """A kernel whose module is loaded on a device."""

    def __init__(self, driver: Driver, artifact: Artifact, module: Any):
        self.driver, self.artifact, self.module = driver, artifact, module
        self.functions: Dict[str, Any] = {}
        self.plans: Dict[Tuple[Shape, ...], Plan] = {}
        self.maps: Dict[Any, np.generic] = {}

    def plan(self, shapes: Sequence[Shape]) -> Plan:
        """Returns what the shapes of the inputs determine; raises ArtifactError
        for shapes that do not fit."""
        key = tuple(shapes)
        plan = self.plans.get(key)
        if plan is None:
            self.artifact.check_shapes(shapes)
            outputs = self.artifact.output_shapes(shapes)
            routes = [self._route(variant, shapes)
                      for variant in self.artifact.variants
                      if self.artifact.may_take(variant, shapes)]
            plan = Plan(outputs, routes)
            if len(self.plans) >= MOST_PLANS:
                self.plans.pop(next(iter(self.plans)))
            self.plans[key] = plan
        return plan

    def _route(self, variant: Variant, shapes: Sequence[Shape]) -> Route:
        num_bytes = workspace_bytes(variant, shapes)
        steps = []
        for launch in variant.launches:
            grid = grid_of(launch, shapes)
            if 0 not in grid:
                steps.append(self._step(launch, grid, shapes, num_bytes))
        return Route(variant, [g for g in variant.guards if "less" not in g],
                     num_bytes, steps)

    def _step(self, launch: Launch, grid: Sequence[int],
              shapes: Sequence[Shape], num_bytes: int) -> Step:
        if launch.entry not in self.functions:
            self.functions[launch.entry] = self.driver.function(self.module,
                                                                launch.entry)
        arguments: List[Any] = []
        for parameter in launch.parameters:
            if parameter["kind"] == "workspace":
                arguments.append({"kind": "workspace", "offset": build_offset(
                    parameter, shapes, num_bytes)})
            elif parameter["kind"] == "tensor_map":
                entry = launch.tensor_maps[parameter["index"]]
                ((role, index),) = entry["tensor"].items()
                arguments.append({
                    "kind": "tensor_map", "entry": entry, "role": role,
                    "index": index, "shape": (
                        shapes if role == "input" else
                        self.artifact.output_shapes(shapes))[index]})
            elif parameter["kind"] in BY_CALL:
                arguments.append(parameter)
            else:
                arguments.append(build_extent(parameter, shapes))
        return Step(self.functions[launch.entry], grid, launch.block,
                    launch.cluster, evaluate(launch.shared_bytes, shapes),
                    arguments)

    def choose(self, plan: Plan, shapes: Sequence[Shape],
               memory: Memory) -> Route:
        """Returns the first way that takes the tensors where they lie."""
        addresses = {role: [0 if role == "input" and not entry.by_address
                            else int(value) for entry, value in
                            zip(self.artifact.inputs, values)]
                     if role == "input" else [int(value) for value in values]
                     for role, values in memory.values.items()}
        for route in plan.routes:
            if all(self.artifact.holds(guard, shapes, addresses,
                                       memory.strides)
                   for guard in route.guards):
                return route
        raise self.artifact.no_variant(shapes)

    def enqueue(self, route: Route, memory: Memory, workspace: Workspace,
                stream: int) -> None:
        """Launches, in the order of a stream."""
        for step in route.steps:
            self.driver.launch(
                step.function, step.grid, step.block, step.shared_bytes,
                [self._argument(argument, memory, workspace)
                 for argument in step.arguments], stream, step.cluster)

    def _argument(self, argument: Any, memory: Memory,
                  workspace: Workspace) -> np.generic:
        if isinstance(argument, np.generic):
            return argument
        kind = argument["kind"]
        if kind == "workspace":
            return np.uint64(workspace.address + argument["offset"])
        if kind == "tensor_map":
            return self._tensor_map(argument, memory)
        if kind in memory.values:
            return memory.values[kind][argument["index"]]
        role = kind.split("_")[0]
        return np.int64(
            memory.strides[role][argument["index"]][argument["axis"]])

    def _tensor_map(self, argument: Mapping[str, Any],
                    memory: Memory) -> np.generic:
        """Encodes a tensor map, or finds the one of an earlier call."""
        role, index = argument["role"], argument["index"]
        many: Sequence[Any] = (self.artifact.inputs if role == "input" else
                               self.artifact.outputs)
        described = describe(argument["entry"], many[index].name,
                             many[index].dtype, argument["shape"],
                             memory.strides[role][index],
                             int(memory.values[role][index]))
        encoded = self.maps.get(described)
        if encoded is None:
            encoded = self.driver.encode_tensor_map(described)
            if len(self.maps) >= MOST_PLANS:
                self.maps.pop(next(iter(self.maps)))
            self.maps[described] = encoded
        return encoded


def check_workspace(workspace: Workspace, needed: int) -> Workspace:
    """Returns as much of the caller's workspace as a kernel gets; raises
    ArtifactError when that does not fit."""
    if workspace.num_bytes < needed or workspace.address % WORKSPACE_ALIGNMENT:
        raise ArtifactError(
            f"expected a workspace of {needed} bytes at a multiple of "
            f"{WORKSPACE_ALIGNMENT} but got {workspace.num_bytes} bytes at "
            f"{workspace.address:#x}")
    return Workspace(workspace.address, needed)


class Session:
    """A module and device memory, given back when the block ends."""

    def __init__(self, driver: Driver, image: bytes):
        self.driver = driver
        self.module = driver.load(image)
        self.addresses: List[int] = []

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        for address in self.addresses:
            self.driver.free(address)
        self.driver.unload(self.module)

    def allocate(self, num_bytes: int) -> int:
        """Returns the address of memory that the block's end gives back."""
        address = self.driver.allocate(num_bytes)
        self.addresses.append(address)
        return address

    def place(self, data: np.ndarray) -> int:
        """Allocates memory, fills it with the array, returns the address."""
        address = self.allocate(data.nbytes)
        self.driver.upload(address, data)
        return address


def run_artifact(driver: Driver, artifact: Artifact,
                 inputs: Mapping[str, np.ndarray],
                 workspace: Optional[Workspace] = None
                 ) -> Dict[str, np.ndarray]:
    """Runs a kernel on arrays, by the names kernel.json gives its inputs.

    The arrays are cast to the inputs' types. Returns an array for each output,
    floats as float32. Memory that the kernel does not write comes back as NaN.
    `workspace` is scratch memory the caller has, of `artifact.workspace_bytes`;
    without it the driver is asked for some, which is given back once the
    launches are done. Raises ArtifactError when the inputs or the workspace do
    not fit and DeviceError when the driver refuses.
    """
    missing = [i.name for i in artifact.inputs if i.name not in inputs]
    if missing:
        raise ArtifactError(f"{artifact.name}: expected the inputs "
                            f"{', '.join(i.name for i in artifact.inputs)} but "
                            f"got no {', '.join(missing)}")
    arrays = [encode(inputs[i.name], i.dtype).reshape(np.shape(inputs[i.name]))
              for i in artifact.inputs]
    shapes = [array.shape for array in arrays]
    artifact.check_shapes(shapes)
    results = []
    for output, shape in zip(artifact.outputs, artifact.output_shapes(shapes)):
        fill = np.full(shape, 0, STORAGE[output.dtype])
        if output.initialise is None:
            fill.reshape(-1).view(np.uint8)[:] = POISON
        else:
            fill[...] = encode(np.float32(output.initialise), output.dtype)
        results.append(fill)

    with Session(driver, read_image(driver, artifact)) as session:
        launcher = Launcher(driver, artifact, session.module)
        values: List[Any] = [
            np.uint64(session.place(array)) if entry.by_address else array[()]
            for entry, array in zip(artifact.inputs, arrays)]
        memory = Memory(
            {"input": values,
             "output": [np.uint64(session.place(r)) for r in results]},
            {"input": [contiguous_strides(shape) for shape in shapes],
             "output": [contiguous_strides(r.shape) for r in results]})
        plan = launcher.plan(shapes)
        route = launcher.choose(plan, shapes, memory)
        needed = route.workspace_bytes
        scratch = (check_workspace(workspace, needed) if workspace else
                   Workspace(session.allocate(needed) if needed else 0, needed))
        launcher.enqueue(route, memory, scratch, stream=0)
        driver.synchronize()
        for result, address in zip(results, memory.values["output"]):
            driver.download(result, int(address))
    return {output.name: decode(result, output.dtype)
            for output, result in zip(artifact.outputs, results)}
