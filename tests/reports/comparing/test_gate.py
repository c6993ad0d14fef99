"""The gate on comparisons: how much worse than its baseline a run may be."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_llmarith.reports.comparing import Request, as_text, compare, failures, parse_count, parse_points
from tests.reports.comparing.runs_in_memory import (
    put,
    run,
    sums,
)


def gated(outcomes: str, points: str, first: str | None = None) -> list[str]:
    """What the gate says of a run beside one that got everything right."""
    comparisons = compare(Request(run(sums(first or "c" * len(outcomes))), [run(sums(outcomes), name="other")]))
    return failures(comparisons, Decimal(points))


def test_a_run_that_is_worse_fails() -> None:
    """A run that is worse fails with one line: how much, than what, how sure, and what is allowed."""
    (line,) = gated("d" * 10 + "c" * 90, "2")
    assert line.startswith("other, m, over all: 10.0 points lower than one (95 % -17.4 to -4.2, p 0.0020")


@pytest.mark.parametrize(
    ("outcomes", "points"),
    [
        ("d" * 10 + "c" * 90, "10"),  # not lower by more
        ("d" * 10 + "c" * 90, "10.5"),
        ("d" * 5 + "c" * 95, "2"),  # p 0.0625
        ("c" * 100, "0"),
    ],
)
def test_what_is_allowed_or_may_be_chance_passes(outcomes: str, points: str) -> None:
    """It has to be lower by more than is allowed, and significantly so."""
    assert gated(outcomes, points) == []


def test_a_run_that_is_better_passes() -> None:
    """The gate looks one way: being better, by however much, never fails."""
    assert gated("c" * 100, "2", first="d" * 50 + "c" * 50) == []


def test_the_gate_compares_exactly() -> None:
    """A tenth of a point too many is seen, and shown."""
    (line,) = gated("d" * 31 + "c" * 2969, "1.03")
    assert "1.033 points lower" in line


def test_parts_have_the_gate_too() -> None:
    """A variant that broke is named, even where the whole hides it."""
    first = run(sums("c" * 40), sums("d" * 20 + "c" * 20, "int_div"))
    second = run(sums("d" * 20 + "c" * 20), sums("c" * 40, "int_div"), name="other")
    (line,) = failures(compare(Request(first, [second])), Decimal(5))
    assert line.startswith("other, m, int_add: 50.0 points lower than one")


def test_a_loss_in_one_condition_fails_the_gate() -> None:
    """Over all conditions it would be too small to be seen."""
    usual, comma, lost = sums("c" * 90), *(put(sums(letter * 10), numbers="comma") for letter in "cd")
    worse = compare(Request(run(usual, comma), [run(usual, lost)]))
    (line,) = failures(worse, Decimal(20))
    assert "numbers_comma: 100.0 points lower" in line
    assert [row["kind"] for row in worse["comparisons"][0]["rows"]] == ["all", "condition", "condition"]


def test_nothing_compared_fails() -> None:
    """Where nothing could be compared the gate fails, as nobody knows whether the run is worse."""
    (line,) = gated("uu", "2", first="cc")
    assert line.startswith("other, m: nothing could be compared")


def test_questions_that_were_never_asked_fail() -> None:
    """A run that was broken off early shows nothing of the questions that it did not reach."""
    comparisons = compare(Request(run(sums("c" * 131)), [run(sums("c" * 3), name="other")]))
    (line,) = failures(comparisons, Decimal(5))
    assert "128 questions of A" in line
    assert failures(comparisons, Decimal(5), 128) == []


@pytest.mark.parametrize(
    ("first", "second"), [("c" * 400, "c" * 7 + "u" * 393), ("u" * 393 + "c" * 7, "d" * 393 + "c" * 7)]
)
def test_what_is_unanswered_fails(first: str, second: str) -> None:
    """An outage on either side could hide any loss: how large one is said, and how many are allowed."""
    (line,) = gated(second, "2", first=first)
    assert "393 unanswered, 0 are allowed" in line
    assert "-98.2 points" in line
    comparisons = compare(Request(run(sums(first)), [run(sums(second))]))
    assert failures(comparisons, Decimal(2), 392)
    assert failures(comparisons, Decimal(2), 393) == []
    assert "-98.2 at worst" in as_text(comparisons, 500)


def test_what_is_unanswered_fails_without_pairing() -> None:
    """Also if a whole cell has no answer, which is in no row."""
    first = run(sums("cc"), sums("cc", "int_div"))
    second = run(sums("cc", first=50, seed=1), sums("uu", "int_div", first=50, seed=1), name="other")
    (line,) = failures(compare(Request(first, [second], unpaired=True)), Decimal(2))
    assert "2 unanswered, 0 are allowed" in line
    assert "-50.0 points" in line


def test_a_gate_does_not_depend_on_other_runs() -> None:
    """Beside twenty others a run fails as it does alone."""
    base, worse, same = run(sums("c" * 8)), run(sums("d" * 8), name="worse"), run(sums("c" * 8), name="same")
    alone = failures(compare(Request(base, [worse])), Decimal(5))
    assert len(alone) == 1
    assert failures(compare(Request(base, [*[same] * 20, worse])), Decimal(5)) == alone


@pytest.mark.parametrize("text", ["0", "2", "2.5", "100"])
def test_points_are_read(text: str) -> None:
    """Percentage points are read exactly, as decimals from 0 to 100."""
    assert parse_points(text) == Decimal(text)


@pytest.mark.parametrize("text", ["", "-1", "101", "nan", "two", "2%", "1e1", "٣"])
def test_points_that_are_none(text: str) -> None:
    """What is no percentage points is refused with one line that says what to write."""
    with pytest.raises(ValueError, match=r"from 0 to 100; write 2 or 2\.5"):
        parse_points(text)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "many", "1e3", "٣"])
def test_counts_that_are_none(text: str) -> None:
    """What is no number of questions is refused."""
    with pytest.raises(ValueError, match="write 0 or more"):
        parse_count(text)
