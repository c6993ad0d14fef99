"""What a record says of a search for the breaking point, and of all replies that a trial took."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_llmarith.records import BreakingPoint, Minimum, Record, SearchProblem, SearchStep, Usage
from pytest_llmarith.values import Outcome


def breaking_point(record: Record) -> BreakingPoint | None:
    """What a search came to; None for other trials, and for a search that was not answered to its end."""
    search, problem = record.search, record.problem
    if search is None or not isinstance(problem, SearchProblem) or record.outcome is Outcome.UNANSWERED:
        return None
    minimum = search.minimum or Minimum(None, None, record.outcome, None, None, None)
    return BreakingPoint(
        question=minimum.question,
        expected=minimum.expected,
        outcome=record.outcome,
        reason=minimum.reason,
        answer=minimum.answer,
        error_class=minimum.error_class,
        variant=problem.variant,
        repeat=record.repeat,
        not_reproduced=search.not_reproduced,
        questions=search.questions,
        budget=problem.budget,
        ended=search.ended,
        largest_right=search.largest_right,
    )


def replies_of(record: Record) -> Iterator[Usage]:
    """Every reply that a trial took, or its usage where the reply was not kept: one, but for a search."""
    if record.search and record.search.trail:
        yield from filter(None, map(_reply_or_usage, record.search.trail))
    elif record.reply:
        yield record.reply


def asked_of(record: Record) -> int:
    """How many of the replies that a trial has read came from the model itself, and not from the store."""
    if record.search:  # also one that was broken off: it has read what its trail holds
        return sum(not ((usage := _reply_or_usage(step)) and usage.stored) for step in record.search.trail)
    return int(record.outcome is not Outcome.UNANSWERED and record.reply is not None and not record.reply.stored)


def _reply_or_usage(step: SearchStep) -> Usage | None:
    return step.reply or step.usage
