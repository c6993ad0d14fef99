"""`llmarith plot` and `llmarith cite`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import add_output, add_runs

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

_KINDS = ("curves", "heatmap", "differences", "cost")


def add_plot(commands: Commands) -> None:
    """Declare `llmarith plot`."""
    purpose = "Draw a figure of runs for a paper"
    command = commands.add_parser("plot", help=purpose, description=f"{purpose}, with matplotlib.")
    add_runs(command)
    command.add_argument(
        "--kind",
        choices=_KINDS,
        default="curves",
        metavar="|".join(_KINDS),
        help="Correct answers by depth as curves (default) or as a heatmap, paired differences, or accuracy and cost",
    )
    command.add_argument("--output", type=Path, required=True, metavar="FILE", help="An .svg, .pdf or .png file")
    command.add_argument("--force", action="store_true", help="Let --output replace a file that exists")
    command.set_defaults(run=_plot)


def _plot(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.export import load_all_runs
    from pytest_llmarith.results.plot import plot

    plot(load_all_runs(request.runs), request.kind, request.output, force=request.force)
    return 0


def add_cite(commands: Commands) -> None:
    """Declare `llmarith cite`."""
    purpose = "Print what a paper has to state about runs"
    command = commands.add_parser(
        "cite", help=purpose, description=f"{purpose}: models, prompts, seed, dates, versions and cost, with BibTeX."
    )
    add_runs(command)
    add_output(command)
    command.set_defaults(run=_cite)


def _cite(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.cite import cite
    from pytest_llmarith.results.export import Destination, load_all_runs

    runs = load_all_runs(request.runs)
    Destination(sys.stdout, request.output, request.force).write((f"{line}\n" for line in cite(runs)), runs)
    return 0
