"""What a cache holds, set by set: what is there, what is missing or broken, and from when.

It does not know how to get the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pytest_llmarith.oeis.cache import Cache
from pytest_llmarith.oeis.entries import BrokenEntry
from pytest_llmarith.oeis.sets import SETS

_HEADINGS = ["set", "there", "missing", "broken", "oldest", "newest", "the first missing"]
_FIRST = 3


@dataclass(frozen=True, slots=True)
class SetStatus:
    """One set in a cache. `broken` are messages, one per file; the dates are when files were written, in UTC."""

    set_name: str
    there: int
    missing: tuple[str, ...]
    broken: tuple[str, ...]
    oldest: datetime | None
    newest: datetime | None


def status(cache: Cache) -> list[SetStatus]:
    """All sets of this cache, with every entry read. Raises BrokenEntry where the starter has a misnamed file."""
    return [_set_status(cache, name) for name in SETS]


def status_table(sets: Sequence[SetStatus]) -> str:
    """A table for people, and a line for every broken entry."""
    from tabulate import tabulate  # only who looks at a table pays for it

    table = tabulate([_row(one) for one in sets], _HEADINGS, disable_numparse=True)
    return "\n".join([table, *(message for one in sets for message in one.broken)])


def _set_status(cache: Cache, name: str) -> SetStatus:
    missing = cache.missing(name)
    there = sorted({*cache.numbers(name)} - {*missing})
    times = [cache.path(number, name).stat().st_mtime for number in there]
    dates = [datetime.fromtimestamp(time, UTC) for time in times]
    return SetStatus(
        set_name=name,
        there=len(there),
        missing=tuple(missing),
        broken=tuple(message for number in there if (message := _trouble(cache, number, name))),
        oldest=min(dates, default=None),
        newest=max(dates, default=None),
    )


def _trouble(cache: Cache, number: str, set_name: str) -> str | None:
    try:
        cache.entry(number, set_name)
    except BrokenEntry as error:
        return str(error)
    return None


def _row(one: SetStatus) -> list[str]:
    few = ", ".join(one.missing[:_FIRST]) + (", ..." if len(one.missing) > _FIRST else "")
    counts = (one.there, len(one.missing), len(one.broken))
    return [one.set_name, *map(str, counts), _date(one.oldest), _date(one.newest), few]


def _date(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else "-"
