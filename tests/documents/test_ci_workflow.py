"""The workflows that docs/ci offers do what docs/ci.md says: their steps are run here, with an embedded model."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parents[2] / "docs" / "ci"
EXPLAINED = (FOLDER.parent / "ci.md").read_text("utf-8")
FILES = sorted(FOLDER.glob("*.yml"))
BENCH = """
import pytest

@pytest.mark.arithmetic(depths=[2, 8], trials=2)
def test_arithmetic(problem, ask):
    ask(problem)
"""
# pip would install from where a test must not depend on; everything is installed here.
NOT_HERE = "Install"


def workflow(path: Path) -> dict[str, Any]:
    """The file as GitHub reads it: nothing in it is anything but text, so that `on` is no truth."""
    content: dict[str, Any] = yaml.load(path.read_text("utf-8"), yaml.BaseLoader)
    return content


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in workflow(path)["jobs"].values():
        yield from job["steps"]


# When a step is taken, by what stands there, whether one before it failed, and whether there is a baseline.
CONDITIONS: Mapping[str, Callable[[bool, bool], bool]] = {
    "": lambda failed, baseline: not failed,
    "always()": lambda failed, baseline: True,
    "env.BASELINE != ''": lambda failed, baseline: baseline and not failed,
    "always() && env.BASELINE != ''": lambda failed, baseline: baseline,
}


@dataclass
class Machine:
    """A checkout on a machine that runs the steps of a job as GitHub's runner does: by bash, one after another."""

    folder: Path
    env: dict[str, str]
    failed: dict[str, int] = field(default_factory=dict)
    said: str = ""

    def run(self, job: Mapping[str, Any], **env: str) -> None:
        for step in job["steps"]:
            is_due = CONDITIONS[step.get("if", "")](bool(self.failed), bool(self.env["BASELINE"]))
            if "run" in step and step["name"] != NOT_HERE and is_due:
                self._step(step, {**self.env, **plain(step.get("env", {})), **env})

    def _step(self, step: Mapping[str, Any], env: dict[str, str]) -> None:
        script = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
        done = subprocess.run(script, cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        self.said += done.stdout + done.stderr
        if done.returncode:
            self.failed[step["name"]] = done.returncode

    @property
    def page(self) -> str:
        """What the page of the run shows."""
        return Path(self.env["GITHUB_STEP_SUMMARY"]).read_text("utf-8")

    @property
    def run_folder(self) -> Path:
        (folder,) = (path for path in (self.folder / "reports").iterdir() if path.is_dir())
        return folder


def plain(env: Mapping[str, str]) -> dict[str, str]:
    """Without what GitHub would have to fill in."""
    return {name: value for name, value in env.items() if "${{" not in value}


def check_out(folder: Path) -> None:
    """A repository with a bench."""
    (folder / "benches").mkdir(parents=True)
    (folder / "benches" / "test_bench.py").write_text(BENCH, encoding="utf-8")
    (folder / "pytest.ini").touch()


def machine(folder: Path, path: Path, **env: str) -> Machine:
    """A fresh machine after its checkout; tools are found where this Python has them."""
    check_out(folder)
    (page := folder / "page.md").touch()
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {"PATH": tools, "GITHUB_STEP_SUMMARY": str(page), "PYTEST_XDIST_AUTO_NUM_WORKERS": "0"}
    return Machine(folder, {**os.environ, **plain(workflow(path)["env"]), **own, **env})


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """The job of one machine, with a model that is too bad for its floor."""
    path = FOLDER / "llmarith.yml"
    one = machine(tmp_path_factory.mktemp("single") / "one", path, MODEL="llmarith/sloppy", FAIL_UNDER="90")
    one.run(workflow(path)["jobs"]["bench"])
    return one


@pytest.fixture(scope="module")
def fleet(single: Machine, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """The machine that merged what two others had asked, with a better model, and compared it with the run of one."""
    path, place = FOLDER / "llmarith-shards.yml", tmp_path_factory.mktemp("fleet")
    jobs = workflow(path)["jobs"]
    last = machine(place / "last", path, BASELINE=str(single.run_folder))
    for number in (1, 2):
        one = machine(place / f"shard-{number}", path, MODEL="llmarith/exact")
        one.run(jobs["shard"], SHARD=f"{number}/2")
        assert one.failed == {}, one.said
        shutil.copytree(one.folder / "reports", last.folder / "shards" / f"shard-{number}")
    last.run(jobs["merge"])
    return last


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_workflow_gives_nothing_away(path: Path) -> None:
    """It may read the repository alone, no stranger starts it, one step has the key, and no input is in a script."""
    content = workflow(path)
    assert content["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in content["jobs"].values())
    assert {*content["on"]} <= {"schedule", "workflow_dispatch"}
    assert [step["run"] for step in steps(path) if "${{" in step.get("run", "")] == []
    assert [step["name"] for step in steps(path) if "secrets." in json.dumps(step)] == ["Ask"]
    assert all(re.fullmatch(r"actions/[a-z/-]+@v\d+", step["uses"]) for step in steps(path) if "uses" in step)


def test_a_floor_that_is_missed_fails_the_job_and_hides_nothing(single: Machine) -> None:
    """The step that asked fails; all files are there to be published, and the page of the run shows the numbers."""
    assert single.failed == {"Ask": 1}, single.said
    (said,) = (line for line in single.said.splitlines() if line.startswith("--llm-fail-under: "))
    assert f"\n{said}\n" in EXPLAINED
    files = {file.name for file in single.run_folder.iterdir()}
    assert files >= {"trials.jsonl", "summary.json", "report.json", "report.html"}
    assert "llmarith_outcome" in (single.folder / "reports" / "junit.xml").read_text("utf-8")
    assert "llmarith/sloppy" in single.page


@pytest.mark.proof
def test_shards_become_one_run(fleet: Machine) -> None:
    """What several machines asked is merged, shown and compared as a whole; a model that is better passes."""
    assert fleet.failed == {}, fleet.said
    assert json.loads((fleet.run_folder / "summary.json").read_text("utf-8"))["complete"]
    assert "llmarith/exact" in (fleet.run_folder / "report.html").read_text("utf-8")
    assert "llmarith/exact" in fleet.page
    assert (fleet.folder / "reports" / "comparison.md").read_text("utf-8") in fleet.page


@pytest.mark.proof
def test_a_model_that_got_worse_fails_the_job(single: Machine, fleet: Machine) -> None:
    """The step that compares says by how much, in the line that docs/ci.md shows, and the page has its table."""
    (compare,) = (step for step in steps(FOLDER / "llmarith.yml") if step.get("name", "").startswith("Compare"))
    again = replace(single, failed={}, said="", env={**single.env, "BASELINE": str(fleet.run_folder)})
    again.run({"steps": [compare]})
    assert again.failed == {compare["name"]: 1}, again.said
    said = again.said.replace(single.run_folder.name, "2026-11-22T13-43-04_llmarith-sloppy")
    assert said.replace(fleet.run_folder.name, "baseline") in EXPLAINED
    assert (again.folder / "reports" / "comparison.md").read_text("utf-8") in again.page
