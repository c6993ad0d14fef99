"""Measures of users' tasks: one that raises, or has a figure that is none, says so in
its place and ends no run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pytest_llmarith.figures.estimates import Counter, Figure, Leaf, Measure, Trial
from pytest_llmarith.records import LARGEST
from pytest_llmarith.safe_text import sanitize_name

FAILED = "failed"  # the method of a figure that says in `at` what went wrong
_LONGEST_REASON = 200


class _Guarded:
    """A user's counter, until it raises."""

    def __init__(self, make: Any) -> None:
        self.error: Exception | None = None
        try:
            self.counter: Counter = make()
        except Exception as error:
            self.error = error

    def add(self, trial: Trial) -> None:
        if self.error is None:
            try:
                self.counter.add(trial)
            except Exception as error:
                self.error = error


class _Guarding:
    """Makes guarded counters. Those of measures with one counter are equal, so that
    each trial is counted once for all of them.
    """

    def __init__(self, make: Any) -> None:
        self._make = make

    def __call__(self) -> _Guarded:
        return _Guarded(self._make)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Guarding) and self._make is other._make

    def __hash__(self) -> int:  # a user's counter may have none
        return id(self._make)


def guarded(measure: Measure) -> Measure:
    """The measure with a single figure that says what went wrong, if anything does."""

    def figures(leaves: Sequence[Leaf]) -> list[Figure]:
        try:
            return list(_checked(measure, leaves))
        except Exception as error:
            reason = sanitize_name(f"{type(error).__name__}: {error}", _LONGEST_REASON)
            return [Figure(None, by="error", at=reason, method=FAILED)]

    return replace(measure, counter=_Guarding(measure.counter), figures=figures)


def _checked(measure: Measure, leaves: Sequence[Leaf]) -> Iterator[Figure]:
    counted = []
    for leaf in leaves:
        if leaf.counted.error:
            raise leaf.counted.error
        counted.append(leaf._replace(counted=leaf.counted.counter))
    keys = set()
    for one in measure.figures(counted):
        if not isinstance(one, Figure):
            raise TypeError(f"{one!r} is no Figure")
        numbers = [one.low, one.high]
        if not isinstance(one.value, str) or measure.unit == "%":
            numbers.append(one.value)  # type: ignore[arg-type]
        if not all(number is None or _is_number(number) for number in numbers):
            raise ValueError(
                f"{one} has no number, or one above 10**15 that is no text"
            )
        if one.n is not None and (type(one.n) is not int or one.n < 0):
            raise ValueError(f"n of {one} is no count")
        if not all(isinstance(text, str) for text in (one.by, one.at, one.method)):
            raise TypeError(f"by, at and method of {one} are texts")
        if (one.by, one.at) in keys:
            raise ValueError(f"two figures have by={one.by!r}, at={one.at!r}")
        keys.add((one.by, one.at))
        yield one


def _is_number(number: object) -> bool:
    """Whether it is a finite number that JSON holds."""
    return type(number) in (int, float) and abs(number) <= LARGEST  # type: ignore[arg-type]
