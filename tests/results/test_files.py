"""JSON in ASCII, and files that appear when they are whole."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.results.run_files import UsageError, encode, new_file

TEXT = st.text(st.characters())
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)


@given(JSON)
def test_every_value_comes_back(value: Any) -> None:
    """From one line of ASCII, which controls no terminal.

    Two halves of a surrogate pair become one character.
    """
    line = encode(value)
    assert (line.isascii(), line.decode("ascii").isprintable()) == (True, True)
    joined = (
        json.dumps(value)
        .encode("utf-16", "surrogatepass")
        .decode("utf-16", "surrogatepass")
    )
    assert json.dumps(json.loads(line)) == json.dumps(json.loads(joined))
    assert json.loads(encode({"root": Path("a"), "big": Decimal("1.50")})) == {
        "root": "a",
        "big": "1.50",
    }


def write(target: Path, *inputs: Path, force: bool = False) -> None:
    with new_file("--output", target, inputs, force=force) as file:
        file.write(b"new")


def test_a_new_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    """Also under the longest name; not if the command fails, and not if another program
    has made it meanwhile.
    """
    target = tmp_path / ("x" * 255)
    with pytest.raises(KeyError), new_file("--output", target, [], force=False):
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    write(target)
    assert target.read_bytes() == b"new"
    other = tmp_path / "other"
    with (
        pytest.raises(UsageError, match="the file exists"),
        new_file("--output", other, [], force=False),
    ):
        other.touch()
    assert other.read_bytes() == b""


@pytest.mark.skipif(os.name == "nt", reason="no pipes, and links need rights")
@pytest.mark.parametrize("force", [False, True])
def test_no_input_and_nothing_but_a_file_is_replaced(
    tmp_path: Path, force: bool
) -> None:
    (log := tmp_path / "log").write_bytes(b"old")
    (other := tmp_path / "other").write_bytes(b"old")
    (tmp_path / "to-log").symlink_to(log)
    (tmp_path / "to-other").symlink_to(other)
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe")
    inputs = dict.fromkeys(("log", "x/../log", "to-log"), "one of the input files")
    others = dict.fromkeys(("to-other", "nowhere", "pipe", "."), "not a regular file")
    unwritable = dict.fromkeys(("x" * 300, "log/x"), "cannot be written")
    for name, why in (inputs | others | unwritable).items():
        with pytest.raises(UsageError, match=why):
            write(tmp_path / name, log, force=force)
    assert (log.read_bytes(), other.read_bytes()) == (b"old", b"old")
    if force:
        write(other, log, force=True)
        assert other.read_bytes() == b"new"
    else:
        with pytest.raises(
            UsageError, match="the file exists; name another file or add --force"
        ):
            write(other, log)
