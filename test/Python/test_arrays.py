# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of arrays that come and go through DLPack."""

import gc
from pathlib import Path
import sys
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

from goatc import arrays  # noqa: E402


class Foreign:
    """An array of a package that speaks DLPack and nothing else."""

    def __init__(self, array, dtype, device=(1, 0)):
        self.array, self.dtype, self.device = array, dtype, device
        self.streams = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return arrays.export(arrays.Described(
            self.array.ctypes.data, self.dtype, self.array.shape,
            tuple(s // self.array.itemsize for s in self.array.strides),
            self.device[0] == 2, self.array), self.device)


class DLPackTest(unittest.TestCase):
    def test_an_array_comes_in_without_a_copy(self):
        array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        host = arrays.to_host(Foreign(array, "f32"))
        np.testing.assert_array_equal(host, array)
        array[1, 2, 3] = -1
        self.assertEqual(host[1, 2, 3], -1)

    def test_strides_of_every_sign(self):
        array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
        for view in (array[:, ::-1], array.transpose(2, 0, 1), array[1:, ::2],
                     array[::-1, ::-1, ::-1], array[:, :0], array[0, 0, 0:1]):
            host = arrays.to_host(Foreign(view, "i32"))
            np.testing.assert_array_equal(host, view)

    def test_bf16_comes_in(self):
        bits = np.array([0x3F80, 0xC000, 0x7F80], np.uint16)
        host = arrays.to_host(Foreign(bits, "bf16"))
        np.testing.assert_array_equal(host.astype(np.float32),
                                      [1, -2, np.inf])

    def test_memory_lives_as_long_as_the_view(self):
        gc.collect()
        before = len(arrays._exported)
        host = arrays.to_host(Foreign(np.full(5, 7.0), "f64"))
        gc.collect()
        self.assertEqual(len(arrays._exported), before + 1)
        np.testing.assert_array_equal(host, [7.0] * 5)
        del host
        gc.collect()
        self.assertEqual(len(arrays._exported), before)

    def test_a_capsule_that_numpy_consumes(self):
        gc.collect()
        before = len(arrays._exported)
        taken = np.from_dlpack(Foreign(np.arange(6.0).reshape(2, 3), "f64"))
        np.testing.assert_array_equal(taken, [[0, 1, 2], [3, 4, 5]])
        del taken
        gc.collect()
        self.assertEqual(len(arrays._exported), before)

    def test_device_memory_is_described_and_the_stream_passed_on(self):
        foreign = Foreign(np.zeros((2, 4), np.float16), "f16", (2, 0))
        found = arrays.describe(foreign, stream=77)
        self.assertEqual((found.dtype, found.shape, found.strides,
                          found.on_cuda), ("f16", (2, 4), (4, 1), True))
        self.assertTrue(found.is_contiguous())
        arrays.describe(foreign)
        self.assertEqual(foreign.streams, [77, 1])
        with self.assertRaisesRegex(TypeError, "goatc.launch"):
            arrays.to_host(foreign)

    def test_what_is_contiguous(self):
        def look(view):
            return arrays.describe(Foreign(view, "f32")).is_contiguous()

        array = np.zeros((2, 3, 4), np.float32)
        self.assertTrue(look(array))
        self.assertTrue(look(array[:, :1].transpose(1, 0, 2)[:, :1]))
        self.assertFalse(look(array[:, :, ::2]))
        self.assertFalse(look(array.transpose(0, 2, 1)))

    def test_other_devices_and_types_are_refused(self):
        array = np.zeros(3, np.float32)
        with self.assertRaisesRegex(TypeError, "DLPack device 8"):
            arrays.describe(Foreign(array, "f32", (8, 0)))
        foreign = Foreign(array, "f32")
        arrays.TYPES[(5, 64)] = "complex"
        self.addCleanup(arrays.TYPES.pop, (5, 64))
        foreign.dtype = "complex"
        capsule = foreign.__dlpack__()
        foreign.__dlpack__ = lambda: capsule
        arrays.TYPES.pop((5, 64))
        self.addCleanup(arrays.TYPES.setdefault, (5, 64), "complex")
        with self.assertRaisesRegex(TypeError, "DLPack type 5 of 64 bits"):
            arrays.describe(foreign)

    def test_to_float(self):
        np.testing.assert_array_equal(
            arrays.to_float(np.array([0x4040], np.uint16)), [3.0])
        self.assertEqual(arrays.to_float(np.zeros(2, np.float16)).dtype,
                         np.float32)


if __name__ == "__main__":
    unittest.main()
