"""Small faults in PTX text: where each kind can be planted, and planting one.

A site is named by the kernel, the instruction without the numbers of its registers
and labels, a number made of its neighbours that are read so, and which of those that
are alike in all this it is; so its name outlives most changes elsewhere in the kernel.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import re
import struct
from typing import Callable, Iterator, Optional

STATEMENT = re.compile(
    r"^\t(?P<guard>@!?%p\d+ )?\s*(?P<opcode>[a-z][\w.:]*)(?P<operands>\s[^;]*)?;",
    re.MULTILINE)
ENTRY = re.compile(r"\.entry (\w+)\(")
REGISTER = re.compile(r"%(rd|rs|r|p)\d+")
ACCESS = re.compile(r"\[(?P<base>%rd\d+|\w+)(?P<plus>\+(?P<bytes>-?\d+))?\]")
INTEGER = re.compile(r"(?<![\w.%+\[$-])-?\d+(?![\w.])")
FLOAT = re.compile(r"0f[0-9A-F]{8}")


@dataclasses.dataclass
class Instruction:
    """One statement of a kernel; start and end are offsets in the text."""
    kernel: str
    start: int
    end: int
    guard: str
    opcode: str
    operands: list[str]
    # The registers defined last before this, newest first, by their prefix.
    before: dict[str, list[str]]

    @property
    def base(self) -> str:
        return self.opcode.split(".")[0]

    @property
    def modifiers(self) -> list[str]:
        return self.opcode.split(".")[1:]

    def has_result(self) -> bool:
        return self.base not in ("st", "cp", "bar", "bra", "ret")

    def text(self, guard: Optional[str] = None, opcode: Optional[str] = None,
             operands: Optional[list[str]] = None) -> str:
        chosen = self.operands if operands is None else operands
        return (f"{self.guard if guard is None else guard}{opcode or self.opcode} "
                f"{', '.join(chosen)}").strip()

    def with_operand(self, index: int, operand: str) -> str:
        changed = list(self.operands)
        changed[index] = operand
        return self.text(operands=changed)


def split_operands(text: str) -> list[str]:
    """What the commas outside of braces and brackets separate."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "{[") - (character in "}]")
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [" ".join(part.split()) for part in parts if part.strip()]


def parse(text: str) -> Iterator[Instruction]:
    kernel, body = "", -1
    entries = [(match.start(), match.group(1)) for match in ENTRY.finditer(text)]
    before: dict[str, list[str]] = collections.defaultdict(list)
    for match in STATEMENT.finditer(text):
        while entries and entries[0][0] < match.start():
            kernel = entries.pop(0)[1]
            before.clear()
        instruction = Instruction(
            kernel, match.start() + 1, match.end() - 1, match["guard"] or "",
            match["opcode"], split_operands(match["operands"] or ""),
            {prefix: names[:2] for prefix, names in before.items()})
        yield instruction
        if instruction.has_result():
            for register in REGISTER.finditer(instruction.operands[0]):
                before[register[1]].insert(0, register[0])


# Each kind yields the texts that may stand in an instruction's place; "" removes it.
Kind = Callable[[Instruction], Iterator[str]]


def drop(*prefixes: str) -> Kind:
    def kind(at: Instruction) -> Iterator[str]:
        if at.opcode.startswith(prefixes):
            yield ""
    return kind


def drop_branch(at: Instruction) -> Iterator[str]:
    if at.base == "bra" and at.guard:
        yield ""


def wait(at: Instruction) -> Iterator[str]:
    if at.opcode == "cp.async.wait_group":
        pending = int(at.operands[0])
        yield at.text(operands=[str(pending + 1)])
        if pending > 0:
            yield at.text(operands=[str(pending - 1)])


def swap(at: Instruction) -> Iterator[str]:
    if at.base in ("sub", "div", "shl", "shr", "selp"):
        result, first, second, *rest = at.operands
        if first != second:
            yield at.text(operands=[result, second, first, *rest])


OTHER_COMPARISON = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "eq": "ne",
                    "ne": "eq", "ltu": "leu", "neu": "equ", "num": "nan"}


def compare(at: Instruction) -> Iterator[str]:
    if at.base == "setp":
        _, comparison, *rest = at.opcode.split(".")
        yield at.text(opcode=".".join(["setp", OTHER_COMPARISON[comparison], *rest]))


def constant(at: Instruction) -> Iterator[str]:
    if at.base in ("ld", "st", "cp", "bar", "bra", "ldmatrix"):
        return
    for index, operand in enumerate(at.operands):
        if index > 0 and INTEGER.fullmatch(operand):
            yield at.with_operand(index, str(int(operand) + 1))


def number(at: Instruction) -> Iterator[str]:
    """A float constant off by some 6 %; a 1 for 0, the other sign for infinities."""
    for index, operand in enumerate(at.operands):
        if FLOAT.fullmatch(operand):
            bits = int(operand[2:], 16)
            if bits & 0x7FFFFFFF == 0:
                bits = struct.unpack("<I", struct.pack("<f", 1.0))[0]
            else:
                bits ^= 0x80000000 if bits & 0x7F800000 == 0x7F800000 else 1 << 19
            yield at.with_operand(index, f"0f{bits:08X}")


def address(at: Instruction) -> Iterator[str]:
    """The next element, or vector of elements, in place of this one."""
    if "param" in at.modifiers or at.base not in ("ld", "st", "ldmatrix", "cp"):
        return
    width = 16
    if at.base in ("ld", "st"):
        vector = next((int(m[1:]) for m in at.modifiers if re.fullmatch(r"v\d", m)), 1)
        width = vector * int(at.modifiers[-1][1:]) // 8
    for index, operand in enumerate(at.operands):
        if access := ACCESS.fullmatch(operand):
            offset = int(access["bytes"] or 0) + width
            yield at.with_operand(index, f"[{access['base']}+{offset}]")


def predicate(at: Instruction) -> Iterator[str]:
    if at.guard:
        name = at.guard.lstrip("@!")
        yield at.text(guard=f"@{name}" if "!" in at.guard else f"@!{name}")


OTHER_OPERATION = {"add": "sub", "sub": "add", "max": "min", "min": "max", "and": "or",
                   "or": "and", "xor": "or", "sin": "cos", "cos": "sin"}


def operation(at: Instruction) -> Iterator[str]:
    if at.base in OTHER_OPERATION:
        yield at.text(opcode=".".join([OTHER_OPERATION[at.base], *at.modifiers]))


def register(at: Instruction) -> Iterator[str]:
    """The register defined last before in place of the one that is read."""
    for index in range(int(at.has_result()), len(at.operands)):
        for match in REGISTER.finditer(at.operands[index]):
            others = [name for name in at.before.get(match[1], [])
                      if name != match[0]]
            if others:
                operand = at.operands[index]
                yield at.with_operand(
                    index, operand[:match.start()] + others[0] + operand[match.end():])


def rounding(at: Instruction) -> Iterator[str]:
    if at.base == "cvt":
        for nearest, zero in ((".rn.", ".rz."), (".rni.", ".rzi.")):
            if nearest in at.opcode:
                yield at.text(opcode=at.opcode.replace(nearest, zero))


def sign(at: Instruction) -> Iterator[str]:
    if at.base == "setp" and at.modifiers[0] not in ("eq", "ne"):
        for one, other in (("s32", "u32"), ("u32", "s32"), ("s64", "u64"), ("u64", "s64")):
            if at.modifiers[1] == one:
                yield at.text(opcode=at.opcode.replace(one, other))


def transposition(at: Instruction) -> Iterator[str]:
    if at.base == "ldmatrix":
        yield at.text(opcode=at.opcode.replace(".trans", "") if "trans" in at.modifiers
                      else at.opcode.replace(".x4", ".x4.trans").replace(".x2", ".x2.trans"))


KINDS: dict[str, Kind] = {
    "drop a store": drop("st."),
    "drop a copy": drop("cp.async.ca", "cp.async.cg"),
    "drop a barrier": drop("bar."),
    "drop a commit": drop("cp.async.commit"),
    "drop a wait": drop("cp.async.wait"),
    "drop a branch": drop_branch,
    "wait for other groups": wait,
    "swap sources": swap,
    "another comparison": compare,
    "integer constant + 1": constant,
    "another float constant": number,
    "next address": address,
    "negate a predicate": predicate,
    "another operation": operation,
    "another register": register,
    "round to zero": rounding,
    "compare with other signs": sign,
    "transpose a load": transposition,
}


@dataclasses.dataclass(frozen=True)
class Site:
    kind: str
    place: str
    # The text with the fault is text[:start] + replacement + text[end:].
    start: int
    end: int
    replacement: str


def skeleton(text: str) -> str:
    """An instruction without the numbers of registers and labels, shortened."""
    text = re.sub(r"%(rd|rs|r|p)\d+", r"%\1", text)
    text = re.sub(r"(\$L__\w*?)\d+(_\d+)?", r"\1", text)
    text = re.sub(r"\b\w+_(param_\d+)", r"\1", text)
    text = re.sub(r"\{(%\w+)(, %\w+)*\}", r"{\1}", text)
    return " ".join(text.split())


def number_of_source(instruction: Instruction, replacement: str) -> int:
    """Which register, the results left out, the replacement has another for."""
    pairs = zip(REGISTER.finditer(instruction.text()), REGISTER.finditer(replacement))
    results = (len(REGISTER.findall(instruction.guard))
               + (len(REGISTER.findall(instruction.operands[0]))
                  if instruction.has_result() else 0))
    return next(index for index, (old, new) in enumerate(pairs)
                if old[0] != new[0]) - results + 1


# How many instructions before and after one are its neighbours.
NEIGHBOURS = 3


def sites(text: str) -> list[Site]:
    """All sites of all kinds, in the order of the text."""
    found, seen = [], collections.Counter()
    instructions = list(parse(text))
    read = [skeleton(instruction.text()) for instruction in instructions]
    for number, instruction in enumerate(instructions):
        around = read[max(number - NEIGHBOURS, 0):number + NEIGHBOURS + 1]
        where = hashlib.sha256("\n".join(around).encode()).hexdigest()[:4]
        for kind, alternatives in KINDS.items():
            for replacement in alternatives(instruction):
                shown = f"{instruction.kernel}: {read[number]}"
                if kind == "another register":
                    shown += f", source {number_of_source(instruction, replacement)}"
                elif replacement:
                    shown += f" → {skeleton(replacement)}"
                shown += f" #{where}"
                seen[kind, shown] += 1
                found.append(Site(kind, f"{shown}.{seen[kind, shown]}",
                                  instruction.start, instruction.end, replacement))
    return found


def plant(text: str, site: Site) -> str:
    if not site.replacement:
        # With its semicolon.
        return text[:site.start] + text[site.end + 1:]
    return text[:site.start] + site.replacement + text[site.end:]
