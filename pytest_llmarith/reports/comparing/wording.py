"""Figures and names of a comparison in few characters. It does not know where they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_llmarith.reports.figures import UNKNOWN
from pytest_llmarith.reports.harmless import sanitize_name

LONGEST_NAME = 80
_LONGEST_LABEL = 28
_LONGEST_CONDITION = 60  # whose parts are told apart
_MOST_NAMED = 5
_SMALLEST_P = 0.0001


def shown(name: str) -> str:
    """The name of a run, a model or a set as it may be shown."""
    return sanitize_name(name, LONGEST_NAME)


def listed(names: Iterable[str]) -> str:
    """Some names, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (", ".join(map(shown, names[:_MOST_NAMED])) or "none") + more


def label_of(row: Mapping[str, Any]) -> str:
    """What a row is about."""
    longest = _LONGEST_CONDITION if row["kind"] == "condition" else _LONGEST_LABEL
    return sanitize_name(row["name"] or row["task"] or "over all", longest)


def points_of(difference: Mapping[str, float | None] | None) -> str:
    """A difference such as `-11.7`, `+0.3` or `0.0`."""
    return UNKNOWN if difference is None else _signed(difference["points"])


def interval_of(difference: Mapping[str, float | None] | None) -> str:
    """An interval such as `-15.3 to -8.2`."""
    if difference is None or difference["low"] is None:
        return UNKNOWN
    return f"{_signed(difference['low'])} to {_signed(difference['high'])}"


def p_of(p: float | None) -> str:
    """A p value such as `0.0123`; it is never 0, and 1 only where there is no difference at all."""
    if p is None:
        return UNKNOWN
    if p < _SMALLEST_P:
        return f"<{_SMALLEST_P:.4f}"
    return "1" if p == 1 else f"{p:.4f}" if p < 0.99995 else ">0.9999"


def _signed(points: float | None) -> str:
    if points is None:
        return UNKNOWN
    shown = f"{points:+.1f}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown
