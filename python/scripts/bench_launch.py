# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what Python adds to a kernel: finding it compiled, and launching it.

usage: bench_launch.py [ROUNDS]

The driver is a double that does nothing, so that what is left is this package.
Times are medians of processor time, in microseconds, on the machine at hand.
"""

import os
from pathlib import Path
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

import numpy as np

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "python")]

import goatc  # noqa: E402

PROCESS = """
import sys, time
sys.path[:0] = [{path!r}]
start = time.process_time()
import goatc
loaded = time.process_time()
q = goatc.Tensor((None, 8, None, 64), "f16")
layer = goatc.attention(q, q, q, mask=goatc.mask.causal())
kernel = goatc.compile(layer, target="sm_90", cubin="none")
print((loaded - start) * 1e6, (time.process_time() - loaded) * 1e6)
"""


class NullDriver:
    """A device that accepts everything and does nothing."""

    next_address = 1 << 20

    def describe(self) -> Any:
        return "null", (9, 0)

    def allocate(self, num_bytes: int) -> int:
        self.next_address += -(-num_bytes // 256) * 256 + 256
        return self.next_address

    def free(self, address: int) -> None:
        pass

    def upload(self, address: int, data: np.ndarray) -> None:
        pass

    def load(self, image: bytes) -> Any:
        return image

    def unload(self, module: Any) -> None:
        pass

    def function(self, module: Any, entry: str) -> str:
        return entry

    def launch(self, *arguments: Any) -> None:
        pass


def microseconds(action: Callable[[], Any], rounds: int) -> float:
    """Returns the median time of an action."""
    times = []
    for _ in range(rounds):
        start = time.process_time_ns()
        action()
        times.append((time.process_time_ns() - start) / 1e3)
    return statistics.median(times)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GOATC_CACHE_DIR"] = folder
        q = goatc.Tensor((None, 8, None, 64), "f16")

        def build() -> goatc.Attention:
            return goatc.attention(q, q, q, mask=goatc.mask.causal())

        def compile() -> goatc.Kernel:
            return goatc.compile(build(), target="sm_90", cubin="none")

        kernel = compile()
        driver = NullDriver()
        arrays = [goatc.DeviceArray(driver, (1, 8, 4096, 64), "f16")
                  for _ in range(4)]
        call = goatc.DeviceKernel(kernel.artifact, driver)
        imported, hit = map(float, subprocess.run(
            [sys.executable, "-c", PROCESS.format(path=str(TOP / "python"))],
            stdout=subprocess.PIPE, text=True, check=True).stdout.split())
        for what, value in (
                ("build the layer", microseconds(build, rounds // 10 + 1)),
                ("build and compile, from the cache",
                 microseconds(compile, rounds // 10 + 1)),
                ("the same, first in a process", hit),
                ("import goatc (and NumPy)", imported),
                ("launch, outputs given", microseconds(
                    lambda: call(*arrays[:3], out=arrays[3], stream=1),
                    rounds)),
                ("launch, fresh outputs", microseconds(
                    lambda: call(*arrays[:3], stream=1), rounds))):
            print(f"{what:34} {value:10.1f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
