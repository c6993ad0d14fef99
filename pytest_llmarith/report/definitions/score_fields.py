"""Tables of scores, and of searches for breaking points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from pytest_llmarith.figures.searches import BreakingPoint
from pytest_llmarith.report.definitions.results import first_wrong
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import SearchEnd
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import WHOSE
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Column, Definition, Kind, Level, Shown, Table
from pytest_llmarith.views.tasks import report_of

_LONGEST_NAME = 20
NO_ANSWER_IS_0 = "a reply without an answer counts 0 in every score"


def score_name(here: Here) -> str:
    """The name of a score, with the unit of a limit."""
    return f"{here.at} {report_of(here.task).score_unit}".rstrip()


SCORES = Definition(
    "scores",
    "scores by variant",
    [
        *WHOSE,
        Column(
            "variant",
            "variant",
            kinds.NAME,
            "the variant, or all of them",
            lambda here: "all" if here.variant is None else here.name,
        ),
        Column(
            "score",
            "score",
            kinds.TEXT,
            "the name of the score, or the limit to which it belongs",
            score_name,
        ),
        Column(
            "problems",
            "problems",
            kinds.COUNT,
            "problems with a reply",
            lambda here: here.get("score", here.at).n,
            Level.FULL,
        ),
        Column(
            "mean",
            "score %",
            kinds.PERCENT,
            "the mean, each score 0 without an answer",
            lambda here: here.get("score", here.at),
            pictured=True,
        ),
        Column(
            "perfect",
            "perfect %",
            kinds.PERCENT,
            "problems with the score 1",
            lambda here: here.get("perfect_percentage", here.at),
            Level.FULL,
        ),
        Column(
            "unsolved",
            "unsolved",
            kinds.COUNT,
            "problems whose scores are all 0",
            lambda here: None if here.variant is None else here.number("unsolved"),
        ),
        Column(
            "first_wrong",
            "first wrong",
            kinds.WRONG,
            "the wrong answer to the smallest question",
            lambda here: None if here.variant is None else first_wrong(here),
            most=Level.FULL,  # the page is as wide as paper
            is_optional=True,
        ),
    ],
)


def scores(rows: Iterable[Here], level: Level, trials: Any) -> Table:
    """A row for each score of each variant, and of all variants together, with the
    columns that tasks bring.
    """
    items = []
    own: dict[str, list[Column[Any]]] = {}
    for row in rows:
        of_task = report_of(row.task)
        own[row.task] = [_of_task(row.task, one) for one in of_task.score_columns]
        places = row.scored
        if len(places) != 1 and not of_task.share_problems:
            places.append(row)
        for place in places:
            items += [place._replace(at=name) for _, name in place.all("score")]
    *columns, first = SCORES.columns
    for some in own.values():
        columns += some
    definition = replace(SCORES, columns=[*columns, first])
    return definition.table(
        items, level, trials=trials, notes=list(score_notes(rows, level))
    )


def _of_task(task: str, column: Column[Any]) -> Column[Any]:
    """A column with values in the rows of variants of this task alone."""

    def value(here: Here) -> Any:
        if here.task != task or here.variant is None:
            return None
        return column.value(here)

    return replace(column, value=value)


def score_legend(rows: Iterable[Here]) -> str:
    """How the intervals of scores are made."""
    texts = {report_of(row.task).score_legend: "" for row in rows if row.scored}
    if "" in texts:
        texts["95 % of scores: by Student's t, or Wilson's if all are 0 or 1"] = ""
        texts[NO_ANSWER_IS_0] = ""
    return "; ".join(filter(None, texts))


def score_notes(rows: Iterable[Here], level: Level) -> Iterator[str]:
    """What has to be known of scores, a line per fact."""
    scored = [one for row in rows for one in row.scored]
    has_several = len({one.label for one in scored}) > 1
    for one in scored:
        whose = sanitize_name(one.name, _LONGEST_NAME)
        if has_several:
            whose = f"{one.label}, {whose}"
        notes = list(report_of(one.task).score_notes(one, level))
        if level >= Level.FULL:
            notes += _notes(one)
        for note in notes:
            yield f"{whose}: {note}"


def _notes(one: Here) -> Iterator[str]:
    unsolved = one.examples("unsolved")
    if unsolved:
        count = one.number("unsolved")
        yield f"{count} of {one.measured} unsolved: {formatting.named(unsolved)}"
    unanswered = one.number("unanswered")
    if unanswered:
        yield f"{unanswered} unanswered, not counted"


# --- searches -------------------------------------------------------------------------


def _broken(found: BreakingPoint) -> Shown:
    """The wrong answer with its class, or that there is none, and how the search
    ended.
    """
    text, notes = "no repeatable error", []
    if found.question is not None:
        text = formatting.wrong_answer(found)
        if found.error_class:
            notes.append(str(found.error_class))
        if found.ended == SearchEnd.BUDGET:
            notes.append("maybe not the simplest")
    elif found.depth_right is not None:
        text += f" up to depth {found.depth_right}"
    if found.ended == SearchEnd.NOT_REPRODUCED:
        questions = formatting.counted(found.not_reproduced, "question")
        notes.append(f"not reproduced: {questions} answered wrongly, then rightly")
    return Shown(text, notes=tuple(notes))


BREAK: Kind[BreakingPoint] = Kind(
    _broken,
    lambda v: v.question,
    is_sorted=False,
    is_left=True,
)


class SearchOfResult(NamedTuple):
    """A search of a result."""

    here: Here
    point: BreakingPoint


def _search(item: SearchOfResult) -> str:
    point = item.point
    if not point.repeat:
        return point.variant
    return f"{point.variant}, repeat {point.repeat}"


def _whose(column: Column[Any]) -> Any:
    return lambda item: column.value(item.here)


SEARCHES = Definition(
    "searches",
    "breaking points",
    [
        *(replace(one, value=_whose(one)) for one in WHOSE),
        Column(
            "search",
            "search",
            kinds.NAME,
            "the variant, and which repeat it is",
            _search,
        ),
        Column(
            "questions",
            "questions",
            kinds.COUNT,
            "questions that were asked",
            lambda item: item.point.questions,
        ),
        Column(
            "breaks_at",
            "breaks at",
            BREAK,
            "the simplest question that was answered wrongly each time",
            lambda item: item.point,
        ),
    ],
)


def search_items(rows: Iterable[Here]) -> list[SearchOfResult]:
    """The searches of results."""
    found = []
    for row in rows:
        found += [
            SearchOfResult(row, point) for point in row.examples("breaking_points")
        ]
    return found
