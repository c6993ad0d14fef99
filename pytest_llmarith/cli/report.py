"""`llmarith report`, `llmarith export` and `llmarith merge`."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import add_output, print_error, sanitize_line, say

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

_FORMATS = ("terminal", "markdown", "json", "csv", "html")
_SHAPES = ("llm_arithmetic", "csv")


def add_report(commands: Commands) -> None:
    """Declare `llmarith report`."""
    purpose = "Show the tables of a run, or an overview of several"
    command = commands.add_parser("report", help=purpose, description=f"{purpose}. The runs are never changed.")
    add_output(command)
    command.add_argument(
        "--format", choices=_FORMATS, default="terminal", metavar="|".join(_FORMATS), help="Output format"
    )
    command.add_argument("--min-depth", type=_depth, metavar="N", help="Count only trials of this depth and more")
    command.add_argument("--max-depth", type=_depth, metavar="N", help="Count only trials up to this depth")
    for name in ("task", "model"):
        command.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="NAME",
            help=f"Count only trials of this {name}; repeatable, * matches any text",
        )
    command.add_argument(
        "--sort",
        metavar="[-]COLUMN",
        help="Order results by a column, such as correct or model; - reverses the order",
    )
    command.set_defaults(run=_report)


def _report(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.export import Destination, load_all_runs
    from pytest_llmarith.results.report import Selection, parse_order, report

    report(
        load_all_runs(request.runs),
        request.format,
        Destination(sys.stdout, request.output, request.force, request.spreadsheet),
        shutil.get_terminal_size().columns,
        Selection(request.model, request.task, request.min_depth, request.max_depth),
        parse_order(request.sort) if request.sort else None,
    )
    return 0


def _depth(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a depth; write a whole number such as 5")
    return int(text)


def add_export(commands: Commands) -> None:
    """Declare `llmarith export`."""
    purpose = "Write the trials of runs in the format of another program"
    command = commands.add_parser("export", help=purpose, description=f"{purpose}. The runs are never changed.")
    add_output(command)
    command.add_argument(
        "--to",
        choices=_SHAPES,
        required=True,
        metavar="|".join(_SHAPES),
        help="Rows of llm_arithmetic, or a CSV table with a row per trial",
    )
    command.set_defaults(run=_export)


def _export(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.export import Destination, export, load_all_runs

    destination = Destination(sys.stdout, request.output, request.force, request.spreadsheet)
    left_out = export(load_all_runs(request.runs), request.to, destination)
    if count := left_out.other_tasks:
        have = "trials of other tasks have" if count > 1 else "trial of another task has"
        print_error("export", f"{count:,} {have} no row in --to={request.to}; use --to=csv for all trials")
    if count := left_out.conditions:
        print_error(
            "export",
            f"{count:,} {'trials were' if count > 1 else 'trial was'} asked in a condition or repeatedly, which "
            f"--to={request.to} does not show: a problem may have several rows; use --to=csv to distinguish them",
        )
    return 0


def add_merge(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Merge runs into one: all shards, or a run and its --lf runs"
    command = commands.add_parser("merge", help=purpose, description=f"{purpose}. The runs are never changed.")
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="A run's folder")
    command.add_argument(
        "--into", type=Path, required=True, metavar="RUN", help="Folder of the new run, which must not exist"
    )
    command.set_defaults(run=_merge)


def _merge(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.load import load_runs
    from pytest_llmarith.results.merge import merge
    from pytest_llmarith.results.page import write_run_page
    from pytest_llmarith.results.run_status import run_lines
    from pytest_llmarith.results.screen import screen

    summary = merge(request.runs, request.into)
    width, run = shutil.get_terminal_size().columns, load_runs(request.into)[0]
    page = write_run_page(request.into, summary, run.records(), run.asked())
    say(*run_lines(summary, width), *screen(summary, width))
    say("", f"written to {sanitize_line(str(request.into))}", sanitize_line(page))
    return 0
