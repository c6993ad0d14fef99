"""One sequence as text: what a reader needs to see why it has its score."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import SequenceProblem
from pytest_llmarith.results.sequence_view import sequence_lines
from tests.runs_on_disk import asked, programmed, record_of

PROGRAM = "def term(n):\n    return n * n\n\nprint(term(int(input())))"


def term(n: int, got: str, status: str = "ok", **more: Any) -> dict[str, Any]:
    return {"n": n, "expected": str(n * n), "got": got, "status": status, "seconds": 0.0123} | more


def judge(cheat: bool | None, *said: str) -> dict[str, Any]:
    return {"cheat": cheat, "model": "gpt-4o", "replies": [asked(text)["reply"] for text in said]}


def recorded(**named: Any) -> dict[str, Any]:
    """A record of the OEIS task; what is named replaces what is usually told of its program."""
    static = {"cheat": False, "evidence": ["3 of 40 terms stand in the program"]}
    facts = {
        "program": PROGRAM,
        "scores": {"0.5": 0.5, "4": 0.75},
        "terms": [term(0, "0"), term(1, "2", "wrong"), term(2, "", "crashed", stderr="Traceback\nValueError: no")],
        "judges": {"static": static, "llm": judge(True, "1")},
        "addresses_judge": ["line 3: a comment"],
    }
    return programmed("A000290", **(facts | named))


def shown(facts: dict[str, Any], width: int = 80) -> list[str]:
    record = record_of(facts)
    assert isinstance(record.problem, SequenceProblem)
    return sequence_lines(record, record.problem, width)


def test_a_sequence() -> None:
    """What was asked, the score at every limit, the program, every term, and what the judges said."""
    again = {"condition": {"numbers": "plain", "symbols": "ascii", "system": "2", "context": None, "prompt": None}}
    assert shown(recorded() | again | {"repeat": 1}) == [
        "A000290 of starter: A sequence.",
        "o4-mini, system_2, repeat 1: deviate",
        "reason: 2 of 3 terms right; n = 3: expected 2, got 3",
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
        "the program addresses its judge: line 3: a comment",
    ]


def test_what_is_missing_is_said() -> None:
    """No program, no reply, no verdict."""
    nothing: dict[str, Any] = {"program": None, "detail": "prose", "terms": [], "judges": {"static": None, "llm": None}}
    assert shown(recorded(**nothing, addresses_judge=[]))[-2:] == ["", "no program: prose"]
    outage = recorded() | {"oeis": None, "outcome": "unanswered", "reason": "no reply within 600 s"}
    assert shown(outage)[1:] == ["o4-mini: unanswered", "reason: no reply within 600 s"]
    undecided = recorded(judges={"static": None, "llm": judge(None, "well")}, scores=None)
    assert shown(undecided | {"outcome": "unanswered"})[-3:-1] == ["judge gpt-4o: no verdict", "  said: well"]


def test_long_programs_and_lists_of_terms_end() -> None:
    lines = shown(recorded(program="x = 1\n" * 2_000, terms=[term(n, str(n * n)) for n in range(501)]))
    assert "  ... and 1,500 more lines" in lines
    assert "... and 1 more terms" in lines
    assert len(lines) < 1_100


@given(st.text(max_size=300), st.integers(20, 120))
def test_foreign_text_is_printable_and_fits(text: str, width: int) -> None:
    told = {"program": text, "terms": [term(0, text, "wrong"), term(1, "", "crashed", stderr=text)]}
    judges = {"static": {"cheat": True, "evidence": [text]}, "llm": judge(True, text) | {"model": text}}
    record = recorded(**told, judges=judges, addresses_judge=[text]) | {"model": text, "reason": text}
    lines = shown(record, width)
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) <= width
