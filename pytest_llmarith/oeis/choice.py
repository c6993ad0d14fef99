"""Which sets a run takes. It does not know who asks."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmarith.oeis.cache import Cache
from pytest_llmarith.oeis.place import sync_command
from pytest_llmarith.oeis.sets import STARTER, check_name

_SHOWN = 3


def checked_sets(asked: Sequence[str], cache: Cache) -> tuple[str, ...]:
    """The names of the sets that were asked for, each once.

    Raises ValueError, in one line, if a name is unknown or a set is not whole.
    """
    chosen = tuple(dict.fromkeys(asked))
    for name in chosen or ("",):
        check_name(name)
    _check_complete(chosen, cache)
    return chosen


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
