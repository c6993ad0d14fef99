"""Scores the program in a reply, as a function: for training and for engines that bring
their own processes. `exactnum.grade` is its twin for numbers.

    from pytest_llmarith.programs import score

    found = score("print(int(input()) ** 2)", "A000290", stop_after_late=1)
    found.score, found.reason
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_llmarith.exact.messages import Reply, text_of
from pytest_llmarith.sandbox.isolation import probe
from pytest_llmarith.sandbox.program_runs import (
    Ending,
    Isolation,
    ProgramLimits,
    ProgramRun,
)
from pytest_llmarith.tasks.oeis.cache import STARTER, Cache, default_cache
from pytest_llmarith.tasks.oeis.details import IntegerSequence, Term
from pytest_llmarith.tasks.oeis.grader import ProgramRules, grade_program
from pytest_llmarith.types import Outcome

if TYPE_CHECKING:
    from pytest_llmarith.sandbox.runner import Sandbox

_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class ProgramScore:
    """The score of one program; plain data, which can be pickled.

    `score` is the share of right terms at the largest limit, `scores` the share at each
    limit in seconds; both are None and empty if the machine could not measure it
    (`unanswered`). `reason` says what is wrong, None if nothing is. `terms` has the
    terms that ran. `skipped` counts those that did not, as the program was stopped
    early; none of them is right.
    """

    outcome: Outcome
    score: float | None
    scores: Mapping[float, float]
    reason: str | None
    program: str | None
    terms: tuple[Term, ...] = ()
    skipped: int = 0


def score(
    reply: Reply | None,
    sequence: IntegerSequence | str,
    *,
    terms: int | None = None,
    limits: Sequence[float] = (0.5, 4.0),
    stop_after_late: int | None = None,
    budget_s: float | None = None,
) -> ProgramScore:
    """Run the program in a reply for the terms of a sequence, and score it.

    A sequence is an A-number of the project's `oeis_cache/`, or an `IntegerSequence`;
    `terms` are the first ones that count. `limits` are seconds a term, ascending. After
    `stop_after_late` late terms, or once its terms have taken `budget_s` seconds of
    processor time, no further term runs. The strictest isolation that this machine has
    is found with the first call of a process.

    Whatever a reply holds, nothing is raised for it. Raises UnavailableError if there
    is no sandbox here, and ValueError for a sequence that is not in the cache.
    """
    from pytest_llmarith.sandbox.runner import Sandbox

    if isinstance(sequence, str):
        sequence = _entry(sequence)
    rules = ProgramRules(limits=ProgramLimits(tuple(map(float, limits))), terms=terms)
    runner = _Stopping(Sandbox(_isolation(), rules.limits), stop_after_late, budget_s)
    try:
        text = text_of("" if reply is None else reply)
    except TypeError as error:
        return ProgramScore(
            Outcome.NAN, 0.0, {}, f"the reply is no text: {error}", None
        )
    grade = grade_program(text, sequence, runner, rules)
    details: Any = grade.details
    outcome = grade.outcome
    if outcome is None:
        outcome = Outcome.CORRECT if grade.score == 1 else Outcome.DEVIATE
    ran = [] if details is None else details.terms[: runner.ran]
    return ProgramScore(
        outcome,
        grade.score,
        {float(limit): share for limit, share in grade.scores.items()},
        grade.reason,
        None if details is None else details.program,
        tuple(ran),
        runner.skipped,
    )


def reward(
    completions: Sequence[Reply | None], sequence: Sequence[str], **columns: Any
) -> list[float | None]:
    """The score of each completion in TRL's form; all other columns are ignored.

    A program that could not be measured has no reward: None, which leaves it out of the
    training step.
    """
    pairs = zip(completions, sequence, strict=True)
    return [score(reply, number, stop_after_late=1).score for reply, number in pairs]


def compute_score(
    data_source: str,
    solution_str: Reply | None,
    ground_truth: str,
    extra_info: Any = None,
    **arguments: Any,
) -> dict[str, float | bool]:
    """The score of one reply in verl's form; the ground truth is an A-number."""
    found = score(solution_str, ground_truth, stop_after_late=1).score or 0.0
    return {"score": found, "acc": found == 1}


class _Stopping:
    """A runner that stops early: the terms that it leaves out count as late."""

    def __init__(
        self, sandbox: Sandbox, most_late: int | None, budget_s: float | None
    ) -> None:
        self.isolation, self.limits = sandbox.isolation, sandbox.limits
        self.ran = self.skipped = 0
        self._sandbox = sandbox
        self._most_late, self._budget_s = most_late, budget_s
        self._is_scored = False  # further runs of the detector are not

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        if self._is_scored:
            return self._sandbox.run(program, inputs)
        self._is_scored = True
        late, used_s = 0, 0.0

        def is_enough(run: ProgramRun) -> bool:
            nonlocal late, used_s
            late += run.ending is Ending.LATE
            used_s += run.seconds
            if self._most_late is not None and late >= self._most_late:
                return True
            return self._budget_s is not None and used_s >= self._budget_s

        runs = self._sandbox.run(program, inputs, is_enough)
        self.ran = len(runs)
        if runs and runs[-1].ending is Ending.INCONCLUSIVE:
            return runs
        left = inputs[len(runs) :]
        self.skipped = len(left)
        over_s = self.limits.longest_s
        return runs + [
            ProgramRun(n, Ending.LATE, None, None, "", "", over_s) for n in left
        ]


@lru_cache(1)
def _probed() -> Isolation:
    return probe()


def _isolation() -> Isolation:
    """That of this process; threads wait for the first one."""
    with _LOCK:
        return _probed()


@lru_cache(4096)
def _entry(number: str) -> IntegerSequence:
    cache = Cache(default_cache(Path.cwd()))
    is_starter = cache.path(number, STARTER).is_file()
    return cache.entry(number, STARTER if is_starter else None)
