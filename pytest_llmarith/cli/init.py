"""`llmarith init`: begin a project."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, complain, harmless, say

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

_FIRST_RUN = "pytest benches --llm-model=llmarith/exact -k depth_3"


def add_init(commands: Commands) -> None:
    """Declare the command."""
    told = "Begin a project: the benches, the starter sequences and a pytest.ini"
    more = "A folder that has a configuration of pytest keeps it. Files that were changed are not replaced."
    command = commands.add_parser("init", help=told, description=f"{told}. {more}")
    command.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="FOLDER", help="Where; the current folder by default"
    )
    command.add_argument("--force", action="store_true", help="Replace files that are there")
    command.set_defaults(run=_init)


def _init(request: argparse.Namespace) -> int:
    from pytest_llmarith.kit import configuration, in_the_way, is_laid_out, kit, lay_out

    folder: Path = request.folder
    try:
        files = kit() | configuration(folder)
        if (changed := in_the_way(folder, files)) and not request.force:
            others = f" and {len(changed) - 1:,} more" if changed[1:] else ""
            complain("init", f"{str(changed[0])!r}{others} would be replaced; name another folder, or write --force")
            return WRONG_USAGE
        told = "Already there, in" if is_laid_out(folder, files) else "Made in"
        lay_out(folder, files)
    except OSError as error:
        complain("init", f"{str(folder)!r} cannot be filled: {error}")
        return WRONG_USAGE
    counts = Counter(name.partition("/")[:2] for name in files)
    contents = (f"  {name}{slash}" + f" ({count:,} files)" * bool(slash) for (name, slash), count in counts.items())
    go_there = [] if folder.absolute() == Path.cwd() else [f"  cd {harmless(shlex.quote(str(folder)))}"]
    say(f"{told} {harmless(str(folder.absolute()))}:", *contents, "", "Next:", *go_there, f"  {_FIRST_RUN}")
    return 0
