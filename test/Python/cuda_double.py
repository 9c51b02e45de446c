# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A double of the module cuda.bindings.driver whose device is the simulator.

Calls have the signatures and answers of cuda-bindings: a tuple that begins with a
status. Values of a kernel's parameters are read through the array of pointers, as
the driver reads them, with the widths that the PTX declares.
"""

import ctypes
import re
import types

import numpy as np

import goatc
from goatc.tensor_map import TensorMap

# The width of a kernel's parameter by its type.
WIDTHS = {"u64": np.uint64, "b64": np.uint64, "s64": np.int64, "u32": np.uint32,
          "s32": np.int32, "b32": np.uint32, "f32": np.float32,
          "u16": np.uint16, "b16": np.uint16}


class Status(int):
    """A CUresult."""

    name = "CUDA_ERROR_INVALID_VALUE"


# What the bindings want numbers wrapped in.
class CuInt32(int):
    pass


class CuInt64(int):
    pass


MAP_DTYPES = {"FLOAT16": "f16", "BFLOAT16": "bf16", "FLOAT32": "f32",
              "UINT8": "i8", "INT32": "i32", "INT64": "i64"}


class EncodedMap:
    """A CUtensorMap."""

    def __init__(self, data):
        self.data = ctypes.create_string_buffer(data, len(data))

    def getPtr(self):
        return ctypes.addressof(self.data)


def names(*attributes):
    return types.SimpleNamespace(**{name: name for name in attributes})


class CudaDouble(types.ModuleType):
    """What CudaDriver calls."""

    CUdevice_attribute = names("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
                               "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR")
    CUfunction_attribute = names(
        "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")
    CUlaunchAttributeID = names("CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION")
    CUtensorMapDataType = names(*(
        f"CU_TENSOR_MAP_DATA_TYPE_{kind}" for kind in MAP_DTYPES))
    CUtensorMapInterleave = names("CU_TENSOR_MAP_INTERLEAVE_NONE")
    CUtensorMapSwizzle = names(*(f"CU_TENSOR_MAP_SWIZZLE_{kind}" for kind in (
        "NONE", "32B", "64B", "128B")))
    CUtensorMapL2promotion = names("CU_TENSOR_MAP_L2_PROMOTION_L2_128B")
    CUtensorMapFloatOOBfill = names("CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE")
    cuuint32_t, cuuint64_t = CuInt32, CuInt64
    CUlaunchConfig = types.SimpleNamespace

    @staticmethod
    def CUlaunchAttribute():
        return types.SimpleNamespace(value=types.SimpleNamespace(
            clusterDim=types.SimpleNamespace()))

    def __init__(self):
        super().__init__("driver")
        self.sim = goatc.SimDriver()
        self.calls = []
        self.shared = {}

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name.startswith("cu") and isinstance(found, types.MethodType):
            calls = super().__getattribute__("calls")

            def record(*arguments):
                calls.append((name, arguments))
                try:
                    answer = found(*arguments)
                except (goatc.DeviceError, KeyError, AssertionError):
                    return (Status(1),)
                return (Status(0),) if answer is None else (Status(0), answer)

            return record
        return found

    def cuInit(self, flags):
        assert flags == 0

    def cuDeviceGetCount(self):
        return 1

    def cuDeviceGet(self, ordinal):
        return ordinal

    def cuDevicePrimaryCtxRetain(self, device):
        return "context"

    def cuCtxSetCurrent(self, context):
        assert context == "context"

    def cuCtxSynchronize(self):
        pass

    def cuDeviceGetName(self, length, device):
        return b"Simulator\0"

    def cuDeviceGetAttribute(self, attribute, device):
        return 9 if attribute.endswith("MAJOR") else 0

    def cuMemAlloc(self, num_bytes):
        assert num_bytes > 0
        return self.sim.allocate(num_bytes)

    def cuMemFree(self, address):
        self.sim.free(address)

    def cuMemcpyHtoD(self, address, host, num_bytes):
        data = np.ctypeslib.as_array(
            (ctypes.c_uint8 * num_bytes).from_address(host))
        self.sim.upload(address, data)

    def cuMemcpyDtoH(self, host, address, num_bytes):
        data = np.ctypeslib.as_array(
            (ctypes.c_uint8 * num_bytes).from_address(host))
        self.sim.download(data, address)

    def cuModuleLoadData(self, image):
        assert image.endswith(b"\0")
        text = image[:-1]
        return self.sim.load(text), text.decode()

    def cuModuleUnload(self, module):
        pass

    def cuModuleGetFunction(self, module, entry):
        handle, text = module
        entry = entry.decode()
        declared = re.search(rf"\.entry {entry}\s*\((.*?)\)", text, re.DOTALL)
        kinds = []
        for parameter in declared[1].split(","):
            kind = re.search(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)",
                             parameter)[1]
            size = re.search(r"\[(\d+)\]\s*$", parameter)
            kinds.append(np.dtype(f"V{size[1]}") if size else WIDTHS[kind])
        return handle, entry, tuple(kinds)

    def cuFuncSetAttribute(self, function, attribute, value):
        assert attribute in vars(self.CUfunction_attribute)
        self.shared[function[1]] = value

    def cuTensorMapEncodeTiled(self, dtype, rank, address, extents, strides,
                               box, steps, interleave, swizzle, promotion,
                               fill):
        assert all(isinstance(n, CuInt64) for n in (*extents, *strides))
        assert all(isinstance(n, CuInt32) for n in (*box, *steps))
        assert len(extents) == len(box) == len(steps) == rank
        assert len(strides) == rank - 1 and set(steps) == {1}
        assert interleave.endswith("NONE") and fill.endswith("NONE")
        assert promotion.endswith("128B")
        span = swizzle.rsplit("_", 1)[1]
        return EncodedMap(self.sim.encode_tensor_map(TensorMap(
            MAP_DTYPES[dtype.rsplit("_", 1)[1]], address, tuple(extents),
            tuple(strides), tuple(box),
            0 if span == "NONE" else int(span[:-1]))).tobytes())

    def cuLaunchKernel(self, function, gx, gy, gz, bx, by, bz, shared, stream,
                       parameters, extra):
        assert extra == 0
        self._launch(function, (gx, gy, gz), (bx, by, bz), shared, stream,
                     parameters, (1, 1, 1))

    def cuLaunchKernelEx(self, config, function, parameters, extra):
        (attribute,) = config.attrs
        assert extra == 0 and config.numAttrs == 1
        assert attribute.id == "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION"
        extents = attribute.value.clusterDim
        self._launch(
            function, (config.gridDimX, config.gridDimY, config.gridDimZ),
            (config.blockDimX, config.blockDimY, config.blockDimZ),
            config.sharedMemBytes, config.hStream, parameters,
            (extents.x, extents.y, extents.z))

    def _launch(self, function, grid, block, shared, stream, parameters,
                cluster):
        handle, entry, kinds = function
        assert shared <= max(self.shared.get(entry, 0), 48 * 1024)
        pointers = (ctypes.c_uint64 * len(kinds)).from_address(parameters)
        values = [np.frombuffer((ctypes.c_uint8 * np.dtype(kind).itemsize
                                 ).from_address(pointer), kind)[0]
                  for kind, pointer in zip(kinds, pointers)]
        self.sim.launch((handle, entry), grid, block, shared, values, stream,
                        cluster)
