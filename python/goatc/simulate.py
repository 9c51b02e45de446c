# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A driver whose device is the simulator.

Code that launches kernels runs on it as on a GPU, and a kernel that does what
it must not do is an error.
"""

import ctypes
from typing import Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

from goatc import library
from goatc.driver import ONE_BLOCK, DeviceError, encoded_map
from goatc.library import Handle, call, message_of
from goatc.tensor_map import ENCODED_BYTES, TensorMap


class Launched(NamedTuple):
    """A launch that was asked for."""

    entry: str
    grid: Tuple[int, ...]
    block: Tuple[int, ...]
    shared_bytes: int
    arguments: Tuple[np.generic, ...]
    stream: int
    cluster: Tuple[int, ...]


class SimDriver:
    """A `goatc.driver.Driver` over the simulator; launches run at once.

    capability: what the device says it is. seed: orders blocks and warps.
    launches: all that were asked for.
    """

    takes_cubin = False
    ordinal = 0

    def __init__(self, capability: Tuple[int, int] = (9, 0), seed: int = 0):
        self.capability = capability
        self.launches: List[Launched] = []
        self._sim = Handle(library.load().goatSimCreate(seed), "goatSimDestroy")
        self._sizes: Dict[int, int] = {}

    def describe(self) -> Tuple[str, Tuple[int, int]]:
        return "simulator", self.capability

    def allocate(self, num_bytes: int) -> int:
        address = library.load().goatSimAllocate(
            self._sim.address, num_bytes, f"memory {len(self._sizes)}".encode())
        if address == 0:
            raise DeviceError(f"cannot allocate {num_bytes} bytes")
        self._sizes[address] = num_bytes
        return address

    def free(self, address: int) -> None:
        # The simulator gives memory back as a whole.
        if self._sizes.pop(address, None) is None:
            raise DeviceError(f"expected the address of an allocation but got "
                              f"{address:#x}")

    def upload(self, address: int, data: np.ndarray) -> None:
        self._copy("goatSimWrite", address, np.ascontiguousarray(data))

    def download(self, data: np.ndarray, address: int) -> None:
        self._copy("goatSimRead", address, data)

    def _copy(self, name: str, address: int, data: np.ndarray) -> None:
        if getattr(library.load(), name)(self._sim.address, address,
                                         data.ctypes.data, data.nbytes):
            raise DeviceError(f"expected {data.nbytes} bytes of one allocation "
                              f"at {address:#x}")

    def load(self, image: bytes) -> Handle:
        module = ctypes.c_void_p()
        status, said = call("goatSimModuleLoad", image, len(image),
                            b"kernel.ptx", ctypes.byref(module))
        if status:
            raise DeviceError(message_of(status, said))
        return Handle(module.value, "goatSimModuleDestroy")

    def unload(self, module: Handle) -> None:
        pass  # with the last reference to it

    def function(self, module: Handle, entry: str) -> Tuple[Handle, str]:
        return module, entry

    def fill(self, address: int, value: np.generic, count: int,
             stream: int) -> None:
        self.upload(address, np.full(count, value))

    def encode_tensor_map(self, described: TensorMap) -> np.generic:
        raw = library.RawTensorMap(
            library.DTYPES.index(described.dtype), len(described.extents),
            described.address, (ctypes.c_uint64 * 5)(*described.extents),
            (ctypes.c_uint64 * 4)(*described.strides),
            (ctypes.c_uint32 * 5)(*described.box), described.swizzle)
        encoded = ctypes.create_string_buffer(ENCODED_BYTES)
        status, said = call("goatSimEncodeTensorMap", ctypes.byref(raw),
                            encoded)
        if status:
            raise DeviceError(message_of(status, said))
        return encoded_map(encoded.raw)

    def launch(self, function: Tuple[Handle, str], grid: Sequence[int],
               block: Sequence[int], shared_bytes: int,
               arguments: Sequence[np.generic], stream: int = 0,
               cluster: Sequence[int] = ONE_BLOCK) -> None:
        module, entry = function
        self.launches.append(Launched(entry, tuple(grid), tuple(block),
                                      shared_bytes, tuple(arguments), stream,
                                      tuple(cluster)))
        count = len(arguments)
        held = [np.array(value) for value in arguments]
        raw = library.RawLaunch(
            entry.encode(), (ctypes.c_uint32 * 3)(*grid),
            (ctypes.c_uint32 * 3)(*block), (ctypes.c_uint32 * 3)(*cluster),
            shared_bytes,
            (ctypes.c_void_p * count)(*(value.ctypes.data for value in held)),
            (ctypes.c_size_t * count)(*(value.nbytes for value in held)), count)
        status, said = call("goatSimRun", self._sim.address, module.address,
                            ctypes.byref(raw))
        if status:
            raise DeviceError(f"'{entry}' failed in the simulator:\n"
                              f"{message_of(status, said)}")

    def synchronize(self) -> None:
        pass  # a launch has run to its end when it returns
