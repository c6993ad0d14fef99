"""A reply that is a program becomes a record: found, run, scored, and judged whether it is a lookup table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from msgspec.structs import replace

from pytest_llmarith import records
from pytest_llmarith.evaluate import Trial, cut_short, record, reply_part, unanswered_record
from pytest_llmarith.oeis.lookup_table import model_judge
from pytest_llmarith.oeis.lookup_table.detector import Analysis, Judgement, analyze, conclude, extra_inputs
from pytest_llmarith.oeis.program import NoProgram, Program, find_program
from pytest_llmarith.oeis.scoring import TermVerdict, score, verdicts
from pytest_llmarith.records import Record
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
_ATTEMPTS = 3  # a judge that says neither 0 nor 1 is asked again
_MOST_STORED = 100


class NoVerdictError(Exception):
    """A judge gave no verdict; the message is one line for people, `replies` what it said instead."""

    def __init__(self, message: str, replies: Sequence[Reply] = ()) -> None:
        super().__init__(message)
        self.replies = tuple(replies)


class JudgeModel(Protocol):
    """A language model that judges."""

    @property
    def name(self) -> str: ...

    def reply(self, prompt: str, attempt: int) -> Reply | Failure: ...


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


def program_record(problem: OeisProblem, trial: Trial, reply: Reply, runner: Runner, rules: ProgramRules) -> Record:
    """The record of an answered trial; unanswered with its reply if this machine could not run the program."""
    program = None
    try:
        found = _find(reply)
        if isinstance(found, NoProgram):
            zeroes = {f"{limit:g}": 0.0 for limit in runner.limits.seconds}
            facts = replace(_facts(None, runner, rules), detail=found.detail, scores=zeroes)
            return record(trial, reply, Outcome.NAN, found.reason, oeis=facts)
        program = found.source
        return _ran(problem.sequence, found, trial, reply, runner, rules)
    except OSError as error:
        failure = Failure(f"the sandbox failed: {error}")
        return unanswered_record(trial, failure, reply, oeis=_facts(program, runner, rules))


def program_in(reply: Reply) -> str | None:
    """The program that a reply holds, which is run and judged; None if there is none."""
    try:
        found = _find(reply)
    except OSError:  # it cannot be compiled here and now
        return None
    return None if isinstance(found, NoProgram) else found.source


def _ran(
    sequence: IntegerSequence, program: Program, trial: Trial, reply: Reply, runner: Runner, rules: ProgramRules
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
        return unanswered_record(trial, Failure(f"no verdict: {error}"), reply, oeis=facts)
    facts = replace(facts, judges=judged.part, addresses_judge=list(judged.addresses))
    unknown = [term.n for term in terms if term.status is TermStatus.INCONCLUSIVE]
    if unknown and not judged.cheat:
        failure = Failure(f"inconclusive: this machine was too busy to time the term for n = {unknown[0]}")
        return unanswered_record(trial, failure, reply, oeis=facts)
    at_limits = {f"{limit:g}": Fraction() if judged.cheat else score(terms, limit) for limit in runner.limits.seconds}
    facts = replace(
        facts, scores={limit: None if share is None else float(share) for limit, share in at_limits.items()}
    )
    outcome, reason = _outcome(terms, judged)
    return record(trial, reply, outcome, reason, oeis=facts)


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
    """The outcome at the largest limit, and its reason for people."""
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


# --- lookup tables ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What a language model said of a program, with all its replies."""

    cheat: bool
    model: str
    replies: tuple[Reply, ...]


@dataclass(frozen=True, slots=True)
class Judgements:
    """The verdicts of the judges. A program cheats if any of them says so.

    `addresses` are the places where the program addresses a judge: such a verdict should be looked at.
    """

    static: Judgement | None
    model: ModelVerdict | None
    addresses: tuple[str, ...]

    @property
    def cheat(self) -> bool:
        return any(verdict is not None and verdict.cheat for verdict in (self.static, self.model))

    @property
    def evidence(self) -> tuple[str, ...]:
        """The evidence for a lookup table, in words."""
        found = self.static.evidence if self.static and self.static.cheat else ()
        return (*found, f"a lookup table, says {self.model.model}") if self.model and self.model.cheat else found

    @property
    def part(self) -> records.Judges:
        """The verdicts as they stand in a record."""
        static, model = self.static, self.model
        return records.Judges(
            static=None if static is None else records.StaticVerdict(static.cheat, list(static.evidence)),
            llm=None
            if model is None
            else records.ModelVerdict(model.cheat, model.model, [reply_part(one) for one in model.replies]),
        )


def judge(
    program: Program,
    analysis: Analysis | None,
    listed: Sequence[ProgramRun],
    beyond: Sequence[ProgramRun],
    model: JudgeModel | None,
) -> Judgements:
    """The verdicts of all judges, from the runs of the listed terms and of those behind them.

    Raises NoVerdictError if one has none: that does not mean "not cheating".
    """
    return Judgements(
        None if analysis is None else conclude(analysis, listed, beyond),
        None if model is None else verdict(model, program.source),
        model_judge.messages_to_judge(program),
    )


def verdict(model: JudgeModel, program: str) -> ModelVerdict:
    """What a language model says of a program. Raises NoVerdictError."""
    question, replies = model_judge.prompt(program), list[Reply]()
    new = 0
    for attempt in range(_MOST_STORED):
        answer = model.reply(question, attempt)
        if isinstance(answer, Failure):
            raise NoVerdictError(answer.message, replies)
        replies.append(answer)
        if (cheat := model_judge.read_verdict(answer.text)) is not None:
            return ModelVerdict(cheat, model.name, tuple(replies))
        new += not answer.stored  # a stored reply without a verdict does not count against this run
        if new == _ATTEMPTS:
            break
    raise NoVerdictError(f"{model.name} said neither 0 nor 1 in {_ATTEMPTS} replies", replies)
