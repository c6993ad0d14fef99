"""What pytest's own reports, such as JUnit XML, show of a trial: a few short texts, as every report carries them.

It does not know these reports; the record is not in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from pytest_llmarith.reports.harmless import sanitize, sanitize_name

_LONGEST = 200


def properties_of(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The properties of an item, by pytest's `user_properties`; what a record does not know has none."""
    return [(name, text) for name, text in _facts(record) if text is not None]


def _facts(record: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    grade, reply = record["grade"] or {}, record["reply"] or {}
    yield "llmarith_outcome", record["outcome"]
    yield "llmarith_reason", record["reason"] and sanitize(record["reason"], _LONGEST)
    yield "llmarith_error_class", grade.get("error_class")
    yield "llmarith_cost_usd", _dollars(reply.get("cost_usd"))
    yield "llmarith_model", sanitize_name(record["model"], _LONGEST)
    yield "llmarith_task", record["task"]


def _dollars(cost: float | None) -> str | None:
    """Without an exponent, which not everybody reads."""
    return None if cost is None else format(Decimal(repr(cost)), "f")
