"""The shapes of what a model did on sets of sequences: a part of a result."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.oeis.scoring import TermStatus
from pytest_llmarith.reports.shapes.figures import Mean, Outcomes, Percentage, Spending


class Limit(TypedDict):
    """What programs scored within one limit of seconds per term."""

    seconds: float
    sequences: int
    """Sequences that were measured."""
    score: Mean
    perfect: int
    """Sequences with all terms right."""
    perfect_percentage: Percentage | None


class Curve(TypedDict):
    """The scores of all sequences within one limit of seconds per term, the best first."""

    seconds: float
    scores: list[float]


class TermPlace(TypedDict):
    """How the terms at one place of their sequences fared; those of lookup tables are left out."""

    term: int
    """From 1."""
    right: int
    run: int


class TermSeconds(TypedDict):
    """How long terms took."""

    median: float
    p90: float
    max: float


class Agreement(TypedDict):
    """How far the two judges agree about lookup tables."""

    judged: int
    both: int
    only_static: int
    only_llm: int
    neither: int
    agreement: Percentage | None
    kappa: float | None
    """Cohen's; null where it is undefined."""


class SequenceSet(Outcomes):
    """What one model did on one set of sequences."""

    set: str
    measured: int
    correct_percentage: NotRequired[Percentage | None]
    cheating: Percentage | None
    """Null where nobody judged."""
    limits: list[Limit]
    curve: NotRequired[list[Curve]]
    """Not in `aggregate.jsonl`."""
    by_term: NotRequired[list[TermPlace]]
    """At most 100 places. Not in `aggregate.jsonl`."""
    term_statuses: NotRequired[dict[TermStatus, int]]
    term_seconds: NotRequired[TermSeconds | None]
    unsolved: NotRequired[list[str]]
    """Numbers of at most 500 sequences without a right term. Not in `aggregate.jsonl`."""
    unsolved_count: NotRequired[int]
    spending: NotRequired[Spending]
    isolation: dict[str, int]
    """Programs by the level at which they were locked in."""
    judges: Agreement | None
    """Null where not both of them judged."""
