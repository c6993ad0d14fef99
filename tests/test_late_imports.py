"""pytester unloads modules between its runs: all parts of pydantic have to be loaded before the first one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LATE_PARTS = """
import sys
import tests.conftest
from pytest_llmarith.records import schema_of
early = set(sys.modules)
schema_of("record")
print(*(name for name in set(sys.modules) - early if name.startswith("pydantic")))
"""


def test_no_part_of_pydantic_is_loaded_late() -> None:
    """Whatever a test asks of it, pytester has no part to unload that would be loaded beside the others again."""
    command = [sys.executable, "-c", LATE_PARTS]
    assert subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True).stdout.strip() == ""
