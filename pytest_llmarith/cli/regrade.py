"""`llmarith regrade`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import NO_CHANGE, add_command, add_output, say
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.types import Outcome, Reading

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.results.load import Change

_SHOWN = 400  # characters of the end of a reply
_LONGEST_REASON = 60


def add_regrade(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Grade the replies of runs again, without asking a model"
    command = add_command(commands, "regrade", purpose, NO_CHANGE, _regrade)
    command.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="A run's trials.jsonl or folder, or JSONL of llm_arithmetic"
    )
    command.add_argument(
        "--match",
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
    add_output(command, "Write the new records to this file")


def _transition(text: str) -> tuple[Outcome, Outcome]:
    before, arrow, after = (part.strip() for part in text.partition("->"))
    if not arrow or not {before, after} <= set(Outcome):
        outcomes = ", ".join(Outcome)
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a transition; write two of {outcomes} as in deviate->correct"
        )
    return Outcome(before), Outcome(after)


def _regrade(request: argparse.Namespace) -> int:
    from pytest_llmarith.records import CustomProblem, SearchProblem, as_dict
    from pytest_llmarith.results.files import encode, new_file
    from pytest_llmarith.results.load import changes
    from pytest_llmarith.results.log import log_of

    reading = request.match and Reading(request.match)
    notes: list[str] = []
    transitions, reasons = Counter[tuple[Outcome, Outcome]](), Counter[str]()
    unchanged = 0
    files = [log_of(file) for file in request.files]
    writing = new_file("--output", request.output, files, force=request.force) if request.output else nullcontext()
    with writing as written:
        for change in (change for file in files for change in changes(file, reading, notes)):
            transitions[change.outcomes] += 1
            if change.record.outcome is Outcome.NAN:
                reasons[sanitize(str(change.record.reason), _LONGEST_REASON)] += 1
            unchanged += isinstance(change.record.problem, CustomProblem | SearchProblem)
            if change.outcomes in request.show:
                say(_shown(change))
            if written:
                written.write(encode(as_dict(change.record)) + b"\n")
    say(*_matrix(transitions, reasons))
    if unchanged:
        why = "of custom tasks and searches are unchanged; rerun their tests, which take the replies from the store"
        notes.append(f"{unchanged:,} records {why}")
    sys.stderr.writelines(f"note: {note}\n" for note in notes)
    return 0


def _matrix(transitions: Counter[tuple[Outcome, Outcome]], reasons: Counter[str]) -> list[str]:
    from pytest_llmarith.results.tables import draw

    outcomes = [outcome for outcome in Outcome if any(outcome in both for both in transitions)]
    rows = [[before, *(str(transitions[before, after]) for after in outcomes)] for before in outcomes]
    lines = [f"Transitions of {transitions.total():,} replies, from the rows to the columns:"]
    lines += draw(["", *outcomes], rows)
    if reasons:
        counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        lines += ["", f"Reasons for {Outcome.NAN}: {counts}"]
    return lines


def _shown(change: Change) -> str:
    """One line: the place of a reply, what was asked, expected and read, and the end of the reply."""
    from pytest_llmarith.results.files import name_of

    record = change.record
    asked, expected = (getattr(record.problem, name, None) for name in ("question", "expected"))
    where = f"{name_of(change.file)}:{change.line}  {change.before} -> {record.outcome}"
    text = record.reply.text[-_SHOWN:] if record.reply else ""
    line = f"{where}  asked {asked}, expected {expected}, read {record.answer_text}, reply: {text}"
    return sanitize(line, 10 * _SHOWN)
