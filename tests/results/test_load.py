"""The runs that a user names: by folder, by log, as rows of llm_arithmetic, or as a folder of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial, reduce
from io import StringIO
from operator import getitem
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmarith.records import as_dict, unknown_run
from pytest_llmarith.results.export import Destination, Shape, export
from pytest_llmarith.results.files import UsageError
from pytest_llmarith.results.load import LoadedRun, load_runs
from pytest_llmarith.results.report import summary_section
from pytest_llmarith.types import Dtype, Op
from tests.runs_on_disk import FACTS, ROW, added, asked, lines_of, log_in, programmed, record_of, run_in


def only(path: Path) -> LoadedRun:
    """The one run that a path stands for."""
    (run,) = load_runs(path)
    return run


def test_a_run_by_its_folder_and_by_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its facts, its records, and the summary that it wrote itself."""
    folder = run_in(tmp_path / "run", records := [asked("{}"), asked("7", trial=1)])
    monkeypatch.chdir(folder)
    for path in (folder, folder / "trials.jsonl", Path(), Path("../run"), Path("trials.jsonl")):
        run = only(path)
        assert (run.name, os.path.realpath(run.path), run.unfinished) == ("run", str(folder.resolve()), "")
        assert run.facts is not None
        assert run.facts.id == FACTS["id"]
        assert list(run.records()) == list(run.records()) == list(map(record_of, records))
        assert as_dict(run.summary()) == json.loads((folder / "summary.json").read_text(encoding="ascii"))


def test_a_killed_run(tmp_path: Path) -> None:
    """It has no facts, and its date is that of its own replies. A log without a record is a run, too."""
    log_in(tmp_path / "a", [])
    log_in(tmp_path / "b", [asked("{}")], end='{"format": 1, "run')
    log_in(tmp_path / "c", [asked("{}", stored=True)])
    runs = load_runs(tmp_path)
    assert [run.summary().run for run in runs] == [unknown_run("a"), unknown_run("b"), unknown_run("c")]
    assert all("unfinished" in run.unfinished for run in runs)
    dates = [[(one.date, one.selected, one.measured) for one in run.summary().results] for run in runs]
    assert dates == [[], [("2026-11-22", None, 1)], [(None, None, 1)]]


@pytest.mark.parametrize("asked_at", ["\x1b[2J", "0001-01-01T00:00:00+14:00", None])
def test_what_is_no_date_dates_nothing(tmp_path: Path, asked_at: object) -> None:
    run = only(log_in(tmp_path, [asked("{}", asked_at=asked_at)]))
    assert run.summary().results[0].date is None


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["{}", "7", None])), max_size=12))
@settings(max_examples=40)
def test_one_record_per_trial(tmp_path_factory: pytest.TempPathFactory, trials: list[tuple[int, str | None]]) -> None:
    """The last one with an answer, else the last one, in the order of the log."""
    records = [asked(text, trial=trial) | {"prompt": str(place)} for place, (trial, text) in enumerate(trials)]
    expected: dict[str, dict[str, Any]] = {}
    for record in records:
        before = expected.get(record["nodeid"])
        if before is None or before["outcome"] == "unanswered" or record["outcome"] != "unanswered":
            expected[record["nodeid"]] = record
    run = only(log_in(tmp_path_factory.mktemp("run"), records))
    assert list(map(as_dict, run.records())) == sorted(expected.values(), key=lambda record: int(record["prompt"]))


def test_records_without_a_name_are_trials_of_their_own(tmp_path: Path) -> None:
    """Such as those that llmarith regrade writes of rows; two models may share the name of a test."""
    records = [asked("{}") | {"nodeid": None}] * 2 + [asked("{}"), asked("{}") | {"model": "gpt-4o"}]
    (file := tmp_path / "new.jsonl").write_text(lines_of(records), encoding="ascii")
    run = only(file)
    assert (run.name, run.path, len(list(run.records()))) == ("new.jsonl", file, 4)


def test_rows_of_llm_arithmetic(tmp_path: Path) -> None:
    """They are read and graded by today's rules; what was never answered is unanswered."""
    unanswered = {"raw_response": "", "failed_to_get_reply": True, "classification": "NaN"}
    rows = [ROW, ROW | {"raw_response": "578", "model": "gpt-4o"}, ROW | unanswered]
    (file := tmp_path / "gpt-4.1.jsonl").write_text(lines_of(rows) + '{"model": "gp', encoding="ascii")
    run = only(file)
    assert (run.name, run.path, run.facts, run.unfinished) == ("gpt-4.1.jsonl", file, None, "")
    assert [record.outcome for record in run.records()] == ["correct", "deviate", "unanswered"]
    results = [(one.model, one.measured, one.date) for one in run.summary().results]
    assert results == [("gpt-4.1", 1, "2025-05-12"), ("gpt-4o", 1, "2025-05-12")]


def test_a_folder_of_runs(tmp_path: Path) -> None:
    """Runs and files of llm_arithmetic, by name, three levels deep; what is no trial is passed over."""
    trials = [asked("{}")]
    run_in(tmp_path / "b", trials)
    log_in(tmp_path / "a" / "artifact" / "deep", trials)
    log_in(tmp_path / "a" / "artifact" / "too" / "deep", trials)
    log_in(tmp_path / ".hidden", trials)
    (tmp_path / "b" / "new.jsonl").write_text(lines_of(trials), encoding="ascii")  # in the folder of a run
    (tmp_path / "rows.jsonl").write_text(lines_of([ROW]), encoding="ascii")
    (tmp_path / "other-kind.jsonl").write_text('{"format": 1, "results": []}\n', encoding="ascii")
    (tmp_path / "other.jsonl").write_bytes(b"\xff\n")
    (tmp_path / "README.md").touch()
    assert [run.name for run in load_runs(tmp_path)] == ["rows.jsonl", "deep", "b"]


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    """One line says what is wrong, and what to name instead. A run that cannot be read is missed in its folder."""
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n', encoding="ascii")
    os.mkfifo(tmp_path / "pipe")
    for path, said in (
        (tmp_path, "no run in this folder; name a run's folder, its trials.jsonl, JSONL of llm_arithmetic"),
        (tmp_path / "x.jsonl", "neither the log of a run nor rows of llm_arithmetic; name a run's folder"),
        (tmp_path / "none", "cannot be read (No such file or directory)"),
        (tmp_path / "pipe", "not a regular file; name a trials.jsonl"),  # reading one would never end
    ):
        with pytest.raises(UsageError) as error:
            load_runs(path)
        assert f"{path}: {said}" in str(error.value)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "trials.jsonl").write_bytes(b"\xff\n")
    with pytest.raises(UsageError, match="not UTF-8"):
        load_runs(tmp_path)


@pytest.mark.parametrize(
    "facts", [{"models": "o4-mini"}, {"merged": {}}, {"started_at": "today"}, {"asking": {"requests": "many"}}]
)
def test_a_summary_of_another_shape_is_refused(tmp_path: Path, facts: dict[str, Any]) -> None:
    folder = run_in(tmp_path, [asked("{}")])
    told = json.loads((folder / "summary.json").read_text(encoding="ascii"))
    told["run"] |= facts
    (folder / "summary.json").write_text(json.dumps(told), encoding="ascii")
    with pytest.raises(UsageError, match="expected the summary of a run"):
        _ = only(folder).facts


def test_some_records_alone(tmp_path: Path) -> None:
    """How many of them there should have been is unknown."""
    run = only(run_in(tmp_path, [asked("{}"), asked("7", trial=1)]))
    wrong = run.filtered(lambda record: record.outcome == "deviate")
    assert [record.outcome for record in wrong.records()] == ["deviate"]
    (result,) = wrong.summary().results
    assert (result.measured, result.selected, run.summary().results[0].selected) == (1, None, 2)


def places(value: object, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a record, at any depth."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inside:
        yield (*above, key)
        yield from places(below, (*above, key))


WHOLE = (asked("{}"), asked("712", depth=5), asked("7.5", dtype=Dtype.FLOAT, op=Op.DIV), added("12"), programmed("A1"))
ODD: tuple[Any, ...] = (None, 7, -1, True, "x", "NaN", "1e999999999", "9" * 5_000, [], {}, ["a"], {"a": 1}, 1e400)


@given(record=st.sampled_from([*WHOLE, ROW]), draw=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
def test_a_line_may_hold_anything(tmp_path_factory: pytest.TempPathFactory, record: Any, draw: st.DataObject) -> None:
    """Another machine may have written it: it is counted, shown and exported, or named in one line."""
    changed = deepcopy(record)
    *above, key = draw.draw(st.sampled_from(list(places(record))))
    place = reduce(getitem, above, changed)
    if draw.draw(st.booleans()):
        place[key] = draw.draw(st.sampled_from(ODD))
    else:
        del place[key]
    folder = log_in(tmp_path_factory.mktemp("run"), [changed]).parent
    uses: list[Callable[[], object]] = [lambda: summary_section(only(folder).summary(), 100)]
    uses += [partial(export, load_runs(folder), shape, Destination(StringIO())) for shape in get_args(Shape)]
    for use in uses:
        assert error_of(use).isprintable()


def error_of(use: Callable[[], object]) -> str:
    try:
        use()
    except UsageError as error:
        return str(error)
    return ""
