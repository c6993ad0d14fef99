"""Entries of the OEIS: what is read, and what is refused with the name of its field."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.oeis.entries import MAX_BYTES, BrokenEntry, is_number, parse_entry, read_entry, seq_fields
from pytest_llmarith.types import IntegerSequence
from tests.oeis_site import fields

REAL = Path(__file__).parents[3] / "shared" / "oeis"
LONG = "-" + "7" * 4000
EXPECTED = IntegerSequence(
    number="A000045",
    name="Made for tests: A000045.",
    comments=("First.", "  Second, indented."),
    terms=("0", "1", "1", "2", "3", "5", "-8"),
    offset=0,
    keywords=("sign", "easy"),
)


def read(value: Any) -> IntegerSequence:
    return parse_entry(json.dumps(value), "here", "A000045")


@pytest.mark.parametrize("in_object", [True, False])
def test_the_wanted_one_of_several_entries(in_object: bool) -> None:
    """The interface has returned a list, and an object with results, with entries that mention the number; a file may
    hold the entry alone.
    """
    entries = [fields("A000040", data="9,9"), fields("A000045"), fields("A382002")]
    assert read({"results": entries, "count": 3} if in_object else entries) == EXPECTED
    assert read(fields("A000045")) == EXPECTED


@given(st.lists(st.integers(), min_size=1), st.integers(-99, 99))
def test_terms_and_offset_are_exact(terms: list[int], offset: int) -> None:
    """Terms stay text; the offset is the n of the first one."""
    sequence = read(fields("A000045", data=",".join(map(str, terms)), offset=f"{offset},1"))
    assert [*map(int, sequence.terms)] == terms
    assert [*sequence.inputs] == [*range(offset, offset + len(terms))]


def test_rare_fields() -> None:
    """An entry may lack comments, have a single offset, and terms of up to 4,000 digits."""
    sequence = read(fields("A000045", comment=None, offset="-100000000000000000", data=f"{LONG},0"))
    assert (sequence.comments, sequence.offset, sequence.terms) == ((), -(10**17), (LONG, "0"))


FIELDS: dict[str, list[tuple[Any, str]]] = {
    "name": [(None, "missing"), (" ", "empty"), (["x"], "array"), ("a\ud800b", "U+D800"), ("a\x1b[2Jb", "U+001B")],
    "comment": [("one", "Expected `array`"), (["one", 2], "Expected `str`"), (["\x00"], "U+0000")],
    "data": [
        *((None, "missing"), ("", "'' as term 1"), ([1, 2], "array"), ("1,,2", "'' as term 2"), ("1, 2", "' 2'")),
        *(("1,007", "'007'"), ("-0", "'-0'"), ("1,1e5", "'1e5'"), ("1,٣", r"'\u0663'"), (f"1,{LONG}7", "as term 2")),
    ],
    "offset": [(None, "missing"), (0, "int"), ("x,1", "'x,1'"), ("0,1,2", "'0,1,2'"), ("9" * 40, "9999")],
    "keyword": [(None, "missing"), ("", "''"), ("nonn easy", "'nonn easy'")],
}


@pytest.mark.parametrize(("field", "value", "said"), [(field, *row) for field, rows in FIELDS.items() for row in rows])
def test_a_broken_field_is_named(field: str, value: Any, said: str) -> None:
    """The message, one line, has the file, the field and what is wrong; nothing is guessed."""
    with pytest.raises(BrokenEntry, match=r"^here: ") as raised:
        read([fields("A000045", **{field: value})])
    message = str(raised.value)
    assert field in message
    assert said in message
    assert message.isprintable()
    assert len(message) < 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "not JSON") for text in ("", "<html>\n<title>Too many requests</title>", '[{"number": NaN}]')),
        (f'[{{"number": {"9" * 5_000}}}]', "not JSON"),
        ("[" * 100_000, "nested too deep"),
        *((text, "holds 0 entries") for text in ("null", '{"results": null}', "[1]", '"A000045"')),
        (json.dumps([fields("A000044"), fields("A000046")]), "holds 2 entries, 0 of them A000045"),
        (json.dumps([fields("A000045"), fields("A000045")]), "holds 2 entries, 2 of them A000045"),
        *((json.dumps(fields("A000045") | {"number": one}), "0 of them") for one in ("45", True, 45.0)),
    ],
)
def test_what_is_no_entry_is_refused(text: str, said: str) -> None:
    """One line says what the text holds instead."""
    with pytest.raises(BrokenEntry, match=r"^here: ") as raised:
        parse_entry(text, "here", "A000045")
    assert said in str(raised.value)
    assert str(raised.value).isprintable()


def test_a_numbers() -> None:
    """Only an A and six digits or more is a number: it becomes a file name."""
    assert all(map(is_number, ["A000045", "A382002", "A1234567", "A000001"]))
    others = ["", "A45", "a000045", "A0000045", "A000045\n", "A٠٠٠٠٤٥", "A12345678901", "../A000045"]
    assert not any(map(is_number, others))


def make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 36)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_text(json.dumps(fields("A000046"))), "0 of them A000045"),
        (lambda path: path.write_bytes(b'{"name": "Lam\xe9"}'), "not UTF-8 at byte 13"),
        (make_sparse, f"larger than {MAX_BYTES:,} bytes"),
        (lambda path: os.mkfifo(path), "not a regular file"),
    ],
    ids=["renamed", "encoding", "huge", "pipe"],
)
def test_a_broken_file_is_refused(make: Any, said: str, tmp_path: Path) -> None:
    """A renamed file would put another sequence into a set; a huge file costs nothing, a pipe is not waited for."""
    make(path := tmp_path / "A000045.json")
    with pytest.raises(BrokenEntry, match=rf"A000045\.json: .*{said}"):
        read_entry(path)


SEQ = """\
# Greetings, made for tests.
%I A000045 M0692 N0256 #3 Jan 01 2024 00:00:00
%S A000045 0,1,1,
%T A000045 2,3,
%U A000045 5,-8
%N A000045 Made for tests: A000045.
%C A000045 First.
%C A000045   Second, indented.
%o A000045 (PARI) n
%K A000045 sign,easy
%O A000045 0,4
"""
OLD = SEQ.replace("-8", "8") + "%V A000045 0,1,1,\n%W A000045 2,3,\n%X A000045 5,-8\n"


@pytest.mark.parametrize("text", [SEQ, SEQ.replace("\n", "\r\n"), OLD, SEQ.replace("A000045", "A000046") + SEQ])
def test_a_seq_file_is_an_entry(text: str) -> None:
    """Terms go on over lines, old files have signed terms apart, and a file may hold several entries."""
    assert read(seq_fields(text, "here", "A000045")) == EXPECTED


def test_a_seq_file_without_the_entry_is_refused() -> None:
    """Its lines name another number, or it is no such file."""
    with pytest.raises(BrokenEntry, match="no lines such as %N A000045"):
        seq_fields(SEQ.replace("A000045", "A000046"), "here", "A000045")
    with pytest.raises(BrokenEntry, match="`offset`"):
        read(seq_fields(SEQ.replace("%O", "%P"), "here", "A000045"))


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_real_entries_are_read() -> None:
    """All 500 of the classic sets, alone, among others, and from a `.seq` file."""
    paths = sorted(REAL.glob("*/A*.json"))
    texts = [json.loads(path.read_text("utf-8"))[0] for path in paths]
    sequences = [read_entry(path) for path in paths]
    assert {sequence.offset for sequence in sequences} == {*range(-1, 13)}
    assert max(len(term) for sequence in sequences for term in sequence.terms) > 130
    assert sum(not sequence.comments for sequence in sequences) == 135
    for text, sequence in zip(texts, sequences, strict=True):
        number = sequence.number
        lines = [f"%S {number} {text['data']}", f"%N {number} {text['name']}", f"%O {number} {text['offset']}"]
        lines += [f"%K {number} {text['keyword']}", *(f"%C {number} {one}" for one in text.get("comment", []))]
        seq = json.dumps(seq_fields("\n".join(lines), "here", number))
        assert parse_entry(seq, "here", number) == sequence
    assert len(sequences) == 500
