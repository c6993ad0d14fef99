"""What all commands share in reading their arguments and in refusing wrong ones."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pytest_llmarith.results.formatting import sanitize, showable

WRONG_USAGE = 4  # as pytest's own
INTERRUPTED = 130  # as a shell says of a process that Ctrl-C ended
_LONGEST_MESSAGE = 1_000


class Parser(argparse.ArgumentParser):
    """Wrong usage is one line and pytest's exit status for it."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"{self.prog}: {harmless(message)}; see {self.prog} --help\n")


if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Parser]


def harmless(message: str) -> str:
    """One printable line, whatever file names and foreign texts are in it."""
    return sanitize(message, _LONGEST_MESSAGE)


def say(*lines: str) -> None:
    """Lines on stdout."""
    sys.stdout.write(showable("".join(f"{line}\n" for line in lines), sys.stdout.encoding))


def complain(command: str, message: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"llmarith {command}: {harmless(message)}\n")


def add_output(command: argparse.ArgumentParser) -> None:
    """The runs to read, and the file to write."""
    command.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="A run's folder or its trials.jsonl, JSONL of llm_arithmetic, or a folder with some of them",
    )
    command.add_argument("--output", type=Path, metavar="FILE", help="Write to this file, not to the terminal")
    command.add_argument("--force", action="store_true", help="Let --output replace a file that exists")
    command.add_argument(
        "--spreadsheet",
        action="store_true",
        help="Write CSV for a spreadsheet: formulas defused, line breaks spelled out",
    )
