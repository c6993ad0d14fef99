"""The part of the page that says what repeats of problems say together."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from pytest_llmarith.records import Repeats, convert
from pytest_llmarith.reports.page.repeats import PercentageCell, RepeatedTask, repeated_tasks
from pytest_llmarith.reports.page.runs import Series, series_of
from pytest_llmarith.values import Reply
from tests.reports.page.made_runs import problem, record, run_of, usual_records
from tests.runs_on_disk import asked, summed_up


def repeated(right: int, times: int, model: str = "o4-mini") -> list[dict[str, Any]]:
    """Three problems, each put so many times, of which the first ones are right."""
    return [
        record(of, Reply(text=of.expected if repeat < right else str(repeat)), model) | {"repeat": repeat}
        for of in (problem(trial=trial) for trial in range(3))
        for repeat in range(times)
    ]


def part(records: list[dict[str, Any]]) -> RepeatedTask:
    run = run_of(records)
    (found,) = repeated_tasks(series_of([run.name], [run.summary()]))
    return found


def test_repeats_are_told() -> None:
    """The part tells pass@1 and pass@k, the majority, and how often all repeats agree."""
    found = part(repeated(2, 3))
    (row,) = found.rows
    assert (found.task, row.label, row.k, row.problems) == ("arithmetic", "o4-mini", "3", "3")
    assert row.pass_at_k == "100.0"
    assert [one and one.text for one in (row.pass_at_1, row.majority, row.consistency)] == ["66.7", "100.0", "0.0"]
    assert row.majority is not None
    assert row.majority.interval == "43.9-100"


def test_one_problem_has_no_interval() -> None:
    """Nothing is known of others then: the share stands alone, and its bar is no wider than its mark."""
    repeats: dict[str, Any] = {
        "k": 2,
        "problems": 1,
        "consistency": None,
        "pass_at_1": {"percent": 50.0, "low": None, "high": None},
        "pass_at_k": None,
        "majority": None,
    }
    (result,) = summed_up([asked("{}")]).results
    series = Series(0, "m", (0, "m", ""), {"arithmetic": replace(result, repeats=convert(repeats, Repeats))})
    (found,) = repeated_tasks([series])
    (row,) = found.rows
    assert row.pass_at_1 == PercentageCell("50.0", "-", 50.0, 50.0, 50.0)
    assert (row.consistency, row.majority, row.pass_at_k) == (None, None, "-")


def test_problems_that_were_put_once_have_no_part() -> None:
    """A run that put every problem once, as most do, has no part about repeats."""
    run = run_of(usual_records())
    assert repeated_tasks(series_of([run.name], [run.summary()])) == []
