"""Writes docs/options.md, the reference of all options, from the code that declares
them:

`make docs`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

from pytest_llmarith.cli import make_parser
from pytest_llmarith.options import MODEL_VARIABLE, SECTIONS

_INTRODUCTION = f"""\
# Options

For those who look up an option of pytest or a command of llmarith.

Made from the code by `make docs`, as are `pytest --help` and `llmarith COMMAND --help`. An option without a
default is off. All options of pytest can be used, too.

A model may also be [named once for all runs](models.md#choose), as by `{MODEL_VARIABLE}` in the environment.
"""

# Options that more commands have are described once.
_OFTEN = 2


def reference() -> str:
    """The whole document."""
    parts = [_INTRODUCTION, "## `pytest`\n"]
    for title, options in SECTIONS.items():
        rows = [
            _row(_called(option.name, option.metavar), option.help)
            for option in options
        ]
        parts.append(_section(f"### {title}", rows))
    tables = Counter[str]()
    for command in _commands():
        tables.update(_arguments(command))
    common = [row for row, count in tables.items() if count > _OFTEN]
    parts += ["## `llmarith`\n", _section("### Options of several commands", common)]
    parts += [_of_command(command, common) for command in _commands()]
    return "\n".join(parts)


def _of_command(command: argparse.ArgumentParser, common: list[str]) -> str:
    rows = _arguments(command)
    said = command.description
    shared = [row.split(" | ")[0].removeprefix("| ") for row in rows if row in common]
    if shared:
        said = (
            f"{said} [As elsewhere](#options-of-several-commands): {', '.join(shared)}."
        )
    own = [row for row in rows if row not in common]
    return _section(f"### `{command.prog}`", own, said)


def _section(heading: str, rows: list[str], said: str | None = None) -> str:
    lines = [heading, ""]
    if said:
        lines += [said, ""]
    if rows:
        lines += ["| option | meaning |", "|---|---|", *rows]
    return "\n".join(lines).rstrip() + "\n"


def _row(option: str, told: str) -> str:
    return "| {} | {} |".format(
        *(" ".join(cell.split()).replace("|", r"\|") for cell in (f"`{option}`", told))
    )


def _called(name: str, value: str | None) -> str:
    return f"{name}={value}" if value else name


def _commands(
    parser: argparse.ArgumentParser | None = None,
) -> Iterator[argparse.ArgumentParser]:
    """Every command without subcommands, in the order of `llmarith --help`."""
    parser = parser or make_parser()
    deeper = [
        action
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
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
    return (
        _called(action.option_strings[-1], value)
        if action.option_strings
        else value or action.dest
    )


if __name__ == "__main__":
    sys.stdout.write(reference())
