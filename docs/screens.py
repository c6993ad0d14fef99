"""Writes docs/screens.md, what runs print on a terminal of 80 or 120 columns, by
running them:

`make docs`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

_INTRODUCTION = """\
# Screens

For those who wonder what a run prints, before they make one.

What runs print, made by `make docs` with fake models. Left out are versions, plugins and most of the progress.
"""
_SLOPPY = "--llm-model=llmarith/sloppy"
_FIVE = " ".join(
    f"--llm-model='t{number}=llmarith/sloppy?temperature={number / 5}'"
    for number in range(1, 6)
)
_BENCH = (
    "pytest benches/test_arithmetic.py benches/test_integer_addition.py --llm-trials=5"
)
SCREENS = {
    "One model": f"{_BENCH} {_SLOPPY}",
    "Five models": f"{_BENCH} {_FIVE}",
    "No key": "pytest benches -k 'int_add and depth_3' --llm-model=gpt-4o-mini",
    "Interrupted by Ctrl-C": f"{_BENCH} {_SLOPPY}",
}
# The one whose layout a wide terminal changes most.
SHOWN = {title: 120 if title == "Five models" else 80 for title in SCREENS}
_LEFT_OUT = re.compile(
    r"^(platform|rootdir|configfile|plugins|hypothesis profile|cachedir|metadata|timeout|  timeout|json-|collecting)"
    r"|^llmarith: loading litellm"  # only where it takes more than a second
)
_PROGRESS = re.compile(r"([CdnhU]+|.*::.* [A-Z]+) *(\[ *\d+%\])?$")
# However busy the machine is, there are no progress lines, which come every 30 s.
_QUIET = """
from pytest_llmarith.session import console

console._LINE_EVERY_S = float("inf")
"""
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
    for title in SCREENS:
        parts.append(f"## {title}\n")
        parts.append(f"```text\n{screen(title, SHOWN[title])}```\n")
    return "\n".join(parts)


def screen(title: str, columns: int) -> str:
    """What the document shows of one run."""
    return printed(SCREENS[title], columns, _CTRL_C if "Ctrl-C" in title else "")


def printed(command: str, columns: int, conftest: str = "") -> str:
    """A command and what it prints in a new project, without what differs from run to
    run.
    """
    scripts = str(Path(sys.executable).parent)
    keys = {
        name
        for name in os.environ
        if name.endswith("_API_KEY") or name.startswith(("PYTEST_", "LLMARITH_"))
    }
    own = {name: value for name, value in os.environ.items() if name not in keys}
    environment = own | {
        "COLUMNS": str(columns),
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
    }
    with TemporaryDirectory() as folder:
        subprocess.run(
            ["llmarith", "init"],
            cwd=folder,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        Path(folder, "conftest.py").write_text(conftest + _QUIET)
        done = subprocess.run(
            [
                *("bash", "-c"),
                command.replace(
                    "pytest ", "pytest -p no:cacheprovider -p no:xdist ", 1
                ),
            ],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        text = done.stdout.replace(f"{folder}/", "").replace(
            str(Path(folder).resolve()), "."
        )
    text = re.sub(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}",
        "2026-11-23T09-30-00",
        text,
    )
    text = re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?=[ ,]|$)", "2026-11-23", text)
    text = re.sub(
        r"=* ?([^=\n]*) in [0-9.]+s( \([0-9:]+\))? ?=*$",
        r"\1 in 9.87s",
        text,
        flags=re.MULTILINE,
    )
    lines = [line.rstrip() for line in text.splitlines() if not _LEFT_OUT.match(line)]
    shown = "\n".join(_shortened(lines)).strip("\n")
    return f"$ {command}\n{shown}\n"


def _shortened(lines: list[str]) -> Iterator[str]:
    """The lines, with two of each run of lines that show progress."""
    for is_progress, group in groupby(lines, lambda line: bool(_PROGRESS.match(line))):
        run = list(group)
        yield from [*run[:2], "..."] if is_progress and len(run) > 2 else run


if __name__ == "__main__":
    sys.stdout.write(screens())
