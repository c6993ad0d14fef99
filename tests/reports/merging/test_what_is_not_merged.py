"""Runs that cannot be one: a line says why, and which option would allow it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.reports.merging import Request, merge
from pytest_llmarith.values import Condition, NumberFormat
from tests.reports.merging.runs import FACTS, Folder, Records


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
    assert folder.merge(one, other)["run"]["oeis"] == dict.fromkeys(
        ("sets", "limits", "terms", "memory_bytes", "rules", "static_judge", "judge")
    )


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
    """They are named; with --allow-missing the run says what it lacks, is not complete."""
    shards = folder.shards(trials("c" * 10), 4)
    assert folder.refusal(*shards[1:3]) == (
        "shards 1, 4 of 4 are missing; name their runs as well, or add --allow-missing"
    )
    summary = folder.merge(*shards[1:3], allow_missing=True)
    assert summary["run"]["merged"]["lacks"] == ["shards 1, 4 of 4 are missing"]
    assert (summary["complete"], summary["run"]["partial"]) == (False, True)
    assert (summary["answered"], summary["run"]["selected"]) == (5, 10)


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
    assert "it was merged from a part of its runs, 2 of 4 trials are there" in folder.refusal(part, other)


def test_several_reasons_are_several_lines(folder: Folder, trials: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Each reason is a line, and the exit status that of wrong usage."""
    shards = folder.shards(trials("cccccc"), 3)
    other = folder.run("other", trials("c", first=6), seed=7)
    assert main(["merge", *map(str, [*shards[:2], other]), "--into", str(folder.merged)]) == 4
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["llmarith merge"] * 2
    assert ["seed" in lines[0], "shard 3 of 3 is missing" in lines[1]] == [True, True]


@pytest.mark.parametrize(
    ("search", "named"),
    [
        ({"budget": 80}, "search.budget (40 and 80)"),
        (None, "search.budget (40 and null)"),
    ],
)
def test_searches_are_made_alike(folder: Folder, trials: Any, search: dict[str, int] | None, named: str) -> None:
    """Breaking points that were searched for with other budgets are other figures."""
    made, others = (searches(trials(outcomes, first=first)) for outcomes, first in (("c", 0), ("d", 1)))
    one = folder.run("one", made, search={"budget": 40})
    other = folder.run("other", others, search=search)
    assert f"differ in {named}; merge what was asked alike" in folder.refusal(one, other)
    run = folder.merge(one, other, allow_differing=True)["run"]
    assert run["merged"]["differing"] == [word.split(" ")[0] for word in named.split(", ")]
    differing: dict[str, Any] = {one.removeprefix("search."): None for one in run["merged"]["differing"]}
    assert run["search"] == (search and search | differing)


def test_searches_are_a_fact_of_runs_that_made_some(folder: Folder, trials: Any) -> None:
    """A run of other tasks has none, and says nothing against those of another."""
    search = {"budget": 40}
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
    assert merge(Request((one, sums, others), folder.merged.with_name("all"))).run.versions == old


SEARCH = {
    "kind": "breaking_point",
    "seed": 0,
    "of": "arithmetic",
    "op": "add",
    "dtype": "int",
    "budget": 40,
}


def searches(records: Records) -> list[dict[str, Any]]:
    """The same trials, of the task that searches."""
    facts: dict[str, Any] = {
        "minimum": None,
        "not_reproduced": 0,
        "questions": 37,
        "ended": "nothing found",
        "largest_right": "9 * 9",
        "trail": [],
    }
    return [
        record | {"task": "breaking_point", "search": facts, "problem": SEARCH | {"variant": record["nodeid"]}}
        for record in records
    ]
