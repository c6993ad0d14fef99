"""`llmarith report`, `llmarith export` and `llmarith merge`."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import (
    add_format,
    add_output,
    add_runs,
    print_error,
    sanitize_line,
    say,
)

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

_FORMATS = ("terminal", "markdown", "latex", "csv", "json", "html")
_TRIAL_FORMATS = ("csv", "llm_arithmetic")


def add_report(commands: Commands) -> None:
    """Declare `llmarith report`."""
    purpose = "Show the results of runs, with differences to the first model"
    command = commands.add_parser("report", help=purpose, description=f"{purpose}. The runs are never changed.")
    add_runs(command)
    add_format(command, _FORMATS, "terminal")
    command.add_argument(
        "--cells", action="store_true", help="Add variants by depth; with csv and json, show them instead"
    )
    command.add_argument(
        "--errors", action="store_true", help="Add error classes; with csv and json, show them instead"
    )
    command.add_argument("-v", "--verbose", action="store_true", help="Add all tables; with terminal and markdown")
    add_output(command)
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
    from pytest_llmarith.results.report import Detail, Selection, parse_order, report

    report(
        load_all_runs(request.runs),
        request.format,
        Destination(sys.stdout, request.output, request.force, request.spreadsheet),
        shutil.get_terminal_size().columns,
        Selection(request.model, request.task, request.min_depth, request.max_depth),
        parse_order(request.sort) if request.sort else None,
        Detail(request.cells, request.errors, request.verbose),
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
    add_runs(command)
    add_format(command, _TRIAL_FORMATS)
    add_output(command)
    command.set_defaults(run=_export)


def _export(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.export import Destination, export, load_all_runs

    destination = Destination(sys.stdout, request.output, request.force, request.spreadsheet)
    left_out = export(load_all_runs(request.runs), request.format, destination)
    if count := left_out.other_tasks:
        have = "trials of other tasks have" if count > 1 else "trial of another task has"
        print_error("export", f"{count:,} {have} no row in --format={request.format}; use --format=csv for all trials")
    if count := left_out.conditions:
        print_error(
            "export",
            f"{count:,} {'trials were' if count > 1 else 'trial was'} asked in a condition or repeatedly, which "
            f"--format={request.format} does not show: a problem may have several rows; use --format=csv for them",
        )
    return 0


def add_merge(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Merge runs into one: all shards, or a run and its --lf runs"
    command = commands.add_parser("merge", help=purpose, description=f"{purpose}. The runs are never changed.")
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="A run's folder")
    command.add_argument(
        "--output", type=Path, required=True, metavar="RUN", help="Folder of the new run, which must not exist"
    )
    command.set_defaults(run=_merge)


def _merge(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.load import load_runs
    from pytest_llmarith.results.merge import merge
    from pytest_llmarith.results.page import write_run_page
    from pytest_llmarith.results.run_status import run_lines
    from pytest_llmarith.results.screen import screen

    summary = merge(request.runs, request.output)
    width, run = shutil.get_terminal_size().columns, load_runs(request.output)[0]
    page = write_run_page(request.output, summary, run.records(), run.asked())
    say(*run_lines(summary, width), *screen(summary, width))
    say("", f"written to {sanitize_line(str(request.output))}", sanitize_line(page))
    return 0
