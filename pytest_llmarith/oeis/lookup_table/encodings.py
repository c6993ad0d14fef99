"""Measures how many bits of data a program contains, and how many bits its terms take in short encodings.

A program that computes needs fewer bits than its terms. A lookup table needs at least as many in any encoding: terms
in hexadecimal, compressed or split into two halves are still in the literals.
"""

from __future__ import annotations

import ast
import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from math import log2

from pytest_llmarith.oeis.lookup_table.literals import SELF_READERS, names, walk
from pytest_llmarith.oeis.program import Program

_NAME_READERS = {
    *("dir", "vars", "globals", "locals", "getattr", "__dict__", "__members__", "_fields", "__annotations__"),
    *("co_names", "co_varnames", "co_consts", "inspect", "_getframe", "signature", "fields", "__qualname__"),
}
_MAX_STEP = 2  # an integer up to this size outside of a display is a step, a first index or a base case


def literal_bits(program: Program) -> int:
    """Bits of the data that a program can read.

    These are integers and strings; also names if it reads names; its whole source if it reads its source.
    """
    nodes = [*walk(program.tree, limit=None)]
    used = [name for _, name in names(nodes)]
    if SELF_READERS & {*used}:
        return 8 * len(zlib.compress(program.source.encode(), 9))
    ignored = _without_data(nodes)
    values = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in ignored]
    texts: list[str | bytes] = [value for value in values if isinstance(value, str | bytes)]
    if _NAME_READERS & {*used} or used.count("__name__") > 1:
        texts += {*used}
    return round(_text_bits(texts) + sum(map(_number_bits, values)))


def term_bits(terms: Sequence[int]) -> int:
    """Bits of the terms in the shortest of these encodings: terms, first or second differences, or text with zlib."""
    if not terms:
        return 0
    steps = [terms[0], *(b - a for a, b in pairwise(terms))]
    second = [steps[0], *(b - a for a, b in pairwise(steps))]
    text = ",".join(map(str, terms)).encode()
    compressed = 8 * len(zlib.compress(text, 9)[2:-4])
    return round(min(compressed, *(min(_entropy_bits(some), _size_bits(some)) for some in (terms, steps, second))))


def _size_bits(values: Iterable[int]) -> float:
    return sum(max(1, value.bit_length()) for value in values)


def _entropy_bits(values: Sequence[Hashable]) -> float:
    """Bits of the values as entropy-coded indices of a dictionary, and of that dictionary."""
    counts = Counter(values)
    code = sum(count * log2(len(values) / count) for count in counts.values())
    return code + _size_bits(value for value in counts if isinstance(value, int))


def _number_bits(value: object) -> float:
    if isinstance(value, int):
        return max(1, value.bit_length())
    return 3.3 * len(repr(value)) if isinstance(value, float | complex) else 0.0


def _text_bits(texts: Sequence[str | bytes]) -> float:
    """Bits of the entropy-coded characters and of the lengths: a hexadecimal digit has 4 bits at most."""
    counts = Counter(sign for text in texts for sign in (text if isinstance(text, str) else text.decode("latin-1")))
    bits = {sign: log2(counts.total() / count) for sign, count in counts.items()}
    return sum(count * bits[sign] for sign, count in counts.items()) + sum(log2(len(text) + 1) for text in texts)


def _without_data(nodes: Sequence[ast.AST]) -> set[int]:
    """Ids of constants without data: docstrings, messages of uncaught errors, `__main__`, small steps."""
    in_displays = {
        id(part.operand if isinstance(part, ast.UnaryOp) else part)
        for node in nodes
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)
        for part in ast.iter_child_nodes(node)
    }
    found = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    catches = any(isinstance(node, ast.ExceptHandler) and node.name for node in nodes)
    for node in nodes:
        if isinstance(node, ast.Raise) and not catches:  # a caught error's message can be read
            found |= {id(part) for part in walk(node, limit=None)}
        if isinstance(node, ast.Constant):
            is_step = isinstance(node.value, int) and node.value <= _MAX_STEP and id(node) not in in_displays
            if is_step or node.value == "__main__":
                found.add(id(node))
    return found
