#!/usr/bin/env python3
"""Prints how a run of lit went, from the file its --output wrote, and runs of
other programs, from JUnit's XML.

The last line is `N passed, N failed`. Tests that were not run here, or that are
expected to fail, are counted on the line before it. The exit status is 0 when
tests ran and none failed. A file that is not there means that the tests never
ran; that counts as one failure.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import json
import sys
from xml.etree import ElementTree

PASSED = ("PASS", "FLAKYPASS")
FAILED = ("FAIL", "XPASS", "TIMEOUT", "UNRESOLVED")


def read_lit(path):
    """Returns pairs of a name and a result."""
    with open(path, encoding="utf-8") as file:
        return [(test["name"], test["code"]) for test in json.load(file)["tests"]]


def read_junit(path):
    """The same of a file that has no result but what went wrong."""
    codes = {"failure": "FAIL", "error": "UNRESOLVED", "skipped": "UNSUPPORTED"}
    return [
        (
            f"{case.get('classname')}.{case.get('name')}",
            next((codes[part.tag] for part in case if part.tag in codes), "PASS"),
        )
        for case in ElementTree.parse(path).iter("testcase")
    ]


def main():
    parser = argparse.ArgumentParser(description="print how a run of tests went")
    parser.add_argument(
        "results",
        nargs="+",
        help="the file that lit --output wrote, or one of JUnit's that ends in .xml",
    )
    parser.add_argument(
        "--count-only", action="store_true", help="print only the last line"
    )
    arguments = parser.parse_args()
    tests = []
    try:
        for path in arguments.results:
            tests += (read_junit if path.endswith(".xml") else read_lit)(path)
    except OSError:
        if not arguments.count_only:
            print("the tests did not run: the build did not get that far")
        print("0 passed, 1 failed")
        return 1

    codes = collections.Counter(code for _, code in tests)
    passed = sum(codes.pop(code, 0) for code in PASSED)
    failed = {code: codes.pop(code) for code in FAILED if code in codes}
    if not arguments.count_only:
        for name, code in tests:
            if code in failed:
                print(f"{code}: {name}")
        if codes:
            others = (f"{n} {code.lower()}" for code, n in sorted(codes.items()))
            print("neither: " + ", ".join(others))
    print(f"{passed} passed, {sum(failed.values())} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
