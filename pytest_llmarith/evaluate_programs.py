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
from pytest_llmarith.oeis.lookup_table.detector import analyze, conclude, extra_inputs
from pytest_llmarith.oeis.program import NoProgram, Program, find_program
from pytest_llmarith.oeis.scoring import TermVerdict, score, verdicts
from pytest_llmarith.records import Record
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import (
    Ending,
    Failure,
    IntegerSequence,
    NanReason,
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


def _ran(
    sequence: IntegerSequence, program: Program, trial: Trial, reply: Reply, runner: Runner, rules: ProgramRules
) -> Record:
    expected = dict(zip(sequence.inputs, sequence.terms[: rules.terms], strict=False))
    analysis = analyze(program, sequence) if rules.static_judge else None
    runs = runner.run(program.source, [*expected])
    after = _behind(program.source, extra_inputs(analysis, runs), runner) if analysis else []
    terms = verdicts(runs, expected, runner.limits.longest_s, rules.rules)
    facts = replace(_facts(program.source, runner, rules), terms=[_term(term) for term in terms])
    facts = replace(facts, judges=(judges := records.Judges(static=None, llm=None)))
    if analysis is not None:
        found = conclude(analysis, runs, after)
        judges.static = records.StaticVerdict(found.cheat, list(found.evidence))
    if rules.judge is not None:
        judges.llm, why_none = _verdict(rules.judge, program.source)
        if why_none is not None:  # which does not mean that the program is no lookup table
            facts = replace(facts, judges=records.Judges(static=None, llm=judges.llm))
            return unanswered_record(trial, Failure(f"no verdict: {why_none}"), reply, oeis=facts)
    facts = replace(facts, addresses_judge=list(model_judge.messages_to_judge(program)))
    cheat = any(verdict is not None and verdict.cheat for verdict in (judges.static, judges.llm))
    unknown = [term.n for term in terms if term.status is TermStatus.INCONCLUSIVE]
    if unknown and not cheat:
        failure = Failure(f"inconclusive: this machine was too busy to time the term for n = {unknown[0]}")
        return unanswered_record(trial, failure, reply, oeis=facts)
    at_limits = {f"{limit:g}": Fraction() if cheat else score(terms, limit) for limit in runner.limits.seconds}
    facts = replace(
        facts, scores={limit: None if share is None else float(share) for limit, share in at_limits.items()}
    )
    if cheat:
        return record(trial, reply, Outcome.CHEAT, _evidence(judges), oeis=facts)
    outcome, reason = _outcome(terms)
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


def _outcome(terms: tuple[TermVerdict, ...]) -> tuple[Outcome, str | None]:
    """The outcome at the largest limit, and its reason for people."""
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


def _evidence(judges: records.Judges) -> str:
    """The first evidence for a lookup table, in words."""
    if judges.static is not None and judges.static.cheat:
        return next(iter(judges.static.evidence), "a lookup table")
    return f"a lookup table, says {judges.llm.model if judges.llm else None}"


def _verdict(model: JudgeModel, program: str) -> tuple[records.ModelVerdict, str | None]:
    """What a language model says of a program, with all its replies; and why it gave no verdict, if it did not."""
    question, replies = model_judge.prompt(program), list[records.Reply]()
    new = 0
    for attempt in range(_MOST_STORED):
        answer = model.reply(question, attempt)
        if isinstance(answer, Failure):
            return records.ModelVerdict(None, model.name, replies), answer.message
        replies.append(reply_part(answer))
        if (cheat := model_judge.read_verdict(answer.text)) is not None:
            return records.ModelVerdict(cheat, model.name, replies), None
        new += not answer.stored  # a stored reply without a verdict does not count against this run
        if new == _ATTEMPTS:
            break
    return records.ModelVerdict(None, model.name, replies), f"{model.name} said neither 0 nor 1 in {new} replies"
