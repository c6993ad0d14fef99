"""What is read and written at the edges: whole files, where a project begins, JSON and
HTTP's dates.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_llmarith.files import project_of, replace_file, retry_after_s
from pytest_llmarith.records import DEEPEST, is_plain, parse_json


@pytest.mark.parametrize("before", [b"old", None])
def test_a_file_is_written_whole(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)

    def pieces(end: Exception | None) -> Iterator[bytes]:
        yield b"new"
        assert (path.read_bytes() if path.exists() else None) == before
        if end:
            raise end

    with pytest.raises(RuntimeError, match="no more"):
        replace_file(path, pieces(RuntimeError("no more")))
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [before] * (
        before is not None
    )
    replace_file(path, pieces(None))
    assert path.read_bytes() == b"new"
    replace_file(path, b"at once")
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"at once"]


@pytest.mark.parametrize(
    ("made", "project"),
    [
        ([], "a/b/c"),
        (["a/pyproject.toml"], "a"),
        (["a/landmark/"], "a"),
        (["a/pyproject.toml", "a/b/landmark/"], "a/b"),
        (["a/landmark/", "a/b/pyproject.toml"], "a/b"),
        (["a/conftest.py"], "a/b/c"),
    ],
)
def test_a_project_begins_at_a_landmark(
    tmp_path: Path, made: list[str], project: str
) -> None:
    """The nearest folder upwards with a landmark or a pyproject.toml, else the
    start.
    """
    (start := tmp_path / "a/b/c").mkdir(parents=True)
    for name in made:
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).touch()
    assert project_of(start, "landmark") == tmp_path / project


def test_json_is_read_strictly() -> None:
    for text in ("NaN", "[Infinity]", '{"a": -Infinity}'):
        with pytest.raises(ValueError, match="is not JSON"):
            parse_json(text)
    assert (
        parse_json('{"a": [1, 2.5, null]}')
        == parse_json(b'{"a": [1, 2.5, null]}')
        == {"a": [1, 2.5, None]}
    )
    for levels, shallow in ((0, True), (DEEPEST - 1, True), (DEEPEST, False)):
        assert is_plain(parse_json("[" * levels + "1" + "]" * levels)) is shallow
        assert is_plain(parse_json('{"a":' * levels + "1" + "}" * levels)) is shallow


def test_seconds_until_a_date_of_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dates without a zone are in UTC, wherever the machine is; the past is 0 seconds
    away, and no date has none.
    """
    with monkeypatch.context() as local:
        local.setenv("TZ", "XXX-9")
        time.tzset()
        named, unnamed = (
            retry_after_s(f"Fri, 01 Jan 9999 00:00:00 {zone}")
            for zone in ("GMT", "-0000")
        )
    time.tzset()
    assert named is not None
    assert unnamed is not None
    assert abs(named - unnamed) < 3600
    assert retry_after_s("Thu, 01 Jan 1970 00:00:00 GMT") == 0
    for text in (
        "soon",
        "",
        "Fri, 01 Jan 99999 00:00:00 GMT",
        f"Fri, 01 Jan {'9' * 30} 00:00:00 GMT",
    ):
        assert retry_after_s(text) is None
