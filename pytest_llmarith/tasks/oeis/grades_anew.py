"""Grades recorded programs anew: from the outputs in the record, or by running them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_llmarith.records import Record, as_dict
from pytest_llmarith.sandbox.program_runs import Ending, ProgramLimits, ProgramRun
from pytest_llmarith.tasks.oeis.cache import SETS, Cache
from pytest_llmarith.tasks.oeis.details import (
    ProgramDetails,
    Rules,
    Term,
    TermStatus,
    read_details,
)
from pytest_llmarith.tasks.oeis.grader import (
    ProgramRules,
    Programs,
    evidence_of,
    grade_program,
    programs,
    truncated,
)
from pytest_llmarith.tasks.oeis.sequences import task
from pytest_llmarith.tasks.task import BuiltInTask, Grade, Problem, Tools
from pytest_llmarith.types import Outcome

# By which times may differ on another machine.
_FACTOR = 2.0
_ENDINGS = {
    TermStatus.LATE: Ending.LATE,
    TermStatus.KILLED: Ending.KILLED,
    TermStatus.INCONCLUSIVE: Ending.INCONCLUSIVE,
}


def task_anew(
    facts: Mapping[str, Any], sets: Iterable[str], folder: Path, *, is_run: bool
) -> BuiltInTask[Any] | None:
    """The task with the rules of a run, and the sets whose entries are in a folder;
    None if it has none of them. Raises ValueError for rules that are none.
    """
    cache = Cache(folder)
    known = [name for name in sets if name in SETS and not cache.missing(name)]
    if not any(map(cache.numbers, known)):
        return None
    rules = ProgramRules(
        rules=Rules(facts["rules"]),
        limits=ProgramLimits(tuple(facts["limits"]), facts["memory_bytes"]),
        terms=facts["terms"],
        static_judge=facts["static_judge"],
    )
    return task(known, cache, ProgramsAnew(rules, is_run=is_run))


class ProgramsAnew(Programs):
    """The grader of recorded programs; `of` a record, as the grade of one says where
    they ran.
    """

    def __init__(self, rules: ProgramRules, *, is_run: bool) -> None:
        super().__init__(rules)
        self.is_run = is_run
        self._recorded: ProgramDetails | None = None

    def of(self, record: Record) -> ProgramsAnew:
        """The grader of a record. Raises ValueError if it has no program's details."""
        found = ProgramsAnew(self._rules, is_run=self.is_run)
        details = record.grade and record.grade.details
        found._recorded = read_details(as_dict(details).get("values", {}))
        return found

    def grade(self, answer: Any, problem: Problem, tools: Tools) -> Grade:
        """The grade of the outputs in the record, unless the program runs otherwise
        now.
        """
        recorded = self._recorded
        assert recorded is not None
        rules = replace(self._rules, static_judge=False, machine=recorded.machine)
        outputs = _Outputs(recorded, self._rules.limits)
        grade = grade_program(answer, problem.private, outputs, rules)
        details: Any = grade.details
        details.judges = recorded.judges
        evidence = evidence_of(recorded.judges)
        if evidence is not None and grade.outcome is not Outcome.NAN:
            zeroes = dict.fromkeys(grade.scores, 0.0)
            grade = Grade(0.0, details, evidence, zeroes, Outcome.CHEAT)
        if not self.is_run:
            return grade
        plain = replace(tools, simulated=True)  # waits until the machine is idle
        ran = programs(self._rules).grade(answer, problem, plain)
        return grade if self._agree(recorded, ran.details) else ran

    def _agree(self, recorded: ProgramDetails, ran: Any) -> bool:
        """Whether outputs are the same, and times on the same side of each limit, or
        within a factor of two of it.
        """
        if evidence_of(recorded.judges) is not None:
            return evidence_of(ran.judges) is not None
        if evidence_of(ran.judges) is not None or len(ran.terms) != len(recorded.terms):
            return False
        for one, other in zip(recorded.terms, ran.terms, strict=True):
            for limit in self._rules.limits.seconds:
                low, high = sorted((one.seconds, other.seconds))
                if low * _FACTOR <= limit and high >= limit * _FACTOR:
                    return False
            both = {one.status, other.status}
            if TermStatus.LATE not in both and (one.got != other.got or len(both) > 1):
                return False
        return True


@dataclass(frozen=True)
class _Outputs:
    """A runner that runs nothing: it returns what a record says."""

    recorded: ProgramDetails
    limits: ProgramLimits

    @property
    def isolation(self) -> Any:
        return self.recorded.isolation

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        return [_run_of(term) for term in self.recorded.terms]


def _run_of(term: Term) -> ProgramRun:
    got = term.got
    if got == truncated(term.expected):  # of a long one only its beginning
        got = term.expected
    ending = _ENDINGS.get(term.status, Ending.EXITED)
    status = int(term.status is TermStatus.CRASHED)
    return ProgramRun(term.n, ending, status, None, got, term.stderr, term.seconds)
