"""Correct answers against the cost or the tokens of a reply."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.charts import Chart, Point, scatter_chart
from pytest_llmarith.report.definitions.results import Of, outcome, trials_of
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.shares import Share, share_of
from pytest_llmarith.report.table import Kind
from pytest_llmarith.summaries import Result
from pytest_llmarith.types import Outcome

_PER = 1000  # trials


def scatters(
    rows: Sequence[ResultOfRun], neighbours: Collection[tuple[str, str]] = ()
) -> list[Chart]:
    """A chart by cost for each task in which two models or more have a known cost, the
    mean of the replies with a cost.

    `neighbours` are labels of models with neighbouring values of a parameter; their
    tasks get a chart by tokens, too.
    """
    found = []
    for task in dict.fromkeys(row.result.task for row in rows):
        for what, unit, amount_of, kind in _AMOUNTS:
            models = []
            unknown = []
            for row in rows:
                if row.result.task != task:
                    continue
                correct = _correct(row.result)
                amount = amount_of(row.result)
                if correct and amount:
                    filters = trials_of(Of(row, row.result))
                    models.append(
                        Point(row.label, correct, amount, row.missing, filters)
                    )
                else:
                    unknown.append(row.label)
            labels = {model.label for model in models}
            joined = [pair for pair in neighbours if labels.issuperset(pair)]
            if len(models) < 2 or not (joined or what == "cost"):
                continue
            title = short_name(task)
            if joined:
                title += f", {unit}"
            notes = []
            lacking = [f"{one.label} {one.lacks}" for one in models if one.lacks]
            if lacking:
                notes.append(f"Dashed, and not on the line: {'; '.join(lacking)}.")
            if unknown:
                notes.append(f"No known {what}: {', '.join(unknown)}.")
            chart = scatter_chart(title, unit, kind, models, joined)
            chart.notes = notes
            found.append(chart)
    return found


def _correct(result: Result) -> Share | None:
    """The percentage of correct answers that all tables show."""
    found = outcome(result, Outcome.CORRECT)
    if found is None:
        return None
    return share_of(found.trials, result.measured, found.percentage)


def _dollars(result: Result) -> float | None:
    priced = result.measured - result.unpriced
    if not result.cost_usd or priced <= 0:
        return None
    return _PER * result.cost_usd / priced


def _tokens(result: Result) -> float | None:
    amounts = result.spending["completion_tokens"]
    return amounts.sum / amounts.known if amounts else None


def _money(dollars: float) -> str:
    """Such as `$0.02`, `$1.50` or `$1,000`."""
    if dollars < 1:
        return f"${dollars:.2g}"
    return f"${dollars:,.2f}".removesuffix(".00")


_AmountOf = Callable[[Result], float | None]
_AMOUNTS: Sequence[tuple[str, str, _AmountOf, Kind[float]]] = (
    ("cost", f"$ per {_PER:,} trials", _dollars, kinds.plain("number", _money)),
    ("tokens", "tokens per reply", _tokens, kinds.plain("number", formatting.count)),
)
