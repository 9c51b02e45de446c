# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an artifact on a device: shapes, memory, arguments, launches."""

from typing import Any, Dict, List, Mapping, Sequence

import numpy as np

from goatc.artifact import (Artifact, ArtifactError, Launch, Shape, evaluate)
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

    def place(self, data: np.ndarray) -> int:
        """Allocates memory, fills it with the array, returns the address."""
        address = self.driver.allocate(data.nbytes)
        self.addresses.append(address)
        self.driver.upload(address, data)
        return address


class Arguments:
    """Builds the argument list of a launch from kernel.json's parameters."""

    def __init__(self, scalars: Mapping[int, np.generic],
                 inputs: Sequence[int], outputs: Sequence[int],
                 workspace: int, shapes: Sequence[Shape]):
        self.scalars = scalars
        self.inputs = inputs
        self.outputs = outputs
        self.workspace = workspace
        self.shapes = shapes

    def build(self, launch: Launch) -> List[np.generic]:
        """Returns a NumPy scalar of the right width for each parameter."""
        return [self._one(parameter) for parameter in launch.parameters]

    def _one(self, parameter: Mapping[str, Any]) -> np.generic:
        kind = parameter["kind"]
        if kind == "input":
            index = parameter["index"]
            if index in self.scalars:
                return self.scalars[index]
            return np.uint64(self.inputs[index])
        if kind == "output":
            return np.uint64(self.outputs[parameter["index"]])
        if kind == "workspace":
            return np.uint64(self.workspace)
        if kind == "dim":
            value = evaluate({"dim": [parameter["index"], parameter["axis"]]},
                             self.shapes)
            storage = STORAGE[parameter["dtype"]]
            if value > np.iinfo(storage).max:
                raise ArtifactError(
                    f"expected the extent of axis {parameter['axis']} of input "
                    f"{parameter['index']} to fit {parameter['dtype']} but got "
                    f"{value}")
            return storage.type(value)
        raise ArtifactError(f"expected a parameter input, output, dim or "
                            f"workspace but got '{kind}'")


def run_artifact(driver: Driver, artifact: Artifact,
                 inputs: Mapping[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """Runs a kernel on arrays, by the names kernel.json gives its inputs.

    The arrays are cast to the inputs' types. Returns an array for each output,
    floats as float32. Memory that the kernel does not write comes back as NaN.
    Raises ArtifactError when the inputs do not fit and DeviceError when the
    driver refuses.
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
        scalars = {index: array.reshape(())[()]
                   for index, array in enumerate(arrays) if not array.shape}
        addresses = [0 if index in scalars else session.place(array)
                     for index, array in enumerate(arrays)]
        outputs = [session.place(result) for result in results]
        variant = artifact.choose_variant(shapes, addresses)
        workspace = session.place(np.full(
            evaluate(variant.workspace_bytes, shapes), POISON, np.uint8))
        arguments = Arguments(scalars, addresses, outputs, workspace, shapes)
        for launch in variant.launches:
            grid = [evaluate(extent, shapes) for extent in launch.grid]
            if 0 in grid:
                continue
            driver.launch(driver.function(session.module, launch.entry), grid,
                          launch.block, evaluate(launch.shared_bytes, shapes),
                          arguments.build(launch))
        driver.synchronize()
        for result, address in zip(results, outputs):
            driver.download(result, address)
    return {output.name: decode(result, output.dtype)
            for output, result in zip(artifact.outputs, results)}
