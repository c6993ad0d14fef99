"""Extracts literals from a program: integers, strings, names and comments.

Every function takes time linear in the size of the program and accepts trees of any depth.
"""

from __future__ import annotations

import ast
import io
import operator
import re
import tokenize
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

MAX_NODES = 1 << 15  # of one walk
_MAX_EXPRESSION_DEPTH = 4  # so that each node is evaluated a few times only
_MAX_BITS = 64  # a longer operand, as in 10**140, is part of a computation
_MAX_TEXTS = 400

# A program that uses one of these names may read its own comments and docstrings.
SELF_READERS = {"__file__", "__doc__", "getsource", "getsourcelines", "linecache", "getdoc", "getcomments"}
_NAME_WITH_NUMBERS = re.compile(r"(?:\D*\d+){5}")

_OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.LShift: operator.lshift,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_TEXT_FUNCTIONS: Mapping[str, Callable[[str], int]] = {"ord": ord, "len": len, "int": int}


class Text(NamedTuple):
    """A string or bytes, and the line where it begins."""

    line: int
    text: str | bytes


def walk(*roots: ast.AST, limit: int | None = MAX_NODES) -> Iterator[ast.AST]:
    """The first `limit` nodes, or all, in source order, parents before children."""
    return islice(_walk(roots, lambda node: True), limit)


def integers(*roots: ast.AST, without: Collection[int] = (), limit: int = MAX_NODES) -> Iterator[tuple[int, int]]:
    """The integers among the first `limit` nodes with their lines, in source order.

    A constant expression counts as its value. Nodes whose `id` is in `without` are left out, with all below them.
    """
    for node in islice(_walk(roots, lambda node: id(node) not in without and integer(node) is None), limit):
        value = None if id(node) in without else integer(node)
        if value is not None:
            yield value, getattr(node, "lineno", 1)


def integer(node: ast.AST, depth: int = 0) -> int | None:
    """The value of a constant expression, or None: -3, 7 + 1, 1 << 4, 10 ** 3, 5.0, ord('x'), len('abc'), int('12')."""
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if depth == _MAX_EXPRESSION_DEPTH:
        return None
    match node:
        case ast.UnaryOp(op, operand) if type(op) in _OPERATORS:
            value = integer(operand, depth + 1)
            return None if value is None else int(_OPERATORS[type(op)](value))
        case ast.BinOp():
            left, right = integer(node.left, depth + 1), integer(node.right, depth + 1)
            return None if left is None or right is None else _binary(node.op, left, right)
        case ast.Call(ast.Name(name), [ast.Constant(str(text))]) if name in _TEXT_FUNCTIONS:
            with suppress(ValueError, TypeError):
                return _TEXT_FUNCTIONS[name](text)
    return None


def _constant(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _binary(kind: ast.operator, left: int, right: int) -> int | None:
    is_too_large = max(left.bit_length(), right.bit_length()) > _MAX_BITS
    if isinstance(kind, ast.LShift):
        is_too_large |= not 0 <= right < _MAX_BITS
    elif isinstance(kind, ast.Pow):
        is_too_large |= right < 0 or left.bit_length() * right > _MAX_BITS
    with suppress(ZeroDivisionError, KeyError):
        return None if is_too_large else int(_OPERATORS[type(kind)](left, right))
    return None


def _walk(roots: Iterable[ast.AST], descends: Callable[[ast.AST], bool]) -> Iterator[ast.AST]:
    """Depth first with an explicit stack, as recursion fails for deep trees."""
    stack = [iter(roots)]
    while stack:
        for node in stack[-1]:
            yield node
            if descends(node):
                stack.append(_children(node))
                break
        else:
            stack.pop()


def _children(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Dict):  # the tree has all keys before all values
        pairs = zip(node.keys, node.values, strict=True)
        return (part for pair in pairs for part in pair if part is not None)
    return ast.iter_child_nodes(node)


def texts(source: str, tree: ast.Module) -> list[Text]:
    """The different strings that the program can read at run time, alone and joined with their neighbours.

    Comments and docstrings count only if the program may read its own source.
    """
    nodes = [*walk(tree)]
    named = [Text(line, name) for line, name in names(nodes)]
    reads_itself = any(name.text in SELF_READERS for name in named)
    docstrings = set() if reads_itself else {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    literals = [
        Text(node.lineno, node.value)
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and id(node) not in docstrings
    ]
    with_numbers = [name for name in named if _NAME_WITH_NUMBERS.match(str(name.text))]
    remarks = [Text(*comment) for comment in comments(source)] if reads_itself else []
    found = [*_joined(literals), *_joined_in_expressions(nodes), *literals, *with_numbers, *remarks]
    return [*dict.fromkeys(found)][:_MAX_TEXTS]


def names(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Every name in the nodes with its line: variables, attributes, functions, modules, arguments."""
    for node in nodes:
        for field in ("id", "attr", "name", "module", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield getattr(node, "lineno", 1), name


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Every comment with its line; none if the source cannot be tokenized."""
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(source).readline)]
    except (tokenize.TokenError, SyntaxError):
        return
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _joined(parts: Sequence[Text]) -> Iterator[Text]:
    """Two or more strings joined without and with a space."""
    strings = [part.text for part in parts if isinstance(part.text, str)]
    if len(strings) > 1:
        yield Text(parts[0].line, "".join(strings))
        yield Text(parts[0].line, " ".join(strings))


def _joined_in_expressions(nodes: Sequence[ast.AST]) -> Iterator[Text]:
    """The joined strings of each outermost sum, display and f-string."""
    seen = set[int]()
    for node in nodes:
        if isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.Set | ast.BinOp) and id(node) not in seen:
            parts = [*walk(node)]
            seen.update(map(id, parts))
            strings = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            yield from _joined([Text(part.lineno, str(part.value)) for part in strings])
