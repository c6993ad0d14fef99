"""Runs become one: the same numbers as the unsplit run, in any order, or a line that says why not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmarith.cli import main
from pytest_llmarith.reports.counting.summary import Summary
from pytest_llmarith.reports.merging import Refused, Request, merge
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.reports.page.run_page import write_run_page
from pytest_llmarith.values import Condition, NumberFormat

Make = Callable[..., dict[str, Any]]
Records = Sequence[dict[str, Any]]

THROTTLED = {"target": "openai/o4-mini", "halved": 2, "lowest": 4, "most": 16}
FACTS: dict[str, Any] = {
    "started_at": "2026-11-22T00:31:05+00:00",
    "finished_at": "2026-11-22T00:41:05+00:00",
    "seed": 0,
    "symbols": "ascii",
    "reading": None,
    "store": "on",
    "strict": False,
    "oeis": {"sets": None, "limits": [0.5, 4.0], "rules": "default"},
    "models": [{"name": "o4-mini", "target": "openai/o4-mini", "params": {"temperature": 0}, "api_base": None}],
    "versions": {"python": "3.11.7", "litellm": "1.83.0"},
    "asking": {"requests": 3, "cost_usd": 0.1, "retries": {"429": 1}, "throttled": [THROTTLED], "unpriced": 0},
    "stopped": None,
    "partial": False,
    "shard": None,
    "merged": None,
    "exit_status": 0,
}


class Folder:
    """Makes runs in a folder, and merges them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.merged = path / "merged"

    def run(self, name: str, records: Records, **facts: Any) -> Path:
        """A run that has ended, as its recorder would have written it."""
        folder = self.path / name
        folder.mkdir()
        summary = Summary()
        for record in records:
            summary.add(record)
        run = {"id": name, "selected": len(records)} | FACTS | facts
        counted = summary._results.items()
        selected = {key: sum(result.outcomes.as_dict().values()) + result.duplicates for key, result in counted}
        (folder / "summary.json").write_text(json.dumps(summary.as_dict(run, selected)), encoding="ascii")
        (folder / "trials.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="ascii")
        return folder

    def shards(self, records: Records, count: int, **facts: Any) -> list[Path]:
        """One run in shards."""
        return [
            self.run(
                f"run_shard-{index + 1}-of-{count}",
                records[index::count],
                **facts,
                shard={
                    "index": index + 1,
                    "count": count,
                    "dealt": len(records[index::count]),
                    "whole": len(records),
                    "selection": "abc",
                },
            )
            for index in range(count)
        ]

    def merge(self, *runs: Path, **allowed: bool) -> dict[str, Any]:
        return merge(Request(runs, self.merged, **allowed))

    def records(self) -> list[dict[str, Any]]:
        lines = (self.merged / "trials.jsonl").read_text(encoding="ascii").splitlines()
        return [json.loads(line) for line in lines]

    def refusal(self, *runs: Path, **allowed: bool) -> str:
        """Why these runs are not merged; nothing was written then."""
        with pytest.raises((Refused, Mistake)) as caught:
            self.merge(*runs, **allowed)
        assert not self.merged.exists()
        assert not (self.path / "aggregate.jsonl").exists()
        assert "\n" not in str(caught.value)
        return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def trials(make_record: Make, make_reply: Make) -> Callable[..., list[dict[str, Any]]]:
    """Records of trials, each with a cost and seconds of its own."""

    def made(outcomes: str, model: str = "o4-mini", first: int = 0) -> list[dict[str, Any]]:
        words = {"c": "correct", "d": "deviate", "n": "nan", "u": "unanswered"}
        return [
            make_record(
                words[letter],
                model=model,
                nodeid=f"test_bench.py::test_arithmetic[{model}-int_div-depth_7-trial_{number}]",
                problem={"seed": 0, "variant": "int_div", "depth": number % 5, "trial": number},
                reply=None if letter == "u" else make_reply(cost_usd=0.1 * number, latency_s=number / 7),
            )
            for number, letter in enumerate(outcomes, first)
        ]

    return made


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
            problem={"set": "starter", "number": f"A{number:06}", "name": "", "offset": 0, "keywords": []},
            grade=None,
            oeis={
                "scores": {"0.5": number % 5 / 8, "4": number % 5 / 4},
                "judges": {"static": {"cheat": False}, "llm": None},
                "isolation": {"level": "strict"},
                "terms": [{"status": "late" if term > 2 else "ok", "seconds": term / 7} for term in range(number % 5)],
            },
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
    """What was merged is as it was; the new run has a line in the aggregate beside it."""
    shards = folder.shards(trials("cdnc"), 2)
    before = {file: file.read_bytes() for run in shards for file in run.iterdir()}
    folder.merge(*shards)
    assert {file: file.read_bytes() for run in shards for file in run.iterdir()} == before
    (line,) = (folder.path / "aggregate.jsonl").read_text(encoding="ascii").splitlines()
    assert json.loads(line)["run"]["id"] == "merged"
    assert "cells" not in json.loads(line)["results"][0]


def test_the_facts_of_a_merged_run(folder: Folder, trials: Any) -> None:
    """It began with the first and ended with the last; what was asked is added up; each run is named."""
    shards = folder.shards(trials("cccc"), 2)
    summary = json.loads((shards[1] / "summary.json").read_text(encoding="ascii"))
    summary["run"] |= {"started_at": "2026-11-21T23:00:00+00:00", "finished_at": "2026-11-21T23:30:00+00:00"}
    summary["run"]["asking"] = {
        "requests": 4,
        "cost_usd": 0.2,
        "retries": {"429": 1, "500": 2},
        "unpriced": None,
        "elsewhere": None,
        "throttled": [THROTTLED | {"lowest": 2}, THROTTLED | {"target": "gpt-4o"}],
    }
    (shards[1] / "summary.json").write_text(json.dumps(summary), encoding="ascii")
    run = folder.merge(*shards)["run"]
    assert (run["id"], run["started_at"], run["finished_at"]) == (
        "merged",
        "2026-11-21T23:00:00+00:00",
        "2026-11-22T00:41:05+00:00",
    )
    assert run["asking"] == {
        "requests": 7,
        "cost_usd": 0.3,
        "retries": {"429": 2, "500": 2},
        "throttled": [THROTTLED | {"halved": 4, "lowest": 2}, THROTTLED | {"target": "gpt-4o"}],
        "unpriced": 0,
        "elsewhere": None,
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


# --- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        ({"seed": 1}, "seed (0 and 1)"),
        ({"conditions": [Condition(NumberFormat.COMMA).fields()]}, 'conditions ("usual" and "numbers_comma")'),
        ({"symbols": "unicode"}, 'symbols ("ascii" and "unicode")'),
        ({"reading": "strict"}, 'reading (null and "strict")'),
        ({"versions": FACTS["versions"] | {"litellm": "1.84.0"}}, 'version of litellm ("1.83.0" and "1.84.0")'),
        *(
            ({"models": [FACTS["models"][0] | {key: value}]}, f"{key} of o4-mini (")
            for key, value in {
                "target": "openai/o4-mini-2025-04-16",
                "params": {"temperature": 1},
                "api_base": "http://localhost/v1",
                "system_prompt": "Be brief.",
            }.items()
        ),
    ],
)
def test_what_was_asked_otherwise(folder: Folder, trials: Any, facts: dict[str, Any], named: str) -> None:
    """Numbers of different measurements are not put together, unless told; then what differs is null."""
    one, other = folder.run("one", trials("c")), folder.run("other", trials("d", first=1), **facts)
    refusal = folder.refusal(one, other)
    assert refusal.startswith(f"{one} and {other} differ in {named}")
    assert refusal.endswith("; merge what was asked alike, or add --allow-differing")
    run = folder.merge(one, other, allow_differing=True)["run"]
    (differing,) = run["merged"]["differing"]
    assert named.startswith(differing)
    (name,) = facts
    expected = {"versions": {"python": "3.11.7", "litellm": None}}.get(name)
    if name != "models":
        assert run[name] == expected
    else:
        assert None in run["models"][0].values()


def test_rules_count_where_programs_were_run(folder: Folder, trials: Any) -> None:
    """Limits of programs are no fact of a run that ran none."""
    one = folder.run("one", trials("c"))
    other = folder.run("other", trials("d", first=1), oeis={"sets": None, "limits": [1.0], "rules": "paper"})
    assert folder.merge(one, other)["run"]["oeis"] == {"sets": None, "limits": None, "rules": None}


def test_a_trial_with_two_answers(folder: Folder, trials: Any) -> None:
    """It would count twice; with --allow-overlap the later run's answer counts, once."""
    early = folder.run("early", trials("cc"))
    late = folder.run("late", trials("ddd", first=1), started_at="2026-11-22T09:00:00+00:00")
    refusal = folder.refusal(late, early)
    assert refusal == (
        "a trial has two answers, test_bench.py::test_arithmetic[o4-mini-int_div-depth_7-trial_1] of o4-mini "
        f"in {early} and in {late}; name one of these runs, or let later ones win with --allow-overlap"
    )
    summary = folder.merge(late, early, allow_overlap=True)
    assert [record["outcome"] for record in folder.records()] == ["correct", "deviate", "deviate", "deviate"]
    assert (summary["results"][0]["selected"], summary["run"]["selected"], summary["complete"]) == (4, 4, True)
    assert summary["run"]["merged"]["overlapping"] == 1


def test_missing_shards(folder: Folder, trials: Any) -> None:
    """They are named; with --allow-missing the run says what it lacks, is not complete, and is in no aggregate."""
    shards = folder.shards(trials("c" * 10), 4)
    assert folder.refusal(*shards[1:3]) == (
        "shards 1, 4 of 4 are missing; name their runs as well, or add --allow-missing"
    )
    summary = folder.merge(*shards[1:3], allow_missing=True)
    assert summary["run"]["merged"]["lacks"] == ["shards 1, 4 of 4 are missing"]
    assert (summary["complete"], summary["run"]["partial"]) == (False, True)
    assert (summary["answered"], summary["run"]["selected"]) == (5, 10)
    assert not (folder.path / "aggregate.jsonl").exists()


def test_shards_of_different_selections(folder: Folder, trials: Any) -> None:
    """Another -k makes other shards, also where their numbers would fit."""
    shards = folder.shards(trials("cccc"), 2)
    summary = json.loads((shards[1] / "summary.json").read_text(encoding="ascii"))
    summary["run"]["shard"]["selection"] = "def"
    (shards[1] / "summary.json").write_text(json.dumps(summary), encoding="ascii")
    assert 'differ in selection of the shards ("abc" and "def")' in folder.refusal(*shards)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"exit_status": 2}, "it was interrupted"),
        ({"stopped": "key refused", "exit_status": 6}, "it was stopped"),
        ({"exit_status": 1}, "it ended early"),
    ],
)
def test_a_run_that_ended_early(folder: Folder, trials: Any, facts: dict[str, Any], why: str) -> None:
    """Only what it has is taken, if told; the run in which the same command finished it makes it whole."""
    early = folder.run("early", trials("cc"), selected=5, **facts)
    assert folder.refusal(early) == (
        f"{early}: {why}, 2 of 5 trials are there; name the run in which the same command finished it, "
        "or add --allow-missing"
    )
    summary = folder.merge(early, allow_missing=True)
    assert (summary["complete"], summary["answered"], summary["run"]["selected"]) == (False, 2, 5)
    assert summary["run"]["stopped"] == facts.get("stopped")
    folder.merged = folder.path / "finished"
    again = folder.run("again", trials("ccddd"), started_at="2026-11-22T09:00:00+00:00")
    summary = folder.merge(again, early, allow_overlap=True)
    assert (summary["complete"], summary["run"]["selected"], summary["run"]["stopped"]) == (True, 5, None)


def test_a_lone_last_failed_run(folder: Folder, trials: Any) -> None:
    """A --lf run is a part of a run, which has to be there."""
    other, again = folder.run("other", trials("cc")), folder.run("again", trials("cc", first=2), partial=True)
    assert folder.refusal(other, again) == (
        f"{again}: 2 trials of this --lf run are in no other run; name the run that it completes, "
        "or add --allow-missing"
    )
    assert not folder.merge(other, again, allow_missing=True)["complete"]


def test_a_merged_run_is_merged_again(folder: Folder, trials: Any) -> None:
    """A whole one like any other; one that lacks something goes on lacking it."""
    shards = folder.shards(trials("cccc"), 2)
    folder.merge(*shards)
    whole, folder.merged = folder.merged, folder.path / "more"
    other = folder.run("other", trials("dd", first=4))
    assert folder.merge(whole, other)["complete"]
    part, folder.merged = folder.path / "part", folder.path / "again"
    merge(Request([shards[0]], part, allow_missing=True))
    (folder.path / "aggregate.jsonl").unlink()
    assert "it was merged from a part of its runs, 2 of 4 trials are there" in folder.refusal(part, other)


def test_several_reasons_are_several_lines(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Each reason is a line, and the exit status that of wrong usage."""
    shards = folder.shards(trials("cccccc"), 3)
    other = folder.run("other", trials("c", first=6), seed=7)
    assert main(["merge", *map(str, [*shards[:2], other]), "--into", str(folder.merged)]) == 4
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["llmarith merge"] * 2
    assert ["seed" in lines[0], "shard 3 of 3 is missing" in lines[1]] == [True, True]


# --- what comes from elsewhere --------------------------------------------------------------------------------------


def test_a_killed_run(folder: Folder, trials: Any) -> None:
    """A killed run is refused whatever the options, as nobody knows what it was to ask."""
    killed = folder.run("killed", trials("cc"))
    (killed / "summary.json").unlink()
    for allowed in (False, True):
        refusal = folder.refusal(killed, allow_missing=allowed, allow_differing=allowed, allow_overlap=allowed)
        assert refusal.startswith(f"{killed}: no summary.json, so it was killed or still runs; the same command ")


def test_a_log_that_lacks_records(folder: Folder, trials: Any) -> None:
    """A torn line is no record; a log that is not what its summary counts was not copied whole."""
    run = folder.run("run", trials("ccc"))
    log = run / "trials.jsonl"
    log.write_bytes(log.read_bytes()[:-40])
    assert folder.refusal(run) == (
        f"{run}: its log holds 2 records, its summary counts 3; copy its files again, or add --allow-missing"
    )
    assert folder.merge(run, allow_missing=True)["answered"] == 2


HOSTILE_LINES = {
    "not JSON": b"{x}\n",
    "not a JSON object": b"[1]\n",
    "nested too deep": b"[" * 100_000 + b"]" * 100_000 + b"\n",
    "can't decode": b'{"a": "\xff"}\n',
    "NaN is no JSON": b'{"format": NaN}\n',
    "the format of the record is not 1": b'{"format": 2}\n',
    "nodeid is not a text": b'{"format": 1, "nodeid": null}\n',
}


@pytest.mark.parametrize(("why", "line"), HOSTILE_LINES.items(), ids=list(HOSTILE_LINES))
def test_a_line_that_is_no_record(folder: Folder, trials: Any, why: str, line: bytes) -> None:
    """A line that is no record is refused with its file, its number and what is wrong with it."""
    run = folder.run("run", trials("cc"))
    with (run / "trials.jsonl").open("ab") as log:
        log.write(line)
    refusal = folder.refusal(run)
    assert refusal.startswith(f"{run / 'trials.jsonl'}, line 3: ")
    assert why in refusal
    assert refusal.endswith("; expected a record of a run")


SEQUENCE = {"set": "starter", "number": "A000045"}
PROGRAM = {"scores": {}, "isolation": {"level": "strict"}, "judges": {"static": None, "llm": None}}
GRADE = {"absolute_error": None, "relative_error": None, "rounded": False}
WRONG_RECORDS: dict[str, dict[str, Any]] = {
    "task is not a text": {"task": 7},
    "model is not a text": {"model": ["o4-mini"]},
    "the outcome is none of ours": {"outcome": "great"},
    "simulated is neither": {"simulated": "no"},
    "the reason is not a text": {"reason": 7},
    "the problem is not a JSON object": {"problem": []},
    "problem.depth is no whole number": {"problem": {"variant": "int_add", "depth": "2"}},
    "problem.int1 is not a text": {"problem": {"int1": 1, "int2": "2"}},
    "problem.set is not a text": {"problem": {"set": None}},
    "the reply is not a JSON object": {"reply": "7"},
    "cost_usd of the reply is missing": {"reply": {}},
    "grade.absolute_error is no number": {"grade": {"absolute_error": "much"}},
    "grade.relative_error is no number": {"grade": {"absolute_error": None, "relative_error": "NaN"}},
    "grade.leading_digits is no count": {
        "grade": {"absolute_error": "1", "relative_error": "1", "rounded": False, "leading_digits": 0.5}
    },
    "problem.number is missing": {"problem": {"set": "starter"}},
    "oeis is not a JSON object": {"problem": SEQUENCE, "grade": None},
    "grade.rounded is missing": {"grade": {"absolute_error": None, "relative_error": None}},
    "grade.dlength is no count": {"grade": GRADE | {"dlength": "long"}},
    "grade.digit_match is no amount": {"grade": GRADE | {"digit_match": None}},
    "grade.error_class is none of ours": {"grade": GRADE | {"error_class": ["carry"]}},
    "oeis.scores does not hold": {
        "problem": SEQUENCE,
        "oeis": {"scores": {"soon": 1}, "isolation": {"level": "strict"}, "judges": {}},
    },
    "oeis.judges.static is no verdict": {
        "problem": SEQUENCE,
        "oeis": {"scores": {}, "isolation": {"level": "strict"}, "judges": {"static": 1}},
    },
    "oeis.terms is no list": {"problem": SEQUENCE, "oeis": PROGRAM | {"terms": 7}},
    "a term is not a JSON object": {"problem": SEQUENCE, "oeis": PROGRAM | {"terms": [7]}},
    "a term has no status or no seconds": {"problem": SEQUENCE, "oeis": PROGRAM | {"terms": [{"status": "ok"}]}},
}


@pytest.mark.parametrize(("why", "wrong"), WRONG_RECORDS.items(), ids=list(WRONG_RECORDS))
def test_a_record_of_wrong_shape(folder: Folder, trials: Any, why: str, wrong: dict[str, Any]) -> None:
    """A record of another shape is refused in one line, and not counted."""
    run = folder.run("run", trials("cc"))
    (run / "trials.jsonl").write_text(json.dumps(trials("c")[0] | wrong) + "\n", encoding="ascii")
    assert f"line 1: {why}" in folder.refusal(run)


@pytest.mark.parametrize("amount", ["much", -1, True, 1e999, 10**400, [1]])
def test_an_amount_that_is_none(folder: Folder, trials: Any, make_reply: Make, amount: Any) -> None:
    """Costs, tokens and seconds are numbers that can be added up."""
    run = folder.run("run", trials("c"))
    record = trials("c")[0] | {"reply": make_reply(completion_tokens=amount)}
    (run / "trials.jsonl").write_text(json.dumps(record).replace("Infinity", "1e999") + "\n", encoding="ascii")
    assert "completion_tokens of the reply is no amount" in folder.refusal(run)


WRONG_SUMMARIES: dict[str, Any] = {
    "not a JSON object": [],
    "the format is not 1": {"format": 2},
    "run is not a JSON object": {"run": 7},
    "run.id is not a text": {"run": FACTS | {"id": 7}},
    "run.versions is not a JSON object": {"run": FACTS | {"id": "r", "versions": None}},
    "run.finished_at is not a time in UTC": {"run": FACTS | {"id": "r", "finished_at": "now"}},
    "run.started_at is not a time in UTC": {"run": FACTS | {"id": "r", "started_at": "2026-11-22T00:00:00"}},
    "run.models is no list of models": {"run": FACTS | {"id": "r", "models": ["o4-mini"]}},
    "run.selected is no count": {"run": FACTS | {"id": "r", "selected": -1}},
    "run.shard is no shard": {"run": FACTS | {"id": "r", "shard": {"index": 6, "count": 5}}},
    "run.asking.requests is no number": {"run": FACTS | {"id": "r", "asking": {"requests": "many"}}},
    "run.asking.retries does not hold numbers": {"run": FACTS | {"id": "r", "asking": {"retries": {"429": "x"}}}},
    "run.asking.throttled is no list of models": {"run": FACTS | {"id": "r", "asking": {"throttled": [{"target": 1}]}}},
    "results is no list of results": {"results": [{"model": "m"}]},
    "answered, unanswered or duplicates is no count": {"answered": "all"},
}


@pytest.mark.parametrize(("why", "wrong"), WRONG_SUMMARIES.items(), ids=list(WRONG_SUMMARIES))
def test_a_summary_of_wrong_shape(folder: Folder, trials: Any, why: str, wrong: Any) -> None:
    """A summary of another shape is refused with its file and what is wrong with it."""
    run = folder.run("run", trials("cc"))
    summary = json.loads((run / "summary.json").read_text(encoding="ascii"))
    content = json.dumps(summary | wrong if isinstance(wrong, dict) else wrong)
    (run / "summary.json").write_text(content, encoding="ascii")
    refusal = folder.refusal(run)
    assert refusal.startswith(f"{run / 'summary.json'}: {why}")
    assert refusal.endswith("; expected the summary of a run")


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000], ids=["cut", "no UTF-8", "deep"])
def test_a_summary_that_is_no_json(folder: Folder, trials: Any, content: bytes) -> None:
    """A summary that is no JSON is refused with its file."""
    run = folder.run("run", trials("cc"))
    (run / "summary.json").write_bytes(content)
    assert folder.refusal(run).startswith(f"{run / 'summary.json'}: ")


def test_a_summary_that_would_block(folder: Folder, trials: Any) -> None:
    """A summary that is no regular file is refused, and not opened, as that could block."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    run = folder.run("run", trials("cc"))
    (run / "summary.json").unlink()
    os.mkfifo(run / "summary.json")
    assert "not a regular file" in folder.refusal(run)


def test_places(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """It is checked where each run is, that none lies where the merged one goes, and that each is named once."""
    run, other = folder.run("run", trials("cc")), folder.run("other", trials("cc", first=2))
    (folder.path / "a file").write_text("")
    wrong = {
        (run, run): "named twice",
        (folder.path / "nowhere",): "No such file",
        (folder.path,): "the folder holds no trials.jsonl",
    }
    for runs, why in wrong.items():
        assert why in folder.refusal(*runs)
    for into, why in {
        other: "this exists",
        run / "new": "which is not changed",
        folder.path / "a file" / "x": "made",
    }.items():
        assert main(["merge", str(run), "--into", str(into)]) == 4
        assert why in capsys.readouterr().err
    assert main(["merge", str(run / "trials.jsonl"), str(other), "--into", str(folder.path / "deep" / "er")]) == 0


def test_a_name_that_a_terminal_would_obey(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Folders, ids, models and tests may be called anything; they are shown spelled out."""
    name = "run\x1b[31m\n\u202e"
    records = [
        record | {"nodeid": f"\x1b[2J{number}", "model": "m\x1b]0;x\x07"} for number, record in enumerate(trials("cc"))
    ]
    one, other = folder.run(name, records), folder.run("other", records, started_at="2026-11-23T00:00:00+00:00")
    arguments = ["merge", str(one), str(other), "--into", str(folder.path / f"into{name}")]
    assert main(arguments) == 4
    assert main([*arguments, "--allow-overlap"]) == 0
    shown = "".join(capsys.readouterr())
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("\\x1b") > 3


def test_a_disk_that_is_full(folder: Folder, trials: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the merged run that could not be written whole is not there."""
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no full device")
    run = folder.run("run", trials("cc"))
    (folder.path / "aggregate.jsonl").symlink_to("/dev/full")
    with pytest.raises(Mistake, match="cannot be written"):
        folder.merge(run)
    assert not folder.merged.exists()


def test_what_is_shown(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The tables of a run's end, with what has to be known of a merged one."""
    shards = folder.shards(trials("cdcd"), 2)
    assert main(["merge", str(shards[0]), "--into", str(folder.merged), "--allow-missing"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "incomplete, 2 of 4 answered",
        "merged from 1 run",
        "partial: shard 2 of 2 is missing",
    ]
    assert "o4-mini, arithmetic: correct of 1 by variant and depth" in lines
    assert lines[-2:] == [f"written to {folder.merged}", f"to look at: {folder.merged / 'report.html'}"]


def test_a_merged_run_has_a_page(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """As every run, of all its trials; where it cannot be written, a line says why."""
    shards = [str(shard) for shard in folder.shards(trials("cdcd"), 2)]
    assert main(["merge", *shards, "--into", str(folder.merged)]) == 0
    page = (folder.merged / "report.html").read_text(encoding="utf-8")
    assert "all 4 answered" in page
    assert "All 4 trials" in page
    capsys.readouterr()
    again = folder.path / "again"
    again.mkdir()
    told = write_run_page(again / "gone", json.loads((folder.merged / "summary.json").read_text()), ())
    assert told.startswith("report.html was not written: ")


@pytest.mark.parametrize(
    ("search", "named"),
    [
        ({"budget": 80, "confirm": 3}, "search.budget (40 and 80)"),
        ({"budget": 40, "confirm": 5}, "search.confirm (3 and 5)"),
        (None, "search.budget (40 and null), search.confirm (3 and null)"),
    ],
)
def test_searches_are_made_alike(folder: Folder, trials: Any, search: dict[str, int] | None, named: str) -> None:
    """Breaking points that were searched for and confirmed in other ways are other figures."""
    made, others = (searches(trials(outcomes, first=first)) for outcomes, first in (("c", 0), ("d", 1)))
    one = folder.run("one", made, search={"budget": 40, "confirm": 3})
    other = folder.run("other", others, search=search)
    assert f"differ in {named}; merge what was asked alike" in folder.refusal(one, other)
    run = folder.merge(one, other, allow_differing=True)["run"]
    assert run["merged"]["differing"] == [word.split(" ")[0] for word in named.split(", ")]
    differing: dict[str, Any] = {one.removeprefix("search."): None for one in run["merged"]["differing"]}
    assert run["search"] == (search and search | differing)


def test_searches_are_a_fact_of_runs_that_made_some(folder: Folder, trials: Any) -> None:
    """A run of other tasks has none, and says nothing against those of another."""
    search = {"budget": 40, "confirm": 3}
    one = folder.run("one", searches(trials("c")), search=search)
    other = folder.run("other", trials("d", first=1))
    assert folder.merge(one, other)["run"]["search"] == search


def test_what_makes_searches_is_a_fact_of_those_alone(folder: Folder, trials: Any) -> None:
    """Two versions of hypothesis make two searches, and nothing else."""
    old, new = (FACTS["versions"] | {"hypothesis": version} for version in ("6.130.0", "6.150.0"))
    one = folder.run("one", searches(trials("c")), versions=old)
    other = folder.run("other", searches(trials("d", first=1)), versions=new)
    assert 'differ in version of hypothesis ("6.130.0" and "6.150.0")' in folder.refusal(one, other)
    assert folder.merge(one, other, allow_differing=True)["run"]["versions"] == FACTS["versions"] | {"hypothesis": None}
    sums = folder.run("sums", trials("d", first=1), versions=new)
    others = folder.run("others", trials("n", first=2), versions=FACTS["versions"])
    assert merge(Request((one, sums, others), folder.merged.with_name("all")))["run"]["versions"] == old


def searches(records: Records) -> list[dict[str, Any]]:
    """The same trials, of the task that searches."""
    facts: dict[str, Any] = {
        "minimum": None,
        "confirmed": {"asked": 0, "wrong": 0},
        "flaky": False,
        "questions": 37,
        "ended": "nothing found",
        "largest_right": "9 * 9",
        "trail": [],
    }
    return [
        record | {"task": "breaking_point", "search": facts, "problem": record["problem"] | {"budget": 40}}
        for record in records
    ]


def test_the_file_beside_the_runs_is_passed_over(folder: Folder, trials: Any) -> None:
    """Every run writes a line into a file beside its folder, which `reports/*` names too."""
    shards = folder.shards(trials("c" * 12), 2)
    beside = shards[0].parent / "aggregate.jsonl"
    beside.write_text("{}\n")
    assert folder.merge(*shards, beside)["answered"] == 12
