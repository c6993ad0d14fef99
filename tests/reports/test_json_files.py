"""JSON on disk: strict, ASCII, whole or not there."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.jsonfiles import encode, write_json

TEXT = st.text(st.characters())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)


def joined(text: str) -> str:
    """Two halves of a surrogate pair that stand side by side are one character, in JSON as in UTF-16."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@given(JSON)
def test_every_value_comes_back(value: Any) -> None:
    """What is written is one line of ASCII and reads as what it was."""
    line = encode(value)
    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert json.dumps(json.loads(line)) == json.dumps(json.loads(joined(json.dumps(value))))


@pytest.mark.parametrize(
    "text", ["\ud800", "\udfff\ud800", "a\u2028b\u2029c\x85d", "\x1b[2J\x9b", "\u202e", "\0", "\x18"]
)
def test_hostile_text_stays_itself(text: str) -> None:
    """Surrogates, separators and escape sequences neither break a line nor get lost."""
    line = encode({"text": text})
    assert line.decode("ascii").isprintable()
    assert json.loads(line) == {"text": text}


def test_what_is_no_number_is_null() -> None:
    """NaN and infinity are not JSON; they are unknown, wherever they stand."""
    value = {"a": float("nan"), "b": [float("inf"), 1.5, (float("-inf"),)], "c": {"d": float("nan")}}
    expected = {"a": None, "b": [None, 1.5, [None]], "c": {"d": None}}
    assert json.loads(encode(value), parse_constant=refuse) == expected


def test_a_key_that_is_no_number_is_text() -> None:
    """Even a key may be NaN without a report being lost."""
    assert json.loads(encode({float("nan"): 1})) == {"nan": 1}


def test_what_json_does_not_know_is_its_text() -> None:
    """A path in a foreign report's environment, say, does not cost us the report."""
    assert json.loads(encode({"root": Path("a"), "big": Decimal("1.50")})) == {"root": "a", "big": "1.50"}


def test_a_file_is_replaced_at_once(tmp_path: Path) -> None:
    """The new file stands in the old one's place and nothing is left beside it."""
    path = tmp_path / "summary.json"
    write_json(path, {"run": 1})
    write_json(path, {"run": 2})
    assert path.read_bytes() == b'{\n  "run": 2\n}\n'
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk leaves the old file as it was and no rest of the new one."""

    def full(descriptor: int) -> None:
        raise OSError("no space left on device")

    path = tmp_path / "summary.json"
    write_json(path, "old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        write_json(path, "new")
    assert path.read_text() == '"old"\n'
    assert list(tmp_path.iterdir()) == [path]
