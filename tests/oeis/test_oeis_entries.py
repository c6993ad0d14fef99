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
from pytest_llmarith.values import IntegerSequence
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


@pytest.mark.parametrize("shape", [lambda one: [one], lambda one: {"results": [one], "count": 1}, lambda one: one])
def test_three_shapes_are_one_entry(shape: Any) -> None:
    """The interface has returned a list, and an object with results; a file may hold the entry alone."""
    assert read(shape(fields("A000045"))) == EXPECTED


@given(st.sets(st.integers(46, 999_999), max_size=9), st.randoms(), st.booleans())
def test_the_wanted_one_of_several_entries(others: set[int], random: Any, in_object: bool) -> None:
    """A search of the OEIS also returns entries that mention the number, in any order."""
    entries = [fields("A000045"), *(fields(f"A{number:06}", data="9,9") for number in others)]
    random.shuffle(entries)
    assert read({"results": entries} if in_object else entries) == EXPECTED


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
    "name": [(None, "missing"), (" ", "empty"), (["x"], "list"), ("a\ud800b", "U+D800"), ("a\x1b[2Jb", "U+001B")],
    "comment": [("one", "not a list of texts"), (["one", 2], "list of texts"), (["\x00"], "U+0000")],
    "data": [
        *((None, "missing"), ("", "'' as term 1"), ([1, 2], "list"), ("1,,2", "'' as term 2"), ("1, 2", "' 2'")),
        *(("1,007", "'007'"), ("-0", "'-0'"), ("+1", "'+1'"), ("1,1e5", "'1e5'"), ("1,NaN", "'NaN'")),
        *(("1,٣", r"'\u0663'"), ("1\n", r"'1\n'"), ("x" * 100_000, "xxx..."), (f"1,{LONG}7", "as term 2")),
    ],
    "offset": [(None, "missing"), (0, "int"), ("", "''"), ("x,1", "'x,1'"), ("0,1,2", "'0,1,2'"), ("9" * 40, "9999")],
    "keyword": [(None, "missing"), ("", "''"), ("nonn,,easy", "''"), ("nonn easy", "'nonn easy'"), (["nonn"], "list")],
}


@pytest.mark.parametrize(("field", "value", "said"), [(field, *row) for field, rows in FIELDS.items() for row in rows])
def test_a_broken_field_is_named(field: str, value: Any, said: str) -> None:
    """The message, one line, has the file, the field and what is wrong; nothing is guessed."""
    with pytest.raises(BrokenEntry, match=rf"^here: the field '{field}' ") as raised:
        read([fields("A000045", **{field: value})])
    message = str(raised.value)
    assert said in message
    assert message.isprintable()
    assert len(message) < 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "not JSON") for text in ("", "<html>\n<title>Too many requests</title>", "\ufeff[]")),
        *((f'[{{"number": {value}}}]', "not JSON") for value in ("NaN", "Infinity", "9" * 5_000)),
        ("[" * 100_000, "nested too deep"),
        *((text, "holds 0 entries") for text in ("null", "[]", '{"results": null}', "[[]]", "[1]", '"A000045"')),
        ("[{}]", "holds 1 entries, 0 of them A000045"),
        (json.dumps([fields("A000044"), fields("A000046")]), "holds 2 entries, 0 of them A000045"),
        (json.dumps([fields("A000045"), fields("A000045")]), "holds 2 entries, 2 of them A000045"),
        *((json.dumps(fields("A000045") | {"number": one}), "0 of them") for one in ("45", True, 45.0, -45, 10**30)),
    ],
)
def test_what_is_no_entry_is_refused(text: str, said: str) -> None:
    """One line says what the text holds instead."""
    with pytest.raises(BrokenEntry, match=r"^here: ") as raised:
        parse_entry(text, "here", "A000045")
    assert said in str(raised.value)
    assert str(raised.value).isprintable()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["number", "results"]), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*fields("A000045")]), JSON))
def test_any_value_is_read_or_refused(changes: dict[str, Any]) -> None:
    """No value of any field raises anything else, and the texts of an entry can be encoded."""
    try:
        sequence = read([fields("A000045") | changes])
    except BrokenEntry as error:
        line = str(error)
    else:
        line = f"{sequence.name}{sequence.comments}"
    assert "\n" not in line
    line.encode("utf-8")


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<html></html>", "no lines such as %N A000045"),
        (SEQ.replace("%O", "%P"), "'offset' is missing"),
        (SEQ.replace("%S", "%s").replace("%T", "%s").replace("%U", "%s"), "'data' is missing"),
        (SEQ.replace("%U A000045 5,-8\n", ""), "'' as term 6"),
    ],
)
def test_an_incomplete_seq_file_is_refused(text: str, said: str) -> None:
    """What a file lacks has the names of the JSON interface."""
    with pytest.raises(BrokenEntry, match=r"^here: ") as raised:
        read(seq_fields(text, "here", "A000045"))
    assert said in str(raised.value)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_real_entries_are_read() -> None:
    """All 500 of the classic sets, alone, among others, and from a `.seq` file."""
    paths = sorted(REAL.glob("*/A*.json"))
    texts = [json.loads(path.read_text("utf-8"))[0] for path in paths]
    sequences = [read_entry(path) for path in paths]
    assert {sequence.offset for sequence in sequences} == {*range(-1, 13)}
    assert max(len(term) for sequence in sequences for term in sequence.terms) > 130
    assert sum(not sequence.comments for sequence in sequences) == 135
    for place, (entry, sequence) in enumerate(zip(texts, sequences, strict=True)):
        answer = json.dumps([texts[place - 1], texts[place - 2], entry])
        number = sequence.number
        lines = [f"%S {number} {entry['data']}", f"%N {number} {entry['name']}", f"%O {number} {entry['offset']}"]
        lines += [f"%K {number} {entry['keyword']}", *(f"%C {number} {one}" for one in entry.get("comment", []))]
        seq = json.dumps(seq_fields("\n".join(lines), "here", number))
        assert parse_entry(answer, "here", number) == parse_entry(seq, "here", number) == sequence
    assert len(sequences) == 500
