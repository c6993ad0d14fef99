"""A reply that is to be a program for an integer sequence: found, run, scored, judged, and written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from pytest_llmarith import records
from pytest_llmarith.oeis.compiling import NoProgram, Program
from pytest_llmarith.oeis.lookup_table.detector import analyze, extra_inputs
from pytest_llmarith.oeis.program import find_program
from pytest_llmarith.oeis.scoring import TermVerdict, scores, verdicts
from pytest_llmarith.records import Record
from pytest_llmarith.trials.frame import Subject, cut_short, record, reply_part, unanswered_record
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
    Rules,
    Runner,
    TermStatus,
)

LONGEST_SHOWN = 200  # characters of an output in a record
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
    machine: Mapping[str, str | int | float | None] | None = None


def program_record(problem: OeisProblem, subject: Subject, reply: Reply, runner: Runner, rules: ProgramRules) -> Record:
    """The record of an answered trial. Where only this machine is to blame it is unanswered, and keeps the reply."""
    program = None
    try:
        found = _find(reply)
        if isinstance(found, NoProgram):
            zeroes = {f"{limit:g}": 0.0 for limit in runner.limits.seconds}
            facts = replace(_facts(None, runner, rules), detail=found.detail, scores=zeroes)
            return record(subject, reply, Outcome.NAN, found.reason, oeis=facts)
        program = found.source
        return _ran(problem.sequence, found, subject, reply, runner, rules)
    except OSError as error:
        failure = Failure(f"the sandbox failed: {error}")
        return unanswered_record(subject, failure, reply, oeis=_facts(program, runner, rules))


def program_in(reply: Reply) -> str | None:
    """The program that a reply holds, if any: it is what is run, and judged."""
    try:
        found = _find(reply)
    except OSError:  # it cannot be compiled here and now
        return None
    return None if isinstance(found, NoProgram) else found.source


def _ran(
    sequence: IntegerSequence, program: Program, subject: Subject, reply: Reply, runner: Runner, rules: ProgramRules
) -> Record:
    expected = dict(zip(sequence.inputs, sequence.terms[: rules.terms], strict=False))
    analysis = analyze(program, sequence) if rules.static_judge else None
    runs = runner.run(program.source, [*expected])
    after = _behind(program.source, extra_inputs(analysis, runs), runner) if analysis else []
    terms = verdicts(runs, expected, runner.limits.longest_s, rules.rules)
    facts = replace(_facts(program.source, runner, rules), terms=[_term(term) for term in terms])
    try:
        judged = judge(program, analysis, runs, after, rules.judge)
    except NoVerdictError as error:
        replies = [reply_part(one) for one in error.replies]
        verdict = records.ModelVerdict(cheat=None, model=rules.judge.name if rules.judge else None, replies=replies)
        facts = replace(facts, judges=records.Judges(static=None, llm=verdict))
        return unanswered_record(subject, Failure(f"no verdict: {error}"), reply, oeis=facts)
    facts = replace(facts, judges=judged.part, addresses_judge=list(judged.addresses))
    unknown = [term.n for term in terms if term.status is TermStatus.INCONCLUSIVE]
    if unknown and not judged.cheat:
        failure = Failure(f"inconclusive: this machine was too busy to time the term for n = {unknown[0]}")
        return unanswered_record(subject, failure, reply, oeis=facts)
    at_limits = scores(terms, runner.limits.seconds, cheat=judged.cheat)
    facts = replace(facts, scores={f"{score.limit:g}": score.as_float for score in at_limits})
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


def _term(term: TermVerdict) -> records.Term:
    got, stderr = (
        text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…" for text in (term.got, term.stderr)
    )
    return records.Term(
        n=term.n, expected=term.expected, got=got, status=term.status, seconds=term.seconds, stderr=stderr
    )


def _facts(program: str | None, runner: Runner, rules: ProgramRules) -> records.Program:
    """What a record says of a program before it ran."""
    return records.Program(
        program=program,
        detail=None,
        rules=rules.rules,
        limits=list(runner.limits.seconds),
        memory_bytes=runner.limits.memory_bytes,
        scores=None,
        terms=[],
        judges=records.Judges(static=None, llm=None),
        addresses_judge=[],
        isolation=runner.isolation,
        machine=None if rules.machine is None else dict(rules.machine),
    )
