"""Entries of the OEIS: what is read, and what is refused by name of its field."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.oeis.entries import MOST_DIGITS, BrokenEntry, is_number, parse_entry
from pytest_llmarith.oeis.entryfiles import LARGEST_BYTES, read_entry
from pytest_llmarith.values import IntegerSequence
from tests.oeis_site import fields

REAL = Path(__file__).parents[3] / "shared" / "oeis"
LONG = "-" + "7" * 130
EXPECTED = IntegerSequence(
    number="A000045",
    name="Made for tests: A000045.",
    comments=("First.", "  Second, indented."),
    terms=("0", "1", "1", "2", "3", "5", "-8"),
    offset=0,
    keywords=("sign", "easy"),
)


def refused(text: str) -> str:
    """The message of the refusal, which is one printable line."""
    with pytest.raises(BrokenEntry) as raised:
        parse_entry(text, "A000045.json", "A000045")
    message = str(raised.value)
    assert message.startswith("A000045.json: ")
    assert message.isprintable()
    assert len(message) < 300
    return message


@pytest.mark.parametrize("shape", [lambda one: [one], lambda one: {"results": [one], "count": 1}, lambda one: one])
def test_three_shapes_are_one_entry(shape: Any) -> None:
    """The interface has returned a list, and an object with results; a file may hold the entry alone."""
    assert parse_entry(json.dumps(shape(fields("A000045"))), "here", "A000045") == EXPECTED


@given(st.sets(st.integers(1, 999_999).filter(lambda number: number != 45), max_size=9), st.randoms(), st.booleans())
def test_the_wanted_one_of_several_entries(others: set[int], random: Any, in_object: bool) -> None:
    """A search of the OEIS also returns entries that mention the number, wherever they stand."""
    entries = [fields("A000045"), *(fields(f"A{number:06}", data="9,9") for number in others)]
    random.shuffle(entries)
    assert parse_entry(json.dumps({"results": entries} if in_object else entries), "here", "A000045") == EXPECTED


def test_comments_may_be_absent() -> None:
    """The interface leaves the field out where an entry has none."""
    assert parse_entry(json.dumps(fields("A000045", comment=None)), "here", "A000045").comments == ()


@pytest.mark.parametrize(
    ("offset", "first"), [("0,4", 0), ("-1,2", -1), ("12,8", 12), ("3", 3), ("-100000000000000000,1", -(10**17))]
)
def test_the_offset_is_the_first_number(offset: str, first: int) -> None:
    """The offset of an entry is the n of its first term."""
    sequence = parse_entry(json.dumps(fields("A000045", offset=offset)), "here", "A000045")
    assert (sequence.offset, sequence.inputs[0], len(sequence.inputs)) == (first, first, 7)


def test_long_and_negative_terms_stay_text() -> None:
    """Terms stay text, and pass through no number type."""
    assert parse_entry(json.dumps(fields("A000045", data=f"{LONG},0,-1")), "here", "A000045").terms == (LONG, "0", "-1")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("number", None, "missing"),
        ("number", "45", "is text"),
        ("number", True, "true or false"),
        ("number", 45.0, "is a number"),
        ("number", 0, "'0'"),
        ("number", -45, "'-45'"),
        ("number", 10**30, "1000"),
        ("name", None, "missing"),
        ("name", " ", "empty"),
        ("name", ["x"], "is a list"),
        ("name", "a\ud800b", "U+D800"),
        ("name", "a\x1b[2Jb", "U+001B"),
        ("name", "a\nb", "U+000A"),
        ("comment", "one", "is text, not a list"),
        ("comment", ["one", 2], "list of texts"),
        ("comment", ["\x00"], "U+0000"),
        ("data", None, "missing"),
        ("data", "", "empty"),
        ("data", [1, 2], "is a list"),
        ("data", "1,,2", "'' as term 2"),
        ("data", "1,2,", "'' as term 3"),
        ("data", "1, 2", "' 2' as term 2"),
        ("data", "1,007", "'007'"),
        ("data", "-0", "'-0'"),
        ("data", "+1", "'+1'"),
        ("data", "1,1e5", "'1e5'"),
        ("data", "1,NaN", "'NaN'"),
        ("data", "1,٣", r"'\u0663'"),
        ("data", "1,２", r"'\uff12'"),
        ("data", "1\n", r"'1\n'"),
        ("data", "x" * 100_000, "xxx..."),
        ("data", f"1,-{'7' * 4_001}", "has term 2 of 4,001 digits, more than 4,000"),
        ("offset", None, "missing"),
        ("offset", 0, "is a number"),
        ("offset", "", "''"),
        ("offset", "x,1", "'x,1'"),
        ("offset", "0,1,2", "'0,1,2'"),
        ("offset", "٣,1", r"'\u0663,1'"),
        ("offset", "9" * 40, "9999"),
        ("keyword", None, "missing"),
        ("keyword", "", "''"),
        ("keyword", "nonn,,easy", "''"),
        ("keyword", "nonn easy", "'nonn easy'"),
        ("keyword", ["nonn"], "is a list"),
    ],
)
def test_a_broken_field_is_named(field: str, value: Any, said: str) -> None:
    """The message names the file, the field and what is wrong with it; nothing is guessed."""
    message = refused(json.dumps([fields("A000045", **{field: value})]))
    assert f"field '{field}'" in message
    assert said in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON"),
        ("<html>\n<title>Too many requests</title>", "no JSON"),
        ("\ufeff[]", "no JSON"),
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 100_000, "nested too deep"),
        ('[{"number": NaN}]', "NaN is no JSON"),
        ('[{"number": Infinity}]', "Infinity is no JSON"),
        ('[{"number": ' + "9" * 5_000 + "}]", "no JSON"),
        ("null", "holds no entry"),
        ("[]", "holds no entry"),
        ('{"results": null}', "holds no entry"),
        ('{"results": []}', "holds no entry"),
        ("[{}, {}]", "holds 2 entries, 0 of them A000045"),
        (json.dumps([fields("A000044"), fields("A000046")]), "holds 2 entries, 0 of them A000045"),
        (json.dumps([fields("A000045"), fields("A000045")]), "holds 2 entries, 2 of them A000045"),
        (json.dumps([fields("A000045"), 7]), "a number"),
        ("[[]]", "a list"),
        ("[1]", "a number"),
        ('"A000045"', "text"),
        ("{}", "'number' is missing"),
        ("[{}]", "'number' is missing"),
    ],
)
def test_what_is_no_entry_is_refused(text: str, said: str) -> None:
    """What is no entry, of whatever kind, is refused with one line."""
    assert said in refused(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*fields("A000045"), "results"]), inner),
)


@given(st.dictionaries(st.sampled_from([*fields("A000045")]), JSON))
def test_any_value_is_read_or_refused(changes: dict[str, Any]) -> None:
    """No value of any field raises anything else, and what is read can be sent and printed."""
    try:
        sequence = parse_entry(json.dumps([fields("A000045") | changes]), "A000045.json", "A000045")
    except BrokenEntry as error:
        message = str(error)
    else:
        message = "read"
        "".join([sequence.name, *sequence.comments]).encode("utf-8")
        assert all(str(int(term)) == term for term in sequence.terms)
    assert message.isprintable()


@given(st.lists(st.integers(), min_size=1), st.integers(-99, 99))
def test_all_whole_numbers_are_terms(terms: list[int], offset: int) -> None:
    """Terms and offset come back as they were written."""
    changes = {"data": ",".join(map(str, terms)), "offset": f"{offset},1"}
    sequence = parse_entry(json.dumps(fields("A000045", **changes)), "here", "A000045")
    assert [*map(int, sequence.terms)] == terms
    assert sequence.offset == offset


def test_terms_are_as_long_as_integers_are_read() -> None:
    """Python refuses to read more than 4,300 digits."""
    sequence = parse_entry(json.dumps(fields("A000045", data=f"-{'7' * MOST_DIGITS}")), "here", "A000045")
    assert int(sequence.terms[0]) < 0


@pytest.mark.parametrize("text", ["A000045", "A382002", "A1234567", "A000001"])
def test_a_numbers(text: str) -> None:
    """An A-number is an A and six digits or more."""
    assert is_number(text)


@pytest.mark.parametrize(
    "text", ["", "A45", "a000045", "000045", "A00045", "A0000045", "A000045\n", "A٠٠٠٠٤٥", "A12345678901", "../A000045"]
)
def test_no_a_numbers(text: str) -> None:
    """What is no A-number is refused, so that nothing else becomes a file name."""
    assert not is_number(text)


def test_a_file_holds_the_entry_of_its_name(tmp_path: Path) -> None:
    """A file that was renamed would put another sequence into a set."""
    (path := tmp_path / "A000046.json").write_text(json.dumps(fields("A000045")), encoding="utf-8")
    with pytest.raises(BrokenEntry, match=r"A000046\.json: holds the entry A000045, not A000046"):
        read_entry(path)


def test_a_file_of_another_encoding_is_refused(tmp_path: Path) -> None:
    """A file that is no UTF-8 is refused with the place of its first wrong byte."""
    (path := tmp_path / "A000045.json").write_bytes(b'{"name": "Lam\xe9"}')
    with pytest.raises(BrokenEntry, match=r"A000045\.json: no UTF-8 at byte 13"):
        read_entry(path)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    """A sparse file of many gigabytes costs nothing."""
    with open(path := tmp_path / "A000045.json", "wb") as file:
        file.truncate(1 << 36)
    with pytest.raises(BrokenEntry, match=f"larger than {LARGEST_BYTES:,} bytes"):
        read_entry(path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A named pipe in place of an entry is refused at once, as nobody may ever write into it."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(path := tmp_path / "A000045.json")
    with pytest.raises(BrokenEntry, match="no regular file"):
        read_entry(path)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_real_entries_are_found_among_others(tmp_path: Path) -> None:
    """Each of the 500 loads as before if its file holds other entries, too."""
    paths = sorted(REAL.glob("*/A*.json"))
    texts = [json.loads(path.read_text("utf-8"))[0] for path in paths]
    for place, path in enumerate(paths):
        answer = tmp_path / path.name
        answer.write_text(json.dumps([texts[place - 1], texts[place - 2], texts[place]]), encoding="utf-8")
        assert read_entry(answer) == read_entry(path)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_real_entries_load() -> None:
    """All 500 of the classic sets, with all kinds of offsets and terms."""
    sequences = [read_entry(path) for path in sorted(REAL.glob("*/A*.json"))]
    assert len(sequences) == 500
    assert {sequence.offset for sequence in sequences} == {*range(-1, 13)}
    assert max(len(term) for sequence in sequences for term in sequence.terms) > 130
    assert any(term.startswith("-") for sequence in sequences for term in sequence.terms)
    assert sum(not sequence.comments for sequence in sequences) == 135
    assert all({"easy", "hard"} & {*sequence.keywords} for sequence in sequences)
