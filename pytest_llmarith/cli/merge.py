"""`llmarith merge`: its options. It does not know what makes runs parts of one, nor how they become one."""

from __future__ import annotations

import argparse
import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.meter import Meter
from pytest_llmarith.cli.parser import WRONG_USAGE, complain, harmless
from pytest_llmarith.reports.harmless import showable

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands


def add_merge(commands: Commands) -> None:
    """Declare the command."""
    told = "Make one run of several, such as the shards of one"
    command = commands.add_parser("merge", help=told, description=f"{told}. The runs are never changed.")
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="A run's folder")
    command.add_argument(
        "--into", type=Path, required=True, metavar="RUN", help="The folder of the new run, which is to be made"
    )
    command.add_argument(
        "--allow-missing",
        action="store_true",
        help="Merge what is there, without shards or trials that are missing; the new run says that it is partial",
    )
    command.add_argument(
        "--allow-differing",
        action="store_true",
        help="Merge runs that differ in seed, model, parameters, versions or selection; the new run names it",
    )
    command.add_argument(
        "--allow-overlap", action="store_true", help="Where two runs have answered a trial, let the later one win"
    )
    command.set_defaults(run=_merge)


def _merge(request: argparse.Namespace) -> int:
    from pytest_llmarith.reports.merging import Refused, Request, merge, records_of
    from pytest_llmarith.reports.mistake import Mistake
    from pytest_llmarith.reports.page.run_page import write_run_page
    from pytest_llmarith.reports.tables.terminal import summary_section

    wanted = Request(request.runs, request.into, request.allow_missing, request.allow_differing, request.allow_overlap)
    meter = Meter(at_once=False)
    try:
        with closing(meter):
            summary = merge(wanted, lambda done, total: meter.step("records read and written", done, total))
    except Mistake as mistake:
        complain("merge", str(mistake))
        return WRONG_USAGE
    except Refused as refused:
        for line in refused.lines:
            complain("merge", line)
        return WRONG_USAGE
    tables = summary_section(summary, shutil.get_terminal_size().columns)
    page = write_run_page(request.into, summary, records_of(request.into))
    for line in (*tables, "", f"written to {harmless(str(request.into))}", harmless(page)):
        sys.stdout.write(showable(f"{line}\n", sys.stdout.encoding))
    return 0
