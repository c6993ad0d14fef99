"""`llmarith store prune`: its options, and what people are told in the end. It does not know how replies go."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, complain
from pytest_llmarith.cli.store.place import add_place, is_there, place_of, shown
from pytest_llmarith.cli.store.table import table
from pytest_llmarith.cli.store.telling import NOT_DONE, megabytes, replies_said, say

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.models.keeping.housekeeping import Criteria, Inventory
    from pytest_llmarith.models.keeping.store import Store

_MOST_DAYS = 100_000


def add_prune(subcommands: Commands) -> None:
    """Declare the command."""
    told = "Take replies out of the store for good"
    more = "Of several criteria all must hold; at least one is needed."
    command = subcommands.add_parser("prune", help=told, description=f"{told}. {more}")
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
    add_place(command)
    command.set_defaults(run=_prune)


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


def _prune(request: argparse.Namespace) -> int:
    from pytest_llmarith.models.keeping.housekeeping import Criteria, inventory
    from pytest_llmarith.models.keeping.store import Store, StoreError

    path = place_of(request)
    if not request.model and request.older_than is None:
        complain("store prune", "nothing says which replies are to go; add --model=NAME or --older-than=DAYS|DATE")
        return WRONG_USAGE
    if not is_there("store prune", path):
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
    sizes = f"{megabytes(before)} before, {megabytes(size_of(path))} now"
    say(
        f"store: {shown(path)}, {sizes}",
        f"{replies_said(pruned.went.total)} went, and are in the store no longer:",
        "",
        *table(pruned.went),
    )
    if pruned.still_large:
        complain("store prune", f"the replies went, and the file has kept their room: {pruned.still_large}")
        return NOT_DONE
    return 0


def _tell(path: Path, going: Inventory) -> int:
    say(f"store: {shown(path)}", f"{replies_said(going.total)} would go:", "", *table(going))
    return 0
