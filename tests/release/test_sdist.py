"""The tests of the source distribution pass from there, against the package that it installs."""

from __future__ import annotations

import re
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from tests.release.building import installer, run

pytestmark = pytest.mark.proof

# Quick ones of every floor, and of what comes along beside the code: documents, sequences.
CHOSEN = (
    "tests/answers/test_read.py",
    "tests/tasks",
    "tests/grading/test_grade.py",
    "tests/oeis/test_oeis_starter.py",
    "tests/release/test_supported_versions.py",
    "tests/documents/test_option_reference.py",
)
BENCH = ("benches/test_arithmetic.py", "--llm-model=llmarith/exact", "-k", "int_add and depth_2")


@pytest.fixture(scope="module")
def source(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that is unpacked."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return source


@pytest.fixture(scope="module")
def python(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the package from there, and whose other packages are those of this one.

    A line of a .pth file is followed no further: the package that is installed here, which is the clone, is not seen.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    python = folder / "bin" / "python"
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).strip()
    Path(packages, "others.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    offline = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation")
    run(*installer(python), *offline, source, folder=folder)
    return python


def test_the_package_is_the_one_that_was_installed(python: Path, source: Path) -> None:
    """Neither the clone nor the unpacked folder is what the tests below test."""
    found = run(python, "-P", "-c", "import pytest_llmarith as it; print(it.__file__)", folder=source)
    assert Path(found).is_relative_to(python.parent.parent)


@pytest.mark.parametrize("arguments", [CHOSEN, BENCH], ids=["tests", "bench"])
def test_its_tests_pass(python: Path, source: Path, arguments: tuple[str, ...]) -> None:
    """The tests in the sdist pass, run as whoever packages it for a system would run them."""
    said = run(python, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, folder=source)
    assert re.search(r"\d+ (passed|correct)", said)
    assert "failed" not in said
