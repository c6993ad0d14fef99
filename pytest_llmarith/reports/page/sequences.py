"""Programs for integer sequences: scores per set and limit, their curve, terms by place, and what nobody solved.

It does not know how a term is judged, nor how a picture is laid out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_llmarith.records import Agreement
from pytest_llmarith.records import SequenceSet as Counted
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.page.curves import MOST_TOGETHER, Panel, panel, score_panel
from pytest_llmarith.reports.page.percentages import Share, share
from pytest_llmarith.reports.page.runs import Series, word

MOST_PLACES = 40


@dataclass(frozen=True, slots=True)
class SetRow:
    """One model's score within one limit."""

    series: Series
    limit: str
    sequences: str
    score: str
    interval: str
    perfect: str
    cheating: str
    seconds: str
    judges: str


@dataclass(frozen=True, slots=True)
class SequenceSet:
    """One set: a row per model and limit, pictures, and the sequences for which every program is worth nothing."""

    name: str
    rows: Sequence[SetRow]
    legend: Sequence[tuple[int, str]]
    panels: Sequence[Panel]
    unsolved: Sequence[str]


def sequence_sets(series: Sequence[Series]) -> list[SequenceSet]:
    """All sets, by name."""
    found: dict[str, list[tuple[Series, Counted]]] = {}
    for one in series:
        for result in one.results.values():
            for of in result.sets:
                found.setdefault(of.set, []).append((one, of))
    return [_set(word(name), found[name]) for name in sorted(found)]


def _set(name: str, of: Sequence[tuple[Series, Counted]]) -> SequenceSet:
    rows = [row for series, one in of for row in _rows(series, one)]
    together = len(of) <= MOST_TOGETHER
    groups = [of] if together else [[one] for one in of]
    return SequenceSet(
        name=name,
        rows=rows,
        legend=[(slot, series.label) for slot, (series, _) in enumerate(of, 1)] if together and len(of) > 1 else (),
        panels=[made for group in groups for made in _panels(group, "" if together else f", {group[0][0].label}")],
        unsolved=_unsolved(one for _, one in of),
    )


def _rows(series: Series, one: Counted) -> Iterable[SetRow]:
    for limit in one.limits:
        score = limit.score
        yield SetRow(
            series=series,
            limit=f"{limit.seconds:g} s",
            sequences=f"{limit.sequences:,}",
            score=figures.one_decimal(score),
            interval=figures.interval(score),
            perfect=_counted(limit.perfect, limit.sequences),
            cheating="nobody judged" if one.cheating is None else _counted(one.cheat, one.measured),
            seconds=_seconds(one.term_seconds),
            judges=_agreement(one.judges),
        )


def _counted(part: int, whole: int) -> str:
    found = share(part, whole)
    return f"{found.text} ({found.interval})" if found else figures.UNKNOWN


def _seconds(seconds: Mapping[Literal["median", "p90", "max"], float] | None) -> str:
    if seconds is None:
        return figures.UNKNOWN
    return " / ".join(f"{each:.3f}" for each in (seconds["median"], seconds["p90"], seconds["max"]))


def _agreement(judges: Agreement | None) -> str:
    """How far the static judge and the model agree."""
    if judges is None:
        return figures.UNKNOWN
    kappa = "" if judges.kappa is None else f", kappa {judges.kappa:.2f}"
    return f"{judges.both + judges.neither:,} of {judges.judged:,}{kappa}"


def _panels(of: Sequence[tuple[Series, Counted]], whose: str) -> Iterable[Panel]:
    """Scores from best to worst, and terms by their place."""
    curves = [(series.label, one.curve[-1].scores) for series, one in of if one.curve]
    if curves:
        yield score_panel(f"Scores from best to worst{whose}", curves)
    terms = [(series.label, _by_place(one)) for series, one in of]
    if any(shares for _, shares in terms):
        yield panel(f"Right terms % by place in the sequence{whose}", "term", [one for one in terms if one[1]])


def _by_place(one: Counted) -> dict[int, Share]:
    return {term["term"]: of for term in one.by_term[:MOST_PLACES] if (of := share(term["right"], term["run"]))}


def _unsolved(sets: Iterable[Counted]) -> list[str]:
    """What every model scored nothing at; a model that did not try it says nothing."""
    told = [set(one.unsolved) for one in sets if one.measured]
    return sorted(set.intersection(*told)) if told else []
