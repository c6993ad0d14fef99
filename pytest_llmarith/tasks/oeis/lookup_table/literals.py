"""The literals of a program, and how many bits of data they hold.

Literals are integers, strings, lists of names and the like. A program that computes
needs fewer bits than its terms. A lookup table needs at least as many in any encoding:
terms in hexadecimal, compressed or split into two halves are still in the literals.

Every function takes time linear in the size of the program and accepts trees of any
depth.
"""

from __future__ import annotations

import ast
import operator
import zlib
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from itertools import islice, pairwise
from math import log2
from types import EllipsisType
from typing import NamedTuple

from pytest_llmarith.tasks.oeis.program import Program

_MAX_BITS = 64  # a longer operand is part of a computation

# A program that uses one of these names may read its own comments and docstrings.
_SELF_READERS = {
    "__file__",
    "__doc__",
    "getsource",
    "getsourcelines",
    "linecache",
    "getdoc",
    "getcomments",
}
# A program that uses one of these may read the names in its source.
_NAME_READERS = {
    "dir",
    "vars",
    "globals",
    "locals",
    "getattr",
    "__dict__",
    "__members__",
    "_fields",
    "__annotations__",
    "co_names",
    "co_varnames",
    "co_consts",
    "inspect",
    "_getframe",
    "signature",
    "fields",
    "__qualname__",
}
# An integer up to this size outside of a display is a step, a first index or a base
# case.
_MAX_STEP = 2
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


class Text(NamedTuple):
    """A string or bytes, and the line where it begins."""

    line: int
    text: str | bytes


def walk(*roots: ast.AST, limit: int | None = None) -> Iterator[ast.AST]:
    """The first `limit` nodes, or all, in source order, parents before children."""
    return islice(_walk(roots, lambda node: True), limit)


def constants(tree: ast.Module) -> dict[int, int]:
    """The integers of constant expressions, by the `id` of their nodes.

    Such expressions are -3, 7 + 1 or 5.0.
    """
    found = dict[int, int]()
    for node in reversed(list(walk(tree))):  # parts before the whole
        value = _integer(node, found)
        if value is not None:
            found[id(node)] = value
    return found


def _integer(node: ast.AST, known: Mapping[int, int]) -> int | None:
    match node:
        case ast.Constant(bool()):
            return None
        case ast.Constant(int() as value):
            return value
        case ast.Constant(float() as number) if (
            number.is_integer() and abs(number) < 1 << 53
        ):
            return int(number)
        case ast.UnaryOp(ast.USub(), operand) if id(operand) in known:
            return -known[id(operand)]
        case ast.BinOp(left, kind, right) if (
            type(kind) in _OPERATORS and id(left) in known and id(right) in known
        ):
            first, second = known[id(left)], known[id(right)]
            if max(first.bit_length(), second.bit_length()) <= _MAX_BITS:
                return _OPERATORS[type(kind)](first, second)
    return None


def integers(
    known: Mapping[int, int],
    *roots: ast.AST,
    without: Collection[int] = (),
    limit: int | None = None,
) -> Iterator[tuple[int, int]]:
    """The integers of `constants` with their lines, in source order.

    They are those among the first `limit` nodes. Nodes whose `id` is in `without` are
    left out, with all below them.
    """

    def descends(node: ast.AST) -> bool:
        return id(node) not in without and id(node) not in known

    for node in islice(_walk(roots, descends), limit):
        if id(node) in known and id(node) not in without:
            yield known[id(node)], getattr(node, "lineno", 1)


def _walk(
    roots: Iterable[ast.AST], descends: Callable[[ast.AST], bool]
) -> Iterator[ast.AST]:
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
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                yield key
            yield value
    else:
        yield from ast.iter_child_nodes(node)


def texts(source: str, tree: ast.Module) -> list[Text]:
    """The different strings that the program can read at run time.

    They are alone, and joined without and with a space. If the program may read its own
    source, these are all its strings and the source. Otherwise docstrings do not count.
    """
    nodes = list(walk(tree))
    reads_itself = not _SELF_READERS.isdisjoint(_names(nodes))
    docstrings = set()
    if not reads_itself:
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    literals = []
    strings = []
    for node in nodes:
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str | bytes):
            literals.append(Text(node.lineno, node.value))
        if isinstance(node.value, str):
            strings.append(node.value)
    found = []
    if len(strings) > 1:
        line = literals[0].line
        found += [Text(line, "".join(strings)), Text(line, " ".join(strings))]
    found += literals
    if reads_itself:
        found.append(Text(1, source))
    return list(dict.fromkeys(found))


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Every name in the nodes: variables, attributes, functions, modules, arguments."""
    for node in nodes:
        for field in ("id", "attr", "name", "module", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def literal_bits(program: Program) -> int:
    """Bits of the data that a program can read.

    These are integers and strings, and the symbols of `_symbols`; also names if it
    reads names; its whole source if it reads its source.
    """
    nodes = list(walk(program.tree))
    used = list(_names(nodes))
    if not _SELF_READERS.isdisjoint(used):
        return 8 * len(zlib.compress(program.source.encode(), 9))
    ignored = _without_data(nodes)
    values = []
    texts: list[str | bytes] = []
    for node in nodes:
        if not isinstance(node, ast.Constant) or id(node) in ignored:
            continue
        values.append(node.value)
        if isinstance(node.value, str | bytes):
            texts.append(node.value)
    reads_names = not _NAME_READERS.isdisjoint(used) or used.count("__name__") > 1
    if reads_names:
        texts += set(used)
    elif any(_gives_names(node) for node in nodes):
        keywords = set()
        for node in nodes:
            if isinstance(node, ast.keyword) and node.arg:
                keywords.add(node.arg)
        texts += keywords
    bits = _text_bits(texts)
    bits += sum(_number_bits(value) for value in values)
    bits += _entropy_bits(list(_symbols(nodes)))
    return round(bits)


def _gives_names(node: ast.AST) -> bool:
    """Whether it makes keys of the names of keyword arguments.

    A function with `**` and a call of `dict` do.
    """
    match node:
        case ast.arguments(kwarg=ast.arg()) | ast.Call(func=ast.Name("dict")):
            return True
    return False


def _symbols(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What a list of code tells apart.

    That is its names, `None`, `...`, and the lengths of its parts that are lists. Such
    a list is a display, all that is yielded, or a chain of calls. Nodes come before
    those below them.
    """
    inside = set[int]()
    for node in nodes:
        is_inside = id(node) in inside
        if is_inside or isinstance(node, (*_DISPLAYS, ast.Yield)):
            inside.update(map(id, ast.iter_child_nodes(node)))
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(), attr=name)):
                yield name
            case ast.Name(id=name, ctx=ast.Load()) if is_inside:
                yield name
            case ast.Constant(None | EllipsisType() as value) if is_inside:
                yield repr(value)
            case ast.List(parts) | ast.Tuple(parts) | ast.Set(parts) if is_inside:
                yield f"{len(parts)} parts"


def term_bits(terms: Sequence[int]) -> int:
    """Bits of the terms in the shortest of several encodings.

    They are the terms, their first or second differences, and text with zlib.
    """
    if not terms:
        return 0
    text = ",".join(map(str, terms)).encode()
    sizes: list[float] = [8 * len(zlib.compress(text, 9)[2:-4])]
    steps = _with_steps(terms)
    for values in (terms, steps, _with_steps(steps)):
        sizes += [_entropy_bits(values), _size_bits(values)]
    return round(min(sizes))


def _with_steps(values: Sequence[int]) -> list[int]:
    """The first value, and the difference of each to the next one."""
    return [values[0], *(after - before for before, after in pairwise(values))]


def _size_bits(values: Iterable[int]) -> float:
    return sum(max(1, value.bit_length()) for value in values)


def _entropy_bits(values: Sequence[Hashable]) -> float:
    """Bits of the values as entropy-coded indices of a dictionary, with that."""
    counts = Counter(values)
    code = sum(count * log2(len(values) / count) for count in counts.values())
    return code + _size_bits(value for value in counts if isinstance(value, int))


def _number_bits(value: object) -> float:
    if isinstance(value, int):
        return max(1, value.bit_length())
    if isinstance(value, float | complex):
        return 3.3 * len(repr(value))
    return 0.0


def _text_bits(texts: Sequence[str | bytes]) -> float:
    """Bits of the entropy-coded characters and of the lengths.

    A hexadecimal digit has 4 bits at most.
    """
    counts = Counter[str]()
    for text in texts:
        counts.update(text if isinstance(text, str) else text.decode("latin-1"))
    total = counts.total()
    characters = sum(count * log2(total / count) for count in counts.values())
    lengths = sum(log2(len(text) + 1) for text in texts)
    return characters + lengths


def _without_data(nodes: Sequence[ast.AST]) -> set[int]:
    """Ids of constants without data.

    They are docstrings, messages of uncaught errors, `__main__` and small steps.
    """
    in_displays = set()
    for node in nodes:
        if isinstance(node, _DISPLAYS):
            for part in ast.iter_child_nodes(node):
                in_displays.add(
                    id(part.operand if isinstance(part, ast.UnaryOp) else part)
                )
    found = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    # The message of a caught error can be read.
    catches = any(isinstance(node, ast.ExceptHandler) and node.name for node in nodes)
    for node in nodes:
        if isinstance(node, ast.Raise) and not catches:
            found.update(map(id, walk(node)))
        if isinstance(node, ast.Constant):
            is_small = isinstance(node.value, int) and node.value <= _MAX_STEP
            is_step = is_small and id(node) not in in_displays
            if is_step or node.value == "__main__":
                found.add(id(node))
    return found
