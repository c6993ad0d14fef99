"""Versions, license and authors are the same wherever they are said."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_supported_versions() -> None:
    """The classifiers name every Python from the oldest to the newest, and the
    documents name both, and pytest.
    """
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    first, last = pythons[0], pythons[-1]
    assert PROJECT["requires-python"] == f">={first}"
    assert [
        f"3.{minor}" for minor in range(int(first[2:]), int(last[2:]) + 1)
    ] == pythons
    pytest_version = next(
        line.partition(">=")[2]
        for line in PROJECT["dependencies"]
        if line.startswith("pytest>=")
    )
    for path in ("README.md", "PACKAGE.md", "docs/release.md"):
        text = " ".join((ROOT / path).read_text("utf-8").split())
        assert f"Python {first} to {last}" in text, path
        assert f"pytest {pytest_version} " in text, path


def test_the_changelog_is_of_this_version_and_the_citation_of_this_project() -> None:
    begins, *_ = re.findall(
        r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    version = PROJECT["version"]
    awaited = (
        "Unreleased"
        if Version(version).is_devrelease
        else rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)"
    )
    assert re.fullmatch(awaited, begins)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["title"] == PROJECT["name"]
    assert [citation[name] for name in ("license", "authors")] == [
        PROJECT[name] for name in ("license", "authors")
    ]
