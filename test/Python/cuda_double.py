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

WIDTHS = {"u64": np.uint64, "b64": np.uint64, "s64": np.int64, "u32": np.uint32,
          "s32": np.int32, "b32": np.uint32, "f32": np.float32,
          "u16": np.uint16, "b16": np.uint16}


class Status(int):
    """A CUresult."""

    name = "CUDA_ERROR_INVALID_VALUE"


def names(*attributes):
    return types.SimpleNamespace(**{name: name for name in attributes})


class CudaDouble(types.ModuleType):
    """What CudaDriver calls."""

    CUdevice_attribute = names("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
                               "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR")
    CUfunction_attribute = names(
        "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")

    def __init__(self):
        super().__init__("driver")
        self.sim = goatc.SimDriver()
        self.calls = []
        self.shared = {}

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name.startswith("cu") and callable(found):
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
        kinds = re.findall(r"\.param\s+\.(\w+)", declared[1])
        return (handle, entry, tuple(WIDTHS[kind] for kind in kinds))

    def cuFuncSetAttribute(self, function, attribute, value):
        assert attribute in vars(self.CUfunction_attribute)
        self.shared[function[1]] = value

    def cuLaunchKernel(self, function, gx, gy, gz, bx, by, bz, shared, stream,
                       parameters, extra):
        handle, entry, kinds = function
        assert extra == 0 and shared <= max(self.shared.get(entry, 0),
                                            48 * 1024)
        pointers = (ctypes.c_uint64 * len(kinds)).from_address(parameters)
        values = [np.frombuffer((ctypes.c_uint8 * np.dtype(kind).itemsize
                                 ).from_address(pointer), kind)[0]
                  for kind, pointer in zip(kinds, pointers)]
        self.sim.launch((handle, entry), (gx, gy, gz), (bx, by, bz), shared,
                        values, stream)
