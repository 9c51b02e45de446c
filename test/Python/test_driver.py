# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of the CUDA driver wrapper against a double of cuda-bindings."""

import ctypes
from pathlib import Path
import sys
import types
import unittest
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from goatc.driver import CudaDriver, DeviceError  # noqa: E402


class Status(int):
    """A CUresult: an integer with a name."""

    name = "CUDA_ERROR_LAUNCH_FAILED"


def attributes(*names):
    return types.SimpleNamespace(**{name: name for name in names})


class BindingsDouble(types.ModuleType):
    """Answers the calls of the wrapper and keeps them."""

    CUdevice_attribute = attributes(
        "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
        "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR")
    CUfunction_attribute = attributes(
        "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")

    def __init__(self, devices=1, failing=""):
        super().__init__("driver")
        self.calls = []
        self.failing = failing
        self.answers = {
            "cuDeviceGetCount": lambda: devices,
            "cuDeviceGet": lambda ordinal: ordinal,
            "cuDevicePrimaryCtxRetain": lambda device: "context",
            "cuDeviceGetName": lambda length, device: b"Chip\0\0",
            "cuDeviceGetAttribute": lambda which, device:
                9 if which.endswith("MAJOR") else 0,
            "cuMemAlloc": lambda num_bytes: 4096,
            "cuModuleLoadData": lambda image: "module",
            "cuModuleGetFunction": lambda module, entry: "function",
        }

    def __getattr__(self, name):
        if not name.startswith("cu"):
            raise AttributeError(name)

        def call(*arguments):
            if name == "cuLaunchKernel":
                # The values must be read while they live.
                addresses = ctypes.cast(arguments[9],
                                        ctypes.POINTER(ctypes.c_uint64))
                arguments += (
                    ctypes.cast(addresses[0],
                                ctypes.POINTER(ctypes.c_uint64))[0],
                    ctypes.cast(addresses[1],
                                ctypes.POINTER(ctypes.c_int32))[0],
                    ctypes.cast(addresses[2],
                                ctypes.POINTER(ctypes.c_float))[0])
            self.calls.append((name, arguments))
            if name == self.failing:
                return (Status(719),)
            answer = self.answers.get(name)
            return (Status(0),) + ((answer(*arguments),) if answer else ())

        return call


def connect(bindings):
    """Returns a CudaDriver over the double."""
    package = types.ModuleType("cuda.bindings")
    package.driver = bindings
    with mock.patch.dict(sys.modules, {
            "cuda": types.ModuleType("cuda"), "cuda.bindings": package,
            "cuda.bindings.driver": bindings}):
        return CudaDriver()


class ConnectTest(unittest.TestCase):
    def test_the_device_is_described(self):
        self.assertEqual(connect(BindingsDouble()).describe(),
                         ("Chip", (9, 0)))

    def test_a_missing_package_says_what_to_install(self):
        with mock.patch.dict(sys.modules, {"cuda": None}):
            with self.assertRaisesRegex(DeviceError,
                                        "pip install cuda-bindings"):
                CudaDriver()

    def test_a_driver_that_does_not_start_is_no_device(self):
        with self.assertRaisesRegex(DeviceError,
                                    "no CUDA device found; .*cuInit failed"):
            connect(BindingsDouble(failing="cuInit"))

    def test_a_machine_without_devices_is_told(self):
        with self.assertRaisesRegex(DeviceError, "no CUDA device found"):
            connect(BindingsDouble(devices=0))


class CallTest(unittest.TestCase):
    def setUp(self):
        self.bindings = BindingsDouble()
        self.driver = connect(self.bindings)
        self.bindings.calls.clear()

    def launch(self, shared_bytes=0):
        self.driver.launch("function", (3, 2, 1), (128, 1, 1), shared_bytes,
                           [np.uint64(2 ** 40), np.int32(-7),
                            np.float32(0.5)])
        return self.bindings.calls

    def test_a_launch_passes_addresses_of_the_values(self):
        ((name, arguments),) = self.launch()
        self.assertEqual(name, "cuLaunchKernel")
        self.assertEqual(arguments[:9],
                         ("function", 3, 2, 1, 128, 1, 1, 0, 0))
        self.assertEqual(arguments[11:], (2 ** 40, -7, 0.5))

    def test_much_shared_memory_is_asked_for(self):
        self.assertEqual([name for name, _ in self.launch(48 * 1024)],
                         ["cuLaunchKernel"])
        self.bindings.calls.clear()
        (name, arguments), _ = self.launch(48 * 1024 + 1)
        self.assertEqual(name, "cuFuncSetAttribute")
        self.assertEqual(arguments[2], 48 * 1024 + 1)

    def test_a_failed_call_is_named(self):
        self.bindings.failing = "cuCtxSynchronize"
        with self.assertRaisesRegex(
                DeviceError,
                "cuCtxSynchronize failed with CUDA_ERROR_LAUNCH_FAILED"):
            self.driver.synchronize()

    def test_an_image_ends_in_a_zero_byte(self):
        self.driver.load(b".version 7.0")
        self.assertEqual(self.bindings.calls[0][1], (b".version 7.0\0",))

    def test_empty_memory_is_never_asked_for(self):
        self.driver.allocate(0)
        self.assertEqual(self.bindings.calls[0][1], (1,))

    def test_copies_name_the_host_array(self):
        data = np.zeros(3, np.float32)
        self.driver.upload(4096, data)
        self.driver.download(data, 4096)
        self.assertEqual(
            [call[1] for call in self.bindings.calls],
            [(4096, data.ctypes.data, 12), (data.ctypes.data, 4096, 12)])

    def test_empty_copies_are_left_out(self):
        self.driver.upload(4096, np.zeros(0, np.float32))
        self.assertEqual(self.bindings.calls, [])


if __name__ == "__main__":
    unittest.main()
