"""All tables of runs as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.report.definitions.difference_fields import (
    COMPARISON,
    COMPARISON_OF_D50,
    DIFFERENCES,
    EFFECTS,
    MEAN_SCORES,
    LabelledSide,
)
from pytest_llmarith.report.definitions.plan_fields import NEEDS, PRICES
from pytest_llmarith.report.definitions.reply_fields import (
    REPEATS,
    REPLIES,
    WRONG_TRIALS,
)
from pytest_llmarith.report.definitions.results import (
    BY_DEPTH,
    BY_VARIANT,
    CELLS,
    CLASSES,
    DIGITS,
    ERRORS,
    OVERVIEW,
    THRESHOLDS,
    VARIANTS,
)
from pytest_llmarith.report.definitions.score_fields import (
    SCORES,
    SEARCHES,
)
from pytest_llmarith.report.series import PageRun, Series
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.views import kinds
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Definition

DEFINITIONS: Sequence[Definition] = (
    OVERVIEW,
    CELLS,
    BY_VARIANT,
    VARIANTS,
    BY_DEPTH,
    ERRORS,
    CLASSES,
    DIGITS,
    SCORES,
    SEARCHES,
    THRESHOLDS,
    DIFFERENCES,
    EFFECTS,
    REPEATS,
    REPLIES,
    WRONG_TRIALS,
    COMPARISON,
    MEAN_SCORES,
    COMPARISON_OF_D50,
    NEEDS,
    PRICES,
)


def difference_items(
    rows: Sequence[Here], differences: Sequence[Compared]
) -> list[LabelledSide]:
    """The differences to the baseline, with what is known of the models."""
    simulated: dict[tuple[str, str], bool] = {}
    for row in rows:
        simulated[row.label, row.task] = row.simulated
    for row in rows:
        simulated[row.model, row.task] = row.simulated
    items = []
    for one in differences:
        name, task, *_ = one.place
        is_simulated = simulated.get((name, task or ""), False)
        model = kinds.model(name, name, is_simulated=is_simulated)
        items.append(LabelledSide(model, task or "", one))
    return items


def effect_items(
    runs: Sequence[PageRun], series: Sequence[Series]
) -> Iterator[LabelledSide]:
    """The effects of the conditions of all runs."""
    labels = {one.key: one.label for one in series}
    for number, run in enumerate(runs):
        for item in effects_of(run.summary):
            assert item.one
            _, place, *_ = item.one
            label = labels[number, place.model, place.condition or ""]
            model = item.model._replace(label=label)
            yield item._replace(model=model)


def effects_of(summary: RunSummary) -> Iterator[LabelledSide]:
    """The effects of the conditions of a run."""
    simulated = {one.model for one in summary.results if one.facts.simulated}
    for one in summary.contrasts("condition"):
        if not one.questions:
            continue
        name, task, *_ = one.place
        model = kinds.model(name, name, is_simulated=name in simulated)
        yield LabelledSide(model, task or "", one)
