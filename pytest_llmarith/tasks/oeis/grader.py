"""Grades programs: finds the program in a reply, runs it and scores it.

It also asks for lookup tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Any

from pytest_llmarith.records import Reply, for_record
from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from pytest_llmarith.sandbox.program_runs import (
    Ending,
    Isolation,
    IsolationLevel,
    ProgramLimits,
    ProgramRun,
    Runner,
)
from pytest_llmarith.tasks.oeis.details import (
    IntegerSequence,
    Judges,
    ModelVerdict,
    ProgramDetails,
    Rules,
    Term,
    TermStatus,
)
from pytest_llmarith.tasks.oeis.lookup_table import model_judge
from pytest_llmarith.tasks.oeis.lookup_table.detector import judge
from pytest_llmarith.tasks.oeis.program import NoProgram, Program, find_program
from pytest_llmarith.tasks.task import Grade, NoAnswer, Problem, Tools
from pytest_llmarith.types import Failure, NanReason, Outcome, Question

LONGEST_SHOWN = 200  # characters of an output in a record
# The time that counts of runs that no term is scored by; the last one may exceed it.
_FURTHER_RUNS_S = 3.0
_ATTEMPTS = 3  # a judge that says neither 0 nor 1 is asked again
_MAX_STORED = 100
_EXCEPTION = re.compile(r"(?P<name>[A-Za-z_][\w.]{0,60})(?::|$)", re.ASCII)
# How long a fake model's program waits until the machine is idle enough to time it.
_QUIET_WITHIN_S = 600.0


@dataclass(frozen=True, slots=True)
class ProgramRules:
    """How programs are run and scored; None leaves the choice to the machine.

    `judge` is the name of a model that judges, and `ask` asks it. `machine` describes
    the machine in the record.
    """

    rules: Rules = Rules.DEFAULT
    limits: ProgramLimits = field(default_factory=ProgramLimits)
    terms: int | None = None
    sandbox: IsolationLevel | None = None
    static_judge: bool = True
    judge: str | None = None
    ask: Callable[[Question], Reply | Failure] | None = None
    machine: Mapping[str, str | int | float | None] | None = None


class Programs:
    """The grader of programs of this process."""

    def __init__(self, rules: ProgramRules) -> None:
        self._rules = rules

    @property
    def limit_s(self) -> float:
        """The largest limit of one term."""
        return self._rules.limits.longest_s

    @property
    def model(self) -> str | None:
        return self._rules.judge

    @cached_property
    def _isolation(self) -> Isolation:
        """The isolation of this process. Raises UnavailableError."""
        return probe(self._rules.sandbox)

    def unavailable(self) -> str | None:
        """Why there is no sandbox. Raises UnavailableError if a level was asked for."""
        wanted = self._rules.sandbox
        try:
            self._isolation  # noqa: B018
        except UnavailableError as error:
            if wanted is not None:
                raise UnavailableError(f"--oeis-sandbox={wanted}: {error}") from None
            return f"no sandbox: {error}"
        return None

    def about(self, variants: Sequence[str], verbose: bool) -> list[str]:
        """The sets, and what is missing of the strict isolation.

        With `verbose` also rules that are not the default.
        """
        lines = [f"OEIS sets: {', '.join(variants)}"]
        isolation = self._isolation
        if verbose:
            return [*lines, ", ".join(self._about_rules(isolation)), *isolation.remarks]
        if isolation.level is IsolationLevel.STRICT:
            return list(isolation.remarks)
        return [f"sandbox {isolation.level}, not strict", *isolation.remarks]

    def _about_rules(self, isolation: Isolation) -> Iterator[str]:
        rules = self._rules
        limits = ", ".join(f"{limit:g} s" for limit in rules.limits.seconds)
        yield f"sandbox {isolation.level}"
        yield f"holds {', '.join(isolation.enforced) or 'nothing'}; {limits} per term"
        if rules.terms:
            yield f"first {rules.terms} terms"
        if rules.rules is not Rules.DEFAULT:
            yield f"rules {rules.rules}"
        if rules.judge:
            yield rules.judge
        if not rules.static_judge:
            yield "no static judge"

    def grade(self, answer: Any, problem: Problem, tools: Tools) -> Grade:
        """Run the program in a reply, within the limit of its item."""
        return self.grade_program(answer, problem.private, tools)

    def grade_program(
        self, answer: str | NoAnswer, sequence: IntegerSequence, tools: Tools
    ) -> Grade:
        """The grade of a program for a sequence."""
        from pytest_llmarith.sandbox.runner import Sandbox

        try:
            machine = self._machine | {"worker": tools.worker}
        except OSError as error:
            return ungraded(None, f"the sandbox failed: {error}")
        rules = replace(
            self._rules, limits=self.limits_of(tools), ask=tools.ask, machine=machine
        )
        wait_s = _QUIET_WITHIN_S if tools.simulated else 0.0
        sandbox = Sandbox(
            self._isolation, rules.limits, wait_s=wait_s, on_term=tools.idle
        )
        return grade_program(answer, sequence, sandbox, rules)

    @cached_property
    def _machine(self) -> dict[str, Any]:
        """The machine and its speed, which time limits depend on."""
        from pytest_llmarith.sandbox.runner import calibrate, machine_facts

        return machine_facts() | {
            "worker": None,
            "calibration_s": calibrate(self._isolation),
        }

    def limits_of(self, tools: Tools) -> ProgramLimits:
        """The limits of an item's terms; its own one replaces the largest."""
        limits = self._rules.limits
        if tools.limit_s is None or tools.limit_s == limits.longest_s:
            return limits
        shorter = [limit for limit in limits.seconds[:-1] if limit < tools.limit_s]
        return replace(limits, seconds=(*shorter, float(tools.limit_s)))


@cache
def programs(rules: ProgramRules) -> Programs:
    """The grader of this process, as its sandbox takes seconds to probe."""
    return Programs(rules)


def grade_program(
    answer: str | NoAnswer,
    sequence: IntegerSequence,
    runner: Runner,
    rules: ProgramRules,
) -> Grade:
    """The grade of the program in a reply; unanswered if it could not be run here."""
    details = _details(None, runner, rules)
    try:
        if isinstance(answer, NoAnswer):
            found: Program | NoProgram = _no_program(answer)
        else:
            found = find_program(answer)
        if isinstance(found, NoProgram):
            details.detail = found.detail
            zeroes = {f"{limit:g}": 0.0 for limit in runner.limits.seconds}
            return Grade(0.0, details, str(found.reason), zeroes, Outcome.NAN)
        details.program = found.source
        return _scored(sequence, found, details, runner, rules)
    except OSError as error:
        details = _details(details.program, runner, rules)
        return ungraded(details, f"the sandbox failed: {error}")


def ungraded(details: ProgramDetails | None, reason: str) -> Grade:
    """The grade of a program that could not be run."""
    return Grade(None, details, reason, outcome=Outcome.UNANSWERED)


def _no_program(answer: NoAnswer) -> NoProgram:
    """Of an incomplete reply, which may be cut within its program."""
    reason = NanReason(answer.reason)
    if reason is NanReason.FILTERED:
        return NoProgram(reason, "the provider filtered it")
    if reason is NanReason.REPETITION:
        return NoProgram(reason, "the server ended it, as it repeats itself")
    return NoProgram(reason, "it ends at the token limit")


def _scored(
    sequence: IntegerSequence,
    program: Program,
    details: ProgramDetails,
    runner: Runner,
    rules: ProgramRules,
) -> Grade:
    expected = dict(zip(sequence.inputs, sequence.terms[: rules.terms], strict=False))
    longest_s = runner.limits.longest_s
    runs = runner.run(program.source, list(expected))
    terms = verdicts(runs, expected, longest_s, rules.rules)
    details.terms = terms
    judges = details.judges
    if rules.static_judge:
        judges.static = judge(program, sequence, runs, partial(_further_runs, runner))
    if rules.judge is not None and rules.ask is not None:
        judges.llm, why_none = _verdict(rules.judge, rules.ask, program.source)
        if why_none is not None:  # a missing verdict does not clear the program
            judges.static = None
            return ungraded(details, f"no verdict: {why_none}")
    details.addresses_judge = list(model_judge.messages_to_judge(program))
    limits = runner.limits.seconds
    evidence = evidence_of(judges)
    if evidence is not None:
        zeroes = {f"{limit:g}": 0.0 for limit in limits}
        return Grade(0.0, details, evidence, zeroes, Outcome.CHEAT)
    for term in terms:
        if term.status is TermStatus.INCONCLUSIVE:
            return ungraded(
                details,
                f"inconclusive: this machine was too busy to time the term for n = "
                f"{term.n}",
            )
    scores = {f"{limit:g}": float(score(terms, limit) or 0) for limit in limits}
    return Grade(scores[f"{longest_s:g}"], details, _first_fault(terms), scores)


def _further_runs(
    runner: Runner, program: str, inputs: Sequence[int]
) -> list[ProgramRun]:
    """Runs that no term is scored by, up to one that does not exit by itself.

    They also end once their time is used up.
    """
    runs = []
    used_s = 0.0
    for n in inputs:
        found = runner.run(program, [n])
        runs += found
        used_s += sum(run.seconds for run in found)
        if runs[-1].ending is not Ending.EXITED or used_s > _FURTHER_RUNS_S:
            break
    return runs


def _first_fault(terms: Sequence[Term]) -> str | None:
    """The number of right terms at the largest limit, and the first wrong one.

    None if all are right.
    """
    wrong = [term for term in terms if term.status is not TermStatus.OK]
    if not wrong:
        return None
    return f"{len(terms) - len(wrong)} of {len(terms)} terms right; {_first(wrong[0])}"


def _first(term: Term) -> str:
    """Such as `n = 7: expected 13, got 12`, `n = 30: late` or `n = 1: crashed:
    NameError`.
    """
    if term.status is TermStatus.WRONG:
        got = _short(term.got) or "nothing"
        return f"n = {term.n}: expected {_short(term.expected)}, got {got}"
    text = f"n = {term.n}: {term.status}"
    raised = _EXCEPTION.match(term.stderr.rstrip().rpartition("\n")[2])
    if term.status is TermStatus.CRASHED and raised:
        text += f": {raised['name']}"
    return text


def _short(text: str) -> str:
    if len(text) > 40:
        text = f"{text[:36]}..."
    return text


# --- terms: A_s(n) of arXiv 2411.04372 ------------------------------------------------


def verdicts(
    runs: Sequence[ProgramRun],
    expected: Mapping[int, str],
    largest: float,
    rules: Rules,
) -> list[Term]:
    """The verdict on each run, compared with the expected term of its n.

    `largest` is the largest limit in seconds. Raises ValueError if the runs are not
    those of the expected terms; terms after an inconclusive run may be missing.
    """
    wanted = list(expected)
    if runs and runs[-1].ending is Ending.INCONCLUSIVE:
        wanted = wanted[: len(runs)]
    if [run.input for run in runs] != wanted:
        raise ValueError(
            "the runs are not those of the expected terms, one each and in their order"
        )
    found = []
    for run in runs:
        term = expected[run.input]
        got = run.stdout.strip()
        found.append(
            Term(
                run.input,
                term,
                truncated(got),
                _status(run, got == term, largest, rules),
                run.seconds,
                truncated(run.stderr),
            )
        )
    return found


def score(terms: Sequence[Term], limit: float) -> Fraction | None:
    """A_s(n) at a limit: the share of right terms among those that were measured.

    None if none was.
    """
    seen = []
    for term in terms:
        seen.append(TermStatus.LATE if term.seconds > limit else term.status)
    measured = len(seen) - seen.count(TermStatus.INCONCLUSIVE)
    return Fraction(seen.count(TermStatus.OK), measured) if measured else None


def _status(
    run: ProgramRun, is_right: bool, largest: float, rules: Rules
) -> TermStatus:
    if run.ending is not Ending.EXITED:
        return TermStatus(run.ending.value)
    if run.seconds > largest:
        return TermStatus.LATE
    if rules is Rules.PAPER:
        return TermStatus.OK if is_right and not run.stderr else TermStatus.WRONG
    if run.exit_status != 0:
        return TermStatus.CRASHED
    return TermStatus.OK if is_right else TermStatus.WRONG


def truncated(text: str) -> str:
    """The text as a record has it."""
    if len(text) > LONGEST_SHOWN:
        text = f"{text[: LONGEST_SHOWN - 1]}…"
    return text


def _details(
    program: str | None, runner: Runner, rules: ProgramRules
) -> ProgramDetails:
    """The details of a program before it runs."""
    return ProgramDetails(
        program=program,
        detail=None,
        rules=rules.rules,
        limits=list(runner.limits.seconds),
        memory_bytes=runner.limits.memory_bytes,
        terms=[],
        judges=Judges(static=None, llm=None),
        addresses_judge=[],
        isolation=runner.isolation,
        machine=None if rules.machine is None else dict(rules.machine),
    )


# --- lookup tables --------------------------------------------------------------------


def evidence_of(judges: Judges) -> str | None:
    """The first evidence for a lookup table, or None."""
    if judges.static is not None and judges.static.cheat:
        return next(iter(judges.static.evidence), "a lookup table")
    if judges.llm is not None and judges.llm.cheat:
        return f"a lookup table, says {judges.llm.model}"
    return None


def _verdict(
    judge: str, ask: Callable[[Question], Reply | Failure], program: str
) -> tuple[ModelVerdict, str | None]:
    """The verdict of the judge with all its replies, and why there is none."""
    question = model_judge.prompt(program)
    replies = list[Reply]()
    new = 0
    for attempt in range(_MAX_STORED):
        answer = ask(Question(judge, question, attempt, known=("0", "1")))
        if isinstance(answer, Failure):
            return ModelVerdict(None, judge, replies), answer.message
        replies.append(for_record(answer))
        cheat = model_judge.read_verdict(answer.text)
        if cheat is not None:
            return ModelVerdict(cheat, judge, replies), None
        # Stored replies without a verdict do not count as attempts of this run.
        if not answer.stored:
            new += 1
        if new == _ATTEMPTS:
            break
    why = f"{judge} said neither 0 nor 1 in {new} replies"
    return ModelVerdict(None, judge, replies), why
