"""Starts of a command that were cut short, and that a later start continued with their
replies from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from pytest_llmarith.records import Part
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.log import LOG, is_torn, lines
from pytest_llmarith.types import Outcome


class _Reply(Part):
    """What tells a reply from others."""

    text: str
    asked_at: str | None


class _Trial(Part):
    """What tells a trial and its reply from others.

    To decode this alone takes a fifth of the time.
    """

    model: str
    nodeid: str | None
    outcome: Outcome
    problem: msgspec.Raw
    condition: msgspec.Raw
    reading: str | None
    reply: _Reply | None
    search: msgspec.Raw | None = None


def continued(runs: Sequence[LoadedRun]) -> list[LoadedRun]:
    """The incomplete runs of which another one has all trials, with the same replies
    and readings.

    The other one is complete, or comes later.
    """

    @cache
    def facts_of(place: int) -> set[int]:
        facts: set[int] = set()
        for _, line in lines(runs[place].path / LOG):
            if not is_torn(line):
                facts.update(_facts(line))
        return facts

    found = []
    for place, run in enumerate(runs):
        if run.complete is not False:
            continue
        facts = facts_of(place)
        for at, other in enumerate(runs):
            is_later = other.complete is False and at > place
            if not other.complete and not is_later:
                continue
            if facts and facts <= facts_of(at):
                found.append(run)
                break
    return found


def _facts(line: str) -> Iterator[int]:
    """That there is this trial, with this search, and with this reply and reading if it
    is answered.
    """
    try:
        trial = msgspec.json.decode(line, type=_Trial)
    except msgspec.DecodeError:
        # Such as half of a surrogate pair, which a reply may have. No other line is the
        # same.
        yield hash(line)
        return
    asked = trial.model, trial.nodeid, bytes(trial.problem), bytes(trial.condition)
    yield hash(asked)
    if trial.search is not None:
        yield hash((asked, bytes(trial.search)))
    if trial.reply is not None and trial.outcome is not Outcome.UNANSWERED:
        yield hash((asked, trial.reading, trial.reply.asked_at, trial.reply.text))
