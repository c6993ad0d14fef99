"""`llmarith init`, as people use it: what it makes, what it leaves alone, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_llmarith import kit
from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.oeis.cache import Cache
from pytest_llmarith.oeis.sets import STARTER

ROOT = Path(__file__).parents[2]
BENCH = "benches/test_arithmetic.py"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is not there yet; the command is given beside it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine"


def contents(folder: Path) -> Mapping[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_project_is_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All benches, the starter sequences with their notice, and a pytest.ini; then what to type."""
    assert main(["init", "mine"]) == 0
    out, err = capsys.readouterr()
    made = contents(folder)
    assert {name for name in made if name.startswith("benches/")} == {
        f"benches/{path.name}" for path in (ROOT / "benches").glob("*.py")
    }
    assert {"oeis_cache/README.md", "oeis_cache/NOTICE.md", "pytest.ini"} <= made.keys()
    assert out.startswith(f"Made in {folder}:\n  benches/ (")
    assert out.endswith("\nNext:\n  cd mine\n  pytest benches --llm-model=llmarith/exact -k depth_3\n")
    assert err == ""


def test_the_sequences_can_be_asked(folder: Path) -> None:
    """The cache that was made holds the whole starter set, each entry with its reference program."""
    main(["init", "mine"])
    cache, own = Cache(folder / "oeis_cache"), Cache(ROOT / "oeis_cache")
    assert list(cache.sequences(STARTER)) == list(own.sequences(STARTER))
    assert all(cache.starter_program(sequence.number) for sequence in cache.sequences(STARTER))


def test_items_are_collected(folder: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is a project of its own for pytest, with items of every bench."""
    main(["init", str(folder)])
    monkeypatch.chdir(folder)
    run = pytester.runpytest_subprocess("--collect-only", "-q", "--llm-model=llmarith/exact", "--llm-trials=1")
    assert run.ret == pytest.ExitCode.OK
    collected = {line.partition("::")[0] for line in run.outlines if "::" in line}
    assert collected == {f"benches/{path.name}" for path in (ROOT / "benches").glob("test_*.py")}


def test_the_current_folder_is_filled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without FOLDER the current folder is filled, and nothing is said of going there."""
    assert main(["init"]) == 0
    assert (folder.parent / BENCH).is_file()
    assert " cd " not in capsys.readouterr().out


def test_the_same_again_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is there as it was made is in nobody's way, and nobody is told that it was made."""
    main(["init", "mine"])
    before = contents(folder)
    capsys.readouterr()
    assert main(["init", "mine"]) == 0
    assert contents(folder) == before
    assert capsys.readouterr().out.startswith(f"Already there, in {folder}:\n  benches/ (")


def test_what_is_missing_is_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that somebody took away comes back, and that is said."""
    main(["init", "mine"])
    (folder / BENCH).unlink()
    capsys.readouterr()
    assert main(["init", "mine"]) == 0
    assert (folder / BENCH).is_file()
    assert capsys.readouterr().out.startswith(f"Made in {folder}:\n")


def test_changed_files_are_not_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit status 4, and nothing else is written either; --force replaces them."""
    (folder / BENCH).parent.mkdir(parents=True)
    (folder / BENCH).write_text("mine\n")
    assert main(["init", "mine"]) == WRONG_USAGE
    assert contents(folder) == {BENCH: b"mine\n"}
    assert capsys.readouterr().err == (
        f"llmarith init: 'mine/{BENCH}' would be replaced; name another folder, or write --force\n"
    )
    assert main(["init", "mine", "--force"]) == 0
    assert (folder / BENCH).read_bytes() == (ROOT / BENCH).read_bytes()


def test_several_changed_files_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first is named, so that the line stays one."""
    main(["init", "mine"])
    for bench in (BENCH, "benches/test_oeis.py"):
        (folder / bench).write_text("mine\n")
    assert main(["init", "mine"]) == WRONG_USAGE
    assert f"'mine/{BENCH}' and 1 more would be replaced" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"])
def test_a_configuration_is_kept(name: str, folder: Path) -> None:
    """A project that has one gets no second, which would hide it; not by --force either."""
    folder.mkdir()
    (folder / name).write_text("")
    assert main(["init", "mine", "--force"]) == 0
    assert (folder / name).read_text() == ""
    assert (folder / "pytest.ini").exists() is (name == "pytest.ini")


def test_a_file_is_no_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a file has the folder's name, one line says so, and the exit status is 4."""
    folder.write_text("")
    assert main(["init", "mine"]) == WRONG_USAGE
    err = capsys.readouterr().err
    assert err.startswith("llmarith init: 'mine' cannot be filled: ")
    assert err.count("\n") == 1


def test_a_broken_installation_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package without its benches makes no half project."""
    (folder / "package").mkdir(parents=True)
    monkeypatch.setattr(kit, "_PACKAGE", folder / "package")
    assert main(["init", "mine"]) == WRONG_USAGE
    assert "the benches are not in" in capsys.readouterr().err
    assert contents(folder) == {}
