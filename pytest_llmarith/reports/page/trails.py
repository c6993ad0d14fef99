"""A search for a breaking point as the trial browser shows it: what it found, and every question on the way.

It does not know how a search goes, nor how its parts are laid out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_llmarith.values.answers import as_text

Record = Mapping[str, Any]


def error_class(record: Record) -> str | None:
    """The class of a trial's error: of its answer, or of the simplest wrong one that a search has found."""
    grade, search = record["grade"] or {}, record.get("search") or {}
    found = grade.get("error_class") or (search.get("minimum") or {}).get("error_class")
    return None if found is None else str(found)


def shown_search(search: Record) -> dict[str, Any]:
    """What stands in the places of a trial's question and answers, and what a search has beside them."""
    minimum = search["minimum"]
    found: Record = minimum or {"question": search.get("largest_right")}
    return {
        "question": as_text(found.get("question")),
        "expected": as_text(found.get("expected")),
        "answer": as_text(found.get("answer")),
        "search": list(_facts(search)),
        "trail": [_step(step) for step in search["trail"]],
    }


def _facts(search: Record) -> Iterator[tuple[str, str]]:
    yield "search ended", _ENDS.get(str(search.get("ended")), str(search.get("ended")))
    yield "questions", str(search["questions"])
    if search["not_reproduced"]:
        yield "wrong, then right", str(search["not_reproduced"])
    if search.get("largest_right"):
        yield "largest right", str(search["largest_right"])


_ENDS = {
    "shrunk": "nothing simpler that it tried was wrong",
    "budget": "its questions were used up; a simpler one may be wrong too",
    "nothing found": "all of its questions were answered rightly",
    "not reproduced": "no question was wrong each time that it was asked",
    "unanswered": "a question had no reply",
}


def _step(step: Record) -> list[str | None]:
    """A question, what came of it, and the reply; one that was too long to be kept is none."""
    reply = (step["reply"] or {}).get("text")
    return [*(as_text(step.get(name)) for name in ("question", "outcome")), as_text(reply)]
