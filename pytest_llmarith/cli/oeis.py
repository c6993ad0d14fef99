"""`llmarith oeis sync` and `llmarith oeis status`: their options, and what people are told in the end.

It does not know how entries are fetched, checked or kept.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.meter import Meter
from pytest_llmarith.cli.parser import INTERRUPTED, WRONG_USAGE, complain

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.oeis.sync import Source, Synced

_NOT_FETCHED = 1
_SHOWN_FAILURES = 10


def add_oeis(commands: Commands) -> None:
    """Declare the command and its commands."""
    told = "Fill the cache of sequences of the OEIS, or say what it holds"
    command = commands.add_parser("oeis", help=told, description=f"{told}.")
    subcommands = command.add_subparsers(dest="subcommand", metavar="sync|status", required=True)
    _add_sync(subcommands)
    _add_status(subcommands)


def _add_sync(subcommands: Commands) -> None:
    told = "Fetch entries into the cache"
    more = "What is there is not fetched again, so the same command goes on where it was stopped."
    command = subcommands.add_parser("sync", help=told, description=f"{told}. {more}")
    command.add_argument(
        "names",
        nargs="*",
        metavar="SET|A-NUMBER",
        help="What to fetch, such as contemporary_easy or A000045; both classic sets by default",
    )
    command.add_argument(
        "--from",
        dest="folder",
        type=Path,
        metavar="DIR",
        help="Take A000045.json or A000045.seq from this folder and those in it, without network",
    )
    _add_cache(command)
    command.add_argument("--refresh", action="store_true", help="Fetch entries that are there, too")
    command.set_defaults(run=_sync)


def _add_status(subcommands: Commands) -> None:
    told = "Say what the cache holds, what is missing or broken, and from when it is"
    command = subcommands.add_parser("status", help=told, description=f"{told}.")
    _add_cache(command)
    command.set_defaults(run=_status)


def _add_cache(command: argparse.ArgumentParser) -> None:
    command.add_argument("--cache", type=Path, metavar="DIR", help="The cache; oeis_cache/ of the project by default")


def _cache(request: argparse.Namespace) -> Path:
    from pytest_llmarith.oeis.cache import default_cache

    return Path(request.cache) if request.cache else default_cache(Path.cwd())


def _status(request: argparse.Namespace) -> int:
    from pytest_llmarith.oeis.cache import Cache, status_table

    cache = Cache(_cache(request))
    try:
        table = status_table(cache)
    except (OSError, ValueError) as error:
        complain("oeis status", str(error))
        return WRONG_USAGE
    sys.stdout.write(f"OEIS cache: {cache.folder}\n\n{table}\n")
    return 0


def _sync(request: argparse.Namespace) -> int:
    cache = _cache(request)
    meter = Meter()
    try:
        with ExitStack() as stack:
            stack.callback(meter.close)
            return _sync_into(cache, request, meter, stack)
    except KeyboardInterrupt:
        complain("oeis sync", "stopped; what is there stays, and the same command goes on from here")
        return INTERRUPTED


def _sync_into(cache: Path, request: argparse.Namespace, meter: Meter, stack: ExitStack) -> int:
    from pytest_llmarith.oeis.sets import wanted_numbers
    from pytest_llmarith.oeis.sync import sync

    try:
        numbers = wanted_numbers(request.names)
        source = _source(request, meter, stack)
    except (OSError, ValueError) as error:
        complain("oeis sync", str(error))
        return WRONG_USAGE
    meter.say(f"OEIS cache: {cache}")
    try:
        synced = sync(numbers, cache, source, request.refresh, meter.step)
    except OSError as error:
        complain("oeis sync", f"the cache cannot be written: {error}")
        return _NOT_FETCHED
    meter.close()
    return _tell(synced)


def _source(request: argparse.Namespace, meter: Meter, stack: ExitStack) -> Source:
    """Raises OSError and ValueError where there is no such folder or address."""
    if request.folder:
        from pytest_llmarith.oeis.sync import FolderSource

        return FolderSource(request.folder)
    from pytest_llmarith.oeis import website

    return stack.enter_context(website.Website(website.OEIS, website.PACE_S, told=meter.say))


def _tell(synced: Synced) -> int:
    """What was done on stdout, and what was not, with the way on, on stderr."""
    not_there = len(synced.failed) + synced.left
    sys.stdout.write(f"{synced.written:,} written, {synced.there:,} were there, {not_there:,} not fetched\n")
    sys.stdout.flush()
    for number, why in synced.failed[:_SHOWN_FAILURES]:
        complain("oeis sync", f"{number}: {why}")
    if more := synced.failed[_SHOWN_FAILURES:]:
        complain("oeis sync", f"and {len(more):,} others: {' '.join(number for number, _ in more)}")
    if synced.is_whole:
        return 0
    stopped = f"stopped, with {synced.left:,} not tried; " if synced.left else ""
    complain("oeis sync", f"{stopped}the same command goes on from here")
    return _NOT_FETCHED
