"""The action and the workflows of docs/ci give no key away."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.documents.blocks import ROOT

ACTION = ROOT / "action.yml"
RECIPES = sorted((ROOT / "docs" / "ci").glob("*.yml"))
OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LOCAL = "./.github/actions/llmarith"


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
