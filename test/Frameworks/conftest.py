# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps the rows that the tests of one process found, for those of others."""

import checking


def pytest_sessionfinish():
    checking.save()
