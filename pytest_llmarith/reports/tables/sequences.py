"""Scores of sequences by set and limit, as a table. It does not know how they come about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Literal

from pytest_llmarith.records import Result, SequenceSet
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.tables.drawing import draw
from pytest_llmarith.values import Level

_LONGEST_NAME = 20
_MOST_NAMED = 5
_SHOWN_PLACES = (1, 2, 5, 10, 20, 50, 100)


LEGEND = (
    "score: mean share of right terms, 95 % by bootstrap over sequences; perfect: every term right; "
    "cheating: a lookup table, scores 0"
)


def set_table(result: Result, width: int) -> list[str]:
    """A row per set and limit; below it what has to be known beside the scores."""
    rows = [row for one in result.sets for row in _rows(one)]
    notes = [f"{sanitize_name(one.set, _LONGEST_NAME)}: {note}" for one in result.sets for note in _notes(one)]
    table = draw(["set", "limit", "sequences", "score %", "95 %", "perfect %", "95 %"], rows)
    return [*table, *(line for note in (*notes, LEGEND) for line in wrap(note, width))]


def unsolved_lines(results: Sequence[Result], width: int) -> list[str]:
    """The sequences of each set that several models were asked for and none of them solved."""
    by_set: dict[str, list[set[str]]] = {}
    for one in (one for result in results for one in result.sets if one.measured):
        by_set.setdefault(one.set, []).append(set(one.unsolved))
    return [
        line
        for name, unsolved in by_set.items()
        if len(unsolved) > 1
        for line in wrap(_nobody(name, sorted(set.intersection(*unsolved)), len(unsolved)), width)
    ]


def _nobody(name: str, numbers: Sequence[str], models: int) -> str:
    told = f"{sanitize_name(name, _LONGEST_NAME)}: unsolved by each of {models} models: {len(numbers)}"
    return f"{told} ({_named(numbers, len(numbers))})" if numbers else told


def _named(numbers: Sequence[str], count: int) -> str:
    """The first few numbers of so many."""
    named = ", ".join(sanitize_name(number, _LONGEST_NAME) for number in numbers[:_MOST_NAMED])
    return f"{named}, ..." if count > _MOST_NAMED else named


def _rows(one: SequenceSet) -> list[list[str]]:
    name = sanitize_name(one.set, _LONGEST_NAME)
    measured = one.measured
    if not one.limits:
        return [[name, figures.UNKNOWN, str(measured), *[figures.UNKNOWN] * 4]]
    rows = []
    for number, limit in enumerate(one.limits):
        first = number == 0
        score, perfect = limit.score, figures.share(limit.perfect, limit.sequences)
        rows.append(
            [
                name if first else "",
                f"{limit.seconds:g} s",
                str(limit.sequences),
                figures.one_decimal(score),
                figures.interval(score),
                perfect,
                figures.interval(limit.perfect_percentage),
            ]
        )
    return rows


def _cheating(one: SequenceSet) -> str:
    if one.cheating is None:
        return "no program was judged"
    return f"cheating {figures.share(one.cheat, one.measured)} % ({figures.interval(one.cheating)})"


def _notes_on_terms(one: SequenceSet) -> list[str]:
    """Which sequences nobody programmed, where in a sequence terms go wrong, and how long they take."""
    notes = []
    if one.unsolved_count:
        named = _named(one.unsolved, one.unsolved_count)
        notes.append(f"{one.unsolved_count} of {one.measured} unsolved: {named}")
    if places := _places(one.by_term):
        notes.append(f"terms right, by their place: {places}")
    if times := one.term_seconds:
        median, p90, longest = (figures.short(repr(each)) for each in (times["median"], times["p90"], times["max"]))
        notes.append(f"seconds per term: median {median}, p90 {p90}, longest {longest}")
    return notes


def _places(by_term: Sequence[Mapping[Literal["term", "right", "run"], int]]) -> str:
    """Such as `1st 83/87, 10th 61/80`: counts, as the further the place, the fewer sequences have it."""
    return ", ".join(
        f"{_ordinal(one['term'])} {one['right']}/{one['run']}" for one in by_term if one["term"] in _SHOWN_PLACES
    )


def _ordinal(place: int) -> str:
    return f"{place}{'st' if place == 1 else 'nd' if place == 2 else 'th'}"


def _notes(one: SequenceSet) -> list[str]:
    """What has to be known beside the figures."""
    notes = []
    if one.measured:
        notes.append(_cheating(one))
    notes += _notes_on_terms(one)
    if unprotected := one.isolation.get(Level.NONE):
        notes.append(f"{unprotected} programs ran without a sandbox, with the rights of this user")
    if one.unanswered:
        notes.append(f"{one.unanswered} unanswered, in no figure")
    if judges := one.judges:
        kappa = "undefined" if judges.kappa is None else f"{judges.kappa:.2f}"
        notes.append(
            f"the judges agree on {judges.both + judges.neither} of {judges.judged} programs, "
            f"Cohen's kappa {kappa} (cheat: both {judges.both}, only static {judges.only_static}, "
            f"only the model {judges.only_llm})"
        )
    return notes
