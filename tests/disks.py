"""File systems in memory that only one command sees, for what full and read-only disks
do.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_MOUNT = 'mount -t tmpfs -o "$0" tmpfs "$1" && shift && exec "$@"'
_WAYS = (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"])


def own_disk(options: str, folder: Path) -> list[str]:
    """What to write before a command so that it finds an empty file system of its own
    in this folder.
    """
    folder.mkdir(exist_ok=True)
    for way in _WAYS if shutil.which("unshare") else ():
        command = [*way, "sh", "-c", _MOUNT, options, str(folder)]
        if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
            return command
    pytest.skip("no file system can be mounted here")
