"""`llmarith report`: its options. It does not know how runs are read, nor how they are laid out."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, add_runs, add_spreadsheet, complain

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

_FORMATS = ("terminal", "markdown", "json", "csv", "html")


def add_report(commands: Commands) -> None:
    """Declare the command."""
    told = "Show the tables of a run, or the overview of many"
    command = commands.add_parser("report", help=told, description=f"{told}. The runs are never changed.")
    add_runs(command)
    command.add_argument(
        "--format", choices=_FORMATS, default="terminal", metavar="|".join(_FORMATS), help="The layout"
    )
    command.add_argument("--output", type=Path, metavar="FILE", help="Write to this file, not to the terminal")
    command.add_argument("--force", action="store_true", help="Let --output replace a file that exists")
    add_spreadsheet(command)
    _add_choice(command)
    command.add_argument(
        "--sort",
        metavar="[-]COLUMN",
        help="Order results by a column, such as correct or model; a minus turns it round",
    )
    command.add_argument(
        "--sequence",
        metavar="NUMBER",
        help="Show one sequence, such as A000045: program, terms, evidence of judges",
    )
    command.set_defaults(run=_report)


def _add_choice(command: argparse.ArgumentParser) -> None:
    command.add_argument("--min-depth", type=int, metavar="N", help="Count trials of this depth and more alone")
    command.add_argument("--max-depth", type=int, metavar="N", help="Count trials up to this depth alone")
    for name in ("task", "model"):
        command.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="NAME",
            help=f"Count trials of this {name} alone; repeatable, and a star stands for anything",
        )


def _report(request: argparse.Namespace) -> int:
    from pytest_llmarith.reports.formats.layouts import Format
    from pytest_llmarith.reports.mistake import Mistake
    from pytest_llmarith.reports.reporting.choice import Choice
    from pytest_llmarith.reports.reporting.ordering import parse_order
    from pytest_llmarith.reports.reporting.report import Request, report

    try:
        wanted = Request(
            request.runs,
            Format(request.format),
            request.output,
            request.force,
            Choice(request.model, request.task, request.min_depth, request.max_depth),
            parse_order(request.sort) if request.sort else None,
            request.sequence,
            shutil.get_terminal_size().columns,
            request.spreadsheet,
        )
        report(wanted, sys.stdout)
    except Mistake as mistake:
        complain("report", str(mistake))
        return WRONG_USAGE
    return 0
