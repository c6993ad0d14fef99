"""The figures of a comparison: over all, of each part, of repeats, and the scores of programs."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.comparing import Request, compare, failures
from pytest_llmarith.reports.comparing.wording import label_of
from tests.reports.comparing.runs_in_memory import (
    compared,
    programs,
    put,
    row_of,
    run,
    searches,
    sums,
)


def test_the_figures_of_pairs() -> None:
    """Counts, percentages, Newcombe's interval, McNemar's exact p; everything but correct is not correct."""
    comparison = compared(run(sums("cccccccddd")), run(sums("ccdnhdddcd")))
    row = row_of(comparison)
    assert row["pairs"] == {"both": 2, "only_first": 5, "only_second": 1, "neither": 2}
    assert (row["first"]["percent"], row["second"]["percent"]) == (70.0, 30.0)
    assert row["difference"]["points"] == -40.0
    assert row["difference"]["low"] < -40 < row["difference"]["high"]
    assert row["p"] == row["p_holm"] == pytest.approx(0.21875)


@given(st.text("cdnhu", min_size=1, max_size=30), st.text("cdnhu", min_size=1, max_size=30))
def test_the_other_way_round_is_the_mirror(one: str, other: str) -> None:
    """Who is the baseline changes the sign of a difference and nothing else."""
    first, second = run(sums(one)), run(sums(other), name="other")
    there, back = row_of(compared(first, second)), row_of(compared(second, first))
    assert there["p"] == back["p"]
    assert (there["first"], there["second"]) == (back["second"], back["first"])
    if there["difference"] is not None:
        assert there["difference"]["points"] == -back["difference"]["points"]
        assert there["difference"]["low"] == pytest.approx(-back["difference"]["high"], abs=1e-3)


@given(st.text("cdnhu", min_size=1, max_size=30))
def test_a_run_is_no_other_than_itself(outcomes: str) -> None:
    """Every trial is paired with itself, nothing differs, and every gate passes."""
    comparisons = compare(Request(run(sums(outcomes + "c")), [run(sums(outcomes + "c"))]))
    (comparison,) = comparisons["comparisons"]
    row = row_of(comparison)
    assert (row["p"], row["difference"]["points"]) == (1, 0)
    assert row["pairs"]["only_first"] == row["pairs"]["only_second"] == 0
    assert comparison["differing"] == []
    assert failures(comparisons, Decimal(0), allow_unanswered=30) == []


def test_rows_are_not_said_twice() -> None:
    """The only task and the only variant are what stands over all; several tasks and variants have rows."""
    alone = compared(run(sums("cd")), run(sums("cd")))
    assert [row["kind"] for row in alone["rows"]] == ["all"]
    both = [*sums("cd"), *sums("cc", "int_div"), *sums("cc", "float_add"), *programs([1.0, 0.5])]
    several = compared(run(both), run(both))
    assert [(row["kind"], row["name"] or row["task"]) for row in several["rows"]] == [
        ("all", None),
        ("task", "arithmetic"),
        ("variant", "int_add"),
        ("variant", "int_div"),
        ("variant", "float_add"),
        ("task", "oeis"),
    ]
    assert row_of(several)["first"]["measured"] == 8


def test_tests_beside_each_other_are_corrected() -> None:
    """Holm's correction: all rows of one comparison are a family, whatever stands beside it."""
    base = run(sums("c" * 10), sums("c" * 10, "int_div"))
    worse, same = run(sums("d" * 6 + "cccc"), sums("c" * 10, "int_div"), name="worse"), run(*[base.trials], name="same")
    comparisons = compare(Request(base, [worse, same]))
    first, second = comparisons["comparisons"]
    assert first["tests"] == second["tests"] == 3
    assert row_of(first)["p"] == pytest.approx(0.03125)
    assert row_of(first)["p_holm"] == pytest.approx(3 * 0.03125)
    assert row_of(first, "int_add")["p_holm"] == pytest.approx(3 * 0.03125)
    assert row_of(second)["p_holm"] == 1


def test_parts_of_few_questions_do_not_weaken_the_other_tests() -> None:
    """A part of fewer than six questions cannot be significant, so it is not tested and is in no family."""
    base = run(sums("c" * 8), sums("c" * 5, "int_mul"), searches("ccc"))
    worse = run(sums("d" * 8), sums("d" * 5, "int_mul"), searches("ddd"), name="worse")
    comparisons = compare(Request(base, [worse]))
    (comparison,) = comparisons["comparisons"]
    assert comparison["tests"] == 3
    assert row_of(comparison, "int_add")["p_holm"] == pytest.approx(2 / 2**8)
    assert row_of(comparison, "int_mul")["p"] is row_of(comparison, "variant_0")["p_holm"] is None
    assert [line.partition(": ")[0] for line in failures(comparisons, Decimal(5))] == [
        f"worse, m, {part}" for part in ("over all", "arithmetic", "int_add")
    ]


def test_variants_of_searches_name_their_task() -> None:
    """A search has the variants of the sums, and stands beside them in one table."""
    comparison = compared(run(sums("cd"), searches("cc")), run(sums("cd"), searches("cd")))
    assert [label_of(row) for row in comparison["rows"]][-3:] == [
        "breaking_point",
        "breaking_point variant_0",
        "breaking_point variant_1",
    ]


def test_repeats_are_no_further_evidence() -> None:
    """A question is one toss of the coin: asked three times, two that got lost are not six."""
    first, second = ([one for repeat in range(3) for one in put(sums(text), repeat)] for text in ("cccc", "ccdd"))
    row = row_of(compared(run(first), run(second)))
    assert (row["pairs"]["only_first"], row["p"]) == (6, 0.5)


def test_a_question_is_won_by_who_is_right_more_often() -> None:
    """A question is won by two right repeats of three against one, and one each is a draw."""
    asked = [put(sums(text), repeat) for repeat, text in enumerate(("cc", "cd", "dd"))]
    others = [put(sums(text), repeat) for repeat, text in enumerate(("dd", "cd", "dc"))]
    row = row_of(compared(run(*asked), run(*others)))
    assert (row["pairs"]["only_first"], row["pairs"]["only_second"], row["p"]) == (2, 1, 1.0)


def test_repeats_make_no_interval_narrower() -> None:
    """Four pairs of the same question say no more than one: the interval is one over questions."""
    once = sums("cccccccdddd"), sums("cddddddcddd")
    again = [[record | {"repeat": repeat} for record in records for repeat in range(4)] for records in once]
    one, four = (compared(run(first), run(second))["rows"][0] for first, second in (once, again))
    assert (four["first"]["measured"], four["difference"]["points"]) == (44, one["difference"]["points"])
    widths = [row["difference"]["high"] - row["difference"]["low"] for row in (one, four)]
    assert widths[1] > 0.9 * widths[0]
    assert one["p"] == four["p"]


def test_the_scores_of_programs() -> None:
    """Per set and limit the difference of the mean scores of the same sequences, with a bootstrap interval."""
    first, second = programs([1, 0.5, 0, 1, None]), programs([1, 1, 0.5, 0.5, 1])
    comparison = compared(run(first), run(second))
    fast, slow = comparison["scores"]
    assert (slow["set"], slow["seconds"], fast["seconds"]) == ("starter", 4, 0.5)
    assert slow["first"] == {"sequences": 4, "percent": 62.5}
    assert slow["second"] == {"sequences": 4, "percent": 75.0}
    assert slow["difference"]["points"] == 12.5
    assert slow["difference"]["low"] < 12.5 < slow["difference"]["high"]
    assert fast["difference"]["points"] == 6.25
    assert row_of(comparison)["first"]["correct"] == 2


def test_the_scores_of_a_sequence_that_was_asked_several_times() -> None:
    """It is one sequence, with the mean of its scores; the interval is that of these means."""
    first, second = programs([1, 0.5, 0, 1]), programs([1, 1, 0.5, 0.5])
    again = [[one | {"repeat": repeat} for repeat in range(4) for one in side] for side in (first, second)]
    once, often = (compared(run(one), run(other))["scores"] for one, other in ((first, second), again))
    assert once == often
    assert once[1]["first"]["sequences"] == 4


def test_scores_are_of_a_condition() -> None:
    """A mean over conditions would be nobody's score."""
    usual, other = programs([1.0, 0.5]), put(programs([0.0, 0.0]), numbers="comma")
    scores = compared(run(usual, other), run(usual, other))["scores"]
    assert [(one["condition"], one["seconds"], one["first"]["percent"]) for one in scores] == [
        *((None, 0.5, 37.5), (None, 4.0, 75.0)),
        *(("numbers_comma", 0.5, 0.0), ("numbers_comma", 4.0, 0.0)),
    ]
