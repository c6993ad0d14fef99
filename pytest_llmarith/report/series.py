"""Runs side by side: the results of each model in each run and condition, with unique
labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.records import Record
from pytest_llmarith.report.remarks import with_missing_cells
from pytest_llmarith.results.families import model_differences
from pytest_llmarith.results.keys import (
    Keyed,
    differ_in_one_value,
    differing,
    key_of,
    neighbours,
    parameters_of,
)
from pytest_llmarith.results.questions import AskedQuestions
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.views.places import Here, name_of, short_name

# The number of a run, a model, and the label of a condition.
SeriesKey = tuple[int, str, str]


class PageRun(NamedTuple):
    """A run to show.

    `unfinished` is the remark about a run that has not ended; `records` are read once.
    """

    name: str
    summary: RunSummary
    records: Iterable[Record]
    asked: Sequence[AskedQuestions] = ()
    unfinished: str = ""


class Series(NamedTuple):
    """The results of one model in one run and condition. Labels are unique."""

    label: str
    key: SeriesKey
    results: Sequence[Result]  # one for each task
    unfinished: str = ""


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
            key = series_key(number, result)
            found.setdefault(key, []).append(result)
    series = []
    labels = _unique(_labels(runs, found))
    for label, (key, results) in zip(labels, found.items(), strict=True):
        series.append(Series(label, key, results, runs[key[0]].unfinished))
    return series


def _labels(
    runs: Sequence[PageRun], found: Mapping[SeriesKey, Sequence[Result]]
) -> list[str]:
    """A label for each series: the model, its condition, and what tells it from the
    same model in another run.
    """
    sent = []
    for run, model, _ in found:
        sent.append((model, parameters_of(runs[run].summary.run, model)))
    names = []
    differences = zip(differing(sent), _differing_readings(found), strict=True)
    for (_, model, condition), (parameters, reading) in zip(
        found, differences, strict=True
    ):
        names.append((model, condition, parameters, reading))
    counts = Counter(names)
    labels = []
    for (run, _, _), name in zip(found, names, strict=True):
        parts = [part for part in name if part]
        if counts[name] > 1:
            parts.append(runs[run].name)
        labels.append(short_name(", ".join(parts)))
    return labels


def _unique(labels: Sequence[str]) -> list[str]:
    """The labels, with their number if several are the same."""
    counts = Counter(labels)
    found = []
    for number, label in enumerate(labels, 1):
        found.append(f"{label} ({number})" if counts[label] > 1 else label)
    return found


def _differing_readings(found: Mapping[SeriesKey, Sequence[Result]]) -> list[str]:
    """For each series the reading that was graded, if another series of its model has
    another one in the same task.
    """
    of_task: defaultdict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for (_, model, _), results in found.items():
        for result in results:
            if result.facts.readings:
                of_task[model, result.task].add(tuple(result.facts.readings))
    texts = []
    for (_, model, _), results in found.items():
        readings: dict[str, None] = {}
        for result in results:
            if len(of_task[model, result.task]) > 1:
                readings.update(dict.fromkeys(result.facts.readings))
        texts.append(f"{' and '.join(readings)} reading" if readings else "")
    return texts


def results_of(summary: RunSummary) -> list[Here]:
    """The results of one run, with the names of models and conditions."""
    return with_missing_cells([Here(one, name_of(one)) for one in summary.results])


def results_of_runs(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Here]:
    """The results of several runs, with the labels of their series."""
    rows = []
    for one in series:
        name = runs[one.key[0]].name
        for result in one.results:
            rows.append(Here(result, one.label, name, one.unfinished))
    return with_missing_cells(rows)


def side_of(row: Here) -> str:
    """What is compared with others: the model of one run, in all conditions, or one of
    several runs in one condition.
    """
    return row.label if row.run else row.model


def remark_on_conditions(rows: Iterable[Here]) -> str:
    """What a table of differences says if a model has several conditions."""
    sides = Counter((side_of(row), row.task) for row in rows)
    has_several = any(count > 1 for count in sides.values())
    return "each row is over all conditions" if has_several else ""


def neighbours_of(
    runs: Sequence[PageRun], series: Sequence[Series]
) -> list[tuple[str, str]]:
    """The labels of the models of a run, but fake ones, that have neighbouring values
    of a parameter.
    """
    labels = {one.key: one.label for one in series}
    found = []
    for number, run in enumerate(runs):
        models = [one for one in run.summary.run.models if not one.simulated]
        for first, second in neighbours(models, differ_in_one_value):
            for (of_run, model, condition), label in labels.items():
                before = labels.get((number, first.name, condition))
                if before and (of_run, model) == (number, second.name):
                    found.append((before, label))
    return found


def differences_between(
    runs: Sequence[PageRun], series: Sequence[Series], rows: Sequence[Here]
) -> list[Compared]:
    """The differences between all models: of one run between its models, in all
    conditions, of several between labels.

    The baseline is that of the first run (--llm-baseline), else the first row. A best
    model is none: of equal ones, the one that is best by chance would seem to be
    better than others.
    """
    if len(runs) == 1:
        return runs[0].summary.contrasts("model")
    baseline = rows[0].label if rows else ""
    wanted = runs[0].summary.run.baseline if runs else None
    labels = {}
    for one in series:
        labels[one.key] = one.label
        if one.key == (0, wanted, ""):
            baseline = one.label
    asked = []
    for number, run in enumerate(runs):
        for some in run.asked:
            asked.append(some._replace(model=labels[series_key(number, some)]))
    return model_differences(asked, baseline)
