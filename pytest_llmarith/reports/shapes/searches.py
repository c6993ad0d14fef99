"""The shapes of what became of a search: a part of the records of the breaking point."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.reports.shapes.replies import Reply, Usage
from pytest_llmarith.values import ErrorClass, Outcome, SearchEnd


class Minimum(TypedDict):
    """The smallest question that was answered wrongly each time that it was asked."""

    question: str
    """Such as `27 * 48`."""
    expected: str
    outcome: Outcome
    reason: str | None
    """Why there is no answer."""
    answer: str | None
    error_class: ErrorClass | None


class SearchStep(TypedDict):
    """One question of a search."""

    question: str
    before: int
    """How often it was asked before."""
    outcome: Outcome
    reply: Reply | None
    """Null where there was no room for it beside the others."""
    usage: NotRequired[Usage]
    """Of a reply that is not kept."""


class Search(TypedDict):
    """What a search asked, and what it came to."""

    ended: SearchEnd
    questions: int
    minimum: Minimum | None
    """Null where no question was wrong each time."""
    not_reproduced: int
    """How many questions were answered wrongly, and rightly when they were asked again."""
    largest_right: str | None
    """The largest question that was answered rightly."""
    trail: list[SearchStep]
