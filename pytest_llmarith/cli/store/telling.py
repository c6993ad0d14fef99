"""What the commands of the store say alike. It does not know what they do."""

from __future__ import annotations

import sys

NOT_DONE = 1


def say(*lines: str) -> None:
    """Lines on stdout."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def replies_said(count: int) -> str:
    """A count of replies in words."""
    return f"{count:,} {'reply' if count == 1 else 'replies'}"


def megabytes(size: int) -> str:
    """The size of a file in words."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"
