"""Room: `llmarith ...`, the commands beside pytest. It does not know pytest, nor how a command does its deed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from pytest_llmarith.cli.compare import add_compare
from pytest_llmarith.cli.export import add_export
from pytest_llmarith.cli.init import add_init
from pytest_llmarith.cli.merge import add_merge
from pytest_llmarith.cli.oeis import add_oeis
from pytest_llmarith.cli.parser import INTERRUPTED, WRONG_USAGE, Parser, complain
from pytest_llmarith.cli.regrade import add_regrade
from pytest_llmarith.cli.report import add_report
from pytest_llmarith.cli.schema import add_schema
from pytest_llmarith.cli.store import add_store

__all__ = ["WRONG_USAGE", "main", "make_parser"]

_PACKAGE = "pytest-llmarith"


class _Version(argparse.Action):
    """Looks the version up when it is asked for: also a copy that was never installed can run commands."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import PackageNotFoundError, version

        try:
            found = version(_PACKAGE)
        except PackageNotFoundError:
            parser.error(f"the version is unknown, as {_PACKAGE} is not installed; run pip install {_PACKAGE}")
        sys.stdout.write(f"{_PACKAGE} {found}\n")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    The exit status is 0, 4 for wrong usage and files that cannot be read, 1 where something could not be fetched or
    done or a gate failed, and 130 where somebody pressed Ctrl-C.
    """
    parser = make_parser()
    request = parser.parse_args(argv)
    try:
        status: int = request.run(request)
        sys.stdout.flush()
    except KeyboardInterrupt:
        complain(request.command, "stopped")
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def make_parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    parser = Parser(prog="llmarith", description="Commands beside benchmark runs: for what they need and leave behind.")
    parser.add_argument("--version", action=_Version, nargs=0, help="Print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add_init(commands)
    add_regrade(commands)
    add_report(commands)
    add_compare(commands)
    add_export(commands)
    add_merge(commands)
    add_oeis(commands)
    add_store(commands)
    add_schema(commands)
    return parser
