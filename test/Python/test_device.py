# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy, goatc-library
# RUN: %python -B %s
"""The whole path of a launch: a kernel is compiled, its artifact loaded, and
launched on device arrays by a driver whose device is the simulator."""

import gc
from pathlib import Path
import sys
import tempfile
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "Python")]

import goatc  # noqa: E402
from goatc.artifact import load_artifact  # noqa: E402
from goatc.arrays import Described, describe, export  # noqa: E402
from goatc.device import stream_handle  # noqa: E402
from driver_double import DriverDouble  # noqa: E402
import sample_artifact  # noqa: E402

RNG = np.random.default_rng(2)
Q, K, V = (RNG.normal(size=(1, 2, 21, 8)).astype(np.float16)
           for _ in range(3))
ALPHA = RNG.normal(size=(2, 2)).astype(np.float32)
OMEGA = np.array([1.0, 0.25], np.float32)


class Foreign:
    """A framework's array on the device: DLPack, strides, its own deleter."""

    def __init__(self, array, strides=None, dtype=None, device=(2, 0)):
        self.array, self.device = array, device
        self.found = describe(array)._replace(owner=array)
        if strides:
            self.found = self.found._replace(strides=strides)
        if dtype:
            self.found = self.found._replace(dtype=dtype)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.stream = stream
        return export(self.found, self.device)


class TorchStream:
    cuda_stream = 7


class LaunchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The prior's table is written by a kernel of its own, to a workspace.
        layer = goatc.attention(
            Q, K, V, score=goatc.prior.fourier(ALPHA, 0 * ALPHA, OMEGA),
            mask=goatc.mask.causal(), q_offset=goatc.Tensor((), "i32"),
            return_lse=True, name="layer")
        cls.kernel = goatc.compile(layer, target="sm_80", cubin="none",
                                   strip="table")
        cls.expected = goatc.run(cls.kernel, Q, K, V, q_offset=0)

    def setUp(self):
        self.driver = goatc.SimDriver()
        self.arrays = [goatc.to_device(a, driver=self.driver)
                       for a in (Q, K, V)]

    def launch(self, *arrays, **named):
        named.setdefault("q_offset", 0)
        return goatc.launch(self.kernel, *(arrays or self.arrays),
                            driver=self.driver, **named)

    def test_results_are_those_of_the_simulated_kernel(self):
        out, lse = self.launch(stream=TorchStream())
        np.testing.assert_array_equal(out.numpy(), self.expected.out)
        np.testing.assert_array_equal(lse.numpy(), self.expected.lse)
        self.assertEqual([launched.stream for launched in self.driver.launches],
                         [7] * len(self.driver.launches))
        self.assertGreater(len(self.driver.launches), 1)

    def test_arrays_of_a_framework(self):
        foreign = [Foreign(a) for a in self.arrays]
        out, _ = self.launch(*foreign, stream=5)
        np.testing.assert_array_equal(out.numpy(), self.expected.out)
        self.assertEqual([f.stream for f in foreign], [5, 5, 5])
        self.assertEqual(describe(out).address, out.address)

    def test_a_consumer_on_another_stream_waits(self):
        out, _ = self.launch(stream=5)
        waits = []
        self.driver.synchronize = lambda: waits.append(1)
        for stream, count in ((5, 0), (-1, 0), (6, 1), (None, 2), (1, 3)):
            out.__dlpack__(stream=stream)
            self.assertEqual(len(waits), count)

    def test_outputs_that_the_caller_has(self):
        out = goatc.to_device(np.zeros_like(Q), driver=self.driver)
        lse = goatc.to_device(np.zeros((1, 2, 21), np.float32),
                              driver=self.driver)
        returned = self.launch(out=(Foreign(out), lse))
        self.assertIs(returned[1], lse)
        np.testing.assert_array_equal(out.numpy(), self.expected.out)

    def test_bound_inputs_are_copied_once(self):
        self.launch()
        uploads = []
        original = self.driver.upload
        self.driver.upload = lambda *a: uploads.append(a) or original(*a)
        self.launch()
        self.assertEqual(uploads, [])
        other = goatc.to_device(0 * ALPHA, driver=self.driver)
        _, lse = self.launch(alpha=other)
        self.assertFalse(np.array_equal(lse.numpy(), self.expected.lse))

    def test_the_workspace_is_kept_for_a_stream(self):
        kernel = goatc.DeviceKernel(self.kernel.artifact, self.driver,
                                    self.kernel.bound)
        for stream in (0, 0, 3):
            kernel(*self.arrays, q_offset=0, stream=stream)
        self.assertEqual(list(kernel.scratch), [0, 3])
        first, second, other = (
            {int(a) for a in launched.arguments if a.dtype == np.uint64}
            for launched in self.driver.launches
            if launched.entry == "layer_distance_table")
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_memory_is_given_back(self):
        kernel = goatc.DeviceKernel(self.kernel.artifact, self.driver)
        before = len(self.driver._sizes)
        bound = [goatc.to_device(a, driver=self.driver)
                 for a in (ALPHA, 0 * ALPHA, OMEGA)]
        kernel(*self.arrays, 0, *bound)
        del bound, kernel
        gc.collect()
        self.assertEqual(len(self.driver._sizes), before)

    def test_an_artifact_directory_is_enough(self):
        with tempfile.TemporaryDirectory() as folder:
            self.kernel.save(folder)
            kernel = goatc.DeviceKernel(load_artifact(Path(folder)),
                                        self.driver)
            out, _ = kernel(*self.arrays, 0, *(
                goatc.to_device(a, driver=self.driver)
                for a in (ALPHA, 0 * ALPHA, OMEGA)))
        np.testing.assert_array_equal(out.numpy(), self.expected.out)

    def test_arrays_that_do_not_fit(self):
        q, k, v = self.arrays
        for message, arrays, named in (
                ("'query' to be an array on a CUDA device but got a ndarray; "
                 "goatc.to_device", (Q, k, v), {}),
                ("'key' of dtype f16 but got bf16; cast it",
                 (q, Foreign(k, dtype="bf16"), v), {}),
                ("'value' on CUDA device 0 but got it on device 1",
                 (q, k, Foreign(v, device=(2, 1))), {}),
                ("'value' on CUDA device 0 but got it on the CPU",
                 (q, k, Foreign(v, device=(1, 0))), {}),
                ("but got no value", (q, k), {}),
                ("and keys, q_offset by name", (q, k, v), {"keys": k}),
                ("a number for 'q_offset' but got an array", (q, k, v),
                 {"q_offset": np.zeros(2)}),
                ("expected 2 outputs of 'layer' but got 1", (q, k, v),
                 {"out": q}),
                ("room for 'lse' of shape 1x2x21 but got", (q, k, v),
                 {"out": (q, goatc.to_device(np.zeros((1, 2, 3), np.float32),
                                             driver=self.driver))}),
                ("strides of at least 0|contiguous",
                 (Foreign(q, strides=(336, 168, -8, 1)), k, v), {})):
            with self.subTest(message):
                with self.assertRaisesRegex(goatc.ArtifactError, message):
                    self.launch(*arrays, **named)

    def test_a_kernel_that_does_wrong(self):
        q = goatc.DeviceArray(self.driver, Q.shape, "f16")  # never written
        with self.assertRaisesRegex(goatc.DeviceError, "uninitialised"):
            self.launch(q, *self.arrays[1:])

    def test_another_chip(self):
        with self.assertRaisesRegex(goatc.ArtifactError,
                                    "compiled for sm_80 but the device is"):
            goatc.launch(self.kernel, *self.arrays, q_offset=0,
                         driver=goatc.SimDriver((7, 5)))

    def test_streams(self):
        class Protocol:
            def __cuda_stream__(self):
                return (0, 9)

        class CuPyStream:
            ptr = 11

        self.assertEqual([stream_handle(s) for s in (
            None, 3, Protocol(), TorchStream(), CuPyStream())],
            [0, 3, 9, 7, 11])


class StridedTest(unittest.TestCase):
    """A kernel that takes tensors with gaps, in place."""

    def test_heads_of_one_projection(self):
        driver = goatc.SimDriver()
        kernel = goatc.compile(goatc.attention(
            *(a.transpose(0, 2, 1, 3) for a in (Q, K, V)), layout="bshd",
            strided=True, mask=goatc.mask.causal()), target="sm_80",
            cubin="none")
        # Query, key and value side by side in every row, as a linear layer
        # leaves them.
        packed = np.concatenate([a.transpose(0, 2, 1, 3) for a in (Q, K, V)], 2)
        placed = goatc.to_device(packed, driver=driver)
        b, length, heads, width = Q.transpose(0, 2, 1, 3).shape
        strides = (length * 3 * heads * width, 3 * heads * width, width, 1)

        class View(Foreign):
            def __init__(self, place):
                super().__init__(placed, strides)
                self.found = self.found._replace(
                    shape=(b, length, heads, width),
                    address=placed.address + 2 * place * heads * width)

        out = goatc.launch(kernel, View(0), View(1), View(2), driver=driver)
        dense = (np.ascontiguousarray(a.transpose(0, 2, 1, 3))
                 for a in (Q, K, V))
        np.testing.assert_allclose(out.numpy(), goatc.run(kernel, *dense),
                                   atol=1e-3)


class SimDriverTest(unittest.TestCase):
    def test_what_it_refuses(self):
        driver = goatc.SimDriver()
        with self.assertRaisesRegex(goatc.DeviceError, "kernel.ptx:1"):
            driver.load(b"nothing")
        with self.assertRaisesRegex(goatc.DeviceError, "of an allocation"):
            driver.free(123)
        address = driver.allocate(4)
        with self.assertRaisesRegex(goatc.DeviceError, "8 bytes of one"):
            driver.upload(address, np.zeros(2, np.float32))


class StridesTest(unittest.TestCase):
    """With the sample artifact on a double, where kernels are functions."""

    def setUp(self):
        self.text = sample_artifact.description()
        for entry in (self.text["inputs"][0], self.text["outputs"][0]):
            entry["strided"] = True
        launch = self.text["variants"][1]["launches"][0]
        launch["parameters"] += [
            {"kind": "input_stride", "index": 0, "axis": 1, "dtype": "i64"},
            {"kind": "output_stride", "index": 0, "axis": 0, "dtype": "i64"}]
        self.driver = DriverDouble({"shift_long": lambda *_: None,
                                    "shift_short": lambda *_: None})
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def call(self, x_strides=(48, 8, 1), out_strides=(48, 8, 1), **changed):
        self.text.update(changed)
        kernel = goatc.DeviceKernel(load_artifact(sample_artifact.write(
            self.folder, self.text)), self.driver)
        arrays = [goatc.DeviceArray(self.driver, (2, 6, 8), "bf16")
                  for _ in range(3)]
        kernel(Foreign(arrays[0], strides=x_strides), arrays[1], 0.5,
               out=Foreign(arrays[2], strides=out_strides))
        return self.driver.launches[-1].arguments[-2:]

    def test_strides_are_arguments(self):
        self.assertEqual(self.call((96, 16, 1), (64, 8, 1)), [16, 64])

    def test_guards_on_strides_choose(self):
        self.text["variants"][1]["guards"] += [
            {"stride": {"input": 0}, "axis": 2, "equals": 1},
            {"stride": {"output": 0}, "axis": 1, "multiple": 8}]
        self.assertEqual(self.call((96, 16, 1)), [16, 48])
        for strides in (((96, 16, 2), (48, 8, 1)), ((96, 16, 1), (72, 12, 1))):
            with self.assertRaisesRegex(
                    goatc.ArtifactError, "expected inputs that one of the "
                    "variants short, contiguous takes but got 2x6x8 "
                    "2x6x8 scalar"):
                self.call(*strides)

    def test_outputs_that_overlap(self):
        with self.assertRaisesRegex(goatc.ArtifactError, "apart from one"):
            self.call(out_strides=(8, 8, 1))

    def test_outputs_are_filled_before_the_launch(self):
        output = {**self.text["outputs"][0], "initialise": "-inf"}
        out = []
        self.driver.kernels["shift_long"] = lambda driver, launch: out.append(
            driver.view(launch.arguments[2], np.uint16, 96).copy())
        self.call(outputs=[output])
        np.testing.assert_array_equal(out[0], np.full(96, 0xFF80, np.uint16))


if __name__ == "__main__":
    unittest.main()
