"""What is released: the wheel holds all that a user without a clone needs, and the
sdist makes the same wheel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from pathlib import Path

import pytest

pytestmark = pytest.mark.proof

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable


def run(*command: str | Path, folder: Path, path: Path | None = None) -> str:
    """What a command said, whose Python imports from `path` before the clone; it has to
    end well.
    """
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST_")
    }
    environment = own | {"PYTHONPATH": str(path or ""), "COLUMNS": "120"}
    ended = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def build(target: str, source: Path, into: Path) -> Path:
    run(
        PYTHON,
        "-m",
        "hatchling",
        "build",
        "--target",
        target,
        "--directory",
        into,
        folder=source,
    )
    (built,) = into.iterdir()
    return built


PACKAGE = "pytest_llmarith/"
KIT = f"{PACKAGE}_kit/"


def names_in(wheel: Path) -> set[str]:
    return {
        name for name in zipfile.ZipFile(wheel).namelist() if name.startswith(PACKAGE)
    }


def below(folder: str, patterns: Iterable[str], called: str = "") -> set[str]:
    """The files of the clone that match, as the wheel calls them."""
    paths = [path for pattern in patterns for path in (ROOT / folder).rglob(pattern)]
    return {
        called + path.relative_to(ROOT).as_posix()
        for path in paths
        if "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as it is in the wheel, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def test_what_is_in_the_wheel(wheel: Path) -> None:
    data = (
        "*.py",
        "*.js",
        "*.css",
        "*.html",
        "*.txt",
        "*.jsonl",
        "*.md",
        "*.svg",
        "py.typed",
    )
    begun = below("benches", ["*.py", "*.md"], KIT) | below(
        "oeis_cache/starter", ["A*"], KIT
    )
    others = ("oeis_cache/README.md", "oeis_cache/NOTICE.md")
    ci = ("action.yml", "docs/ci/pull-request.yml")
    begun |= {KIT + name for name in (*others, *ci)}
    assert names_in(wheel) == below(PACKAGE, data) | begun
    archive = zipfile.ZipFile(wheel)
    metadata_files = set(archive.namelist()) - names_in(wheel)
    assert {name.partition("/")[0].rpartition(".")[2] for name in metadata_files} == {
        "dist-info"
    }
    (name,) = (name for name in metadata_files if name.endswith(".dist-info/METADATA"))
    metadata = message_from_bytes(archive.read(name))
    assert metadata["Author"] == "The pytest-llmarith developers"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "PACKAGE.md").read_text("utf-8")


def test_the_source_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", ROOT, tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    assert (source / "tests/release/test_release.py").is_file()
    assert (source / "docs/architecture.md").is_file()
    assert not (source / "reports").exists()
    rebuilt = build("wheel", source, tmp_path / "rebuilt")
    assert rebuilt.name == wheel.name
    assert names_in(rebuilt) == names_in(wheel)


def test_a_project_is_begun_and_run_from_the_wheel(
    installed: Path, tmp_path: Path
) -> None:
    """Without the clone: init, a run with programs in the sandbox, its page, and its
    tables once more.
    """
    package = run(
        PYTHON,
        "-c",
        "import pytest_llmarith as it; print(it.__file__)",
        folder=tmp_path,
        path=installed,
    )
    assert Path(package.strip()).is_relative_to(installed)

    command = (
        "import sys; from pytest_llmarith.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    assert "benches/" in run(
        PYTHON, "-c", command, "init", "mine", folder=tmp_path, path=installed
    )

    chosen = "int_add and depth_2 or A000045"
    said = run(
        PYTHON,
        "-m",
        "pytest",
        "--llm-model=llmarith/oracle",
        "-k",
        chosen,
        folder=tmp_path / "mine",
        path=installed,
    )
    assert (
        "10 correct" in said or "11 correct" in said
    )  # without a sandbox the program is skipped

    (page,) = (tmp_path / "mine" / "reports").glob("*/report.html")
    assert "int_add" in page.read_text("utf-8")
    assert "int_add" in run(
        PYTHON, "-c", command, "report", page.parent, folder=tmp_path, path=installed
    )
