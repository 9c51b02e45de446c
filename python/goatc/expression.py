# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer expressions of the sizes of a problem, as kernel.json writes them.

    expression: term (('+' | '-') term)*
    term:       factor ('*' factor)*
    factor:     INTEGER | NAME | '-' factor | '(' expression ')'
              | ('ceildiv' | 'min' | 'max') '(' expression ',' expression ')'

Nothing else is accepted, and nothing is handed to Python's own evaluator.
"""

import re
from typing import Callable, Dict, List, Mapping, Union

TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|([-+*(),]))")


class ExpressionError(ValueError):
    """An expression that cannot be read, or a size that is missing."""


def ceildiv(a: int, b: int) -> int:
    """Returns a / b rounded up; raises ExpressionError unless b > 0."""
    if b <= 0:
        raise ExpressionError(f"expected a positive divisor but got {b}")
    return -(-a // b)


FUNCTIONS: Dict[str, Callable[[int, int], int]] = {
    "ceildiv": ceildiv, "min": min, "max": max}


def split(text: str) -> List[str]:
    """Returns the tokens of an expression."""
    tokens = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        if not match:
            raise ExpressionError(
                f"expected a number, a name or one of + - * ( ) , but got "
                f"'{text[position:].strip()[0]}' in '{text}'")
        tokens.append(match.group().strip())
        position = match.end()
    return tokens


class Evaluator:
    """Recursive descent over one expression; see the grammar above."""

    def __init__(self, text: str, sizes: Mapping[str, int]):
        self.text = text
        self.sizes = sizes
        self.tokens = split(text)
        self.position = 0

    def fail(self, expected: str) -> ExpressionError:
        at_end = self.position >= len(self.tokens)
        found = "its end" if at_end else f"'{self.tokens[self.position]}'"
        return ExpressionError(
            f"expected {expected} but got {found} in '{self.text}'")

    def take(self, *wanted: str) -> str:
        """Takes the next token if it is one of `wanted`, else returns ''."""
        if (self.position < len(self.tokens)
                and self.tokens[self.position] in wanted):
            self.position += 1
            return self.tokens[self.position - 1]
        return ""

    def need(self, token: str) -> None:
        if not self.take(token):
            raise self.fail(f"'{token}'")

    def whole(self) -> int:
        value = self.expression()
        if self.position < len(self.tokens):
            raise self.fail("an operator")
        return value

    def expression(self) -> int:
        value = self.term()
        while True:
            sign = self.take("+", "-")
            if not sign:
                return value
            right = self.term()
            value = value + right if sign == "+" else value - right

    def term(self) -> int:
        value = self.factor()
        while self.take("*"):
            value *= self.factor()
        return value

    def factor(self) -> int:
        if self.take("-"):
            return -self.factor()
        if self.take("("):
            value = self.expression()
            self.need(")")
            return value
        function = self.take(*FUNCTIONS)
        if function:
            self.need("(")
            left = self.expression()
            self.need(",")
            right = self.expression()
            self.need(")")
            return FUNCTIONS[function](left, right)
        if self.position >= len(self.tokens):
            raise self.fail("a value")
        token = self.tokens[self.position]
        if token.isdigit():
            self.position += 1
            return int(token)
        if not (token[0].isalpha() or token[0] == "_"):
            raise self.fail("a value")
        if token not in self.sizes:
            raise ExpressionError(
                f"expected one of the sizes {', '.join(sorted(self.sizes))} "
                f"but got '{token}' in '{self.text}'")
        self.position += 1
        return int(self.sizes[token])


def evaluate(expression: Union[int, str], sizes: Mapping[str, int]) -> int:
    """Returns the value of an expression, or the integer that stands for it.

    Raises ExpressionError, which names the expression and the token.
    """
    if isinstance(expression, int):
        return expression
    return Evaluator(expression, sizes).whole()
