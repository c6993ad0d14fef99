"""Results as rows of a table that a program reads: a row per run, model, task and condition, a column per figure.

It does not know how a table is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pytest_llmarith.reports.formats.spreadsheet import NO_ANSWER
from pytest_llmarith.reports.keys import condition_label

Result = Mapping[str, Any]
_Getter = Callable[[Result], object]

# Outcomes, and what the columns of CSV call them.
_OUTCOMES = {"correct": "correct", "deviate": "deviate", "nan": NO_ANSWER, "cheat": "cheat"}
_OF_REPEATS = ("consistency", "pass_at_1", "majority")
_ENDS = ("percent", "low", "high")
_KINDS = ("prompt", "completion", "reasoning")
_SPENT = ("cost_usd", "latency_s", *(f"{kind}_tokens" for kind in _KINDS))


def _named(name: str) -> _Getter:
    return lambda result: result.get(name)


def _counted(outcome: str) -> _Getter:
    return lambda result: result["outcomes"][outcome]


def _percentage(outcome: str, end: str) -> _Getter:
    return lambda result: (result["percentages"][outcome] or {}).get(end)


def _tokens(kind: str) -> _Getter:
    return lambda result: result["tokens"][kind]


def _spent(what: str, figure: str) -> _Getter:
    return lambda result: (result["spending"][what] or {}).get(figure)


def _repeated(what: str, end: str = "") -> _Getter:
    """Nothing where every problem was put once, and in results of earlier versions."""

    def of(result: Result) -> object:
        value = (result.get("repeats") or {}).get(what)
        return (value or {}).get(end) if end else value

    return of


_COLUMNS: Mapping[str, _Getter] = {
    **{name: _named(name) for name in ("run", "model", "task")},
    "condition": lambda result: condition_label(result) or None,
    **{name: _named(name) for name in ("date", "simulated", "selected", "measured")},
    "unanswered": _counted("unanswered"),
    **{column: _counted(outcome) for outcome, column in _OUTCOMES.items()},
    **{f"{column}_{end}": _percentage(outcome, end) for outcome, column in _OUTCOMES.items() for end in _ENDS},
    **{name: _named(name) for name in ("rounded", "median_relative_error", "average_absolute_error")},
    **{name: _named(name) for name in ("cost_usd", "unpriced", "stored")},
    **{f"{kind}_tokens": _tokens(kind) for kind in _KINDS},
    **{f"{what}_{figure}": _spent(what, figure) for what in _SPENT for figure in ("median", "p90")},
    "repeats": _repeated("k"),
    "problems": _repeated("problems"),
    **{f"{what}_{end}": _repeated(what, end) for what in _OF_REPEATS for end in _ENDS},
}
HEADERS = tuple(_COLUMNS)


def rows_of(results: Sequence[Result]) -> Iterator[list[object]]:
    """The rows, in the order of the results."""
    return ([of(result) for of in _COLUMNS.values()] for result in results)
