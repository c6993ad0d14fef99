"""Which runs are not paired: a line that says why, and what to write instead."""

from __future__ import annotations

import pytest

from pytest_llmarith.reports.comparing import Request, as_text, compare
from tests.reports.comparing.runs_in_memory import (
    Opened,
    compared,
    put,
    refusal,
    row_of,
    run,
    sums,
)


def test_other_seeds_are_refused() -> None:
    """Runs of other seeds are refused with one line: how little is the same, why, what to write instead."""
    said = refusal(run(sums("cccc")), run(sums("cccc", seed=1, first=3), name="other"))
    assert said == (
        "one and other: only 1 of 4 trials asked the same question, as their seeds differ (0 and 1); compare them "
        "without pairing with --unpaired"
    )


def test_questions_without_a_seed_are_refused() -> None:
    """Nothing in common is never paired."""
    said = refusal(run(sums("cc", seed=None)), run(sums("cc", seed=None, first=9), name="other"))
    assert said == (
        "one and other: no two trials asked the same question, as no seed is known of them; compare them without "
        "pairing with --unpaired"
    )


def test_other_conditions_are_refused_with_the_option_that_compares_them() -> None:
    """Without pairing nobody would learn what the condition does; where several may be meant, they are named."""
    usual, comma, spaced = sums("cc"), put(sums("cc"), numbers="comma"), put(sums("cc"), numbers="space")
    spaced = [one | {"prompt": one["prompt"] + ", with spaces"} for one in spaced]
    assert refusal(run(usual), run(comma, name="two")) == (
        "one and two: no two trials asked the same question, as they were put in other conditions; compare these with "
        "--condition=usual:numbers_comma"
    )
    assert refusal(run(usual), run(comma, spaced, name="two")).endswith(
        "--condition=A:B, where A is one of usual and B one of numbers_comma, numbers_space"
    )
    seeds = refusal(run(usual), run(put(sums("cc", first=9, seed=1), numbers="comma"), name="two"))
    assert "as their seeds differ" in seeds


@pytest.mark.parametrize(("common", "is_paired"), [(3, False), (4, True)])
def test_half_of_the_smaller_run_is_paired(common: int, is_paired: bool) -> None:
    """Runs are paired that have half of the smaller one in common, as the greater may have asked more."""
    first, second = run(sums("c" * 100)), run(sums("c" * 8, first=100 - common), name="other")
    if is_paired:
        assert compared(first, second)["questions"]["compared"] == common
    else:
        assert f"only {common} of 8 trials" in refusal(first, second)


def in_two_conditions(usual: str, comma: str, same: int) -> Opened:
    """A run in which so many of the first sums have no number that takes a comma."""
    first, other = put(sums(usual)), put(sums(comma), numbers="comma")
    alike = [one | {"prompt": beside["prompt"]} for one, beside in zip(other[:same], first, strict=False)]
    return run(first, alike, other[same:])


def test_what_conditions_put_in_the_same_words_is_left_out() -> None:
    """It is one request, whose reply stands in both: that is no evidence, and it is counted."""
    found = compare(Request(in_two_conditions("cccccc", "ccccdd", 3), (), conditions=["usual:numbers_comma"]))
    (comparison,) = found["comparisons"]
    assert row_of(comparison)["pairs"] == {"both": 1, "only_first": 2, "only_second": 0, "neither": 0}
    assert comparison["questions"]["same_words"] == 3
    assert "paired: 3 questions; 3 put in the same words, left out; without a pair in A 0" in as_text(found, 200)


def test_conditions_that_put_all_alike_are_refused() -> None:
    """One line: a difference of 0 would be said of a condition that nobody was in."""
    assert refusal(in_two_conditions("cc", "cc", 2), conditions=["usual:numbers_comma"]) == (
        "m, usual and m, numbers_comma in one: all 2 pairs were put in the same words, which tells nothing of these "
        "conditions; compare them on problems that they put differently, such as larger numbers"
    )
