"""The part of the page that says where models break."""

from __future__ import annotations

from pytest_llmarith.reports.page.breaking import breaking_points
from pytest_llmarith.reports.page.runs import Series

POINT: dict[str, object] = {
    "variant": "int_mul",
    "question": "27 * 48",
    "expected": "1296",
    "answer": "1286",
    "outcome": "deviate",
    "reason": None,
    "error_class": "one digit",
    "asked": 3,
    "wrong": 3,
    "flaky": False,
    "questions": 41,
    "budget": 80,
    "ended": "shrunk",
    "largest_right": "9 * 9",
}
NOTHING: dict[str, object] = {
    **POINT,
    "question": None,
    "expected": None,
    "answer": None,
    "error_class": None,
    "asked": 0,
    "wrong": 0,
}


def told(point: dict[str, object]) -> str:
    series = Series(0, "m", (0, "m", ""), {"breaking_point": {"breaking_points": [point]}})
    (row,) = breaking_points([series])
    assert (row["label"], row["variant"]) == ("m", "int_mul")
    return str(row["told"])


def test_a_breaking_point_is_told() -> None:
    """Question, answers, class, how often it was wrong, and what it took."""
    assert told(POINT) == "27 * 48 -> 1286 (expected 1296), one digit, wrong 3 of 3, 41 questions"


def test_a_spent_budget_is_told() -> None:
    """What may be made smaller is not shown as the simplest."""
    assert told({**POINT, "ended": "budget"}).endswith("wrong 3 of 3, maybe not the simplest, 41 questions")


def test_a_reply_without_an_answer_is_told() -> None:
    """With the reason why there is none."""
    without = {**POINT, "answer": None, "error_class": None, "reason": "refusal", "asked": 0}
    assert told(without) == "27 * 48 -> no answer (expected 1296), refusal, not asked again, 41 questions"


def test_nothing_found_is_told() -> None:
    """With the largest question that was right."""
    assert told(NOTHING) == "nothing found up to 9 * 9, 41 questions"


def test_hostile_words_are_made_harmless() -> None:
    """Whatever a merged record says stays on one line, without what a terminal would obey."""
    assert "\\x1b" in told({**POINT, "question": "\x1b[31m1 + 1"})


def test_models_without_searches_have_no_part() -> None:
    """A page of other tasks has no rows."""
    assert breaking_points([Series(0, "m", (0, "m", ""), {})]) == []
