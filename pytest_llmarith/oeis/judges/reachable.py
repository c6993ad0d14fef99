"""The texts and names of a program that can hold data: what Python passes over is none of it.

Comments and docstrings count only where the program may read itself. It does not know what texts may hold.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_llmarith.oeis.judges.constants import in_order

_MOST_TEXTS = 400

# Who mentions these may read comments and docstrings.
SELF_READERS = {"__file__", "__doc__", "getsource", "getsourcelines", "linecache", "getdoc", "getcomments"}
_NUMBERS_IN_A_NAME = re.compile(r"(?:\D*\d+){5}")


class Text(NamedTuple):
    """A text or bytes, and the line where it begins."""

    line: int
    text: str | bytes


def texts(program: str, tree: ast.Module) -> list[Text]:
    """Every text that the program can reach, alone and joined to those beside it, without repetitions."""
    nodes = [*in_order(tree)]
    reads_itself = any(name in SELF_READERS for _, name in names(nodes))
    passed_over = set() if reads_itself else {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    singles = [
        Text(node.lineno, node.value)
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and id(node) not in passed_over
    ]
    named = [Text(line, name) for line, name in names(nodes) if _NUMBERS_IN_A_NAME.match(name)]
    remarks = [Text(*comment) for comment in comments(program)] if reads_itself else []
    return [*dict.fromkeys([*_joined(singles), *_groups(nodes), *singles, *named, *remarks])][:_MOST_TEXTS]


def names(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Every name in the nodes with its line: variables, attributes, functions, modules, arguments."""
    for node in nodes:
        for field in ("id", "attr", "name", "module", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield getattr(node, "lineno", 1), name


def _joined(parts: Sequence[Text]) -> Iterator[Text]:
    """The parts as one text, with and without a space between them."""
    strings = [part.text for part in parts if isinstance(part.text, str)]
    if len(strings) > 1:
        yield Text(parts[0].line, "".join(strings))
        yield Text(parts[0].line, " ".join(strings))


def _groups(nodes: Sequence[ast.AST]) -> Iterator[Text]:
    """The texts of each sum, display and f-string that holds several, the outermost ones alone."""
    seen = set[int]()
    for node in nodes:
        if isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.Set | ast.BinOp) and id(node) not in seen:
            parts = [*in_order(node)]
            seen.update(map(id, parts))
            strings = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            yield from _joined([Text(part.lineno, str(part.value)) for part in strings])


def comments(program: str) -> Iterator[tuple[int, str]]:
    """Every comment with its line, as far as the program can be read."""
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(program).readline)]
    except (tokenize.TokenError, SyntaxError):
        return
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
