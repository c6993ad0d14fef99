"""How far a run came, and which of its trials are not correct."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.report.run_status import run_lines, wrong_lines
from pytest_llmarith.summaries import RunTimes
from pytest_llmarith.types import RequestTotals
from tests.runs_on_disk import FACTS, added, asked, record_of, searched, summed_up

NODEID = "test_bench.py::test[o4-mini-int_add-depth_3-trial_0]"
SHARD = {"index": 2, "count": 5, "dealt": 1, "whole": 5, "selection": None}
MERGED = {
    "runs": [{key: FACTS[key] for key in RunTimes.__struct_fields__}] * 2,
    "replaced": 0,
    "overlapping": 4,
}
BUDGET = "--llm-max-cost=5: $4.99 spent, a request may take $0.44"
STOPPED = "x: unknown model"


def unanswered(*reasons: str, code: str = "failed") -> list[dict[str, Any]]:
    return [
        asked(None, trial=trial) | {"reason": reason, "failure": code}
        for trial, reason in enumerate(reasons)
    ]


ONE = [asked("{}")]
STORED = [asked("{}"), asked("{}", trial=1, stored=True)]
LOST = [*ONE, asked(None)]
UNGRADED = [
    asked("{}", cost_usd=0.5)
    | {"outcome": "unanswered", "reason": "the task raised ValueError", "grade": None}
]


def asking(**totals: Any) -> dict[str, Any]:
    return {"asking": asdict(RequestTotals()) | totals}


# Records, facts of the run, and its first lines.
SITUATIONS = (
    Path(__file__).with_name("run_status.jsonl").read_text("utf-8").splitlines()
)
RECORDS = {
    "ONE": ONE,
    "STORED": STORED,
    "LOST": LOST,
    "LOST_ALONE": LOST[1:],
    "UNGRADED": UNGRADED,
    "NO_REPLIES": [*ONE, *unanswered("no reply", "no reply", "crashed")],
    "OVER_BUDGET": [*ONE, *unanswered(f"{BUDGET} 1", f"{BUDGET} 2", code="budget")],
    "STOPPED_AT_ONCE": [
        *ONE,
        *unanswered(STOPPED),
        *unanswered("", STOPPED, code="run stopped")[1:],
    ],
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_how_far_a_run_came(situation: str) -> None:
    row = json.loads(situation)
    records = RECORDS[row["records"]]
    run: dict[str, Any] = {"selected": len(records), **row["run"]}
    for name, whole in (("merged", MERGED), ("shard", SHARD)):
        if name in run:
            run[name] = whole
    lines = run_lines(summed_up(records, run), 200)
    assert lines[: len(row["lines"])] == row["lines"]


def test_when_stored_replies_were_asked() -> None:
    """The first and the last day, and how to ask again where the store was read; an
    unknown day is left out.
    """
    days = ("2026-11-21T23:59:59+00:00", "2026-11-23T00:00:00+00:00", None)
    stored = [
        asked("{}", trial=trial, stored=True, asked_at=day)
        for trial, day in enumerate(days)
    ]
    new = asked("{}", trial=3, asked_at="2026-11-24T00:00:00+00:00")

    def first_line(records: list[dict[str, Any]], **run: Any) -> str:
        return run_lines(
            summed_up(records, {"selected": len(records), "store": "on"} | run), 200
        )[0]

    asks_again = "--llm-store=refresh asks again"
    assert first_line([*stored, new]) == (
        f"all 4 answered, 3 from the store, asked 2026-11-21 to 2026-11-23; {asks_again}"
    )
    assert (
        first_line(stored[1:2])
        == f"1 of 1 answered, 1 from the store, asked 2026-11-23; {asks_again}"
    )
    assert first_line(stored[2:]) == "1 of 1 answered, 1 from the store"
    assert (
        first_line(stored[1:2], store="only")
        == "1 of 1 answered, 1 from the store, asked 2026-11-23"
    )
    assert first_line([new]) == "1 of 1 answered"
    assert "refresh" not in first_line(stored, selected=4)


NAME, PRINT = "served_model", "system_fingerprint"


@pytest.mark.parametrize(
    ("stored", "new", "says"),
    [
        ([{NAME: "m-1"}], [{NAME: "m-1"}], None),
        (
            [{NAME: "m-1"}],
            [{NAME: "m-1"}, {NAME: "m-2"}],
            "the model m-1, those of this run m-1, m-2",
        ),
        ([{NAME: "m-1"}, {NAME: "m-2"}], [{NAME: "m-1"}], None),
        ([{}], [{NAME: "m-1", PRINT: "a"}], None),
        ([{NAME: "m-1", PRINT: "a"}], [{}], None),
        (
            [{NAME: "m", PRINT: "a"}],
            [{NAME: "m", PRINT: "b"}],
            "(system_fingerprint) a, those of this run b",
        ),
        # A provider has several configurations at the same time.
        ([{PRINT: "a"}, {PRINT: "b"}], [{PRINT: "b"}, {PRINT: "c"}], None),
    ],
)
def test_another_model_under_the_same_name(
    stored: list[dict[str, Any]], new: list[dict[str, Any]], says: str | None
) -> None:
    """What replies say served them is compared with what stored replies said, in all
    tasks of a model.
    """
    records = [
        asked("{}", trial=trial, stored=True, **told)
        for trial, told in enumerate(stored)
    ]
    records += [added("{}", trial=trial, **told) for trial, told in enumerate(new)]
    lines = run_lines(summed_up(records, {"selected": len(records)}), 200)
    changes = [line for line in lines if "has changed" in line]
    if says is None:
        assert changes == []
    else:
        assert changes == [next(line for line in lines if says in line)]
        assert changes[0].startswith("o4-mini has changed: stored replies name ")


@pytest.mark.parametrize("outcome", ["deviate", "unanswered"])
def test_the_questions_of_a_search_are_graded_with_it(outcome: str) -> None:
    """Also if it was broken off; stored replies are counted one by one."""
    step = {"question": "1 + 1", "before": 0, "outcome": "correct"}
    stored, new = asked("2", stored=True)["reply"], asked("2")["reply"]
    trail = [step | {"reply": reply} for reply in [stored] * 2 + [new] * 4] + [
        step | {"reply": None, "usage": stored}
    ]
    told = {"outcome": outcome, "reason": "x", "reply": asked("7")["reply"]}
    record = searched(trail=trail, questions=7) | told
    run = asking(answered=5, stored=3, kept=5, cost_usd=0.01, stored_usd=0.02)
    lines = run_lines(summed_up([record], {"selected": 1} | run), 200)
    assert lines[-1] == "1 more reply is stored but not graded; rerun the same command"


# --- trials that are not correct ------------------------------------------------------


def listed(*records: dict[str, Any], most: int = 100) -> list[str]:
    return wrong_lines(map(record_of, records), most)


def test_what_measured_nothing_comes_first() -> None:
    """A deviate shows the answer of the reading that was graded; correct trials are not
    listed.
    """
    wrong = asked("7")
    strict = asked("It is 7.") | {
        "reading": "strict",
        "answer": "8",
        "answers": {"tolerant": "1", "strict": "8"},
    }
    expected, why = (
        wrong["problem"]["expected"],
        wrong["grade"]["details"]["error_class"],
    )
    cheat = asked("?") | {"outcome": "cheat", "reason": None}
    assert listed(asked("{}"), wrong, strict, asked("?"), cheat, asked(None)) == [
        f"UNANSWERED {NODEID} - timeout",
        f"CHEAT {NODEID} - no reason given",
        f"NAN {NODEID} - unreadable",
        f"DEVIATE {NODEID} - expected {expected}, got 7 ({why})",
        f"DEVIATE {NODEID} - expected {expected}, got 8 ({why})",
    ]


def test_what_was_not_asked_for_one_reason_is_one_line() -> None:
    long = f"{BUDGET} {'(with this and that) ' * 20}".strip()
    stopped = unanswered("no key", code="run stopped")
    assert listed(*unanswered(*[long] * 30, code="budget"), *stopped) == [
        f"UNANSWERED 30 trials - budget: {long}",
        "UNANSWERED 1 trial - run stopped: no key",
    ]


def test_the_list_ends() -> None:
    records = [asked(text) for text in ("7", "?") for _ in range(5)]
    lines = listed(*records, most=2)
    assert (len(lines), lines[2], lines[5]) == (
        6,
        "NAN ... - and 3 more",
        "DEVIATE ... - and 3 more",
    )


@given(st.text(st.characters()))
def test_foreign_text_is_printable(text: str) -> None:
    named = {"nodeid": text, "reason": text, "answer": text}
    lines = listed(*(asked(reply) | named for reply in ("7", "?", None)))
    assert all(line.isprintable() and len(line) < 1500 for line in lines)
