"""The commit that a run was made at, where the project is a git repository. It never fails, and never waits long."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Literal

_LONGEST_S = 2.0
# Only reads: no lock is taken, and no program is started that a repository names.
_STATUS = (
    *("git", "--no-optional-locks", "-c", "core.fsmonitor=false"),
    *("status", "--porcelain=v2", "--branch", "--untracked-files=no"),
)
_COMMIT = "# branch.oid "


def git_facts(root: Path) -> dict[Literal["commit", "dirty"], str | bool | None] | None:
    """`commit` and whether files differ from it (`dirty`); None where that is not known."""
    environment = os.environ | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        told = subprocess.run(
            _STATUS,
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_LONGEST_S,
            check=True,
        ).stdout.decode("utf-8", "replace")
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return _read(told.splitlines())


def _read(lines: list[str]) -> dict[Literal["commit", "dirty"], str | bool | None] | None:
    commit = next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), "")
    if not commit.isalnum():  # (initial): nothing was ever committed
        return None
    return {"commit": commit, "dirty": any(not line.startswith("#") for line in lines)}
