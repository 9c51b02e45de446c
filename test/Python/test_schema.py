# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: goat-translate %S/../Target/PTX/kernel-json.mlir --nvvm-to-kernel-json --target=sm_80 -o %t.one.json
# RUN: goat-translate %S/../Target/PTX/kernel-json-launches.mlir --nvvm-to-kernel-json --target=sm_80 -o %t.two.json
# RUN: goatc %goat_src/docs/examples/gpt2-layer.mlir --target=sm_80 --emit=artifact -o %t.layer
# RUN: %python -B %s %t.one.json %t.two.json %t.layer/kernel.json
"""What the compiler writes, and what the launcher's tests use, is what
kernel.schema.json allows."""

import copy
import json
from pathlib import Path
import sys
import unittest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "Python")]

from json_schema import SchemaError, check  # noqa: E402
import sample_artifact  # noqa: E402

SCHEMA = json.loads((ROOT / "lib" / "Target" / "PTX" / "kernel.schema.json")
                    .read_text(encoding="utf-8"))
FILES = sys.argv[1:]


class SchemaTest(unittest.TestCase):
    def test_written_files(self):
        self.assertTrue(FILES)
        for file in FILES:
            with self.subTest(file):
                check(json.loads(Path(file).read_text(encoding="utf-8")),
                      SCHEMA, SCHEMA)

    def test_samples(self):
        for text in (sample_artifact.description(),
                     sample_artifact.two_launches()):
            check(text, SCHEMA, SCHEMA)

    def refuse(self, message, change):
        text = copy.deepcopy(sample_artifact.two_launches())
        change(text, text["variants"][0]["launches"][1])
        with self.assertRaisesRegex(SchemaError, message):
            check(text, SCHEMA, SCHEMA)

    def test_what_is_not_allowed(self):
        for message, change in [
                ("schema: expected 'goat-kernel/1' but got 'goat-kernel/2'",
                 lambda text, launch: text.update(schema="goat-kernel/2")),
                ("expected the key 'requires'",
                 lambda text, launch: text.pop("requires")),
                (r"inputs\[0\].dtype: expected one of .* but got 'fp8'",
                 lambda text, launch: text["inputs"][0].update(dtype="fp8")),
                (r"inputs\[0\].shape\[0\]: expected at least 0 but got -1",
                 lambda text, launch: text["inputs"][0].update(shape=[-1])),
                (r"variants\[0\]: expected the key 'workspace_bytes'",
                 lambda text, launch: text["variants"][0].pop(
                     "workspace_bytes")),
                (r"workspace_bytes: expected one of 3 kinds, not 0, but got "
                 "'4'", lambda text, launch: text["variants"][0].update(
                     workspace_bytes="4")),
                (r"parameters\[1\]: expected one of 6 kinds, not 0,",
                 lambda text, launch: launch["parameters"][1].pop("offset")),
                (r"grid: expected minItems 3",
                 lambda text, launch: launch["grid"].pop()),
                (r"block\[0\]: expected integer but got True",
                 lambda text, launch: launch.update(block=[True, 1, 1])),
                (r"block\[1\]: expected at most 1024 but got 1025",
                 lambda text, launch: launch.update(block=[1, 1025, 1])),
                (r"tensor_maps\[0\]: expected the key 'tensor'",
                 lambda text, launch: launch.update(tensor_maps=[{}]))]:
            with self.subTest(message):
                self.refuse(message, change)

    def test_an_unknown_keyword_is_refused(self):
        with self.assertRaisesRegex(SchemaError, "'pattern' is not known"):
            check("a", {"pattern": "b"}, SCHEMA)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
