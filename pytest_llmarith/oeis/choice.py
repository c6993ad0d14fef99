"""Which sets a run takes: those that were asked for, else the best that are there. It does not know who asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_llmarith.oeis.cache import Cache
from pytest_llmarith.oeis.place import sync_command
from pytest_llmarith.oeis.sets import CLASSIC, STARTER, check_name

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Choice:
    """Names of sets, and one line for people where they were chosen without being asked for."""

    sets: tuple[str, ...]
    note: str | None = None


def choose_sets(asked: Sequence[str] | None, cache: Cache) -> Choice:
    """The sets that were asked for, if they are whole; for None both classic sets, or the starter without them.

    Raises ValueError, in one line, where a name is unknown or a set is not whole.
    """
    if asked is None:
        return _best(cache)
    chosen = tuple(dict.fromkeys(asked))
    for name in chosen or ("",):
        check_name(name)
    _check_complete(chosen, cache)
    return Choice(chosen)


def _best(cache: Cache) -> Choice:
    lacking = [name for name in CLASSIC if not cache.is_complete(name)]
    if not lacking:
        return Choice(CLASSIC, f"OEIS sets: {', '.join(CLASSIC)}, whole in {str(cache.folder)!r}")
    get = f"run {sync_command(CLASSIC, cache.folder)}"
    lack = ", ".join(f"{len(cache.missing(name))} entries of {name}" for name in lacking)
    if not cache.is_complete(STARTER):
        raise ValueError(f"{str(cache.folder)!r} has no starter set and lacks {lack}; {get}")
    count = len(cache.numbers(STARTER))
    return Choice((STARTER,), f"OEIS set: {STARTER} ({count} sequences); the cache lacks {lack}: {get}")


def _check_complete(names: Sequence[str], cache: Cache) -> None:
    lacking = {name: cache.missing(name) for name in names if not cache.is_complete(name)}
    if not lacking:
        return
    if STARTER in lacking:
        raise ValueError(
            f"{str(cache.folder / STARTER)!r} holds no entry; "
            "name the oeis_cache of a clone with --oeis-cache, or another set"
        )
    lack = "; ".join(f"{name} lacks {len(numbers)} entries ({_few(numbers)})" for name, numbers in lacking.items())
    raise ValueError(f"{lack} in {str(cache.folder)!r}; run {sync_command(lacking, cache.folder)}")


def _few(numbers: Sequence[str]) -> str:
    return ", ".join((*numbers[:_SHOWN], "...") if len(numbers) > _SHOWN else numbers)
