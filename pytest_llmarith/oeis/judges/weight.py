"""How much data a program carries and how much data a listing is, both in bits.

A program that computes needs fewer bits than its answers hold. A table needs at least as many, however it is encoded:
what is in hexadecimal, compressed or combined from two halves still stands in the literals.
"""

from __future__ import annotations

import ast
import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from math import log2

from pytest_llmarith.oeis.compiling import Program
from pytest_llmarith.oeis.judges.constants import in_order
from pytest_llmarith.oeis.judges.reachable import SELF_READERS, names

_NAME_READERS = {
    *("dir", "vars", "globals", "locals", "getattr", "__dict__", "__members__", "_fields", "__annotations__"),
    *("co_names", "co_varnames", "co_consts", "inspect", "_getframe", "signature", "fields", "__qualname__"),
}
_SMALL = 2  # an integer of this size outside of a display is a step, a first index or a base case


def carried(program: Program) -> int:
    """Bits of what the program can read: integers and texts, names if it reads names, all of it if it reads itself."""
    nodes = [*in_order(program.tree, most=None)]
    read = [name for _, name in names(nodes)]
    if SELF_READERS & {*read}:
        return 8 * len(zlib.compress(program.source.encode(), 9))
    ignored = _ignored(nodes)
    values = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in ignored]
    texts: list[str | bytes] = [value for value in values if isinstance(value, str | bytes)]
    if _NAME_READERS & {*read} or read.count("__name__") > 1:
        texts += {*read}
    return round(_text_bits(texts) + sum(map(_number_bits, values)))


def held(terms: Sequence[int]) -> int:
    """Bits of the shortest of a few usual encodings: the terms, their differences, each entropy coded, and zlib."""
    if not terms:
        return 0
    steps = [terms[0], *(b - a for a, b in pairwise(terms))]
    second = [steps[0], *(b - a for a, b in pairwise(steps))]
    text = ",".join(map(str, terms)).encode()
    coded = 8 * len(zlib.compress(text, 9)[2:-4])
    return round(min(coded, *(min(_entropy(values), _sizes(values)) for values in (terms, steps, second))))


def _sizes(values: Iterable[int]) -> float:
    """Bits of the values if each is written with as many bits as it needs."""
    return sum(max(1, value.bit_length()) for value in values)


def _entropy(values: Sequence[Hashable]) -> float:
    """Bits of the values if each is written as its place in a dictionary, and of that dictionary."""
    counts = Counter(values)
    code = sum(many * log2(len(values) / many) for many in counts.values())
    return code + sum(max(1, value.bit_length()) for value in counts if isinstance(value, int))


def _number_bits(value: object) -> float:
    if isinstance(value, int):
        return max(1, value.bit_length())
    return 3.3 * len(repr(value)) if isinstance(value, float | complex) else 0.0


def _text_bits(texts: Sequence[str | bytes]) -> float:
    """Each character is worth what its frequency says: one of hexadecimal digits is worth 4 bits at most."""
    signs = Counter(sign for text in texts for sign in (text if isinstance(text, str) else text.decode("latin-1")))
    coded = {sign: log2(signs.total() / many) for sign, many in signs.items()}
    return sum(many * coded[sign] for sign, many in signs.items()) + sum(log2(len(text) + 1) for text in texts)


def _ignored(nodes: Sequence[ast.AST]) -> set[int]:
    """Constants that hold no data: docstrings, messages of errors that nothing catches, `__main__`, small steps."""
    displays = {
        id(part.operand if isinstance(part, ast.UnaryOp) else part)
        for node in nodes
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)
        for part in ast.iter_child_nodes(node)
    }
    found = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    catches = any(isinstance(node, ast.ExceptHandler) and node.name for node in nodes)
    for node in nodes:
        if isinstance(node, ast.Raise) and not catches:  # else its message can be read
            found |= {id(part) for part in in_order(node, most=None)}
        if isinstance(node, ast.Constant) and (node.value == "__main__" or _is_step(node, displays)):
            found.add(id(node))
    return found


def _is_step(node: ast.Constant, displays: set[int]) -> bool:
    return isinstance(node.value, int) and node.value <= _SMALL and id(node) not in displays
