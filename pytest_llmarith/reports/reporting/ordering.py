"""In which order results are shown. It does not know how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from pytest_llmarith.reports.figures import prompt_and_completion
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.reports.tables.overview import ResultOfRun
from pytest_llmarith.values import Outcome

_LONGEST = 60

_DOWN = "-"


def _percent(outcome: Outcome) -> Callable[[ResultOfRun], Any]:
    def percent(row: ResultOfRun) -> float | None:
        percentage = row.result.percentages[outcome]
        return percentage.percent if percentage else None

    return percent


def _error(row: ResultOfRun) -> Decimal | None:
    error = row.result.median_relative_error
    return None if error is None else Decimal(error)


_PERCENTAGES = (Outcome.CORRECT, Outcome.NAN, Outcome.DEVIATE, Outcome.CHEAT)
_WORDS: dict[str, Callable[[ResultOfRun], Any]] = {
    "run": lambda row: row.run.casefold(),
    "model": lambda row: row.result.model.casefold(),
    "task": lambda row: row.result.task.casefold(),
    "date": lambda row: row.result.date,
}
_FIGURES: dict[str, Callable[[ResultOfRun], Any]] = {
    "trials": lambda row: row.result.measured,
    "unanswered": lambda row: row.result.outcomes.unanswered,
    **{str(outcome): _percent(outcome) for outcome in _PERCENTAGES},
    "cost": lambda row: row.result.cost_usd,
    "tokens": lambda row: prompt_and_completion(row.result.tokens),
    "latency": lambda row: row.result.median_latency_s,
    "error": _error,
}
COLUMNS = (*_WORDS, *_FIGURES)


class Order(NamedTuple):
    """By a column: words from a to z, figures from the largest, or the other way round.

    By a percentage, results that lack cells of others come behind those that have all of them.
    """

    column: str
    turned: bool

    def of(self, results: Sequence[ResultOfRun]) -> list[ResultOfRun]:
        """The results in this order; what is equal stays as it stands, what is unknown comes last."""
        if self.column not in _PERCENTAGES:
            return self._sorted(results)
        whole, others = ([one for one in results if bool(one.missing) is lacks] for lacks in (False, True))
        return self._sorted(whole) + self._sorted(others)

    def _sorted(self, results: Sequence[ResultOfRun]) -> list[ResultOfRun]:
        key = (_WORDS | _FIGURES)[self.column]
        known = [result for result in results if key(result) is not None]
        unknown = [result for result in results if key(result) is None]
        return sorted(known, key=key, reverse=self.turned != (self.column in _FIGURES)) + unknown


def parse_order(text: str) -> Order:
    """The order that `[-]COLUMN` describes; raises Mistake where there is none."""
    column = text.strip().removeprefix(_DOWN)
    if column not in COLUMNS:
        raise Mistake(
            f"--sort={sanitize(text, _LONGEST)}: no column; write one of {', '.join(COLUMNS)}, "
            f"or -{COLUMNS[0]} to turn it round"
        )
    return Order(column, text.strip().startswith(_DOWN))
