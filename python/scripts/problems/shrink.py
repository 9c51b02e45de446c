# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing problem simpler, axis by axis, while it fails in the same way."""

from .axes import AXES


def shrink(choices, fails, most=400):
    """The simplest problem found. fails: whether a problem fails as the first one did; it is
    asked at most `most` times."""
    asked = {}

    def still_fails(candidate):
        key = tuple(candidate.items())
        if key not in asked:
            if len(asked) >= most:
                return False
            asked[key] = fails(candidate)
        return asked[key]

    choices, changed = dict(choices), True
    while changed:
        changed = False
        # Halves of the axes at once, then quarters, down to each alone.
        size = len(AXES) // 2
        while size:
            for begin in range(0, len(AXES), size):
                simplest = {**choices, **{axis.name: axis.simplest
                                          for axis in AXES[begin:begin + size]}}
                if simplest != choices and still_fails(simplest):
                    choices, changed = simplest, True
            size //= 2
        for axis in AXES:
            if choices[axis.name] == axis.simplest:
                continue
            step = True
            while step:
                step = False
                for value in axis.simpler(choices[axis.name]):
                    candidate = {**choices, axis.name: value}
                    if value != axis.simplest and still_fails(candidate):
                        choices, changed, step = candidate, True, True
                        break
    return choices
