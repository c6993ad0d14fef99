"""One sequence as text: what a reader needs to see why it has its score."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import SequenceProblem
from pytest_llmarith.reports.tables.sequence_view import sequence_lines
from tests.runs_on_disk import asked, programmed, record_of

PROGRAM = "def term(n):\n    return n * n\n\nprint(term(int(input())))"


def term(n: int, got: str, status: str = "ok", **more: Any) -> dict[str, Any]:
    return {"n": n, "expected": str(n * n), "got": got, "status": status, "seconds": 0.0123} | more


def recorded(**named: Any) -> dict[str, Any]:
    """A record of the OEIS task; what is named replaces what its `oeis` usually holds."""
    facts = {
        "program": PROGRAM,
        "detail": None,
        "scores": {"0.5": 0.5, "4": 0.75},
        "terms": [term(0, "0"), term(1, "2", "wrong"), term(2, "", "crashed", stderr="Traceback\nValueError: no")],
        "judges": {
            "static": {"cheat": False, "evidence": ["3 of 40 terms stand in the program"]},
            "llm": {"cheat": True, "model": "gpt-4o", "replies": [reply("1")]},
        },
        "addresses_judge": ["line 3: a comment"],
    }
    record = programmed("A000290", **(facts | named))
    known = {"set": "classic_easy", "name": "The squares."}
    reason = "1 of 3 terms right; n = 1: expected 1, got 2"
    return record | {"reason": reason, "problem": record["problem"] | known}


def reply(text: str) -> dict[str, Any]:
    found: dict[str, Any] = asked(text)["reply"]
    return found


def lines_of(facts: dict[str, Any], width: int) -> list[str]:
    record = record_of(facts)
    assert isinstance(record.problem, SequenceProblem)
    return sequence_lines(record, record.problem, width)


def test_a_sequence() -> None:
    """What was asked, the score at every limit, the program, every term, and what the judges said."""
    assert lines_of(recorded(), 80) == [
        "A000290 of classic_easy: The squares.",
        "o4-mini: deviate",
        "reason: 1 of 3 terms right; n = 1: expected 1, got 2",
        "",
        "score at 0.5 s per term: 0.5000",
        "score at 4 s per term: 0.7500",
        "",
        "program",
        "  1  def term(n):",
        "  2      return n * n",
        "  3",
        "  4  print(term(int(input())))",
        "",
        "n  expected                      got   status  seconds",
        "------------------------------------------------------",
        "0         0              as expected       ok    0.012",
        "1         1                        2    wrong    0.012",
        "2         4  nothing; ValueError: no  crashed    0.012",
        "",
        "static judge: no lookup table",
        "  3 of 40 terms stand in the program",
        "judge gpt-4o: a lookup table",
        "  said: 1",
        "the program talks to its judge: line 3: a comment",
    ]


def test_no_program() -> None:
    """What was found instead stands in its place; nobody judged."""
    nothing: dict[str, Any] = {"program": None, "detail": "prose", "terms": [], "judges": {"static": None, "llm": None}}
    lines = lines_of(recorded(**nothing, addresses_judge=[]), 80)
    assert lines[-2:] == ["", "no program: prose"]


def test_no_reply() -> None:
    """Of an unanswered sequence the question is shown, and the reason of the outage."""
    record = recorded() | {"oeis": None, "outcome": "unanswered", "reason": "no reply within 600 s"}
    assert lines_of(record, 80)[1:] == ["o4-mini: unanswered", "reason: no reply within 600 s"]


def test_no_verdict() -> None:
    """A judge that gave no verdict is shown as such with its words, and acquits nobody."""
    judge = {"cheat": None, "model": "gpt-4o", "replies": [reply("well")]}
    record = recorded(judges={"static": None, "llm": judge}, scores=None) | {"outcome": "unanswered"}
    lines = lines_of(record, 80)
    assert "judge gpt-4o: no verdict" in lines
    assert "  said: well" in lines


def test_long_programs_and_listings_end() -> None:
    """Five hundred lines and terms are shown, the others counted."""
    record = recorded(program="x = 1\n" * 2_000, terms=[term(n, str(n * n)) for n in range(501)])
    lines = lines_of(record, 80)
    assert "  ... and 1,500 more lines" in lines
    assert "... and 1 more terms" in lines
    assert len(lines) < 1_100


@given(st.text(max_size=300), st.integers(20, 120))
def test_hostile_replies_are_harmless(text: str, width: int) -> None:
    """Whatever a program holds and prints, every line is printable and fits."""
    judge = {"cheat": True, "model": text, "replies": [reply(text)]}
    record = recorded(
        program=text,
        terms=[term(0, text, "wrong"), term(1, "", "crashed", stderr=text)],
        judges={"static": {"cheat": True, "evidence": [text]}, "llm": judge},
        addresses_judge=[text],
    ) | {"model": text, "reason": text}
    lines = lines_of(record, width)
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) <= width


def test_a_condition_and_a_repeat_are_named() -> None:
    """The same sequence may stand there several times, asked otherwise or again."""
    again = recorded() | {"condition": {"numbers": "plain", "symbols": "ascii", "system": "2"}, "repeat": 1}
    again["condition"] |= {"context": None, "prompt": None}
    assert lines_of(again, 80)[1] == "o4-mini, system_2, repeat 1: deviate"
