# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A driver without a device: memory is host memory, kernels are functions."""

from typing import Callable, Dict, List, NamedTuple, Tuple

import numpy as np


class Launch(NamedTuple):
    """What the launcher asked for."""

    entry: str
    grid: Tuple[int, ...]
    block: Tuple[int, ...]
    shared_bytes: int
    arguments: list
    stream: int


class DriverDouble:
    """Keeps the rules of a driver: no access outside an allocation, none after
    it was freed, fresh memory holds 0xFF bytes (NaN in every float format).

    `kernels` maps an entry to `f(double, launch)`, which is called when the
    kernel is launched and reads and writes through `view`.
    """

    def __init__(self, kernels: Dict[str, Callable]):
        self.kernels = kernels
        self.memory: Dict[int, np.ndarray] = {}
        self.launches: List[Launch] = []
        self.images: List[bytes] = []
        self.loaded: List[bytes] = []
        self.next_address = 0x10000

    def describe(self):
        return "double", (9, 0)

    def allocate(self, num_bytes):
        address = self.next_address
        self.next_address += (num_bytes + 511) // 256 * 256
        self.memory[address] = np.full(num_bytes, 0xFF, np.uint8)
        return address

    def free(self, address):
        del self.memory[address]

    def view(self, address, dtype, count=None):
        """Returns an allocation from an address in it on, typed."""
        start = max((a for a in self.memory if a <= int(address)), default=0)
        if start + len(self.memory.get(start, ())) < int(address):
            raise AssertionError(f"no memory at {int(address):#x}")
        values = self.memory[start][int(address) - start:].view(dtype)
        if count is not None and count > len(values):
            raise AssertionError(f"{count} elements of {dtype} are wanted at "
                                 f"an allocation of {len(values)}")
        return values[:count]

    def upload(self, address, data):
        self.view(address, np.uint8)[:data.nbytes] = np.frombuffer(
            data.tobytes(), np.uint8)

    def download(self, data, address):
        source = self.view(address, np.uint8)[:data.nbytes]
        data.reshape(-1).view(np.uint8)[:] = source

    def load(self, image):
        self.images.append(image)
        self.loaded.append(image)
        return image

    def unload(self, module):
        self.loaded.remove(module)

    def function(self, module, entry):
        assert entry.encode() in module, f"no entry {entry} in the module"
        return entry

    def fill(self, address, value, count, stream):
        self.view(address, value.dtype)[:count] = value

    def launch(self, function, grid, block, shared_bytes, arguments, stream=0,
               cluster=(1, 1, 1)):
        launch = Launch(function, tuple(grid), tuple(block), shared_bytes,
                        list(arguments), stream)
        self.launches.append(launch)
        self.kernels[function](self, launch)

    def synchronize(self):
        pass
