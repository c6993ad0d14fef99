"""`llmarith regrade`."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, print_error
from pytest_llmarith.results.formatting import sanitize, showable
from pytest_llmarith.types import Outcome, Reading

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.records import Problem
    from pytest_llmarith.results.regrade import Change, Tally

_SHOWN_OF_AN_END = 250  # characters of a long reply, from its beginning and from its end
_LONGEST_LINE = 10 * _SHOWN_OF_AN_END  # enough for both ends, even if all their characters are escaped


def add_regrade(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Grade the replies of runs again, without asking a model"
    command = commands.add_parser("regrade", help=purpose, description=f"{purpose}. The files are never changed.")
    command.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="A run's trials.jsonl or folder, or JSONL of llm_arithmetic"
    )
    command.add_argument(
        "--reading",
        choices=[str(reading) for reading in Reading],
        metavar="|".join(Reading),
        help="Grade this reading instead of the one in each record",
    )
    command.add_argument(
        "--show",
        action="append",
        default=[],
        type=_transition,
        metavar="BEFORE->AFTER",
        help="Print the replies of a cell of the table, such as --show='deviate->correct'; repeatable",
    )
    command.add_argument("--write", type=Path, metavar="OUT", help="Write the new records to this file")
    command.add_argument("--force", action="store_true", help="Let --write replace a file that exists")
    command.set_defaults(run=_regrade)


def _transition(text: str) -> tuple[Outcome, Outcome]:
    before, arrow, after = (part.strip() for part in text.partition("->"))
    if not arrow or not {before, after} <= set(Outcome):
        outcomes = ", ".join(Outcome)
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a transition; write two of {outcomes} as in deviate->correct"
        )
    return Outcome(before), Outcome(after)


def _regrade(request: argparse.Namespace) -> int:
    from pytest_llmarith.records import as_dict
    from pytest_llmarith.results.files import UsageError, encode, name_of, new_file
    from pytest_llmarith.results.log import log_of
    from pytest_llmarith.results.regrade import Tally, changes

    reading = request.reading and Reading(request.reading)
    notes: list[str] = []
    whole = Tally()
    try:
        files = [log_of(file) for file in request.files]
        writing = new_file("--write", request.write, files, force=request.force) if request.write else nullcontext()
        with writing as written:
            for file in files:
                tally = Tally()
                for change in changes(file, reading, notes):
                    tally.count(change)
                    if change.outcomes in request.show:
                        _print(_shown(change))
                    if written:
                        written.write(encode(as_dict(change.record)) + b"\n")
                whole.add(tally)
                _print(_counts(name_of(file), tally))
    except UsageError as error:
        print_error("regrade", str(error))
        return WRONG_USAGE
    if len(files) > 1:
        _print(_counts(f"{len(files)} files", whole))
    _print(_matrix(whole))
    sys.stderr.writelines(f"note: {note}\n" for note in [*notes, *whole.notes])
    return 0


def _counts(name: str, tally: Tally) -> str:
    from pytest_llmarith.results.tables import draw

    rows = []
    for outcome in tally.outcomes:
        counts = [(before, after, count) for (before, after), count in tally.transitions.items()]
        was, is_now = (sum(one[2] for one in counts if one[side] == outcome) for side in (0, 1))
        rows.append((outcome, str(was), str(is_now)))
    total = tally.transitions.total()
    lines = [f"{name}: {total} {'reply' if total == 1 else 'replies'}", *draw(("", "before", "after"), rows), ""]
    return "\n".join(lines)


def _matrix(tally: Tally) -> str:
    from pytest_llmarith.results.tables import draw

    outcomes = tally.outcomes
    rows = [[before, *(str(tally.transitions[before, after]) for after in outcomes)] for before in outcomes]
    text = "\n".join(["Transitions, from the rows to the columns:", *draw(["", *outcomes], rows)])
    if tally.reasons:
        counts = ", ".join(f"{count} {reason}" for reason, count in tally.reasons.most_common())
        text += f"\n\nReasons for {Outcome.NAN}: {counts}"
    return text


def _shown(change: Change) -> str:
    """The location, question, answer and text of a reply; of a long one, its beginning and end."""
    from pytest_llmarith.results.files import name_of

    record = change.record
    text = record.reply.text if record.reply else ""
    if len(text) > 2 * _SHOWN_OF_AN_END:
        text = f"{text[:_SHOWN_OF_AN_END]} [... of {len(text):,} characters ...] {text[-_SHOWN_OF_AN_END:]}"
    lines = [
        f"{name_of(change.file)}:{change.line}  {change.before} -> {record.outcome}",
        f"  asked     {_asked(record.problem)}",
        f"  expected  {getattr(record.problem, 'expected', None)}",
        f"  read      {record.answer_text}",
        f"  reply     {text}",
    ]
    return "\n".join(sanitize(line, _LONGEST_LINE) for line in lines) + "\n"


def _asked(problem: Problem) -> str:
    from pytest_llmarith.records import AdditionProblem, ArithmeticProblem

    match problem:
        case ArithmeticProblem(variant=variant, lhs=lhs, rhs=rhs):
            return f"{variant} {lhs} {rhs}"
        case AdditionProblem(int1=int1, int2=int2):
            return f"{int1} {int2}"
    return getattr(problem, "variant", "")


def _print(text: str) -> None:
    sys.stdout.write(showable(f"{text}\n", sys.stdout.encoding))
