"""Runs side by side: the results of each model in each run and condition, with unique
labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pytest_llmarith.records import Record
from pytest_llmarith.report.completeness import missing_cells
from pytest_llmarith.results.compare_rows import OfCondition, model_differences
from pytest_llmarith.results.keys import (
    Keyed,
    differing,
    key_of,
    label_of,
    neighbours,
    parameters_of,
)
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.summaries import (
    ModelDifference,
    Result,
    RunSummary,
)

LONGEST_LABEL = 60

SeriesKey = tuple[
    int, str, str
]  # the number of a run, a model, and the label of a condition


class PageRun(NamedTuple):
    """A run to show.

    `unfinished` is the remark about a run that has not ended; `records` are read once.
    """

    name: str
    summary: RunSummary
    records: Iterable[Record]
    asked: Sequence[OfCondition] = ()
    unfinished: str = ""


class Series(NamedTuple):
    """The results of one model in one run and condition. Labels are unique."""

    label: str
    key: SeriesKey
    results: Sequence[Result]  # one for each task
    unfinished: str = ""


def short_name(text: str) -> str:
    """A name such as a model or a variant in the form that is shown, filtered by and
    linked to.
    """
    return sanitize_name(text, LONGEST_LABEL)


def series_key(run: int, one: Keyed) -> SeriesKey:
    """The series of a record or a result."""
    model, _, condition = key_of(one)
    return run, model, condition


def series_of(runs: Sequence[PageRun]) -> list[Series]:
    """The models of all runs, in the order of the runs.

    If a name occurs in several runs, its label has the parameters and the reading that
    differ, or the name of the run if none do.
    """
    found: dict[SeriesKey, list[Result]] = {}
    for number, run in enumerate(runs):
        for result in run.summary.results:
            found.setdefault(series_key(number, result), []).append(result)
    parameters = differing(
        [
            (model, parameters_of(runs[run].summary.run, model))
            for run, model, _ in found
        ]
    )
    names = [
        (model, condition, sent, reading)
        for (_, model, condition), sent, reading in zip(
            found, parameters, _differing_readings(found), strict=True
        )
    ]
    shared = {name for name, count in Counter(names).items() if count > 1}
    labels = [
        short_name(
            ", ".join(
                filter(None, (*name, runs[key[0]].name if name in shared else ""))
            )
        )
        for key, name in zip(found, names, strict=True)
    ]
    repeated = {label for label, count in Counter(labels).items() if count > 1}
    return [
        Series(
            f"{label} ({number})" if label in repeated else label,
            key,
            results,
            runs[key[0]].unfinished,
        )
        for number, (label, (key, results)) in enumerate(
            zip(labels, found.items(), strict=True), 1
        )
    ]


def _differing_readings(found: Mapping[SeriesKey, Sequence[Result]]) -> list[str]:
    """For each series the reading that was graded, if another series of its model has
    another one in the same task.
    """
    of_task: defaultdict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for (_, model, _), results in found.items():
        for result in results:
            if result.readings:
                of_task[model, result.task].add(tuple(result.readings))
    texts = []
    for (_, model, _), results in found.items():
        differing_tasks = [one for one in results if len(of_task[model, one.task]) > 1]
        readings = dict.fromkeys(
            reading for one in differing_tasks for reading in one.readings
        )
        texts.append(f"{' and '.join(readings)} reading" if readings else "")
    return texts


class ResultOfRun(NamedTuple):
    """A result with the label of its model, which is unique among those shown beside
    it.

    `unfinished` says that its run has not ended, and `missing` names the cells that it
    lacks and others have.
    """

    result: Result
    label: str
    run: str = ""
    unfinished: str = ""
    missing: str = ""

    def without_run(self) -> ResultOfRun:
        """The same for tables of this run alone."""
        return self._replace(label=name_of(self.result), run="", unfinished="")


def results_of(summary: RunSummary) -> list[ResultOfRun]:
    """The results of one run, with the names of models and conditions."""
    return _with_missing(ResultOfRun(one, name_of(one)) for one in summary.results)


def results_of_runs(
    runs: Sequence[PageRun], series: Sequence[Series]
) -> list[ResultOfRun]:
    """The results of several runs, with the labels of their series."""
    return _with_missing(
        ResultOfRun(result, one.label, runs[one.key[0]].name, one.unfinished)
        for one in series
        for result in one.results
    )


def _with_missing(some: Iterable[ResultOfRun]) -> list[ResultOfRun]:
    rows = list(some)
    missing = missing_cells([row.result for row in rows])
    return [
        row._replace(missing=lacks) for row, lacks in zip(rows, missing, strict=True)
    ]


def name_of(result: Result) -> str:
    """The model of a result, and its condition."""
    return ", ".join(filter(None, (result.model, label_of(result.condition))))


def neighbours_of(
    runs: Sequence[PageRun], series: Sequence[Series]
) -> list[tuple[str, str]]:
    """The labels of the models of a run that have neighbouring values of a
    parameter.
    """
    labels = {one.key: one.label for one in series}
    return [
        (labels[before], label)
        for number, run in enumerate(runs)
        for _, first, model in neighbours(run.summary.run.models)
        for key, label in labels.items()
        if key[:2] == (number, model.name)
        and (before := (number, first.name, key[2])) in labels
    ]


def asked_in_runs(
    runs: Sequence[PageRun], series: Sequence[Series]
) -> list[OfCondition]:
    """The questions of all runs, with the labels of their series as models."""
    labels = {one.key: one.label for one in series}
    asked = [
        (labels[series_key(number, one)], one)
        for number, run in enumerate(runs)
        for one in run.asked
    ]
    return [one._replace(model=label) for label, one in asked]


def differences_between(
    runs: Sequence[PageRun], series: Sequence[Series], rows: Sequence[ResultOfRun]
) -> Sequence[ModelDifference]:
    """The differences between all models: of one run between its models, in all
    conditions, of several between labels.

    The baseline is that of the first run (--llm-baseline), else the first row. A best
    model is none: of equal ones, the one that is best by chance would seem to be
    better than others.
    """
    if len(runs) == 1:
        return runs[0].summary.differences
    baseline = rows[0].label if rows else ""
    wanted = runs[0].summary.run.baseline if runs else None
    for one in series:
        run, model, condition = one.key
        if run == 0 and model == wanted and not condition:
            baseline = one.label
    return model_differences(asked_in_runs(runs, series), baseline)
