"""`llmarith oeis sync` and `llmarith oeis status`."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import (
    INTERRUPTED,
    NOT_DONE,
    Meter,
    add_command,
    print_error,
    say,
)
from pytest_llmarith.results.run_files import UsageError

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.tasks.oeis.sync import Synced

_SHOWN_FAILURES = 10


def add_oeis(commands: Commands) -> None:
    """Declare the command and its subcommands."""
    purpose = "Fill the cache of OEIS sequences, or show its contents"
    command = commands.add_parser("oeis", help=purpose, description=f"{purpose}.")
    subcommands = command.add_subparsers(
        dest="subcommand", metavar="sync|status", required=True
    )

    purpose = "Fetch entries into the cache"
    details = (
        "Entries in the cache are not fetched again; rerun the same command to "
        "continue a stopped one."
    )
    sync = add_command(subcommands, "sync", purpose, details, _sync)
    sync.add_argument(
        "names",
        nargs="*",
        metavar="SET|A-NUMBER",
        help="What to fetch, such as contemporary_easy or A000045; both classic sets "
        "by default",
    )
    sync.add_argument(
        "--from",
        dest="folder",
        type=Path,
        metavar="DIR",
        help="Read A000045.json or A000045.seq from this folder and its subfolders, "
        "without network",
    )
    purpose = (
        "Show the contents of the cache, missing and broken entries, and their dates"
    )
    status = add_command(subcommands, "status", purpose, "", _status)
    for subcommand in (sync, status):
        subcommand.add_argument(
            "--cache",
            type=Path,
            metavar="DIR",
            help="Folder of the cache (default: oeis_cache/ of the project)",
        )
    sync.add_argument(
        "--refresh",
        action="store_true",
        help="Also fetch entries that are in the cache",
    )


def _cache(request: argparse.Namespace) -> Path:
    from pytest_llmarith.tasks.oeis.cache import default_cache

    return Path(request.cache or default_cache(Path.cwd()))


def _status(request: argparse.Namespace) -> int:
    from pytest_llmarith.report.render.terminal import draw
    from pytest_llmarith.tasks.oeis.cache import STATUS_HEADINGS, Cache, status

    cache = Cache(_cache(request))
    try:
        rows, broken = status(cache)
    except (OSError, ValueError) as error:
        raise UsageError(str(error)) from error
    say(f"OEIS cache: {cache.folder}", "", *draw(STATUS_HEADINGS, rows), *broken)
    return 0


def _sync(request: argparse.Namespace) -> int:
    from pytest_llmarith.cli.init import project_files
    from pytest_llmarith.tasks.oeis import sync
    from pytest_llmarith.tasks.oeis.cache import wanted_numbers

    cache = _cache(request)
    meter = Meter()
    opening: AbstractContextManager[sync.Source]
    try:
        numbers = wanted_numbers(request.names)
        if request.folder:
            opening = nullcontext(sync.FolderSource(request.folder))
        else:
            opening = sync.Website(sync.OEIS, sync.PACE_S, on_retry=meter.say)
    except (OSError, ValueError) as error:
        raise UsageError(str(error)) from error
    meter.say(f"OEIS cache: {cache}")
    try:
        with opening as source:
            notice = project_files()["oeis_cache/NOTICE.md"]
            synced = sync.sync(
                numbers, cache, source, notice, request.refresh, meter.step
            )
    except KeyboardInterrupt:
        print_error(
            "oeis sync",
            "stopped; fetched entries are kept, rerun the same command to continue",
        )
        return INTERRUPTED
    except OSError as error:
        print_error("oeis sync", f"the cache cannot be written: {error}")
        return NOT_DONE
    return _tell(synced)


def _tell(synced: Synced) -> int:
    """Print what was done to stdout, and failures to stderr."""
    missing = len(synced.failed) + synced.left
    say(
        f"{synced.written:,} written, {synced.present:,} already there, {missing:,} "
        f"not fetched"
    )
    sys.stdout.flush()
    shown = synced.failed[:_SHOWN_FAILURES]
    others = [number for number, _ in synced.failed[_SHOWN_FAILURES:]]
    for number, why in shown:
        print_error("oeis sync", f"{number}: {why}")
    if others:
        print_error("oeis sync", f"and {len(others):,} others: {' '.join(others)}")
    if synced.is_complete:
        return 0
    advice = "rerun the same command to continue"
    if synced.left:
        advice = f"stopped, with {synced.left:,} not tried; {advice}"
    print_error("oeis sync", advice)
    return NOT_DONE
