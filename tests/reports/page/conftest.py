"""Pages of runs, and a browser that looks at these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_llmarith.reports.page import RunAtHand, write_page
from pytest_llmarith.values import USUAL
from tests.reports.page import chromium
from tests.reports.page.chromium import Viewer
from tests.reports.page.made_runs import COMMA, embedded_records, run_of, usual_records


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., str]:
    """The text of the page of these runs."""

    def written(*runs: RunAtHand) -> str:
        target = tmp_path / "report.html"
        write_page(runs, target)
        return target.read_text("utf-8")

    return written


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    """One Chromium for all tests that need one; they are skipped where there is none.

    No other module's tests have it: while it runs, its thread has an event loop that runs.
    """
    if (reason := chromium.lacking()) is not None:
        pytest.skip(reason)
    with chromium.started() as found:
        yield found


@pytest.fixture(scope="session")
def embedded_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of both embedded models over all cells, ten trials each."""
    page = tmp_path_factory.mktemp("embedded") / "report.html"
    records = [*embedded_records("llmarith/exact", 99), *embedded_records("llmarith/sloppy", 6)]
    write_page([run_of(records, "2026-11-22T00-31-05_2-models")], page)
    return page


@pytest.fixture(scope="session")
def usual_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two models in one run."""
    page = tmp_path_factory.mktemp("usual") / "report.html"
    write_page([run_of([*usual_records(), *usual_records("gpt-4.1")])], page)
    return page


@pytest.fixture(scope="session")
def conditions_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a model that was asked in two conditions, and twice in each."""
    page = tmp_path_factory.mktemp("conditions") / "report.html"
    records = [
        one | {"condition": condition, "repeat": repeat, "prompt": f"{one['prompt']}, {condition}"}
        for condition in (USUAL.fields(), COMMA)
        for repeat in (0, 1)
        for one in usual_records()
    ]
    write_page([run_of(records)], page)
    return page
