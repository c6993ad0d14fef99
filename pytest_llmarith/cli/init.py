"""`llmarith init`."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, print_error, sanitize_line, say

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

_FIRST_RUN = "pytest benches --llm-model=llmarith/exact -k depth_3"


def add_init(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Create a project: the benches, the starter sequences and a pytest.ini"
    details = "An existing pytest configuration is kept. Changed files are not replaced."
    command = commands.add_parser("init", help=purpose, description=f"{purpose}. {details}")
    command.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="Folder of the project (default: the current folder)",
    )
    command.add_argument("--force", action="store_true", help="Replace changed files")
    command.set_defaults(run=_init)


def _init(request: argparse.Namespace) -> int:
    from pytest_llmarith.kit import are_present, changed_files, configuration, project_files, write_files

    folder: Path = request.folder
    try:
        files = project_files() | configuration(folder)
        if (changed := changed_files(folder, files)) and not request.force:
            others = f" and {len(changed) - 1:,} more" if changed[1:] else ""
            print_error("init", f"{str(changed[0])!r}{others} would be replaced; name another folder, or write --force")
            return WRONG_USAGE
        headline = "Already complete:" if are_present(folder, files) else "Created"
        write_files(folder, files)
    except OSError as error:
        print_error("init", f"{str(folder)!r} cannot be written: {error}")
        return WRONG_USAGE
    counts = Counter(name.partition("/")[:2] for name in files)
    contents = (f"  {name}{slash}" + f" ({count:,} files)" * bool(slash) for (name, slash), count in counts.items())
    go_there = [] if folder.absolute() == Path.cwd() else [f"  cd {sanitize_line(shlex.quote(str(folder)))}"]
    say(f"{headline} {sanitize_line(str(folder.absolute()))}:", *contents, "", "Next:", *go_there, f"  {_FIRST_RUN}")
    return 0
