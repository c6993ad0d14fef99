"""Pairs of an n and a value: `if n == 5: print(8)`, `case 5`, `{5: 8}`, `[(5, 8)]`. It does not know terms.

Pairs need not be sorted, so they are found whatever the order in which a table is written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pytest_llmarith.oeis.judges.constants import in_order, integer, integers

_MOST_KEYS = 64
_LARGEST_KEY = 128  # nodes: keys may stand in keys
_FAR = 12  # nodes between a case and its value: further away there is a computation


class Pair(NamedTuple):
    n: int
    value: int
    line: int


def pairs(tree: ast.Module) -> Iterator[Pair]:
    """Every pair of integers that the program lets follow from each other."""
    for node in in_order(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield from _pair(_integers(key), value)
        elif isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2:
            yield from _pair(_integers(node.elts[0]), node.elts[1])
        elif isinstance(node, ast.If):
            yield from _pair(_tested(node.test), *node.body)
        elif isinstance(node, ast.IfExp):
            yield from _pair(_tested(node.test), node.body)
        elif isinstance(node, ast.match_case):
            yield from _pair(_integers(node.pattern), *node.body)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            yield from _pair(_integers(node.targets[0].slice), node.value)


def _pair(keys: list[int], *answer: ast.AST) -> Iterator[Pair]:
    if not keys or not answer or len(answer) > 2:
        return
    near = [*in_order(*answer, most=_FAR)]
    found = next(iter(integers(*answer)), None) if any(integer(node) is not None for node in near) else None
    if found:
        for key in keys:
            yield Pair(key, *found)


def _tested(test: ast.expr) -> list[int]:
    """The values of n for which a test is true: `n == 5`, `5 == n`, `n in (5, 6)`."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.In):
        return _integers(test)
    return []


def _integers(node: ast.AST | None) -> list[int]:
    """The integers in a key; a numeric text is one too, since n arrives as text."""
    if node is None:
        return []
    found = [value for value, _ in islice(integers(node, most=_LARGEST_KEY), _MOST_KEYS)]
    texts = [part.value for part in in_order(node, most=_MOST_KEYS) if isinstance(part, ast.Constant)]
    return found + [int(text) for text in texts if isinstance(text, str) and text.isdecimal() and len(text) < 9]
