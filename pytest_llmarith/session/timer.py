"""pytest-timeout's clock stands still while an item waits for a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_ARMED = pytest.StashKey[Any]()


class TimerWatch:
    """Notes the settings under which pytest-timeout arms an item; registered only where that plugin is."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> None:
        item.stash[_ARMED] = settings


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
