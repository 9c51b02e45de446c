# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an attention whose score region has as many additions as argument 1 says."""

import sys

TYPE = "tensor<1x1x8x16xbf16>"
COUNT = int(sys.argv[1])

print(f"func.func @layer(%q: {TYPE}) -> {TYPE} {{")
print("  %out = goat.attention %q, %q, %q score {")
print("  ^bb0(%s0: f32, %b: index, %h: index, %i: index, %j: index):")
for number in range(COUNT):
    print(f"    %s{number + 1} = arith.addf %s{number}, %s0 : f32")
print(f"    goat.yield %s{COUNT} : f32")
print(f"  }} : ({TYPE}, {TYPE}, {TYPE}) -> ({TYPE})")
print(f"  return %out : {TYPE}")
print("}")
