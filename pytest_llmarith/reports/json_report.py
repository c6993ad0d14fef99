"""pytest-json-report's report, enriched: every record under its test, the summary at the root.

It does not know the plugin that made the report, and changes none of that plugin's keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_llmarith.records import Record, RunSummary, as_dict
from pytest_llmarith.reports.jsonfiles import encode

KEY = "llmarith"
_TESTS = "tests"  # --json-report-summary leaves them out


def extend_json_report(
    json_report: dict[str, Any], records_by_nodeid: Mapping[str, Record], summary: RunSummary
) -> None:
    """Put the records and the summary in place; a test that is listed twice stays once, as it was last."""
    if _TESTS in json_report:
        json_report[_TESTS] = list(_enriched(json_report[_TESTS], records_by_nodeid))
    json_report[KEY] = as_dict(summary)


def json_pieces(
    json_report: Mapping[str, Any], records_by_nodeid: Mapping[str, Record], summary: RunSummary
) -> Iterator[bytes]:
    """The same as the text of a file, test by test: never are all records in memory."""
    head = encode({key: value for key, value in json_report.items() if key != _TESTS} | {KEY: as_dict(summary)})
    if _TESTS not in json_report:
        yield head + b"\n"
        return
    yield head.removesuffix(b"}") + b', "' + _TESTS.encode() + b'": ['
    between = b""
    for test in _enriched(json_report[_TESTS], records_by_nodeid):
        yield between + encode(test)
        between = b", "
    yield b"]}\n"


def _enriched(tests: list[dict[str, Any]], records_by_nodeid: Mapping[str, Record]) -> Iterator[dict[str, Any]]:
    for nodeid, test in {test["nodeid"]: test for test in tests}.items():
        record = records_by_nodeid.get(nodeid)
        yield test if record is None else test | {KEY: as_dict(record)}
