"""`llmarith export`: its options. It does not know the shapes of records."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, add_runs, complain

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

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
    command.set_defaults(run=_export)


def _export(request: argparse.Namespace) -> int:
    from pytest_llmarith.reports.exporting import Request, Shape, export
    from pytest_llmarith.reports.mistake import Mistake

    try:
        left_out = export(Request(request.runs, Shape(request.to), request.output, request.force), sys.stdout)
    except Mistake as mistake:
        complain("export", str(mistake))
        return WRONG_USAGE
    if left_out:
        complain("export", f"{left_out:,} trials of other tasks have no place in --to={request.to}; --to=csv takes all")
    return 0
