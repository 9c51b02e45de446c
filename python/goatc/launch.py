# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an artifact on a device: shapes, memory, arguments, launches."""

from typing import Any, Dict, List, Mapping, Sequence

import numpy as np

from goatc.artifact import Artifact, ArtifactError, Shape, evaluate
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


def build_argument(parameter: Mapping[str, Any], shapes: Sequence[Shape],
                   values: Mapping[str, Sequence[np.generic]]) -> np.generic:
    """Returns the argument for one parameter of kernel.json.

    `values` has the lists "input" and "output": an address as uint64 for a
    tensor, the value itself for a scalar input. Raises ArtifactError for an
    unknown kind and for an extent that its type cannot hold.
    """
    kind = parameter["kind"]
    if kind in values:
        return values[kind][parameter["index"]]
    if kind != "dim":
        raise ArtifactError(f"expected a parameter input, output or dim but "
                            f"got '{kind}'")
    index, axis = parameter["index"], parameter["axis"]
    value = evaluate({"dim": [index, axis]}, shapes)
    storage = STORAGE[parameter["dtype"]]
    if value > np.iinfo(storage).max:
        raise ArtifactError(f"expected the extent of axis {axis} of input "
                            f"{index} to fit {parameter['dtype']} but got "
                            f"{value}")
    return storage.type(value)


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
        for launch in variant.launches:
            grid = [evaluate(extent, shapes) for extent in launch.grid]
            if 0 in grid:
                continue
            driver.launch(
                driver.function(session.module, launch.entry), grid,
                launch.block, evaluate(launch.shared_bytes, shapes),
                [build_argument(parameter, shapes, values)
                 for parameter in launch.parameters])
        driver.synchronize()
        for result, address in zip(results, addresses["output"]):
            driver.download(result, address)
    return {output.name: decode(result, output.dtype)
            for output, result in zip(artifact.outputs, results)}
