"""Whatever somebody names as a run is read the same way: runs of ours, rows of llm_arithmetic, folders of both."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial, reduce
from io import StringIO
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmarith.records import as_dict, unknown_run
from pytest_llmarith.reports.exporting import Request, Shape, export
from pytest_llmarith.reports.logs.stored import changes
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.reports.opening import OpenedRun, opened
from pytest_llmarith.reports.tables.terminal import summary_section
from pytest_llmarith.values import Dtype, Op
from tests.runs_on_disk import FACTS, ROW, added, asked, lines_of, log_in, programmed, record_of, run_in

Make = Callable[..., dict[str, Any]]

TRANSCRIPTS = Path(__file__).parents[4] / "shared" / "transcripts"


def only(path: Path) -> OpenedRun:
    """The one run that a path stands for."""
    (run,) = opened(path)
    return run


@pytest.fixture
def trial(make_record: Make) -> Make:
    """A factory of records with names of their own."""

    def made(number: int, outcome: str = "correct", **named: Any) -> dict[str, Any]:
        return make_record(outcome, nodeid=f"test_bench.py::test_arithmetic[{number}]", **named)

    return made


def test_a_run_by_its_folder_and_by_its_log(tmp_path: Path, trial: Make) -> None:
    """Both name the same: its facts, its records, and the summary that it wrote itself."""
    folder = run_in(tmp_path / "run", records := [trial(1), trial(2, "deviate")])
    for path in (folder, folder / "trials.jsonl"):
        run = only(path)
        assert (run.name, run.path, run.facts and run.facts.id) == ("run", folder, FACTS["id"])
        assert list(run.records()) == list(run.records()) == list(map(record_of, records))
        assert as_dict(run.summary()) == json.loads((folder / "summary.json").read_text(encoding="ascii"))


def test_a_killed_run(tmp_path: Path, trial: Make) -> None:
    """It has no facts, and everything that was written: a torn line is passed over. Its date is that of its replies."""
    run = only(log_in(tmp_path / "run", [trial(1)], end='{"format": 1, "run'))
    assert (run.facts, [record.outcome for record in run.records()]) == (None, ["correct"])
    assert run.summary().run == unknown_run("run")
    (result,) = run.summary().results
    assert (result.date, result.selected, result.measured) == ("2026-11-22", None, 1)


def test_a_run_that_was_killed_at_once(tmp_path: Path) -> None:
    """A log without a record is a run, one without results."""
    run = only(log_in(tmp_path, []))
    assert (list(run.records()), run.summary().results) == ([], [])


def test_stored_replies_do_not_date_a_run(tmp_path: Path, trial: Make, make_reply: Make) -> None:
    """Stored replies do not date a run, as another one asked for them."""
    run = only(log_in(tmp_path, [trial(1, reply=make_reply(stored=True))]))
    assert run.summary().results[0].date is None


@pytest.mark.parametrize("asked_at", ["\x1b[2J", "0001-01-01T00:00:00+14:00", None])
def test_a_date_is_a_date(tmp_path: Path, trial: Make, make_reply: Make, asked_at: object) -> None:
    """What is no date dates nothing, and is shown to nobody."""
    run = only(log_in(tmp_path, [trial(1, reply=make_reply(asked_at=asked_at))]))
    assert run.summary().results[0].date is None


@given(
    outcomes=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["correct", "deviate", "unanswered"])), max_size=12)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_one_record_per_trial(tmp_path_factory: pytest.TempPathFactory, trial: Make, outcomes: list[Any]) -> None:
    """The last one with an answer, else the last one; in the order in which they stand."""
    records = [trial(number, outcome, prompt=str(place)) for place, (number, outcome) in enumerate(outcomes)]
    expected: dict[str, dict[str, Any]] = {}
    for record in records:
        before = expected.get(record["nodeid"])
        if before is None or before["outcome"] == "unanswered" or record["outcome"] != "unanswered":
            expected[record["nodeid"]] = record
    run = only(log_in(tmp_path_factory.mktemp("run"), records))
    assert list(map(as_dict, run.records())) == sorted(expected.values(), key=lambda record: int(record["prompt"]))


def test_records_without_a_name_are_trials_of_their_own(tmp_path: Path, trial: Make) -> None:
    """As those that llmarith regrade writes of rows of llm_arithmetic; two models may share a name of a test."""
    unnamed = [trial(1) | {"nodeid": None}] * 2
    (file := tmp_path / "new.jsonl").write_text(
        lines_of([*unnamed, trial(1), trial(1, model="gpt-4o")]), encoding="ascii"
    )
    run = only(file)
    assert (run.name, run.path, len(list(run.records()))) == ("new.jsonl", file, 4)


def test_rows_of_llm_arithmetic(tmp_path: Path) -> None:
    """They are read and graded by our rules, whatever they say themselves; what was never answered is unanswered."""
    rows = [
        ROW,
        ROW | {"raw_response": "578", "model": "gpt-4o"},
        ROW | {"raw_response": "", "failed_to_get_reply": True, "classification": "NaN"},
    ]
    (file := tmp_path / "gpt-4.1.jsonl").write_text(lines_of(rows) + '{"model": "gp', encoding="ascii")
    run = only(file)
    assert (run.name, run.path, run.facts) == ("gpt-4.1.jsonl", file, None)
    assert [record.outcome for record in run.records()] == ["correct", "deviate", "unanswered"]
    results = run.summary().results
    assert [(one.model, one.measured, one.date) for one in results] == [
        ("gpt-4.1", 1, "2025-05-12"),
        ("gpt-4o", 1, "2025-05-12"),
    ]


def test_a_folder_of_runs(tmp_path: Path, trial: Make) -> None:
    """Runs and files of llm_arithmetic, by name, three levels deep; what is no trial is passed over."""
    run_in(tmp_path / "b", [trial(1)])
    log_in(tmp_path / "a" / "artifact" / "deep", [trial(1)])
    log_in(tmp_path / "a" / "artifact" / "too" / "deep", [trial(1)])
    log_in(tmp_path / ".hidden", [trial(1)])
    (tmp_path / "b" / "new.jsonl").write_text(lines_of([trial(1)]), encoding="ascii")  # lies in a run's folder
    (tmp_path / "rows.jsonl").write_text(lines_of([ROW]), encoding="ascii")
    (tmp_path / "other-kind.jsonl").write_text('{"format": 1, "results": []}\n', encoding="ascii")
    (tmp_path / "other.jsonl").write_bytes(b"\xff\n")
    (tmp_path / "README.md").write_text("{}", encoding="ascii")
    assert [run.name for run in opened(tmp_path)] == ["rows.jsonl", "deep", "b"]


def test_a_folder_is_opened_by_any_of_its_names(tmp_path: Path, trial: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is opened by its folder, by its log, or from within as a dot."""
    monkeypatch.chdir(run_in(tmp_path / "run", [trial(1)]))
    assert [only(Path(name)).name for name in (".", "../run", "trials.jsonl")] == ["run"] * 3


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    """What is no run is refused with one line: what is wrong, and what to name instead."""
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n', encoding="ascii")
    for path, said in (
        (tmp_path, "no run in this folder; name a run's folder, its trials.jsonl, JSONL of llm_arithmetic"),
        (tmp_path / "x.jsonl", "neither the log of a run nor rows of llm_arithmetic; name a run's folder"),
        (tmp_path / "none", "cannot be read (No such file or directory)"),
    ):
        with pytest.raises(Mistake) as mistake:
            opened(path)
        assert f"{path}: {said}" in str(mistake.value)


def test_a_row_that_cannot_be_counted_is_named(tmp_path: Path) -> None:
    """Its numbers are not believed before they were looked at."""
    (file := tmp_path / "rows.jsonl").write_text(
        lines_of([ROW | {"tokens": {"prompt_tokens": "many"}}]), encoding="ascii"
    )
    with pytest.raises(Mistake, match=r"line 1: reply\.prompt_tokens"):
        only(file).summary()


@pytest.mark.parametrize(
    "facts", [{"models": "o4-mini"}, {"merged": {}}, {"started_at": "today"}, {"asking": {"requests": "many"}}]
)
def test_facts_are_not_believed(tmp_path: Path, trial: Make, facts: dict[str, Any]) -> None:
    """A summary whose facts have another shape is refused, as one from elsewhere may hold anything."""
    folder = run_in(tmp_path, [trial(1)])
    said = json.loads((folder / "summary.json").read_text(encoding="ascii"))
    said["run"] |= facts
    (folder / "summary.json").write_text(json.dumps(said), encoding="ascii")
    with pytest.raises(Mistake, match="expected the summary of a run"):
        _ = only(folder).facts


def test_some_records_alone(tmp_path: Path, trial: Make) -> None:
    """They are a run of their own; how many of them there should have been, nobody knows."""
    run = only(run_in(tmp_path, [trial(1), trial(2, "deviate")]))
    wrong = run.only(lambda record: record.outcome == "deviate")
    assert [record.outcome for record in wrong.records()] == ["deviate"]
    (result,) = wrong.summary().results
    assert (result.measured, result.selected, run.summary().results[0].selected) == (1, None, 2)


def test_an_unreadable_run_is_missed_in_its_folder(tmp_path: Path, trial: Make) -> None:
    """A run that cannot be read is an error, so that nobody takes the others for all."""
    run_in(tmp_path / "a", [trial(1)])
    log_in(tmp_path / "b", [trial(1)]).chmod(0)
    if os.access(tmp_path / "b" / "trials.jsonl", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(Mistake, match="cannot be read"):
        opened(tmp_path)


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the replies of real models are not here")
def test_the_replies_of_real_models() -> None:
    """All of them are read, by the rules by which llmarith regrade reads them."""
    runs = opened(TRANSCRIPTS)
    assert len(runs) == 13
    (run,) = (run for run in runs if run.name == "gpt-4.1.jsonl")
    outcomes = [record.outcome for record in run.records()]
    assert outcomes == [change.record.outcome for change in changes(run.path, None, [])]
    assert run.summary().results[0].measured == len(outcomes) == 720


def _places(value: object, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a record, at any depth."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inside:
        yield (*above, key)
        yield from _places(below, (*above, key))


WHOLE = (asked("{}"), asked("712", depth=5), asked("7.5", dtype=Dtype.FLOAT, op=Op.DIV), added("12"), programmed("A1"))
ODD: tuple[Any, ...] = (None, 7, -1, True, "x", "NaN", "1e999999999", "9" * 5_000, [], {}, ["a"], {"a": 1}, 1e400)


@given(record=st.sampled_from(WHOLE), draw=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_a_record_may_hold_anything(tmp_path_factory: pytest.TempPathFactory, record: Any, draw: st.DataObject) -> None:
    """Another machine may have written it: it is counted, shown and exported, or named in one line."""
    changed = deepcopy(record)
    *above, key = draw.draw(st.sampled_from(list(_places(record))))
    place = reduce(getitem, above, changed)
    if draw.draw(st.booleans()):
        place[key] = draw.draw(st.sampled_from(ODD))
    else:
        del place[key]
    folder = log_in(tmp_path_factory.mktemp("run"), [changed]).parent
    deeds: list[Callable[[], object]] = [lambda: summary_section(only(folder).summary(), 100)]
    deeds += [partial(export, Request([folder], shape), StringIO()) for shape in Shape]
    for deed in deeds:
        assert "\n" not in _mistake_in(deed)


def _mistake_in(deed: Callable[[], object]) -> str:
    """What is said of it; nothing where there is none."""
    try:
        deed()
    except Mistake as mistake:
        return str(mistake)
    return ""
