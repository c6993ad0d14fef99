"""Whether a program brings along enough data for a table, whatever the data is. It does not know terms.

Honest programs do too, with names of numbers, primes or months; so bulk is a reason to look further, and no more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from pytest_llmarith.oeis.judges.blobs import DECODERS
from pytest_llmarith.oeis.judges.constants import MOST_NODES, children, in_order, integer, integers
from pytest_llmarith.oeis.judges.dispatch import pairs
from pytest_llmarith.oeis.judges.reachable import names, texts

_MANY_INTEGERS = 8
_MANY_PAIRS = 5
_MANY_ASSIGNMENTS = 6 * _MANY_INTEGERS
_LONG_WORD = 32
LONG_INTEGER_BITS = 80


def bulk(program: str, tree: ast.Module) -> Iterator[str]:
    """What a table could be hidden in, each with its line."""
    nodes = [*in_order(tree)]
    if len(nodes) == MOST_NODES:
        yield f"the program has {MOST_NODES:,} nodes or more, and what stands behind them is not read"
    yield from _in_containers(nodes)
    yield from (f"line {line} decodes something ({name})" for line, name in names(nodes) if name in DECODERS)
    several = len({pair.n for pair in pairs(tree)})
    if several >= _MANY_PAIRS:
        yield f"the program tells {several} values of n apart"
    yield from _in_constants(program, tree)
    assigned = sum(isinstance(node, ast.Assign | ast.Yield | ast.Return) for node in nodes)
    if assigned >= _MANY_ASSIGNMENTS:
        yield f"the program assigns or returns in {assigned} places"


def _in_containers(nodes: Sequence[ast.AST]) -> Iterator[str]:
    counts = _counts(nodes)
    for node in nodes:
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict) and counts[id(node)] >= _MANY_INTEGERS:
            yield f"line {node.lineno} holds {counts[id(node)]} integers"


def _in_constants(program: str, tree: ast.Module) -> Iterator[str]:
    for value, line in integers(tree):
        if value.bit_length() >= LONG_INTEGER_BITS:
            yield f"line {line} holds an integer of {value.bit_length()} bits"
    for line, text in texts(program, tree):
        longest = max(map(len, text.split()), default=0)
        if longest >= _LONG_WORD or isinstance(text, bytes):
            yield f"line {line} holds a text without spaces of {longest} characters"


def _counts(nodes: Sequence[ast.AST]) -> Mapping[int, int]:
    """How many integers stand in each node, by its `id`: children are counted before their parents, and once."""
    counts: dict[int, int] = {}
    for node in reversed(nodes):
        below = sum(counts.get(id(child), 0) for child in children(node))
        counts[id(node)] = below if integer(node) is None else 1
    return counts
