# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions as trees with a text form: a name, and arguments in parentheses."""

import re
from typing import Iterator, NamedTuple


class Tree(NamedTuple):
    name: str
    args: tuple = ()

    def __str__(self):
        return self.name + (f"({','.join(map(str, self.args))})" if self.args else "")

    def number(self):
        return float(self.name)

    def integer(self):
        return int(self.name)


def tree(name, *args):
    """A tree of a name and of trees, numbers or names."""
    return Tree(str(name), tuple(a if isinstance(a, Tree) else Tree(str(a)) for a in args))


def parse(text):
    """The tree that str() of a tree wrote."""
    tokens = re.findall(r"[^(),\s]+|[(),]", text)
    place = 0

    def node():
        nonlocal place
        if place == len(tokens) or tokens[place] in "(),":
            raise ValueError(f"expected an expression like add(s,1.0) but got '{text}'")
        name, args = tokens[place], []
        place += 1
        if place < len(tokens) and tokens[place] == "(":
            while tokens[place] != ")":
                place += 1
                args.append(node())
                if place == len(tokens) or tokens[place] not in ",)":
                    raise ValueError(f"expected ')' in '{text}'")
            place += 1
        return Tree(name, tuple(args))

    found = node()
    if place != len(tokens):
        raise ValueError(f"expected one expression but got '{text}'")
    return found


def simpler(root, kind_of, leaves) -> Iterator[Tree]:
    """Trees with one node less or more: a node of some kind replaced by the simplest leaf of
    that kind, or by one of its arguments of the same kind. Large steps come first.

    kind_of: a name's kind, None for numbers and the like. leaves: kind -> its simplest leaf.
    """
    def replacements(node):
        kind = kind_of(node.name)
        if kind and node != leaves[kind]:
            yield leaves[kind]
            yield from (arg for arg in node.args if kind_of(arg.name) == kind)
        for place, arg in enumerate(node.args):
            for other in replacements(arg):
                yield Tree(node.name, node.args[:place] + (other,) + node.args[place + 1:])

    seen = {root}
    for candidate in replacements(root):
        if candidate not in seen:
            seen.add(candidate)
            yield candidate
