"""The overview of the page: a row per model with a column per task, and all figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.definitions.results import (
    D50_MEANING,
    D50S,
    HOLDS,
    HOLDS_TO_MEANING,
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
_NINETY, _D50 = "90 % to:", "D50"
_FIRST = ("model", "task", "correct", "holds_to", "d50", "cost", "most_errors")


class Ranked(NamedTuple):
    """The correct answers of a model at a task, its rank, and how far they reach."""

    correct: Percentage | None
    rank: int | None
    reach: str


def _shown(found: Ranked) -> Shown:
    notes = []
    if found.rank:
        notes.append(f"rank {found.rank}")
    if found.reach:
        notes.append(found.reach)
    return kinds.PERCENT.shown(found.correct)._replace(note="; ".join(notes))


_RANKED: Kind[Ranked] = Kind(
    {"percent": "number", "low": "number", "high": "number", "rank": "integer"},
    _shown,
    lambda v: [*kinds.PERCENT.values(v.correct), v.rank],
    "%",
)
_MEANING = (
    "correct answers with their 95 % interval; rank: one more than the models whose "
    "interval is above this one"
)


class Overview(NamedTuple):
    """The matrix of models and tasks, if there are several tasks, and all figures by
    model and task.
    """

    matrix: View | None
    figures: View
    simulated: bool
    legend: Sequence[str]  # sentences about what is shown


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
    if len({row.result.date for row in rows}) == 1:  # it is in Provenance
        figures = figures.without("date")
    missing = {row.label for row in rows if row.missing}
    legend = ["Correct answers in %, with their 95 % interval"]
    matrix = None
    if len({row.result.task for row in rows}) > 1:
        table = _matrix(by_task, notes)
        legend += _legend(table)
        matrix = view(table, missing=missing)
    else:
        figures = figures.without("task")
        legend += figures.explanation
    if missing:
        legend.append(
            "Rows that lack cells of others come last: they were not asked these "
            "questions, or did not answer them"
        )
    return Overview(
        matrix,
        view(figures.first(*_FIRST), missing=missing),
        any(row.result.simulated for row in rows),
        legend,
    )


def _legend(matrix: Table) -> Iterator[str]:
    """What the figures of a matrix mean, as far as it has them."""
    cells = []
    for row in matrix.rows:
        cells += [value for value in row.values if isinstance(value, Ranked)]
    if any(cell.rank for cell in cells):
        yield "Models share a rank if no interval is above that of the other"
    if any(cell.reach.startswith(_NINETY) for cell in cells):
        yield f"{_NINETY} {HOLDS_TO_MEANING}"
    if any(cell.reach.startswith(_D50) for cell in cells):
        yield f"{_D50}: {D50_MEANING}"


def _in_order(rows: Sequence[ResultOfRun]) -> list[ResultOfRun]:
    """By task, the best first, those that lack cells last."""
    tasks = list(dict.fromkeys(row.result.task for row in rows))

    def place(row: ResultOfRun) -> tuple[int, bool, float]:
        found = correct_of(row.result)
        percent = found.percent if found else None
        if percent is None:
            percent = -1.0
        return tasks.index(row.result.task), bool(row.missing), -percent

    return sorted(rows, key=place)


def _matrix(rows: Sequence[ResultOfRun], notes: Mapping[int, str]) -> Table:
    """A row per model, a column per task, and what all tasks cost together."""
    tasks = list(dict.fromkeys(row.result.task for row in rows))
    columns: list[Column[Any]] = [
        Column("model", "model", kinds.MODEL, "the model", lambda one: None)
    ]
    for task in tasks:
        name = short_name(task)
        columns.append(Column(task, name, _RANKED, _MEANING, lambda one: None))
    columns += _TOTALS
    of_model: dict[str, dict[str, ResultOfRun]] = {}
    for row in rows:
        of_model.setdefault(row.label, {})[row.result.task] = row
    lines = []
    for label, found in of_model.items():
        values: list[Any] = [model_of(next(iter(found.values())))]
        remarks = []
        for task in tasks:
            one = found.get(task)
            if one is None:
                values.append(None)
                continue
            values.append(_ranked(one, _rank(one, rows)))
            if notes[id(one)]:
                remarks.append(f"{task}: {notes[id(one)]}")
        items = [Of(row, row.result) for row in found.values()]
        values += [column.value(items) for column in _TOTALS]
        lines.append(Row(values, "; ".join(remarks), {"model": label}))
    table = Table("matrix", "correct answers by model and task", columns, lines)
    return table.known()


def _cost(items: Sequence[Of]) -> kinds.Cost | None:
    known = [item.one.cost_usd for item in items if item.one.cost_usd is not None]
    if not known and all(item.one.simulated for item in items):
        return None
    unpriced = sum(item.one.unpriced for item in items)
    if not known:
        return kinds.Cost(None, unpriced)
    return kinds.Cost(sum(known), unpriced)


_TOTALS: Sequence[Column[Any]] = (
    Column(
        "cost",
        "cost",
        kinds.MONEY,
        "US dollars; a plus means that some replies have no known price",
        _cost,
    ),
    Column(
        "unanswered",
        "unanswered",
        kinds.COUNT,
        "questions without an answer, which are in no percentage",
        lambda items: sum(item.one.outcomes.unanswered for item in items),
        is_rare=True,
    ),
)


def _ranked(row: ResultOfRun, rank: int | None) -> Ranked | None:
    reach = ""
    found = holds_to(row.result)
    thresholds = adaptive(row.result)
    if thresholds:
        reach = f"{_D50} {D50S.shown(thresholds).text}"
    elif found:
        reach = f"{_NINETY} {HOLDS.shown(found).text}"
    correct = correct_of(row.result)
    if not correct and not reach:
        return None
    return Ranked(correct, rank, reach)


def _rank(row: ResultOfRun, rows: Sequence[ResultOfRun]) -> int | None:
    """One more than the models whose interval is above; None if it lacks cells."""
    mine = correct_of(row.result)
    if row.missing or mine is None or mine.percent is None or mine.high is None:
        return None
    ranked = 0
    above = 0
    for one in rows:
        if one.result.task != row.result.task or one.missing:
            continue
        ranked += 1
        found = correct_of(one.result)
        if found and found.low is not None and found.low > mine.high:
            above += 1
    return above + 1 if ranked > 1 else None


def _notes(row: ResultOfRun) -> Iterator[str]:
    result = row.result
    if result.breaking_points:
        searches = result.breaking_points
        wrong = sum(one.question is not None for one in searches)
        yield f"wrong in {wrong} of {len(searches)} searches"
    for one in result.scored:
        last = one.scores[-1]
        name = short_name(one.variant or result.task)
        note = f"{name}: score {formatting.percent_of(last.mean)} %"
        if one.programs:
            note += f" within {last.name} s"
        yield note
    yield from notes_of(row)
    if result.unanswered_reasons:
        reasons = []
        for reason, count in result.unanswered_reasons.items():
            reasons.append(f"{count:,} {sanitize(reason, _LONGEST_REASON)}")
        if len(reasons) > _MOST_REASONS:
            reasons[_MOST_REASONS:] = ["..."]
        yield f"unanswered: {', '.join(reasons)}"
    if result.stored:
        yield f"{result.stored:,} from the store"
    if result.batched:
        yield f"{result.batched:,} from batches"
