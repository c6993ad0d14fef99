"""Every stream of integers that a program writes down: in numbers, texts, names and blobs. It does not know terms."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from pytest_llmarith.oeis.judges.blobs import DECODERS, SHORTEST_BLOB, UNPACKERS, decoded, digits, packed
from pytest_llmarith.oeis.judges.constants import in_order, integers
from pytest_llmarith.oeis.judges.reachable import names, texts
from pytest_llmarith.oeis.judges.streams import LONGEST_STREAM, Stream, hidden_stream
from pytest_llmarith.oeis.judges.texts import numbers_in, readings

LONG_INTEGER_BITS = 40
_MOST_LONG_INTEGERS = 24
_MOST_BASES = 8
_LONGEST_TEXT = 1 << 14
_MOST_BLOBS = 40  # decodings of all texts together
_MOST_HIDDEN = 1 << 16  # integers in all hidden streams together: what is behind them is left to the runs

_ORDERS: tuple[Literal["big", "little"], ...] = ("big", "little")


def streams(program: str, tree: ast.Module) -> Iterator[Stream]:
    """All streams of a program; those that anybody can see come first."""
    nodes = [*in_order(tree)]
    numbers = [*islice(integers(tree), LONGEST_STREAM)]
    yield _plain("the numbers", numbers)
    yield _plain("the answers", [*islice(integers(tree, without=_compared(nodes)), LONGEST_STREAM)])
    truths = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, bool)]
    yield _plain("True and False", [(int(bool(node.value)), node.lineno) for node in truths])
    read = 0
    for stream in _hidden(program, tree, numbers, {name for _, name in names(nodes)}):
        yield stream
        read += len(stream.values)
        if read > _MOST_HIDDEN:
            break


def _plain(place: str, numbers: Sequence[tuple[int, int]]) -> Stream:
    return Stream(place, [value for value, _ in numbers], [line for _, line in numbers])


def _compared(nodes: Iterable[ast.AST]) -> set[int]:
    """What n is compared with in a tree of comparisons is no answer."""
    comparisons = (node for node in nodes if isinstance(node, ast.Compare))
    return {id(part) for node in comparisons for part in (node.left, *node.comparators)}


def _hidden(program: str, tree: ast.Module, numbers: list[tuple[int, int]], named: set[str]) -> Iterator[Stream]:
    bases = _bases(value for value, _ in numbers)
    long = [one for one in dict.fromkeys(numbers) if one[0].bit_length() >= LONG_INTEGER_BITS]
    for value, line in sorted(long, reverse=True)[:_MOST_LONG_INTEGERS]:
        for found in digits(value, bases):
            yield hidden_stream("the digits of a long integer", found, line)
    blobs = 0
    for line, text in texts(program, tree):
        yield from _of_bytes(text, line, "bytes", named) if isinstance(text, bytes) else _of_text(text, line, bases)
        if DECODERS & named and blobs < _MOST_BLOBS:
            for blob in islice(_blobs(text), _MOST_BLOBS - blobs):
                blobs += 1
                yield from _of_bytes(blob[1], line, f"a text encoded with {', '.join(blob[0])}", named)


def _bases(values: Iterable[int]) -> list[int]:
    """Bases that the program itself names, or masks of: they are what its texts and integers are written in."""
    named = dict.fromkeys(base for value in values for base in (value, value + 1) if 2 < base <= 10**6)
    return [*named][:_MOST_BASES]


def _of_text(text: str, line: int, bases: list[int]) -> Iterator[Stream]:
    kept = text[:_LONGEST_TEXT]
    yield _plain("a text", [(number, line) for number in numbers_in(kept)])
    for how, values in readings(kept, sorted({2, 16, 36, *(base for base in bases if base <= 36)})):
        yield hidden_stream(how, values, line)


def _of_bytes(data: bytes, line: int, place: str, named: set[str]) -> Iterator[Stream]:
    kept = data[:_LONGEST_TEXT]
    yield hidden_stream(place, [*kept], line)
    yield hidden_stream(place, numbers_in(kept.decode("latin-1")), line)
    if UNPACKERS & named:
        for values in packed(kept):
            yield hidden_stream(place, values, line)
        for order in _ORDERS:
            for found in digits(int.from_bytes(kept[:2048], order), ()):
                yield hidden_stream(place, found, line)


def _blobs(text: str | bytes) -> Iterator[tuple[tuple[str, ...], bytes]]:
    if isinstance(text, str) and not text.isascii():
        return
    data = text if isinstance(text, bytes) else text.encode()
    if len(data) >= SHORTEST_BLOB:
        yield from decoded(data)
        yield from decoded(data[::-1])
