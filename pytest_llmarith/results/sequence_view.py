"""One sequence as text: the program in each reply, its output for every term, and the verdicts of the judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from textwrap import wrap

from pytest_llmarith.records import Program, Record, SequenceProblem, Term
from pytest_llmarith.results import formatting
from pytest_llmarith.results.files import UsageError
from pytest_llmarith.results.formatting import sanitize, sanitize_name
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.tables import draw

_LONGEST_NAME = 100
_LONGEST_TEXT = 1_000
_MOST_LINES = 500  # of a program, and terms
_MOST_NAMED = 20
_WIDTH_OF_OTHERS = 32  # of n, status and seconds in the line of a term
_VERDICTS = {True: "a lookup table", False: "no lookup table", None: "no verdict"}


def lines_about(number: str, runs: Iterable[LoadedRun], width: int) -> Iterator[str]:
    """Every trial of a sequence, such as A000045, below the name of its run.

    Raises UsageError at the end if there is none.
    """
    others: set[str] = set()
    found = False
    for run in runs:
        for record in run.records():
            problem = record.problem
            if not isinstance(problem, SequenceProblem):
                continue
            if problem.number.upper() != number.upper():
                others.add(problem.number)
                continue
            yield from [""] if found else []
            found = True
            yield sanitize_name(run.name, _LONGEST_NAME)
            yield from sequence_lines(record, problem, width)
    if not found:
        named = ", ".join(sanitize_name(other, _LONGEST_NAME) for other in sorted(others)[:_MOST_NAMED])
        listed = f"not in these runs, which have {named}{', ...' * (len(others) > _MOST_NAMED)}"
        why = listed if others else "these runs have no sequences"
        raise UsageError(f"--sequence={sanitize(number, _LONGEST_NAME)}: {why}")


def sequence_lines(record: Record, problem: SequenceProblem, width: int) -> list[str]:
    """One trial of a sequence in lines of at most `width` characters."""
    lines = [*_heading(record, problem), *(_sections(record.oeis, width) if record.oeis else [])]
    return [piece for line in lines for piece in _wrapped(line, width)]


def _heading(record: Record, problem: SequenceProblem) -> Iterator[str]:
    yield f"{problem.number} of {problem.set}: {problem.name}".rstrip()
    repeat = f"repeat {record.repeat}" if record.repeat else ""
    yield f"{', '.join(filter(None, (record.model, label_of(record.condition), repeat)))}: {record.outcome}"
    if record.reason:
        yield f"reason: {record.reason}"


def _sections(program: Program, width: int) -> Iterator[str]:
    if program.scores:
        yield ""
        yield from (f"score at {limit} s per term: {score:.4f}" for limit, score in program.scores.items())
    if program.program:
        lines = program.program.splitlines()
        digits = len(str(len(lines)))
        numbered = (f"  {number:>{digits}}  {line.expandtabs(4)}" for number, line in enumerate(lines, 1))
        yield from ("", "program", *islice(numbered, _MOST_LINES))
        if len(lines) > _MOST_LINES:
            yield f"  ... and {len(lines) - _MOST_LINES:,} more lines"
    elif program.detail:
        yield from ("", f"no program: {program.detail}")
    if program.terms:
        longest = max(8, (width - _WIDTH_OF_OTHERS) // 2)
        rows = [_term(term, longest) for term in program.terms[:_MOST_LINES]]
        yield from ("", *draw(["n", "expected", "got", "status", "seconds"], rows))
        if len(program.terms) > len(rows):
            yield f"... and {len(program.terms) - len(rows):,} more terms"
    yield from _judges(program)


def _term(term: Term, longest: int) -> list[str]:
    said = term.stderr.strip().splitlines()
    got = term.got or (f"nothing; {said[-1]}" if said else "nothing")
    shown = "as expected" if term.got == term.expected else sanitize(got, longest)
    return [str(term.n), sanitize(term.expected, longest), shown, term.status, formatting.short(repr(term.seconds))]


def _judges(program: Program) -> Iterator[str]:
    static, model = program.judges.static, program.judges.llm
    if static or model or program.addresses_judge:
        yield ""
    if static:
        yield f"static judge: {_VERDICTS[static.cheat]}"
        yield from (f"  {evidence}" for evidence in static.evidence)
    if model:
        yield f"judge {model.model}: {_VERDICTS[model.cheat]}"
        yield from (f"  said: {reply.text}" for reply in model.replies)
    yield from (f"the program addresses its judge: {place}" for place in program.addresses_judge)


def _wrapped(line: str, width: int) -> list[str]:
    """The line in pieces with the same indentation."""
    shown = sanitize(line, _LONGEST_TEXT)
    indent = " " * (len(shown) - len(shown.lstrip()))
    pieces = wrap(shown, width, subsequent_indent=f"{indent}    "[: width // 2], drop_whitespace=False)
    return [piece.rstrip() for piece in pieces] or [""]
