"""The part of the page that says what conditions do, and the filters that tell conditions and repeats apart."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest

from pytest_llmarith.reports.page import RunAtHand
from pytest_llmarith.reports.page.browser import browser
from pytest_llmarith.reports.page.conditions import Conditions, conditions
from pytest_llmarith.reports.page.runs import series_of
from pytest_llmarith.values import USUAL, Failure, Reply
from tests.reports.page.made_runs import COMMA, problem, record, run_of, usual_records


def put(right: int, of: int, condition: dict[str, Any] | None, repeat: int = 0) -> list[dict[str, Any]]:
    """Sums in a condition, so many of them right: the first ones."""
    how = {"condition": condition or USUAL.fields(), "repeat": repeat, "prompt": f"put as {condition}"}
    return [
        record(one, Reply(text=one.expected if number < right else "1")) | how
        for number in range(of)
        for one in [problem(depth=2, trial=number % 3) if number < 3 else problem(depth=number)]
    ]


def found(*runs: RunAtHand) -> Conditions | None:
    summaries = [run.summary() for run in runs]
    return conditions(series_of([run.name for run in runs], summaries), summaries)


@pytest.mark.parametrize(
    ("usual", "comma", "way", "points"),
    [(20, 0, "worse", "-100.0"), (0, 20, "better", "+100.0"), (10, 11, "unclear", "+5.0")],
)
def test_a_difference_has_its_side_and_its_colour(usual: int, comma: int, way: str, points: str) -> None:
    """Colour is for what is more than chance; the mark is left of none where it is worse, and within its interval."""
    part = found(run_of([*put(usual, 20, None), *put(comma, 20, COMMA)]))
    assert part is not None
    (row,) = part.rows
    assert (row.condition, row.label, row.beside) == ("numbers_comma", "o4-mini, numbers_comma", "o4-mini")
    assert (row.way, row.points, row.problems) == (way, points, "20")
    assert (row.at < 50) == (usual > comma)
    assert 0 <= row.low <= row.at <= row.high <= 100


def test_all_differences_stand_on_one_scale() -> None:
    """The smallest that holds the widest interval of all runs, each of which names its own models."""
    narrow, wide = ([*put(20, 20, None), *put(20 - less, 20, COMMA)] for less in (0, 15))
    alone, both = found(run_of(narrow, "a")), found(run_of(narrow, "a"), run_of(wide, "b"))
    assert alone is not None
    assert both is not None
    assert (alone.reach, both.reach) == (20, 100)
    assert [row.beside for row in both.rows] == ["o4-mini, a", "o4-mini, b"]


def test_a_page_without_conditions_has_no_such_part(page: Any) -> None:
    """Neither the part nor its link, nor filters in which there is nothing to choose."""
    text = page(run_of(usual_records()))
    assert found(run_of(usual_records())) is None
    assert not any(name in text for name in ('id="conditions"', 'id="repeats"', "#conditions", "#repeats"))
    assert not any(f'<select name="{name}"' in text for name in ("condition", "repeat", "task"))


def test_trials_are_filtered_by_condition_and_repeat() -> None:
    """Where a run has several conditions or repeats, each of them is a filter of its trials."""
    run = run_of([*put(2, 3, None), *put(2, 3, COMMA), *put(2, 3, COMMA, repeat=1)])
    shown = browser([run], series_of([run.name], [run.summary()]))
    choices = {choice.name: choice.words for choice in shown.choices}
    assert choices["condition"] == ["usual", "numbers_comma"]
    assert choices["repeat"] == [0, 1]
    columns = json.loads(gzip.decompress(base64.b64decode(shown.index)))["columns"]
    assert (columns["condition"], columns["repeat"]) == ([0] * 3 + [1] * 6, [0] * 6 + [1] * 3)


def test_a_condition_without_replies_is_no_obstacle(page: Any) -> None:
    """An outage may come between two conditions: nothing can be compared, and the page says nothing of it."""
    outage = [record(problem(trial=trial), Failure("no reply")) | {"condition": COMMA} for trial in range(3)]
    assert 'id="conditions"' not in page(run_of([*put(3, 3, None), *outage]))
