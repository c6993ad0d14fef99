"""Starts of a command that were cut short, and that a later start continued with their replies from the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from pytest_llmarith.records import Record
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.types import Outcome


def continued(runs: Sequence[LoadedRun]) -> list[LoadedRun]:
    """The incomplete runs of which another one has all trials, with the same replies and readings.

    The other one is complete, or comes later.
    """

    @cache
    def facts_of(place: int) -> set[int]:
        return {fact for record in runs[place].records() for fact in _facts(record)}

    found = []
    for place, run in enumerate(runs):
        if run.complete is not False:
            continue
        facts = facts_of(place)
        for at, other in enumerate(runs):
            may_continue = other.complete or (other.complete is False and at > place)
            if may_continue and facts and facts <= facts_of(at):
                found.append(run)
                break
    return found


def _facts(record: Record) -> Iterator[int]:
    """That there is this trial and, if it is answered, that it has this reply and reading."""
    yield hash((record.model, record.nodeid))
    if record.reply is not None and record.outcome is not Outcome.UNANSWERED:
        reply = record.reply
        yield hash((record.model, record.nodeid, record.reading, reply.asked_at, reply.text))
