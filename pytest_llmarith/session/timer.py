"""pytest-timeout and the time that counts: its clock stands still while an item waits for a model, and for a program's
item its mark is the limit of one term, which the sandbox enforces.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_llmarith.items.marks import OEIS_MARK, problem_of

_ARMED = pytest.StashKey[Any]()
_PER_TERM = pytest.StashKey[Any]()


class TimerWatch:
    """Notes the settings under which pytest-timeout arms an item; registered only where that plugin is."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> bool | None:
        if getattr(problem_of(item), "task", None) == OEIS_MARK:
            item.stash[_PER_TERM] = settings
            return True  # waiting for a reply, a judge or a slot is not the program's time: nothing is armed
        item.stash[_ARMED] = settings
        return None


@contextmanager
def paused(item: pytest.Item) -> Iterator[None]:
    """Disarm the item's timer, and start it anew afterwards.

    Not armed again when the wait ends by an exception: then the item is over, and an alarm would hit a later one.
    """
    armed = item.stash.get(_ARMED, None)
    if armed is None:
        yield
        return
    item.config.hook.pytest_timeout_cancel_timer(item=item)
    yield
    item.config.hook.pytest_timeout_set_timer(item=item, settings=armed)


@contextmanager
def backstop(item: pytest.Item, seconds: float) -> Iterator[None]:
    """Fail the item should its programs not come to an end, by pytest-timeout's signal.

    Never by its thread: that leaves the process at once, and with it every reply that is on its way. Without
    pytest-timeout, or where there are no signals, the sandbox' own limits have to do.
    """
    settings = item.stash.get(_PER_TERM, None)
    if settings is None:
        yield
        return
    import pytest_timeout  # type: ignore[import-untyped]

    if not pytest_timeout.HAVE_SIGALRM or threading.current_thread() is not threading.main_thread():
        yield
        return
    pytest_timeout.pytest_timeout_set_timer(item, settings._replace(timeout=seconds, method="signal"))
    try:
        yield
    finally:
        pytest_timeout.pytest_timeout_cancel_timer(item)
