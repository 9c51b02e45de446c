# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy, goatc-library
# RUN: %python -B %s
"""The launcher as it runs on a GPU, down to the calls of the CUDA driver, which
a double hands to the simulator."""

from pathlib import Path
import sys
import types
import unittest
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "Python")]

import goatc  # noqa: E402
from goatc.driver import CudaDriver  # noqa: E402
from goatc.artifact import load_artifact  # noqa: E402
from goatc.launch import run_artifact  # noqa: E402
from cuda_double import CudaDouble  # noqa: E402

RNG = np.random.default_rng(4)
Q, K, V = (RNG.normal(size=(2, 2, 33, 32)).astype(np.float16)
           for _ in range(3))


class CudaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Large tiles, so that more shared memory is used than comes unasked.
        layer = goatc.attention(
            Q, K, V, score=goatc.prior.alibi([0.5, 0.25]),
            mask=goatc.mask.causal(), exclude=goatc.exclude.xsa(),
            k_lengths=goatc.Tensor((None,), "i32"),
            q_offset=goatc.Tensor((), "i32"))
        cls.kernel = goatc.compile(layer, target="sm_80", cubin="none",
                                   stages=4, tile_rows=128, tile_keys=128)
        cls.lengths = np.array([33, 20], np.int32)
        cls.expected = goatc.run(cls.kernel, Q, K, V, k_lengths=cls.lengths,
                                 q_offset=0)

    def setUp(self):
        self.cuda = CudaDouble()
        package = types.ModuleType("cuda.bindings")
        package.driver = self.cuda
        with mock.patch.dict(sys.modules, {
                "cuda": types.ModuleType("cuda"), "cuda.bindings": package,
                "cuda.bindings.driver": self.cuda}):
            self.driver = CudaDriver()

    def test_arrays_on_the_device(self):
        arrays = [goatc.to_device(a, driver=self.driver) for a in (Q, K, V)]
        lengths = goatc.to_device(self.lengths, driver=self.driver)
        out = goatc.launch(self.kernel, *arrays, k_lengths=lengths, q_offset=0,
                           stream=5, driver=self.driver)
        np.testing.assert_array_equal(out.numpy(), self.expected)
        self.assertEqual({launch.stream for launch in self.cuda.sim.launches},
                         {5})
        self.assertGreater(self.cuda.shared["attention"], 48 * 1024)

    def test_arrays_on_the_host(self):
        inputs = {**self.kernel.bound, "query": Q, "key": K, "value": V,
                  "k_lengths": self.lengths, "q_offset": 0}
        results = run_artifact(self.driver, self.kernel.artifact, inputs)
        np.testing.assert_array_equal(results["out"],
                                      self.expected.astype(np.float32))
        self.assertEqual(self.cuda.sim._sizes, {})

    def test_tensor_maps_and_clusters(self):
        artifact = load_artifact(ROOT / "test" / "Python" / "Inputs" / "tma")
        for shape in ((2, 33, 64), (1, 16, 64), (3, 1, 64)):
            x = RNG.normal(size=shape).astype(np.float16)
            results = run_artifact(self.driver, artifact, {"x": x})
            np.testing.assert_array_equal(results["copied"], x)
            np.testing.assert_array_equal(results["ranks"], [0, 1, 0, 1])
        self.assertIn("cuLaunchKernelEx",
                      [name for name, _ in self.cuda.calls])

    def test_tensor_maps_are_of_the_tensors_of_the_call(self):
        loaded = goatc.DeviceKernel(
            load_artifact(ROOT / "test" / "Python" / "Inputs" / "tma"),
            self.driver)
        count = len(self.cuda.calls)
        for _ in range(2):
            x = RNG.normal(size=(2, 20, 64)).astype(np.float16)
            given = goatc.to_device(x, driver=self.driver)
            for _ in range(2):
                copied, _ = loaded(given)
                np.testing.assert_array_equal(copied.numpy(), x)
        encoded = [name for name, _ in self.cuda.calls[count:]
                   if name == "cuTensorMapEncodeTiled"]
        # Two inputs, and an output each time.
        self.assertEqual(len(encoded), 2 + 4)

    def test_a_launch_that_fails(self):
        never_written = goatc.DeviceArray(self.driver, Q.shape, "f16")
        lengths = goatc.to_device(self.lengths, driver=self.driver)
        with self.assertRaisesRegex(
                goatc.DeviceError,
                "cuLaunchKernel failed with CUDA_ERROR_INVALID_VALUE"):
            goatc.launch(self.kernel, never_written, never_written,
                         never_written, k_lengths=lengths, q_offset=0,
                         driver=self.driver)

    def test_memory_is_filled_in_the_order_of_a_stream(self):
        class Fills(types.SimpleNamespace):
            def __getattr__(self, name):
                return lambda *arguments: self.calls.append(
                    (name, arguments)) or (0,)

        self.driver._cuda = fills = Fills(calls=[])
        self.driver.fill(64, np.float32(-np.inf), 5, 9)
        self.driver.fill(64, np.uint16(0xFF80), 5, 9)
        self.driver.fill(64, np.uint16(0xFF80), 0, 9)
        self.assertEqual(fills.calls, [
            ("cuMemsetD32Async", (64, 0xFF800000, 5, 9)),
            ("cuMemsetD16Async", (64, 0xFF80, 5, 9))])


if __name__ == "__main__":
    unittest.main()
