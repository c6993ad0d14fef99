"""The list of trials that did not come out right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.tables.listing import outcome_section
from tests.runs_on_disk import record_of

Make = Callable[..., dict[str, Any]]

NODEID = "benches/test_arithmetic.py::test_arithmetic[o4-mini-int_div-depth_7-trial_3]"


def section(records: Iterable[dict[str, Any]], **wanted: Any) -> list[str]:
    return outcome_section(map(record_of, records), **wanted)


def test_a_deviate_shows_both_numbers(make_record: Make) -> None:
    """The answer by the reading that was graded stands beside the expected one."""
    assert section([make_record("deviate")]) == [f"DEVIATE {NODEID} - expected 864393, got 864393.5"]


def test_the_strict_reading_is_shown_where_it_was_graded(make_record: Make) -> None:
    """What the other reading found is not what deviates."""
    record = make_record("deviate", reading="strict", answer={"kind": "number", "tolerant": "1", "strict": "2"})
    assert section([record])[0].endswith("expected 864393, got 2")


def test_nan_and_unanswered_show_their_reason(make_record: Make) -> None:
    """Unanswered comes first: it is a failure of the run."""
    assert section([make_record("nan"), make_record("unanswered")]) == [
        f"UNANSWERED {NODEID} - no reply within 600 s",
        f"NAN {NODEID} - empty",
    ]


def test_what_was_not_asked_for_one_reason_has_one_line(make_record: Make) -> None:
    """All that one reason left unasked has one line, with the reason in full and how many."""
    budget = "budget: --llm-max-cost=5: $4.99 spent, a request may take $0.44 " + "(with this and that) " * 20
    records = [make_record("unanswered", reason=reason) for reason in [budget.strip()] * 30 + ["run stopped: no key"]]
    assert section(records) == [
        f"UNANSWERED 30 trials - {budget.strip()}",
        "UNANSWERED 1 trial - run stopped: no key",
    ]


def test_no_reason_is_said_to_be_none(make_record: Make) -> None:
    """Where no reason is known a line says that none was given."""
    assert section([make_record("cheat")]) == [f"CHEAT {NODEID} - no reason given"]


def test_correct_trials_are_not_listed(make_record: Make) -> None:
    """Correct trials are not listed, as what came out right needs no line."""
    assert section([make_record()]) == []


def test_the_list_ends(make_record: Make) -> None:
    """Of each outcome so many are listed, the others are counted."""
    records = [make_record(outcome) for outcome in ("deviate", "nan") for _ in range(1003)]
    lines = section(records, most=2)
    assert len(lines) == 6
    assert lines[2] == "NAN ... and 1,001 more"
    assert lines[5] == "DEVIATE ... and 1,001 more"


@given(st.text(st.characters()))
def test_hostile_trials_are_harmless(make_record: Make, text: str) -> None:
    """Node ids, reasons and answers hold foreign text; every line is printable and bounded."""
    answer = {"kind": "custom", "read": text}
    records = [make_record(o, nodeid=text, reason=text, answer=answer) for o in ("deviate", "nan", "unanswered")]
    lines = section(records)
    assert all(line.isprintable() and len(line) < 600 for line in lines)
