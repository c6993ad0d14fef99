"""What the report shows of programs, their terms and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_llmarith.figures.estimates import Result, Trial
from pytest_llmarith.records import Record, Reply
from pytest_llmarith.statistics.means import bootstrap_mean
from pytest_llmarith.tasks.oeis.details import ProgramDetails, Term, read_details
from pytest_llmarith.tasks.oeis.measures import MEASURES
from pytest_llmarith.types import Outcome
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


REPORT = TaskReport(
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
