"""Sequences of the OEIS as items: which sets are taken, their marks, and the limits of their programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache as kept
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.items.marks import KEYWORD_MARK, TIMEOUT_MARK
from pytest_llmarith.oeis.cache import Cache
from pytest_llmarith.oeis.choice import Choice, choose_sets
from pytest_llmarith.options.oeis import LONGEST_LIMIT_S
from pytest_llmarith.options.settings import Settings
from pytest_llmarith.tasks import oeis
from pytest_llmarith.values import OeisProblem, Problem, ProgramLimits


@kept
def cache_at(folder: Path) -> Cache:
    """The entries of a folder: read once, whatever the number of functions and models."""
    return Cache(folder)


def choice_of(settings: Settings, named: Sequence[str] | None = None) -> Choice:
    """The sets of a run: those of the option, else those that the function names, else what is there.

    Raises pytest.UsageError where a set is unknown or not whole.
    """
    try:
        return choose_sets(settings.oeis.sets or named, cache_at(settings.oeis.cache))
    except ValueError as error:
        where = "--oeis-sets: " if settings.oeis.sets else ""
        raise pytest.UsageError(f"{where}{error}") from None


def why_none(arguments: Mapping[str, Any], settings: Settings) -> str | None:
    """Why there are no sequences, where nobody named a set: other tasks need none, so that is no mistake."""
    if settings.oeis.sets or arguments.get("sets"):
        return None
    try:
        choice_of(settings)
    except pytest.UsageError as error:
        return str(error)
    return None


def problems(arguments: Mapping[str, Any], settings: Settings) -> Iterator[OeisProblem]:
    """The problems of one function. Raises ValueError and pytest.UsageError where entries are missing or broken."""
    entries = cache_at(settings.oeis.cache)
    for name in choice_of(settings, arguments.get("sets")).sets:
        yield from oeis.problems(name, entries.sequences(name))


def digest_of(chosen: Iterable[OeisProblem], settings: Settings) -> str:
    """What tells these entries from other ones of the same names."""
    return cache_at(settings.oeis.cache).digest(sorted({problem.set for problem in chosen}))


def keyword_marks(problem: Problem) -> list[pytest.MarkDecorator]:
    """A mark for every keyword of a sequence's entry."""
    if not isinstance(problem, OeisProblem):
        return []
    mark = getattr(pytest.mark, KEYWORD_MARK)
    return [mark(name=name) for name in problem.sequence.keywords]


def limit_marks(metafunc: pytest.Metafunc, settings: Settings) -> list[pytest.MarkDecorator]:
    """pytest-timeout's mark with the largest limit, unless the function has one of its own.

    Raises ValueError where that is no limit.
    """
    if mark := metafunc.definition.get_closest_marker(TIMEOUT_MARK):
        seconds = _seconds(mark)
        if not (isinstance(seconds, int | float) and 0 < seconds <= LONGEST_LIMIT_S):
            raise ValueError(
                f"{metafunc.definition.nodeid}: @pytest.mark.timeout is no limit of a term; "
                f"write seconds up to {LONGEST_LIMIT_S:g}"
            )
        return []
    return [pytest.mark.timeout(settings.oeis.limits.longest_s)]


def limits_of(item: pytest.Item, settings: Settings) -> ProgramLimits:
    """The limits of an item's terms; a timeout mark of the function's own replaces the largest."""
    limits = settings.oeis.limits
    mark = item.get_closest_marker(TIMEOUT_MARK)
    if mark is None or _seconds(mark) == limits.longest_s:
        return limits
    largest = float(_seconds(mark))
    return replace(limits, seconds=(*(limit for limit in limits.seconds[:-1] if limit < largest), largest))


def _seconds(mark: pytest.Mark) -> Any:
    return mark.args[0] if mark.args else mark.kwargs.get("timeout")
