"""Whether something happens in the course of a request of ours. Libraries are changed for these requests alone.

litellm hands its context on to the tasks and threads that it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_OURS: ContextVar[bool] = ContextVar("llmarith_our_request", default=False)


def in_our_request() -> bool:
    return _OURS.get()


@contextmanager
def our_request() -> Iterator[None]:
    """What happens in here, and what begins in here on other threads, is ours."""
    token = _OURS.set(True)
    try:
        yield
    finally:
        _OURS.reset(token)
