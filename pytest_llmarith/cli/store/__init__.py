"""Room: `llmarith store import|status|prune`. It does not know how replies are kept, nor how run logs are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_llmarith.cli.store.importing import add_import
from pytest_llmarith.cli.store.prune import add_prune
from pytest_llmarith.cli.store.status import add_status

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands


def add_store(commands: Commands) -> None:
    """Declare the command and its commands."""
    told = "Take replies into the store of paid replies, say what it holds, or trim it"
    command = commands.add_parser("store", help=told, description=f"{told}.")
    subcommands = command.add_subparsers(dest="subcommand", metavar="import|status|prune", required=True)
    add_import(subcommands)
    add_status(subcommands)
    add_prune(subcommands)
