"""Argument parsing and output of all commands."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pytest_llmarith.safe_text import sanitize, showable

NOT_DONE = 1
WRONG_USAGE = 4  # as pytest's own
STOPPED = 6  # as a run that stops
INTERRUPTED = 130  # a shell's status for a process ended by Ctrl-C
NO_CHANGE = "The runs are never changed."
A_RUN = (
    "A run's folder or its trials.jsonl, JSONL of llm_arithmetic, a log of inspect or "
    "of lm-evaluation-harness"
)
_LONGEST_MESSAGE = 1_000
_PAUSE_S = 10.0
T = TypeVar("T")


class NotDoneError(Exception):
    """Something could not be done; the message is one line."""


class Parser(argparse.ArgumentParser):
    """Reports wrong usage in one line, with pytest's exit status for it."""

    def error(self, message: str) -> NoReturn:
        self.exit(
            WRONG_USAGE,
            f"{self.prog}: {sanitize_line(message)}; see {self.prog} --help\n",
        )


if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Parser]


def sanitize_line(message: str) -> str:
    """One printable line, safe for file names and foreign text."""
    return sanitize(message, _LONGEST_MESSAGE)


def say(*lines: str) -> None:
    """Print lines to stdout."""
    text = "".join(f"{line}\n" for line in lines)
    sys.stdout.write(showable(text, sys.stdout.encoding))


def print_error(command: str, message: str) -> None:
    """Print one line to stderr."""
    sys.stderr.write(f"llmarith {command}: {sanitize_line(message)}\n")


def note(message: str) -> None:
    """Print a remark about the result to stderr, in one line."""
    sys.stderr.write(f"note: {sanitize_line(message)}\n")


class Meter:
    """Prints the progress of a long command to stderr, at most every ten seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._shown_at = self._started - _PAUSE_S

    def step(self, name: str, done: int, total: int) -> None:
        """Report that step `done` of `total` begins, counted from 0."""
        now = self._clock()
        if now - self._shown_at < _PAUSE_S:
            return
        self._shown_at = now
        line = f"{name}: {done:,} of {total:,} done"
        if done:
            left_s = (now - self._started) / done * (total - done)
            duration = f"{left_s:.0f} s"
            if left_s >= 90:
                duration = f"{left_s / 60:.0f} min"
            line += f", about {duration} left"
        self.say(line)

    def say(self, message: str) -> None:
        """Print a line."""
        sys.stderr.write(f"{sanitize_line(message)}\n")
        sys.stderr.flush()


def add_command(
    commands: Commands,
    name: str,
    purpose: str,
    details: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """Declare a command."""
    command = commands.add_parser(
        name, help=purpose, description=f"{purpose}. {details}".strip()
    )
    command.set_defaults(run=run)
    return command


def argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """The type of an argument whose parser raises ValueError with what to write."""

    def parsed(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed


def add_runs(command: argparse.ArgumentParser) -> None:
    """Add the argument for runs."""
    command.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help=f"{A_RUN}, or a folder with some of them",
    )


def add_repeatable(
    command: argparse.ArgumentParser,
    option: str,
    metavar: str,
    purpose: str,
    **more: Any,
) -> None:
    """Add an option that may be given several times."""
    help_ = f"{purpose}; repeatable"
    command.add_argument(
        option, action="append", default=[], metavar=metavar, help=help_, **more
    )


def add_format(
    command: argparse.ArgumentParser, formats: Sequence[str], default: str | None = None
) -> None:
    """Add the argument for the format, which is required if it has no default."""
    purpose = "Output format"
    if default:
        purpose += f" (default: {default})"
    command.add_argument(
        "--format",
        choices=formats,
        default=default,
        required=default is None,
        metavar="|".join(formats),
        help=purpose,
    )
    if "csv" in formats:
        help_ = (
            "With --format=csv: write it for a spreadsheet, with formulas and "
            "line breaks escaped"
        )
        command.add_argument("--spreadsheet", action="store_true", help=help_)


def add_output(
    command: argparse.ArgumentParser,
    purpose: str = "Write to this file instead of the terminal",
    *,
    required: bool = False,
) -> None:
    """Add the arguments for a file to write."""
    command.add_argument(
        "--output", type=Path, required=required, metavar="FILE", help=purpose
    )
    command.add_argument(
        "--force", action="store_true", help="Let --output replace a file that exists"
    )
