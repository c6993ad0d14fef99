"""Sequences of the OEIS as items: which sets are taken, their marks, and the limits of their programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache as kept
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.items.marks import KEYWORD_MARK, TIMEOUT_MARK
from pytest_llmarith.oeis.cache import Cache, checked_sets
from pytest_llmarith.oeis.sets import STARTER
from pytest_llmarith.settings import LONGEST_LIMIT_S, Settings
from pytest_llmarith.tasks import oeis
from pytest_llmarith.values import OeisProblem, Problem, ProgramLimits


@kept
def cache_at(folder: Path) -> Cache:
    """The entries of a folder: read once, whatever the number of functions and models."""
    return Cache(folder)


def sets_of(settings: Settings, named: Sequence[str] | None = None) -> tuple[str, ...]:
    """The sets of a run: those of the option, else of the function's mark, else of the ini file, else the starter.

    Raises pytest.UsageError if a set is unknown or not whole.
    """
    chosen = settings.oeis
    where = "--oeis-sets: " if chosen.sets else "oeis_sets (ini file): "
    try:
        return checked_sets(chosen.sets or named or chosen.ini_sets or (STARTER,), cache_at(chosen.cache))
    except ValueError as error:
        raise pytest.UsageError(f"{where if chosen.sets or (chosen.ini_sets and not named) else ''}{error}") from None


def why_none(arguments: Mapping[str, Any], settings: Settings) -> str | None:
    """Why there are no sequences if no set was named: a project without the starter is no mistake."""
    if settings.oeis.sets or settings.oeis.ini_sets or arguments.get("sets"):
        return None
    try:
        sets_of(settings)
    except pytest.UsageError as error:
        return str(error)
    return None


def problems(arguments: Mapping[str, Any], settings: Settings) -> Iterator[OeisProblem]:
    """The problems of one function. Raises ValueError and pytest.UsageError where entries are missing or broken."""
    entries = cache_at(settings.oeis.cache)
    for name in sets_of(settings, arguments.get("sets")):
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
