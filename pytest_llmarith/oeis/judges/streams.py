"""A stream: integers in the order in which a program writes them down, each with its line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LONGEST_STREAM = 1 << 13  # integers: more than any listing has in any code
_LONGEST_HIDDEN = 1 << 12  # for each way to read the same text


class Stream(NamedTuple):
    """`place` names for people where the integers stand, as in "the numbers" or "a text".

    A stream is `hidden` where it is one of many ways to read the same characters: one of many fits by chance sooner.
    """

    place: str
    values: Sequence[int]
    lines: Sequence[int]
    hidden: bool = False


def hidden_stream(place: str, values: Sequence[int], line: int) -> Stream:
    """One way to read what stands on one line."""
    kept = values[:_LONGEST_HIDDEN]
    return Stream(place, kept, [line] * len(kept), hidden=True)


def variants(one: Stream) -> list[Stream]:
    """The stream forwards and backwards, and the columns of tables with two and three of them."""
    steps = (1,) if one.hidden else (1, 2, 3)
    columns = [
        one._replace(values=one.values[k::step], lines=one.lines[k::step]) for step in steps for k in range(step)
    ]
    return columns + [column._replace(values=column.values[::-1], lines=column.lines[::-1]) for column in columns[:3]]
