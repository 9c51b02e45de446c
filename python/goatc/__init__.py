# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching what GOAT compiled, from Python.

The package is called goatc because `goat` is the import name of the official
module of the method.
"""
