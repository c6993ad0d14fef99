"""`llmarith store import|status|prune`: their options, and what people are told in the end.

It does not know how replies are kept, nor how run logs are read.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, complain, harmless
from pytest_llmarith.files import project_of

if TYPE_CHECKING:
    from pytest_llmarith.cli.importing import Taken
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.models.keeping.housekeeping import Criteria, Inventory
    from pytest_llmarith.models.keeping.store import Store

NOT_DONE = 1
_FOLDER = ".llmarith"
_FILE = "store.sqlite"
_LONGEST_NAME = 60
_MOST_DAYS = 100_000
_HEADERS = ("model", "base URL", "first", "last", "replies", "cost", "tokens")


def add_store(commands: Commands) -> None:
    """Declare the command and its commands."""
    told = "Take replies into the store of paid replies, say what it holds, or trim it"
    command = commands.add_parser("store", help=told, description=f"{told}.")
    deeds = command.add_subparsers(dest="deed", metavar="import|status|prune", required=True)
    _add_import(deeds)
    _add_status(deeds)
    _add_prune(deeds)


def _add_import(deeds: Commands) -> None:
    told = "Take the replies of runs on other machines into the store"
    more = "Import only what comes from people you trust: a made-up reply looks like a paid one."
    command = deeds.add_parser("import", help=told, description=f"{told}. {more}")
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="A run's folder, or its trials.jsonl")
    command.add_argument("--force", action="store_true", help="Replace replies that are in the store already")
    _add_place(command)
    command.set_defaults(run=_import)


def _add_status(deeds: Commands) -> None:
    told = "Say how many replies the store holds of which model, from when, and what they cost"
    command = deeds.add_parser("status", help=told, description=f"{told}.")
    _add_place(command)
    command.set_defaults(run=_status)


def _add_prune(deeds: Commands) -> None:
    told = "Take replies out of the store for good"
    more = "Of several criteria all must hold; at least one is needed."
    command = deeds.add_parser("prune", help=told, description=f"{told}. {more}")
    command.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="Those of this model, such as openai/gpt-4o-mini, as the status names it; repeatable",
    )
    command.add_argument(
        "--older-than",
        type=_moment,
        metavar="DAYS|DATE",
        help="Those that were asked more than so many days ago, or before a date such as 2026-11-22 (UTC)",
    )
    command.add_argument("--dry-run", action="store_true", help="Only say what would go")
    _add_place(command)
    command.set_defaults(run=_prune)


def _add_place(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--store-dir", type=Path, metavar="DIR", help=f"The store's folder; {_FOLDER}/ of the project by default"
    )


def _moment(text: str) -> str:
    """The moment before which replies are old, as replies are dated."""
    if re.fullmatch(r"\d{1,6}", text, re.ASCII) and int(text) <= _MOST_DAYS:
        return (datetime.now(UTC) - timedelta(days=int(text))).isoformat(timespec="milliseconds")
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number of days nor a date; write 30 or 2026-11-22"
        ) from None


def _import(request: argparse.Namespace) -> int:
    from pytest_llmarith.cli.importing import opened, take
    from pytest_llmarith.models.keeping.store import StoreError
    from pytest_llmarith.reports.logs.lines import log_of
    from pytest_llmarith.reports.mistake import Mistake, name_of

    path = _place(request)
    refused = 0
    try:
        logs = [log_of(run) for run in request.runs]
        with opened(path) as store:
            _print(f"store: {_name(path)}")
            for log in logs:
                taken = take(log, store, force=request.force)
                _print(f"{name_of(log)}: {_counts(taken, force=request.force)}")
                _name_refused(name_of(log), taken)
                refused += taken.refused
    except Mistake as mistake:
        complain("store import", str(mistake))
        return WRONG_USAGE
    except StoreError as error:
        complain("store import", str(error))
        return NOT_DONE
    return WRONG_USAGE if refused else 0


def _counts(taken: Taken, *, force: bool) -> str:
    parts = [f"{_replies(taken.new)} taken"]
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


def _status(request: argparse.Namespace) -> int:
    from pytest_llmarith.models.keeping.housekeeping import inventory, size_of
    from pytest_llmarith.models.keeping.store import Store, StoreError

    path = _place(request)
    if not _is_there("store status", path):
        return WRONG_USAGE
    try:
        with closing(Store(path)) as store:
            held = inventory(store)
            size = size_of(path)
    except StoreError as error:
        complain("store status", str(error))
        return NOT_DONE
    _print(f"store: {_name(path)}, {_megabytes(size)}", "", *_table(held))
    return 0


def _prune(request: argparse.Namespace) -> int:
    from pytest_llmarith.models.keeping.housekeeping import Criteria, inventory
    from pytest_llmarith.models.keeping.store import Store, StoreError

    path = _place(request)
    if not request.model and request.older_than is None:
        complain("store prune", "nothing says which replies are to go; add --model=NAME or --older-than=DAYS|DATE")
        return WRONG_USAGE
    if not _is_there("store prune", path):
        return WRONG_USAGE
    criteria = Criteria(request.model, request.older_than)
    try:
        with closing(Store(path)) as store:
            going = inventory(store, criteria)
            unknown = _unknown(request.model, going, store)
    except StoreError as error:
        complain("store prune", str(error))
        return NOT_DONE
    if unknown:
        complain("store prune", f"the store holds no replies of {unknown!r}; llmarith store status names its models")
        return WRONG_USAGE
    return _tell(path, going) if request.dry_run else _take_out(path, criteria)


def _unknown(models: Sequence[str], going: Inventory, store: Store) -> str | None:
    """A model that the store does not know: it is mistyped."""
    found = {holding.model for holding in going.holdings}
    return next((model for model in models if model not in found and not store.has_model(model)), None)


def _take_out(path: Path, criteria: Criteria) -> int:
    from pytest_llmarith.models.keeping.housekeeping import prune, size_of
    from pytest_llmarith.models.keeping.store import StoreError

    before = size_of(path)
    try:
        pruned = prune(path, criteria)
    except StoreError as error:
        complain("store prune", str(error))
        return NOT_DONE
    sizes = f"{_megabytes(before)} before, {_megabytes(size_of(path))} now"
    _print(
        f"store: {_name(path)}, {sizes}",
        f"{_replies(pruned.went.total)} went, and are in the store no longer:",
        "",
        *_table(pruned.went),
    )
    if pruned.still_large:
        complain("store prune", f"the replies went, and the file has kept their room: {pruned.still_large}")
        return NOT_DONE
    return 0


def _tell(path: Path, going: Inventory) -> int:
    _print(f"store: {_name(path)}", f"{_replies(going.total)} would go:", "", *_table(going))
    return 0


def _replies(count: int) -> str:
    return f"{count:,} {'reply' if count == 1 else 'replies'}"


def _table(held: Inventory) -> list[str]:
    from pytest_llmarith.reports.figures import UNKNOWN, dollars, thousands
    from pytest_llmarith.reports.harmless import sanitize_name
    from pytest_llmarith.reports.tables.drawing import draw

    rows = [
        [
            sanitize_name(holding.model, _LONGEST_NAME),
            UNKNOWN if holding.api_base is None else sanitize_name(str(holding.api_base), _LONGEST_NAME),
            _day(holding.first),
            _day(holding.last),
            f"{holding.replies:,}",
            dollars(holding.cost_usd, holding.unpriced),
            thousands(holding.tokens),
        ]
        for holding in held.holdings
    ]
    lines = draw(_HEADERS, rows, words=4) if rows else []
    return [*lines, *([f"{held.damaged:,} damaged replies are in no row"] if held.damaged else [])]


def _day(moment: str | None) -> str:
    from pytest_llmarith.reports.figures import UNKNOWN

    return UNKNOWN if moment is None else harmless(moment[: len("2026-11-22")])


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"


def _place(request: argparse.Namespace) -> Path:
    folder = request.store_dir or project_of(Path.cwd(), _FOLDER) / _FOLDER
    return Path(folder).absolute() / _FILE


def _is_there(command: str, path: Path) -> bool:
    if path.is_file():
        return True
    complain(command, f"there is no store {path}; name its folder with --store-dir")
    return False


def _name(path: Path) -> str:
    return harmless(str(path))


def _print(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
