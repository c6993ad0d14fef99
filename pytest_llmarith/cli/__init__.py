"""The command line program `llmarith`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

from pytest_llmarith.cli.batch_command import add_batch, add_replies
from pytest_llmarith.cli.bundle_command import add_publish, add_site, add_verify
from pytest_llmarith.cli.check_task_command import add_check_task
from pytest_llmarith.cli.compare_command import add_compare, add_plan
from pytest_llmarith.cli.conformance_command import add_conformance
from pytest_llmarith.cli.init import add_init
from pytest_llmarith.cli.oeis import add_oeis
from pytest_llmarith.cli.parser import (
    INTERRUPTED,
    NOT_DONE,
    WRONG_USAGE,
    NotDoneError,
    Parser,
    add_command,
    print_error,
    say,
)
from pytest_llmarith.cli.report_command import (
    add_cite,
    add_export,
    add_merge,
    add_plot,
    add_regrade,
    add_report,
    add_trials,
)
from pytest_llmarith.cli.store_command import add_store
from pytest_llmarith.results.run_files import UsageError

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

__all__ = ["WRONG_USAGE", "main", "make_parser"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0: success. 1: something could not be fetched or done, or a gate failed. 4: wrong
    usage or an unreadable file. 6: processes or a cluster ended early. 130: Ctrl-C.
    """
    request, unknown = make_parser().parse_known_args(argv)
    command: str = request.command
    if "subcommand" in request:
        command += f" {request.subcommand}"
    if unknown:
        arguments = " ".join(unknown)
        print_error(
            command,
            f"unrecognized arguments: {arguments}; see llmarith {command} --help",
        )
        return WRONG_USAGE
    from pytest_llmarith.tasks.registry import register_built_in

    try:
        if "output" in request and request.output is None and request.force:
            raise UsageError(
                "--force needs --output; add --output=FILE, or remove --force"
            )
        register_built_in()
        status: int = request.run(request)
        sys.stdout.flush()
    except (UsageError, NotDoneError) as error:
        print_error(command, str(error))
        return WRONG_USAGE if isinstance(error, UsageError) else NOT_DONE
    except KeyboardInterrupt:
        print_error(command, "stopped")
        return INTERRUPTED
    except OSError as error:
        # So that Python's last flush cannot fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader, such as `head`, has ended
            return 0
        print_error(command, str(error))  # such as a full disk
        return NOT_DONE
    return status


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = Parser(
        prog="llmarith",
        description="Set up benchmark projects and work with the results of runs.",
    )
    release = f"pytest-llmarith {version('pytest-llmarith')}"
    parser.add_argument(
        "--version", action="version", version=release, help="Print the version"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add_init(commands)
    add_regrade(commands)
    add_report(commands)
    add_compare(commands)
    add_plan(commands)
    add_plot(commands)
    add_cite(commands)
    add_trials(commands)
    add_export(commands)
    add_merge(commands)
    add_publish(commands)
    add_verify(commands)
    add_site(commands)
    add_check_task(commands)
    add_conformance(commands)
    add_oeis(commands)
    add_store(commands)
    add_replies(commands)
    add_batch(commands)
    _add_schema(commands)
    return parser


def _add_schema(commands: Commands) -> None:
    kinds = ("record", "summary")
    purpose = "Print the JSON Schema of a record or of a summary"
    command = add_command(
        commands, "schema", purpose, "docs/schemas holds all.", _schema
    )
    command.add_argument(
        "name",
        choices=kinds,
        metavar="|".join(kinds),
        help="A line of trials.jsonl, or summary.json",
    )


def _schema(request: argparse.Namespace) -> int:
    import json

    from pytest_llmarith.summaries import schema_of

    say(json.dumps(schema_of(request.name), indent=2))
    return 0
