"""What is released, built as it is built for a release, and commands that end well."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PYTHON = sys.executable


def run(*command: str | Path, folder: Path, path: Path | None = None) -> str:
    """What a command said, whose Python imports from `path` before the clone; it has to end well."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = own | {"PYTHONPATH": str(path or ""), "COLUMNS": "120"}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def build(target: str, source: Path, into: Path) -> Path:
    run(PYTHON, "-m", "hatchling", "build", "--target", target, "--directory", into, folder=source)
    (built,) = into.iterdir()
    return built


def installer(python: str | Path = PYTHON) -> list[str | Path]:
    """What installs for that Python: an environment that uv made has no pip."""
    if importlib.util.find_spec("pip"):
        return [PYTHON, "-m", "pip", "--python", python, "install"]
    return ["uv", "pip", "install", "--python", python]
