"""Runs that did not ask the same, compared as two groups."""

from __future__ import annotations

import pytest

from pytest_llmarith.reports.comparing import Request, as_text, compare
from tests.reports.comparing.runs_in_memory import (
    compared,
    programs,
    put,
    refusal,
    row_of,
    run,
    sums,
)


def test_without_pairing() -> None:
    """Two groups: the difference of Mantel and Haenszel and their test, and the method says so."""
    comparison = compared(run(sums("ccccdddddd")), run(sums("ccccccccdd", first=50, seed=1)), unpaired=True)
    assert comparison["method"] == "unpaired"
    row = row_of(comparison)
    assert (row["first"]["correct"], row["second"]["correct"], row["pairs"]) == (4, 8, None)
    assert row["difference"] == {"points": 40.0, "low": -2.0184, "high": 82.0184}
    assert row["p"] == pytest.approx(0.092, abs=1e-3)


def test_without_pairing_only_what_is_alike_is_compared() -> None:
    """Other variants and depths would make a difference that no model makes."""
    first = run(sums("cd"), sums("dddd", "int_div"))
    second = run(sums("cdu", first=50, seed=1), sums("cc", "int_mul", first=50, seed=1))
    comparison = compared(first, second, unpaired=True)
    assert (row_of(comparison)["first"]["measured"], row_of(comparison)["second"]["measured"]) == (2, 2)
    assert comparison["questions"]["first"] == {"answered": 6, "others": 4, "unanswered": 0}
    assert comparison["questions"]["second"] == {"answered": 4, "others": 2, "unanswered": 1}


def test_what_an_outage_left_out_is_not_compared() -> None:
    """A run that has no answer to the hard questions is not better than one that has them."""
    first = run(sums("ccc"), sums("uuuu", "int_div"))
    second = run(sums("ccc", first=50, seed=1), sums("dddd", "int_div", first=50, seed=1))
    comparison = compared(first, second, unpaired=True)
    assert row_of(comparison)["difference"]["points"] == 0
    assert comparison["questions"]["first"] == {"answered": 3, "others": 0, "unanswered": 4}
    assert comparison["questions"]["second"] == {"answered": 7, "others": 4, "unanswered": 0}
    assert (comparison["questions"]["unanswered"], comparison["questions"]["at_worst"]) == (4, pytest.approx(-57.1429))


def test_a_run_that_lost_hard_questions_is_not_better() -> None:
    """Each cell counts with the same weight on both sides. Pooled, B would be better, and significantly so."""
    first = run(sums("c" * 95 + "d" * 5), sums("c" * 10 + "d" * 90, "int_mul"))
    second = run(
        sums("c" * 95 + "d" * 5, first=500, seed=1), sums("cc" + "d" * 18 + "u" * 80, "int_mul", first=500, seed=1)
    )
    comparison = compared(first, second, unpaired=True)
    row = row_of(comparison)
    assert row["first"]["percent"] == row["second"]["percent"]
    assert (row["difference"]["points"], row["p"]) == (0, 1)
    assert comparison["questions"]["cells"] == 2


def test_the_share_that_is_left_out_is_said() -> None:
    """What the other run has no answer for is counted, of how many answers."""
    first, second = run(sums("cd"), sums("dddd", "int_div")), run(sums("cd", first=50, seed=1))
    text = as_text(compare(Request(first, [second], unpaired=True)), 500)
    assert "in A 4 of 6 (66.7 %), in B 0 of 2 (0.0 %)" in text


@pytest.mark.parametrize("others", [sums("cc", "int_mul", first=50, seed=1), sums("uu", first=50, seed=1)])
def test_runs_without_a_common_cell_are_refused(others: list[dict[str, object]]) -> None:
    """Other variants, or the same ones without an answer: there is nothing to compare."""
    assert "no variant and depth" in refusal(run(sums("cd")), run(others), unpaired=True)


def test_what_can_be_paired_is_paired() -> None:
    """--unpaired is for runs that did not ask the same; the others are paired all the same."""
    comparisons = compare(Request(run(sums("cd")), [run(sums("cc")), run(sums("cc", first=9))], unpaired=True))
    assert [one["method"] for one in comparisons["comparisons"]] == ["paired", "unpaired"]


def test_unpaired_conditions_are_compared_with_themselves() -> None:
    """What only one side has is left out; where each side has a single one, that is what is compared."""
    usual, comma, others = sums("cccc", seed=1, first=9), put(sums("dddd"), numbers="comma"), sums("cccc")
    comparison = compared(run(usual, comma), run(others), unpaired=True)
    assert row_of(comparison)["first"] == {"correct": 4, "measured": 4, "questions": 4, "percent": 100.0}
    assert comparison["questions"]["first"]["others"] == 4
    difference = row_of(compared(run(usual), run(comma), unpaired=True))["difference"]
    assert difference["points"] == -100


REPEATS = 10


def asked_again(outcomes: str, first: int = 0) -> list[dict[str, object]]:
    """Sums that are put ten times each, and come to the same every time."""
    return [one for repeat in range(REPEATS) for one in put(sums(outcomes, first=first, seed=first), repeat)]


def test_repeats_of_two_groups_are_no_further_evidence() -> None:
    """Six questions of six against two of six have the same p, however often each was put."""
    once = compared(run(sums("cccccc")), run(sums("ccdddd", first=50, seed=1)), unpaired=True)["rows"][0]
    row = compared(run(asked_again("cccccc")), run(asked_again("ccdddd", 50)), unpaired=True)["rows"][0]
    assert row["first"] == {"correct": 60, "measured": 60, "questions": 6, "percent": 100.0}
    assert row["p"] == pytest.approx(once["p"])
    assert row["difference"] == pytest.approx(once["difference"])


def test_repeats_of_two_groups_that_are_never_alike() -> None:
    """All right here and none right there: of that many questions it is no chance."""
    row = compared(run(asked_again("c" * 9)), run(asked_again("d" * 9, 50)), unpaired=True)["rows"][0]
    assert row["p"] < 0.001
    assert row["difference"] == {"points": -100, "low": None, "high": None}


def test_the_text_of_repeats_without_pairing() -> None:
    """Trials and questions of either side, and what the interval takes them for."""
    first, second = run(asked_again("cccccc")), run(asked_again("ccdddd", 50))
    lines = as_text(compare(Request(first, [second], unpaired=True)), 500).splitlines()
    heads = next(line for line in lines if "B - A" in line).split()
    assert heads[:8] == ["A", "questions", "A", "%", "B", "questions", "B", "%"]
    assert any(line.split()[:8] == ["over", "all", "60", "6", "100.0", "60", "6", "33.3"] for line in lines)
    assert "Where a question has several trials they are alike" in lines[-1]


def test_scores_without_pairing() -> None:
    """Sequences of a set that the two runs did not share are compared as two groups."""
    other = programs([0.5, 0.25, 0.25])
    for record in other:
        record["problem"]["number"] += "9"
    comparison = compared(run(programs([1, 0.5])), run(other), unpaired=True)
    slow = comparison["scores"][1]
    assert (slow["first"]["sequences"], slow["second"]["sequences"]) == (2, 3)
    assert slow["difference"]["points"] == pytest.approx(-41.6667)
    assert slow["difference"]["low"] < slow["difference"]["points"] < slow["difference"]["high"]


def test_repeats_of_a_sequence_are_one_sequence() -> None:
    """Without pairing a sequence that was asked four times has one score, the mean of four, as in its own run."""
    again = [record | {"repeat": repeat} for repeat in range(4) for record in programs([1, 0.5, repeat / 4])]
    other = programs([0.5, 0.25, 0.25])
    for record in other:
        record["problem"]["number"] += "9"
    slow = compared(run(again), run(other), unpaired=True)["scores"][1]
    assert slow["first"] == {"sequences": 3, "percent": 62.5}
    assert slow["second"] == {"sequences": 3, "percent": 33.3333}
