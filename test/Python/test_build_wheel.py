# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of the wheel's parts; `make check-wheel` builds and uses a whole one."""

import base64
import hashlib
from pathlib import Path
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock
import zipfile

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python" / "scripts"), str(ROOT / "python")]

import build_wheel  # noqa: E402
import goatc.library  # noqa: E402

LDD = """\tlinux-vdso.so.1 (0x00007ffd)
\tlibMLIR.so.22.1 => /opt/llvm/lib/libMLIR.so.22.1 (0x00007f3c)
\tlibz3.so.4 => /lib/x86_64-linux-gnu/libz3.so.4 (0x00007f3c)
\tlibstdc++.so.6 => /lib/x86_64-linux-gnu/libstdc++.so.6 (0x00007f3c)
\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f3c)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f3c)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f3c)
"""


class WheelTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def test_what_goes_along(self):
        self.assertEqual(build_wheel.needed_libraries(LDD), {
            "libMLIR.so.22.1": Path("/opt/llvm/lib/libMLIR.so.22.1"),
            "libz3.so.4": Path("/lib/x86_64-linux-gnu/libz3.so.4")})
        with self.assertRaisesRegex(RuntimeError, "to find libMLIR.so.22.1"):
            build_wheel.needed_libraries("\tlibMLIR.so.22.1 => not found\n")

    def test_the_platform_is_that_of_the_newest_glibc(self):
        old, new = self.folder / "old.so", self.folder / "new.so"
        old.write_bytes(b"\0GLIBC_2.2.5\0GLIBC_2.14\0")
        new.write_bytes(b"\0GLIBC_2.34\0GLIBC_2.9\0")
        self.assertRegex(build_wheel.platform_tag([old]), r"manylinux_2_17_\w+")
        self.assertRegex(build_wheel.platform_tag([old, new]),
                         r"manylinux_2_34_\w+")

    def test_licences(self):
        library = self.folder / "libown.so.1"
        library.touch()
        with self.assertRaisesRegex(RuntimeError, "a licence for .*libown.so.1"):
            build_wheel.find_licence(library, self.folder)
        (self.folder / "libown.so.1.txt").write_text("as you like")
        self.assertEqual(build_wheel.find_licence(library, self.folder),
                         ("libown.so.1", "as you like"))

    def test_the_record_and_the_order(self):
        paths = [self.folder / name for name in ("a.whl", "b.whl")]
        for path in paths:
            build_wheel.write_wheel(path, {"x/b.so.1": b"2", "x/a.py": b"1"},
                                    "x.dist-info")
        self.assertEqual(paths[0].read_bytes(), paths[1].read_bytes())
        with zipfile.ZipFile(paths[0]) as wheel:
            self.assertEqual(wheel.namelist(),
                             ["x/a.py", "x/b.so.1", "x.dist-info/RECORD"])
            record = wheel.read("x.dist-info/RECORD").decode().splitlines()
        digest = base64.urlsafe_b64encode(hashlib.sha256(b"1").digest())
        self.assertEqual(record[0],
                         f"x/a.py,sha256={digest.decode().rstrip('=')},1")
        self.assertEqual(record[2], "x.dist-info/RECORD,,")

    @unittest.skipIf(sys.version_info < (3, 11), "tomllib is Python 3.11's")
    def test_metadata(self):
        text = build_wheel.metadata()
        self.assertIn(f"Name: goat-mlir\nVersion: {build_wheel.version()}\n",
                      text)
        self.assertIn('Requires-Dist: ml_dtypes>=0.3; extra == "bf16"\n', text)
        self.assertIn("\n\n# GOAT\n", text)

    def test_the_package_looks_for_the_library_that_is_built(self):
        self.assertEqual(build_wheel.LIBRARY, goatc.library.FILE)
        self.assertIn("goatc/trace.py", build_wheel.package_files())
        self.assertIn("goatc/py.typed", build_wheel.package_files())

    @unittest.skipIf(sys.version_info < (3, 11), "tomllib is Python 3.11's")
    def test_the_source_archive(self):
        (self.folder / "top" / "python" / "__pycache__").mkdir(parents=True)
        for name in ("README.md", "python/a.py", "python/__pycache__/a.pyc"):
            (self.folder / "top" / name).write_text(name)
        text = build_wheel.metadata()
        with mock.patch.object(build_wheel, "TOP", self.folder / "top"), \
                mock.patch.object(build_wheel, "version", lambda: "1.2.3"), \
                mock.patch.object(build_wheel, "metadata", lambda: text):
            name = build_wheel.build_sdist(str(self.folder))
        self.assertEqual(name, "goat_mlir-1.2.3.tar.gz")
        with tarfile.open(self.folder / name) as archive:
            self.assertEqual(
                [n for n in archive.getnames() if n.endswith((".md", ".py",
                                                              ".pyc", "INFO"))],
                ["goat_mlir-1.2.3/PKG-INFO", "goat_mlir-1.2.3/README.md",
                 "goat_mlir-1.2.3/python/a.py"])

    def test_it_says_which_program_failed(self):
        with self.assertRaisesRegex(RuntimeError, "^false failed with 1"):
            build_wheel.run("false", stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    unittest.main()
