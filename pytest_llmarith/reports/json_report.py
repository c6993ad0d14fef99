"""pytest-json-report's report, enriched: every record under its test, the summary at the root.

It does not know the plugin that made the report, and changes none of that plugin's keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEY = "llmarith"


def extend_json_report(
    json_report: dict[str, Any], records_by_nodeid: Mapping[str, dict[str, Any]], summary: dict[str, Any]
) -> None:
    """Put the records and the summary in place; a test that is listed twice stays once, as it was last."""
    json_report[KEY] = summary
    if "tests" not in json_report:  # --json-report-summary leaves them out
        return
    tests = {test["nodeid"]: test for test in json_report["tests"]}
    for nodeid, test in tests.items():
        if nodeid in records_by_nodeid:
            test[KEY] = records_by_nodeid[nodeid]
    json_report["tests"] = list(tests.values())
