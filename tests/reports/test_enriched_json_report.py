"""pytest-json-report's report with our records in it."""

from __future__ import annotations

from typing import Any

from pytest_llmarith.reports.json_report import extend_json_report


def report_of(*nodeids: str) -> dict[str, Any]:
    return {
        "created": 1.0,
        "exitcode": 0,
        "summary": {"correct": len(nodeids)},
        "tests": [{"nodeid": nodeid, "outcome": "correct", "call": {"outcome": "passed"}} for nodeid in nodeids],
    }


def test_records_stand_under_their_tests() -> None:
    """Every record is put under its test, the summary at the root; a test without a record stays bare."""
    report = report_of("a", "b")
    extend_json_report(report, {"a": {"outcome": "correct"}}, {"format": 1})
    assert report["llmarith"] == {"format": 1}
    assert [test.get("llmarith") for test in report["tests"]] == [{"outcome": "correct"}, None]


def test_the_other_keys_are_left_alone() -> None:
    """What pytest-json-report wrote is still there, as it was."""
    report, before = report_of("a"), report_of("a")
    extend_json_report(report, {"a": {}}, {})
    del report["llmarith"], report["tests"][0]["llmarith"]
    assert report == before


def test_a_test_that_is_listed_twice_stands_once() -> None:
    """A second line of the same test replaces the first, in its place."""
    report = report_of("a", "b", "a")
    report["tests"][2]["outcome"] = "deviate"
    extend_json_report(report, {"a": {}}, {})
    assert [(test["nodeid"], test["outcome"]) for test in report["tests"]] == [("a", "deviate"), ("b", "correct")]


def test_a_report_without_tests_gets_the_summary() -> None:
    """--json-report-summary leaves the tests out; the records stay in the run log."""
    report: dict[str, Any] = {"exitcode": 0}
    extend_json_report(report, {"a": {}}, {"format": 1})
    assert report == {"exitcode": 0, "llmarith": {"format": 1}}


def test_a_hundred_thousand_tests() -> None:
    """Many tests are no trouble: each is looked up, none is searched for."""
    nodeids = [f"test[{number}]" for number in range(100_000)]
    report = report_of(*nodeids)
    extend_json_report(report, {nodeid: {"nodeid": nodeid} for nodeid in nodeids}, {})
    assert all(test["llmarith"]["nodeid"] == test["nodeid"] for test in report["tests"])
