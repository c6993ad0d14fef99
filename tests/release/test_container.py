"""The container, which cannot be built here: every path and package that its file names
exists, the package is built from the files that it copies, and a run says what
docs/containers.md says of a container that refuses namespaces.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents.blocks import blocks
from tests.release.test_release import build, names_in

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent
# What Docker and Podman refuse by default, for a process and those that it starts.
WITHOUT_NAMESPACES = (
    "echo 0 > /proc/sys/user/max_user_namespaces; "
    'exec setpriv --bounding-set=-all --inh-caps=-all "$@"'
)


def instructions() -> list[tuple[str, list[str]]]:
    """The instructions with their words, but for comments."""
    text = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(words[0], words[1:]) for words in map(shlex.split, lines)]


def of(name: str) -> list[list[str]]:
    return [words for instruction, words in instructions() if instruction == name]


def copied(into: Path) -> Path:
    """What COPY puts into the image, below a folder."""
    for *sources, target in of("COPY"):
        for source in sources:
            place = into / target.lstrip("/")
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, dirs_exist_ok=True)
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, place)
    return into


def test_every_path_and_command_exists(tmp_path: Path) -> None:
    """Files that are copied, files that pip reads, and programs that it starts."""
    copied(tmp_path)
    named = [
        path
        for words in of("RUN")
        for path in words
        if path.startswith("/opt/") and "=" not in path
    ]
    assert [path for path in named if not (tmp_path / path.lstrip("/")).exists()] == []
    assert "/opt/llmarith/requirements/install.txt" in named
    (entry,) = of("ENTRYPOINT")
    assert (PROGRAMS / entry[0].strip("[]")).exists()
    assert [words[0] for words in of("RUN")][-1] == "llmarith"


@pytest.mark.proof
def test_the_package_is_built_from_what_is_copied(tmp_path: Path) -> None:
    source = copied(tmp_path / "image") / "opt" / "llmarith"
    wheel = build("wheel", source, tmp_path / "wheel")
    assert names_in(wheel) == names_in(build("wheel", ROOT, tmp_path / "other"))


@pytest.mark.proof
def test_a_run_says_what_is_not_allowed(tmp_path: Path) -> None:
    """It goes on at a weaker level, and says so; a level that is demanded and does not
    hold ends it. Where there is no bubblewrap, nothing is tested.
    """
    confined = ["unshare", "--user", "--map-root-user", "sh", "-c", WITHOUT_NAMESPACES]
    able = subprocess.run([*confined, "sh", "true"], capture_output=True)
    if shutil.which("bwrap") is None or able.returncode:
        pytest.skip("needs bubblewrap and user namespaces")
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST_")
    }
    subprocess.run([PROGRAMS / "llmarith", "init", "."], cwd=tmp_path, check=True)
    run: list[str | Path] = [
        PROGRAMS / "pytest",
        "--llm-model=llmarith/exact",
        "-k",
        "A000045",
        "-rs",
    ]
    said = [
        subprocess.run(
            [*confined, "sh", *run, *more],
            cwd=tmp_path,
            env=own | {"COLUMNS": "300"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
        ).stdout
        for more in ([], ["--oeis-sandbox=strict"])
    ]
    assert "1 correct" in said[0]
    quoted = [
        line
        for block in blocks()
        if block.document == "containers.md" and "not strict" in block.text
        for line in block.text.splitlines()
    ]
    refused = [
        block.text.strip()
        for block in blocks()
        if block.document == "containers.md" and block.text.startswith("ERROR")
    ]
    assert [line for line in quoted if line not in said[0].splitlines()] == []
    assert refused
    assert [line for line in refused if line not in said[1].splitlines()] == []
