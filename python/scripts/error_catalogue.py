# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The catalogue of everything the compiler and its launchers refuse.

    python3 error_catalogue.py            checks docs/errors.md
    python3 error_catalogue.py --write    writes it anew

Messages are read from the sources, where they are said once. A message keeps its
number as long as its text stays; new ones get the number after the last one given,
which the page holds, so that numbers of messages that are gone are not given again.
What fails the check: a message without a test that provokes it, a number that stands
twice, and a page other than --write would write.
"""

import argparse
import difflib
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
                          "lib/Runtime/SimRunner.cpp",
                          "python/goatc/artifact.py",
                          "python/goatc/launch.py",
                          "python/goatc/tensor_map.py")),
    ("Reading an artifact", ("lib/Target/PTX/Artifact.cpp",
                             "lib/Target/PTX/KernelJson.cpp",
                             "lib/Target/PTX/Expr.cpp")),
    ("Calling a tool", ("lib/Driver",)),
    ("Calling the C interface", ("lib/CAPI",)),
    ("Running the reference", tuple(
        f"lib/Reference/{name}.cpp" for name in (
            "Attention", "GoatOps", "Program", "Reference", "ScalarOps",
            "TensorOps"))),
)

# Of what these say, only messages with a way out are for that person; the others are for
# who writes a kernel by hand.
MOSTLY_INTERNAL = ("lib/Target/PTX/DescribeKernel.cpp",)

# Libraries whose tests have another name.
TESTED_AS = {"goatc": "Python", "Driver": "Tools"}
# All whose messages one in the catalogue could be taken for.
SAYING = ("lib", "tools", "python/goatc")

CALL = re.compile(r"(?<!class )\b(emitError|emitOpError|createStringError|emitRemark|"
                  r"report|fail|refuse|ArtifactError|"
                  r"(?:fault =|return) llvm::formatv)\(")
LITERAL = re.compile(r'f?"((?:[^"\\\n]|\\.)*)"')
# Nothing in a test can bring these about.
UNTESTABLE = (
    "expected the schedules to leave nothing but kernels",  # a mistake of ours
    "expected goat dialect version",  # a later version's bytecode
    "cannot read output '…' back",  # it was allocated
    "'…' did not run to its end",  # what stops the simulator is a finding
)
LEAST = 16  # letters of a message, and of words that a test has of it


class Message(NamedTuple):
    """What a call says, with GAP for what it fills in."""

    part: str
    text: str
    is_remark: bool
    library: str  # the folder of tests that stands for it


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
            yield from sorted(path for path in whole.rglob("*")
                              if path.suffix in (".cpp", ".py"))


def messages_in(part: str, paths: Tuple[str, ...]) -> Iterator[Message]:
    """Yields every message that the sources in the paths say."""
    for path in sources_of(paths):
        source = path.read_text(encoding="utf-8")
        source = re.sub(r"^\s*(//|#).*$", "", source, flags=re.M)
        library = path.relative_to(ROOT).parts[1]
        for call in CALL.finditer(source):
            text = text_of(statement_at(source, call.end() - 1,
                                         path.suffix == ".py"))
            if (str(path.relative_to(ROOT)) in MOSTLY_INTERNAL
                    and "; " not in text):
                continue
            if len(text.replace(GAP, "")) >= LEAST:
                yield Message(part, text, call[1] == "emitRemark",
                              TESTED_AS.get(library, library))


def read_messages() -> List[Message]:
    """Returns every message for the catalogue, once."""
    messages: Dict[str, Message] = {}
    for part, paths in PARTS:
        for message in messages_in(part, paths):
            messages.setdefault(message.text, message)
    return list(messages.values())


def read_tests() -> List[Tuple[str, str]]:
    """Returns name and text of the test files, with strings joined that the
    line length had cut."""
    tests = []
    for path in sorted((ROOT / "test").rglob("*")):
        if path.suffix not in (".mlir", ".test", ".cpp", ".c", ".py", ".in"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        text = re.sub(r'"\s*\n?\s*f?"', "", text)
        text = text.replace('\\"', '"').replace("\\", "")
        tests.append((str(path.relative_to(ROOT)), re.sub(r"\s+", " ", text)))
    return tests


def runs_of(message: Message) -> List[str]:
    """Returns the runs of words of a message, from long to short, that are long
    enough to tell of it: half its longest piece."""
    pieces = message.text.split(GAP)
    least = max(LEAST, max(map(len, pieces)) // 2)
    runs = set()
    for piece in pieces:
        ends = [match.span() for match in re.finditer(r"\S+", piece)]
        runs |= {piece[begin:end] for begin, _ in ends for _, end in ends
                 if end - begin >= least}
    return sorted(runs, key=lambda run: (-len(run), run))


def find_test(message: Message, all_texts: List[str], tests: List[Tuple[str, str]],
              listed: Optional[str] = None) -> Optional[str]:
    """Returns a test that has all of a message, with something in the gaps, or the
    longest run of words that only this message has; the listed one if it does."""
    tests = sorted((test for test in tests
                    if message.library != "Python" or test[0].endswith(".py")),
                   key=lambda test: (test[0] != listed, message.library
                                     not in Path(test[0]).parts))
    whole = re.compile(r".{1,60}?".join(
        re.escape(piece.strip())
        for piece in message.text.strip(f": {GAP}").split(GAP)))
    for name, text in tests:
        if whole.search(text):
            return name
    for run in runs_of(message):
        if any(run in text for text in all_texts if text != message.text):
            continue
        for name, text in tests:
            if run in text:
                return name
    return None


class Page:
    """What a page has: number and test by message, the last number given, and what
    numbers it has twice."""

    def __init__(self, text: str):
        rows = re.findall(r"^\| (GOAT-[ER]\d+) \| (.*?) \| (.*) \|$", text, re.M)
        given = [number for number, _, _ in rows]
        self.text = text
        self.numbers = {cell: number for number, cell, _ in rows}
        self.tests = {cell: test for _, cell, test in rows}
        self.last = int(re.search(r"^The last number given is (\d+)\.$", text,
                                  re.M)[1])
        self.twice = sorted({n for n in given if given.count(n) > 1})


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
test holds against the sources. A number stays with its message, and is not given
again when that is gone.
"""


def render(messages: List[Message], page: Page,
           found: Dict[str, Optional[str]]) -> str:
    """Returns the text of the catalogue that takes the place of a page."""
    text, last = "", page.last
    for part, _ in PARTS:
        text += f"\n## {part}\n\n| number | message | test |\n|---|---|---|\n"
        for message in messages:
            if message.part != part:
                continue
            cell = as_cell(message.text)
            number = page.numbers.get(cell)
            if number is None:
                last += 1
                number = f"GOAT-{'R' if message.is_remark else 'E'}{last:03}"
            text += f"| {number} | {cell} | {found[message.text] or 'none'} |\n"
    return f"{HEAD}The last number given is {last}.\n{text}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--page", type=Path, default=CATALOGUE,
                        help="the page (default: docs/errors.md)")
    arguments = parser.parse_args()
    messages, tests = read_messages(), read_tests()
    all_texts = [message.text for message in messages_in("", SAYING)]
    page = Page(arguments.page.read_text(encoding="utf-8"))
    found = {message.text: find_test(message, all_texts, tests,
                                     page.tests.get(as_cell(message.text)))
             for message in messages}
    text = render(messages, page, found)
    failures = [f"given twice: {number}" for number in page.twice]
    failures += [f"no test provokes: {text}" for text, test in found.items()
                 if test is None and not text.startswith(UNTESTABLE)]
    if arguments.write:
        arguments.page.write_text(text, encoding="utf-8")
    elif text != page.text:
        failures += [line for line in difflib.unified_diff(
            page.text.splitlines(), text.splitlines(), str(arguments.page),
            "what is said and tested", n=0, lineterm="")]
        failures.append("run python3 python/scripts/error_catalogue.py --write")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
