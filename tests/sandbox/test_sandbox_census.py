"""The census that the battery counts with: a process that passes itself on is seen as well as one that stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells who descends from whom")

_PROJECT = Path(__file__).parents[2]
# The program runs below a process of its own, which becomes the parent of whom it leaves behind.
_COUNTING = """
import subprocess, sys
from tests.sandbox.battery_census import adopt, descendants, end, stayed
adopt()
known = descendants()
subprocess.run([sys.executable, "-c", sys.argv[1]])
print(len(stayed(known, float(sys.argv[2]))) > 0)
end(known)
print(len(stayed(known, 30)) > 0)
"""
_PROGRAMS = {
    "daemon": ("import os, time\nif os.fork() == 0: time.sleep(30)", True),
    "daemon whose parent takes its time": (
        "import os, time\nif os.fork() == 0:\n    time.sleep(0.2)\n    if os.fork() == 0: time.sleep(30)",
        True,
    ),
    "process that passes itself on": (
        "import os, time\nfor _ in range(300):\n    if os.fork(): os._exit(0)\n    time.sleep(0.1)",
        True,
    ),
    "process that soon ends": ("import os, time\nif os.fork() == 0: time.sleep(0.1)", False),
    "nobody": ("", False),
}


@pytest.mark.parametrize(("program", "stays"), _PROGRAMS.values(), ids=_PROGRAMS)
def test_who_stays_is_seen_and_ended(program: str, stays: bool) -> None:
    """Whoever is left behind is seen, however often it changes its number, and is gone once it was ended."""
    done = subprocess.run(
        [sys.executable, "-c", _COUNTING, program, "1" if stays else "30"],
        cwd=_PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(stays), "False"]
