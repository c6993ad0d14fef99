"""The run log: what `append` returned from is there, whatever happens next."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.logs.lines import is_torn, lines
from pytest_llmarith.reports.logs.runlog import RunLog

SMALL = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
RECORDS = st.lists(st.dictionaries(st.text(), SMALL | st.lists(SMALL)))

ENDLESS_WRITER = """
import sys
from itertools import count
from pathlib import Path
from pytest_llmarith.reports.logs.runlog import RunLog
log = RunLog(Path(sys.argv[1]))
for number in count():
    log.append({"number": number, "text": "x" * 5000})
    print(number, flush=True)
"""


def records_in(path: Path) -> list[dict[str, Any]]:
    """What whoever reads a log finds in it."""
    return [json.loads(line) for _, line in lines(path) if not is_torn(line)]


@given(RECORDS)
def test_records_come_back_in_order(tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]) -> None:
    """A log gives back the records that were appended, in their order."""
    path = tmp_path_factory.mktemp("run") / "trials.jsonl"
    with RunLog(path) as log:
        for record in records:
            log.append(record)
    assert records_in(path) == records


def test_a_record_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    """Nothing waits in a buffer for the log to be closed."""
    log = RunLog(tmp_path / "trials.jsonl")
    log.append({"a": 1})
    assert records_in(tmp_path / "trials.jsonl") == [{"a": 1}]
    log.close()
    log.close()


def test_a_kill_loses_nothing_that_was_appended(tmp_path: Path) -> None:
    """A process that is killed while it writes leaves all records that it was told are written."""
    path = tmp_path / "trials.jsonl"
    writer = subprocess.Popen([sys.executable, "-c", ENDLESS_WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for _ in range(200):
        writer.stdout.readline()
    writer.kill()
    told = 200 + len(writer.communicate()[0].splitlines())
    numbers = [record["number"] for record in records_in(path)]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= told


@pytest.mark.parametrize("torn", ['{"a": 2', "{", '{"a": "\\', '{"a": {"b": 1}'])
def test_a_torn_last_line_is_left_out(tmp_path: Path, torn: str) -> None:
    """What a kill cut off is no record, and no error."""
    path = tmp_path / "log"
    path.write_text(f'{{"a": 1}}\n{torn}', encoding="ascii")
    assert records_in(path) == [{"a": 1}]


@pytest.mark.parametrize("content", [b'{"a": 1}\n', b'\n{"a": 1}\n\n', b'{"a": 1}\r\n', b'\xef\xbb\xbf{"a": 1}\n'])
def test_ends_and_blank_lines_do_not_matter(tmp_path: Path, content: bytes) -> None:
    """A log that an editor has been at is still read."""
    path = tmp_path / "log"
    path.write_bytes(content)
    assert records_in(path) == [{"a": 1}]


def test_appending_after_a_torn_line_starts_a_new_one(tmp_path: Path) -> None:
    """The torn line stays, closed with a mark, and readers pass over it."""
    path = tmp_path / "log"
    path.write_bytes(b'{"a": 1}\n{"a": 2')
    with RunLog(path) as log:
        log.append({"a": 3})
        log.append({"a": 4})
    assert path.read_bytes() == b'{"a": 1}\n{"a": 2\x18\n{"a": 3}\n{"a": 4}\n'
    assert records_in(path) == [{"a": 1}, {"a": 3}, {"a": 4}]


def test_a_write_that_failed_does_not_spoil_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a full disk the next record starts on a line of its own."""
    path = tmp_path / "log"
    log = RunLog(path)

    def full(*args: Any) -> None:
        path.write_bytes(b'{"a": "to')
        raise OSError("no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("pytest_llmarith.reports.jsonfiles.write_line", full)
        with pytest.raises(OSError, match="no space left"):
            log.append({"a": "torn"})
    log.append({"a": 2})
    log.close()
    assert records_in(path) == [{"a": 2}]
