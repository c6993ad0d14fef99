"""Filling the cache: entry by entry from a source, each one looked at before it is written.

What is there is not fetched again, so that the same call goes on where the last one stopped. It does not know whether
the source is near or far, nor who watches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_llmarith.files import replace_file
from pytest_llmarith.oeis.entries import BrokenEntry
from pytest_llmarith.oeis.entryfiles import checked_entry, decode, read_entry
from pytest_llmarith.oeis.notice import write_notice
from pytest_llmarith.oeis.sources import Source, Unavailable


@dataclass(frozen=True, slots=True)
class Synced:
    """What a synchronisation did: how many entries were there and how many were written, and why others were not.

    `left` entries were never tried, as the last failure left no hope.
    """

    there: int
    written: int
    failed: tuple[tuple[str, str], ...]
    left: int = 0

    @property
    def is_whole(self) -> bool:
        return not self.failed and not self.left


def sync(
    numbers: Sequence[str],
    cache: Path,
    source: Source,
    refresh: bool = False,
    watch: Callable[[str, int, int], None] = lambda number, done, total: None,
) -> Synced:
    """Write the entries of these A-numbers into the cache; `refresh` replaces those that are there.

    `watch` gets every number before it is asked for, with how many of how many are done. Raises OSError where the cache
    cannot be written.
    """
    cache.mkdir(parents=True, exist_ok=True)
    write_notice(cache)
    waiting = [number for number in numbers if refresh or not _is_there(_file(cache, number))]
    failed: list[tuple[str, str]] = []
    for done, number in enumerate(waiting):
        watch(number, done, len(waiting))
        try:
            replace_file(_file(cache, number), _checked(number, *source.read(number)))
        except (BrokenEntry, Unavailable) as error:
            failed.append((number, str(error)))
            if isinstance(error, Unavailable) and error.hopeless:
                break
    tried = done + 1 if waiting else 0
    return Synced(len(numbers) - len(waiting), tried - len(failed), tuple(failed), len(waiting) - tried)


def _checked(number: str, where: str, content: bytes) -> bytes:
    """The content, if it is the entry of this number; raises BrokenEntry."""
    checked_entry(decode(content, where), where, number)
    return content


def _file(cache: Path, number: str) -> Path:
    return cache / f"{number}.json"


def _is_there(path: Path) -> bool:
    """Whether the entry is there and whole: a broken one is fetched again."""
    try:
        read_entry(path)
    except (OSError, BrokenEntry):
        return False
    return True
