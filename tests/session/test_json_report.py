"""pytest-json-report's report with the records and the summary in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmarith.records import Record, as_dict
from pytest_llmarith.session.recorder import extend_json_report, json_pieces
from tests.runs_on_disk import asked, record_of, summed_up

RECORD, SUMMARY = record_of(asked('é\ud800 "}\n')), summed_up([asked("{}")])


def report_of(*nodeids: str) -> dict[str, Any]:
    tests = [{"nodeid": nodeid, "outcome": str(number)} for number, nodeid in enumerate(nodeids)]
    return {"created": 1.0, "summary": {"correct": len(nodeids)}, "tests": tests}


@pytest.mark.parametrize("report", [report_of(), report_of("a", "b", "a"), {"exitcode": 0}])
def test_records_are_under_their_tests_and_the_summary_at_the_root(report: dict[str, Any]) -> None:
    """A test that is listed twice stays once, as it was last. The file that is written piece by piece is the same."""
    before = json.loads(json.dumps(report))
    written = b"".join(json_pieces(report, {"a": RECORD}, SUMMARY))
    extend_json_report(report, {"a": RECORD}, SUMMARY)
    assert json.loads(written) == report
    assert written.isascii()
    assert report.pop("llmarith") == as_dict(SUMMARY)
    if before.get("tests"):
        kept = [{"nodeid": "a", "outcome": "2", "llmarith": as_dict(RECORD)}, {"nodeid": "b", "outcome": "1"}]
        assert report == before | {"tests": kept}
    else:
        assert report == before


def test_one_record_is_in_memory_at_a_time() -> None:
    read: list[str] = []

    class Records(dict[str, Record]):
        def get(self, nodeid: str, default: Any = None) -> Any:
            read.append(nodeid)
            return RECORD

    for count, _ in enumerate(json_pieces(report_of("a", "b", "c"), Records(), SUMMARY)):
        assert len(read) == min(count, 3)
