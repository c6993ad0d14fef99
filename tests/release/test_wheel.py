"""What is released holds all that a user without a clone needs, and nothing of ours beside."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from pathlib import Path

import pytest

from tests.release.building import PYTHON, ROOT, build, installer, run

pytestmark = pytest.mark.proof

PACKAGE = "pytest_llmarith/"
KIT = f"{PACKAGE}_kit/"


def names_in(wheel: Path) -> set[str]:
    return {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith(PACKAGE)}


def below(folder: str, patterns: Iterable[str], called: str = "") -> set[str]:
    """The files of the clone that match, as the wheel calls them."""
    paths = [path for pattern in patterns for path in (ROOT / folder).rglob(pattern)]
    return {called + path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as an installer lays it out, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    run(*installer(), "--quiet", "--no-index", "--no-deps", "--target", folder, wheel, folder=folder)
    return folder


def test_the_wheel_is_the_package(wheel: Path) -> None:
    """Every module, page asset, template, list of numbers and the marker of types, as they stand in the clone."""
    data = ("*.py", "*.js", "*.css", "*.html", "*.txt", "py.typed")
    assert {name for name in names_in(wheel) if not name.startswith(KIT)} == below(PACKAGE, data)


def test_the_wheel_says_who_made_it(wheel: Path) -> None:
    """Its metadata names the authors, and the text that a package index shows."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = message_from_bytes(archive.read(name))
    assert metadata["Author"] == "The pytest-llmarith developers"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "PACKAGE.md").read_text("utf-8")


def test_the_wheel_has_what_a_project_begins_with(wheel: Path) -> None:
    """Benches and the starter sequences; no entry that somebody fetched."""
    begun = below("benches", ["*.py"], KIT) | below("oeis_cache/starter", ["A*"], KIT)
    notes = {f"{KIT}oeis_cache/README.md", f"{KIT}oeis_cache/NOTICE.md"}
    assert {name for name in names_in(wheel) if name.startswith(KIT)} == begun | notes


def test_the_wheel_has_nothing_else(wheel: Path) -> None:
    """No tests, no reports, no settings of ours: what is not the package tells of it."""
    others = set(zipfile.ZipFile(wheel).namelist()) - names_in(wheel)
    assert {name.partition("/")[0].rpartition(".")[2] for name in others} == {"dist-info"}


def test_the_source_makes_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    """The sdist holds tests and documents, and what it builds is what the clone builds."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert (source / "tests/release/test_wheel.py").is_file()
    assert (source / "docs/architecture.md").is_file()
    assert not (source / "reports").exists()
    rebuilt = build("wheel", source, tmp_path / "rebuilt")
    assert rebuilt.name == wheel.name
    assert names_in(rebuilt) == names_in(wheel)


def test_a_project_is_begun_and_run_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    """Without the clone: init, a run with programs in the sandbox, its page, and its tables once more."""
    package = run(PYTHON, "-c", "import pytest_llmarith as it; print(it.__file__)", folder=tmp_path, path=installed)
    assert Path(package.strip()).is_relative_to(installed)

    command = "import sys; from pytest_llmarith.cli import main; sys.exit(main(sys.argv[1:]))"
    assert "benches/" in run(PYTHON, "-c", command, "init", "mine", folder=tmp_path, path=installed)

    chosen = "int_add and depth_2 or A000045"
    said = run(
        PYTHON, "-m", "pytest", "--llm-model=llmarith/exact", "-k", chosen, folder=tmp_path / "mine", path=installed
    )
    assert "10 correct" in said or "11 correct" in said  # without a sandbox the program is skipped

    (page,) = (tmp_path / "mine" / "reports").glob("*/report.html")
    assert "int_add" in page.read_text("utf-8")
    assert "int_add" in run(PYTHON, "-c", command, "report", page.parent, folder=tmp_path, path=installed)
