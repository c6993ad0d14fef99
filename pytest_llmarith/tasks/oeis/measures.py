"""Programs: lookup tables, terms, isolation, judges."""

from __future__ import annotations

import collections
from array import array
from collections.abc import Iterator, Sequence
from statistics import median

from pytest_llmarith.figures.estimates import Figure, Leaf, Measure, Trial
from pytest_llmarith.figures.shares import percentage
from pytest_llmarith.sandbox.program_runs import IsolationLevel
from pytest_llmarith.statistics.means import quantile_of_sorted
from pytest_llmarith.statistics.proportions import kappa
from pytest_llmarith.tasks.oeis.details import ProgramDetails, TermStatus
from pytest_llmarith.types import Outcome

_MOST_TERMS = 100  # by place


class ProgramCounter:
    def __init__(self) -> None:
        # Of programs that are no lookup tables, without inconclusive terms. By place,
        # and whether they are right.
        self.terms = collections.Counter[tuple[int, bool]]()
        self.statuses = collections.Counter[TermStatus]()
        self.seconds = array("d")
        self.judged = self.cheats = self.counted = 0
        self.levels = collections.Counter[IsolationLevel]()
        # of the static judge and the model
        self.verdicts = collections.Counter[tuple[bool, bool]]()

    def add(self, trial: Trial) -> None:
        program: ProgramDetails | None = trial.details
        if program is None or trial.record.outcome is Outcome.UNANSWERED:
            return
        is_cheat = trial.record.outcome is Outcome.CHEAT
        self.counted += 1
        self.cheats += is_cheat
        self.levels[program.isolation.level] += 1
        static, llm = program.judges.static, program.judges.llm
        self.judged += static is not None or llm is not None
        if static and llm and llm.cheat is not None:
            self.verdicts[static.cheat, llm.cheat] += 1
        if is_cheat:
            return
        for place, term in enumerate(program.terms, 1):
            if term.status is TermStatus.INCONCLUSIVE:
                continue
            self.statuses[term.status] += 1
            self.seconds.append(term.seconds)
            if place <= _MOST_TERMS:
                self.terms[place, term.status is TermStatus.OK] += 1


def _cheating(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    if any(leaf.counted.judged for leaf in leaves):
        cheats = sum(leaf.counted.cheats for leaf in leaves)
        found = percentage(cheats, sum(leaf.counted.counted for leaf in leaves))
        if found is not None:
            yield found


def _terms(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    terms = collections.Counter[tuple[int, bool]]()
    for leaf in leaves:
        terms.update(leaf.counted.terms)
    for place in sorted({place for place, _ in terms}):
        right = terms[place, True]
        run = right + terms[place, False]
        yield Figure(right, n=run, by="term", at=str(place))


def _statuses(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    statuses = collections.Counter[TermStatus]()
    for leaf in leaves:
        statuses.update(leaf.counted.statuses)
    for status in TermStatus:
        if statuses[status]:
            count, total = statuses[status], statuses.total()
            yield Figure(count, n=total, by="status", at=status)


def _seconds(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    seconds = []
    for leaf in leaves:
        seconds += leaf.counted.seconds
    if seconds:
        seconds.sort()
        p90 = quantile_of_sorted(seconds, 90)
        for at, value in (("median", median(seconds)), ("p90", p90)):
            yield Figure(value, n=len(seconds), by="statistic", at=at)
        yield Figure(seconds[-1], n=len(seconds), by="statistic", at="max")


def _levels(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    levels = collections.Counter[IsolationLevel]()
    for leaf in leaves:
        levels.update(leaf.counted.levels)
    for level, count in sorted(levels.items()):
        yield Figure(count, by="level", at=level)


def _verdicts(leaves: Sequence[Leaf]) -> tuple[int, int, int, int]:
    """Lookup tables by both judges, only the static one, only the model, neither."""
    found = collections.Counter[tuple[bool, bool]]()
    for leaf in leaves:
        found.update(leaf.counted.verdicts)
    both, static = found[True, True], found[True, False]
    return both, static, found[False, True], found[False, False]


def _judges(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    verdicts = _verdicts(leaves)
    if any(verdicts):
        names = ("both", "only_static", "only_llm", "neither")
        for name, count in zip(names, verdicts, strict=True):
            yield Figure(count, n=sum(verdicts), by="judges", at=name)


def _agreement(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    both, static, llm, neither = _verdicts(leaves)
    found = percentage(both + neither, both + static + llm + neither)
    if found is not None:
        yield found


def _kappa(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    verdicts = _verdicts(leaves)
    found = kappa(*verdicts)
    if found is not None:
        yield Figure(found, n=sum(verdicts))


MEASURES = (
    Measure(
        "cheating_percentage",
        "lookup tables %",
        "%",
        "lookup tables among n replies; none if nothing was judged",
        ProgramCounter,
        _cheating,
    ),
    Measure(
        "terms_right",
        "right terms",
        "terms",
        "right ones of n terms that were run, by position in the sequence, at most "
        f"{_MOST_TERMS}",
        ProgramCounter,
        _terms,
    ),
    Measure(
        "term_status",
        "terms",
        "terms",
        "terms by their status",
        ProgramCounter,
        _statuses,
    ),
    Measure(
        "term_seconds", "term time", "s", "time of n terms", ProgramCounter, _seconds
    ),
    Measure(
        "isolation",
        "isolation",
        "programs",
        "programs by isolation",
        ProgramCounter,
        _levels,
    ),
    Measure(
        "judges",
        "judges",
        "programs",
        "of n programs with two verdicts, those that a judge calls a lookup table",
        ProgramCounter,
        _judges,
    ),
    Measure(
        "judges_agreement",
        "agreement %",
        "%",
        "programs of which both judges say the same",
        ProgramCounter,
        _agreement,
    ),
    Measure(
        "judges_kappa",
        "kappa",
        "",
        "Cohen's kappa of the two judges",
        ProgramCounter,
        _kappa,
    ),
)
