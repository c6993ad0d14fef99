"""`llmarith oeis sync` fills the cache of sequences, `llmarith oeis status` says what it holds."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import INTERRUPTED, complain, harmless, say
from pytest_llmarith.results.files import UsageError

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.oeis.sync import Synced

_NOT_DONE = 1
_SHOWN_FAILURES = 10
_PAUSE_S = 10.0


def add_oeis(commands: Commands) -> None:
    """Declare the command and its commands."""
    told = "Fill the cache of sequences of the OEIS, or say what it holds"
    command = commands.add_parser("oeis", help=told, description=f"{told}.")
    subcommands = command.add_subparsers(dest="subcommand", metavar="sync|status", required=True)

    told = "Fetch entries into the cache"
    more = "What is there is not fetched again, so the same command goes on where it was stopped."
    sync = subcommands.add_parser("sync", help=told, description=f"{told}. {more}")
    sync.add_argument(
        "names",
        nargs="*",
        metavar="SET|A-NUMBER",
        help="What to fetch, such as contemporary_easy or A000045; both classic sets by default",
    )
    sync.add_argument(
        "--from",
        dest="folder",
        type=Path,
        metavar="DIR",
        help="Take A000045.json or A000045.seq from this folder and those in it, without network",
    )
    told = "Say what the cache holds, what is missing or broken, and from when it is"
    status = subcommands.add_parser("status", help=told, description=f"{told}.")
    for subcommand, run in ((sync, _sync), (status, _status)):
        subcommand.add_argument(
            "--cache", type=Path, metavar="DIR", help="The cache; oeis_cache/ of the project by default"
        )
        subcommand.set_defaults(run=run)
    sync.add_argument("--refresh", action="store_true", help="Fetch entries that are there, too")


def _cache(request: argparse.Namespace) -> Path:
    from pytest_llmarith.oeis.cache import default_cache

    return Path(request.cache or default_cache(Path.cwd()))


def _status(request: argparse.Namespace) -> int:
    from pytest_llmarith.oeis.cache import Cache, status_table

    cache = Cache(_cache(request))
    try:
        table = status_table(cache)
    except (OSError, ValueError) as error:
        raise UsageError(str(error)) from error
    say(f"OEIS cache: {cache.folder}", "", table)
    return 0


def _sync(request: argparse.Namespace) -> int:
    from pytest_llmarith.kit import kit
    from pytest_llmarith.oeis import website
    from pytest_llmarith.oeis.cache import wanted_numbers
    from pytest_llmarith.oeis.sync import FolderSource, sync

    cache, meter = _cache(request), Meter()
    try:
        numbers = wanted_numbers(request.names)
        folder = nullcontext(FolderSource(request.folder)) if request.folder else None
    except (OSError, ValueError) as error:
        raise UsageError(str(error)) from error
    meter.say(f"OEIS cache: {cache}")
    try:
        with folder or website.Website(website.OEIS, website.PACE_S, told=meter.say) as source:
            synced = sync(numbers, cache, source, kit()["oeis_cache/NOTICE.md"], request.refresh, meter.step)
    except KeyboardInterrupt:
        complain("oeis sync", "stopped; what is there stays, and the same command goes on from here")
        return INTERRUPTED
    except OSError as error:
        complain("oeis sync", f"the cache cannot be written: {error}")
        return _NOT_DONE
    return _tell(synced)


def _tell(synced: Synced) -> int:
    """What was done on stdout, and on stderr what was not."""
    say(f"{synced.written:,} written, {synced.there:,} were there, {len(synced.failed) + synced.left:,} not fetched")
    sys.stdout.flush()
    for number, why in synced.failed[:_SHOWN_FAILURES]:
        complain("oeis sync", f"{number}: {why}")
    if more := synced.failed[_SHOWN_FAILURES:]:
        complain("oeis sync", f"and {len(more):,} others: {' '.join(number for number, _ in more)}")
    if synced.is_whole:
        return 0
    stopped = f"stopped, with {synced.left:,} not tried; " if synced.left else ""
    complain("oeis sync", f"{stopped}the same command goes on from here")
    return _NOT_DONE


class Meter:
    """How far a long command is, on stderr: a line from time to time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._shown_at = self._started - _PAUSE_S

    def step(self, name: str, done: int, total: int) -> None:
        """Step `done` of `total` begins, counted from 0."""
        now = self._clock()
        if now - self._shown_at < _PAUSE_S:
            return
        self._shown_at = now
        left = (now - self._started) / done * (total - done) if done else 0.0
        duration = f"{left / 60:.0f} min" if left >= 90 else f"{left:.0f} s"
        self.say(f"{name}: {done:,} of {total:,} done" + f", about {duration} left" * bool(done))

    def say(self, message: str) -> None:
        """A line at once."""
        sys.stderr.write(f"{harmless(message)}\n")
        sys.stderr.flush()
