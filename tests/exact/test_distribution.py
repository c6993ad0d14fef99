"""The distribution `exactnum`: the same files under another name, with nothing but the
standard library.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.release.test_release import build

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "exactnum"

pytestmark = pytest.mark.skipif(
    not SOURCE.is_dir(), reason="the other distribution is not in this source"
)


def python(code: str, path: Path) -> str:
    """What an isolated Python prints that imports from `path` and the standard library
    only.
    """
    start = f"import sys; sys.path.append({str(path)!r}); "
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", start + code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", SOURCE, tmp_path_factory.mktemp("wheel"))


def test_only_the_standard_library_is_imported() -> None:
    """No module of another package is loaded."""
    loaded = python("import exactnum; print(*sys.modules)", SOURCE).split()
    others = (
        {name.partition(".")[0] for name in loaded}
        - sys.stdlib_module_names
        - {"__main__", "exactnum"}
    )
    assert others == set()


def test_the_wheel_holds_the_grader_and_nothing_else(
    wheel: Path, tmp_path: Path
) -> None:
    """Every file of the package under the other name; the sdist builds the same wheel;
    it works from the archive.
    """
    package = ROOT / "pytest_llmarith" / "exact"
    files = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*")
        if path.is_file()
    }
    expected = {f"exactnum/{name}" for name in files if "__pycache__" not in name}
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if ".dist-info/" not in name} == expected
    with tarfile.open(build("sdist", SOURCE, tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    assert (
        set(zipfile.ZipFile(build("wheel", source, tmp_path / "rebuilt")).namelist())
        == names
    )
    size = len((package / "corpus" / "cases.jsonl").read_text("utf-8").splitlines())
    code = (
        "import exactnum, exactnum.conformance as it; "
        "print(exactnum.grade('42', '42').correct, len(it.load_corpus()))"
    )
    assert python(code, wheel).split() == ["True", str(size)]


def test_the_examples_of_its_readme() -> None:
    """Under its own name, with the standard library only."""
    code = f"import doctest; print(doctest.testfile({str(SOURCE / 'README.md')!r}, module_relative=False))"
    assert python(code, SOURCE).startswith("TestResults(failed=0, attempted=5")


@pytest.mark.proof
def test_its_tests_pass_under_its_name() -> None:
    """The tests of reading and grading, with the modules of `exactnum` in place of the
    package's own.
    """
    folders = [
        "tests/exact/test_grade_replies.py",
        "tests/exact/test_corpus.py",
        "tests/answers",
        "tests/grading",
    ]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.exact.as_exactnum",
        "-m",
        "not proof",
        *folders,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
