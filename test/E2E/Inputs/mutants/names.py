"""Whether the names of places in PTX mean the same places after a change elsewhere.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import sys
import tempfile

import mutants
import ptx_faults

ADDED = "\tadd.s32 \t%r1, %r2, %r3;\n\tbar.sync \t0;\n"


def places(text):
    """Offsets, from the end of the text, of the places by kind and name."""
    return {(site.kind, site.place): len(text) - site.start
            for site in ptx_faults.sites(text)}


with tempfile.TemporaryDirectory() as work:
    ptx = mutants.Kernel("plain", pathlib.Path(work)).ptx
begin = ptx.index("\n", ptx.index("\tld.param")) + 1
was, now = places(ptx), places(ptx[:begin] + ADDED + ptx[begin:])
kept = [name for name, place in was.items() if place < len(ptx) - begin]
moved = [name for name in kept if now.get(name) != was[name]]
print(f"{len(moved)} of {len(kept)} names mean another place")
sys.exit(len(moved) * 100 > len(kept))
