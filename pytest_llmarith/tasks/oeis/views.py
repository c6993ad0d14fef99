"""What the report shows of programs, their terms and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.figures.estimates import Result, Trial
from pytest_llmarith.records import Record, Reply
from pytest_llmarith.sandbox.program_runs import IsolationLevel
from pytest_llmarith.statistics.means import bootstrap_mean
from pytest_llmarith.tasks.oeis.details import (
    ProgramDetails,
    Term,
    TermStatus,
    read_details,
)
from pytest_llmarith.tasks.oeis.measures import MEASURES
from pytest_llmarith.types import Outcome
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Column, Kind, Level, Shown
from pytest_llmarith.views.tasks import Fact, TaskReport, TrialPart

_HEADS = ["n", "expected", "got", "status", "seconds", "stderr"]


def _number(record: Record) -> str:
    """The A-number, which a sequence has in all sets."""
    return str(record.problem.inputs.get("number", record.problem.label))


def _printed(trial: Trial) -> tuple[object, ...] | None:
    """What the program printed; None if it was not run."""
    if trial.details is None or not trial.details.terms:
        return None
    printed = [term.got for term in trial.details.terms]
    return trial.record.outcome is Outcome.CHEAT, *printed


def _level(trial: Trial) -> dict[str, str]:
    if trial.details is None:
        return {}
    return {"sandbox level": str(trial.details.isolation.level)}


def _replies_of_judge(trial: Trial) -> Sequence[Reply]:
    if trial.details is None or trial.details.judges.llm is None:
        return ()
    replies: list[Reply] = trial.details.judges.llm.replies
    return replies


def _isolation(result: Result) -> Iterator[tuple[str, list[str]]]:
    """How many programs ran at each level of isolation."""
    found = result.all("isolation").values()
    if found:
        yield "sandbox", [f"{one.value:,} programs {one.at}" for one in found]


def _parts(trial: Trial) -> Iterator[TrialPart]:
    """The program with the verdicts on it, and its terms."""
    details: ProgramDetails = trial.details
    yield TrialPart("Program", list(_facts(details)), details.program)
    rows = [_row(term) for term in details.terms]
    heads = _HEADS
    if not any(term.stderr for term in details.terms):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    yield TrialPart("Terms", heads=heads, rows=rows)


def _facts(details: ProgramDetails) -> Iterator[Fact]:
    static, llm = details.judges.static, details.judges.llm
    if static:
        verdict = _verdict(static.cheat)
        if static.evidence:
            verdict += f": {'; '.join(static.evidence)}"
        yield "static judge", verdict
    if llm:
        yield str(llm.model), _verdict(llm.cheat)
    yield "sandbox", details.isolation.level
    if details.detail:
        yield "found", details.detail


def _verdict(is_cheat: bool | None) -> str:
    if is_cheat is None:
        return "no verdict"
    return "a lookup table" if is_cheat else "no lookup table"


def _row(term: Term) -> list[str]:
    seconds = f"{term.seconds:.3f}"
    return [str(term.n), term.expected, term.got, term.status, seconds, term.stderr]


# --- the table of scores --------------------------------------------------------------


class Agreement(NamedTuple):
    """The agreement of the two judges of programs."""

    both: int = 0
    only_static: int = 0
    only_llm: int = 0
    neither: int = 0
    kappa: float | None = None  # undefined if it is None

    @property
    def judged(self) -> int:
        return self.agreed + self.only_static + self.only_llm

    @property
    def agreed(self) -> int:
        return self.both + self.neither


def _agreement(here: Here) -> Agreement | None:
    verdicts = {at: figure.value for (_, at), figure in here.all("judges").items()}
    if not verdicts:
        return None
    return Agreement(**verdicts, kappa=here.value("judges_kappa"))  # type: ignore[arg-type]


def _shown_agreement(found: Agreement) -> Shown:
    notes = () if found.kappa is None else (f"kappa {found.kappa:.2f}",)
    return Shown(f"{found.agreed:,} of {found.judged:,}", notes=notes)


JUDGES: Kind[Agreement] = Kind(_shown_agreement, lambda v: v.judged)
SECONDS_A_TERM: Kind[Sequence[float]] = Kind(
    lambda v: Shown(" / ".join(f"{one:.3f}" for one in v)), lambda v: v[0], "s"
)
SCORE_COLUMNS = (
    Column(
        "cheating",
        "cheating %",
        kinds.PERCENT,
        "programs that are a lookup table, which score 0",
        lambda here: here.get("cheating_percentage"),
        Level.FULL,
    ),
    Column(
        "cheats",
        "lookup tables",
        kinds.COUNT,
        "programs that are a lookup table",
        lambda here: here.number("cheat"),
        most=Level.FULL,
    ),
    Column(
        "term_seconds",
        "seconds a term",
        SECONDS_A_TERM,
        "the median, what nine of ten terms take at most, and the most",
        lambda here: [one.value for one in here.all("term_seconds").values()] or None,
        Level.PAGE,
        explained=True,
    ),
    Column(
        "judges",
        "judges agree",
        JUDGES,
        "programs on which both judges agree, and Cohen's kappa",
        _agreement,
        Level.PAGE,
        explained=True,
    ),
)


def _score_notes(here: Here, level: Level) -> Iterator[str]:
    """Which terms are wrong, and in full what is known of the programs."""
    statuses = here.by_name("term_status")
    if any(status != TermStatus.OK for status in statuses):
        counts = [f"{count:,} {status}" for status, count in statuses.items()]
        yield f"terms: {', '.join(counts)}"
    if level < Level.FULL:
        return
    cheating = here.get("cheating_percentage")
    if cheating:
        yield f"cheating {formatting.with_interval(cheating)} %"
    elif here.measured:
        yield "programs were not judged"
    unprotected = here.number("isolation", IsolationLevel.NONE)
    if unprotected:
        yield (
            f"{unprotected} programs ran without a sandbox, with the rights of this "
            f"user"
        )
    found = _agreement(here)
    if found:
        kappa = "undefined" if found.kappa is None else f"{found.kappa:.2f}"
        yield (
            f"the judges agree on {found.agreed} of {found.judged} programs, Cohen's "
            f"kappa {kappa} (cheat: both {found.both}, only static "
            f"{found.only_static}, only the model {found.only_llm})"
        )


REPORT = TaskReport(
    score_columns=SCORE_COLUMNS,
    score_notes=_score_notes,
    score_legend="95 % of scores of programs: by bootstrap over sequences",
    share_problems=True,
    measures=[replace(one, in_table=False) for one in MEASURES],
    read_details=read_details,
    name_of=_number,
    answer_of=_printed,
    score_unit="s",
    interval_of=bootstrap_mean,
    circumstances=_level,
    other_replies=_replies_of_judge,
    parts_of=_parts,
    facts_of=_isolation,
)
