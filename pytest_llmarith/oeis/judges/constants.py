"""Integers in a syntax tree: literals, and small expressions of literals. It evaluates them itself and runs nothing."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

MOST_NODES = 1 << 15  # of one walk: what is behind them is left to the runs
_DEEPEST = 4  # levels of an expression, so that every node is looked at a few times and no more
_MOST_BITS = 64  # what is longer is a number like 10**140, and no datum

_BINARY: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[int], int]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_OF_TEXT: Mapping[str, Callable[[str], int]] = {"ord": ord, "len": len, "int": int}


def in_order(*roots: ast.AST, most: int | None = MOST_NODES) -> Iterator[ast.AST]:
    """The first nodes, `most` of them or all, parents before children, as they are written."""
    return islice(_walk(roots, lambda node: True), most)


def integers(*roots: ast.AST, without: Collection[int] = (), most: int = MOST_NODES) -> Iterator[tuple[int, int]]:
    """Every integer with its line, in order: an expression of constants counts as its value.

    Nodes whose `id` is in `without` are passed over; after `most` nodes there is nothing more.
    """
    for node in islice(_walk(roots, lambda node: id(node) not in without and integer(node) is None), most):
        value = None if id(node) in without else integer(node)
        if value is not None:
            yield value, getattr(node, "lineno", 1)


def integer(node: ast.AST, depth: int = 0) -> int | None:
    """The value of a constant expression, or None: -3, 7 + 1, 1 << 4, 10 ** 3, 5.0, ord('x'), len('abc'), int('12')."""
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if depth == _DEEPEST:
        return None
    if isinstance(node, ast.UnaryOp) and (unary := _UNARY.get(type(node.op))):
        value = integer(node.operand, depth + 1)
        return None if value is None else unary(value)
    if isinstance(node, ast.BinOp):
        left, right = integer(node.left, depth + 1), integer(node.right, depth + 1)
        return None if left is None or right is None else _combined(node.op, left, right)
    return _called(node) if isinstance(node, ast.Call) else None


def _constant(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _combined(kind: ast.operator, left: int, right: int) -> int | None:
    if max(left.bit_length(), right.bit_length()) > _MOST_BITS:
        return None
    if isinstance(kind, ast.LShift) and 0 <= right < _MOST_BITS:
        return left << right
    if isinstance(kind, ast.Pow) and right >= 0 and left.bit_length() * right <= _MOST_BITS:
        return int(left**right)
    with suppress(ZeroDivisionError, KeyError):
        return _BINARY[type(kind)](left, right)
    return None


def _called(node: ast.Call) -> int | None:
    """`ord`, `len` and `int` of a text."""
    if not (isinstance(node.func, ast.Name) and len(node.args) == 1 and isinstance(node.args[0], ast.Constant)):
        return None
    text, function = node.args[0].value, _OF_TEXT.get(node.func.id)
    if not isinstance(text, str) or function is None:
        return None
    try:
        return function(text)
    except (ValueError, TypeError):
        return None


def children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right below, as they are written."""
    if isinstance(node, ast.Dict):  # the tree has all keys before all values
        pairs = zip(node.keys, node.values, strict=True)
        return (part for pair in pairs for part in pair if part is not None)
    return ast.iter_child_nodes(node)


def _walk(roots: Iterable[ast.AST], descends: Callable[[ast.AST], bool]) -> Iterator[ast.AST]:
    """A stack of its own, for trees of any depth; it takes no more children than are asked for."""
    waiting = [iter(roots)]
    while waiting:
        for node in waiting[-1]:
            yield node
            if descends(node):
                waiting.append(children(node))
                break
        else:
            waiting.pop()
