"""Which models of two runs are compared, and what is said of those that are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pytest_llmarith.reports.comparing import Request, as_markdown, as_text, compare
from tests.reports.comparing.runs_in_memory import (
    refusal,
    run,
    sums,
)


def models_of(comparisons: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(one["first"]["model"], one["second"]["model"]) for one in comparisons["comparisons"]]


def test_models_of_one_name_are_compared() -> None:
    """Each with itself; one that only one run has is not, even though it is the only one left."""
    first = run(sums("c", model="a"), sums("c", model="b"), sums("c", model="x"))
    second = run(sums("c", model="b"), sums("c", model="a"), sums("c", model="y"))
    assert models_of(compare(Request(first, [second]))) == [("a", "a"), ("b", "b")]


def test_models_that_are_left_alone_are_named() -> None:
    """Models that only one run has are named, so that nobody thinks they were compared."""
    first, second = run(sums("c", model="a"), sums("c", model="x")), run(sums("c", model="a"), name="two")
    comparisons = compare(Request(first, [second, second]))
    assert comparisons["not_compared"] == [{"run": "one", "model": "x"}]
    for text in (as_text(comparisons, 200), as_markdown(comparisons)):
        assert "not compared, as the other run has no model of this name: x in one" in text
    assert compare(Request(first, [second], ["x:a"]))["not_compared"] == []


def test_the_only_models_are_compared() -> None:
    """Where each run has one model, these are compared, whatever they are called."""
    assert models_of(compare(Request(run(sums("c", model="a")), [run(sums("c", model="b"))]))) == [("a", "b")]


@pytest.mark.parametrize(
    ("wanted", "models"),
    [
        (["a"], [("a", "a")]),
        (["a:b"], [("a", "b")]),
        (["a:b", "b"], [("a", "b"), ("b", "b")]),
        (["a:llama3:8b"], [("a", "llama3:8b")]),
        (["llama3:8b"], [("llama3:8b", "llama3:8b")]),
        (["llama3:8b:a"], [("llama3:8b", "a")]),
    ],
)
def test_wanted_models_are_compared(wanted: list[str], models: list[tuple[str, str]]) -> None:
    """--model names one model, a pair, or several, and names may hold colons."""
    trials = [sums("c", model=name) for name in ("a", "b", "llama3:8b")]
    assert models_of(compare(Request(run(*trials), [run(*trials)], wanted))) == models


def test_one_run_compares_two_of_its_models() -> None:
    """The questions are the same, so they are paired."""
    both = run(sums("ccdd", model="a"), sums("cddd", model="b"))
    (comparison,) = compare(Request(both, [], ["a:b"]))["comparisons"]
    assert comparison["questions"]["compared"] == 4
    assert comparison["differing"][0] == {"what": "model", "first": "a", "second": "b"}


@pytest.mark.parametrize(
    ("others", "wanted", "said"),
    [
        (
            [],
            [],
            "by --model=A:B, where A and B are models of it, or by --condition=A:B; it holds a, b",
        ),
        ([], ["a"], "--model=a: one run is named, so name two models of it: --model=A:B"),
        (
            ["c", "d"],
            [],
            "have no model of the same name; say which to compare with --model=A:B, where A is one of a, b",
        ),
        (["a"], ["c"], "--model=c: no such models; write --model=A:B, where A is one of a, b and B one of a"),
        (["a"], ["a:b"], "--model=a:b: no such models"),
    ],
)
def test_models_that_are_not_there(others: list[str], wanted: list[str], said: str) -> None:
    """A model that no run has is refused with one line that names what there is."""
    trials = [run(*(sums("c", model=name) for name in others), name="other")] if others else []
    assert said in refusal(run(sums("c", model="a"), sums("c", model="b")), *trials, models=wanted)


def test_colons_that_can_be_read_in_two_ways() -> None:
    """A pair that colons in names let be read in two ways is refused, and nobody guesses."""
    trials = [sums("c", model=name) for name in ("a", "a:b", "b:c", "c")]
    assert "can be read in 2 ways" in refusal(run(*trials), run(*trials), models=["a:b:c"])


def test_a_run_without_trials() -> None:
    """There is nothing to compare, and that is said of the run that has none."""
    assert refusal(run(sums("c")), run(name="other")).startswith("other: there is no trial in it")
    assert refusal(run(), run(sums("c"), name="other")).startswith("one: there is no trial in it")
