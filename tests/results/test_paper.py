"""Figures and citations of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.results.cite import cite
from pytest_llmarith.results.files import UsageError
from pytest_llmarith.results.load import load_runs
from pytest_llmarith.results.plot import Kind, plot
from tests.results.page.made_runs import all_cells
from tests.runs_on_disk import run_in, searched


@pytest.fixture
def run(tmp_path: Path) -> Path:
    records = [one | {"reply": one["reply"] | {"cost_usd": 0.01}} for name in "ab" for one in all_cells(name, 5, 1)]
    return run_in(tmp_path / "run", records)


@pytest.mark.parametrize(
    ("kind", "ending", "start"),
    [
        ("curves", ".pdf", b"%PDF"),
        ("heatmap", ".png", b"\x89PNG"),
        ("differences", ".svg", b"<?xml"),
        ("cost", ".svg", b"<?xml"),
    ],
)
def test_figures(run: Path, tmp_path: Path, kind: Kind, ending: str, start: bytes) -> None:
    """Every kind in every format; the same runs make the same file."""
    files = [tmp_path / f"{name}{ending}" for name in "xy"]
    for file in files:
        plot(load_runs(run), kind, file)
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(start)
    assert first == second
    if ending == ".svg":
        assert "simulated" in first.decode()


def test_differences_that_were_not_measured(tmp_path: Path) -> None:
    """Searches are not compared, as their outcomes are no shares of questions."""
    records = [one | {"model": name} for name in "ab" for one in (searched(), searched(repeat=1))]
    with pytest.raises(UsageError, match="nothing to draw"):
        plot(load_runs(run_in(tmp_path / "run", records)), "differences", tmp_path / "x.svg")


def test_a_citation(run: Path) -> None:
    """Models, seed, prompt, date, versions and cost; what is special to LaTeX is escaped in BibTeX."""
    text = "\n".join(cite(load_runs(run)))
    for fact in ("a (simulated)", "First prompt of arithmetic", "arithmetic: ", "$1.44"):
        assert fact in text
    assert text.count("@misc{") == 2


def test_a_citation_escapes(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [one | {"model": "50%_off\\"} for one in all_cells("a", 5, 1)[:1]]
    runs = load_runs(run_in(tmp_path / "run", json.loads(json.dumps(records))))
    bibtex = "\n".join(cite(runs)).rpartition("@misc")[2]
    assert r"50\%\_off\textbackslash{}" in bibtex
