"""`llmarith regrade`: what changes when stored replies are read again, counted and shown. It does not grade."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, TextIO

from tabulate import tabulate

from pytest_llmarith.records import (
    AdditionProblem,
    ArithmeticProblem,
    CustomProblem,
    Problem,
    Record,
    SearchProblem,
    as_dict,
)
from pytest_llmarith.reports.harmless import sanitize, sanitize_name, showable
from pytest_llmarith.reports.jsonfiles import write_line
from pytest_llmarith.reports.logs.lines import log_of
from pytest_llmarith.reports.logs.stored import Change, changes
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.reports.output_file import new_file
from pytest_llmarith.values import Outcome, Reading

_ARROW = "->"
_SHOWN_OF_AN_END = 250  # characters of a long reply, from its beginning and from its end
_LONGEST_REASON = 60
_LONGEST_TASK = 60
_LONGEST_LINE = 10 * _SHOWN_OF_AN_END  # enough for both ends, were every character of them escaped


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked on the command line."""

    files: Sequence[Path]
    reading: Reading | None = None
    show: Sequence[str] = ()
    write: Path | None = None
    force: bool = False


@dataclass
class Tally:
    """What came of the replies of one file, or of all."""

    transitions: Counter[tuple[Outcome, Outcome]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)  # by the reason why they cannot be read again

    def count(self, change: Change) -> None:
        self.transitions[change.cell] += 1
        if (why := _why_left(change.record)) is not None:
            self.left[why] += 1
        if change.record.outcome is Outcome.NAN:
            self.reasons[sanitize(str(change.record.reason), _LONGEST_REASON)] += 1

    def add(self, other: Tally) -> None:
        self.transitions += other.transitions
        self.reasons += other.reasons
        self.left += other.left

    def before(self, outcome: Outcome) -> int:
        return sum(count for (before, _), count in self.transitions.items() if before == outcome)

    def after(self, outcome: Outcome) -> int:
        return sum(count for (_, after), count in self.transitions.items() if after == outcome)

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes that occur, in the order of `Outcome`."""
        occurring = {outcome for cell in self.transitions for outcome in cell}
        return [outcome for outcome in Outcome if outcome in occurring]


def regrade(request: Request, out: TextIO = sys.stdout, err: TextIO = sys.stderr) -> None:
    """Read all files again, print what became of every class, and write the new records where they are wanted."""
    cells = [_cell(wanted) for wanted in request.show]
    request = replace(request, files=[log_of(file) for file in request.files])
    notes: list[str] = []
    whole = Tally()
    with _records(request) as records:
        for file in request.files:
            tally = Tally()
            for change in changes(file, request.reading, notes):
                _take(change, tally, cells, records, out)
            whole.add(tally)
            _print(_counts(name_of(file), tally), out)
    _print(_summary(whole, len(request.files)), out)
    for note in [*notes, *_left(whole)]:
        print(f"note: {note}", file=err)


def _left(tally: Tally) -> Iterator[str]:
    for why, count in tally.left.items():
        told = "1 record is left as it was" if count == 1 else f"{count:,} records are left as they were"
        yield f"{told}: {why}"


def _why_left(record: Record) -> str | None:
    """Why a record is not read again, where only the tests that made it can do that."""
    if isinstance(record.problem, SearchProblem):
        return (
            "a search whose replies are graded otherwise goes another way; the tests that searched can search again, "
            "from the store as far as it goes the same way"
        )
    if not isinstance(record.problem, CustomProblem):
        return None
    task = sanitize_name(record.task, _LONGEST_TASK)
    return (
        f"{task} is no task of pytest-llmarith; the tests that asked can grade it again, without a call where the "
        "replies are in the store"
    )


def _take(
    change: Change, tally: Tally, cells: Sequence[tuple[Outcome, Outcome]], records: BinaryIO | None, out: TextIO
) -> None:
    tally.count(change)
    if change.cell in cells:
        _print(_shown(change), out)
    if records:
        write_line(records, as_dict(change.record))


def _cell(wanted: str) -> tuple[Outcome, Outcome]:
    before, arrow, after = (part.strip() for part in wanted.partition(_ARROW))
    if not arrow or not {before, after} <= set(Outcome):
        named = sanitize(wanted, _LONGEST_REASON)
        raise Mistake(f"--show={named}: not a transition; write two of {', '.join(Outcome)} as in deviate->correct")
    return Outcome(before), Outcome(after)


@contextmanager
def _records(request: Request) -> Iterator[BinaryIO | None]:
    """The file for new records, where one is wanted."""
    if request.write is None:
        yield None
        return
    with new_file("--write", request.write, request.files, force=request.force) as records:
        yield records


def _counts(name: str, tally: Tally) -> str:
    rows = [(outcome, tally.before(outcome), tally.after(outcome)) for outcome in tally.outcomes]
    total = tally.transitions.total()
    heading = f"{name}: {total} {'reply' if total == 1 else 'replies'}"
    return f"{heading}\n{tabulate(rows, ['', 'before', 'after'])}\n"


def _summary(tally: Tally, files: int) -> str:
    parts = [_counts(f"{files} files", tally)] if files > 1 else []
    parts += [f"Transitions, from the rows to the columns:\n{_matrix(tally)}"]
    if tally.reasons:
        told = ", ".join(f"{count} {reason}" for reason, count in tally.reasons.most_common())
        parts += [f"\nReasons for {Outcome.NAN}: {told}"]
    return "\n".join(parts)


def _matrix(tally: Tally) -> str:
    outcomes = tally.outcomes
    rows = [[before, *(tally.transitions[before, after] for after in outcomes)] for before in outcomes]
    return tabulate(rows, ["", *outcomes])


def _shown(change: Change) -> str:
    """One reply behind a cell: where it stands, what was asked, what was read, what was said."""
    record = change.record
    asked, expected = _asked(record.problem)
    text = record.reply.text if record.reply else ""
    lines = [
        f"{name_of(change.file)}:{change.line}  {change.before} {_ARROW} {record.outcome}",
        f"  asked     {asked}",
        f"  expected  {expected}",
        f"  read      {record.answer_text}",
        f"  reply     {_ends(text)}",
    ]
    return "\n".join(sanitize(line, _LONGEST_LINE) for line in lines) + "\n"


def _asked(problem: Problem) -> tuple[str, object]:
    """What was asked, and what is expected."""
    match problem:
        case ArithmeticProblem(variant=variant, lhs=lhs, rhs=rhs):
            return f"{variant} {lhs} {rhs}", problem.expected
        case AdditionProblem(int1=int1, int2=int2):
            return f"{int1} {int2}", problem.expected
        case CustomProblem(expected=expected):
            return "", expected
        case SearchProblem(variant=variant):
            return variant, None
    return "", None


def _ends(text: str) -> str:
    """A reply with its beginning and its end: answers stand at either."""
    if len(text) <= 2 * _SHOWN_OF_AN_END:
        return text
    return f"{text[:_SHOWN_OF_AN_END]} [... of {len(text):,} characters ...] {text[-_SHOWN_OF_AN_END:]}"


def _print(text: str, out: TextIO) -> None:
    print(showable(text, out.encoding), file=out)
