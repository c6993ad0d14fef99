"""A broker that is closed after every test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.values import AskingLimits, Model
from tests.models.scripted import MODEL, RunningBroker


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[Callable[..., RunningBroker]]:
    """Makes brokers on one store; retries do not wait."""
    made: list[RunningBroker] = []

    def make(client: Any, models: list[Model] | None = None, **settings: Any) -> RunningBroker:
        path = settings.pop("store_path", tmp_path / "store" / "store.sqlite")
        settings.setdefault("pause_s", lambda attempt, retry_after_s: 0.0)
        bounds = {field.name: settings.pop(field.name) for field in fields(AskingLimits) if field.name in settings}
        made.append(RunningBroker(client, models or [MODEL], path, AskingLimits(**bounds), **settings))
        return made[-1]

    yield make
    for broker in made:
        broker.close(0)
