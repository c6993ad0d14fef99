"""`llmarith init`: what it makes, what it leaves alone, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from pytest_llmarith.cli import WRONG_USAGE, init, main
from pytest_llmarith.installation import origin
from pytest_llmarith.tasks.oeis.cache import STARTER, Cache

ROOT = Path(__file__).parents[2]
BENCH = "benches/test_arithmetic.py"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is not there yet; the command is given beside it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine"


def contents(folder: Path) -> Mapping[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_project_is_made(
    folder: Path,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder.parent)
    assert main(["init", "mine"]) == 0
    out, err = capsys.readouterr()
    assert {
        *("oeis_cache/README.md", "oeis_cache/NOTICE.md", "pytest.ini"),
        *(".gitignore", "README.md", "requirements.txt"),
    } <= contents(folder).keys()
    assert out.startswith(f"Created {folder}:\n  benches/ (")
    assert out.endswith(
        "\nNext:\n  cd mine\n  pytest benches --llm-model=llmarith/sloppy -k depth_3\n"
    )
    assert err == ""
    cache, own = Cache(folder / "oeis_cache"), Cache(ROOT / "oeis_cache")
    assert list(cache.sequences(STARTER)) == list(own.sequences(STARTER))
    assert all(
        cache.starter_program(sequence.number) for sequence in cache.sequences(STARTER)
    )
    monkeypatch.chdir(folder)
    run = pytester.runpytest_subprocess(
        "--collect-only", "-q", "--llm-model=llmarith/oracle", "--llm-trials=1"
    )
    assert run.ret == pytest.ExitCode.OK
    collected = {line.partition("::")[0] for line in run.outlines if "::" in line}
    assert collected == {
        f"benches/{path.name}" for path in (ROOT / "benches").glob("test_*.py")
    }


def test_the_same_command_again_makes_what_is_missing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    for missing, said in (
        (BENCH, "Created"),
        (None, "Already complete:"),
        (BENCH, "Created"),
    ):
        if missing:
            (folder / missing).unlink(missing_ok=True)
        assert main(["init", "mine"]) == 0
        assert capsys.readouterr().out.startswith(f"{said} {folder}:\n  benches/ (")
        assert (folder / BENCH).is_file()
    assert main(["init"]) == 0  # in the current folder
    assert (folder.parent / BENCH).is_file()
    assert " cd " not in capsys.readouterr().out


def test_changed_files_are_replaced_only_with_force(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for changed, named in (
        ([BENCH], ""),
        ([BENCH, "benches/test_oeis.py"], " and 1 more"),
    ):
        (folder / "benches").mkdir(parents=True, exist_ok=True)
        for bench in changed:
            (folder / bench).write_text("mine\n")
        before = contents(folder)
        assert main(["init", "mine"]) == WRONG_USAGE
        said = f"llmarith init: 'mine/{BENCH}'{named} would be replaced; name another folder, or write --force\n"
        assert capsys.readouterr().err == said
        assert contents(folder) == before
        assert main(["init", "mine", "--force"]) == 0
        assert (folder / BENCH).read_bytes() == (ROOT / BENCH).read_bytes()


@pytest.mark.parametrize(
    "name", ["pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"]
)
def test_a_configuration_is_kept(name: str, folder: Path) -> None:
    """A second one would hide it."""
    folder.mkdir()
    (folder / name).write_text("")
    assert main(["init", "mine", "--force"]) == 0
    assert (folder / name).read_text() == ""
    assert (folder / "pytest.ini").exists() is (name == "pytest.ini")


def test_what_a_project_has_is_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its README, lock, .gitignore and recipe for CI, also with --force."""
    recipe = ".github/workflows/llmarith.yml"
    for name in ("README.md", "requirements.txt", ".gitignore", recipe):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine\n")
    for force in ([], ["--force"]):
        assert main(["init", "mine", *force]) == 0
        for name in ("README.md", "requirements.txt", ".gitignore", recipe):
            assert (folder / name).read_text() == "mine\n"
    assert capsys.readouterr().err == ""


def test_the_lock_has_all_that_is_needed_as_it_is_installed(folder: Path) -> None:
    """One version of each package, and nothing that only an extra or another system
    needs.
    """
    assert main(["init", "mine"]) == 0
    lines = (folder / "requirements.txt").read_text().splitlines()
    is_unreleased = ".dev" in version("pytest-llmarith")
    assert any("not released" in line for line in lines) == is_unreleased
    pins = [line for line in lines if not line.startswith("#")]
    url = origin()
    if is_unreleased and url is not None:  # no index has it
        own = f"pytest-llmarith @ {url}"
        pins[pins.index(own)] = f"pytest-llmarith=={version('pytest-llmarith')}"
    versions = dict(pin.split("==") for pin in pins)
    assert len(versions) == len(pins)
    assert versions == {name: version(name) for name in versions}
    assert {"pytest-llmarith", "litellm", "pytest", "pluggy", "aiohttp"} <= {*versions}
    assert not {"vl-convert-python", "pandas", "ruff", "colorama", "pywin32"} & {
        *versions
    }


def test_ci_runs_on_the_files_of_the_project(folder: Path) -> None:
    """The recipe names the action that is beside it, which installs the lock."""
    assert main(["init", "mine"]) == 0
    recipe = yaml.safe_load((folder / ".github/workflows/llmarith.yml").read_text())
    for job in recipe["jobs"].values():
        *_, last = job["steps"]
        action = yaml.safe_load((folder / last["uses"] / "action.yml").read_text())
        assert {*last["with"]} <= {*action["inputs"]}
        lock = action["inputs"]["requirements"]["default"]
        assert (folder / lock).is_file()


def test_what_cannot_be_made_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.write_text("")
    assert main(["init", "mine"]) == WRONG_USAGE
    err = capsys.readouterr().err
    assert err.startswith("llmarith init: 'mine' cannot be written: ")
    assert err.count("\n") == 1
    monkeypatch.setattr(init, "_PACKAGE", folder.parent / "nothing")
    (folder.parent / "nothing").mkdir()
    assert main(["init", "other"]) == WRONG_USAGE
    assert "no benches found in" in capsys.readouterr().err
    assert not (folder.parent / "other").exists()


def test_a_broken_link_is_not_replaced(folder: Path) -> None:
    """Writing would make the file that it names."""
    (folder / "benches").mkdir(parents=True)
    (folder / BENCH).symlink_to(folder / "elsewhere.py")
    assert main(["init", "mine"]) == WRONG_USAGE
    assert not (folder / "elsewhere.py").exists()
