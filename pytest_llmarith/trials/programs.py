"""A reply that is to be a program for an integer sequence: found, run, scored, judged, and written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.oeis.compiling import Program
from pytest_llmarith.oeis.judges.static import beyond, suspicion
from pytest_llmarith.oeis.program import NoProgram, find_program
from pytest_llmarith.oeis.scoring import Rules, TermStatus, TermVerdict, scores, verdicts
from pytest_llmarith.trials.frame import Subject, cut_short, record, unanswered_record
from pytest_llmarith.trials.judging import Judgements, JudgeModel, NoVerdictError, judge
from pytest_llmarith.values import (
    Ending,
    Failure,
    IntegerSequence,
    NanReason,
    OeisProblem,
    Outcome,
    ProgramRun,
    Reply,
    Runner,
)

_BUDGET_BEHIND_S = 3.0  # wall time of all runs behind the listing; the last one may pass it


@dataclass(frozen=True, slots=True)
class ProgramRules:
    """How programs are scored: which terms are run, what makes one right, and who looks for lookup tables.

    `machine` is what a record says of where the programs ran.
    """

    rules: Rules = Rules.DEFAULT
    terms: int | None = None
    static_judge: bool = True
    judge: JudgeModel | None = None
    machine: Mapping[str, Any] | None = None


def program_record(
    problem: OeisProblem, subject: Subject, reply: Reply, runner: Runner, rules: ProgramRules
) -> dict[str, Any]:
    """The record of an answered trial. Where only this machine is to blame it is unanswered, and keeps the reply."""
    program = None
    try:
        found = _find(reply)
        if isinstance(found, NoProgram):
            facts = _facts(None, runner, rules) | {"detail": found.detail, "scores": _zeroes(runner)}
            return record(subject, reply, Outcome.NAN, found.reason, oeis=facts)
        program = found.source
        return _ran(problem.sequence, found, subject, reply, runner, rules)
    except OSError as error:
        return unanswered_record(subject, Failure(f"the sandbox failed: {error}"), reply) | {
            "oeis": _facts(program, runner, rules)
        }


def program_in(reply: Reply) -> str | None:
    """The program that a reply holds, if any: it is what is run, and judged."""
    try:
        found = _find(reply)
    except OSError:  # it cannot be compiled here and now
        return None
    return None if isinstance(found, NoProgram) else found.source


def _ran(
    sequence: IntegerSequence, program: Program, subject: Subject, reply: Reply, runner: Runner, rules: ProgramRules
) -> dict[str, Any]:
    expected = dict(zip(sequence.inputs, sequence.terms[: rules.terms], strict=False))
    suspected = suspicion(program, sequence) if rules.static_judge else None
    runs = runner.run(program.source, [*expected])
    after = _behind(program.source, beyond(suspected, runs), runner) if suspected else []
    terms = verdicts(runs, expected, runner.limits.longest_s, rules.rules)
    facts = _facts(program.source, runner, rules) | {"terms": [term.fields() for term in terms]}
    try:
        judged = judge(program, suspected, runs, after, rules.judge)
    except NoVerdictError as error:
        told = [reply.fields() for reply in error.replies]
        facts["judges"]["llm"] = {"cheat": None, "model": rules.judge and rules.judge.name, "replies": told}
        return unanswered_record(subject, Failure(f"no verdict: {error}"), reply) | {"oeis": facts}
    facts |= judged.fields()
    unknown = [term.n for term in terms if term.status is TermStatus.INCONCLUSIVE]
    if unknown and not judged.cheat:
        failure = Failure(f"inconclusive: this machine was too busy to time the term for n = {unknown[0]}")
        return unanswered_record(subject, failure, reply) | {"oeis": facts}
    at_limits = scores(terms, runner.limits.seconds, cheat=judged.cheat)
    facts |= {"scores": {f"{score.limit:g}": score.as_float for score in at_limits}}
    outcome, reason = _outcome(terms, judged)
    return record(subject, reply, outcome, reason, oeis=facts)


def _find(reply: Reply) -> Program | NoProgram:
    if cut := cut_short(reply):
        return NoProgram(cut, "the provider filtered it" if cut is NanReason.FILTERED else "it ends at the token limit")
    return find_program(reply.text)


def _behind(program: str, inputs: Sequence[int], runner: Runner) -> list[ProgramRun]:
    """Runs with n behind the listing, up to the first that does not end by itself or passes the budget."""
    runs = list[ProgramRun]()
    for n in inputs:
        runs += runner.run(program, [n])
        if runs[-1].ending is not Ending.EXITED or sum(run.wall_s for run in runs) > _BUDGET_BEHIND_S:
            break
    return runs


def _outcome(terms: tuple[TermVerdict, ...], judged: Judgements) -> tuple[Outcome, str | None]:
    """At the largest limit, with what people want to know first."""
    if judged.cheat:
        return Outcome.CHEAT, next(iter(judged.evidence), "a lookup table")
    wrong = [term for term in terms if term.status is not TermStatus.OK]
    if not wrong:
        return Outcome.CORRECT, None
    return Outcome.DEVIATE, f"{len(terms) - len(wrong)} of {len(terms)} terms right; {_first(wrong[0])}"


def _first(term: TermVerdict) -> str:
    """Such as `n = 7: expected 13, got 12` or `n = 30: late`."""
    if term.status is TermStatus.WRONG:
        got = _short(term.got) or "nothing"
        return f"n = {term.n}: expected {_short(term.expected)}, got {got}"
    return f"n = {term.n}: {term.status}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:36]}..."


def _zeroes(runner: Runner) -> dict[str, float]:
    return {f"{limit:g}": 0.0 for limit in runner.limits.seconds}


def _facts(program: str | None, runner: Runner, rules: ProgramRules) -> dict[str, Any]:
    """What a record says of a program before it ran."""
    isolation = runner.isolation
    return {
        "program": program,
        "detail": None,
        "rules": str(rules.rules),
        "limits": list(runner.limits.seconds),
        "memory_bytes": runner.limits.memory_bytes,
        "scores": None,
        "terms": [],
        "judges": {"static": None, "llm": None},
        "addresses_judge": [],
        "isolation": {
            "level": str(isolation.level),
            "enforced": list(isolation.enforced),
            "remarks": list(isolation.remarks),
        },
        "machine": rules.machine and dict(rules.machine),
    }
