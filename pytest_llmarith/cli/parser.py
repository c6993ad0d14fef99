"""What all commands share in reading their arguments and in refusing wrong ones."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pytest_llmarith.reports.harmless import sanitize

WRONG_USAGE = 4  # as pytest's own
INTERRUPTED = 130  # as a shell says it of a process that Ctrl-C ended
_LONGEST_MESSAGE = 1_000


class Parser(argparse.ArgumentParser):
    """Wrong usage leaves with pytest's status for it, and one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"{self.prog}: {harmless(message)}; see {self.prog} --help\n")


if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Parser]


def harmless(message: str) -> str:
    """One printable line, whatever file names and foreign texts stand in it."""
    return sanitize(message, _LONGEST_MESSAGE)


def complain(command: str, message: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"llmarith {command}: {harmless(message)}\n")


def add_runs(command: argparse.ArgumentParser) -> None:
    """Whatever a user may name as a run, one or several."""
    command.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="A run's folder or its trials.jsonl, JSONL of llm_arithmetic, or a folder with some of them",
    )


def add_spreadsheet(command: argparse.ArgumentParser) -> None:
    """For CSV that a spreadsheet opens."""
    command.add_argument(
        "--spreadsheet",
        action="store_true",
        help="Write CSV for a spreadsheet: formulas defused, line breaks spelled out",
    )
