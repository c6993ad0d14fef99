"""A run leaves a page to look at, and is whole without it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pytest_llmarith.session.metadata import git_metadata

BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[2, 3], trials=1)
    def test_arithmetic(problem, ask):
        ask(problem)
"""


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_run_leaves_a_page(pytester: pytest.Pytester) -> None:
    """A run leaves a page beside its other files, marked as simulated where it is."""
    pytester.makepyfile(test_bench=BENCH)
    result = pytester.runpytest_subprocess("-W", "error", "--llm-model=llmarith/sloppy")
    assert result.ret == 0
    (page,) = (pytester.path / "reports").glob("*/report.html")
    result.stdout.fnmatch_lines([f"to look at: *{page.parent.name}/report.html"])
    text = page.read_text("utf-8")
    assert page.parent.name in text
    assert "all 16 answered" in text
    assert "Simulated." in text


def test_commit_and_changes(tmp_path: Path) -> None:
    """A project's commit, and whether its files differ from it; nothing where nothing was committed."""
    assert git_metadata(tmp_path) is None
    _git(tmp_path, "init", "--quiet")
    assert git_metadata(tmp_path) is None
    (tmp_path / "file").write_text("one", "utf-8")
    _git(tmp_path, "add", "file")
    _git(tmp_path, "commit", "--quiet", "-m", "One")
    clean = git_metadata(tmp_path)
    assert clean is not None
    assert len(str(clean["commit"])) == 40
    assert clean["dirty"] is False
    (tmp_path / "other").write_text("untracked files are no change", "utf-8")
    assert git_metadata(tmp_path) == clean
    (tmp_path / "file").write_text("two", "utf-8")
    assert git_metadata(tmp_path) == clean | {"dirty": True}


def test_where_there_is_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git is not installed its facts are unknown, and nothing fails."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_metadata(tmp_path) is None
