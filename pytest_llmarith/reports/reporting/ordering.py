"""In which order results are shown. It does not know how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from pytest_llmarith.reports.figures import prompt_and_completion
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.mistake import Mistake

Result = Mapping[str, Any]

_LONGEST = 60

_DOWN = "-"


def _text(name: str) -> Callable[[Result], Any]:
    return lambda result: None if result.get(name) is None else str(result[name]).casefold()


def _percent(outcome: str) -> Callable[[Result], Any]:
    return lambda result: (result["percentages"][outcome] or {}).get("percent")


def _tokens(result: Result) -> int | None:
    return prompt_and_completion(result["tokens"])


def _error(result: Result) -> Decimal | None:
    error = result["median_relative_error"]
    return None if error is None else Decimal(error)


_PERCENTAGES = ("correct", "nan", "deviate", "cheat")
_WORDS = {name: _text(name) for name in ("run", "model", "task", "date")}
_FIGURES: dict[str, Callable[[Result], Any]] = {
    "trials": lambda result: result["measured"],
    "unanswered": lambda result: result["outcomes"]["unanswered"],
    **{outcome: _percent(outcome) for outcome in _PERCENTAGES},
    "cost": lambda result: result["cost_usd"],
    "tokens": _tokens,
    "latency": lambda result: result["median_latency_s"],
    "error": _error,
}
COLUMNS = (*_WORDS, *_FIGURES)


class Order(NamedTuple):
    """By a column: words from a to z, figures from the largest, or the other way round.

    By a percentage, results that lack cells of others come behind those that have all of them.
    """

    column: str
    turned: bool

    def of(self, results: Sequence[Result]) -> list[Result]:
        """The results in this order; what is equal stays as it stands, what is unknown comes last."""
        if self.column not in _PERCENTAGES:
            return self._sorted(results)
        whole, others = ([one for one in results if bool(one.get("missing")) is lacks] for lacks in (False, True))
        return self._sorted(whole) + self._sorted(others)

    def _sorted(self, results: Sequence[Result]) -> list[Result]:
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
