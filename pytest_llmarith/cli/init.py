"""`llmarith init`: its options, and what people are told in the end. It does not know what a project begins with."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import WRONG_USAGE, complain, harmless
from pytest_llmarith.reports.harmless import showable

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
        if (strangers := in_the_way(folder, files)) and not request.force:
            complain("init", _refusal(strangers))
            return WRONG_USAGE
        told = "Already there, in" if is_laid_out(folder, files) else "Made in"
        lay_out(folder, files)
    except OSError as error:
        complain("init", f"{str(folder)!r} cannot be filled: {error}")
        return WRONG_USAGE
    for line in (*_lying_in(folder, files, told), "", "Next:", *_next(folder)):
        sys.stdout.write(showable(f"{line}\n", sys.stdout.encoding))
    return 0


def _refusal(strangers: list[Path]) -> str:
    others = f" and {len(strangers) - 1:,} more" if strangers[1:] else ""
    return f"{str(strangers[0])!r}{others} would be replaced; name another folder, or write --force"


def _lying_in(folder: Path, files: Iterable[str], told: str) -> list[str]:
    """What lies in the folder now: a line for each folder and file of it."""
    counts = Counter(name.partition("/")[:2] for name in files)
    lines = [f"  {name}{slash}" + (f" ({count:,} files)" if slash else "") for (name, slash), count in counts.items()]
    return [f"{told} {harmless(str(folder.absolute()))}:", *lines]


def _next(folder: Path) -> list[str]:
    there = folder.absolute() == Path.cwd()
    return [*([] if there else [f"  cd {harmless(shlex.quote(str(folder)))}"]), f"  {_FIRST_RUN}"]
