# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of all frameworks share: a measure, and the tables of
docs/frameworks.md."""

import json
import os
import pathlib
import re

import numpy as np

# The most that outputs may differ in relative L2. Framework and kernel round at
# different places, some ten of them on the way through a model, each with half a
# unit in the last place: of f16 ten times 2^-11, 5e-3, of bf16 ten times 2^-8, 4e-2,
# if all fell to one side; they do not, and bounds are at most that. In f32 both add
# in another order, over rows of up to a few hundred: 2^-24 · 300 is 2e-5.
TOLERANCE = {"f32": 2e-5, "f16": 4e-3, "bf16": 2e-2}
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "frameworks.md"

# Rows by table, and by what a row is about.
tables = {}


def difference(found, expected):
    """Returns the relative L2 difference."""
    found, expected = (np.asarray(a, np.float64) for a in (found, expected))
    size = np.linalg.norm(expected)
    return np.linalg.norm(found - expected) / (size if size else 1.0)


def surprising(remarks):
    """Returns the remarks but those of masks of finite numbers: padding may leave
    a row without a key."""
    return [remark for remark in remarks
            if "a mask of finite numbers stays" not in remark.message]


def record(table, about, *cells):
    """Keeps a row; where it has been kept already, the greatest difference of
    the two. Differences are floats, in the last cell."""
    rows = tables.setdefault(table, {})
    before = rows.get(about)
    if before and isinstance(cells[-1], float):
        cells = (*cells[:-1], max(before[-1], cells[-1]))
    rows[about] = cells


def save():
    """Leaves the rows of this process in the folder that GOATC_TABLES names."""
    folder = os.environ.get("GOATC_TABLES")
    if folder and tables:
        rows = [[table, about, cells] for table, kept in tables.items()
                for about, cells in kept.items()]
        path = pathlib.Path(folder) / f"{os.getpid()}.json"
        path.write_text(json.dumps(rows), encoding="utf-8")


def load(folder):
    """Records what `save` left in a folder."""
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        for table, about, cells in json.loads(path.read_text(encoding="utf-8")):
            record(table, tuple(about), *cells)


def written(table):
    """Returns the rows as Markdown has them, in the order of their first cells."""
    def text(cell):
        return f"{cell:.0e}" if isinstance(cell, float) else str(cell)
    return ["| " + " | ".join(map(text, (*about, *cells))) + " |"
            for about, cells in sorted(tables[table].items())]


def in_page(table):
    """Returns the rows of the page, and where they stand in its text."""
    page = PAGE.read_text()
    match = re.search(rf"<!-- rows of {table} -->\n\|.*\n\|.*\n((?:\|.*\n)*)", page)
    if not match:
        raise LookupError(f"{PAGE} has no rows of {table}")
    return match.group(1).splitlines(), match.span(1)


def write(table):
    """Puts the rows into the page."""
    _, (first, last) = in_page(table)
    page = PAGE.read_text()
    PAGE.write_text(page[:first] + "".join(
        f"{row}\n" for row in written(table)) + page[last:])
