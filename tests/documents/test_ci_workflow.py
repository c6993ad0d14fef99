"""The workflows of docs/ci: what they may do, and their steps, which are run here with
a fake model.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parents[2] / "docs" / "ci"
BENCH = """
import pytest

@pytest.mark.arithmetic(depths=[2, 8], trials=2)
def test_arithmetic(problem, ask):
    ask(problem)
"""


def workflow(name: str) -> dict[str, Any]:
    """The file, with every value as text."""
    content: dict[str, Any] = yaml.load(
        (FOLDER / name).read_text("utf-8"), yaml.BaseLoader
    )
    return content


def steps(name: str, job: str | None = None) -> Iterator[dict[str, Any]]:
    for title, content in workflow(name)["jobs"].items():
        yield from content["steps"] if job in (None, title) else ()


@pytest.mark.parametrize("name", ["llmarith.yml", "llmarith-shards.yml"])
def test_a_workflow_gives_nothing_away(name: str) -> None:
    """It reads only the repository, only its owners start it, one step has the key, and
    no script contains an input.
    """
    content = workflow(name)
    assert content["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in content["jobs"].values())
    assert {*content["on"]} <= {"schedule", "workflow_dispatch"}
    assert [step["run"] for step in steps(name) if "${{" in step.get("run", "")] == []
    assert [step["name"] for step in steps(name) if "secrets." in json.dumps(step)] == [
        "Ask"
    ]
    assert all(
        re.fullmatch(r"actions/[a-z/-]+@v\d+", step["uses"])
        for step in steps(name)
        if "uses" in step
    )


@pytest.mark.proof
def test_the_steps_of_both_workflows(tmp_path: Path) -> None:
    """Two shards become a run of the better model; a worse model misses its floor, and
    is worse than this run.
    """
    for folder in ("1", "2", "merge", "single"):
        (tmp_path / folder / "benches").mkdir(parents=True)
        (tmp_path / folder / "benches" / "test_bench.py").write_text(
            BENCH, encoding="utf-8"
        )
        (tmp_path / folder / "pytest.ini").touch()
    exact = {"MODEL": "llmarith/exact", "BASELINE": ""}
    for shard in ("1", "2"):
        assert set(
            _run(
                tmp_path / shard,
                "llmarith-shards.yml",
                "shard",
                **exact,
                SHARD=f"{shard}/2",
            ).values()
        ) == {0}
        shutil.copytree(
            tmp_path / shard / "reports", tmp_path / "merge" / "shards" / shard
        )
    assert set(
        _run(tmp_path / "merge", "llmarith-shards.yml", "merge", **exact).values()
    ) == {0}
    merged = tmp_path / "merge" / "reports" / "merged"
    assert json.loads((merged / "summary.json").read_text("utf-8"))["complete"]

    worse = {"MODEL": "llmarith/sloppy", "FAIL_UNDER": "90", "BASELINE": f"{merged}"}
    ended = _run(tmp_path / "single", "llmarith.yml", "bench", **worse)
    assert ended == {"Ask": 1, "Show the numbers": 0, "Compare with the baseline": 1}
    for folder, model in (("merge", "llmarith/exact"), ("single", "llmarith/sloppy")):
        assert model in (tmp_path / folder / "page.md").read_text("utf-8")
    comparison = (tmp_path / "single" / "reports" / "comparison.md").read_text("utf-8")
    assert comparison in (tmp_path / "single" / "page.md").read_text("utf-8")
    assert "llmarith_outcome" in (
        tmp_path / "single" / "reports" / "junit.xml"
    ).read_text("utf-8")


def _run(folder: Path, name: str, job: str, **env: str) -> dict[str, int]:
    """Run the scripts of a job as GitHub does, but for the installation; the exit
    status of each.
    """
    ended = {}
    for step in (
        step for step in steps(name, job) if "run" in step and step["name"] != "Install"
    ):
        if "BASELINE" in step.get("if", "") and not env["BASELINE"]:
            continue
        found = {
            "PATH": os.pathsep.join(
                [str(Path(sys.executable).parent), os.environ["PATH"]]
            ),
            "GITHUB_STEP_SUMMARY": f"{folder / 'page.md'}",
            "PYTEST_XDIST_AUTO_NUM_WORKERS": "0",
        }
        command = [
            "bash",
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            "-c",
            step["run"],
        ]
        variables = {**os.environ, **workflow(name)["env"], **found, **env}
        done = subprocess.run(command, cwd=folder, env=variables, check=False)
        ended[step["name"]] = done.returncode
    return ended
