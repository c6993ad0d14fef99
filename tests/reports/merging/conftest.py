"""A folder of runs, and the records of their trials."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reports.merging.runs import Folder, Make


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def trials(make_record: Make, make_reply: Make) -> Callable[..., list[dict[str, Any]]]:
    """Records of trials, each with a cost and seconds of its own."""

    def made(outcomes: str, model: str = "o4-mini", first: int = 0) -> list[dict[str, Any]]:
        words = {"c": "correct", "d": "deviate", "n": "nan", "u": "unanswered"}
        return [
            make_record(
                words[letter],
                model=model,
                nodeid=f"test_bench.py::test_arithmetic[{model}-int_div-depth_7-trial_{number}]",
                problem={"seed": 0, "variant": "int_div", "depth": number % 5, "trial": number},
                reply=None if letter == "u" else make_reply(cost_usd=0.1 * number, latency_s=number / 7),
            )
            for number, letter in enumerate(outcomes, first)
        ]

    return made
