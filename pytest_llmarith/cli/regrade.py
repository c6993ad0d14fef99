"""`llmarith regrade`: its options. It does not know how replies are read and graded again."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, complain
from pytest_llmarith.values import Reading

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands


def add_regrade(commands: Commands) -> None:
    """Declare the command."""
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
    from pytest_llmarith.reports.mistake import Mistake
    from pytest_llmarith.reports.regrade import Request, regrade

    reading = request.reading and Reading(request.reading)
    wanted = Request(request.files, reading, request.show, request.write, request.force)
    try:
        regrade(wanted, sys.stdout, sys.stderr)
    except Mistake as mistake:
        complain("regrade", str(mistake))
        return WRONG_USAGE
    return 0
