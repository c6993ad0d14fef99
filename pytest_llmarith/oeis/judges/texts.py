"""Integers in a text: numbers, digits, codes of characters, lengths of words. It does not know where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

_SHORTEST_TABLE = 6  # characters

_NUMBER = re.compile(r"-?\d{1,4000}", re.ASCII)
_WORD = re.compile(r"[0-9A-Za-z]+")
_WIDTHS = range(2, 11)


def numbers_in(text: str) -> list[int]:
    """The numbers that anybody sees in a text."""
    return [int(number) for number in _NUMBER.findall(text)]


def readings(text: str, bases: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
    """Every hidden way in which a text may hold integers, with its name for people; numbers in it have `bases`."""
    if len(text) < _SHORTEST_TABLE:
        return
    yield "the characters of a text", [*map(ord, text)]
    yield "the lengths of words", [*map(len, text.split())]
    yield "the lengths of runs in a text", [len([*run]) for _, run in groupby(text)]
    words = _WORD.findall(text)
    for base in bases:
        yield f"a text in base {base}", _in_base(words, base)
    if len(words) == 1 == len(text.split()):
        yield from _of_one_word(words[0], bases)


def _of_one_word(word: str, bases: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
    """Digits without anything between them, of one width."""
    yield "the digits of a text", _in_base(word, 36)
    for base in {10, *bases}:
        for width in _WIDTHS:
            chunks = [word[k : k + width] for k in range(0, len(word), width)]
            yield f"a text of {width} digits each", _in_base(chunks, base)


def _in_base(words: Sequence[str], base: int) -> list[int]:
    """The numbers that the words write, or none where one of them writes none."""
    try:
        return [int(word[:4000], base) for word in words]
    except ValueError:
        return []
