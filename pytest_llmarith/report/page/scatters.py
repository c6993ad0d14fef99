"""Correct answers against the cost or the tokens of a reply."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pytest_llmarith.report.charts import Chart, Point, scatter_chart
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import trials_of
from pytest_llmarith.views.places import Here, short_name
from pytest_llmarith.views.table import Kind

_PER = 1000  # trials


def scatters(
    rows: Sequence[Here], neighbours: Collection[tuple[str, str]] = ()
) -> list[Chart]:
    """A chart by cost for each task in which two models or more have a known cost, the
    mean of the replies with a cost.

    `neighbours` are labels of models with neighbouring values of a parameter; their
    tasks get a chart by tokens, too.
    """
    found = []
    for task in dict.fromkeys(row.task for row in rows):
        for what, unit, amount_of, kind in _AMOUNTS:
            models = []
            unknown = []
            for row in rows:
                if row.task != task:
                    continue
                correct, amount = row.share, amount_of(row)
                if correct and amount:
                    filters = trials_of(row)
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


def _dollars(row: Here) -> float | None:
    cost = row.value("cost_usd", "sum")
    priced = row.measured - row.number("unpriced")
    if not cost or priced <= 0:
        return None
    return _PER * float(cost) / priced


def _tokens(row: Here) -> float | None:
    found = row.get("completion_tokens", "sum")
    if found is None or not found.n:
        return None
    return row.value("completion_tokens", "sum") / found.n  # type: ignore[no-any-return]


def _money(dollars: float) -> str:
    """Such as `$0.02`, `$1.50` or `$1,000`."""
    if dollars < 1:
        return f"${dollars:.2g}"
    return f"${dollars:,.2f}".removesuffix(".00")


_AmountOf = Callable[[Here], float | None]
_AMOUNTS: Sequence[tuple[str, str, _AmountOf, Kind[float]]] = (
    ("cost", f"$ per {_PER:,} trials", _dollars, kinds.plain("number", _money)),
    ("tokens", "tokens per reply", _tokens, kinds.plain("number", formatting.count)),
)
