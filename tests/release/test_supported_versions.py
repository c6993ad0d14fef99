"""What is said of supported versions is one thing, said in three places."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

import pytest_llmarith

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PYTHONS = [
    told.rpartition(" ")[2]
    for told in PROJECT["classifiers"]
    if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", told)
]
PYTEST = next(line.partition(">=")[2] for line in PROJECT["dependencies"] if line.startswith("pytest>="))


def test_supported_pythons_have_no_gap() -> None:
    """The classifiers name every release from the oldest that installs to the newest that is tested."""
    first, last = PYTHONS[0], PYTHONS[-1]
    assert PROJECT["requires-python"] == f">={first}"
    assert [f"3.{minor}" for minor in range(int(first[2:]), int(last[2:]) + 1)] == PYTHONS


@pytest.mark.parametrize("path", ["README.md", "PACKAGE.md", "docs/release.md"])
def test_documents_name_them(path: str) -> None:
    """The oldest and the newest Python, and the oldest pytest, as pyproject.toml has them."""
    text = " ".join((ROOT / path).read_text("utf-8").split())
    assert f"Python {PYTHONS[0]} to {PYTHONS[-1]}" in text
    assert f"pytest {PYTEST} " in text


def test_the_changelog_begins_with_this_version() -> None:
    """With its day where it is one to be released, else with what is not released yet."""
    begins, *_ = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    version = PROJECT["version"]
    awaited = "Unreleased" if Version(version).is_devrelease else rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)"
    assert re.fullmatch(awaited, begins)


def test_the_citation_is_of_this_version() -> None:
    """CITATION.cff names version, title, license and authors as pyproject.toml does."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"]
    assert citation["type"] == "software"
    assert citation["authors"] == PROJECT["authors"]
    assert [citation[name] for name in ("title", "version", "license")] == [
        PROJECT[name] for name in ("name", "version", "license")
    ]


def test_this_python_is_supported() -> None:
    """These tests run on a Python that we say we support."""
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in PYTHONS


def test_the_package_is_typed() -> None:
    """Type checkers read its types, as the classifier says."""
    assert Path(pytest_llmarith.__file__).with_name("py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]
