# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The catalogue of everything the compiler and its launchers refuse.

    python3 error_catalogue.py            checks docs/errors.md
    python3 error_catalogue.py --write    writes it anew

Messages are read from the sources, where they are said once. A message keeps its
number as long as its text stays; new ones get the next, and numbers of messages
that are gone are not given again. A message without a test that provokes it, or
that is not in the catalogue, fails the check.
"""

import argparse
from pathlib import Path
import re
import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "docs" / "errors.md"
GAP = "…"  # stands for what a message fills in

# Whose messages are for the person who wrote a layer or calls a kernel.
PARTS = (
    ("The layer", ("lib/Dialect/Goat",)),
    ("Compiling a layer", ("lib/Conversion/GoatToGoatTile",
                           "lib/Conversion/GoatTileToNVVM/ExpandMath.cpp",
                           "lib/Dialect/GoatTile/Transforms/PlaceBuffers.cpp",
                           "lib/Driver/Compiler.cpp",
                           "lib/Target/PTX/Chips.cpp",
                           "lib/Target/PTX/DescribeKernel.cpp")),
    ("Calling a kernel", ("lib/Runtime/LaunchPlan.cpp",
                          "lib/Runtime/LayerInputs.cpp",
                          "python/goatc/artifact.py",
                          "python/goatc/launch.py")),
    ("Reading an artifact", ("lib/Target/PTX/Artifact.cpp",
                             "lib/Target/PTX/Expr.cpp")),
    ("Running the reference", tuple(
        f"lib/Reference/{name}.cpp" for name in (
            "Attention", "GoatOps", "Program", "Reference", "ScalarOps",
            "TensorOps"))),
)

# Of what these say, only messages with a way out are for that person; the others are for
# who writes a kernel by hand.
MOSTLY_INTERNAL = ("lib/Target/PTX/DescribeKernel.cpp",)

CALL = re.compile(r"(?<!class )\b(emitError|emitOpError|createStringError|emitRemark|"
                  r"report|fail|ArtifactError)\(")
LITERAL = re.compile(r'f?"((?:[^"\\\n]|\\.)*)"')
# Nothing in a test can bring these about.
UNTESTABLE = (
    "cannot write '", "cannot create directory '",  # the host's file system
    "expected the schedules to leave nothing but kernels",  # a mistake of ours
    "expected goat dialect version",  # a later version's bytecode
)
LEAST = 16  # letters of a message, and of what a test has to have of it
SHORTEST = 9  # letters of the shortest piece that tells messages apart


class Message(NamedTuple):
    """What a call says, with GAP for what it fills in."""

    part: str
    text: str
    is_remark: bool


def statement_at(source: str, start: int, is_python: bool) -> str:
    """Returns the source from the parenthesis of a call to the end of its
    statement, of the call in Python."""
    depth, at = 0, start
    while at < len(source):
        literal = LITERAL.match(source, at)
        if literal:
            at = literal.end()
            continue
        depth += (source[at] in "({[") - (source[at] in ")}]")
        at += 1
        if depth < 0 or (depth == 0 and (is_python or source[at - 1] == ";")):
            break
    return source[start:at]


def text_of(statement: str) -> str:
    """Returns the literals of a statement as one text."""
    text, end = "", 0
    for literal in LITERAL.finditer(statement):
        between = statement[end:literal.start()]
        if text and re.sub(r"[\s<+(]|llvm::Twine|Twine", "", between):
            text += GAP
        piece = literal[1].replace('\\"', '"').replace("\\n", " ")
        text += re.sub(r"\{[^{}]*\}", GAP, piece)
        end = literal.end()
    if re.sub(r"[\s();]", "", statement[end:]):
        text += GAP
    text = re.sub(rf"(?:\s*{GAP}\s*){{2,}}", f" {GAP} ", text)
    return re.sub(r"\s+", " ", text).strip()


def sources_of(paths: Tuple[str, ...]) -> Iterator[Path]:
    """Yields the source files that are, or lie in, the paths."""
    for path in paths:
        whole = ROOT / path
        if whole.is_file():
            yield whole
        else:
            yield from sorted(whole.rglob("*.cpp"))


def read_messages() -> List[Message]:
    """Returns every message of the sources, once."""
    messages: Dict[str, Message] = {}
    for part, paths in PARTS:
        for path in sources_of(paths):
            source = path.read_text(encoding="utf-8")
            source = re.sub(r"^\s*(//|#).*$", "", source, flags=re.M)
            for call in CALL.finditer(source):
                text = text_of(statement_at(
                    source, call.end() - 1, path.suffix == ".py"))
                if (str(path.relative_to(ROOT)) in MOSTLY_INTERNAL
                        and "; " not in text):
                    continue
                if len(text.replace(GAP, "")) >= LEAST:
                    messages.setdefault(text, Message(
                        part, text, call[1] == "emitRemark"))
    return list(messages.values())


def read_tests() -> List[Tuple[str, str]]:
    """Returns name and text of the test files, with strings joined that the
    line length had cut."""
    tests = []
    for path in sorted((ROOT / "test").rglob("*")):
        if path.suffix not in (".mlir", ".test", ".cpp", ".py", ".in"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        text = re.sub(r'"\s*\n?\s*f?"', "", text)
        text = text.replace('\\"', '"').replace("\\", "")
        tests.append((str(path.relative_to(ROOT)), re.sub(r"\s+", " ", text)))
    return tests


def find_test(message: Message,
              tests: List[Tuple[str, str]]) -> Optional[str]:
    """Returns a test that has the longest pieces of a message."""
    pieces = sorted((re.sub(r"^(: )?expected ", "", piece).strip()
                     for piece in message.text.split(GAP)),
                    key=len, reverse=True)
    wanted = [piece for piece in pieces if len(piece) >= LEAST][:2] or pieces[:1]
    for many in (wanted, wanted[:1]):
        for name, text in tests:
            if all(piece in text for piece in many):
                return name
    # A long piece may be tested by its beginning or its end, and a short one
    # stands for a message that fills in much.
    for piece in (wanted[0][:30], wanted[0][-30:], *pieces[1:]):
        for name, text in tests:
            if len(piece) >= SHORTEST and piece in text:
                return name
    return None


def read_numbers() -> Dict[str, str]:
    """Returns the numbers of the messages that the catalogue has."""
    numbers: Dict[str, str] = {}
    if CATALOGUE.exists():
        for row in re.finditer(r"^\| (GOAT-[ER]\d+) \| (.*?) \|",
                               CATALOGUE.read_text(encoding="utf-8"), re.M):
            numbers[row[2]] = row[1]
    return numbers


def as_cell(text: str) -> str:
    """Returns text for a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


HEAD = """# What is refused

Every message by which the compiler, the reference and the launchers refuse what
they were given, and every remark on what will be slow (R). … stands for what the
message fills in. After a semicolon stands the way out; (C1), (C2), … are the
constraints of [GoatDialect.md](generated/GoatDialect.md). The last column is a test
that provokes the message.

This page is written by `python3 python/scripts/error_catalogue.py --write`, which a
test holds against the sources. A number stays with its message.
"""


def write(messages: List[Message], numbers: Dict[str, str],
          tests: List[Tuple[str, str]]) -> str:
    """Returns the text of the catalogue."""
    taken = [int(n.split("-")[1][1:]) for n in numbers.values()]
    following = max(taken, default=0) + 1
    text = HEAD
    for part, _ in PARTS:
        text += f"\n## {part}\n\n| number | message | test |\n|---|---|---|\n"
        for message in messages:
            if message.part != part:
                continue
            cell = as_cell(message.text)
            number = numbers.get(cell)
            if number is None:
                kind = "R" if message.is_remark else "E"
                number = f"GOAT-{kind}{following:03}"
                following += 1
            test = find_test(message, tests)
            text += f"| {number} | {cell} | {test or 'none'} |\n"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true",
                        help="write docs/errors.md")
    arguments = parser.parse_args()
    messages, tests = read_messages(), read_tests()
    numbers = read_numbers()
    untested = [m.text for m in messages
                if find_test(m, tests) is None
                and not m.text.startswith(UNTESTABLE)]
    if arguments.write:
        CATALOGUE.write_text(write(messages, numbers, tests), encoding="utf-8")
    known = {as_cell(m.text) for m in messages}
    if not arguments.write:
        for text in sorted(known - set(numbers)):
            print(f"not in docs/errors.md: {text}")
        for text in sorted(set(numbers) - known):
            print(f"in docs/errors.md but not said: {text}")
        if known != set(numbers):
            print("run python3 python/scripts/error_catalogue.py --write")
    for text in untested:
        print(f"no test provokes: {text}")
    stale = not arguments.write and known != set(numbers)
    return 1 if untested or stale else 0


if __name__ == "__main__":
    sys.exit(main())
