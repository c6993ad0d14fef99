"""Items that ask what another item asks: one request, and one measurement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import RunSummary, convert
from pytest_llmarith.reports.tables.terminal import run_lines
from tests.runs_on_disk import counted

Make = Callable[..., dict[str, Any]]
Records = Sequence[dict[str, Any]]


def asked_by(function: str, make: Make, outcomes: str, **named: Any) -> list[dict[str, Any]]:
    """The records of a function whose n-th question is everybody's n-th."""
    words = {"c": "correct", "d": "deviate", "u": "unanswered"}
    return [
        make(
            words[letter],
            nodeid=f"test_bench.py::{function}[{trial}]",
            problem={"seed": 0, "variant": "int_div", "depth": 7, "trial": trial},
            **named,
        )
        for trial, letter in enumerate(outcomes)
    ]


def summed(records: Records) -> dict[str, Any]:
    return counted(records, {"models": [], "selected": len(records)})


def figures(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """All results without what says how many records they were made of."""
    return [{**result, "duplicates": None} for result in summary["results"]]


@given(st.text("cdu", min_size=1, max_size=8), st.integers(0, 3), st.randoms(use_true_random=False))
def test_a_question_counts_once(make_record: Make, outcomes: str, more: int, draw: Any) -> None:
    """However many functions put it, and in whatever order: figures, intervals and completeness are those of one."""
    once = asked_by("test_it", make_record, outcomes)
    records = once + [one for n in range(more) for one in asked_by(f"test_again_{n}", make_record, outcomes)]
    draw.shuffle(records)
    summary, alone = summed(records), summed(once)
    assert figures(summary) == figures(alone)
    assert (summary["answered"], summary["complete"]) == (alone["answered"], alone["complete"])
    assert summary["duplicates"] == summary["results"][0]["duplicates"] == more * len(outcomes)


def test_what_one_item_lacks_is_lacking(make_record: Make) -> None:
    """Where one of two items has no reply, the run is not whole, whichever came first."""
    records = asked_by("test_it", make_record, "cu") + asked_by("test_again", make_record, "cc")
    for order in (records, records[::-1]):
        summary = summed(order)
        assert (summary["answered"], summary["unanswered"], summary["duplicates"]) == (2, 1, 1)
        assert not summary["complete"]


def test_repeats_and_conditions_are_no_duplicates(make_record: Make) -> None:
    """A question that is put again, or otherwise, is a request of its own."""
    condition = {"numbers": "plain", "symbols": "ascii", "context": "2k", "prompt": None, "system": None}
    records = [
        *asked_by("test_it", make_record, "cd"),
        *asked_by("test_it-repeat_1", make_record, "cd", repeat=1),
        *asked_by("test_it-context_2k", make_record, "cd", condition=condition),
    ]
    assert summed(records)["duplicates"] == 0


def test_rows_are_trials_of_their_own(make_record: Make) -> None:
    """What no item asked, as rows of llm_arithmetic, may hold the same sum by chance."""
    rows = [record | {"nodeid": None} for record in asked_by("rows", make_record, "cc")] * 2
    assert (summed(rows)["answered"], summed(rows)["duplicates"]) == (4, 0)


def test_what_was_sent_tells_questions_apart(make_record: Make, make_reply: Make) -> None:
    """A model of the user's own may put a question otherwise, or be another one under the same name: each counts."""
    asked = asked_by("test_it", make_record, "cc")
    elsewhere = asked_by(
        "test_again", make_record, "cc", reply=make_reply(sent=make_reply()["sent"] | {"model": "another"})
    )
    unknown = [
        *asked_by("test_own", make_record, "cc", reply=make_reply(sent=None)),
        *asked_by("test_own_again", make_record, "cc", reply=make_reply(sent=None)),
    ]
    summary = summed([*asked, *elsewhere, *unknown])
    assert (summary["answered"], summary["duplicates"]) == (8, 0)


def test_it_is_said_in_one_line(make_record: Make) -> None:
    """The run is whole, and the line says why it counts fewer trials than it has items."""
    once = asked_by("test_it", make_record, "cdc")
    lines = run_lines(convert(summed(once + asked_by("test_again", make_record, "cdc")), RunSummary), 200)
    assert lines[:2] == [
        "all 3 answered",
        "3 items asked what another item asks, in the same words: that is one request, and counts as one trial",
    ]
    assert not any("another item" in line for line in run_lines(convert(summed(once), RunSummary), 200))
