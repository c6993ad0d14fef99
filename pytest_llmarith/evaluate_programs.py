"""Evaluates programs: finds the program in a reply, runs and scores it, and detects lookup tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from pytest_llmarith import records
from pytest_llmarith.evaluate import Trial, incomplete_reason, record, reply_part, unanswered_record
from pytest_llmarith.oeis.lookup_table import model_judge
from pytest_llmarith.oeis.lookup_table.detector import judge
from pytest_llmarith.oeis.program import NoProgram, Program, find_program
from pytest_llmarith.records import Record, Term
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import (
    Ending,
    Failure,
    IntegerSequence,
    NanReason,
    Outcome,
    ProgramRun,
    Question,
    Reply,
    Rules,
    Runner,
    TermStatus,
)

LONGEST_SHOWN = 200  # characters of an output in a record
_FURTHER_RUNS_S = 3.0  # the time that counts of runs that no term is scored by; the last one may exceed it
_ATTEMPTS = 3  # a judge that says neither 0 nor 1 is asked again
_MAX_STORED = 100


@dataclass(frozen=True, slots=True)
class ProgramRules:
    """How programs are scored: the rules, the number of terms, and the judges of lookup tables.

    `judge` is the name of a model that judges, and `ask` asks it. `machine` describes the machine in the record.
    """

    rules: Rules = Rules.DEFAULT
    terms: int | None = None
    static_judge: bool = True
    judge: str | None = None
    ask: Callable[[Question], Reply | Failure] | None = None
    machine: Mapping[str, str | int | float | None] | None = None


def program_record(problem: OeisProblem, trial: Trial, reply: Reply, runner: Runner, rules: ProgramRules) -> Record:
    """The record of a trial with a reply; unanswered if this machine could not run the program."""
    program = None
    try:
        found = _find(reply)
        if isinstance(found, NoProgram):
            zeroes = {f"{limit:g}": 0.0 for limit in runner.limits.seconds}
            part = _program_part(None, runner, rules)
            part.detail, part.scores = found.detail, zeroes
            return record(trial, reply, Outcome.NAN, found.reason, oeis=part)
        program = found.source
        return _scored_record(problem.sequence, found, trial, reply, runner, rules)
    except OSError as error:
        failure = Failure(f"the sandbox failed: {error}")
        return unanswered_record(trial, failure, reply, oeis=_program_part(program, runner, rules))


def _scored_record(
    sequence: IntegerSequence, program: Program, trial: Trial, reply: Reply, runner: Runner, rules: ProgramRules
) -> Record:
    expected = dict(zip(sequence.inputs, sequence.terms[: rules.terms], strict=False))
    runs = runner.run(program.source, [*expected])
    terms = verdicts(runs, expected, runner.limits.longest_s, rules.rules)
    part = _program_part(program.source, runner, rules)
    part.terms, judges = terms, part.judges
    if rules.static_judge:
        judges.static = judge(program, sequence, runs, partial(_further_runs, runner))
    if rules.judge is not None and rules.ask is not None:
        judges.llm, why_none = _verdict(rules.judge, rules.ask, program.source)
        if why_none is not None:  # a missing verdict does not clear the program
            judges.static = None
            return unanswered_record(trial, Failure(f"no verdict: {why_none}"), reply, oeis=part)
    part.addresses_judge = list(model_judge.messages_to_judge(program))
    cheat = any(verdict is not None and verdict.cheat for verdict in (judges.static, judges.llm))
    unknown = [term.n for term in terms if term.status is TermStatus.INCONCLUSIVE]
    if unknown and not cheat:
        failure = Failure(f"inconclusive: this machine was too busy to time the term for n = {unknown[0]}")
        return unanswered_record(trial, failure, reply, oeis=part)
    # All terms were measured, or the program is a lookup table.
    part.scores = {f"{at:g}": 0.0 if cheat else float(score(terms, at) or 0) for at in runner.limits.seconds}
    if cheat:
        return record(trial, reply, Outcome.CHEAT, _evidence(judges), oeis=part)
    outcome, reason = _outcome(terms)
    return record(trial, reply, outcome, reason, oeis=part)


def _find(reply: Reply) -> Program | NoProgram:
    if cut := incomplete_reason(reply):
        return NoProgram(cut, "the provider filtered it" if cut is NanReason.FILTERED else "it ends at the token limit")
    return find_program(reply.text)


def _further_runs(runner: Runner, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
    """Runs that no term is scored by, until one does not exit by itself or the time is used up."""
    runs = list[ProgramRun]()
    for n in inputs:
        runs += runner.run(program, [n])
        if runs[-1].ending is not Ending.EXITED or sum(run.seconds for run in runs) > _FURTHER_RUNS_S:
            break
    return runs


def _outcome(terms: Sequence[Term]) -> tuple[Outcome, str | None]:
    """The outcome at the largest limit, and its reason."""
    wrong = [term for term in terms if term.status is not TermStatus.OK]
    if not wrong:
        return Outcome.CORRECT, None
    return Outcome.DEVIATE, f"{len(terms) - len(wrong)} of {len(terms)} terms right; {_first(wrong[0])}"


def _first(term: Term) -> str:
    """Such as `n = 7: expected 13, got 12` or `n = 30: late`."""
    if term.status is TermStatus.WRONG:
        got = _short(term.got) or "nothing"
        return f"n = {term.n}: expected {_short(term.expected)}, got {got}"
    return f"n = {term.n}: {term.status}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:36]}..."


# --- terms: A_s(n) of arXiv 2411.04372 --------------------------------------------------------------------------------


def verdicts(runs: Sequence[ProgramRun], expected: Mapping[int, str], largest: float, rules: Rules) -> list[Term]:
    """The verdict on each run, compared with the expected term of its n; `largest` is the largest limit in seconds.

    Raises ValueError if the runs are not those of the expected terms; terms after an inconclusive run may be missing.
    """
    stopped = bool(runs) and runs[-1].ending is Ending.INCONCLUSIVE
    if [run.input for run in runs] != [*expected][: len(runs) if stopped else None]:
        raise ValueError("the runs are not those of the expected terms, one each and in their order")
    found = []
    for run in runs:
        term, got = expected[run.input], run.stdout.strip()
        status = _status(run, got == term, largest, rules)
        found.append(Term(run.input, term, _truncated(got), status, run.seconds, _truncated(run.stderr)))
    return found


def score(terms: Sequence[Term], limit: float) -> Fraction | None:
    """A_s(n) at a limit: the share of right terms among those that were measured; None if none was."""
    seen = [TermStatus.LATE if term.seconds > limit else term.status for term in terms]
    measured = len(seen) - seen.count(TermStatus.INCONCLUSIVE)
    return Fraction(seen.count(TermStatus.OK), measured) if measured else None


def _status(run: ProgramRun, is_right: bool, largest: float, rules: Rules) -> TermStatus:
    if run.ending is not Ending.EXITED:
        return TermStatus(run.ending.value)
    if run.seconds > largest:
        return TermStatus.LATE
    if rules is Rules.PAPER:
        return TermStatus.OK if is_right and not run.stderr else TermStatus.WRONG
    if run.exit_status != 0:
        return TermStatus.CRASHED
    return TermStatus.OK if is_right else TermStatus.WRONG


def _truncated(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


# --- the record -------------------------------------------------------------------------------------------------------


def _program_part(program: str | None, runner: Runner, rules: ProgramRules) -> records.Program:
    """The program part of a record before the program runs."""
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


# --- lookup tables ----------------------------------------------------------------------------------------------------


def _evidence(judges: records.Judges) -> str:
    """The first evidence for a lookup table."""
    if judges.static is not None and judges.static.cheat:
        return next(iter(judges.static.evidence), "a lookup table")
    return f"a lookup table, says {judges.llm.model if judges.llm else None}"


def _verdict(
    judge: str, ask: Callable[[Question], Reply | Failure], program: str
) -> tuple[records.ModelVerdict, str | None]:
    """The verdict of the judge with all its replies, and why there is no verdict if there is none."""
    question, replies = model_judge.prompt(program), list[records.Reply]()
    new = 0
    for attempt in range(_MAX_STORED):
        answer = ask(Question(judge, question, attempt))
        if isinstance(answer, Failure):
            return records.ModelVerdict(None, judge, replies), answer.message
        replies.append(reply_part(answer))
        if (cheat := model_judge.read_verdict(answer.text)) is not None:
            return records.ModelVerdict(cheat, judge, replies), None
        new += not answer.stored  # stored replies without a verdict do not count as attempts of this run
        if new == _ATTEMPTS:
            break
    return records.ModelVerdict(None, judge, replies), f"{judge} said neither 0 nor 1 in {new} replies"
