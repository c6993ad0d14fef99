"""All tables of runs as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_llmarith.report.definitions.difference_fields import (
    COMPARISON,
    COMPARISON_OF_D50,
    COMPARISONS,
    DIFFERENCES,
    DIFFERING,
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
    ERRORS,
    OVERVIEW,
    THRESHOLDS,
    VARIANTS,
)
from pytest_llmarith.report.definitions.score_fields import (
    SCORES,
    SEARCHES,
)
from pytest_llmarith.report.series import PageRun, Series, series_key
from pytest_llmarith.summaries import ModelDifference, RunSummary
from pytest_llmarith.views import kinds
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Definition

DEFINITIONS: Sequence[Definition] = (
    OVERVIEW,
    VARIANTS,
    ERRORS,
    SCORES,
    SEARCHES,
    THRESHOLDS,
    DIFFERENCES,
    EFFECTS,
    REPEATS,
    REPLIES,
    WRONG_TRIALS,
    COMPARISONS,
    DIFFERING,
    COMPARISON,
    MEAN_SCORES,
    COMPARISON_OF_D50,
    NEEDS,
    PRICES,
)


def difference_items(
    rows: Sequence[Here], differences: Sequence[ModelDifference]
) -> list[LabelledSide]:
    """The differences to the baseline, with what is known of the models."""
    simulated: dict[tuple[str, str], bool] = {}
    for row in rows:
        simulated[row.label, row.task] = row.simulated
    for row in rows:
        simulated[row.model, row.task] = row.simulated
    items = []
    for one in differences:
        is_simulated = simulated.get((one.model, one.task), False)
        model = kinds.model(one.model, one.model, is_simulated=is_simulated)
        items.append(LabelledSide(model, one.baseline, one.task, one))
    return items


def effect_items(
    runs: Sequence[PageRun], series: Sequence[Series]
) -> Iterator[LabelledSide]:
    """The effects of the conditions of all runs."""
    labels = {one.key: one.label for one in series}
    for number, run in enumerate(runs):
        for item in effects_of(run.summary):
            label = labels[series_key(number, item.one)]
            model = item.model._replace(label=label)
            yield item._replace(model=model, run=run.name)


def effects_of(summary: RunSummary) -> Iterator[LabelledSide]:
    """The effects of the conditions of a run."""
    simulated = {one.model for one in summary.results if one.facts.simulated}
    for one in summary.effects:
        is_simulated = one.model in simulated
        model = kinds.model(one.model, one.model, is_simulated=is_simulated)
        yield LabelledSide(model, "", one.task, one)
