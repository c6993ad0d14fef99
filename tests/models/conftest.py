"""The same jitter of retries in every test, and no socket that is left for the tests of
others.
"""

from __future__ import annotations

import asyncio
import gc
import random
import warnings
from collections.abc import Iterator

import pytest

from tests.models.asked import Asked


@pytest.fixture(autouse=True)
def _same_jitter() -> None:
    random.seed(0)


@pytest.fixture(autouse=True, scope="module")
def _collected() -> Iterator[None]:
    """litellm's clients leave sockets open, which must not be noticed during the tests
    of other modules.
    """
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="module")
def asked() -> Iterator[Asked]:
    with asyncio.Runner() as runner:
        made = Asked(runner)
        yield made
        made.close()
