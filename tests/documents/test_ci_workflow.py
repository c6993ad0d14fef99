"""The action and the workflows of docs/ci: what they may do, and their scripts, which
run here as GitHub runs them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.documents.blocks import ROOT
from tests.release.test_release import build

ACTION = ROOT / "action.yml"
RECIPES = sorted((ROOT / "docs" / "ci").glob("*.yml"))
OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LOCAL = "./.github/actions/llmarith"
BENCH = """
import os, pytest

@pytest.mark.arithmetic(depths=[2, 8], trials=2)
def test_arithmetic(problem, ask):
    ask(problem)

def test_keys():
    assert os.environ["OPENAI_API_KEY"] and "KEYS" not in os.environ
"""


def parsed(path: Path) -> dict[str, Any]:
    """The file, with every value as text."""
    content: dict[str, Any] = yaml.load(path.read_text("utf-8"), yaml.BaseLoader)
    return content


def steps(path: Path) -> Iterator[dict[str, Any]]:
    content = parsed(path)
    for job in content["jobs"].values() if "jobs" in content else [content["runs"]]:
        yield from job["steps"]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_gives_nothing_away(path: Path) -> None:
    """It reads only the repository, a fork cannot start what has the key, and the key
    goes to the one field that gives it to one step.
    """
    content = parsed(path)
    assert content["permissions"] == {"contents": "read"}
    events = content["on"]
    started = {events} if isinstance(events, str) else {*events}
    assert started <= {"schedule", "workflow_dispatch", "pull_request"}
    for job in content["jobs"].values():
        assert "permissions" not in job
        has_key = "secrets." in str(job)
        if has_key and "pull_request" in started:
            assert job["if"] == "github.event_name == 'workflow_dispatch'"
    fields = parsed(ACTION)["inputs"]
    for step in steps(path):
        given = step.get("with", {})
        if step["uses"] == LOCAL:
            assert {*given} <= {*fields}
            assert [name for name in given if "secrets." in given[name]] in (
                [],
                ["keys"],
            )
    asking = [step for step in steps(ACTION) if "inputs.keys" in str(step)]
    assert [step["name"] for step in asking] == ["Ask"]


def test_zizmor_finds_nothing_high() -> None:
    """In any workflow, and in the action."""
    zizmor = Path(sys.executable).with_name("zizmor")
    command: list[str | Path] = [zizmor, "--offline", "--quiet"]
    command += ["--min-severity=high", "--no-progress", ACTION, *RECIPES, *OWN]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stdout + found.stderr


# --- the scripts ----------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a small bench, and variables as on GitHub."""
    (tmp_path / "benches").mkdir()
    (tmp_path / "benches" / "test_bench.py").write_text(BENCH, encoding="utf-8")
    (tmp_path / "pytest.ini").touch()
    return tmp_path


def run_action(
    folder: Path, environment: Mapping[str, str], **fields: str
) -> dict[str, int]:
    """Run the scripts of the action but for the installation; the exit status of each.

    `_` in the name of a field stands for `-`.
    """
    content = parsed(ACTION)
    inputs = {name: one.get("default", "") for name, one in content["inputs"].items()}
    inputs |= {name.replace("_", "-"): value for name, value in fields.items()}
    github = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": f"{folder / 'page.md'}",
        "GITHUB_WORKSPACE": f"{folder}",
        "PYTEST_XDIST_AUTO_NUM_WORKERS": "0",
        "CI": "true",
    }
    ended: dict[str, int] = {}
    for step in steps(ACTION):
        condition = step.get("if", "success()")
        if "()" not in condition:
            condition = f"success() && {condition}"
        if not holds(condition, inputs, ok=not any(ended.values())):
            continue
        if "run" not in step or step["name"] == "Install":
            continue
        variables = {
            name: filled(text, inputs) for name, text in step.get("env", {}).items()
        }
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            bash,
            cwd=folder,
            env={**environment, **github, **variables},
            check=False,
            timeout=240,
        )
        ended[step["name"]] = done.returncode
    return ended


def filled(text: str, inputs: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda one: inputs[one[1]], text)


def holds(condition: str, inputs: Mapping[str, str], *, ok: bool) -> bool:
    """Whether a condition of the action holds: && of comparisons, with always()."""
    values = {"always()": True, "success()": ok}
    for part in condition.split(" && "):
        if part not in values:
            found = re.fullmatch(r"inputs\.([a-z-]+) (==|!=) '(.*)'", part)
            assert found, part
            name, sign, text = found.groups()
            values[part] = (inputs[name] == text) == (sign == "==")
    return all(values[part] for part in condition.split(" && "))


KEYS = {"keys": "\nOPENAI_API_KEY=sk-of-the-tests\n"}
# Without what would change the runs.
PLAIN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("PYTEST", "LLMARITH", "OPENAI"))
}


@pytest.mark.proof
def test_the_lock_is_installed(tmp_path: Path) -> None:
    """By the Python that the step before has set up."""
    wheel = build("wheel", ROOT / "exactnum", tmp_path / "wheel")
    (tmp_path / "lock.txt").write_text(f"{wheel}\n", encoding="utf-8")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, timeout=240)
    (install,) = (step for step in steps(ACTION) if step.get("name") == "Install")
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", install["run"]],
        cwd=tmp_path,
        env={
            **PLAIN,
            "PATH": f"{venv}/bin:{PLAIN['PATH']}",
            "REQUIREMENTS": "lock.txt",
        },
        check=True,
        timeout=240,
    )
    subprocess.run([venv / "bin" / "python", "-c", "import exactnum"], check=True)


@pytest.mark.proof
def test_shards_are_merged_and_a_worse_model_fails_the_gate(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two shards become a run; a worse model misses its floor, and is worse than this
    run. Tables and comparison are on the page of the job and in the upload.
    """
    fine = {"models": "llmarith/exact", **KEYS}
    for shard in ("1", "2"):
        asked = run_action(project, PLAIN, shard=f"{shard}/2", **fine)
        assert asked == {"Ask": 0, "Show the tables": 0}
        uploaded = project / "shards" / f"shard-{shard}"
        shutil.move(project / "reports", uploaded)
        assert (uploaded / "junit.xml").is_file()
    merging = {"Merge": 0, "Show the tables": 0}
    assert run_action(project, PLAIN, merge="shards") == merging

    other = tmp_path_factory.mktemp("other")
    shutil.copytree(project / "benches", other / "benches")
    (other / "pytest.ini").touch()
    baseline = other / ".llmarith-baseline" / "baseline"  # as checkout leaves it
    shutil.copytree(project / "reports" / "merged", baseline)
    worse = {"models": "llmarith/sloppy\n", "fail_under": "90", **KEYS}
    ended = run_action(other, PLAIN, baseline="baseline", **worse)
    assert ended == {"Ask": 1, "Show the tables": 0, "Compare with the baseline": 1}
    page = (other / "page.md").read_text("utf-8")
    comparison = (other / "reports" / "comparison.md").read_text("utf-8")
    assert "llmarith/sloppy" in page
    assert comparison in page
    (run,) = (other / "reports").glob("*_llmarith-sloppy")
    assert {"report.json", "report.html"} <= {path.name for path in run.iterdir()}


@pytest.mark.proof
def test_a_batch_is_submitted_and_collected(
    project: Path, environment: dict[str, str]
) -> None:
    """The evening leaves no run and compares nothing; the next morning has one."""
    batch = {"models": "o4-mini", "max_cost": "", **KEYS}
    batch["arguments"] = "--llm-depths=2\n--llm-trials=2"
    assert run_action(project, environment, batch="submit", **batch) == {"Ask": 0}
    collected = run_action(project, environment, batch="collect", **batch)
    assert collected == {"Ask": 0, "Show the tables": 0}
    assert "o4-mini" in (project / "page.md").read_text("utf-8")
