"""`llmarith init` writes a new project: benches, starter sequences and a pytest.ini.

A wheel contains them in `_kit`; a clone uses its own benches and oeis_cache folders.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import (
    WRONG_USAGE,
    add_command,
    print_error,
    sanitize_line,
    say,
)

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

BENCHES = "benches"
CONFIGURATION = "pytest.ini"

_PACKAGE = Path(__file__).parent.parent
_IN_A_WHEEL = _PACKAGE / "_kit"
_PARTS = (f"{BENCHES}/*.py", "oeis_cache/*.md", "oeis_cache/starter/A*")
_OTHER_CONFIGURATIONS = (
    CONFIGURATION,
    "pytest.toml",
    ".pytest.ini",
    ".pytest.toml",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
_SETTINGS = f"""\
[pytest]
testpaths = {BENCHES}
# The model to ask without --llm-model:
# llm_model = o4-mini
"""

Files = dict[str, bytes]  # content by path, with slashes
_FIRST_RUN = "pytest benches --llm-model=llmarith/sloppy -k depth_3"


def add_init(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Create a project: the benches, the starter sequences and a pytest.ini"
    details = (
        "An existing pytest configuration is kept. Changed files are not replaced."
    )
    command = add_command(commands, "init", purpose, details, _init)
    command.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="Folder of the project (default: the current folder)",
    )
    command.add_argument("--force", action="store_true", help="Replace changed files")


def _init(request: argparse.Namespace) -> int:
    folder: Path = request.folder
    try:
        files = project_files() | _configuration(folder)
        different = [
            name
            for name, content in files.items()
            if not _holds(folder / name, content)
        ]
        # A broken link is there, too.
        changed = [name for name in different if os.path.lexists(folder / name)]
        if changed and not request.force:
            first = f"{str(folder / changed[0])!r}"
            if len(changed) > 1:
                first += f" and {len(changed) - 1:,} more"
            print_error(
                "init",
                f"{first} would be replaced; name another folder, or write --force",
            )
            return WRONG_USAGE
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        print_error("init", f"{str(folder)!r} cannot be written: {error}")
        return WRONG_USAGE
    headline = "Created" if different else "Already complete:"
    say(f"{headline} {sanitize_line(str(folder.absolute()))}:")
    counts = Counter(name.partition("/")[:2] for name in files)
    for (name, slash), count in counts.items():
        say(f"  {name}/ ({count:,} files)" if slash else f"  {name}")
    say("", "Next:")
    if folder.absolute() != Path.cwd():
        say(f"  cd {sanitize_line(shlex.quote(str(folder)))}")
    say(f"  {_FIRST_RUN}")
    return 0


def project_files() -> Files:
    """The files of a new project, without its configuration.

    Raises OSError if they cannot be read.
    """
    root = _IN_A_WHEEL if _IN_A_WHEEL.is_dir() else _PACKAGE.parent
    paths = sorted(path for part in _PARTS for path in root.glob(part))
    if not any(path.parent.name == BENCHES for path in paths):
        raise FileNotFoundError(
            f"no benches found in {str(root)!r}; reinstall pytest-llmarith"
        )
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def _configuration(folder: Path) -> Files:
    """A pytest.ini, unless the folder has a configuration, which it would override."""
    if any((folder / name).exists() for name in _OTHER_CONFIGURATIONS):
        return {}
    return {CONFIGURATION: _SETTINGS.encode("ascii")}


def _holds(path: Path, content: bytes) -> bool:
    return (
        path.is_file()
        and path.stat().st_size == len(content)
        and path.read_bytes() == content
    )
