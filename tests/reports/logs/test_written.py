"""Records are found again in the run log by their node ids."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import Record, as_dict
from pytest_llmarith.reports.logs.runlog import RunLog
from pytest_llmarith.reports.logs.written import WrittenRecords
from tests.runs_on_disk import asked, record_of

TEXTS = st.text(st.characters(), max_size=20)


def records_in(path: Path) -> WrittenRecords:
    records = WrittenRecords()
    records.path = path
    return records


def _named(nodeid: str, text: str) -> Record:
    return record_of(asked(text) | {"nodeid": nodeid})


@given(st.lists(st.tuples(TEXTS, TEXTS)), st.booleans())
def test_the_last_record_of_a_node_id_is_found(
    tmp_path_factory: pytest.TempPathFactory, written: list[tuple[str, str]], torn: bool
) -> None:
    """The last record of a node id is found whatever stands before it, half a line included."""
    path = tmp_path_factory.mktemp("run") / "trials.jsonl"
    if torn:
        path.write_bytes(b'{"cut sho')
    records = records_in(path)
    with RunLog(path) as log:
        for nodeid, text in written:
            records.note(nodeid, log.append(as_dict(_named(nodeid, text))))
    expected = {nodeid: _named(nodeid, text) for nodeid, text in written}
    assert (dict(records), len(records)) == (expected, len(expected))


def test_what_could_not_be_written_is_kept(tmp_path: Path) -> None:
    """A full disk takes no record away from the report; a place that is noted afterwards counts."""
    records = records_in(tmp_path / "trials.jsonl")
    records.keep("a", _named("a", "kept"))
    assert ("a" in records, "b" in records, records["a"]) == (True, False, _named("a", "kept"))
    with RunLog(tmp_path / "trials.jsonl") as log:
        records.note("a", log.append(as_dict(_named("a", "written"))))
    assert records["a"] == _named("a", "written")


def test_no_record_stays_in_memory(tmp_path: Path) -> None:
    """What is kept of a record has the same size, whatever stands in it."""

    def kept(record: dict[str, Any]) -> int:
        path = tmp_path / "trials.jsonl"
        records = records_in(path)
        with RunLog(path) as log:
            place = log.append(record)
        records.note("a", place)
        (held,) = vars(records)["_places"].values()
        return sys.getsizeof(held)

    assert kept({}) == kept({"text": "x" * 100_000})
