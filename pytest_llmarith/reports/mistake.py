"""What a user got wrong about files and runs: one line, in which foreign names are harmless.

It does not know who finds it out, nor who says it.
"""

from __future__ import annotations

from pathlib import Path

from pytest_llmarith.reports.harmless import sanitize_name

_LONGEST_NAME = 240  # characters of a path in a message


class Mistake(Exception):
    """What a user got wrong, in one line: what, where, and what to write instead."""


def name_of(path: Path) -> str:
    """A path as it may be shown: file names may hold whatever a terminal would obey."""
    return sanitize_name(str(path), _LONGEST_NAME)
