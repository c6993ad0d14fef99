"""Being a good guest: a run that shows no table loads no table library."""

from __future__ import annotations

import subprocess
import sys

IMPORTS = """
import sys
from pytest_llmarith.reports import folder, gates, json_report, jsonfiles
from pytest_llmarith.reports.counting import summary
from pytest_llmarith.reports.live import progress
from pytest_llmarith.reports.logs import runlog
from pytest_llmarith.reports.tables import terminal
print(*sys.modules)
"""
SLOW = {"asyncio", "hypothesis", "litellm", "numpy", "pytest", "sqlite3", "statistics", "tabulate"}


def test_importing_the_room_loads_nothing_slow() -> None:
    """The room costs what the standard library's small modules cost."""
    loaded = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True).stdout.split()
    assert not SLOW & set(loaded)
