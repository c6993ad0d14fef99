"""A_s(n) and its means are exact; a term that was not measured is not wrong."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.sandbox.program_runs import Ending, ProgramRun
from pytest_llmarith.tasks.oeis.details import Rules, TermStatus
from pytest_llmarith.tasks.oeis.grader import score, verdicts

EXITED, LATE, KILLED, INCONCLUSIVE = (
    Ending.EXITED,
    Ending.LATE,
    Ending.KILLED,
    Ending.INCONCLUSIVE,
)


def ran(
    stdout: str = "5\n",
    seconds: float = 0.1,
    ending: Ending = EXITED,
    status: int | None = 0,
    stderr: str = "",
    n: int = 3,
) -> ProgramRun:
    return ProgramRun(n, ending, status, None, stdout, stderr, seconds)


def status(
    run: ProgramRun, expected: str = "5", rules: Rules = Rules.DEFAULT
) -> TermStatus:
    (verdict,) = verdicts([run], {run.input: expected}, 4.0, rules)
    return verdict.status


@pytest.mark.parametrize("stdout", ["5", " 5 \r\n", "\n\n5\t"])
def test_a_term_is_right_as_text(stdout: str) -> None:
    assert status(ran(stdout)) is TermStatus.OK


@pytest.mark.parametrize(
    "stdout",
    ["", "6", "+5", "05", "5.0", "5e0", "٥", "5 5", "a(3) = 5", "5\0", "-5", "'5'"],
)
def test_any_other_text_is_wrong(stdout: str) -> None:
    assert status(ran(stdout)) is TermStatus.WRONG


@pytest.mark.parametrize(
    ("run", "default", "paper"),
    [
        (ran(), TermStatus.OK, TermStatus.OK),
        (ran("6"), TermStatus.WRONG, TermStatus.WRONG),
        (ran(stderr="\n"), TermStatus.OK, TermStatus.WRONG),
        (ran(status=3), TermStatus.CRASHED, TermStatus.OK),
        (ran("", status=1, stderr="Traceback"), TermStatus.CRASHED, TermStatus.WRONG),
        (ran(seconds=4.0), TermStatus.OK, TermStatus.OK),
        (ran(seconds=4.001), TermStatus.LATE, TermStatus.LATE),
        (ran("", 4.1, LATE, None), TermStatus.LATE, TermStatus.LATE),
        (ran("5", 1.0, KILLED, None), TermStatus.KILLED, TermStatus.KILLED),
        (
            ran("", 1.0, INCONCLUSIVE, None),
            TermStatus.INCONCLUSIVE,
            TermStatus.INCONCLUSIVE,
        ),
    ],
)
def test_rules(run: ProgramRun, default: TermStatus, paper: TermStatus) -> None:
    assert status(run) is default
    assert status(run, rules=Rules.PAPER) is paper


def test_an_inconclusive_term_is_left_out() -> None:
    """If it already took longer than a smaller limit, it is late there; the terms after
    it may be missing.
    """
    runs = [ran("1", 0.2, n=1), ran("", 2.0, INCONCLUSIVE, None, n=2)]
    terms = verdicts(runs, {1: "1", 2: "2", 3: "3"}, 4.0, Rules.DEFAULT)
    assert score(terms, 0.5) == Fraction(1, 2)
    assert score(terms, 4.0) == Fraction(1)
    assert score(terms[1:], 4.0) is None


@pytest.mark.parametrize("expected", [{}, {2: "5"}, {3: "5", 4: "5"}])
def test_runs_of_other_terms_are_refused(expected: dict[int, str]) -> None:
    with pytest.raises(ValueError, match="not those of the expected terms"):
        verdicts([ran()], expected, 4.0, Rules.DEFAULT)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 6)), min_size=1))
def test_the_score_is_the_mean(seen: list[tuple[bool, float]]) -> None:
    runs = [
        ran("5" if right else "6", seconds, n=n)
        for n, (right, seconds) in enumerate(seen)
    ]
    terms = verdicts(runs, dict.fromkeys(range(len(runs)), "5"), 4.0, Rules.DEFAULT)
    for limit in (0.5, 4.0):
        assert score(terms, limit) == Fraction(
            sum(right and seconds <= limit for right, seconds in seen), len(seen)
        )


def test_a_term_at_the_limit_is_in_time() -> None:
    """Of both limits, as a limit of pytest-timeout is."""
    runs = [ran(seconds=0.5, n=1), ran(seconds=4.0, n=2)]
    terms = verdicts(runs, {1: "5", 2: "5"}, 4.0, Rules.DEFAULT)
    assert score(terms, 0.5) == Fraction(1, 2)
    assert score(terms, 4.0) == 1
