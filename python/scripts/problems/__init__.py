# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random attention layers, how they are checked, and how a failing one is made small.

    trees      expressions as text: add(s,mul(0.5,bias(f32,h,j)))
    axes       what a problem is made of, each with a random and a simplest value
    program    a function of the goat dialect that is being written, its arguments
    integers   expressions over (b, h, i, j) that give an index
    masks      ... that give a truth value
    scores     ... that give a number, and the score region
    rows       load regions and exclusions
    layer      one problem: the file and the command line of goat-run
    check      runs a problem; right, refused, or a failure
    shrink     makes a failing problem simpler while it fails in the same way
"""
