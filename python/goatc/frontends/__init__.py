# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the graphs of frameworks to modules.

Each framework has a file that translates its ops one by one; what attention is
is decided by the compiler's passes alone.
"""
