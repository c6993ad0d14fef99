"""The same jitter of retries in every test."""

from __future__ import annotations

import random

import pytest


@pytest.fixture(autouse=True)
def _same_jitter() -> None:
    random.seed(0)
