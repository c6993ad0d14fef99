"""Grades programs: finds the program in a reply, runs and scores it, and detects lookup
tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.records import Term
from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from pytest_llmarith.tasks.oeis.lookup_table import model_judge
from pytest_llmarith.tasks.oeis.lookup_table.detector import judge
from pytest_llmarith.tasks.oeis.program import NoProgram, Program, find_program
from pytest_llmarith.tasks.task import Grade, NoAnswer, Problem, Tools
from pytest_llmarith.types import (
    Ending,
    Failure,
    IntegerSequence,
    Isolation,
    Level,
    NanReason,
    Outcome,
    ProgramLimits,
    ProgramRun,
    Question,
    Reply,
    Rules,
    Runner,
    TermStatus,
)

LONGEST_SHOWN = 200  # characters of an output in a record
# the time that counts of runs that no term is scored by; the last one may exceed it
_FURTHER_RUNS_S = 3.0
_ATTEMPTS = 3  # a judge that says neither 0 nor 1 is asked again
_MAX_STORED = 100
# how long a fake model's program waits until the machine is idle enough to time it
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
    sandbox: Level | None = None
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
    def judge(self) -> str | None:
        return self._rules.judge

    @cached_property
    def _isolation(self) -> Isolation:
        """The isolation of this process. Raises UnavailableError."""
        return probe(self._rules.sandbox)

    def unavailable(self) -> str | None:
        """Why there is no sandbox."""
        try:
            self._isolation  # noqa: B018
        except UnavailableError as error:
            return f"no sandbox: {error}"
        return None

    def about(self, variants: Sequence[str], verbose: bool) -> list[str]:
        """The sets, and what is missing of the strict isolation; with `verbose` also
        rules that are not the default.
        """
        rules, lines = self._rules, [f"OEIS sets: {', '.join(variants)}"]
        try:
            isolation = self._isolation
        except UnavailableError as error:
            return [*lines, f"OEIS items are skipped, as no sandbox works: {error}"]
        if not verbose:
            weaker = (
                []
                if isolation.level is Level.STRICT
                else [f"sandbox {isolation.level}, not strict"]
            )
            return [*weaker, *isolation.remarks]
        parts = (
            f"sandbox {isolation.level}",
            f"holds {', '.join(isolation.enforced) or 'nothing'}; "
            f"{', '.join(f'{limit:g} s' for limit in rules.limits.seconds)} per term",
            f"first {rules.terms} terms" if rules.terms else None,
            f"rules {rules.rules}" if rules.rules is not Rules.DEFAULT else None,
            rules.judge,
            None if rules.static_judge else "no static judge",
        )
        return [*lines, ", ".join(filter(None, parts)), *isolation.remarks]

    def grade(self, answer: Any, problem: Problem, tools: Tools) -> Grade:
        """Run the program in a reply, within the limit of its item."""
        from pytest_llmarith.sandbox.runner import Sandbox

        try:
            machine = self._machine | {"worker": tools.worker}
        except OSError as error:
            return Grade(
                None, reason=f"the sandbox failed: {error}", outcome=Outcome.UNANSWERED
            )
        rules = replace(
            self._rules, limits=self.limits_of(tools), ask=tools.ask, machine=machine
        )
        wait_s = _QUIET_WITHIN_S if tools.simulated else 0.0
        sandbox = Sandbox(
            self._isolation, rules.limits, wait_s=wait_s, on_term=tools.idle
        )
        return grade_program(answer, problem.private, sandbox, rules)

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


def grade_program(
    answer: str | NoAnswer,
    sequence: IntegerSequence,
    runner: Runner,
    rules: ProgramRules,
) -> Grade:
    """The grade of the program in a reply; unanswered if this machine could not run
    it.
    """
    part = _details(None, runner, rules)
    try:
        found = (
            _no_program(answer)
            if isinstance(answer, NoAnswer)
            else find_program(answer)
        )
        if isinstance(found, NoProgram):
            part.detail = found.detail
            zeroes = {f"{limit:g}": 0.0 for limit in runner.limits.seconds}
            return Grade(0.0, part, str(found.reason), zeroes, Outcome.NAN)
        part.program = found.source
        return _scored(sequence, found, part, runner, rules)
    except OSError as error:
        part = _details(part.program, runner, rules)
        return Grade(
            None, part, f"the sandbox failed: {error}", outcome=Outcome.UNANSWERED
        )


def _no_program(answer: NoAnswer) -> NoProgram:
    """Of an incomplete reply, which may be cut within its program."""
    is_filtered = answer.reason == NanReason.FILTERED
    return NoProgram(
        NanReason(answer.reason),
        "the provider filtered it" if is_filtered else "it ends at the token limit",
    )


def _scored(
    sequence: IntegerSequence,
    program: Program,
    part: records.ProgramDetails,
    runner: Runner,
    rules: ProgramRules,
) -> Grade:
    expected = dict(zip(sequence.inputs, sequence.terms[: rules.terms], strict=False))
    runs = runner.run(program.source, [*expected])
    part.terms = terms = verdicts(runs, expected, runner.limits.longest_s, rules.rules)
    judges = part.judges
    if rules.static_judge:
        judges.static = judge(program, sequence, runs, partial(_further_runs, runner))
    if rules.judge is not None and rules.ask is not None:
        judges.llm, why_none = _verdict(rules.judge, rules.ask, program.source)
        if why_none is not None:  # a missing verdict does not clear the program
            judges.static = None
            return Grade(
                None, part, f"no verdict: {why_none}", outcome=Outcome.UNANSWERED
            )
    part.addresses_judge = list(model_judge.messages_to_judge(program))
    cheat = any(
        verdict is not None and verdict.cheat for verdict in (judges.static, judges.llm)
    )
    unknown = [term.n for term in terms if term.status is TermStatus.INCONCLUSIVE]
    if unknown and not cheat:
        why = (
            f"inconclusive: this machine was too busy to time the term for n = "
            f"{unknown[0]}"
        )
        return Grade(None, part, why, outcome=Outcome.UNANSWERED)
    # All terms were measured, or the program is a lookup table.
    scores = {
        at: 0.0 if cheat else float(score(terms, at) or 0)
        for at in runner.limits.seconds
    }
    named = {f"{at:g}": one for at, one in scores.items()}
    if cheat:
        return Grade(0.0, part, _evidence(judges), named, Outcome.CHEAT)
    return Grade(scores[runner.limits.longest_s], part, _first_fault(terms), named)


def _further_runs(
    runner: Runner, program: str, inputs: Sequence[int]
) -> list[ProgramRun]:
    """Runs that no term is scored by, until one does not exit by itself or the time is
    used up.
    """
    runs = list[ProgramRun]()
    for n in inputs:
        runs += runner.run(program, [n])
        if (
            runs[-1].ending is not Ending.EXITED
            or sum(run.seconds for run in runs) > _FURTHER_RUNS_S
        ):
            break
    return runs


def _first_fault(terms: Sequence[Term]) -> str | None:
    """The number of right terms at the largest limit, and the first wrong one; None if
    all are right.
    """
    wrong = [term for term in terms if term.status is not TermStatus.OK]
    if not wrong:
        return None
    return f"{len(terms) - len(wrong)} of {len(terms)} terms right; {_first(wrong[0])}"


def _first(term: Term) -> str:
    """Such as `n = 7: expected 13, got 12` or `n = 30: late`."""
    if term.status is TermStatus.WRONG:
        got = _short(term.got) or "nothing"
        return f"n = {term.n}: expected {_short(term.expected)}, got {got}"
    return f"n = {term.n}: {term.status}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:36]}..."


# --- terms: A_s(n) of arXiv 2411.04372 ------------------------------------------------


def verdicts(
    runs: Sequence[ProgramRun],
    expected: Mapping[int, str],
    largest: float,
    rules: Rules,
) -> list[Term]:
    """The verdict on each run, compared with the expected term of its n; `largest` is
    the largest limit in seconds.

    Raises ValueError if the runs are not those of the expected terms; terms after an
    inconclusive run may be missing.
    """
    stopped = bool(runs) and runs[-1].ending is Ending.INCONCLUSIVE
    if [run.input for run in runs] != [*expected][: len(runs) if stopped else None]:
        raise ValueError(
            "the runs are not those of the expected terms, one each and in their order"
        )
    found = []
    for run in runs:
        term, got = expected[run.input], run.stdout.strip()
        status = _status(run, got == term, largest, rules)
        found.append(
            Term(
                run.input,
                term,
                _truncated(got),
                status,
                run.seconds,
                _truncated(run.stderr),
            )
        )
    return found


def score(terms: Sequence[Term], limit: float) -> Fraction | None:
    """A_s(n) at a limit: the share of right terms among those that were measured; None
    if none was.
    """
    seen = [TermStatus.LATE if term.seconds > limit else term.status for term in terms]
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


def _truncated(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def _details(
    program: str | None, runner: Runner, rules: ProgramRules
) -> records.ProgramDetails:
    """The details of a program before it runs."""
    return records.ProgramDetails(
        program=program,
        detail=None,
        rules=rules.rules,
        limits=list(runner.limits.seconds),
        memory_bytes=runner.limits.memory_bytes,
        terms=[],
        judges=records.Judges(static=None, llm=None),
        addresses_judge=[],
        isolation=runner.isolation,
        machine=None if rules.machine is None else dict(rules.machine),
    )


# --- lookup tables --------------------------------------------------------------------


def _evidence(judges: records.Judges) -> str:
    """The first evidence for a lookup table."""
    if judges.static is not None and judges.static.cheat:
        return next(iter(judges.static.evidence), "a lookup table")
    return f"a lookup table, says {judges.llm.model if judges.llm else None}"


def _verdict(
    judge: str, ask: Callable[[Question], Reply | Failure], program: str
) -> tuple[records.ModelVerdict, str | None]:
    """The verdict of the judge with all its replies, and why there is no verdict if
    there is none.
    """
    question, replies = model_judge.prompt(program), list[records.Reply]()
    new = 0
    for attempt in range(_MAX_STORED):
        answer = ask(Question(judge, question, attempt))
        if isinstance(answer, Failure):
            return records.ModelVerdict(None, judge, replies), answer.message
        replies.append(records.reply_part(answer))
        if (cheat := model_judge.read_verdict(answer.text)) is not None:
            return records.ModelVerdict(cheat, judge, replies), None
        new += (
            not answer.stored
        )  # stored replies without a verdict do not count as attempts of this run
        if new == _ATTEMPTS:
            break
    return records.ModelVerdict(
        None, judge, replies
    ), f"{judge} said neither 0 nor 1 in {new} replies"
