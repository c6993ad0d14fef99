"""`llmarith conformance`: a grader over the corpus of replies."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import add_command, say
from pytest_llmarith.results.run_files import UsageError

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands


def add_conformance(commands: Commands) -> None:
    """Declare the command."""
    from pytest_llmarith.exact.conformance import add_arguments

    purpose = "Run a grader of numbers over a corpus of replies"
    command = add_command(
        commands, "conformance", purpose, "docs/conformance.md says how.", _conformance
    )
    add_arguments(command)


def _conformance(request: argparse.Namespace) -> int:
    from pytest_llmarith.exact import conformance

    if "" not in sys.path:
        sys.path.insert(0, "")  # a module of the current folder
    try:
        shown, status = conformance.run(request)
    except conformance.WrongUsage as error:
        raise UsageError(str(error)) from error
    say(shown)
    return status
