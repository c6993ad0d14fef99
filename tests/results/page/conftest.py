"""Pages of runs, and a browser that looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_llmarith.results.page import PageRun, write_page
from pytest_llmarith.types import DEFAULT_CONDITION
from tests.results.page import chromium
from tests.results.page.chromium import Viewer
from tests.results.page.made_runs import COMMA, all_cells, in_conditions, run_of, usual_records


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., str]:
    """Writes the page of some runs, and returns its text."""

    def written(*runs: PageRun) -> str:
        write_page(runs, tmp_path / "report.html")
        return (tmp_path / "report.html").read_text("utf-8")

    return written


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    """One Chromium for all tests of a module, which are skipped if there is none."""
    if (reason := chromium.lacking()) is not None:
        pytest.skip(reason)
    with chromium.started() as found:
        yield found


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages by name: of two models, of two fake models in all cells, of two conditions with two repeats."""
    folder = tmp_path_factory.mktemp("pages")
    records = {
        "usual": [*usual_records(), *usual_records("gpt-4.1")],
        "cells": [*all_cells("llmarith/exact", 99), *all_cells("llmarith/sloppy", 6)],
        "conditions": in_conditions(usual_records(), DEFAULT_CONDITION.fields(), COMMA, repeats=2),
    }
    for name, of in records.items():
        write_page([run_of(of)], folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in records}
