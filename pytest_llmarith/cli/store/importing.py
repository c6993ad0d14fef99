"""`llmarith store import`: its options, and what people are told in the end. It does not know how run logs are read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, complain
from pytest_llmarith.cli.store.place import add_place, place_of, shown
from pytest_llmarith.cli.store.telling import NOT_DONE, replies_said, say

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.cli.store.taking import Taken


def add_import(subcommands: Commands) -> None:
    """Declare the command."""
    told = "Take the replies of runs on other machines into the store"
    more = "Import only what comes from people you trust: a made-up reply looks like a paid one."
    command = subcommands.add_parser("import", help=told, description=f"{told}. {more}")
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="A run's folder, or its trials.jsonl")
    command.add_argument("--force", action="store_true", help="Replace replies that are in the store already")
    add_place(command)
    command.set_defaults(run=_import)


def _import(request: argparse.Namespace) -> int:
    from pytest_llmarith.models.keeping.store import StoreError
    from pytest_llmarith.reports.logs.lines import log_of
    from pytest_llmarith.reports.mistake import Mistake

    try:
        refused = _take_all([log_of(run) for run in request.runs], place_of(request), force=request.force)
    except Mistake as mistake:
        complain("store import", str(mistake))
        return WRONG_USAGE
    except StoreError as error:
        complain("store import", str(error))
        return NOT_DONE
    return WRONG_USAGE if refused else 0


def _take_all(logs: Sequence[Path], path: Path, *, force: bool) -> int:
    """How many lines were refused; the user is told of each log when it is done."""
    from pytest_llmarith.cli.store.taking import opened, take
    from pytest_llmarith.reports.mistake import name_of

    refused = 0
    with opened(path) as store:
        say(f"store: {shown(path)}")
        for log in logs:
            taken = take(log, store, force=force)
            say(f"{name_of(log)}: {_counts(taken, force=force)}")
            _name_refused(name_of(log), taken)
            refused += taken.refused
    return refused


def _counts(taken: Taken, *, force: bool) -> str:
    parts = [f"{replies_said(taken.new)} taken"]
    if taken.there:
        parts.append(f"{taken.there:,} replaced" if force else f"{taken.there:,} in the store already")
    parts += [f"{count:,} {why}" for why, count in sorted(taken.left_out.items())]
    if taken.refused:
        parts.append(f"{taken.refused:,} refused")
    return ", ".join(parts)


def _name_refused(log: str, taken: Taken) -> None:
    sys.stdout.flush()
    for line in taken.first_refused:
        complain("store import", f"{log}, line {line.line}: {line.why}")
    if more := taken.refused - len(taken.first_refused):
        complain("store import", f"{log}: {more:,} other lines are refused")
