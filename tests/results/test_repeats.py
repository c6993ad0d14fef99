"""What the repeats of problems say together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_llmarith.figures.count import count
from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.records import OwnDetails, Record
from pytest_llmarith.report.series import results_of
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.statistics.proportions import Cluster, clustered
from pytest_llmarith.summaries import unknown_run
from pytest_llmarith.types import Op
from tests.results.made import programs
from tests.runs_on_disk import asked, record_of, summed_up


def repeats_of(trials: Sequence[Record]) -> Result | None:
    summary = Summary()
    for trial in trials:
        summary.add(trial)
    (result,) = summary.of_run(unknown_run("run")).results
    return result if result.get("repeats") else None


def replies(*problems: tuple[str | None, ...]) -> list[Record]:
    """The replies to each problem, in which `{}` is the right answer and None an
    outage.
    """
    return [
        record_of(
            asked(text, trial=trial) | {"repeat": repeat, "nodeid": f"{trial} {repeat}"}
        )
        for trial, texts in enumerate(problems)
        for repeat, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("problems", "figures"),
    [
        # problems, consistency, pass@1, pass@k, majority
        (
            [("{}",) * 3, ("7",) * 3, ("{}", "7", "{}"), ("", "8", "9")],
            (4, 50, 41.6667, 50, 50),
        ),
        (
            [("{}", "{}.0"), ("The answer is {}.", "{}")],
            (2, 100, 100, 100, 100),
        ),  # the same number
        (
            [("cut", "short"), ("", "{}"), ("cut", "cut")],
            (3, 33.3333, 16.6667, 33.3333, 33.3333),
        ),  # no answer agrees with the same text alone, and has no vote
        (
            [("{}", "7"), ("7", "{}"), ("{}", "8")],
            (3, 0, 50, 100, 66.6667),
        ),  # in a tie the earliest repeat counts
        (
            [("{}", None), (None, None), ("7", "7")],
            (2, 100, 50, 0, 50),
        ),  # an outage is in no figure
        ([("{}", None), ("{}", None)], (2, None, 100, None, 100)),
        ([(None, None)], (0, None, None, None, None)),
    ],
)
def test_the_figures(
    problems: list[tuple[str | None, ...]], figures: tuple[float | None, ...]
) -> None:
    """They do not depend on the order of the records."""
    trials = replies(*problems)
    found = repeats_of(trials)
    assert found is not None
    shares = [
        found.value(key)
        for key in ("consistency", "pass_at_1", "pass_at_k", "majority")
    ]
    repeats: Any = found.get("repeats")
    assert (repeats.n, *shares) == figures
    assert repeats.value == len(problems[0])
    again: Any = repeats_of(trials[::-1])
    assert list(again.estimates()) == list(found.estimates())


def test_without_truncated_replies_repeats_are_clustered() -> None:
    """By hand: a problem of which one of two replies is left has it alone."""
    cut = {"outcome": "nan", "reason": "truncated"}
    cut_replies = [
        record_of(asked(text, trial=trial) | {"repeat": repeat} | more)
        for trial, texts in enumerate([("{}", "{}"), ("7", "{}"), ("?", "{}")] * 4)
        for repeat, text in enumerate(texts)
        for more in [cut if text == "?" else {}]
    ]
    (found,) = count(cut_replies)
    without = found.get("correct_without_truncated")
    assert without is not None
    assert without.value == pytest.approx(100 * (1 + 0.5 + 1) / 3, abs=1e-3)
    assert (without.n, without.method) == (20, "clustered")
    (once,) = count([one for one in cut_replies if one.repeat == 0])
    without = once.get("correct_without_truncated")
    assert without is not None
    assert (without.value, without.n, without.method) == (50, 8, "wilson")


def test_repeats_tell_the_noise_of_asking_again() -> None:
    """By pairs of repeats: of 4 problems two change between right and wrong, in 2 of 3
    pairs and in 1 of 1.
    """
    found = repeats_of(
        replies(("{}",) * 3, ("7", "8", "7"), ("{}", "{}", "7"), ("{}", "7", None))
    )
    assert found is not None
    noise: Any = found.get("noise")
    assert found.value("same_reply") == pytest.approx(
        100 * (1 + 1 / 3 + 1 / 3) / 4, 1e-3
    )
    assert found.value("same_outcome") == pytest.approx(100 * (2 + 1 / 3) / 4, 1e-3)
    assert noise.value == pytest.approx(196 * (5 / 12 / 4) ** 0.5, 1e-3)
    assert noise.low < noise.value < noise.high
    assert noise.n == 4


def test_problems_that_were_asked_once_have_none() -> None:
    assert repeats_of(replies(("{}",), ("7",))) is None


TEXTS = {"c": "{}", "d": "7", "n": "", "u": None}
# A letter for each repeat, by variant, depth and problem.
REPEATED = {
    (Op.ADD, 2): ["ccc", "ddd", "ccc", "ccd"],
    (Op.ADD, 3): ["ddd", "ndd", "cuu", "ccc"],
    (Op.MUL, 2): ["ddd", "ddd", "ddd", "cdd"],
    (Op.MUL, 3): ["ccc", "ccc", "uuu"],
}


def interval_of(*problems: str, letter: str = "c") -> tuple[float, ...]:
    """The clustered interval of problems, straight from statistics."""
    answered = [one.replace("u", "") for one in problems]
    clusters = [Cluster(one.count(letter), len(one)) for one in answered if one]
    found = clustered(clusters)
    assert found is not None
    mean, interval = found
    return tuple(round(100 * one, 4) for one in (mean, *interval))


def test_repeats_are_clustered_at_every_place() -> None:
    """In the whole, a variant, a cell and a depth of all variants, for each outcome."""
    trials = [
        asked(TEXTS[letter], depth, trial, op=op)
        | {"repeat": repeat, "nodeid": f"{op} {depth} {trial} {repeat}"}
        for (op, depth), problems in REPEATED.items()
        for trial, letters in enumerate(problems)
        for repeat, letter in enumerate(letters)
    ]
    (row,) = results_of(summed_up(trials))

    def at(op: Op | None = None, depth: int | None = None) -> list[str]:
        return [
            problem
            for (one, other), problems in REPEATED.items()
            if op in (None, one) and depth in (None, other)
            for problem in problems
        ]

    def shown(found: Any) -> tuple[float | None, ...]:
        return found.value, found.low, found.high

    for outcome, letter in (("correct", "c"), ("deviate", "d")):
        found = row.get(f"{outcome}_percentage")
        assert shown(found) == interval_of(*at(), letter=letter)
    for variant, op in zip(row.variants, (Op.ADD, Op.MUL), strict=True):
        assert shown(variant.correct) == interval_of(*at(op))
        found = variant.get("deviate_percentage")
        assert shown(found) == interval_of(*at(op), letter="d")
    for cell, (op, depth) in zip(row.cells, REPEATED, strict=True):
        assert shown(cell.correct) == interval_of(*at(op, depth))
    for depth, share in row.curve.items():
        assert shown(share) == interval_of(*at(depth=depth))


def test_programs_agree_if_they_print_the_same() -> None:
    """A sequence that is in two sets is one problem."""
    first, second = programs([1, 1]), programs([1, 1], repeat=1)
    assert second[1].grade is not None
    assert isinstance(second[1].grade.details, OwnDetails)
    printed = {"n": 1, "expected": "1", "got": "2", "status": "wrong", "seconds": 0}
    values = second[1].grade.details.values | {"terms": [printed]}
    second[1].grade.details = OwnDetails(values)
    found: Any = repeats_of(
        [
            *first,
            *second,
            *programs([1, 1], name="classic"),
            *programs([1], name="classic", repeat=1),
        ]
    )
    assert found is not None
    assert (found.get("repeats").n, found.value("consistency")) == (2, 50)
