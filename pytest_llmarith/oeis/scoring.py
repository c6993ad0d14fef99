"""A_s(n) of arXiv 2411.04372: whether a program prints a term, and its exact score at each time limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_llmarith.types import Ending, ProgramRun, Rules, TermStatus


@dataclass(frozen=True, slots=True)
class TermVerdict:
    """One term: what was expected (decimal text), what was printed, and how long it took; `seconds` decide limits."""

    n: int
    expected: str
    got: str
    status: TermStatus
    seconds: float
    stderr: str = ""

    def at(self, limit: float) -> TermStatus:
        """The status at this or a smaller limit: a run that took longer than the limit is late."""
        return TermStatus.LATE if self.seconds > limit else self.status


def verdicts(
    runs: Sequence[ProgramRun], expected: Mapping[int, str], largest: float, rules: Rules
) -> tuple[TermVerdict, ...]:
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
        found.append(TermVerdict(run.input, term, got, status, run.seconds, run.stderr))
    return tuple(found)


def score(terms: Sequence[TermVerdict], limit: float) -> Fraction | None:
    """A_s(n) at a limit: the share of right terms among those that were measured; None if none was."""
    seen = [term.at(limit) for term in terms]
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
