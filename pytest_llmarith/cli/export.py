"""`llmarith export`: its options. It does not know the shapes of records."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, add_runs, add_spreadsheet, complain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.reports.exporting import Lacks

_SHAPES = ("llm_arithmetic", "addition", "csv")


def add_export(commands: Commands) -> None:
    """Declare the command."""
    told = "Write the trials of runs in the shape of another program"
    command = commands.add_parser("export", help=told, description=f"{told}. The runs are never changed.")
    add_runs(command)
    command.add_argument(
        "--to",
        choices=_SHAPES,
        required=True,
        metavar="|".join(_SHAPES),
        help="Rows of llm_arithmetic, of integer additions, or a table with a row per trial",
    )
    command.add_argument("--output", type=Path, metavar="FILE", help="Write to this file, not to the terminal")
    command.add_argument("--force", action="store_true", help="Let --output replace a file that exists")
    add_spreadsheet(command)
    command.set_defaults(run=_export)


def _export(request: argparse.Namespace) -> int:
    from pytest_llmarith.reports.exporting import Request, Shape, export
    from pytest_llmarith.reports.mistake import Mistake

    try:
        wanted = Request(request.runs, Shape(request.to), request.output, request.force, request.spreadsheet)
        lacks = export(wanted, sys.stdout)
    except Mistake as mistake:
        complain("export", str(mistake))
        return WRONG_USAGE
    for lack in _told(lacks, request.to):
        complain("export", lack)
    return 0


def _told(lacks: Lacks, shape: str) -> Iterator[str]:
    """What somebody who trusts the rows has to know."""
    count, have = lacks.left_out, "trials of other tasks have" if lacks.left_out > 1 else "trial of another task has"
    if count:
        yield f"{count:,} {have} no place in --to={shape}; --to=csv takes all"
    count, were = lacks.mingled, "trials were" if lacks.mingled > 1 else "trial was"
    if count:
        yield (
            f"{count:,} {were} put in a condition or repeated, which --to={shape} does not fully say: a problem may "
            "have several rows; --to=csv tells them apart"
        )
