# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an artifact on a device: shapes, memory, arguments, launches."""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from goatc.artifact import (WORKSPACE_ALIGNMENT, Artifact, ArtifactError,
                            Shape, Variant, evaluate, grid_of,
                            workspace_bytes)
from goatc.dtypes import STORAGE, decode, encode
from goatc.driver import Driver

POISON = 0xFF  # bytes of this value are NaN in every float type


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


class Workspace(NamedTuple):
    """Device memory that the launches of a call share."""

    address: int
    num_bytes: int


def build_argument(parameter: Mapping[str, Any], shapes: Sequence[Shape],
                   values: Mapping[str, Sequence[np.generic]],
                   workspace: Workspace) -> np.generic:
    """Returns the argument for one parameter of kernel.json.

    `values` has the lists "input" and "output": an address as uint64 for a
    tensor, the value itself for a scalar input. Raises ArtifactError for an
    extent that its type cannot hold and for an address outside of the
    workspace.
    """
    kind = parameter["kind"]
    if kind in values:
        return values[kind][parameter["index"]]
    if kind == "workspace":
        offset = evaluate(parameter["offset"], shapes)
        if not 0 <= offset <= workspace.num_bytes:
            raise ArtifactError(f"expected an address in the workspace of "
                                f"{workspace.num_bytes} bytes but got offset "
                                f"{offset}")
        return np.uint64(workspace.address + offset)
    index, axis = parameter["index"], parameter["axis"]
    value = evaluate({"dim": [index, axis]}, shapes)
    storage = STORAGE[parameter["dtype"]]
    if value > np.iinfo(storage).max:
        raise ArtifactError(f"expected the extent of axis {axis} of input "
                            f"{index} to fit {parameter['dtype']} but got "
                            f"{value}")
    return storage.type(value)


def find_workspace(session: Session, variant: Variant,
                   shapes: Sequence[Shape],
                   given: Optional[Workspace]) -> Workspace:
    """Returns the caller's workspace if it fits, else a fresh one."""
    needed = workspace_bytes(variant, shapes)
    if given is None:
        return Workspace(session.allocate(needed) if needed else 0, needed)
    if given.num_bytes < needed or given.address % WORKSPACE_ALIGNMENT:
        raise ArtifactError(
            f"expected a workspace of {needed} bytes at a multiple of "
            f"{WORKSPACE_ALIGNMENT} but got {given.num_bytes} bytes at "
            f"{given.address:#x}")
    return Workspace(given.address, needed)


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

    image = artifact.choose_image(driver.describe()[1]).read_bytes()
    with Session(driver, image) as session:
        addresses = {
            "input": [session.place(array) if array.shape else 0
                      for array in arrays],
            "output": [session.place(result) for result in results]}
        variant = artifact.choose_variant(shapes, addresses)
        values = {kind: [np.uint64(address) for address in places]
                  for kind, places in addresses.items()}
        for index, array in enumerate(arrays):
            if not array.shape:
                values["input"][index] = array[()]
        scratch = find_workspace(session, variant, shapes, workspace)
        for launch in variant.launches:
            grid = grid_of(launch, shapes)
            if 0 in grid:
                continue
            driver.launch(
                driver.function(session.module, launch.entry), grid,
                launch.block, evaluate(launch.shared_bytes, shapes),
                [build_argument(parameter, shapes, values, scratch)
                 for parameter in launch.parameters])
        driver.synchronize()
        for result, address in zip(results, addresses["output"]):
            driver.download(result, address)
    return {output.name: decode(result, output.dtype)
            for output, result in zip(artifact.outputs, results)}
