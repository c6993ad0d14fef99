"""What the repeats of problems say together."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from pytest_llmarith import summaries
from pytest_llmarith.records import (
    Record,
    Term,
)
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.summaries import unknown_run
from tests.results.made import programs
from tests.runs_on_disk import asked, record_of


def repeats_of(trials: Sequence[Record]) -> summaries.Repeats | None:
    summary = Summary()
    for trial in trials:
        summary.add(trial)
    (result,) = summary.of_run(unknown_run("run")).results
    return result.repeats


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
            [("", ""), ("", "{}")],
            (2, 0, 25, 50, 50),
        ),  # no answer agrees with nothing, and has no vote
        (
            [("{}", "7"), ("7", "{}")],
            (2, 0, 50, 100, 50),
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
        share and share.percent
        for share in (found.consistency, found.pass_at_1, found.majority)
    ]
    assert (found.problems, shares[0], shares[1], found.pass_at_k, shares[2]) == figures
    assert found.k == len(problems[0])
    Random(1).shuffle(trials)
    assert repeats_of(trials) == found


def test_problems_that_were_asked_once_have_none() -> None:
    assert repeats_of(replies(("{}",), ("7",))) is None


def test_programs_agree_if_they_print_the_same() -> None:
    """A sequence that is in two sets is one problem."""
    first, second = programs([1, 1]), programs([1, 1], repeat=1)
    assert second[1].program is not None
    second[1].program.terms = [
        Term(n=1, expected="1", got="2", status="wrong", seconds=0)  # type: ignore[arg-type]
    ]
    found = repeats_of(
        [
            *first,
            *second,
            *programs([1, 1], name="classic"),
            *programs([1], name="classic", repeat=1),
        ]
    )
    assert found is not None
    assert found.consistency is not None
    assert (found.problems, found.consistency.percent) == (2, 50)
