"""Entries of the OEIS: what is read, and what is refused with the name of its field."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.tasks.oeis.cache import (
    MAX_BYTES,
    BrokenEntry,
    is_number,
    parse_entry,
    read_entry,
    seq_fields,
)
from pytest_llmarith.tasks.oeis.details import IntegerSequence
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


def test_the_wanted_one_of_several_entries() -> None:
    entries = [fields("A000040", data="9,9"), fields("A000045"), fields("A382002")]
    assert (
        read(entries)
        == read({"results": entries, "count": 3})
        == read(fields("A000045"))
        == EXPECTED
    )


@given(st.lists(st.integers(), min_size=1), st.integers(-99, 99))
def test_terms_and_offset_are_exact(terms: list[int], offset: int) -> None:
    """Terms stay text; the offset is the n of the first one."""
    sequence = read(
        fields("A000045", data=",".join(map(str, terms)), offset=f"{offset},1")
    )
    assert [*map(int, sequence.terms)] == terms
    assert [*sequence.inputs] == [*range(offset, offset + len(terms))]


def test_rare_fields() -> None:
    sequence = read(
        fields("A000045", comment=None, offset="-100000000000000000", data=f"{LONG},0")
    )
    assert sequence.comments == ()
    assert sequence.offset == -(10**17)
    assert sequence.terms == (LONG, "0")


FIELDS: dict[str, list[Any]] = {
    "name": [None, " ", ["x"], "a\ud800b", "a\x1b[2Jb"],
    "comment": ["one", ["one", 2], ["\x00"]],
    "data": [
        None,
        "",
        [1, 2],
        "1,,2",
        "1, 2",
        "1,007",
        "-0",
        "1,1e5",
        "1,٣",
        "1,2\n",
        f"1,{LONG}7",
    ],
    "offset": [None, 0, "x,1", "0,1,2", "9" * 40],
    "keyword": [None, "", "nonn easy"],
}


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field, values in FIELDS.items() for value in values],
)
def test_a_broken_field_is_named(field: str, value: Any) -> None:
    with pytest.raises(BrokenEntry, match=rf"^here: .*{field}") as raised:
        read([fields("A000045", **{field: value})])
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(
            (text, "not JSON")
            for text in (
                "<html>\n<title>Too many requests</title>",
                '[{"number": NaN}]',
            )
        ),
        ("[" * 100_000, "nested too deep"),
        *((text, "holds 0 entries") for text in ("null", '{"results": null}', "[1]")),
        (
            json.dumps([fields("A000044"), fields("A000046")]),
            "holds 2 entries, 0 of them A000045",
        ),
        (
            json.dumps([fields("A000045"), fields("A000045")]),
            "holds 2 entries, 2 of them A000045",
        ),
        *(
            (json.dumps(fields("A000045") | {"number": one}), "0 of them")
            for one in ("45", True, 45.0)
        ),
    ],
)
def test_what_is_no_entry_is_refused(text: str, said: str) -> None:
    with pytest.raises(BrokenEntry, match=r"^here: ") as raised:
        parse_entry(text, "here", "A000045")
    assert said in str(raised.value)
    assert str(raised.value).isprintable()


def test_a_numbers() -> None:
    assert all(map(is_number, ["A000045", "A382002", "A1234567", "A000001"]))
    others = [
        *("", "A45", "a000045", "A0000045", "A000045\n", "A٠٠٠٠٤٥", "A12345678901"),
        "../A000045",
    ]
    assert not any(map(is_number, others))


def make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 36)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda path: path.write_text(json.dumps(fields("A000046"))),
            "0 of them A000045",
        ),
        (lambda path: path.write_bytes(b'{"name": "Lam\xe9"}'), "not UTF-8 at byte 13"),
        (make_sparse, f"larger than {MAX_BYTES:,} bytes"),
        (lambda path: os.mkfifo(path), "not a regular file"),
    ],
    ids=["renamed", "encoding", "huge", "pipe"],
)
def test_a_broken_file_is_refused(make: Any, said: str, tmp_path: Path) -> None:
    """A renamed file would put another sequence into a set; a huge file costs nothing,
    a pipe is not waited for.
    """
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


@pytest.mark.parametrize(
    "text", [SEQ, SEQ.replace("\n", "\r\n"), SEQ.replace("A000045", "A000046") + SEQ]
)
def test_a_seq_file_is_an_entry(text: str) -> None:
    assert read(seq_fields(text, "here", "A000045")) == EXPECTED


def test_a_seq_file_without_the_entry_is_refused() -> None:
    """Its lines name another number, lack a field, or have unsigned terms beside the
    signed ones, as old files do.
    """
    with pytest.raises(BrokenEntry, match="no lines such as %N A000045"):
        seq_fields(SEQ.replace("A000045", "A000046"), "here", "A000045")
    with pytest.raises(BrokenEntry, match="`offset`"):
        read(seq_fields(SEQ.replace("%O", "%P"), "here", "A000045"))
    with pytest.raises(BrokenEntry, match="older format"):
        seq_fields(f"{SEQ}%V A000045 0,1,1\n", "here", "A000045")


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_real_entries_are_read() -> None:
    paths = sorted(REAL.glob("*/A*.json"))
    texts = [json.loads(path.read_text("utf-8"))[0] for path in paths]
    sequences = [read_entry(path) for path in paths]
    assert {sequence.offset for sequence in sequences} == {*range(-1, 13)}
    assert max(len(term) for sequence in sequences for term in sequence.terms) > 130
    assert sum(not sequence.comments for sequence in sequences) == 135
    for text, sequence in zip(texts, sequences, strict=True):
        number = sequence.number
        lines = [
            f"%S {number} {text['data']}",
            f"%N {number} {text['name']}",
            f"%O {number} {text['offset']}",
        ]
        lines += [
            f"%K {number} {text['keyword']}",
            *(f"%C {number} {one}" for one in text.get("comment", [])),
        ]
        seq = json.dumps(seq_fields("\n".join(lines), "here", number))
        assert parse_entry(seq, "here", number) == sequence
    assert len(sequences) == 500
