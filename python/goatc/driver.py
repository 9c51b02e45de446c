# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A CUDA device behind the few calls that a launcher needs.

`Driver` is what the rest of the package is written against; `CudaDriver` is the
real one, through the package cuda-bindings, which loads the driver at run time.
Tests put a double in its place.
"""

import ctypes
import itertools
from typing import Any, Protocol, Sequence, Tuple

import numpy as np

from goatc.tensor_map import ENCODED_BYTES, TensorMap

MAP_TYPES = {"f16": "FLOAT16", "bf16": "BFLOAT16", "f32": "FLOAT32",
             "i1": "UINT8", "i8": "UINT8", "i32": "INT32", "i64": "INT64"}
ONE_BLOCK = (1, 1, 1)


class DeviceError(RuntimeError):
    """There is no device, or the driver refused a call."""


def pack_arguments(values: Sequence[np.generic]) -> Tuple[int, Any]:
    """Returns the address of an array of pointers to the values, and what has
    to live as long as it is used."""
    # Each value begins at a multiple of 8 bytes.
    pieces = [value.tobytes().ljust(8, b"\0") for value in values]
    data = ctypes.create_string_buffer(b"".join(pieces))
    start = ctypes.addressof(data)
    ends = itertools.accumulate(map(len, pieces), initial=start)
    pointers = (ctypes.c_void_p * len(pieces))(*itertools.islice(
        ends, len(pieces)))
    return ctypes.addressof(pointers), (data, pointers)


def encoded_map(data: bytes) -> np.generic:
    """Returns an encoded tensor map as an argument of a launch."""
    return np.frombuffer(data, f"V{ENCODED_BYTES}")[0]


class Driver(Protocol):
    """Memory, modules and launches on one device. Addresses are integers, as
    are streams, of which 0 is the default one."""

    def describe(self) -> Tuple[str, Tuple[int, int]]:
        """Returns the device's name and its compute capability."""

    def allocate(self, num_bytes: int) -> int:
        """Returns the address of fresh, uninitialised memory."""

    def free(self, address: int) -> None:
        """Gives memory back."""

    def upload(self, address: int, data: np.ndarray) -> None:
        """Copies a contiguous array to the device."""

    def download(self, data: np.ndarray, address: int) -> None:
        """Fills a contiguous array from the device."""

    def load(self, image: bytes) -> Any:
        """Loads PTX text or a cubin and returns a module."""

    def unload(self, module: Any) -> None:
        """Gives a module back."""

    def function(self, module: Any, entry: str) -> Any:
        """Returns a kernel of a module."""

    def fill(self, address: int, value: np.generic, count: int,
             stream: int) -> None:
        """Sets so many elements of 16 or 32 bits, in the order of a stream."""

    def encode_tensor_map(self, described: TensorMap) -> np.generic:
        """Returns a TMA descriptor as an argument of a launch."""

    def launch(self, function: Any, grid: Sequence[int], block: Sequence[int],
               shared_bytes: int, arguments: Sequence[np.generic],
               stream: int = 0, cluster: Sequence[int] = ONE_BLOCK) -> None:
        """Launches a kernel in the order of a stream; each argument is a NumPy
        scalar of the parameter's width (pointers are uint64)."""

    def synchronize(self) -> None:
        """Waits for the device; raises DeviceError when a launch failed."""


class CudaDriver:
    """The CUDA driver API on one device, by cuda-bindings.

    Raises DeviceError, with what to do, when the package, the driver or a
    device is missing.
    """

    def __init__(self, ordinal: int = 0):
        try:
            from cuda.bindings import driver
        except ImportError as error:
            raise DeviceError(
                "no CUDA bindings found; pip install cuda-bindings") from error
        self._cuda = driver
        self.ordinal = ordinal
        try:
            self._call("cuInit", 0)
            count = self._call("cuDeviceGetCount")
        # Without libcuda the package raises an error class of its own.
        except Exception as error:
            raise DeviceError(
                "no CUDA device found; run on a machine with an NVIDIA GPU "
                f"and its driver ({error})") from error
        if ordinal >= count:
            raise DeviceError(f"no CUDA device found; expected a device "
                              f"numbered {ordinal} but got {count} of them")
        self._device = self._call("cuDeviceGet", ordinal)
        context = self._call("cuDevicePrimaryCtxRetain", self._device)
        self._call("cuCtxSetCurrent", context)

    def _call(self, name: str, *arguments: Any) -> Any:
        status, *values = getattr(self._cuda, name)(*arguments)
        if int(status) != 0:
            raise DeviceError(f"{name} failed with {status.name}")
        return values[0] if values else None

    def describe(self) -> Tuple[str, Tuple[int, int]]:
        name = self._call("cuDeviceGetName", 256, self._device)
        attribute = self._cuda.CUdevice_attribute
        capability = tuple(
            self._call("cuDeviceGetAttribute", which, self._device)
            for which in (
                attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))
        return name.split(b"\0")[0].decode(), capability

    def allocate(self, num_bytes: int) -> int:
        return int(self._call("cuMemAlloc", max(num_bytes, 1)))

    def free(self, address: int) -> None:
        self._call("cuMemFree", address)

    def upload(self, address: int, data: np.ndarray) -> None:
        if data.nbytes:
            self._call("cuMemcpyHtoD", address, data.ctypes.data, data.nbytes)

    def download(self, data: np.ndarray, address: int) -> None:
        if data.nbytes:
            self._call("cuMemcpyDtoH", data.ctypes.data, address, data.nbytes)

    def load(self, image: bytes) -> Any:
        # PTX text must end in a zero byte; a cubin does not mind one.
        return self._call("cuModuleLoadData", image + b"\0")

    def unload(self, module: Any) -> None:
        self._call("cuModuleUnload", module)

    def function(self, module: Any, entry: str) -> Any:
        return self._call("cuModuleGetFunction", module, entry.encode())

    def fill(self, address: int, value: np.generic, count: int,
             stream: int) -> None:
        name = {2: "cuMemsetD16Async", 4: "cuMemsetD32Async"}[value.itemsize]
        if count:
            self._call(name, address, int.from_bytes(value.tobytes(), "little"),
                       count, stream)

    def encode_tensor_map(self, described: TensorMap) -> np.generic:
        cuda = self._cuda
        wide, narrow = cuda.cuuint64_t, cuda.cuuint32_t
        swizzle = f"{described.swizzle}B" if described.swizzle else "NONE"
        encoded = self._call(
            "cuTensorMapEncodeTiled",
            getattr(cuda.CUtensorMapDataType, "CU_TENSOR_MAP_DATA_TYPE_" +
                    MAP_TYPES[described.dtype]),
            len(described.extents), described.address,
            [wide(extent) for extent in described.extents],
            [wide(stride) for stride in described.strides],
            [narrow(extent) for extent in described.box],
            [narrow(1) for _ in described.box],
            cuda.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
            getattr(cuda.CUtensorMapSwizzle,
                    f"CU_TENSOR_MAP_SWIZZLE_{swizzle}"),
            cuda.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
            cuda.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
        return encoded_map(ctypes.string_at(int(encoded.getPtr()),
                                            ENCODED_BYTES))

    def launch(self, function: Any, grid: Sequence[int], block: Sequence[int],
               shared_bytes: int, arguments: Sequence[np.generic],
               stream: int = 0, cluster: Sequence[int] = ONE_BLOCK) -> None:
        # Above 48 KiB a kernel has to ask.
        if shared_bytes > 48 * 1024:
            which = self._cuda.CUfunction_attribute
            self._call("cuFuncSetAttribute", function,
                       which.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       shared_bytes)
        # The driver copies the values before it returns.
        pointers, _owner = pack_arguments(arguments)
        if tuple(cluster) == ONE_BLOCK:
            self._call("cuLaunchKernel", function, *grid, *block, shared_bytes,
                       stream, pointers, 0)
            return
        cuda = self._cuda
        config, attribute = cuda.CUlaunchConfig(), cuda.CUlaunchAttribute()
        attribute.id = (
            cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        extents = attribute.value.clusterDim
        extents.x, extents.y, extents.z = cluster
        config.gridDimX, config.gridDimY, config.gridDimZ = grid
        config.blockDimX, config.blockDimY, config.blockDimZ = block
        config.sharedMemBytes, config.hStream = shared_bytes, stream
        config.attrs, config.numAttrs = [attribute], 1
        self._call("cuLaunchKernelEx", config, function, pointers, 0)

    def synchronize(self) -> None:
        self._call("cuCtxSynchronize")
