# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that PTX computes global addresses in 64 bits where they are products.

Reads PTX files. The address of every access to global memory is followed back
through 64-bit arithmetic to the 32-bit values that it is made of. Those may be
coordinates, which fit 32 bits because lengths do: a block or a tile further on
is at most LARGEST_TILE further on. They must not be products with a stride: one
of two values, or with a number above LARGEST_TILE, of a value that the block
index, a loop or memory determines. A thread's own index is small, and may be
multiplied by anything.

Prints what it found and exits with 1 where an address is narrow.
"""

import re
import sys
from typing import Dict, List, NamedTuple, Set

LARGEST_TILE = 256  # query rows or keys that a block works on at a time

ACCESS = re.compile(r"^(ld|st|red|atom|prefetch)\b.*\.global|^cp\.async\.c[ag]")
ADDRESS = re.compile(r"\[\s*(%\w+)")


class Instruction(NamedTuple):
    line: int
    name: str
    operands: List[str]


def parse(text: str) -> List[List[Instruction]]:
    """Returns the instructions of every entry, without predicates."""
    entries: List[List[Instruction]] = []
    text = re.sub(r"//.*", "", text)
    pending, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if ".entry" in line:
            entries.append([])
        pending = pending + " " + line.strip() if pending else line.strip()
        start = start or number
        if not pending.endswith((";", "{", "}", ":", ")")):
            continue
        for part in re.split(r";|\{(?!\s*%)|(?<![\w%])\}", pending):
            match = re.match(r"(?:@!?%p\w+\s+)?([a-z][\w.:]*)\s+(.*)$",
                             part.strip())
            if match and entries:
                operands = [o.strip() for o in match[2].split(",")]
                entries[-1].append(Instruction(start, match[1], operands))
        pending, start = "", 0
    return entries


class Checker:
    """The values of one entry, by register."""

    def __init__(self, instructions: List[Instruction]):
        self.instructions = instructions
        self.definitions: Dict[str, List[Instruction]] = {}
        for instruction in instructions:
            if instruction.operands and not instruction.name.startswith(
                    ("st", "cp", "bra", "bar", "red")):
                for register in re.findall(r"%\w+", instruction.operands[0]):
                    self.definitions.setdefault(register, []).append(
                        instruction)
        self.problems: Set[str] = set()
        self.scales: Dict[str, int] = {}

    def narrow(self, register: str, where: int) -> int:
        """Returns by how much a 32-bit value is a multiple of coordinates, 0
        for one that the thread's index alone determines."""
        if not register.startswith("%"):
            return 0
        if register.startswith(("%tid", "%laneid", "%ntid")):
            return 0
        if register.startswith("%ctaid"):
            return 1
        if register in self.scales:
            return self.scales[register]
        self.scales[register] = 1  # of a loop: its own counter
        definitions = self.definitions.get(register, [])
        for definition in definitions:
            self.check_steps(register, definition, where)
        scale = max((self.step(d, where) for d in definitions), default=1)
        self.scales[register] = scale
        return scale

    def check_steps(self, register: str, instruction: Instruction,
                    where: int) -> None:
        """A loop's counter is a product when its steps are large."""
        sources = instruction.operands[1:]
        if not instruction.name.startswith(("add", "sub")) or (
                register not in sources):
            return
        for source in sources:
            if re.fullmatch(r"-?\d+", source) and (
                    abs(int(source)) > LARGEST_TILE):
                self.problems.add(
                    f"line {instruction.line}: steps of {source} in 32 bits "
                    f"are part of the address on line {where}")

    def step(self, instruction: Instruction, where: int) -> int:
        """Returns the scale of what an instruction computes."""
        name, operands = instruction.name, instruction.operands
        sources = operands[1:]
        if name.startswith(("mov", "add", "sub", "selp", "min", "max", "neg",
                            "cvt", "xor", "or", "shr")):
            return max(self.narrow(s, where) for s in sources[:2])
        if name.startswith(("mul.lo", "mad.lo", "shl")):
            number = [int(s, 0) for s in sources[:2]
                      if re.fullmatch(r"-?\w*\d\w*", s) and "%" not in s]
            factor = max(self.narrow(s, where) for s in sources[:2])
            more = self.narrow(sources[2], where) if len(sources) > 2 else 0
            if factor == 0:
                return more
            if not number:
                self.problems.add(
                    f"line {instruction.line}: a product of two values in 32 "
                    f"bits is part of the address on line {where}")
                return 1
            by = 1 << number[0] if name.startswith("shl") else abs(number[0])
            if factor * by > LARGEST_TILE:
                self.problems.add(
                    f"line {instruction.line}: a product with {by} in 32 bits "
                    f"is part of the address on line {where}")
            return max(factor * by, more)
        if name.startswith(("and", "rem", "bfe")):
            return min(1, max(self.narrow(s, where) for s in sources[:2]))
        # What is loaded, divided or compared is a coordinate of its own.
        return 1

    def wide(self, register: str, where: int, seen: Set[str]) -> None:
        """Follows a 64-bit value to the 32-bit values it is made of."""
        if not register.startswith("%") or register in seen:
            return
        seen.add(register)
        for definition in self.definitions.get(register, []):
            name, sources = definition.name, definition.operands[1:]
            if name.startswith(("mul.wide", "mad.wide")):
                for source in sources[:2]:
                    self.narrow(source, where)
                for source in sources[2:]:
                    self.wide(source, where, seen)
            elif re.match(r"cvt\.[su]64\.[su]32", name):
                self.narrow(sources[0], where)
            elif name.startswith("ld"):
                continue
            else:
                for source in sources:
                    self.wide(source, where, seen)

    def run(self) -> int:
        """Checks all accesses and returns how many there are."""
        accesses = 0
        for instruction in self.instructions:
            if not ACCESS.match(instruction.name):
                continue
            places = ADDRESS.findall(", ".join(instruction.operands))
            if not places:
                continue
            accesses += 1
            self.wide(places[-1], instruction.line, set())
        return accesses


def main() -> int:
    narrow = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            entries = parse(file.read())
        accesses = 0
        problems: Set[str] = set()
        for entry in entries:
            checker = Checker(entry)
            accesses += checker.run()
            problems |= checker.problems
        print(f"{path}: {accesses} accesses to global memory, "
              f"{len(problems)} narrow products")
        for problem in sorted(problems):
            print(f"  {problem}")
        narrow += len(problems) + (accesses == 0)
    return 1 if narrow else 0


if __name__ == "__main__":
    sys.exit(main())
