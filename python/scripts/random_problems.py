#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random attention layers, compiled and run on the simulator against the reference.

    python3 python/scripts/random_problems.py build/ci/bin --seeds 0:100
    python3 python/scripts/random_problems.py build/ci/bin --seed 7 --set Lq=3 --set mask=causal

A seed makes one complete layer over all axes of the language (problems/axes.py), its inputs
and the options it is compiled with. Right is what keeps the bounds of `goat-run --compare`
without findings of the simulator; a layer may be refused, in words of docs/errors.md. All
else is a failure: it is made simpler while it fails in the same way, and what is left is
printed as one line that reproduces it. docs/testing.md says more.
"""

import argparse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import sys
import time

from problems import axes, check
from problems.shrink import shrink


def reproducer(arguments, choices):
    words = ["random_problems.py", str(arguments.tools), "--seed", str(choices["seed"])]
    for setting in axes.settings(choices):
        words += ["--set", f"'{setting}'" if set("(;|") & set(setting) else setting]
    if arguments.plant:
        words += ["--plant", f"'{arguments.plant}'"]
    return " ".join(words)


def is_same(first, other):
    """Whether two failures are one fault, as far as their words tell."""
    if first.kind in ("wrong", "not finite"):
        return other.kind in ("wrong", "not finite")
    return other.kind == first.kind and (first.kind == "crash" or other.detail == first.detail)


def problem_of(arguments, seed):
    return axes.override(axes.draw(seed), arguments.set)


def run_one(arguments, seed):
    """(choices, outcome, simplest choices) of a seed."""
    tools, planted = arguments.tools.resolve(), arguments.plant
    choices = problem_of(arguments, seed)
    keep = arguments.keep / f"seed-{seed}" if arguments.keep else None
    outcome = check.run(tools, choices, planted, keep)
    if not outcome.failed or arguments.no_shrink:
        return choices, outcome, choices
    return choices, outcome, shrink(
        choices, lambda other: is_same(outcome, check.run(tools, other, planted)))


def main():
    parser = argparse.ArgumentParser(description="run random attention layers")
    parser.add_argument("tools", type=Path, help="the folder of goat-run and goatc")
    parser.add_argument("--seed", type=int, help="the problem of one seed")
    parser.add_argument("--seeds", help="A:B for the seeds from A to B - 1")
    parser.add_argument("--set", action="append", default=[], metavar="AXIS=VALUE",
                        help="a choice of the problem, whatever the seed says")
    parser.add_argument("--jobs", type=int, default=1, help="problems at a time")
    parser.add_argument("--no-shrink", action="store_true", help="print failures as they are")
    parser.add_argument("--plant", metavar="INSTRUCTION", help="leave the first instruction that "
                        "begins so out of each kernel, to see that it is noticed")
    parser.add_argument("--keep", type=Path, help="a folder in which seed-N gets a "
                        "problem's layer and inputs")
    parser.add_argument("--show", action="store_true", help="print a problem's choices")
    arguments = parser.parse_args()
    if (arguments.seed is None) == (arguments.seeds is None):
        parser.error("expected --seed or --seeds")
    first, last = map(int, arguments.seeds.split(":")) if arguments.seeds else (
        arguments.seed, arguments.seed + 1)
    try:
        problem_of(arguments, first)
    except ValueError as error:
        parser.error(f"--set: {error}")
    if arguments.show:
        for name, value in problem_of(arguments, first).items():
            print(f"{name}={value}")
    begin, outcomes, refused = time.monotonic(), Counter(), Counter()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for choices, outcome, simplest in pool.map(lambda seed: run_one(arguments, seed),
                                                   range(first, last)):
            outcomes["failed" if outcome.failed else outcome.kind] += 1
            if outcome.kind == "refused":
                refused[outcome.detail] += 1
            if outcome.failed:
                print(f"seed {choices['seed']}: {outcome.kind}: {outcome.detail}\n"
                      f"  {reproducer(arguments, simplest)}", flush=True)
    tally = ", ".join(f"{number} {count}" for number, count in refused.most_common())
    print(f"{sum(outcomes.values())} problems in {time.monotonic() - begin:.0f} s: "
          f"{outcomes['right']} right, {outcomes['refused']} refused"
          + (f" ({tally})" if tally else "") + f", {outcomes['failed']} failed")
    return 1 if outcomes["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
