"""`llmarith schema`: its options. It does not know what stands in a file of a run."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

KINDS = ("record", "summary")


def add_schema(commands: Commands) -> None:
    """Declare the command."""
    told = "Print the JSON Schema of a record or of a summary"
    command = commands.add_parser("schema", help=told, description=f"{told}, as docs/schemas holds it.")
    command.add_argument("name", choices=KINDS, metavar="|".join(KINDS), help="A line of trials.jsonl, or summary.json")
    command.set_defaults(run=_schema)


def _schema(request: argparse.Namespace) -> int:
    import json

    from pytest_llmarith.records import schema_of

    sys.stdout.write(json.dumps(schema_of(request.name), indent=2) + "\n")
    return 0
