"""What all tests share: no model, key or colour of the developer's own environment
reaches them.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pydantic
import pytest
from hypothesis import HealthCheck, settings

import pytest_llmarith.session.controller  # noqa: F401  # an in-process run unloads what it loads, classes and all
from pytest_llmarith.figures.estimates import TASKS
from pytest_llmarith.tasks.registry import register_built_in
from tests.warm import warm_programs

# It loads its parts when they are first asked for. Those that a test with pytester is
# the first to ask for are unloaded at its end, and loaded once more beside the others,
# which litellm does not survive.
for part in pydantic.__all__:
    getattr(pydantic, part)

register_built_in()

# The same examples everywhere, and no clock: a loaded machine must not fail a test.
settings.register_profile(
    "llmarith",
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("llmarith")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name == "LLMARITH_MODEL" or name.endswith(
            ("_API_KEY", "_API_BASE", "_BASE_URL")
        ):
            monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def litellm_collected() -> Iterator[None]:
    """litellm's clients leave sockets open, which must not be noticed during the tests
    of other modules.
    """
    yield
    gc.collect()


@pytest.fixture(autouse=True, scope="session")
def _hears_ctrl_c() -> None:
    """A shell lets what it starts in the background ignore Ctrl-C, and so would every
    process that a test starts.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with `pytest` and `llmarith` that begin at once; one for all workers."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with warm_programs(shared) as folder:
        yield folder


@pytest.fixture
def known_tasks() -> Iterator[None]:
    """Tasks of a test are known to no other."""
    before = dict(TASKS)
    yield
    TASKS.clear()
    TASKS.update(before)
