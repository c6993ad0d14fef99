"""The OEIS's internal format becomes the JSON interface's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.oeis.entries import BrokenEntry, parse_entry
from pytest_llmarith.oeis.entryfiles import read_entry
from pytest_llmarith.oeis.seqfile import fields_of_seq
from pytest_llmarith.values import IntegerSequence

REAL = Path(__file__).parents[3] / "shared" / "oeis"
SEQ = """\
# Greetings, made for tests.
%I A000045 M0692 N0256 #3 Jan 01 2024 00:00:00
%S A000045 0,1,-1,
%T A000045 2,-3,
%U A000045 5
%N A000045 Made for tests.
%C A000045 First: 50 %.
%C A000045   Second, indented.
%D A000045 Nobody, Nothing, 1999.
%o A000045 (PARI) n
%K A000045 sign,easy
%O A000045 -1,4
%A A000045 _Nobody_
"""
EXPECTED = IntegerSequence(
    number="A000045",
    name="Made for tests.",
    comments=("First: 50 %.", "  Second, indented."),
    terms=("0", "1", "-1", "2", "-3", "5"),
    offset=-1,
    keywords=("sign", "easy"),
)


def read(text: str, number: str = "A000045") -> IntegerSequence:
    return parse_entry(json.dumps(fields_of_seq(text, "A000045.seq", number)), "A000045.seq", number)


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_lines_become_fields(line_break: str) -> None:
    """Terms go on over lines, comments keep their indentation, everything else is passed over."""
    assert read(SEQ.replace("\n", line_break)) == EXPECTED


def test_old_files_hold_signed_terms_apart() -> None:
    """Old files hold signed terms in V, W and X, and absolute values in S, T and U."""
    old = SEQ.replace("-3", "3").replace("-1,\n", "1,\n") + "%V A000045 0,1,-1,\n%W A000045 2,-3,\n%X A000045 5\n"
    assert read(old) == EXPECTED


def test_the_wanted_one_of_several_entries() -> None:
    """A file may hold the lines of several entries, in any order."""
    other = SEQ.replace("A000045", "A000046").replace("Made", "Not made")
    mixed = "\n".join(line for pair in zip(other.split("\n"), SEQ.split("\n"), strict=True) for line in pair)
    assert read(other + SEQ) == read(SEQ + other) == read(mixed) == EXPECTED


def test_no_comment_is_no_comments() -> None:
    """An entry without comments has none, as it has in the JSON interface."""
    assert read("\n".join(line for line in SEQ.split("\n") if not line.startswith("%C"))).comments == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no lines such as"),
        ("<html></html>", "no lines such as"),
        (SEQ.replace("A000045", "A000046"), "no lines such as %N A000045"),
        (SEQ.replace("%O", "%P"), "'offset' is missing"),
        (SEQ.replace("%K", "%k"), "'keyword' is missing"),
        (SEQ.replace("%N", "%n"), "'name' is missing"),
        (SEQ.replace("%S", "%s").replace("%T", "%s").replace("%U", "%s"), "'data' is missing"),
        (SEQ.replace("%U A000045 5\n", ""), "'' as term 6"),
        (
            "%I A000045 #1\n%S A000045 \n%N A000045 Reserved.\n%O A000045 0,1\n%K A000045 allocated\n",
            "'data' is missing",
        ),
    ],
)
def test_what_is_missing_is_refused(text: str, said: str) -> None:
    """What a file lacks is named as the JSON interface names its fields."""
    with pytest.raises(BrokenEntry, match=r"^A000045\.seq: ") as raised:
        read(text)
    assert said in str(raised.value)


def as_seq(fields: dict[str, Any]) -> str:
    """An entry written in the internal format, its terms on up to three lines."""
    number, terms = f"A{fields['number']:06d}", fields["data"].split(",")
    third = -(-len(terms) // 3)
    parts = [terms[start : start + third] for start in range(0, len(terms), third)]
    lines = [f"%{kind} {number} {','.join(part)}" for kind, part in zip("STU", parts, strict=False)]
    lines = [line + "," if line != lines[-1] else line for line in lines]
    lines += [f"%C {number} {comment}" for comment in fields.get("comment", [])]
    lines += [f"%N {number} {fields['name']}", f"%O {number} {fields['offset']}", f"%K {number} {fields['keyword']}"]
    return "\n".join(lines) + "\n"


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_real_entries_come_through() -> None:
    """What the JSON interface says of 500 entries and what the internal format says is the same sequence."""
    for path in REAL.glob("*/A*.json"):
        [fields] = json.loads(path.read_text("utf-8"))
        assert read(as_seq(fields), path.stem) == read_entry(path)
