"""A search for a breaking point as the trial browser shows it: what it found, and every question on the way.

It does not know how a search goes, nor how its parts are laid out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_llmarith.records import Record, Search, SearchStep
from pytest_llmarith.values import ErrorClass, SearchEnd


def error_class(record: Record) -> ErrorClass | None:
    """The class of a trial's error: of its answer, or of the simplest wrong one that a search has found."""
    if record.search and record.search.minimum:
        return record.search.minimum.error_class
    return record.grade.error_class if record.grade else None


def shown_search(search: Search) -> dict[str, Any]:
    """What stands in the places of a trial's question and answers, and what a search has beside them."""
    minimum = search.minimum
    return {
        "question": minimum.question if minimum else search.largest_right,
        "expected": minimum and minimum.expected,
        "answer": minimum and minimum.answer,
        "search": list(_facts(search)),
        "trail": [_step(step) for step in search.trail],
    }


def _facts(search: Search) -> Iterator[tuple[str, str]]:
    yield "search ended", _ENDS[search.ended]
    yield "questions", str(search.questions)
    if search.not_reproduced:
        yield "wrong, then right", str(search.not_reproduced)
    if search.largest_right:
        yield "largest right", search.largest_right


_ENDS = {
    SearchEnd.SHRUNK: "nothing simpler that it tried was wrong",
    SearchEnd.BUDGET: "its questions were used up; a simpler one may be wrong too",
    SearchEnd.NOTHING_FOUND: "all of its questions were answered rightly",
    SearchEnd.NOT_REPRODUCED: "no question was wrong each time that it was asked",
    SearchEnd.UNANSWERED: "a question had no reply",
}


def _step(step: SearchStep) -> list[str | None]:
    """A question, what came of it, and the reply; one that was too long to be kept is none."""
    return [step.question, step.outcome, step.reply.text if step.reply else None]
