"""`llmarith store status`: its options, and what people are told. It changes nothing."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, complain
from pytest_llmarith.cli.store.place import add_place, is_there, place_of, shown
from pytest_llmarith.cli.store.table import table
from pytest_llmarith.cli.store.telling import NOT_DONE, megabytes, say

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands


def add_status(subcommands: Commands) -> None:
    """Declare the command."""
    told = "Say how many replies the store holds of which model, from when, and what they cost"
    command = subcommands.add_parser("status", help=told, description=f"{told}.")
    add_place(command)
    command.set_defaults(run=_status)


def _status(request: argparse.Namespace) -> int:
    from pytest_llmarith.models.keeping.housekeeping import inventory, size_of
    from pytest_llmarith.models.keeping.store import Store, StoreError

    path = place_of(request)
    if not is_there("store status", path):
        return WRONG_USAGE
    try:
        with closing(Store(path)) as store:
            held = inventory(store)
            size = size_of(path)
    except StoreError as error:
        complain("store status", str(error))
        return NOT_DONE
    say(f"store: {shown(path)}, {megabytes(size)}", "", *table(held))
    return 0
