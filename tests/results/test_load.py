"""The runs that a user names: by folder, by log, as rows of llm_arithmetic, or as a
folder of them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.records import as_dict
from pytest_llmarith.results.load import LoadedRun, load_runs
from pytest_llmarith.results.loaded import load_all_runs
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.summaries import LogFacts, as_file, unknown_run
from tests.runs_on_disk import FACTS, ROW, asked, lines_of, log_in, record_of, run_in
from tests.runs_on_disk import said as prompt_of


def only(path: Path) -> LoadedRun:
    """The one run that a path stands for."""
    (run,) = load_runs(path)
    return run


def test_a_run_by_its_folder_and_by_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its facts, its records, and the summary that it wrote itself."""
    folder = run_in(tmp_path / "run", records := [asked("{}"), asked("7", trial=1)])
    monkeypatch.chdir(folder)
    for path in (
        folder,
        folder / "trials.jsonl",
        Path(),
        Path("../run"),
        Path("trials.jsonl"),
    ):
        run = only(path)
        assert (run.name, os.path.realpath(run.path), run.unfinished) == (
            "run",
            str(folder.resolve()),
            "",
        )
        assert run.facts is not None
        assert run.facts.id == FACTS["id"]
        assert (
            list(run.records()) == list(run.records()) == list(map(record_of, records))
        )
        assert json.loads(json.dumps(as_file(run.summary()))) == json.loads(
            (folder / "summary.json").read_text(encoding="ascii")
        )


def test_a_killed_run(tmp_path: Path) -> None:
    """It has no facts, and its date is that of its own replies.

    A log without a record is a run, too.
    """
    log_in(tmp_path / "a", [])
    log_in(tmp_path / "b", [asked("{}")], end='{"format": 1, "run')
    log_in(tmp_path / "c", [asked("{}", stored=True)])
    runs = load_runs(tmp_path)
    assert [run.summary().run for run in runs] == [
        unknown_run("a"),
        unknown_run("b"),
        unknown_run("c"),
    ]
    assert all("unfinished" in run.unfinished for run in runs)
    dates = [
        [
            (one.facts.date, one.facts.selected, one.count("measured"))
            for one in run.summary().results
        ]
        for run in runs
    ]
    assert dates == [[], [("2026-11-22", None, 1)], [(None, None, 1)]]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["{}", "7", None])), max_size=12
    )
)
@settings(max_examples=40)
def test_one_record_per_trial(
    tmp_path_factory: pytest.TempPathFactory, trials: list[tuple[int, str | None]]
) -> None:
    """The last one with an answer, else the last one, in the order of the log."""
    records = [
        asked(text, trial=trial) | {"prompt": prompt_of(str(place))}
        for place, (trial, text) in enumerate(trials)
    ]
    expected: dict[str, dict[str, Any]] = {}
    for record in records:
        before = expected.get(record["nodeid"])
        if (
            before is None
            or before["outcome"] == "unanswered"
            or record["outcome"] != "unanswered"
        ):
            expected[record["nodeid"]] = record
    run = only(log_in(tmp_path_factory.mktemp("run"), records))
    assert list(map(as_dict, run.records())) == sorted(
        expected.values(), key=lambda record: int(record["prompt"][0]["content"])
    )


def test_rows_of_llm_arithmetic(tmp_path: Path) -> None:
    """They are read and graded by today's rules; what was never answered is
    unanswered.
    """
    unanswered = {
        "raw_response": "",
        "failed_to_get_reply": True,
        "classification": "NaN",
    }
    rows = [ROW, ROW | {"raw_response": "578", "model": "gpt-4o"}, ROW | unanswered]
    (file := tmp_path / "gpt-4.1.jsonl").write_text(
        lines_of(rows) + '{"model": "gp', encoding="ascii"
    )
    run = only(file)
    assert (run.name, run.path, run.facts, run.unfinished) == (
        "gpt-4.1.jsonl",
        file,
        None,
        "",
    )
    assert [record.outcome for record in run.records()] == [
        "correct",
        "deviate",
        "unanswered",
    ]
    results = [
        (one.model, one.count("measured"), one.facts.date)
        for one in run.summary().results
    ]
    assert results == [("gpt-4.1", 1, "2025-05-12"), ("gpt-4o", 1, "2025-05-12")]


def test_a_folder_of_runs(tmp_path: Path) -> None:
    """Runs and files of llm_arithmetic, by name, three levels deep; what is no trial is
    passed over.
    """
    trials = [asked("{}")]
    run_in(tmp_path / "b", trials)
    log_in(tmp_path / "a" / "artifact" / "deep", trials)
    log_in(tmp_path / "a" / "artifact" / "too" / "deep", trials)
    log_in(tmp_path / ".hidden", trials)
    (tmp_path / "b" / "new.jsonl").write_text(
        lines_of(trials), encoding="ascii"
    )  # in the folder of a run
    (tmp_path / "rows.jsonl").write_text(lines_of([ROW]), encoding="ascii")
    (tmp_path / "other-kind.jsonl").write_text(
        '{"format": 1, "results": []}\n', encoding="ascii"
    )
    (tmp_path / "other.jsonl").write_bytes(b"\xff\n")
    (tmp_path / "README.md").touch()
    assert [run.name for run in load_runs(tmp_path)] == ["rows.jsonl", "deep", "b"]


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    """One line says what is wrong, and what to name instead.

    A run that cannot be read is missed in its folder.
    """
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n', encoding="ascii")
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b" / "pipe")  # reading it would never end
    for path, said in (
        (
            tmp_path,
            "no run in this folder; name a run's folder, its trials.jsonl, JSONL of llm_arithmetic",
        ),
        (
            tmp_path / "x.jsonl",
            "no log that can be read; name a run's folder",
        ),
        (tmp_path / "none", "cannot be read (No such file or directory)"),
        (tmp_path / "b" / "pipe", "not a regular file; name a trials.jsonl"),
    ):
        with pytest.raises(UsageError) as error:
            load_runs(path)
        assert f"{path}: {said}" in str(error.value)
    (tmp_path / "b" / "trials.jsonl").write_bytes(b"\xff\n")
    with pytest.raises(UsageError, match="not UTF-8"):
        load_runs(tmp_path)


def test_a_log_that_was_changed_is_counted_anew(tmp_path: Path) -> None:
    """A newer copy with the same bytes is not; a note says what was. A checkout or an
    archive may give both files one time.
    """
    folder = run_in(tmp_path / "run", [asked("{}"), asked("7", trial=1)])
    log, summary = folder / "trials.jsonl", folder / "summary.json"
    whole = json.loads(summary.read_bytes())
    whole["log"], whole["answered"] = as_dict(LogFacts.of(log)), 100
    summary.write_text(json.dumps(whole), encoding="ascii")
    before = log.read_bytes()
    for later, written, answered in (
        (-9, before, 100),
        (9, before, 100),
        (9, before.replace(b"o4-mini", b"o4-maxi"), 2),
        (0, before.replace(b"o4-mini", b"o4-maxi"), 2),
        (-9, before + before.splitlines(keepends=True)[0], 2),
    ):
        log.write_bytes(written)
        moment = summary.stat().st_mtime_ns + later * 10**9
        os.utime(log, ns=(moment, moment))
        notes: list[str] = []
        (run,) = load_all_runs([folder], notes.append)
        assert run.summary().answered == answered
        assert len(notes) == (answered == 2)
