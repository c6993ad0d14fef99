"""The trials of a run that are not correct, a row each: which item, what it came to, in which way, at what cost.

It does not know how the rows are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pytest_llmarith.records import ArithmeticProblem, Record
from pytest_llmarith.reports.figures import UNKNOWN, dollars
from pytest_llmarith.reports.harmless import sanitize, sanitize_name
from pytest_llmarith.values import Outcome

HEADERS = ("item", "outcome", "class or reason", "cost")

_ORDER = (Outcome.UNANSWERED, Outcome.CHEAT, Outcome.NAN, Outcome.DEVIATE)
_LONGEST_NAME = 100
_LONGEST_REASON = 150


class Items(NamedTuple):
    """Rows of texts that may still hold markup, and how many trials more there are of each outcome."""

    rows: list[tuple[str, ...]]
    left_out: Mapping[str, int]


def incorrect_items(records: Iterable[Record], most: int = 100) -> Items:
    """At most so many of each outcome: what measured nothing first, wrong answers last."""
    rows: dict[Outcome, list[tuple[str, ...]]] = {outcome: [] for outcome in _ORDER}
    left_out = Counter[str]()
    for record in records:
        outcome = record.outcome
        if outcome not in rows:
            continue
        if len(rows[outcome]) < most:
            rows[outcome].append(_row(record))
        else:
            left_out[outcome] += 1
    return Items([row for of_outcome in rows.values() for row in of_outcome], left_out)


def _row(record: Record) -> tuple[str, ...]:
    cost = dollars(record.reply.cost_usd if record.reply else None)
    return sanitize_name(_name(record), _LONGEST_NAME), str(record.outcome), _why(record), cost


def _name(record: Record) -> str:
    """pytest's name for the item without its file, or what another program asked."""
    if record.nodeid:
        return record.nodeid.rpartition("::")[2]
    problem = record.problem
    return f"{problem.variant} {problem.lhs} {problem.rhs}" if isinstance(problem, ArithmeticProblem) else ""


def _why(record: Record) -> str:
    error_class = record.grade and record.grade.error_class
    return sanitize(error_class or record.reason or UNKNOWN, _LONGEST_REASON)
