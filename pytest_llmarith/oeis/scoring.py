"""A_s(n), and what a program scores with it: exactly, per limit. It does not know who runs programs or judges them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_llmarith.values import Ending, ProgramRun, Rules, TermStatus


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
        """The status at a limit up to the largest one: a run that took longer is late there, however it ended."""
        return TermStatus.LATE if self.seconds > limit else self.status


@dataclass(frozen=True, slots=True)
class Score:
    """A program's score at one limit: A_s(n) over the terms that were measured.

    `earned` is their mean, None where no term was measured; `share` is the same but for a cheat, which has 0 whatever
    its terms did.
    """

    limit: float
    right: int
    measured: int
    cheat: bool

    @property
    def earned(self) -> Fraction | None:
        return Fraction(self.right, self.measured) if self.measured else None

    @property
    def share(self) -> Fraction | None:
        return Fraction(0) if self.cheat else self.earned

    @property
    def as_float(self) -> float | None:
        """The share for a record, which holds no fractions."""
        return None if self.share is None else float(self.share)


def verdicts(
    runs: Sequence[ProgramRun], expected: Mapping[int, str], largest: float, rules: Rules
) -> tuple[TermVerdict, ...]:
    """Every run against its term, by n; `largest` is the largest limit in seconds.

    Raises ValueError if the runs are not those of the expected terms; some may be missing behind an inconclusive one.
    """
    stopped = bool(runs) and runs[-1].ending is Ending.INCONCLUSIVE
    if [run.input for run in runs] != [*expected][: len(runs) if stopped else None]:
        raise ValueError("the runs are not those of the expected terms, one each and in their order")
    return tuple(_verdict(run, expected[run.input], largest, rules) for run in runs)


def scores(terms: Sequence[TermVerdict], limits: Sequence[float], *, cheat: bool) -> tuple[Score, ...]:
    """The score at every limit, in their order."""
    return tuple(_score(terms, limit, cheat) for limit in limits)


def _verdict(run: ProgramRun, expected: str, largest: float, rules: Rules) -> TermVerdict:
    got = run.stdout.strip()
    return TermVerdict(run.input, expected, got, _status(run, got == expected, largest, rules), run.seconds, run.stderr)


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


def _score(terms: Sequence[TermVerdict], limit: float, cheat: bool) -> Score:
    seen = [term.at(limit) for term in terms]
    unknown = seen.count(TermStatus.INCONCLUSIVE)
    return Score(limit, seen.count(TermStatus.OK), len(seen) - unknown, cheat)
