# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching kernels on arrays that lie on a device already.

Needs an artifact directory and a driver, and no compiler.
"""

import functools
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple
import weakref

import numpy as np

from goatc.arrays import (Described, bfloat16, describe, export, is_array,
                          row_major)
from goatc.artifact import (Artifact, ArtifactError, Shape, normalise_strides,
                            show_shape)
from goatc.dtypes import STORAGE, encode
from goatc.driver import CudaDriver, Driver
from goatc.launch import Launcher, Memory, Workspace, read_image
from goatc.trace import dtype_name

KDLCUDA = 2


class DeviceArray:
    """A contiguous array on a device, given back with the last use of it.

    Other packages take it through DLPack; `numpy()` copies it to the host.
    `stream` is what it is written in the order of.
    """

    def __init__(self, driver: Driver, shape: Shape, dtype: str):
        self.driver, self.shape, self.dtype = driver, tuple(shape), dtype
        self.stream = 0
        num_bytes = math.prod(self.shape) * STORAGE[dtype].itemsize
        self.address = driver.allocate(num_bytes)
        weakref.finalize(self, driver.free, self.address)

    def __repr__(self) -> str:
        return f"<goatc.DeviceArray {show_shape(self.shape)} {self.dtype}>"

    def __dlpack_device__(self) -> Tuple[int, int]:
        return KDLCUDA, getattr(self.driver, "ordinal", 0)

    def __dlpack__(self, stream: Optional[int] = None, **_: Any) -> Any:
        # Of DLPack's streams, None and 1 are CUDA's default one and −1 asks for
        # no order. A consumer on another stream must not be early.
        if stream != -1 and (stream or 1) != (self.stream or 1):
            self.driver.synchronize()
        return export(Described(self.address, self.dtype, self.shape,
                                row_major(self.shape), True, self),
                      self.__dlpack_device__())

    def numpy(self) -> np.ndarray:
        """Waits for the device and returns a copy on the host; bf16 as
        ml_dtypes.bfloat16, or uint16 bits without that package."""
        self.driver.synchronize()
        host = np.empty(self.shape, STORAGE[self.dtype])
        self.driver.download(host, self.address)
        own = bfloat16() if self.dtype == "bf16" else None
        return host if own is None else host.view(own)


def to_device(array: Any, dtype: Optional[str] = None,
              driver: Optional[Driver] = None) -> DeviceArray:
    """Copies an array of the host to a device, as `dtype` (its own when
    None)."""
    host = np.asarray(array)
    dtype = dtype or dtype_name(host.dtype)
    driver = driver or default_driver()
    placed = DeviceArray(driver, host.shape, dtype)
    if dtype == "bf16" and host.dtype == np.uint16:
        data = np.ascontiguousarray(host)
    else:
        data = encode(host, dtype)
    driver.upload(placed.address, data)
    return placed


@functools.lru_cache(maxsize=None)
def default_driver() -> Driver:
    """Returns the CUDA driver on device 0; raises DeviceError."""
    return CudaDriver()


def stream_handle(stream: Any) -> int:
    """Returns a stream as a number: an int, an object with `__cuda_stream__`,
    or one of PyTorch's, CuPy's or cuda-bindings'."""
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    return int(stream or 0)


class DeviceKernel:
    """A kernel that is loaded on a device and called on arrays there.

    artifact: what `goatc.artifact.load_artifact` read.
    bound: arrays of the host for inputs that a call need not give; they are
        copied to the device once.
    """

    def __init__(self, artifact: Artifact, driver: Optional[Driver] = None,
                 bound: Mapping[str, np.ndarray] = {}):
        self.driver = driver or default_driver()
        self.artifact = artifact
        module = self.driver.load(read_image(self.driver, artifact))
        weakref.finalize(self, self.driver.unload, module)
        self.launcher = Launcher(self.driver, artifact, module)
        self.scratch: Dict[int, DeviceArray] = {}
        self.resident: Dict[str, Any] = {
            entry.name: (to_device(bound[entry.name], entry.dtype, self.driver)
                         if entry.by_address else bound[entry.name])
            for entry in artifact.inputs if entry.name in bound}

    def __call__(self, *arrays: Any, out: Any = None, stream: Any = 0,
                 **named: Any) -> Any:
        """Launches the kernel and returns without waiting for it.

        arrays: the inputs in order, or by name: arrays on the device with
            `__dlpack__`, in the input's dtype; numbers for scalars. Contiguous,
            where kernel.json does not say that strides are taken.
        out: arrays for the outputs (one, or a sequence); fresh ones when None.
        stream: what the launch is ordered in.

        Returns the output, or a tuple of several. Raises ArtifactError for
        arrays that do not fit, and DeviceError when the driver refuses.
        """
        handle = stream_handle(stream)
        inputs = self._inputs(arrays, named)
        values: List[np.generic] = []
        shapes: List[Shape] = []
        strides: List[Shape] = []
        keep = []  # what DLPack's producers lend
        for entry, given in zip(self.artifact.inputs, inputs):
            if not entry.by_address:
                values.append(self._scalar(entry, given))
                shapes.append(())
                strides.append(())
                continue
            found = self._describe(entry.name, entry.dtype, given, handle,
                                   entry.strided)
            keep.append(found)
            values.append(np.uint64(found.address))
            shapes.append(found.shape)
            strides.append(normalise_strides(found.shape, found.strides))
        plan = self.launcher.plan(shapes)
        results, places = self._outputs(out, plan.outputs, handle)
        memory = Memory(
            {"input": values,
             "output": [np.uint64(place.address) for place in places]},
            {"input": strides,
             "output": [normalise_strides(place.shape, place.strides)
                        for place in places]})
        route = self.launcher.choose(plan, shapes, memory)
        self._initialise(places, handle)
        self.launcher.enqueue(
            route, memory, self._workspace(route.workspace_bytes, handle),
            handle)
        return results

    def _inputs(self, arrays: Sequence[Any],
                named: Mapping[str, Any]) -> List[Any]:
        names = [entry.name for entry in self.artifact.inputs]
        if len(arrays) > len(names) or any(n not in names for n in named):
            raise ArtifactError(
                f"{self.artifact.name}: expected inputs {', '.join(names)} but "
                f"got {len(arrays)} and {', '.join(named) or 'none'} by name")
        given = {**self.resident, **dict(zip(names, arrays)), **named}
        missing = [name for name in names if name not in given]
        if missing:
            raise ArtifactError(
                f"{self.artifact.name}: expected the inputs {', '.join(names)} "
                f"but got no {', '.join(missing)}")
        return [given[name] for name in names]

    def _scalar(self, entry: Any, given: Any) -> Any:
        if np.ndim(given):
            raise ArtifactError(f"expected a number for '{entry.name}' but got "
                                f"an array of shape "
                                f"{show_shape(np.shape(given))}")
        return encode(np.asarray(given), entry.dtype).reshape(())[()]

    def _describe(self, name: str, dtype: str, given: Any, stream: int,
                  strided: bool) -> Described:
        if isinstance(given, DeviceArray):
            found = Described(given.address, given.dtype, given.shape,
                              row_major(given.shape), True, given)
        elif not isinstance(given, np.ndarray) and is_array(given):
            found = describe(given, stream)
        else:
            raise ArtifactError(
                f"expected '{name}' to be an array on a CUDA device but got a "
                f"{type(given).__name__}; goatc.to_device copies one there")
        device = given.__dlpack_device__()[1]
        ordinal = getattr(self.driver, "ordinal", 0)
        if not found.on_cuda or device != ordinal:
            where = f"device {device}" if found.on_cuda else "the CPU"
            raise ArtifactError(f"expected '{name}' on CUDA device {ordinal} "
                                f"but got it on {where}")
        if found.dtype != dtype:
            raise ArtifactError(f"expected '{name}' of dtype {dtype} but got "
                                f"{found.dtype}; cast it, or compile for "
                                f"{found.dtype}")
        if not strided and not found.is_contiguous():
            raise ArtifactError(f"expected '{name}' to be contiguous but got "
                                f"strides {found.strides} for shape "
                                f"{show_shape(found.shape)}; make a contiguous "
                                f"copy")
        if strided and any(stride < 0 for stride in found.strides):
            raise ArtifactError(f"expected strides of at least 0 of '{name}' "
                                f"but got {found.strides}")
        return found

    def _outputs(self, out: Any, shapes: Sequence[Shape],
                 stream: int) -> Tuple[Any, List[Described]]:
        entries = self.artifact.outputs
        if out is None:
            arrays: Sequence[Any] = [
                DeviceArray(self.driver, shape, entry.dtype)
                for entry, shape in zip(entries, shapes)]
            for array in arrays:
                array.stream = stream
        else:
            arrays = out if isinstance(out, (list, tuple)) else [out]
        if len(arrays) != len(entries):
            raise ArtifactError(f"expected {len(entries)} outputs of "
                                f"'{self.artifact.name}' but got {len(arrays)}")
        places = []
        for entry, shape, array in zip(entries, shapes, arrays):
            place = self._describe(entry.name, entry.dtype, array, stream,
                                   entry.strided)
            if place.shape != tuple(shape):
                raise ArtifactError(
                    f"expected room for '{entry.name}' of shape "
                    f"{show_shape(shape)} but got {show_shape(place.shape)}")
            if entry.strided and overlaps(place):
                raise ArtifactError(
                    f"expected the elements of '{entry.name}' apart from one "
                    f"another but got strides {place.strides} for shape "
                    f"{show_shape(place.shape)}")
            places.append(place)
        return arrays[0] if len(arrays) == 1 else tuple(arrays), places

    def _initialise(self, places: Sequence[Described], stream: int) -> None:
        for entry, place in zip(self.artifact.outputs, places):
            if entry.initialise is None:
                continue
            if not place.is_contiguous():
                raise ArtifactError(
                    f"expected '{entry.name}' to be contiguous, as it is filled "
                    f"before the launch, but got strides {place.strides}")
            value: Any = encode(entry.initialise, entry.dtype).reshape(())[()]
            self.driver.fill(place.address, value, math.prod(place.shape),
                             stream)

    def _workspace(self, needed: int, stream: int) -> Workspace:
        """Scratch memory of a stream; launches on one stream may share it."""
        if needed == 0:
            return Workspace(0, 0)
        have = self.scratch.get(stream)
        if have is None or have.shape[0] * 4 < needed:
            have = DeviceArray(self.driver, (-(-needed // 4),), "i32")
            self.scratch[stream] = have
        return Workspace(have.address, needed)


def overlaps(place: Described) -> bool:
    """Whether two elements may lie at one address."""
    reach = 0
    for stride, size in sorted(zip(place.strides, place.shape)):
        if size > 1:
            if stride <= reach:
                return True
            reach += (size - 1) * stride
    return False


def launch(kernel: Any, *arrays: Any, out: Any = None, stream: Any = 0,
           driver: Optional[Driver] = None, **named: Any) -> Any:
    """Launches a compiled kernel on a GPU, on arrays that lie there.

    kernel: what `goatc.compile` or `goatc.load` returned. It is loaded on the
        first call, and kept. driver: another one than CUDA's on device 0.
    The rest is as for calling a `DeviceKernel`.
    """
    driver = driver or default_driver()
    loaded = kernel.loaded.get(id(driver))
    if loaded is None:
        if kernel.artifact is None:
            raise ArtifactError(f"expected a kernel for a chip but "
                                f"'{kernel.name}' is for the reference")
        loaded = DeviceKernel(kernel.artifact, driver, kernel.bound)
        kernel.loaded[id(driver)] = loaded
    return loaded(*arrays, out=out, stream=stream, **named)
