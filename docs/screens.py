"""Writes docs/screens.md, what runs print on a terminal of 80 and of 120 columns, by running them: `make docs`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

_INTRODUCTION = """\
# Screens

What runs print, made by running them on the fake models (`make docs`). Versions, plugins and folders are left out.
"""
_SLOPPY = "--llm-model=llmarith/sloppy"
_FIVE = " ".join(f"--llm-model='t{number}=llmarith/sloppy?temperature={number / 5}'" for number in range(1, 6))
_BENCH = "pytest benches/test_arithmetic.py benches/test_integer_addition.py --llm-trials=5"
_SCREENS = {
    "One model": f"{_BENCH} {_SLOPPY}",
    "Five models": f"{_BENCH} {_FIVE}",
    "Five models, with `-q`": f"{_BENCH} {_FIVE} -q",
    "One model, with `-v`": f"{_BENCH} {_SLOPPY} -v -k 'int_mul or addition'",
    "No key": "pytest benches -k 'int_add and depth_3' --llm-model=gpt-4o-mini",
    "Interrupted by Ctrl-C": f"{_BENCH} {_SLOPPY}",
}
_LEFT_OUT = re.compile(r"^(platform|rootdir|configfile|plugins|cachedir|metadata|timeout|  timeout|json-|collecting)")
# A run that is interrupted after some of its items.
_CTRL_C = """
import pytest

def pytest_runtest_setup(item):
    if item.session.items.index(item) == 250:
        raise KeyboardInterrupt
"""


def screens() -> str:
    """The whole document."""
    parts = [_INTRODUCTION]
    for title, command in _SCREENS.items():
        parts.append(f"## {title}\n")
        for columns in (80, 120):
            parts.append(f"```text\n$ {command}\n{_printed(command, columns, 'Ctrl-C' in title)}\n```\n")
    return "\n".join(parts)


def _printed(command: str, columns: int, interrupted: bool) -> str:
    """What a command prints in a new project, without what differs from run to run."""
    scripts = str(Path(sys.executable).parent)
    keys = {name for name in os.environ if name.endswith("_API_KEY") or name.startswith(("PYTEST_", "LLMARITH_"))}
    own = {name: value for name, value in os.environ.items() if name not in keys}
    environment = own | {"COLUMNS": str(columns), "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    with TemporaryDirectory() as folder:
        subprocess.run(["llmarith", "init"], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        if interrupted:
            Path(folder, "conftest.py").write_text(_CTRL_C)
        done = subprocess.run(
            [*("bash", "-c"), command.replace("pytest ", "pytest -p no:cacheprovider -p no:xdist ", 1)],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        text = done.stdout.replace(f"{folder}/", "").replace(str(Path(folder).resolve()), ".")
    text = re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}", "2026-11-23T09-30-00", text)
    text = re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?=[ ,]|$)", "2026-11-23", text)
    text = re.sub(r"=* ?([^=\n]*) in [0-9.]+s( \([0-9:]+\))? ?=*$", r"\1 in 9.87s", text)
    lines = [line.rstrip() for line in text.splitlines() if not _LEFT_OUT.match(line)]
    return "\n".join(lines).strip("\n")


if __name__ == "__main__":
    sys.stdout.write(screens())
