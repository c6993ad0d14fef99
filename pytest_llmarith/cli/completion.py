"""`llmarith completion`: a script with which a shell completes commands, options, their
values and files.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import add_command, say
from pytest_llmarith.installation import install_extra
from pytest_llmarith.results.files import UsageError

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

_SHELLS = ("bash", "zsh", "fish")


def add_completion(
    commands: Commands, make_parser: Callable[[], argparse.ArgumentParser]
) -> None:
    """Declare the command."""
    purpose = "Print a script with which a shell completes llmarith"
    details = "It needs shtab. docs/running.md says where the script goes."

    def run(request: argparse.Namespace) -> int:
        return _completion(make_parser(), request.shell)

    command = add_command(commands, "completion", purpose, details, run)
    command.add_argument(
        "shell", choices=_SHELLS, metavar="|".join(_SHELLS), help="The shell"
    )


def _completion(parser: argparse.ArgumentParser, shell: str) -> int:
    try:
        import shtab
    except ImportError:
        raise UsageError(
            f"shtab is not installed; run {install_extra('completion')}"
        ) from None
    for action in _actions(parser):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    say(shtab.complete(parser, shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a command and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
