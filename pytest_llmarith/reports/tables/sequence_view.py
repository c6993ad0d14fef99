"""One sequence as text: the program in a reply, what it printed for every term and when, and what the judges said.

It does not know where a record comes from. Nothing of a reply reaches a terminal as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_llmarith.records import ModelVerdict, Program, Record, SequenceProblem, StaticVerdict, Term
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.tables.drawing import draw

_LONGEST_NAME = 60
_LONGEST_TEXT = 1_000
_MOST_LINES = 500  # of a program, and terms
_ROOM_OF_A_TERM = 32  # what n, status and seconds take of a line


def sequence_lines(record: Record, problem: SequenceProblem, width: int) -> list[str]:
    """The record of a sequence."""
    program = record.oeis
    sections = [_heading(record, problem)]
    if program:
        sections += [_scores(program), _program(program), _terms(program, width), _judges(program)]
    lines = [line for section in sections if section for line in ("", *section)][1:]
    return [piece for line in lines for piece in _folded(line, width)]


def _heading(record: Record, problem: SequenceProblem) -> list[str]:
    lines = [
        f"{problem.number} of {problem.set}: {problem.name}".rstrip(),
        f"{', '.join((record.model, *_manner(record)))}: {record.outcome}",
    ]
    return [*lines, f"reason: {record.reason}"] if record.reason else lines


def _manner(record: Record) -> Iterator[str]:
    """How the question was put, where it was not once and as usual."""
    if condition := label_of(record.condition):
        yield condition
    if repeat := record.repeat:
        yield f"repeat {repeat}"


def _scores(program: Program) -> list[str]:
    """The share of right terms at every limit, a lookup table's as 0."""
    return [f"score at {limit} s per term: {score:.4f}" for limit, score in (program.scores or {}).items()]


def _program(program: Program) -> list[str]:
    """The program with its lines numbered, or what was found instead of one."""
    if not program.program:
        return [f"no program: {program.detail}"] if program.detail else []
    lines = program.program.splitlines()
    digits = len(str(len(lines)))
    return ["program", *_first(_numbered(lines, digits), len(lines), "lines")]


def _numbered(lines: Sequence[str], digits: int) -> Iterator[str]:
    return (f"  {number:>{digits}}  {line.expandtabs(4)}" for number, line in enumerate(lines, 1))


def _terms(program: Program, width: int) -> list[str]:
    """Every term that was run: expected, got, what came of it, seconds."""
    terms = program.terms
    if not terms:
        return []
    room = max(8, (width - _ROOM_OF_A_TERM) // 2)
    rows = [_term(term, room) for term in terms[:_MOST_LINES]]
    table = draw(["n", "expected", "got", "status", "seconds"], rows)
    more = len(terms) - len(rows)
    return [*table, *([f"... and {more:,} more terms"] if more else [])]


def _term(term: Term, room: int) -> list[str]:
    return [
        str(term.n),
        sanitize(term.expected, room),
        sanitize(_got(term), room),
        sanitize(term.status, _LONGEST_NAME),
        figures.short(repr(term.seconds)),
    ]


def _got(term: Term) -> str:
    """What was printed; where that is nothing, the last word of the program on what went wrong."""
    if term.got == term.expected:
        return "as expected"
    said = term.stderr.strip().splitlines()
    return term.got or (f"nothing; {said[-1]}" if said else "nothing")


def _judges(program: Program) -> list[str]:
    """What each judge said, and what speaks for it."""
    lines = [*_static(program.judges.static), *_model(program.judges.llm)]
    return lines + [f"the program talks to its judge: {place}" for place in program.addresses_judge]


def _static(judge: StaticVerdict | None) -> Iterator[str]:
    if judge is not None:
        yield f"static judge: {_verdict(judge.cheat)}"
        yield from (f"  {evidence}" for evidence in judge.evidence)


def _model(judge: ModelVerdict | None) -> Iterator[str]:
    if judge is not None:
        yield f"judge {judge.model}: {_verdict(judge.cheat)}"
        yield from (f"  said: {reply.text}" for reply in judge.replies)


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
