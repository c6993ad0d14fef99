"""Files that are there or not there, never half, and where a project begins."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_llmarith.files import project_of, replace_file


@pytest.mark.parametrize("content", [b"new", [b"n", b"", b"ew"]])
def test_a_file_is_written_whole(tmp_path: Path, content: bytes | list[bytes]) -> None:
    """Content comes as bytes or piece by piece, replaces what was there, and leaves nothing beside it."""
    (path := tmp_path / "file").write_bytes(b"an older and longer text")
    replace_file(path, content)
    assert path.read_bytes() == b"new"
    assert [*tmp_path.iterdir()] == [path]


def test_the_old_file_is_there_until_the_new_one_is_whole(tmp_path: Path) -> None:
    """While content is still coming, a reader finds the old file."""
    (path := tmp_path / "file").write_bytes(b"old")

    def pieces() -> Iterator[bytes]:
        yield b"new"
        assert path.read_bytes() == b"old"

    replace_file(path, pieces())
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("before", [b"old", None])
def test_what_cannot_be_written_whole_is_not_written(tmp_path: Path, before: bytes | None) -> None:
    """Where content breaks off the old file stays, or none appears, and no draft is left beside it."""
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)

    def broken() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        replace_file(path, broken())
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [before] * (before is not None)


def test_a_folder_that_is_not_there_is_the_systems_error(tmp_path: Path) -> None:
    """Folders are not made: whoever writes into one that is not there gets the system's error."""
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "none" / "file", b"")


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    """A folder of that name stays as it is, and no draft is left beside it."""
    (path := tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=os.strerror(errno.EISDIR)):
        replace_file(path, b"new")
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("made", "project"),
    [
        ([], "a/b/c"),
        (["a/pyproject.toml"], "a"),
        (["a/landmark/"], "a"),
        (["a/pyproject.toml", "a/b/landmark/"], "a/b"),
        (["a/landmark/", "a/b/pyproject.toml"], "a/b"),
        (["a/b/c/landmark/"], "a/b/c"),
        (["a/conftest.py"], "a"),
        (["a/conftest.py", "a/b/conftest.py"], "a/b"),
        (["a/pyproject.toml", "a/b/conftest.py"], "a"),
        (["a/landmark"], "a/b/c"),
        (["a/pyproject.toml/"], "a/b/c"),
    ],
)
def test_a_project_begins_at_a_landmark(tmp_path: Path, made: list[str], project: str) -> None:
    """The nearest folder upwards with a landmark or a pyproject.toml, else with a conftest.py, else the start."""
    (start := tmp_path / "a/b/c").mkdir(parents=True)
    for name in made:
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).touch()
    assert project_of(start, "landmark") == tmp_path / project
