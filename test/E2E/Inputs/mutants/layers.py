"""The layers in which faults are planted: how each is compiled, and the runs whose
answers are compared with the reference's.

Tiles are small, so that few sizes meet each of their edges: both runs of 32 rows, both
of 16 keys, end where a run ends, before and behind it. In some runs the rows' scores
lie around 1, 10, 1000, 2^22 and 2^27 in turn: so one sees a maximum that is not the row's,
a sum that is not rescaled, a weight that is not taken from a difference. In others none
is that large, as a warp takes another way for all its rows when one is.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import dataclasses
import math
import pathlib
import random
import struct
import threading
from typing import Callable, Sequence

SOURCE = pathlib.Path(__file__).parent / "layers.mlir"


@dataclasses.dataclass(frozen=True)
class Layer:
    """A function of layers.mlir, its chip, the flags of goatc, and of goat-run. What
    stands in braces is the name of an array of Inputs."""
    chip: str
    flags: str
    runs: Sequence[str]


SMALL = "--tile-rows=32 --warps=2"


def at_edges(flags: str, steep: str = "", far: str = "") -> tuple[str, ...]:
    """A run for each place of a tile of 32 rows and keys where a length may end: the
    four groups of 8 rows; the four of 8 keys, of each an odd and an even key. In the last
    two a causal mask cuts three tiles of 16 keys behind two that are seen whole, and tiles
    are full. {q} and {k} stand for the lengths; `steep` and `far` are flags of every
    other run."""
    ends = ((33, 33), (43, 10), (83, 85), (59, 58), (3, 36), (11, 13), (51, 82), (91, 61),
            (40, 83), (64, 96))
    return tuple(f"--size B=1 --size Lq={q} --size Lk={k} "
                 + f"{flags} {far if number % 2 else steep}".replace(
                     "{q}", str(q)).replace("{k}", str(k))
                 + f" --seed {q + k}" for number, (q, k) in enumerate(ends))


def scaled(heads: int, width: int) -> tuple[str, str]:
    """Such flags for queries of this shape."""
    return tuple(f"--arg query={{{what}_1x{heads}x{{q}}x{width}}}"
                 for what in ("steep", "far"))


LAYERS = {
    "plain": Layer("sm_80", "--tile-rows=64 --warps=4 --tile-keys=32 --stages=3", (
        "--size B=2 --size Lq=70 --size Lk=133 --arg scale=0.125 "
        "--arg query={steep_2x2x70x64} --seed 1",
        "--size B=1 --size Lq=57 --size Lk=200 --arg scale=0.125 "
        "--arg query={far_1x2x57x64} --arg key={again_1x2x200x64} --seed 2",
        "--size B=1 --size Lq=45 --size Lk=64 --arg scale=-0.3 --seed 3",
        "--size B=1 --size Lq=100 --size Lk=400 --arg scale=0.125 "
        "--arg query={near_1x2x100x64} --seed 39",
        "--size B=1 --size Lq=5 --size Lk=0 --arg scale=1",
        *at_edges("--arg scale=0.125", *scaled(2, 64)))),
    "ragged": Layer("sm_90", f"{SMALL} --tile-keys=16", (
        "--size B=4 --size Lq=70 --size Lk=133 --arg q_lengths={lengths_70_33_0_50} "
        "--arg k_lengths={lengths_133_64_40_0} --arg query={steep_4x6x70x32} "
        "--arg key={padded} --arg value={padded} --seed 4",
        "--size B=1 --size Lq=55 --size Lk=137 --arg q_lengths={lengths_55} "
        "--arg k_lengths={lengths_137} --arg query={half_far_1x6x55x32} "
        "--arg key={half_again_1x2x137x32} --seed 5",
        "--size B=1 --size Lq=103 --size Lk=80 --arg q_lengths={lengths_103} "
        "--arg k_lengths={lengths_80} --seed 6",
        "--size B=1 --size Lq=60 --size Lk=300 --arg q_lengths={lengths_60} "
        "--arg k_lengths={lengths_300} --arg query={half_near_1x6x60x32} "
        "--arg key={half_again_1x2x300x32} --seed 40",
        *at_edges("--arg q_lengths={lengths_{q}} --arg k_lengths={lengths_{k}}",
                  "--arg query={steep_1x6x{q}x32}",
                  "--arg query={half_far_1x6x{q}x32} "
                  "--arg key={half_again_1x2x{k}x32}"))),
    "table": Layer("sm_80", f"{SMALL} --tile-keys=32 --strip=table", (
        "--size B=2 --size Lq=71 --size Lk=133 --arg query={steep_2x4x71x32} --seed 7",
        "--size B=1 --size Lq=55 --size Lk=120 --arg query={far_1x4x55x32} --seed 8",
        "--size B=1 --size Lq=103 --size Lk=70 --seed 9",
        "--size B=1 --size Lq=3 --size Lk=0",
        *at_edges("", *scaled(4, 32)))),
    "strip": Layer("sm_90", f"{SMALL} --tile-keys=16 --strip=tile --key-terms=add", (
        "--size B=2 --size Lq=23 --size Lk=87 --arg cap=3 --arg q_offset=64 --seed 10",
        "--size B=1 --size Lq=103 --size Lk=65 --arg cap=300 --arg q_offset=-38 "
        "--arg query={far_1x2x103x16} --seed 11",
        "--size B=1 --size Lq=90 --size Lk=190 --arg cap=300 --arg q_offset=100 "
        "--arg u={climbing_2x190} --arg query={steep_1x2x90x16} --seed 12",
        "--size B=1 --size Lq=40 --size Lk=40 --arg cap=20 --arg q_offset=100000 "
        "--perturb --seed 12",
        "--size B=1 --size Lq=5 --size Lk=0 --arg cap=1 --arg q_offset=0",
        *at_edges("--arg cap=300 --arg q_offset=5", *scaled(2, 16)))),
    "gate": Layer("sm_80", f"{SMALL} --tile-keys=32", (
        "--size B=2 --size Lq=71 --size Lk=133 --arg query={steep_2x4x71x40} --seed 13",
        "--size B=1 --size Lq=55 --size Lk=120 --arg query={far_1x4x55x40} "
        "--arg key={again_1x2x120x40} --seed 14",
        "--size B=1 --size Lq=103 --size Lk=30 --seed 15",
        "--size B=1 --size Lq=3 --size Lk=0",
        *at_edges("", *scaled(4, 40)))),
    "pairs": Layer("sm_90", f"{SMALL} --tile-keys=32 --mask-index=always", (
        "--size B=2 --size Lq=135 --size Lk=215 --arg query_ids={documents_135} "
        "--arg key_ids={documents_215} --arg pairs={pairs_135x215} "
        "--arg query={steep_2x2x135x32} --seed 16",
        "--size B=1 --size Lq=70 --size Lk=670 --arg query_ids={same_70} "
        "--arg key_ids={same_670} --arg pairs={pairs_70x670} "
        "--arg query={far_1x2x70x32} --arg key={again_1x1x670x32} --seed 17",
        "--size B=1 --size Lq=100 --size Lk=400 --arg query_ids={same_100} "
        "--arg key_ids={same_400} --arg pairs={pairs_100x400} "
        "--arg query={near_1x2x100x32} --seed 38",
        "--size B=1 --size Lq=320 --size Lk=64 --arg query_ids={same_320} "
        "--arg key_ids={same_64} --arg pairs={pairs_320x64} --seed 18",
        "--size B=1 --size Lq=5 --size Lk=0 --arg query_ids={same_5} "
        "--arg key_ids={same_0} --arg pairs={pairs_5x0}",
        *at_edges("--arg query_ids={same_{q}} --arg key_ids={same_{k}} "
                  "--arg pairs={pairs_{q}x{k}}", *scaled(2, 32)))),
    "window": Layer("sm_80", f"{SMALL} --tile-keys=32", (
        "--size B=2 --size Lq=151 --size Lk=151 --arg first=5 --arg left=37 --seed 20",
        "--size B=1 --size Lq=71 --size Lk=183 --arg first=40 --arg left=110 "
        "--arg query={steep_1x2x71x32} --seed 21",
        "--size B=1 --size Lq=71 --size Lk=183 --arg first=40 --arg left=110 "
        "--arg query={far_1x2x71x32} --arg key={again_1x1x183x32} --seed 21",
        "--size B=1 --size Lq=103 --size Lk=41 --arg first=0 --arg left=9 --seed 22",
        "--size B=1 --size Lq=3 --size Lk=0 --arg first=1 --arg left=1",
        "--size B=1 --size Lq=40 --size Lk=330 --arg first=1 --arg left=70 --seed 23",
        *at_edges("--arg first=3 --arg left=20", *scaled(2, 32)))),
    "strided": Layer("sm_90", f"{SMALL} --tile-keys=16", (
        "--size B=2 --size Lq=39 --size Lk=140 --strides query=10240,256,64,1 "
        "--strides key=10240,64,32,1 --arg query={steep_2x39x4x32} --seed 24",
        "--size B=1 --size Lq=55 --size Lk=120 --arg query={half_far_1x55x4x32} "
        "--arg key={half_again_1x120x2x32} --seed 25",
        "--size B=2 --size Lq=39 --size Lk=140 --strides out=21000,515,128,3 "
        "--strides key=20000,66,33,1 --offset value=1 --arg query={steep_2x39x4x32} "
        "--seed 26",
        "--size B=1 --size Lq=55 --size Lk=120 --arg query={half_far_1x55x4x32} "
        "--arg key={half_again_1x120x2x32} --offset out=1 --seed 27",
        "--size B=1 --size Lq=60 --size Lk=300 --arg query={half_near_1x60x4x32} "
        "--arg key={half_again_1x300x2x32} --seed 41",
        "--size B=1 --size Lq=60 --size Lk=300 --arg query={half_near_1x60x4x32} "
        "--arg key={half_again_1x300x2x32} --offset out=1 --seed 41",
        *at_edges("", "--arg query={steep_1x{q}x4x32}",
                  "--arg query={half_far_1x{q}x4x32} "
                  "--arg key={half_again_1x{k}x2x32}"),
        *at_edges("--offset key=1", "--arg query={half_far_1x{q}x4x32} "
                  "--arg key={half_again_1x{k}x2x32}",
                  "--arg query={steep_1x{q}x4x32}"))),
    "rope": Layer("sm_80", f"{SMALL} --tile-keys=16", (
        "--size B=2 --size Lq=23 --size Lk=133 --arg q_offset=113 --arg k_offset=0 "
        "--arg key={small_2x2x133x32} --arg wq={weights_32} --seed 28",
        "--size B=1 --size Lq=103 --size Lk=71 --arg q_offset=50000 "
        "--arg k_offset=50040 --arg wq={weights_32} --perturb --seed 29",
        "--size B=1 --size Lq=30 --size Lk=40 --arg q_offset=-5 --arg k_offset=-22 "
        "--arg wq={weights_32} --arg wk={far_weights_32} --seed 30",
        "--size B=1 --size Lq=3 --size Lk=0 --arg q_offset=0 --arg k_offset=0",
        *at_edges("--arg q_offset=7 --arg k_offset=8 --arg wq={weights_32}", "",
                  "--arg wk={near_weights_32}"))),
    "exact": Layer("sm_90", f"{SMALL} --tile-keys=16", (
        "--size B=2 --size Lq=71 --size Lk=133 --size bias.1=71 --size bias.2=133 "
        "--arg query={steep_2x2x71x16} --seed 31",
        "--size B=1 --size Lq=55 --size Lk=40 --size bias.1=55 --size bias.2=40 "
        "--arg query={far_1x2x55x16} --seed 32",
        "--size B=1 --size Lq=70 --size Lk=90 --size bias.1=70 --size bias.2=90 "
        "--arg query={zeros_1x2x70x16} --arg slope={zeros_2} "
        "--arg bias={steps_2x70x90} --seed 33",
        "--size B=1 --size Lq=3 --size Lk=0 --size bias.1=3 --size bias.2=0",
        *at_edges("--size bias.1={q} --size bias.2={k}", *scaled(2, 16)))),
    "sigmoid": Layer("sm_80", f"{SMALL} --tile-keys=32 --f32-product=tf32", (
        "--size B=2 --size Lq=103 --size Lk=133 --arg bias=2 --seed 34",
        "--size B=1 --size Lq=55 --size Lk=120 --arg bias=-1 --seed 35",
        "--size B=1 --size Lq=70 --size Lk=41 --arg bias=0 --seed 36",
        *at_edges("--arg bias=1"))),
}


class Inputs(dict):
    """Arrays for runs, made as .npy files when a run names them."""

    def __init__(self, folder: pathlib.Path):
        super().__init__()
        self.folder, self.lock = folder, threading.Lock()

    def __missing__(self, name: str) -> str:
        with self.lock:
            if name not in self:
                self[name] = self._make(name)
        return self[name]

    def _make(self, name: str) -> str:
        draw = random.Random(name)
        what, _, sizes = name.rpartition("_")
        normal = lambda _: draw.gauss(0, 1)
        if what.startswith("lengths"):
            numbers = [int(part) for part in name.split("_")[1:]]
            return self._write(name, "i", [len(numbers)], numbers.__getitem__)
        if what == "documents":
            # Of 50 rows; the last of each seven rows is of the one after.
            return self._write(name, "i", [2, int(sizes)],
                               lambda i: i % int(sizes) // 50 + i % 7 // 6)
        if what == "same":
            return self._write(name, "i", [1, int(sizes)], lambda i: 0)
        if what == "pairs":
            rows, keys = (int(size) for size in sizes.split("x"))
            return self._write(name, "i", [rows, keys], self._pairs(draw, keys))
        if what.endswith("weights"):
            scale = {"weights": 12, "near_weights": 2**19.5,
                     "far_weights": 2**26}[what]
            return self._write(name, "f", [int(sizes)], lambda i: scale * normal(i))
        if name == "padded":
            # What lies past a length may be anything.
            lengths, rows = (133, 64, 40, 0), 133
            return self._write(name, "f", [4, 2, rows, 32], lambda i: (
                normal(i) if i // 32 % rows < lengths[i // (2 * rows * 32)]
                else math.nan))
        shape = [int(size) for size in sizes.split("x")]
        if what == "zeros":
            return self._write(name, "f", shape, lambda i: 0)
        if what == "climbing":
            return self._write(name, "f", shape, lambda i: 0.15 * (i % shape[1]))
        if what == "steps":
            # Beyond 2^24, and a few units higher in each tile.
            return self._write(name, "f", shape,
                               lambda i: 2**25 + 4 * (i % shape[2] // 16))
        # Rows are axis 2, or axis 1 of (B, L, H, D).
        apart = shape[3] if shape[1] < shape[2] else shape[2] * shape[3]
        if what in ("again", "half_again"):
            # Rows come again in other tiles, so that scores are equal.
            size = 1 if what == "again" else 2**12
            rows = [[size * normal(0) for _ in range(apart)] for _ in range(53)]
            return self._write(name, "f", shape,
                               lambda i: rows[i // apart % 53][i % apart])
        scales = {"steep": (1, 1, 10, 1000, 1), "near": (2**22.5,) * 5,
                  "half_near": (2**10.5,) * 5, "small": (1, 1, 1, 2**-10, 0),
                  "far": (1, 10, 1000, 2**22.5, 2**27),
                  "half_far": (2**-12, 2**-9, 2**-4, 2**10.5, 2**13)}[what]

        def scale(row: int) -> float:
            # Of 16 rows the last scale is in the first or the last eight only.
            is_other = row % 5 == 4 and (row // 16 + row // 8) % 2 == 1
            return scales[0 if is_other else row % 5]
        return self._write(name, "f", shape, lambda i: normal(i) * scale(i // apart))

    def _pairs(self, draw: random.Random, keys: int) -> Callable[[int], int]:
        """Tiles of 32 by 32 pairs: all seen, all but one, one, none, or any."""
        tiles: dict[tuple[int, int], tuple[str, int]] = {}

        def pair(i: int) -> int:
            row, key = divmod(i, keys)
            at = row // 32, key // 32
            if at not in tiles:
                tiles[at] = (draw.choice(("all", "all but", "only", "none", "any")),
                             draw.randrange(1024))
            what, one = tiles[at]
            if what == "any":
                return draw.randrange(2)
            return int(what in ("all", "all but")) ^ int(
                what in ("only", "all but") and one == row % 32 * 32 + key % 32)
        return pair

    def _write(self, name: str, kind: str, shape: Sequence[int],
               value: Callable[[int], float]) -> str:
        """A .npy file; kind is f for f32 and i for i32."""
        count = math.prod(shape)
        dimensions = "".join(f"{size}, " for size in shape)
        header = (f"{{'descr': '<{kind}4', 'fortran_order': False, "
                  f"'shape': ({dimensions})}}")
        header += " " * (-(len(header) + 11) % 64) + "\n"
        path = self.folder / f"{name}.npy"
        path.write_bytes(
            b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{count}{kind}", *(value(i) for i in range(count))))
        return str(path)
