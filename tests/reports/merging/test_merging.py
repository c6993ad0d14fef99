"""Runs become one: the same numbers as the unsplit run, in any order."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import permutations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmarith.values import AskingTotals
from tests.reports.merging.runs import THROTTLED, Folder, Make
from tests.runs_on_disk import programmed


def results(summary: dict[str, Any]) -> bytes:
    return json.dumps(summary["results"]).encode()


@given(outcomes=st.text("cdnu", min_size=1, max_size=25), count=st.integers(1, 6), draw=st.randoms())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_shards_say_what_the_unsplit_run_says(
    tmp_path_factory: pytest.TempPathFactory, trials: Any, outcomes: str, count: int, draw: Any
) -> None:
    """Byte by byte, whatever the order of the arguments, with shards for which nothing was left."""
    folder = Folder(tmp_path_factory.mktemp("runs"))
    records = trials(outcomes)
    whole = json.loads((folder.run("whole", records) / "summary.json").read_text(encoding="ascii"))
    shards = [run for run in folder.shards(records, count) if (run / "trials.jsonl").stat().st_size]
    draw.shuffle(shards)
    summary = folder.merge(*shards)
    assert results(summary) == results(whole)
    assert (summary["complete"], summary["answered"], summary["unanswered"]) == (
        whole["complete"],
        whole["answered"],
        whole["unanswered"],
    )
    assert folder.records() == records
    assert json.loads((folder.merged / "summary.json").read_text(encoding="ascii")) == summary


def test_a_question_of_two_items_is_one_also_in_shards(folder: Folder, trials: Any) -> None:
    """A question of two items counts once, whether they were dealt to one shard or to two."""
    records = trials("ccdn")
    again = [record | {"nodeid": record["nodeid"].replace("arithmetic[", "again[")} for record in records]
    mixed = [one for both in zip(records, again, strict=True) for one in both]
    whole = json.loads((folder.run("whole", mixed) / "summary.json").read_text(encoding="ascii"))
    assert (whole["answered"], whole["duplicates"], whole["complete"]) == (4, 4, True)
    for count in (2, 3):
        merged = Folder(folder.path / str(count))
        merged.path.mkdir()
        summary = merged.merge(*merged.shards(mixed, count))
        assert results(summary) == results(whole)
        assert (summary["answered"], summary["duplicates"], summary["complete"]) == (4, 4, True)


def test_shards_of_sequences_say_what_the_unsplit_run_says(folder: Folder, make_record: Make) -> None:
    """Scores, curves, terms and what is unsolved are the same, whichever shard had a sequence."""
    records = [
        make_record(
            "correct" if number % 5 == 4 else "deviate",
            task="oeis",
            nodeid=f"test_bench.py::test_oeis[o4-mini-starter-A{number:06}]",
            problem={"set": "starter", "number": f"A{number:06}"},
            grade=None,
            oeis=programmed(
                "A1",
                scores={"0.5": number % 5 / 8, "4": number % 5 / 4},
                terms=[
                    {"n": term, "expected": "", "got": "", "status": status, "seconds": term / 7}
                    for term, status in zip(range(number % 5), ("ok", "ok", "ok", "late"), strict=False)
                ],
            )["oeis"],
        )
        for number in range(20)
    ]
    whole = json.loads((folder.run("whole", records) / "summary.json").read_text(encoding="ascii"))
    assert whole["results"][0]["sets"][0]["unsolved_count"] == 4
    assert results(folder.merge(*folder.shards(records, 3))) == results(whole)


def test_the_order_of_the_arguments_changes_nothing(folder: Folder, trials: Any) -> None:
    """What is merged is the same, byte by byte, in whatever order the runs are named."""
    records = [*trials("cdn" * 4), *trials("cu", model="gpt-4o")]
    shards = folder.shards(records, 3)
    written = set()
    for order in permutations(shards):
        folder.merge(*order)
        written.add(tuple((folder.merged / name).read_bytes() for name in ("trials.jsonl", "summary.json")))
        for file in folder.merged.iterdir():
            file.unlink()
        folder.merged.rmdir()
    assert len(written) == 1


def test_the_runs_are_not_changed(folder: Folder, trials: Any) -> None:
    """What was merged is as it was."""
    shards = folder.shards(trials("cdnc"), 2)
    before = {file: file.read_bytes() for run in shards for file in run.iterdir()}
    folder.merge(*shards)
    assert {file: file.read_bytes() for run in shards for file in run.iterdir()} == before


def test_the_facts_of_a_merged_run(folder: Folder, trials: Any) -> None:
    """It began with the first and ended with the last; what was asked is added up; each run is named."""
    shards = folder.shards(trials("cccc"), 2)
    summary = json.loads((shards[1] / "summary.json").read_text(encoding="ascii"))
    summary["run"] |= {"started_at": "2026-11-21T23:00:00+00:00", "finished_at": "2026-11-21T23:30:00+00:00"}
    summary["run"]["asking"] = {
        "requests": 4,
        "cost_usd": 0.2,
        "retries": {"429": 1, "500": 2},
        "stored_usd": None,
        "throttled": [THROTTLED | {"lowest": 2}, THROTTLED | {"target": "gpt-4o"}],
    }
    (shards[1] / "summary.json").write_text(json.dumps(summary), encoding="ascii")
    run = folder.merge(*shards)["run"]
    assert (run["id"], run["started_at"], run["finished_at"]) == (
        "merged",
        "2026-11-21T23:00:00+00:00",
        "2026-11-22T00:41:05+00:00",
    )
    assert run["asking"] == asdict(AskingTotals()) | {
        "requests": 7,
        "cost_usd": 0.3,
        "retries": {"429": 2, "500": 2},
        "throttled": [THROTTLED | {"halved": 4, "lowest": 2}, THROTTLED | {"target": "gpt-4o"}],
    }
    assert (run["selected"], run["partial"], run["shard"], run["exit_status"]) == (4, False, None, None)
    assert [one["id"] for one in run["merged"]["runs"]] == [shards[1].name, shards[0].name]
    assert run["merged"]["runs"][0]["shard"]["index"] == 2
    assert {name: run["merged"][name] for name in ("replaced", "overlapping", "differing", "lacks")} == {
        "replaced": 0,
        "overlapping": 0,
        "differing": [],
        "lacks": [],
    }


def test_a_run_and_what_it_had_not_got(folder: Folder, trials: Any) -> None:
    """An answer takes the place of none, wherever it stands: a run and its --lf run are the run without the outage."""
    first = folder.run("first", trials("cucu"), exit_status=1)
    again = folder.run("again", [trials("cdcn")[number] for number in (1, 3)], partial=True)
    whole = folder.run("whole", trials("cdcn"))
    summary = folder.merge(again, first)
    assert results(summary) == results(json.loads((whole / "summary.json").read_text(encoding="ascii")))
    assert (summary["complete"], summary["run"]["partial"], summary["run"]["merged"]["replaced"]) == (True, False, 2)


def test_models_and_selections(folder: Folder, trials: Any) -> None:
    """Runs that have no trial in common are merged, models in the order in which the runs began."""
    one = folder.run("one", trials("cc"))
    other = folder.run(
        "other",
        trials("cd", model="gpt-4o"),
        models=[{"name": "gpt-4o", "target": "openai/gpt-4o", "params": {}, "api_base": None}],
        started_at="2026-11-22T00:00:00+00:00",
    )
    more = folder.run("more", trials("dd", first=2))
    summary = folder.merge(one, more, other)
    assert [(result["model"], result["measured"], result["selected"]) for result in summary["results"]] == [
        ("gpt-4o", 2, 2),
        ("o4-mini", 4, 4),
    ]
    assert [model["name"] for model in summary["run"]["models"]] == ["gpt-4o", "o4-mini"]
    assert summary["complete"]


def test_the_usual_way_and_the_first_time_come_first(folder: Folder, make_record: Make) -> None:
    """As in the run that was not split: neither has a name, which the others go on from."""
    ways = ["", "-repeat_1", "-repeat_2", "-repeat_10"]
    names = [f"test[m-depth_3-trial_{trial}{way}]" for trial in (1, 10) for way in ways]
    records = [make_record(nodeid=name, repeat=number % 4) for number, name in enumerate(names)]
    folder.merge(*folder.shards(records[::-1], 3))
    assert [record["nodeid"] for record in folder.records()] == names


def test_records_stand_in_the_order_of_their_names(folder: Folder, trials: Any) -> None:
    """Records are sorted by name, trial_10 after trial_9, and each is as it stood."""
    folder.merge(*folder.shards(trials("c" * 12), 5))
    assert folder.records() == trials("c" * 12)
