# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy, goatc-library
# RUN: %python -B %s
"""Tests of the compile cache."""

import os
from pathlib import Path
import subprocess
import sys
import tempfile
import unittest
from unittest import mock
import warnings

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import goatc  # noqa: E402
from goatc import cache, kernel  # noqa: E402

Q = goatc.Tensor((None, 1, None, 8), "f16")
LAYER = goatc.attention(Q, Q, Q)
SECOND_PROCESS = """
import sys
sys.path[:0] = [sys.argv[1]]
import goatc
q = goatc.Tensor((None, 1, None, 8), "f16")
goatc.compile(goatc.attention(q, q, q), target="sm_80", cubin="none")
loaded = goatc.library.load.cache_info().currsize
print("compiled" if loaded else "found")
"""


class CacheTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name) / "cache"
        self.use(GOATC_CACHE_DIR=str(self.root))
        self.compiled = 0
        original = kernel.compile_native

        def counting(*arguments):
            self.compiled += 1
            return original(*arguments)

        patch = mock.patch.object(kernel, "compile_native", counting)
        patch.start()
        self.addCleanup(patch.stop)

    def use(self, **variables):
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def compile(self, layer=LAYER, target="sm_80", cubin="none", **options):
        return goatc.compile(layer, target=target, cubin=cubin, **options)

    def entries(self):
        return [e for shelf in self.root.iterdir() for e in shelf.iterdir()]

    def test_the_second_time_nothing_is_compiled(self):
        first, second = self.compile(), self.compile()
        self.assertEqual(self.compiled, 1)
        self.assertEqual(first.ptx, second.ptx)
        self.assertEqual(first.folder, second.folder)
        self.assertEqual(first.diagnostics, second.diagnostics)

    def test_another_process_finds_it_without_the_library(self):
        program = [sys.executable, "-c", SECOND_PROCESS, str(ROOT / "python")]
        said = [subprocess.run(program, capture_output=True, text=True,
                               check=True).stdout for _ in range(2)]
        self.assertEqual(said, ["compiled\n", "found\n"])

    def test_processes_at_the_same_time(self):
        program = [sys.executable, "-c", SECOND_PROCESS, str(ROOT / "python")]
        running = [subprocess.Popen(program, stdout=subprocess.DEVNULL)
                   for _ in range(3)]
        self.assertEqual([p.wait() for p in running], [0, 0, 0])
        (entry,) = self.entries()
        self.assertTrue((entry / "complete").exists())

    def test_what_makes_another_entry(self):
        self.compile()
        self.compile(tile_rows=64)
        self.compile(target="sm_90")
        self.compile(goatc.attention(Q, Q, Q, scale=0.5))
        with mock.patch.object(goatc.library, "fingerprint", lambda: "other"):
            self.compile()
        self.assertEqual(self.compiled, 5)
        self.assertEqual(len(self.entries()), 5)

    def test_what_does_not(self):
        self.compile(tile_rows=64)
        self.compile(tile_rows="64")
        self.assertEqual(self.compiled, 1)

    def test_a_failure_leaves_nothing(self):
        with self.assertRaises(goatc.CompileError):
            self.compile("func.func @f() {\n  return\n}\n")
        self.assertEqual(self.entries(), [])

    def test_an_entry_that_is_not_complete_is_made_again(self):
        folder = self.compile().folder
        (folder / "kernel.ptx").unlink()
        (folder.parent / "complete").unlink()
        self.assertIn(".entry", self.compile().ptx)
        self.assertEqual(self.compiled, 2)

    def test_a_cache_that_cannot_be_written(self):
        self.root.write_text("a file")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.assertIn(".entry", self.compile().ptx)
        self.assertIn("cannot be written to", str(said[0].message))

    def test_it_is_cleared(self):
        self.compile()
        self.assertEqual(cache.clear(), 1)
        self.assertEqual(cache.clear(), 0)

    def test_where_it_is(self):
        self.assertEqual(cache.directory(), self.root)
        self.use(GOATC_CACHE_DIR="off")
        self.assertIsNone(cache.directory())
        self.use(GOATC_CACHE_DIR="", XDG_CACHE_HOME="/somewhere")
        self.assertEqual(cache.directory(), Path("/somewhere/goatc"))
        self.use(XDG_CACHE_HOME="", HOME="/someone")
        self.assertEqual(cache.directory(), Path("/someone/.cache/goatc"))


if __name__ == "__main__":
    unittest.main()
