"""Results as rows of a table that a program reads: a row per run, model, task and condition, a column per figure.

It does not know how a table is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pytest_llmarith.reports.formats.spreadsheet import NO_ANSWER
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.tables.overview import ResultOfRun

_Getter = Callable[[ResultOfRun], object]

# Outcomes, and what the columns of CSV call them.
_OUTCOMES = {"correct": "correct", "deviate": "deviate", "nan": NO_ANSWER, "cheat": "cheat"}
_OF_REPEATS = ("consistency", "pass_at_1", "majority")
_ENDS = ("percent", "low", "high")
_KINDS = ("prompt", "completion", "reasoning")
_SPENT = ("cost_usd", "latency_s", *(f"{kind}_tokens" for kind in _KINDS))


def _at(path: str) -> _Getter:
    """What stands in a result under some names, such as `repeats.k`; None where one of them is null."""

    def of(row: ResultOfRun) -> object:
        value: object = row.result
        for name in path.split("."):
            value = value[name] if isinstance(value, dict) else getattr(value, name, None)
        return value

    return of


def _named(*names: str) -> dict[str, _Getter]:
    return {name: _at(name) for name in names}


_COLUMNS: Mapping[str, _Getter] = {
    "run": lambda row: row.run,
    **_named("model", "task"),
    "condition": lambda row: label_of(row.result.condition) or None,
    **_named("date", "simulated", "selected", "measured"),
    "unanswered": _at("outcomes.unanswered"),
    **{column: _at(f"outcomes.{outcome}") for outcome, column in _OUTCOMES.items()},
    **{
        f"{column}_{end}": _at(f"percentages.{outcome}.{end}") for outcome, column in _OUTCOMES.items() for end in _ENDS
    },
    **_named("rounded", "median_relative_error", "average_absolute_error", "cost_usd", "unpriced", "stored"),
    **{f"{kind}_tokens": _at(f"tokens.{kind}") for kind in _KINDS},
    **{f"{what}_{figure}": _at(f"spending.{what}.{figure}") for what in _SPENT for figure in ("median", "p90")},
    "repeats": _at("repeats.k"),
    "problems": _at("repeats.problems"),
    **{
        f"{share}_{end}": _at(f"repeats.{share}.{end}")
        for share in ("consistency", "pass_at_1", "majority")
        for end in _ENDS
    },
}
HEADERS = tuple(_COLUMNS)


def rows_of(rows: Sequence[ResultOfRun]) -> Iterator[list[object]]:
    """The rows, in the order of the results."""
    return ([of(row) for of in _COLUMNS.values()] for row in rows)
