"""Writes docs/options.md, the reference of all options, from the code that declares them: `make docs`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_llmarith.cli import make_parser
from pytest_llmarith.options.declaration import GROUPS
from pytest_llmarith.options.names import MODEL_ENVIRONMENT, MODEL_INI, OEIS_SETS, OEIS_SETS_INI

_INTRODUCTION = f"""\
# Options

Made from the code by `make docs`; `pytest --help` and `llmarith COMMAND --help` say the same. An option without a
default is off until it is given. All of pytest's own options work beside ours.

A model may also be named once for all runs: by `{MODEL_ENVIRONMENT}` in the environment, by the same in `.env`, or by
lines of `{MODEL_INI}` in the configuration of pytest. The first of these that names one counts. The ini value
`{OEIS_SETS_INI}` stands for `{OEIS_SETS}`.
"""


class Group(pytest.OptionGroup):
    """Takes options down instead of declaring them: one row of a table each."""

    def __init__(self) -> None:
        self.rows: list[str] = []

    def addoption(self, *names: str, **facts: Any) -> None:
        self.rows.append(_row(_called(names[-1], facts.get("metavar")), facts["help"]))


def reference() -> str:
    """The whole document."""
    parts = [_INTRODUCTION, "## Of a run: `pytest`\n"]
    parts += [_section(f"### {title}", _declared(title)) for title in GROUPS]
    parts += ["## Of the commands: `llmarith`\n"]
    parts += [_section(f"### `{command.prog}`", _arguments(command), command.description) for command in _commands()]
    return "\n".join(parts)


def _declared(title: str) -> list[str]:
    group = Group()
    GROUPS[title](group)
    return group.rows


def _section(heading: str, rows: list[str], said: str | None = None) -> str:
    lines = [heading, "", *([said, ""] if said else []), "| option | what it does |", "|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _row(option: str, told: str) -> str:
    return "| {} | {} |".format(*(" ".join(cell.split()).replace("|", r"\|") for cell in (f"`{option}`", told)))


def _called(name: str, value: str | None) -> str:
    return f"{name}={value}" if value else name


def _commands(parser: argparse.ArgumentParser | None = None) -> Iterator[argparse.ArgumentParser]:
    """Every command that does something itself, in the order of `llmarith --help`."""
    parser = parser or make_parser()
    deeper = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not deeper:
        yield parser
    for action in deeper:
        for command in action.choices.values():
            yield from _commands(command)


def _arguments(command: argparse.ArgumentParser) -> list[str]:
    told = (action for action in command._actions if action.dest != "help")
    return [_row(_argument(action), action.help or "") for action in told]


def _argument(action: argparse.Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else None
    return _called(action.option_strings[-1], value) if action.option_strings else value or action.dest


if __name__ == "__main__":
    sys.stdout.write(reference())
