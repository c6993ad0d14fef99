"""A new figure is two declarations: a measure, and a field of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.estimates import Figure, Leaf, Measure
from pytest_llmarith.figures.outcomes import OutcomeCounter, together
from pytest_llmarith.figures.shares import percentage
from pytest_llmarith.report.definitions.results import OVERVIEW
from pytest_llmarith.types import Outcome
from pytest_llmarith.views.fields import field
from pytest_llmarith.views.table import Level
from tests.runs_on_disk import asked, run_in


def _answered(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    found = together(leaves)
    share = percentage(found.measured - found[Outcome.NAN], found.measured)
    if share is not None:
        yield share


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    one = Measure(
        "answers", "answers %", "%", "replies with an answer", OutcomeCounter, _answered
    )
    monkeypatch.setitem(MEASURES, one.key, one)
    columns = OVERVIEW.columns
    assert isinstance(columns, list)
    columns.append(field(one.key, Level.BRIEF, curved=True))
    yield
    columns.pop()


@pytest.mark.usefixtures("measure")
def test_every_format_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its interval, and with a curve by depth on the page."""
    records = [
        asked("{}" if trial else "I would rather not.", depth, trial)
        for depth in (2, 3)
        for trial in range(4)
    ]
    run = run_in(tmp_path / "run", records)
    shown = {}
    for form in ("terminal", "markdown", "latex", "csv", "json"):
        assert main(["report", str(run), f"--format={form}"]) == 0
        shown[form] = capsys.readouterr().out
    for form in ("terminal", "markdown"):
        assert "answers %" in shown[form]
        assert "75.0 (40.9-92.9)" in shown[form]
    assert "75.0 (40.9--92.9)" in shown["latex"]
    assert '"answers","","","75.0","40.9275","92.8521","8"' in shown["csv"]
    assert '"answers"' in shown["json"]
    page = tmp_path / "page.html"
    assert main(["report", str(run), "--format=html", f"--output={page}"]) == 0
    assert "<figcaption>arithmetic, answers %</figcaption>" in page.read_text("utf-8")
