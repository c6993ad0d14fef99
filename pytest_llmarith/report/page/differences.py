"""Differences of models to one of them, between conditions, and between repeats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.report.definitions.difference_fields import (
    DIFFERENCES,
    EFFECTS,
    LabelledSide,
    effects_of,
)
from pytest_llmarith.report.definitions.results import VARIANTS
from pytest_llmarith.report.render.html import TableView, view
from pytest_llmarith.report.series import (
    PageRun,
    Series,
    differences_between,
    remark_on_conditions,
)
from pytest_llmarith.statistics.pairs import SIGNIFICANT
from pytest_llmarith.views import kinds
from pytest_llmarith.views.fields import trials_of
from pytest_llmarith.views.kinds import HEAT, Heat, heat
from pytest_llmarith.views.places import Here, short_name
from pytest_llmarith.views.table import Column, Level


def direction(one: Compared | None) -> str:
    """`better` or `worse` if the difference is significant after Holm's correction,
    else `unclear`.
    """
    if one is None or one.value("p_holm") >= SIGNIFICANT:
        return "unclear"
    return "better" if points_of(one) > 0 else "worse"


def points_of(one: Compared | None) -> float:
    """The difference in percentage points; 0 of the baseline."""
    return float(one.difference.value or 0) if one else 0.0


# --- models ---------------------------------------------------------------------------


class ModelPlace(NamedTuple):
    """The place of a model, with its comparison with the baseline, which has none
    itself.
    """

    key: str  # of the model
    compared: Compared | None

    @property
    def points(self) -> float:
        return points_of(self.compared)

    @property
    def direction(self) -> str:
        return direction(self.compared)


class Ranking(NamedTuple):
    """The models of one task that were asked the questions of the baseline, best first,
    and all others.

    `matrix` has the share of each variant, the models in the same order.
    """

    task: str
    baseline: str
    places: Sequence[ModelPlace]
    unranked: Sequence[str]
    shown: TableView
    matrix: TableView | None


def rankings(
    runs: Sequence[PageRun], series: Sequence[Series], rows: Sequence[Here]
) -> list[Ranking]:
    """One for each task that two models or more were asked."""
    differences = differences_between(runs, series, rows)
    if len(runs) == 1:
        differences = _labelled(differences, series)
    tasks: dict[str, list[Here]] = {}
    for row in rows:
        if not row.searched:
            tasks.setdefault(row.task, []).append(row)
    found = []
    for task, of_task in tasks.items():
        compared = [one for one in differences if one.place.task == task]
        models = _by_name(of_task, compared)
        if len(models) > 1:
            alone = [row.without_run() for row in of_task]
            remark = remark_on_conditions(alone if len(runs) == 1 else of_task)
            found.append(_ranking(task, compared, models, remark))
    return found


def _by_name(
    rows: Iterable[Here], differences: Iterable[Compared]
) -> dict[str, list[Here]]:
    """The results by the names in the differences, or by their labels."""
    names = set()
    for one in differences:
        names |= {one.place.model, one.beside}
    models: dict[str, list[Here]] = {}
    for row in rows:
        # The models of one run are compared in all conditions together.
        in_all = row.label not in names and row.model in names
        models.setdefault(row.model if in_all else row.label, []).append(row)
    return models


def _labelled(
    differences: Sequence[Compared], series: Sequence[Series]
) -> list[Compared]:
    """Differences between models of one run, with the labels of those that have no
    other condition.
    """
    labels: dict[str, list[str]] = {}
    for one in series:
        labels.setdefault(one.key[1], []).append(one.label)
    names = {model: some[0] for model, some in labels.items() if len(some) == 1}
    labelled = []
    for difference in differences:
        place, beside = difference.place, difference.beside
        place = place._replace(model=names.get(place.model, place.model))
        beside = names.get(beside, beside)
        labelled.append(difference._replace(place=place, beside=beside))
    return labelled


def _ranking(
    task: str,
    differences: Sequence[Compared],
    models: Mapping[str, Sequence[Here]],
    remark: str,
) -> Ranking:
    compared: dict[str, Compared | None] = {}
    baseline = ""
    for one in differences:
        compared[one.place.model] = one
        baseline = one.beside
    if compared:
        compared[baseline] = None
    places = [
        ModelPlace(label, compared[label]) for label in models if label in compared
    ]
    places.sort(key=lambda place: -place.points)
    others = [label for label in _best_first(models) if label not in compared]
    order = [place.key for place in places] + others
    rows = [row for label in order for row in models[label]]
    not_compared = [row.label for label in others for row in models[label]]
    return Ranking(
        task=short_name(task),
        baseline=baseline,
        places=places,
        unranked=others,
        shown=_shown(places, task, models, remark),
        matrix=_matrix(rows, not_compared if places else ()),
    )


def _best_first(models: Mapping[str, Sequence[Here]]) -> list[str]:
    """The labels by correct answers; unknown ones come last."""

    def place(label: str) -> float:
        percent = models[label][0].value("correct_percentage")
        return 1 if percent is None else -percent

    return sorted(models, key=place)


def _shown(
    places: Sequence[ModelPlace],
    task: str,
    models: Mapping[str, Sequence[Here]],
    remark: str,
) -> TableView:
    """The table of differences, with a mark on the baseline."""
    items = []
    for place in places:
        row = models[place.key][0]
        marks = ("simulated",) if row.simulated else ()
        if place.compared is None:
            marks = (*marks, "baseline")
        model = kinds.ModelLabel(place.key, row.model, marks)
        items.append(LabelledSide(model, task, place.compared))
    table = DIFFERENCES.table(
        items, Level.PAGE, trials=lambda item: {"model": item.model.label}
    )
    table = replace(table.without("task"), legend=remark)
    return view(table, [place.direction for place in places])


def _matrix(rows: Sequence[Here], not_compared: Collection[str]) -> TableView | None:
    """A row per model and condition, a column per variant; None without several
    variants.
    """
    places: dict[str, dict[Here, Here]] = {}  # of each variant by result
    for row in rows:
        for one in row.variants:
            if one.measured:
                places.setdefault(one.name, {})[row] = one
    if len(places) < 2:
        return None

    def model(here: Here) -> kinds.ModelLabel:
        marks = ("not compared",) if here.label in not_compared else ()
        return kinds.ModelLabel(here.label, here.model, marks)

    named: Column[kinds.ModelLabel] = Column(
        "model", "model", kinds.MODEL, "the model", model
    )
    definition = replace(VARIANTS, columns=[named, _SHARE])
    measured = [row for row in rows if any(row in one for one in places.values())]
    table = definition.table(measured, Level.PAGE, across=places, trials=trials_of)
    return view(table, across="variant")


_SHARE: Column[Heat] = Column(
    "share",
    "correct %",
    HEAT,
    "correct answers",
    lambda here: heat(here.share, "right"),
    across="variant",
)


# --- conditions -----------------------------------------------------------------------


def effect_items(
    runs: Sequence[PageRun], series: Sequence[Series]
) -> Iterator[LabelledSide]:
    """The effects of the conditions of all runs."""
    labels = {one.key: one.label for one in series}
    for number, run in enumerate(runs):
        for item in effects_of(run.summary, "condition"):
            assert item.one
            place = item.one.place
            label = labels[number, place.model, place.condition or ""]
            model = item.model._replace(label=label)
            yield item._replace(model=model)


def effects(runs: Sequence[PageRun], series: Sequence[Series]) -> TableView | None:
    """The effects of the conditions of all runs; None if there are none."""
    items = list(effect_items(runs, series))
    if not items:
        return None
    table = EFFECTS.table(
        items,
        Level.PAGE,
        trials=lambda item: {
            "model": item.model.label,
            "task": short_name(item.task),
        },
    )
    directions = [direction(item.one) for item in items]
    return view(table, directions)
