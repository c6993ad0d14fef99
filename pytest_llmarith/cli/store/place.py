"""Which store a command is about. It does not open it."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_llmarith.cli.parser import complain, harmless
from pytest_llmarith.files import project_of
from pytest_llmarith.values.folders import STORE_FILE, STORE_FOLDER


def add_place(command: argparse.ArgumentParser) -> None:
    """Declare the option that names another store than the project's."""
    command.add_argument(
        "--store-dir", type=Path, metavar="DIR", help=f"The store's folder; {STORE_FOLDER}/ of the project by default"
    )


def place_of(request: argparse.Namespace) -> Path:
    """The file of the store that was named, or of the project's."""
    folder = request.store_dir or project_of(Path.cwd(), STORE_FOLDER) / STORE_FOLDER
    return Path(folder).absolute() / STORE_FILE


def is_there(command: str, path: Path) -> bool:
    """Whether there is such a store; where not, the user is told."""
    if path.is_file():
        return True
    complain(command, f"there is no store {path}; name its folder with --store-dir")
    return False


def shown(path: Path) -> str:
    """Where the store lies, as it may be shown."""
    return harmless(str(path))
