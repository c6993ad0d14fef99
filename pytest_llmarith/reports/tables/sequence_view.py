"""One sequence as text: the program in a reply, what it printed for every term and when, and what the judges said.

It does not know where a record comes from. Nothing of a reply reaches a terminal as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.keys import condition_label
from pytest_llmarith.reports.tables.drawing import draw

_LONGEST_NAME = 60
_LONGEST_TEXT = 1_000
_MOST_LINES = 500  # of a program, and terms
_ROOM_OF_A_TERM = 32  # what n, status and seconds take of a line

Facts = Mapping[str, Any]


def sequence_lines(record: Facts, width: int) -> list[str]:
    """The record of the OEIS task; raises ValueError where it is of another."""
    if "set" not in (record.get("problem") or {}):
        raise ValueError("this record is of no sequence")
    facts = record.get("oeis") or {}
    sections = (_heading(record), _scores(facts), _program(facts), _terms(facts, width), _judges(facts))
    lines = [line for section in sections if section for line in ("", *section)][1:]
    return [piece for line in lines for piece in _folded(line, width)]


def _heading(record: Facts) -> list[str]:
    problem = record["problem"]
    lines = [
        f"{problem['number']} of {problem['set']}: {problem.get('name') or ''}".rstrip(),
        f"{', '.join((record['model'], *_manner(record)))}: {record['outcome']}",
    ]
    return [*lines, f"reason: {record['reason']}"] if record.get("reason") else lines


def _manner(record: Facts) -> Iterator[str]:
    """How the question was put, where it was not once and as usual."""
    if condition := condition_label(record):
        yield condition
    if repeat := record.get("repeat"):
        yield f"repeat {repeat}"


def _scores(facts: Facts) -> list[str]:
    """The share of right terms at every limit, a lookup table's as 0."""
    return [f"score at {limit} s per term: {score:.4f}" for limit, score in (facts.get("scores") or {}).items()]


def _program(facts: Facts) -> list[str]:
    """The program with its lines numbered, or what was found instead of one."""
    if not facts.get("program"):
        return [f"no program: {facts['detail']}"] if facts.get("detail") else []
    lines = facts["program"].splitlines()
    digits = len(str(len(lines)))
    return ["program", *_first(_numbered(lines, digits), len(lines), "lines")]


def _numbered(lines: Sequence[str], digits: int) -> Iterator[str]:
    return (f"  {number:>{digits}}  {line.expandtabs(4)}" for number, line in enumerate(lines, 1))


def _terms(facts: Facts, width: int) -> list[str]:
    """Every term that was run: expected, got, what came of it, seconds."""
    terms = facts.get("terms") or ()
    if not terms:
        return []
    room = max(8, (width - _ROOM_OF_A_TERM) // 2)
    rows = [_term(term, room) for term in terms[:_MOST_LINES]]
    table = draw(["n", "expected", "got", "status", "seconds"], rows)
    more = len(terms) - len(rows)
    return [*table, *([f"... and {more:,} more terms"] if more else [])]


def _term(term: Facts, room: int) -> list[str]:
    return [
        str(term["n"]),
        sanitize(term["expected"], room),
        sanitize(_got(term), room),
        sanitize(term["status"], _LONGEST_NAME),
        figures.short(repr(term["seconds"])),
    ]


def _got(term: Facts) -> str:
    """What was printed; where that is nothing, the last word of the program on what went wrong."""
    if term["got"] == term["expected"]:
        return "as expected"
    said = (term.get("stderr") or "").strip().splitlines()
    return term["got"] or (f"nothing; {said[-1]}" if said else "nothing")


def _judges(facts: Facts) -> list[str]:
    """What each judge said, and what speaks for it."""
    judges = facts.get("judges") or {}
    lines = [*_static(judges.get("static")), *_model(judges.get("llm"))]
    return lines + [f"the program talks to its judge: {place}" for place in facts.get("addresses_judge") or ()]


def _static(judge: Facts | None) -> Iterator[str]:
    if judge is not None:
        yield f"static judge: {_verdict(judge['cheat'])}"
        yield from (f"  {evidence}" for evidence in judge["evidence"])


def _model(judge: Facts | None) -> Iterator[str]:
    if judge is not None:
        yield f"judge {judge['model']}: {_verdict(judge['cheat'])}"
        yield from (f"  said: {reply['text']}" for reply in judge["replies"])


def _verdict(cheat: bool | None) -> str:
    return {True: "a lookup table", False: "no lookup table", None: "no verdict"}[cheat]


def _first(lines: Iterator[str], count: int, what: str) -> list[str]:
    shown = [line for line, _ in zip(lines, range(_MOST_LINES), strict=False)]
    return [*shown, f"  ... and {count - len(shown):,} more {what}"] if count > len(shown) else shown


def _folded(line: str, width: int) -> list[str]:
    """A line made harmless, in as many as it takes; what belongs together is indented alike."""
    harmless = sanitize(line, _LONGEST_TEXT)
    indent = " " * (len(harmless) - len(harmless.lstrip()))
    pieces = wrap(harmless, width, subsequent_indent=f"{indent}    "[: width // 2], drop_whitespace=False)
    return [piece.rstrip() for piece in pieces] or [""]
