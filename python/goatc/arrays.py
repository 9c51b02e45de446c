# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other packages: NumPy's, and DLPack's on the host and on a GPU.

DLPack (https://dmlc.github.io/dlpack) is read here by hand, since NumPy has no
bf16 and no device memory. bf16 is ml_dtypes.bfloat16 where that package is
installed, and the bits as uint16 where not.
"""

import ctypes
import functools
import math
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

CPU_DEVICES = (1, 3, 11)  # kDLCPU, kDLCUDAHost, kDLROCMHost
CUDA_DEVICES = (2, 13)  # kDLCUDA, kDLCUDAManaged


def bfloat16() -> Optional[np.dtype]:
    """Returns the dtype of ml_dtypes, or None without that package."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


def _api(name: str, result: Any, *arguments: Any) -> Any:
    """Returns a function of CPython's C interface."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_pointer_of = _api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object,
                   ctypes.c_char_p)

# DLPack's type codes: int, uint, float, bfloat, bool.
TYPES = {(0, 8): "i8", (0, 32): "i32", (0, 64): "i64", (2, 16): "f16",
         (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16", (6, 8): "i1",
         (1, 16): "bits16"}
HOST_TYPES = {"i8": np.int8, "i32": np.int32, "i64": np.int64,
              "f16": np.float16, "f32": np.float32, "f64": np.float64,
              "bf16": np.uint16, "i1": np.bool_, "bits16": np.uint16}


class Described(NamedTuple):
    """An array of another package; `strides` count elements, `owner` keeps the
    memory alive."""

    address: int
    dtype: str
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    on_cuda: bool
    owner: Any

    def is_contiguous(self) -> bool:
        """Whether the elements lie row by row without gaps."""
        wanted = row_major(self.shape)
        return self.strides == wanted or math.prod(self.shape) <= 1 or all(
            size == 1 or stride == right for size, stride, right in
            zip(self.shape, self.strides, wanted))


@functools.lru_cache(maxsize=1024)
def row_major(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    """Returns the strides of a contiguous array, in elements."""
    return tuple(math.prod(shape[axis + 1:]) for axis in range(len(shape)))


def is_array(value: Any) -> bool:
    """Whether a value is an array of some package."""
    return isinstance(value, np.ndarray) or (
        hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"))


def describe(array: Any, stream: Optional[int] = None) -> Described:
    """Returns where an array lies and what it is.

    array: anything with `__dlpack__`. For one on a CUDA device, `stream` is the
    stream that will use it, which its producer is told. Raises TypeError for an
    element type that no kernel takes.
    """
    device, _ = array.__dlpack_device__()
    on_cuda = device in CUDA_DEVICES
    if not on_cuda and device not in CPU_DEVICES:
        raise TypeError(f"expected an array on the CPU or a CUDA device but "
                        f"got DLPack device {device}")
    # DLPack's stream 1 is CUDA's legacy default stream, which CUDA calls 0.
    capsule = array.__dlpack__(stream=stream or 1) if on_cuda else (
        array.__dlpack__())
    # The capsule is not consumed: it frees what it holds when it goes.
    tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
    dtype = TYPES.get((tensor.code, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        raise TypeError(f"expected floats of 16 to 64 bits or signed integers "
                        f"but got DLPack type {tensor.code} of {tensor.bits} "
                        f"bits")
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    strides = (tuple(tensor.strides[axis] for axis in range(tensor.ndim))
               if tensor.strides else row_major(shape))
    return Described((tensor.data or 0) + tensor.byte_offset, dtype, shape,
                     strides, on_cuda, (array, capsule))


def to_host(array: Any) -> np.ndarray:
    """Returns an array on the host as NumPy's, without a copy where it can.

    bf16 comes as ml_dtypes.bfloat16; without that package as float32, which
    holds every value of it. Raises TypeError for an array on a device.
    """
    if isinstance(array, np.ndarray):
        return array
    if not is_array(array):
        return np.asarray(array)
    found = describe(array)
    if found.on_cuda:
        raise TypeError("expected an array on the host but got one on a CUDA "
                        "device; goatc.launch takes those")
    storage = np.dtype(HOST_TYPES[found.dtype])
    if 0 in found.shape:
        host = np.empty(found.shape, storage)
    else:
        reach = [(size - 1) * stride for size, stride
                 in zip(found.shape, found.strides)]
        low = sum(step for step in reach if step < 0)
        high = sum(step for step in reach if step > 0)
        memory = (ctypes.c_char * ((high - low + 1) * storage.itemsize)
                  ).from_address(found.address + low * storage.itemsize)
        setattr(memory, "owner", found.owner)  # lives as long as the view
        host = np.ndarray(found.shape, storage,
                          memory,  # type: ignore[arg-type]
                          -low * storage.itemsize,
                          [stride * storage.itemsize
                           for stride in found.strides])
    if found.dtype != "bf16":
        return host
    own = bfloat16()
    if own is not None:
        return host.view(own) if host.flags.c_contiguous else (
            np.ascontiguousarray(host).view(own))
    return (host.astype(np.uint32) << np.uint32(16)).view(np.float32)


def to_float(array: Any) -> np.ndarray:
    """Returns an output as float32: bf16 given as bits (uint16) or by ml_dtypes,
    f16, or f32."""
    host = to_host(array)
    if host.dtype == np.uint16:
        return (host.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return host.astype(np.float32)


# Giving memory to other packages.

class _Managed(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p),
                     ("deleter", _DELETER)]
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_exported: Dict[int, Any] = {}  # what has to live until it is given back


@_DELETER
def _release(managed: Any) -> None:
    _exported.pop(ctypes.addressof(managed.contents), None)


@_DESTRUCTOR
def _drop_capsule(capsule: int) -> None:
    # A consumer renames the capsule and then calls the deleter itself. The
    # capsule is being destroyed: only its address may be handed on.
    if _is_valid(capsule, b"dltensor"):
        _exported.pop(_pointer_at(capsule, b"dltensor"), None)


_is_valid = _api("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p,
                 ctypes.c_char_p)
_pointer_at = _api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p,
                   ctypes.c_char_p)
_new_capsule = _api("PyCapsule_New", ctypes.py_object, ctypes.c_void_p,
                    ctypes.c_char_p, _DESTRUCTOR)


def export(described: Described, device: Tuple[int, int]) -> Any:
    """Returns a DLPack capsule of memory that `described.owner` keeps alive."""
    rank = max(len(described.shape), 1)
    shape = (ctypes.c_int64 * rank)(*described.shape)
    strides = (ctypes.c_int64 * rank)(*described.strides)
    code, bits = next(type for type, name in TYPES.items()
                      if name == described.dtype)
    managed = _Managed(_Tensor(described.address, *device,
                               len(described.shape), code, bits, 1, shape,
                               strides, 0), None, _release)
    _exported[ctypes.addressof(managed)] = (managed, shape, strides,
                                            described.owner)
    return _new_capsule(ctypes.addressof(managed), b"dltensor", _drop_capsule)
