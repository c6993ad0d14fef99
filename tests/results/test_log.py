"""The folder of a run and its log: names, what a kill leaves, what is read back, and
the JSON report.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import Record, as_dict, encode
from pytest_llmarith.results.log import records_in
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.results.run_files import encode as as_json
from pytest_llmarith.session.recorder import (
    RunLog,
    UnwritableFolder,
    WrittenRecords,
    create_run_folder,
    with_records,
)
from pytest_llmarith.summaries import as_file
from pytest_llmarith.types import Shard
from tests.runs_on_disk import asked, lines_of, log_in, record_of, summed_up

STARTED = datetime(2026, 11, 22, 0, 31, 5, tzinfo=UTC)
STAMP = "2026-11-22T00-31-05"
ENDLESS_WRITER = """
import json
import sys
from itertools import count
from pathlib import Path
from pytest_llmarith.session.recorder import RunLog
log = RunLog(Path(sys.argv[1]))
for number in count():
    log.append(json.dumps({"number": number, "text": "x" * 5}))
    print(number, flush=True)
"""
FULL_DISK = """
import resource, sys
from pathlib import Path
from pytest_llmarith.session.recorder import RunLog
log = RunLog(Path(sys.argv[1]))
log.append('{"a": 1}')
resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))
try:
    log.append('{"a": "' + "x" * 100 + '"}')
except OSError:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    log.append('{"a": 3}')
"""
FIRST = asked("{}")
SECOND = asked("7", trial=1)


@pytest.mark.parametrize(
    ("models", "name"),
    [
        (["o4-mini"], "o4-mini"),
        (["openai/gpt-4o"], "openai-gpt-4o"),
        (["a", "b", "c"], "3-models"),
        ([], "0-models"),
        ([""], "unnamed"),
        (["../../etc/passwd"], "etc-passwd"),
        (["a\x1b[31m\n\0b"], "a-31m-b"),
        (["ends with a dot. "], "ends-with-a-dot"),
        (["模型"], "unnamed"),
        (["m" * 300], "m" * 60),
    ],
)
def test_folders_have_safe_names(tmp_path: Path, models: list[str], name: str) -> None:
    """The time in UTC and the model; runs of the same second are numbered."""
    tokyo = STARTED.astimezone(timezone(timedelta(hours=9)))
    names = [create_run_folder(tmp_path, tokyo, models).name for _ in range(3)]
    assert names == [f"{STAMP}_{name}", f"{STAMP}_{name}-2", f"{STAMP}_{name}-3"]
    assert (
        create_run_folder(tmp_path, STARTED, ["m"], Shard(2, 5)).name
        == f"{STAMP}_m_shard-2-of-5"
    )


@pytest.mark.parametrize(
    ("base", "why"),
    [
        ("file", "a file is in the way"),
        ("file/reports", "in the way"),
        ("a\0b", "null"),
    ],
)
def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, base: str, why: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnwritableFolder, match=why) as caught:
        create_run_folder(tmp_path / base, STARTED, ["m"])
    assert "\n" not in str(caught.value)


def test_a_kill_loses_nothing_that_was_appended(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    writer = subprocess.Popen(
        [sys.executable, "-c", ENDLESS_WRITER, str(path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    for _ in range(200):
        writer.stdout.readline()
    writer.kill()
    told = 200 + len(writer.communicate()[0].splitlines())
    lines = path.read_text().split("\n")[:-1]
    assert [json.loads(line)["number"] for line in lines] == list(range(len(lines)))
    assert len(lines) >= told


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
def test_a_write_that_failed_does_not_spoil_the_next(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path / "log")], check=True)
    first, torn, last = (tmp_path / "log").read_bytes().splitlines()
    assert (first, torn[-1:], last) == (b'{"a": 1}', b"\x18", b'{"a": 3}')


@pytest.mark.parametrize(
    "content",
    [
        "{0}{1}",
        '{0}{1}{{"format": 1, "ru',  # a kill
        '{0}{{"format": 1, "ru\x18\n{1}{{',  # a kill, and another one
        "\ufeff\n{0}\n\n{1}",  # an editor
    ],
)
def test_records_are_read(tmp_path: Path, content: str) -> None:
    text = content.format(lines_of([FIRST]), lines_of([SECOND]))
    (path := tmp_path / "log").write_text(text, encoding="utf-8")
    assert list(records_in(path)) == [record_of(FIRST), record_of(SECOND)]


def test_lines_that_are_no_records_are_named(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for content, why in (
        (b'"' + b"x" * 2**24 + b'"\n', "line 1: longer than 16,777,216"),
        (b"\xff\n", "not UTF-8"),
    ):
        path.write_bytes(content)
        with pytest.raises(UsageError, match=why):
            list(records_in(path))


def named(nodeid: str, text: str) -> Record:
    return record_of(asked(text) | {"nodeid": nodeid})


@given(st.lists(st.tuples(st.text(max_size=9), st.text(st.characters(), max_size=20))))
def test_records_are_found_by_node_id(
    tmp_path_factory: pytest.TempPathFactory, written: list[tuple[str, str]]
) -> None:
    """The last one of a node id, written or kept in memory because it could not be
    written.
    """
    records = WrittenRecords()
    records.path = tmp_path_factory.mktemp("run") / "trials.jsonl"
    log = RunLog(records.path)
    for number, (nodeid, text) in enumerate(written):
        record = named(nodeid, text)
        records[nodeid] = log.append(encode(record)) if number % 3 else record
    log.close()
    expected = {nodeid: named(nodeid, text) for nodeid, text in written}
    assert (dict(records), len(records), "none of these" in records) == (
        expected,
        len(expected),
        False,
    )


@pytest.mark.parametrize("nodeids", [None, "", "ab", "aba"])
def test_the_json_report_has_records_and_summary(nodeids: str | None) -> None:
    """A test that is listed twice stays once, as it was last."""
    report: dict[str, Any] = {"created": 1.0}
    if nodeids is not None:
        report["tests"] = [
            {"nodeid": nodeid, "outcome": place} for place, nodeid in enumerate(nodeids)
        ]
    record, summary = record_of(asked('é\ud800 "}\n')), summed_up([FIRST])
    written = as_json(as_file(summary))
    pieces = with_records(report, WrittenRecords({"a": record}), written)
    extended = json.loads(b"".join(pieces))
    assert extended["created"] == 1.0
    assert extended["llmarith"] == json.loads(written)
    assert [test.get("llmarith") for test in extended.get("tests", ())] == [
        as_dict(record) if nodeid == "a" else None
        for nodeid in dict.fromkeys(nodeids or "")
    ]
    if nodeids == "aba":
        assert [(test["nodeid"], test["outcome"]) for test in extended["tests"]] == [
            ("a", 2),
            ("b", 1),
        ]


def test_a_wrong_trial_whose_answer_resembles_a_correct_one_is_read(
    tmp_path: Path,
) -> None:
    """Of correct trials only the first ones are."""
    wrong = asked("7", trial=2) | {
        "task": "proofs",
        "answer": {"errors": [], "outcome": "correct", "reason": "all fits"},
        "grade": {"score": 0.0, "scores": {}, "details": None},
    }
    right = [asked("{}", trial=trial) for trial in range(2)]
    log = log_in(tmp_path, [*right, wrong])
    read = list(records_in(log, most_right=1))
    assert read == [record_of(right[0]), record_of(wrong)]
