"""The overview of the page: a row per model with a column per task, and all figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_llmarith.report.definitions.results import (
    D50_MEANING,
    D50S,
    HOLDS,
    HOLDS_TO_MEANING,
    OVERVIEW,
    adaptive,
    holds_to,
)
from pytest_llmarith.report.definitions.score_fields import has_programs, wrong_searches
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.run_tables import notes_of
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import model_of, trials_of
from pytest_llmarith.views.formatting import Percentage
from pytest_llmarith.views.places import Here, short_name
from pytest_llmarith.views.table import Column, Kind, Level, Row, Shown, Table

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
    return kinds.PERCENT.shown(found.correct)._replace(notes=tuple(notes))


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


def overview(rows: Sequence[Here]) -> Overview | None:
    """The results of all models; None without any."""
    if not rows:
        return None
    by_task = _in_order(rows)
    notes = {id(row): list(_notes(row)) for row in by_task}
    figures = OVERVIEW.table(
        by_task,
        Level.PAGE,
        note=lambda row: notes[id(row)],
        trials=trials_of,
    )
    if len({row.result.facts.date for row in rows}) == 1:  # it is in Provenance
        figures = figures.without("date")
    missing = {row.label for row in rows if row.missing}
    legend = ["Correct answers in %, with their 95 % interval"]
    matrix = None
    if len({row.task for row in rows}) > 1:
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
        any(row.simulated for row in rows),
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


def _in_order(rows: Sequence[Here]) -> list[Here]:
    """By task, the best first, those that lack cells last."""
    tasks = list(dict.fromkeys(row.task for row in rows))

    def place(row: Here) -> tuple[int, bool, float]:
        percent = row.value("correct_percentage")
        if percent is None:
            percent = -1.0
        return tasks.index(row.task), bool(row.missing), -percent

    return sorted(rows, key=place)


def _matrix(rows: Sequence[Here], notes: Mapping[int, Sequence[str]]) -> Table:
    """A row per model, a column per task, and what all tasks cost together."""
    tasks = list(dict.fromkeys(row.task for row in rows))
    columns: list[Column[Any]] = [
        Column("model", "model", kinds.MODEL, "the model", lambda one: None)
    ]
    for task in tasks:
        name = short_name(task)
        columns.append(Column(task, name, _RANKED, _MEANING, lambda one: None))
    columns += _TOTALS
    of_model: dict[str, dict[str, Here]] = {}
    for row in rows:
        of_model.setdefault(row.label, {})[row.task] = row
    lines = []
    for label, found in of_model.items():
        values: list[Any] = [model_of(next(iter(found.values())))]
        remarks: list[str] = []
        for task in tasks:
            one = found.get(task)
            if one is None:
                values.append(None)
                continue
            values.append(_ranked(one, _rank(one, rows)))
            for number, note in enumerate(notes[id(one)]):
                remarks.append(note if number else f"{task}: {note}")
        items = list(found.values())
        values += [column.value(items) for column in _TOTALS]
        lines.append(Row(values, remarks, {"model": label}))
    table = Table("matrix", "correct answers by model and task", columns, lines)
    return table.known()


def _cost(items: Sequence[Here]) -> kinds.Cost | None:
    costs = [item.value("cost_usd", "sum") for item in items]
    known = [cost for cost in costs if cost is not None]
    if not known and all(item.simulated for item in items):
        return None
    unpriced = sum(item.number("unpriced") for item in items)
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
        lambda items: sum(item.number("unanswered") for item in items),
        is_rare=True,
    ),
)


def _ranked(row: Here, rank: int | None) -> Ranked | None:
    reach = ""
    found = holds_to(row)
    thresholds = adaptive(row)
    if thresholds:
        reach = f"{_D50} {D50S.shown(thresholds).text}"
    elif found:
        reach = f"{_NINETY} {HOLDS.shown(found).text}"
    correct = row.correct
    if not correct and not reach:
        return None
    return Ranked(correct, rank, reach)


def _rank(row: Here, rows: Sequence[Here]) -> int | None:
    """One more than the models whose interval is above; None if it lacks cells."""
    mine = row.correct
    if row.missing or mine is None or mine.value is None or mine.high is None:
        return None
    ranked = 0
    above = 0
    for one in rows:
        if one.task != row.task or one.missing:
            continue
        ranked += 1
        found = one.correct
        if found and found.low is not None and found.low > mine.high:
            above += 1
    return above + 1 if ranked > 1 else None


def _notes(row: Here) -> Iterator[str]:
    searches = wrong_searches(row)
    if searches:
        yield searches
    for one in row.scored:
        *_, (_, last) = one.all("score")
        score = formatting.percent_of(one.get("score", last))
        note = f"{short_name(one.name)}: score {score} %"
        if has_programs(one):
            note += f" within {last} s"
        yield note
    yield from notes_of(row)
    reasons = []
    for reason, count in row.by_name("unanswered_reason").items():
        reasons.append(f"{count:,} {sanitize(reason, _LONGEST_REASON)}")
    if len(reasons) > _MOST_REASONS:
        reasons[_MOST_REASONS:] = ["..."]
    if reasons:
        yield f"unanswered: {', '.join(reasons)}"
    stored, batched = row.number("stored"), row.number("batched")
    if stored:
        yield f"{stored:,} from the store"
    if batched:
        yield f"{batched:,} from batches"
