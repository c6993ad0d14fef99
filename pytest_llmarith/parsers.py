"""Parsers of the texts of options: they raise ValueError with what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TypeVar

_Choice = TypeVar("_Choice", bound=StrEnum)


def whole(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if re.fullmatch(r"\d{1,9}", text, re.ASCII) and lowest <= int(text) <= highest:
            return int(text)
        raise ValueError(f"{text!r} is not a whole number from {lowest} to {highest}")

    return parse


def seconds(text: str) -> float:
    if re.fullmatch(r"\d{1,7}(\.\d{1,6})?", text, re.ASCII) and float(text) > 0:
        return float(text)
    raise ValueError(f"{text!r} is not a positive number of seconds; write 600 or 0.5")


def dollars(text: str) -> float:
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII) and float(text) > 0:
        return float(text)
    raise ValueError(
        f"{text!r} is not a positive amount of US dollars; write 5 or 0.25"
    )


def one_of(choices: type[_Choice]) -> Callable[[str], _Choice]:
    def parse(text: str) -> _Choice:
        try:
            return choices(text)
        except ValueError:
            *others, last = choices
            raise ValueError(
                f"{text!r} is unknown; write {', '.join(others)} or {last}"
            ) from None

    return parse


def scheduler_address(text: str) -> str:
    """The address of a Dask scheduler; an empty one would start a cluster here."""
    if "://" not in text:
        raise ValueError(f"{text!r}: write tcp://HOST:8786")
    return text


def some_of(choices: type[_Choice]) -> Callable[[str], tuple[_Choice, ...]]:
    return lambda text: tuple(map(one_of(choices), distinct(text.split(","))))


def distinct(values: Iterable[str]) -> list[str]:
    """The stripped values. Raises ValueError if one is given twice."""
    stripped = [value.strip() for value in values]
    for number, value in enumerate(stripped):
        if value in stripped[:number]:
            raise ValueError(f"{value!r} is given twice; give each value once")
    return stripped
