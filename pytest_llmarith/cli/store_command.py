"""`llmarith store`: the replies of a project."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import (
    NotDoneError,
    add_command,
    add_repeatable,
    sanitize_line,
    say,
)
from pytest_llmarith.files import STORE_FILE, STORE_FOLDER, project_of
from pytest_llmarith.report.render.terminal import draw
from pytest_llmarith.results.run_files import UsageError, name_of
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.views.formatting import UNKNOWN, dollars, thousands

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.models.reservations import Reservations
    from pytest_llmarith.models.store import Holding, Store
    from pytest_llmarith.records import Reply
    from pytest_llmarith.results.logged_replies import LoggedReply

_MAX_DAYS = 100_000
_LONGEST_NAME = 60


def add_store(commands: Commands) -> None:
    """Declare `llmarith store`."""
    purpose = "Import replies into the store, show its contents, or delete replies"
    command = commands.add_parser("store", help=purpose, description=f"{purpose}.")
    subcommands = command.add_subparsers(
        dest="subcommand", metavar="import|status|prune", required=True
    )

    purpose = "Import the replies of runs on other machines; stored replies are kept"
    details = "Import only from people you trust: a forged reply looks like a real one."
    importing = add_command(subcommands, "import", purpose, details, _import)
    importing.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="A run's folder, or its trials.jsonl",
    )

    purpose = (
        "Show how many replies of each model the store holds, their dates and cost"
    )
    status = add_command(subcommands, "status", purpose, "", _status)

    purpose = "Delete replies permanently"
    details = "With both criteria, a reply must match both; at least one is needed."
    prune = add_command(subcommands, "prune", purpose, details, _prune)
    purpose = "Replies of this model, as `status` names it, such as openai/gpt-4o-mini"
    add_repeatable(prune, "--model", "NAME", purpose)
    prune.add_argument(
        "--older-than",
        type=_moment,
        metavar="DAYS|DATE",
        help="Replies more than this many days old, or from before a date such as "
        "2026-11-22 (UTC)",
    )
    prune.add_argument(
        "--dry-run", action="store_true", help="Only show what would be deleted"
    )

    for subcommand in (importing, status, prune):
        add_store_dir(subcommand)


def add_store_dir(command: argparse.ArgumentParser) -> None:
    """Add the argument for the folder of the store."""
    help_ = f"Folder of the store (default: {STORE_FOLDER}/ of the project)"
    command.add_argument("--store-dir", type=Path, metavar="DIR", help=help_)


def _moment(text: str) -> str:
    """The time before which replies are deleted, in the format of their dates."""
    if re.fullmatch(r"\d{1,6}", text, re.ASCII) and int(text) <= _MAX_DAYS:
        before = datetime.now(UTC) - timedelta(days=int(text))
        return before.isoformat(timespec="milliseconds")
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number of days nor a date; write 30 or 2026-11-22"
        ) from None


def store_path(request: argparse.Namespace) -> Path:
    folder = request.store_dir or project_of(Path.cwd(), STORE_FOLDER) / STORE_FOLDER
    return Path(folder).absolute() / STORE_FILE


def existing_store(request: argparse.Namespace) -> Path:
    """The path of the store. Raises UsageError if there is none."""
    path = store_path(request)
    if not path.is_file():
        raise UsageError(f"there is no store {path}; name its folder with --store-dir")
    return path


@contextmanager
def opened(path: Path) -> Iterator[Reservations]:
    """The store, and the batches whose questions are reserved in it."""
    from pytest_llmarith.models.reservations import Locked, Reservations
    from pytest_llmarith.models.store import StoreError

    try:
        with closing(Reservations(path)) as store:
            yield store
    except Locked:
        raise NotDoneError(
            "another command submits batches; rerun this one when it has done so"
        ) from None
    except StoreError as error:
        raise NotDoneError(str(error)) from error


# --- import ---------------------------------------------------------------------------


def _import(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.log import log_of

    logs = [log_of(run) for run in request.runs]
    with opened(store_path(request)) as store:
        say(f"store: {sanitize_line(str(store.path))}")
        for log in logs:
            _import_log(log, store)
    return 0


def _import_log(log: Path, store: Store) -> None:
    """Import the replies of a run log, and print the counts.

    Raises UsageError if a line is invalid.
    """
    from pytest_llmarith.records import decode_record
    from pytest_llmarith.results.llm_arithmetic import values_in
    from pytest_llmarith.results.log import parsed
    from pytest_llmarith.results.logged_replies import replies_of

    left_out = Counter[str]()
    found: dict[str, Reply] = {}

    def keyed(line: str) -> list[tuple[str, Reply]]:
        if values_in(line):
            raise UsageError(
                f"{name_of(log)}: rows of llm_arithmetic lack the requests; name a "
                f"run log of llmarith"
            )
        logged = replies_of(decode_record(line), left_out)
        return [(_key(one), one.reply) for one in logged]

    known = 0
    for _, replies in parsed(log, keyed):
        if replies is None:
            left_out["torn by a kill"] += 1
            continue
        for key, reply in replies:
            found.setdefault(key, reply)  # of two with one key, the first counts
            known += 1
    taken = store.put(found)
    left_out["in the store already"] = known - taken
    parts = [f"{_replies(taken)} taken"]
    for why, count in sorted(left_out.items()):
        if count:
            parts.append(f"{count:,} {why}")
    say(f"{name_of(log)}: {', '.join(parts)}")


def _key(logged: LoggedReply) -> str:
    from pytest_llmarith.models.redact import HIDDEN, header_values, refused_secrets
    from pytest_llmarith.models.store import key_of_sent

    sent = logged.sent
    if any(refused_secrets(sent.params)) or "@" in (sent.api_base or ""):
        raise ValueError("the request holds a key or a password, which no run records")
    if HIDDEN in header_values(sent.params):
        raise ValueError(
            "the request had a header whose value is not recorded, so its key is "
            "unknown"
        )
    return key_of_sent(sent, logged.trial, logged.repeat)


# --- status and prune -----------------------------------------------------------------


def _status(request: argparse.Namespace) -> int:
    with opened(existing_store(request)) as store:
        say(_headline(store.path), *_table(store.holdings()))
    return 0


def _prune(request: argparse.Namespace) -> int:
    models, before = request.model, request.older_than
    if not models and before is None:
        raise UsageError(
            "choose the replies to delete; add --model=NAME or --older-than=DAYS|DATE"
        )
    with opened(existing_store(request)) as store:
        for model in models:
            if not store.holdings([model]):
                raise UsageError(
                    f"the store holds no replies of {model!r}; see llmarith store "
                    f"status"
                )
        going = store.holdings(models, before)
        if not request.dry_run:
            store.prune(models, before)
        done = "would be deleted" if request.dry_run else "deleted"
        say(
            _headline(store.path),
            f"{_replies(sum(one.replies for one in going))} {done}",
            *_table(going),
        )
    return 0


def _table(holdings: Sequence[Holding]) -> list[str]:
    """An empty line and a table with a row per model and base URL.

    Nothing for an empty store.
    """
    rows = []
    for one in holdings:
        first, last = one.first or UNKNOWN, one.last or UNKNOWN
        rows.append(
            [
                sanitize_name(one.model or UNKNOWN, _LONGEST_NAME),
                sanitize_name(one.api_base or UNKNOWN, _LONGEST_NAME),
                first[:10],
                last[:10],
                f"{one.replies:,}",
                dollars(one.cost_usd, one.unpriced),
                thousands(one.tokens),
            ]
        )
    if not rows:
        return []
    headers = ["model", "base URL", "first", "last", "replies", "cost", "tokens"]
    return ["", *draw(headers, rows, names=4)]


def _headline(path: Path) -> str:
    """The path of the store and its size on disk, including SQLite's other files."""
    size = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
    return f"store: {sanitize_line(str(path))}, {size / 1e3:,.1f} kB"


def _replies(count: int) -> str:
    return f"{count:,} {'reply' if count == 1 else 'replies'}"
