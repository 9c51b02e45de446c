# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of the goat dialect while it is being written.

A Program collects arguments, the files with their values, and flags of goat-run; a Region
the lines of one region of the attention. Captured floats have no file: goat-run draws them
from its seed. Integers have one.
"""

import random
import struct
from typing import NamedTuple, Optional

# struct's and NumPy's names of what an .npy file holds here.
FILE_TYPES = {"f": "<f4", "i": "<i4", "q": "<i8"}


def write_npy(path, shape, values, kind):
    text = (f"{{'descr': '{FILE_TYPES[kind]}', 'fortran_order': False, "
            f"'shape': ({''.join(f'{n},' for n in shape)}), }}")
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
                     + struct.pack(f"<{len(values)}{kind}", *values))


class Index(NamedTuple):
    """An integer of a region: its name there, its type, and the range of its values."""
    name: str
    low: int
    high: int
    type: str = "index"
    axis: Optional[str] = None  # B, Lq or Lk where it is a coordinate of that axis


class Float(NamedTuple):
    """An f32 of a region, and a bound on its magnitude."""
    name: str
    limit: float


class Program:
    # A captured tensor has at most this many elements.
    MOST = 60000

    def __init__(self, choices, folder):
        self.choices, self.folder = choices, folder
        self.arguments, self.flags = [], []
        self.seed = choices["seed"]
        self.B, self.Lq, self.Lk = choices["B"], choices["Lq"], choices["Lk"]
        self.Hkv, self.Hq = choices["Hkv"], choices["Hkv"] * choices["group"]
        self.D, self.Dv = choices["D"], choices["Dv"]
        self.q_lengths, self.k_lengths = [self.Lq] * self.B, [self.Lk] * self.B
        self.q_offset, self.k_offset = [0] * self.B, [0] * self.B
        # Bound on |scale * q.k|.
        self.score_limit = 1.0

    def size(self, axis):
        return {"B": self.B, "Lq": self.Lq, "Lk": self.Lk}[axis]

    def dim(self, axis):
        """How a type spells an axis: its size, or ?."""
        return str(self.size(axis)) if self.choices["static_" + axis] == "yes" else "?"

    def random(self, name):
        """Random numbers that belong to a name, whatever else a problem has."""
        return random.Random(f"{self.seed}:{name}")

    def argument(self, name, type, attributes=""):
        self.arguments.append((name, type, attributes))
        return "%" + name

    def fresh(self, stem):
        return f"{stem}{sum(name.startswith(stem) for name, _, _ in self.arguments)}"

    def give(self, name, shape, values, kind):
        """Writes the file of an argument."""
        path = self.folder / f"{name}.npy"
        write_npy(path, shape, values, kind)
        self.flags += ["--arg", f"{name}={path.name}"]

    def number(self, stem, type, value):
        """An argument that is a scalar; its name in the function."""
        name = self.fresh(stem)
        self.flags += ["--arg", f"{name}={value}"]
        return self.argument(name, type)


class Region:
    def __init__(self, program, indices):
        """indices: the coordinates among b, h, i, j that the region is given."""
        self.program, self.lines, self.count = program, [], 0
        p = program
        sizes = {"b": (p.B, "B"), "h": (p.Hq, None), "i": (p.Lq, "Lq"), "j": (p.Lk, "Lk")}
        self.indices = {name: Index("%" + name, 0, max(sizes[name][0] - 1, 0), "index",
                                    sizes[name][1]) for name in indices}

    def let(self, text):
        """Writes a line that defines a value; its name."""
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, value, type):
        return self.let(f"arith.constant {value} : {type}")

    def number(self, value):
        """An f32 constant."""
        text = f"{float(value):.8e}"
        return Float(self.constant(text, "f32"), abs(float(text)))

    def times(self, value, factor):
        """A number times a constant."""
        other = self.number(factor)
        return Float(self.let(f"arith.mulf {value.name}, {other.name} : f32"),
                     value.limit * other.limit)

    def within(self, value, most):
        """The number, scaled down where its magnitude may be larger than `most`."""
        return self.times(value, most / value.limit) if value.limit > most else value

    def cast(self, index, type):
        """An integer as another type of integer."""
        if index.type == type:
            return index.name
        if index.type == "constant":
            return self.constant(index.low, type)
        if "index" in (index.type, type):
            return self.let(f"arith.index_cast {index.name} : {index.type} to {type}")
        op = "arith.trunci" if (index.type, type) in (("i64", "i32"),) else "arith.extsi"
        return self.let(f"{op} {index.name} : {index.type} to {type}")

    def place(self, index, most):
        """(name, extent, axis): an index made to lie in [0, extent), extent at most `most`."""
        if index.axis and self.program.size(index.axis) <= most:
            return index.name, self.program.size(index.axis), index.axis
        name = self.cast(index, "index")
        if index.low != 0:
            low = self.constant(index.low, "index")
            name = self.let(f"arith.subi {name}, {low} : index")
        extent = index.high - index.low + 1
        if extent > most:
            extent = max(1, min(7, most))
            size = self.constant(extent, "index")
            name = self.let(f"arith.remui {name}, {size} : index")
        return name, extent, None

    def capture(self, stem, element, indices, values=None):
        """An element of a captured tensor at some indices; values: a function of a random
        generator, for integers. Its name in the region, of type `element`."""
        program = self.program
        tensor, names, dims, extents, total = program.fresh(stem), [], [], [], 1
        for axis, index in enumerate(indices):
            name, extent, coordinate = self.place(index, max(1, program.MOST // max(total, 1)))
            names.append(name)
            extents.append(extent)
            total *= extent
            if coordinate:
                dims.append(program.dim(coordinate))
            elif program.random(f"{tensor}.{axis}").random() < 0.5:
                dims.append(str(extent))
            else:
                dims.append("?")
                program.flags += ["--size", f"{tensor}.{axis}={extent}"]
        type = f"tensor<{''.join(d + 'x' for d in dims)}{element}>"
        program.argument(tensor, type)
        if values:
            numbers = program.random(tensor)
            program.give(tensor, extents, [values(numbers) for _ in range(total)], "i")
        return self.let(f"tensor.extract %{tensor}[{', '.join(names)}] : {type}")
