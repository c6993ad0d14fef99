"""Room: `llmarith ...`, the commands beside pytest. It does not know pytest, nor how a command does its deed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.values import Reading

WRONG_USAGE = 4  # as pytest's own
_PACKAGE = "pytest-llmarith"
_LONGEST_MESSAGE = 1_000


class _Parser(argparse.ArgumentParser):
    """Wrong usage leaves with pytest's status for it, and one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"{self.prog}: {sanitize(message, _LONGEST_MESSAGE)}; see {self.prog} --help\n")


class _Version(argparse.Action):
    """Looks the version up when it is asked for: also a copy that was never installed can run commands."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import PackageNotFoundError, version

        try:
            found = version(_PACKAGE)
        except PackageNotFoundError:
            parser.error(f"the version is unknown, as {_PACKAGE} is not installed; run pip install {_PACKAGE}")
        sys.stdout.write(f"{_PACKAGE} {found}\n")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0, or 4 for wrong usage and files that cannot be read."""
    parser = _parser()
    request = parser.parse_args(argv)
    if request.command is None:
        parser.error("the COMMAND is missing; usage: llmarith regrade FILE [FILE ...]")
    try:
        status: int = request.run(request)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="llmarith", description="Commands for what benchmark runs have left behind.")
    parser.add_argument("--version", action=_Version, nargs=0, help="Print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_regrade(commands)
    return parser


def _add_regrade(commands: argparse._SubParsersAction[_Parser]) -> None:
    told = "Read and grade stored replies again, without a call"
    command = commands.add_parser("regrade", help=told, description=f"{told}. The files are never changed.")
    command.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="A run's trials.jsonl or folder, or JSONL of llm_arithmetic"
    )
    command.add_argument(
        "--reading",
        choices=[str(reading) for reading in Reading],
        metavar="|".join(Reading),
        help="Grade by this reading, not by the one that each record names",
    )
    command.add_argument(
        "--show",
        action="append",
        default=[],
        metavar="BEFORE->AFTER",
        help="Print the replies behind a cell of the table, such as --show='deviate->correct'; repeatable",
    )
    command.add_argument("--write", type=Path, metavar="OUT", help="Write the new records to this file")
    command.add_argument("--force", action="store_true", help="Let --write replace a file that exists")
    command.set_defaults(run=_regrade)


def _regrade(request: argparse.Namespace) -> int:
    from pytest_llmarith.reports.regrade import Request, regrade
    from pytest_llmarith.reports.stored import Mistake

    reading = request.reading and Reading(request.reading)
    wanted = Request(request.files, reading, request.show, request.write, request.force)
    try:
        regrade(wanted, sys.stdout, sys.stderr)
    except Mistake as mistake:
        sys.stderr.write(f"llmarith regrade: {sanitize(str(mistake), _LONGEST_MESSAGE)}\n")
        return WRONG_USAGE
    return 0
