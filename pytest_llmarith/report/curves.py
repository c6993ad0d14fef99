"""The charts of results: by depth, by rank, and against cost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.figures.estimates import Described, Figure
from pytest_llmarith.figures.scores import SCORE
from pytest_llmarith.report.charts import (
    MOST_TOGETHER,
    Chart,
    Point,
    curves_chart,
    scatter_chart,
    scores_chart,
)
from pytest_llmarith.report.definitions.results import OVERVIEW, counted_share
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import field, field_of, trials_of
from pytest_llmarith.views.places import Curve, Here, Share, share_in, short_name
from pytest_llmarith.views.table import Kind

_PER = 1000  # trials
_CORRECT, _SCORE = "correct %", "mean score %"
_NAMED = field("score")
_NOTHING = Figure(None)
_AS_SURE = "as right as sure"
_EQUAL = {sure: Share(sure, sure, sure, sure, 100) for sure in (0, 100)}


class Curves(NamedTuple):
    """The charts of one task or variant; `legend` names the lines by slot, none if each
    model has its own chart.
    """

    title: str
    legend: Sequence[str]
    charts: Sequence[Chart]


# --- by depth -------------------------------------------------------------------------


def curves_of(rows: Sequence[Here]) -> list[Curves]:
    """The curves of each task with depths; a model looks the same in all of them."""
    labels = list(dict.fromkeys(row.label for row in rows))
    found = []
    for task in dict.fromkeys(row.task for row in rows):
        of_task = [row for row in rows if row.task == task]
        for kind in (_by_variant, _of_task, _of_measures):
            curves = kind(short_name(task), of_task, labels)
            if curves.charts:
                found.append(curves)
    return found


def _by_variant(task: str, rows: Sequence[Here], labels: Sequence[str]) -> Curves:
    """A chart per variant, and one of the models that answered all variants; a chart
    per model if these are many.
    """
    answered = {}
    for row in rows:
        names = {cell.name for cell in row.grid if cell.measured}
        if names:
            answered[row] = names
    variants: dict[str, None] = {}
    for row in answered:
        variants.update(dict.fromkeys(cell.name for cell in row.grid))
    if len(labels) > MOST_TOGETHER:
        curves = {}
        for row, names in answered.items():
            label = row.label
            if len(names) < len(variants):
                label += f", {len(names)} of {len(variants)} variants"
            curves[label] = row.curve
        axis = rows[0].axis_title(variants)
        return _chart_per_model(task, axis, curves, _drawn(rows))
    charts: list[Chart] = []
    if len(variants) > 1:
        whole = [row for row, names in answered.items() if len(names) == len(variants)]
        charts += _chart("all variants", whole, labels, variants)
    for variant in variants:
        places = [row._replace(variant=variant) for row in answered]
        charts += _chart(variant, places, labels, [variant])
    return Curves(f"{task}, by depth", labels, charts)


def _chart(
    title: str, places: Sequence[Here], labels: Sequence[str], variants: Iterable[str]
) -> Iterator[Chart]:
    known = {here.label: here.curve for here in places if here.curve}
    if known:
        axis = places[0].axis_title(variants)
        figure = _drawn(places)
        if figure == _SCORE:
            title += ", mean score"
        yield curves_chart(title, axis, known, labels, figure)


def _drawn(rows: Iterable[Here]) -> str:
    """What curves show."""
    return _SCORE if any(row.has_fractions for row in rows) else _CORRECT


def _of_task(task: str, rows: Sequence[Here], labels: Sequence[str]) -> Curves:
    """A chart of a task without variants."""
    rows = [row for row in rows if row.depths]
    if len(labels) > MOST_TOGETHER:
        curves = {row.label: row.curve for row in rows}
        axis = rows[0].axis_title(()) if rows else ""
        return _chart_per_model(task, axis, curves, _drawn(rows))
    return Curves(f"{task}, by depth", labels, [*_chart(task, rows, labels, ())])


def _of_measures(task: str, rows: Sequence[Here], labels: Sequence[str]) -> Curves:
    """A chart for each further measure that has a curve, and each named score."""
    charts = []
    columns = [column for column in OVERVIEW.columns if column.curved]
    own: dict[str, Described] = {}
    for row in rows:
        own |= row.result.own
    for key, one in own.items():
        means = [row for row in rows if (row.get(key) or _NOTHING).method == "t"]
        if (one.unit == "%" or means) and one.in_table:
            columns.append(field_of(key, one))
    drawn = [(column, column.key, "") for column in columns]
    names = dict.fromkeys(at for row in rows for _, at in row.all("score"))
    for name in names:
        if name != SCORE:
            drawn.append((replace(_NAMED, title=short_name(name)), "score", name))
    for column, key, at in drawn:
        curves = {row.label: row.curve_of(key, at) for row in rows}
        known = {label: curve for label, curve in curves.items() if curve}
        if known:
            axis = rows[0].axis_title(rows[0].result.facts.variants)
            title = f"{task}, {column.title}"
            chart = curves_chart(title, axis, known, labels, column.title, column.kind)
            charts.append(chart)
    return Curves(f"{task}, measures by depth", labels, charts)


def _chart_per_model(
    task: str, axis: str, curves: Mapping[str, Curve], drawn: str
) -> Curves:
    charts = []
    for label, curve in curves.items():
        if curve:
            charts.append(curves_chart(label, axis, {label: curve}, figure=drawn))
    return Curves(f"{task}, by depth", (), charts)


def stratum_charts(row: Here) -> Iterator[Chart]:
    """Correct answers by the strata of problems, if there are two points or more."""
    curves: dict[str, dict[int, Share]] = {}
    for (name, value), figure in row.all("stratum").items():
        share = counted_share(figure)
        if share:
            curves.setdefault(name, {})[int(value)] = share
    for name, curve in curves.items():
        if len(curve) > 1:
            yield curves_chart(f"Correct % by {name}", name, {row.label: curve})


def reliability_charts(rows: Sequence[Here]) -> list[Chart]:
    """Accuracy by the probability of answers, and where both are equal."""
    found = []
    for row in rows:
        curve = {}
        for (_, predicted), figure in row.all("reliability").items():
            share = share_in(figure)
            if share and figure.low is not None:
                curve[int(predicted)] = share
        if curve:
            title = f"{row.label}, {short_name(row.task)}: correct %"
            curves = {row.label: curve, _AS_SURE: _EQUAL}
            labels = list(curves)
            found.append(curves_chart(title, "probability %", curves, labels))
    return found


# --- by rank --------------------------------------------------------------------------


def score_curves(name: str, variants: Iterable[Here]) -> Curves:
    """The last score of all problems of a variant, from best to worst."""
    curves: dict[str, Sequence[float]] = {}
    for one in variants:
        by_score: dict[str, list[float]] = {}
        for (by, _), figure in one.all("score_by_rank").items():
            by_score.setdefault(by, []).append(figure.value)  # type: ignore[arg-type]
        if by_score:
            *_, curves[one.label] = by_score.values()
    title = "Scores from best to worst"
    if not curves:
        return Curves(name, (), ())
    if len(curves) <= MOST_TOGETHER:
        return Curves(name, list(curves), [scores_chart(title, curves)])
    charts = []
    for label, scores in curves.items():
        charts.append(scores_chart(f"{title}, {label}", {label: scores}))
    return Curves(name, (), charts)


# --- against cost ---------------------------------------------------------------------


def scatters(
    rows: Sequence[Here],
    neighbours: Collection[tuple[str, str]] = (),
    shown: Collection[str] = ("cost", "tokens", "speed"),
) -> list[Chart]:
    """A chart by cost and one by speed for each task in which two models or more have
    one that is known: the mean cost of the replies with a cost, the median speed that
    servers tell.

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
            is_needed = what in shown and (joined or what != "tokens")
            if len(models) < 2 or not is_needed:
                continue
            title = short_name(task)
            if joined or what == "speed":
                title += f", {unit}"
            notes = []
            lacking = [f"{one.label} {one.lacks}" for one in models if one.lacks]
            if lacking:
                notes.append(f"Dashed, and not on the line: {'; '.join(lacking)}.")
            if unknown:
                notes.append(f"No known {what}: {', '.join(unknown)}.")
            chart = scatter_chart(
                title, unit, kind, models, joined, more_is_better=what == "speed"
            )
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


def _rate(row: Here) -> float | None:
    found: float | None = row.value("served_tokens_a_second", "median")
    return found


def _money(dollars: float) -> str:
    """Such as `$0.02`, `$1.50` or `$1,000`."""
    if dollars < 1:
        return f"${dollars:.2g}"
    return f"${dollars:,.2f}".removesuffix(".00")


_AmountOf = Callable[[Here], float | None]
_AMOUNTS: Sequence[tuple[str, str, _AmountOf, Kind[float]]] = (
    ("cost", f"$ per {_PER:,} trials", _dollars, kinds.plain(_money)),
    ("tokens", "tokens per reply", _tokens, kinds.plain(formatting.count)),
    ("speed", "tokens a second", _rate, kinds.plain("{:,.3g}".format)),
)
