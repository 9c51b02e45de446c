# Runs every GoogleTest program of the build's unittests/ folder under lit.
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os

import lit.formats

config.name = "goat-unittests"
config.suffixes = []
config.test_source_root = os.path.join(config.goat_obj_root, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")

# GOAT_LONG=1 asks for the long runs: more seeds, for example.
if "GOAT_LONG" in os.environ:
    config.environment["GOAT_LONG"] = os.environ["GOAT_LONG"]
