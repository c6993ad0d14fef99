"""`llmarith verify` refuses what is no bundle, whatever a folder holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from tests.runs_on_disk import asked, run_in


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of two trials."""
    run = run_in(tmp_path / "run", [asked("{}"), asked("7", trial=1)])
    folder = tmp_path / "bundle"
    assert main(["publish", str(run), f"--output={folder}"]) == 0
    return folder


def _long_line(folder: Path) -> None:
    with (folder / "trials.jsonl").open("r+b") as log:
        log.truncate(2**30)


def _large_summary(folder: Path) -> None:
    with (folder / "summary.json").open("r+b") as summary:
        summary.truncate(2**30)


def _link(folder: Path) -> None:
    (folder / "uv.lock").symlink_to("/etc/passwd")


def _log_is_a_link(folder: Path) -> None:
    (folder / "trials.jsonl").rename(folder.parent / "log")
    (folder / "trials.jsonl").symlink_to(folder.parent / "log")


def _pipe(folder: Path) -> None:
    (folder / "report.html").unlink()
    os.mkfifo(folder / "report.html")


def _folder(folder: Path) -> None:
    (folder / "more").mkdir()


def _many_files(folder: Path) -> None:
    for number in range(1_000):
        (folder / f"{number}").touch()


def _nested(folder: Path) -> None:
    (folder / "summary.json").write_text("[" * 100_000)


def _no_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("\x1b[31mred\n")


def _a_time_that_is_none(folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text())
    summary["run"]["started_at"] = "2026-13-32T25:61:61Z"
    (folder / "summary.json").write_text(json.dumps(summary))


@pytest.mark.parametrize(
    "change",
    [
        *(_long_line, _large_summary, _link, _log_is_a_link, _pipe, _folder),
        *(_many_files, _nested, _no_manifest, _a_time_that_is_none),
    ],
)
def test_hostile_folders_are_refused_in_one_line(
    change: Callable[[Path], None],
    bundle: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change(bundle)
    capsys.readouterr()
    assert main(["verify", str(bundle)]) == 4
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    assert line.isprintable()


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "a\x1b[31m/../b"])
def test_paths_out_of_the_folder_are_not_opened(
    name: str, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["files"][name] = manifest["files"]["trials.jsonl"]
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    capsys.readouterr()
    assert main(["verify", str(bundle)]) == 1
    assert "this file is missing" in capsys.readouterr().out


@pytest.mark.parametrize(
    "changed",
    [
        {"depth": 10**15},
        {"trial": 10**15},
        {"seed": 10**15},
        {"variant": "int_pow"},
        {"variant": None},
        {"inputs": {}},
        {"expected": {"a": [[]]}},
    ],
)
def test_problems_that_no_task_makes_are_findings(
    changed: dict[str, object], bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (bundle / "trials.jsonl").read_text().splitlines()
    record = json.loads(lines[0])
    record["problem"] |= changed
    (bundle / "trials.jsonl").write_text(f"{json.dumps(record)}\n{lines[1]}\n")
    capsys.readouterr()
    assert main(["verify", str(bundle)]) == 1
    assert "trials.jsonl, line 1: " in capsys.readouterr().out


def test_nothing_is_written(bundle: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in bundle.parent.rglob("*")}
    main(["verify", str(bundle)])
    assert before == {
        path: path.stat().st_mtime_ns for path in bundle.parent.rglob("*")
    }


OWN_TASK = """
import pytest
from pytest_llmarith import Problem, Task

WORDS = ["apple", "river", "window"]
backwards = Task(
    "backwards",
    [Problem({"word": word}, expected=word[::-1], label=word) for word in WORDS],
    lambda problem: f"Write this word backwards, and nothing else: {problem['word']}",
)

@pytest.mark.llmarith_task(backwards)
def test_backwards(problem, ask):
    ask(problem)
"""


@pytest.fixture(scope="module")
def own_task(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The file of a user's task, and the bundle of its run."""
    project = tmp_path_factory.mktemp("project")
    (file := project / "test_backwards.py").write_text(OWN_TASK)
    model = "--llm-model=llmarith/oracle"
    command = (sys.executable, "-m", "pytest", "-q", model, "--llm-store=off")
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    [run] = (project / "reports").iterdir()
    folder = project / "bundle"
    assert main(["publish", str(run), f"--output={folder}"]) == 0
    return file, folder


def test_a_task_of_the_user_is_checked_with_its_file(
    own_task: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """What was asked has no depths, as the task has none."""
    file, folder = own_task
    capsys.readouterr()
    assert main(["verify", str(folder)]) == 0
    told = capsys.readouterr()
    assert "3 trials of the task backwards were not checked" in told.err
    assert "nothing contradicts what was checked of this bundle" in told.out
    assert main(["verify", str(folder), f"--task={file}:backwards"]) == 0
    told = capsys.readouterr()
    assert "not checked" not in told.err
    assert "backwards: 3 questions: llmarith/oracle, " in told.out
    assert "depth" not in told.out


def test_another_task_than_that_of_the_run_is_a_finding(
    own_task: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, folder = own_task
    file = tmp_path / "test_backwards.py"
    file.write_text(OWN_TASK.replace("word[::-1]", "word"))
    capsys.readouterr()
    assert main(["verify", str(folder), f"--task={file}:backwards"]) == 1
    assert "the task makes no such problem" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["forwards", ""])
def test_a_file_without_the_task_is_refused(
    name: str, own_task: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    file, folder = own_task
    capsys.readouterr()
    assert main(["verify", str(folder), f"--task={file}:{name}"]) == 4
    [line] = capsys.readouterr().err.splitlines()
    assert "--task: " in line
