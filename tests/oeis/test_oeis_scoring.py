"""A_s(n) and its means are exact, and what could not be measured is not wrong."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.oeis.scoring import Score, scores, verdicts
from pytest_llmarith.values import Ending, ProgramRun, Rules, TermStatus

EXITED, LATE, KILLED, INCONCLUSIVE = Ending.EXITED, Ending.LATE, Ending.KILLED, Ending.INCONCLUSIVE


def ran(
    stdout: str = "5\n",
    seconds: float = 0.1,
    ending: Ending = EXITED,
    status: int | None = 0,
    stderr: str = "",
    n: int = 3,
) -> ProgramRun:
    return ProgramRun(n, ending, status, None, stdout, stderr, seconds, seconds, seconds, 0.0)


def status(run: ProgramRun, expected: str = "5", rules: Rules = Rules.DEFAULT) -> TermStatus:
    (verdict,) = verdicts([run], {run.input: expected}, 4.0, rules)
    return verdict.status


@pytest.mark.parametrize("stdout", ["5", "5\n", " 5 \r\n", "\n\n5\t"])
def test_the_term_itself_is_right(stdout: str) -> None:
    """Printing the term is right, and space around it does not count."""
    assert status(ran(stdout)) is TermStatus.OK


@pytest.mark.parametrize(
    "stdout", ["", "6", "+5", "05", "5.0", "5e0", "٥", "５", "5 5", "a(3) = 5", "[5]", "5\0", "-5", "'5'", "�"]
)
def test_any_other_text_is_wrong(stdout: str) -> None:
    """The decimal text is compared, and not its value."""
    assert status(ran(stdout)) is TermStatus.WRONG


def test_terms_are_compared_as_text() -> None:
    """Terms are compared as text, with their sign, and longer than Python likes to convert."""
    assert status(ran("-1"), "-1") is TermStatus.OK
    assert status(ran("9" * 5000), "9" * 5000) is TermStatus.OK


@pytest.mark.parametrize(
    ("run", "default", "paper"),
    [
        (ran(), TermStatus.OK, TermStatus.OK),
        (ran("6"), TermStatus.WRONG, TermStatus.WRONG),
        (ran(stderr="a warning"), TermStatus.OK, TermStatus.WRONG),
        (ran(stderr="\n"), TermStatus.OK, TermStatus.WRONG),
        (ran(status=3), TermStatus.CRASHED, TermStatus.OK),
        (ran("", status=1, stderr="Traceback"), TermStatus.CRASHED, TermStatus.WRONG),
        (ran(seconds=4.0), TermStatus.OK, TermStatus.OK),
        (ran(seconds=4.001), TermStatus.LATE, TermStatus.LATE),
        (ran("", 4.1, LATE, None), TermStatus.LATE, TermStatus.LATE),
        (ran("5", 1.0, KILLED, None), TermStatus.KILLED, TermStatus.KILLED),
        (ran("", 1.0, INCONCLUSIVE, None), TermStatus.INCONCLUSIVE, TermStatus.INCONCLUSIVE),
    ],
)
def test_rules(run: ProgramRun, default: TermStatus, paper: TermStatus) -> None:
    """Ours look at the exit status, the paper's at stderr; time and signals are the same."""
    assert status(run) is default
    assert status(run, rules=Rules.PAPER) is paper


def test_smaller_limits_follow_from_the_time() -> None:
    """From one run there is a score for every limit, by the time that each term took."""
    runs = [ran("1", 0.2, n=1), ran("2", 0.5, n=2), ran("3", 1.5, n=3), ran("9", 0.1, n=4)]
    terms = verdicts(runs, {1: "1", 2: "2", 3: "3", 4: "4"}, 4.0, Rules.DEFAULT)
    assert [score.share for score in scores(terms, (0.1, 0.5, 1.0, 4.0), cheat=False)] == [
        Fraction(0),
        Fraction(1, 2),
        Fraction(1, 2),
        Fraction(3, 4),
    ]


def test_what_could_not_be_measured_is_left_out() -> None:
    """Where it already took longer than a smaller limit, it is late there."""
    runs = [ran("1", 0.2, n=1), ran("", 2.0, INCONCLUSIVE, None, n=2)]
    terms = verdicts(runs, {1: "1", 2: "2"}, 4.0, Rules.DEFAULT)
    assert scores(terms, (0.5, 4.0), cheat=False) == (Score(0.5, 1, 2, cheat=False), Score(4.0, 1, 1, cheat=False))
    assert [score.as_float for score in scores(terms, (0.5, 4.0), cheat=False)] == [0.5, 1.0]
    (nothing,) = scores(terms[1:], (4.0,), cheat=False)
    assert nothing.share is None
    assert nothing.as_float is None


def test_a_cheat_gets_nothing() -> None:
    """A cheat's score is 0, and what it would have had is kept beside it."""
    terms = verdicts([ran()], {3: "5"}, 4.0, Rules.DEFAULT)
    (score,) = scores(terms, (4.0,), cheat=True)
    assert (score.share, score.earned, score.as_float) == (Fraction(0), Fraction(1), 0.0)


def test_a_cheat_gets_nothing_on_a_busy_machine_either() -> None:
    """A lookup table is one without a single term that could be timed: its score is no unknown number."""
    terms = verdicts([ran("", 2.0, INCONCLUSIVE, None)], {3: "5"}, 4.0, Rules.DEFAULT)
    (score,) = scores(terms, (4.0,), cheat=True)
    assert (score.share, score.earned, score.as_float) == (Fraction(0), None, 0.0)


def test_terms_behind_an_inconclusive_one_may_be_missing() -> None:
    """They were not run; what was run is told."""
    (term,) = verdicts([ran("", 2.0, INCONCLUSIVE, None)], {3: "5", 4: "5"}, 4.0, Rules.DEFAULT)
    assert (term.n, term.status) == (3, TermStatus.INCONCLUSIVE)


@pytest.mark.parametrize("expected", [{}, {2: "5"}, {3: "5", 4: "5"}])
def test_runs_of_other_terms_are_refused(expected: dict[int, str]) -> None:
    """Runs of other n than those expected are refused, as a shift by one would look like a bad model."""
    with pytest.raises(ValueError, match="not those of the expected terms"):
        verdicts([ran()], expected, 4.0, Rules.DEFAULT)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 6)), min_size=1))
def test_the_share_is_the_mean(seen: list[tuple[bool, float]]) -> None:
    """Right terms by all terms, as a fraction, and no smaller limit gives more."""
    runs = [ran("5" if right else "6", seconds, n=n) for n, (right, seconds) in enumerate(seen)]
    terms = verdicts(runs, dict.fromkeys(range(len(runs)), "5"), 4.0, Rules.DEFAULT)
    half, four = scores(terms, (0.5, 4.0), cheat=False)
    assert four.share == Fraction(sum(right and seconds <= 4 for right, seconds in seen), len(seen))
    assert half.share == Fraction(sum(right and seconds <= 0.5 for right, seconds in seen), len(seen))
