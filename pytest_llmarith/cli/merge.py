"""`llmarith merge`."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, print_error, sanitize_line
from pytest_llmarith.results.formatting import showable

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands


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
    from pytest_llmarith.results.files import UsageError
    from pytest_llmarith.results.log import LOG, records_in
    from pytest_llmarith.results.merge import merge
    from pytest_llmarith.results.page import write_run_page
    from pytest_llmarith.results.report import summary_section

    try:
        summary = merge(request.runs, request.into)
    except UsageError as error:
        print_error("merge", str(error))
        return WRONG_USAGE
    tables = summary_section(summary, shutil.get_terminal_size().columns)
    page = write_run_page(request.into, summary, records_in(request.into / LOG))
    for line in (*tables, "", f"written to {sanitize_line(str(request.into))}", sanitize_line(page)):
        sys.stdout.write(showable(f"{line}\n", sys.stdout.encoding))
    return 0
