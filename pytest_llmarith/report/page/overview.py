"""The overview of the page: a row per model with a column per task, and all figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.definitions.results import (
    D50S,
    HOLDS,
    OVERVIEW,
    Of,
    adaptive,
    correct_of,
    holds_to,
    model_of,
    overview_items,
    trials_of,
)
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.run_tables import notes_of
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.table import Column, Kind, Level, Row, Shown, Table
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import Percentage

_LONGEST_REASON = 60
_MOST_REASONS = 4


_FIRST = ("model", "task", "correct", "holds_to", "d50", "cost", "most_errors")


class Ranked(NamedTuple):
    """The correct answers of a model at a task, its rank, and how far they reach."""

    correct: Percentage | None
    rank: int | None
    reach: str


def _shown(found: Ranked) -> Shown:
    percent = kinds.PERCENT.shown(found.correct)
    rank = f"rank {found.rank}" if found.rank else ""
    return percent._replace(note="; ".join(filter(None, (rank, found.reach))))


_RANKED: Kind[Ranked] = Kind(
    {"percent": "number", "low": "number", "high": "number", "rank": "integer"},
    _shown,
    lambda v: [*kinds.PERCENT.values(v.correct), v.rank],
    "%",
)
_MEANING = (
    "correct answers with their 95 % interval; rank: one more than the models whose "
    "interval is above this one; 90 %: the depth up to which 90 % are correct"
)


class Overview(NamedTuple):
    """The matrix of models and tasks, if there are several tasks, and all figures by
    model and task.
    """

    matrix: View | None
    figures: View
    simulated: bool
    lacking: bool  # whether a result lacks cells of others


def overview(rows: Sequence[ResultOfRun]) -> Overview | None:
    """The results of all models; None without any."""
    if not rows:
        return None
    by_task = _in_order(rows)
    notes = {id(row): "; ".join(_notes(row)) for row in by_task}
    figures = OVERVIEW.table(
        overview_items(by_task),
        Level.PAGE,
        note=lambda item: notes[id(item.row)],
        trials=trials_of,
    )
    dates = {str(value) for value in _values(figures, "date")}
    if len(dates) == 1:  # it is in Provenance
        figures = figures.without("date")
    missing = {row.label for row in rows if row.missing}
    matrix = None
    if len({row.result.task for row in rows}) > 1:
        matrix = view(_matrix(by_task, notes), missing=missing)
    else:
        figures = figures.without("task")
    return Overview(
        matrix,
        view(figures.first(*_FIRST), missing=missing),
        any(row.result.simulated for row in rows),
        bool(missing),
    )


def _values(table: Table, key: str) -> list[Any]:
    known = [column.key for column in table.columns]
    return table.values(key) if key in known else []


def _percent(row: ResultOfRun) -> float:
    found = correct_of(row.result)
    return found.percent if found and found.percent is not None else -1.0


def _in_order(rows: Sequence[ResultOfRun]) -> list[ResultOfRun]:
    """By task, the best first, those that lack cells last."""
    tasks = list(dict.fromkeys(row.result.task for row in rows))
    return sorted(
        rows,
        key=lambda row: (
            tasks.index(row.result.task),
            bool(row.missing),
            -_percent(row),
        ),
    )


def _matrix(rows: Sequence[ResultOfRun], notes: Mapping[int, str]) -> Table:
    """A row per model, a column per task, and what all tasks cost together."""
    tasks = list(dict.fromkeys(row.result.task for row in rows))
    of_model: dict[str, dict[str, ResultOfRun]] = {}
    for row in rows:
        of_model.setdefault(row.label, {})[row.result.task] = row
    ranks = {id(row): _rank(row, rows) for row in rows}
    columns: list[Column[Any]] = [
        Column("model", "model", kinds.MODEL, "the model", lambda one: None)
    ]
    for task in tasks:
        name = short_name(task)
        columns.append(Column(task, name, _RANKED, _MEANING, lambda one: None))
    totals = [_TOTALS[name] for name in ("cost", "unanswered")]
    columns += totals
    lines = []
    for label, found in of_model.items():
        values: list[Any] = [model_of(next(iter(found.values())))]
        for task in tasks:
            one = found.get(task)
            values.append(_ranked(one, ranks[id(one)]) if one else None)
        items = [Of(row, row.result) for row in found.values()]
        values += [column.value(items) for column in totals]
        remarks = []
        for task, row in found.items():
            text = notes[id(row)]
            if text:
                remarks.append(f"{task}: {text}" if len(tasks) > 1 else text)
        lines.append(Row(values, "; ".join(remarks), {"model": label}))
    table = Table("matrix", "correct answers by model and task", columns, lines)
    return table.known()


def _cost(items: Sequence[Of]) -> kinds.Cost | None:
    known = [item.one.cost_usd for item in items if item.one.cost_usd is not None]
    if not known and all(item.one.simulated for item in items):
        return None
    unpriced = sum(item.one.unpriced for item in items)
    return kinds.Cost(sum(known) if known else None, unpriced)


_TOTALS: Mapping[str, Column[Any]] = {
    "cost": Column(
        "cost",
        "cost",
        kinds.MONEY,
        "US dollars; a plus means that some replies have no known price",
        _cost,
    ),
    "unanswered": Column(
        "unanswered",
        "unanswered",
        kinds.COUNT,
        "questions without an answer, which are in no percentage",
        lambda items: sum(item.one.outcomes.unanswered for item in items),
        is_rare=True,
    ),
}


def _ranked(row: ResultOfRun, rank: int | None) -> Ranked | None:
    reach = ""
    found, thresholds = holds_to(row.result), adaptive(row.result)
    if thresholds:
        reach = f"D50 {D50S.shown(thresholds).text}"
    elif found:
        reach = f"90 %: {HOLDS.shown(found).text}"
    correct = correct_of(row.result)
    return Ranked(correct, rank, reach) if correct or reach else None


def _rank(row: ResultOfRun, rows: Sequence[ResultOfRun]) -> int | None:
    """One more than the models whose interval is above; None if it lacks cells."""
    mine = correct_of(row.result)
    if row.missing or mine is None or mine.percent is None or mine.high is None:
        return None
    others = [
        one for one in rows if one.result.task == row.result.task and not one.missing
    ]
    if len(others) < 2:
        return None
    above = 0
    for one in others:
        found = correct_of(one.result)
        is_above = found is not None and found.low is not None and found.low > mine.high
        above += is_above
    return 1 + above


def _notes(row: ResultOfRun) -> Iterator[str]:
    result = row.result
    if result.breaking_points:
        searches = result.breaking_points
        wrong = sum(one.question is not None for one in searches)
        yield f"wrong in {wrong} of {len(searches)} searches"
    for one in result.scored:
        last = one.scores[-1]
        score = formatting.percent_of(last.mean)
        within = f" within {last.name} s" if one.programs else ""
        yield f"{short_name(one.variant or result.task)}: score {score} %{within}"
    yield from notes_of(row)
    if result.unanswered_reasons:
        shown = [
            f"{count:,} {sanitize(reason, _LONGEST_REASON)}"
            for reason, count in result.unanswered_reasons.items()
        ]
        more = ", ..." if len(shown) > _MOST_REASONS else ""
        yield f"unanswered: {', '.join(shown[:_MOST_REASONS])}{more}"
    if result.stored:
        yield f"{result.stored:,} from the store"
    if result.batched:
        yield f"{result.batched:,} from batches"
