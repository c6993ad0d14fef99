"""pytest-json-report's report with our records in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmarith.records import Record, as_dict
from pytest_llmarith.reports.json_report import extend_json_report, json_pieces
from tests.runs_on_disk import asked, record_of, summed_up

RECORD, SUMMARY = record_of(asked("{}")), summed_up([asked("{}")])


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
    extend_json_report(report, {"a": RECORD}, SUMMARY)
    assert report["llmarith"] == as_dict(SUMMARY)
    assert [test.get("llmarith") for test in report["tests"]] == [as_dict(RECORD), None]


def test_the_other_keys_are_left_alone() -> None:
    """What pytest-json-report wrote is still there, as it was."""
    report, before = report_of("a"), report_of("a")
    extend_json_report(report, {"a": RECORD}, SUMMARY)
    del report["llmarith"], report["tests"][0]["llmarith"]
    assert report == before


def test_a_test_that_is_listed_twice_stands_once() -> None:
    """A second line of the same test replaces the first, in its place."""
    report = report_of("a", "b", "a")
    report["tests"][2]["outcome"] = "deviate"
    extend_json_report(report, {"a": RECORD}, SUMMARY)
    assert [(test["nodeid"], test["outcome"]) for test in report["tests"]] == [("a", "deviate"), ("b", "correct")]


def test_a_report_without_tests_gets_the_summary() -> None:
    """--json-report-summary leaves the tests out; the records stay in the run log."""
    report: dict[str, Any] = {"exitcode": 0}
    extend_json_report(report, {"a": RECORD}, SUMMARY)
    assert report == {"exitcode": 0, "llmarith": as_dict(SUMMARY)}


@pytest.mark.parametrize("nodeids", [(), ("a",), ("a", "b", "a")])
def test_piece_by_piece_it_is_the_same(nodeids: tuple[str, ...]) -> None:
    """The file that is written test by test holds what the report in memory holds."""
    report, records = report_of(*nodeids), {"a": record_of(asked('é\ud800 "}\n'))}
    written = b"".join(json_pieces(report, records, SUMMARY))
    extend_json_report(report, records, SUMMARY)
    assert json.loads(written) == report
    assert written.isascii()


def test_pieces_of_a_report_without_tests() -> None:
    """A report of pytest-json-report that lists no tests gets the summary all the same."""
    assert json.loads(b"".join(json_pieces({"exitcode": 0}, {"a": RECORD}, SUMMARY))) == {
        "exitcode": 0,
        "llmarith": as_dict(SUMMARY),
    }


def test_pieces_hold_one_record_at_a_time() -> None:
    """A record is read when its test is written, and not before."""
    read: list[str] = []

    class Records(dict[str, Record]):
        def get(self, nodeid: str, default: Any = None) -> Any:
            read.append(nodeid)
            return RECORD

    for count, piece in enumerate(json_pieces(report_of("a", "b", "c"), Records(), SUMMARY)):
        assert len(read) == min(count, 3)
        assert count in (0, 4) or b'"llmarith": {"format"' in piece
