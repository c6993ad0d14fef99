"""The part of the page that says where models break."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from pytest_llmarith.records import BreakingPoint, convert
from pytest_llmarith.reports.page.breaking import Breaking, BreakingRow, breaking_points
from pytest_llmarith.reports.page.runs import Series
from tests.reports.page.made_runs import run_of, search_record
from tests.runs_on_disk import asked, summed_up

POINT: dict[str, object] = {
    "variant": "int_mul",
    "question": "27 * 48",
    "expected": "1296",
    "answer": "1286",
    "outcome": "deviate",
    "reason": None,
    "error_class": "one digit",
    "not_reproduced": 0,
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
    "ended": "nothing found",
}


def of(*points: dict[str, object]) -> Breaking:
    (result,) = summed_up([asked("{}")]).results
    found_points = [convert({"outcome": "deviate", "repeat": 0} | point, BreakingPoint) for point in points]
    series = Series(0, "m", (0, "m", ""), {"breaking_point": replace(result, breaking_points=found_points)})
    (found,) = breaking_points([series])
    return found


def row(point: dict[str, object]) -> BreakingRow:
    (only,) = of(point).rows
    return only


def test_a_breaking_point_is_told() -> None:
    """Question, answers, class, and how many questions it took."""
    expected = BreakingRow("int_mul", None, True, "27 * 48", "1286", "1296", "one digit", "", [], "41")
    assert row(POINT) == expected


def test_what_makes_a_breaking_point_doubtful_is_told() -> None:
    """A spent budget leaves simpler questions untried."""
    assert row({**POINT, "ended": "budget"}).notes == ["maybe not the simplest"]


def test_errors_that_did_not_come_again_are_no_breaking_point() -> None:
    """A search that saw errors of chance alone says how many, and is not among those in which a model broke."""
    chance = {**NOTHING, "ended": "not reproduced", "not_reproduced": 5}
    (shown,) = of(chance).rows
    assert (shown.found, shown.ended, of(chance, POINT).broken) == (False, "not reproduced", 1)
    assert "5" in shown.notes[0]


def test_a_reply_without_an_answer_is_told() -> None:
    """A search that ended with no answer is told with the reason why there is none."""
    found = row({**POINT, "answer": None, "error_class": None, "reason": "refusal"})
    assert (found.answer, found.error) == ("", "refusal")


def test_nothing_found_is_told() -> None:
    """With the largest question that was right; where not even the first one was asked, that."""
    assert (row(NOTHING).found, row(NOTHING).question) == (False, "9 * 9")
    assert row({**NOTHING, "largest_right": None}).question == "its first question"


def test_repeats_are_told_apart() -> None:
    """Where searches were repeated, each says which one it is; its link leads to that trial alone."""
    assert [one.repeat for one in of({**POINT, "repeat": 0}, {**POINT, "repeat": 1}).rows] == [0, 1]
    assert [one.repeat for one in of({**POINT, "repeat": 0}, POINT).rows] == [None, None]


def test_a_repeat_leads_to_its_own_trial(page: Callable[..., str]) -> None:
    """The row says which one it is, and its address asks for that alone."""
    of = search_record(lambda of: "7")
    text = page(run_of([of | {"nodeid": f"test[{repeat}]", "repeat": repeat} for repeat in (0, 1)]))
    assert "task=breaking_point&amp;variant=int_add&amp;repeat=1" in text
    assert "<small>repeat 1</small>" in text
    assert "&amp;repeat=" not in page(run_of([of]))


def test_models_are_told_in_how_many_searches_they_broke() -> None:
    """The part counts the searches in which a model broke, among all that were made."""
    assert of(POINT, NOTHING, POINT).broken == 2


def test_hostile_words_are_made_harmless() -> None:
    """Whatever a merged record says stays on one line, without what a terminal would obey."""
    found = row({**POINT, "question": "\x1b[31m1 + 1", "answer": "9\n" * 300, "variant": "\u202e"})
    assert "\\x1b" in found.question
    assert "\n" not in found.answer
    assert len(found.answer) <= 80
    assert found.variant == "\\u202e"


def test_models_without_searches_have_no_part() -> None:
    """Models that made no search have no rows in the part about them."""
    assert breaking_points([Series(0, "m", (0, "m", ""), {})]) == []
