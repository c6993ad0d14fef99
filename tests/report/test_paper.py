"""Figures and citations of runs."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.report.cite import cite
from pytest_llmarith.report.plot import Kind, plot
from pytest_llmarith.results.files import UsageError
from pytest_llmarith.results.load import load_runs
from pytest_llmarith.types import Op
from tests.report.page.made_runs import all_cells
from tests.runs_on_disk import ROW, added, asked, lines_of, programmed, run_in, searched


@pytest.fixture
def run(tmp_path: Path) -> Path:
    records = [
        one | {"reply": one["reply"] | {"cost_usd": 0.01}}
        for name in "ab"
        for one in all_cells(name, 5, 1)
    ]
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
def test_figures(
    run: Path, tmp_path: Path, kind: Kind, ending: str, start: bytes
) -> None:
    """Every kind in every format; the same runs make the same file."""
    files = [tmp_path / f"{name}{ending}" for name in "xy"]
    for file in files:
        plot(load_runs(run), kind, file)
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(start)
    assert first == second
    if ending == ".svg":
        assert "simulated" in first.decode()


def test_many_models_have_no_bands(run: Path, tmp_path: Path) -> None:
    """Bands of more than four models merge."""
    for count in (4, 5):
        drawn = tmp_path / f"{count}.svg"
        records = [
            one for number in range(count) for one in all_cells(f"m{number}", 5, 1)
        ]
        plot(load_runs(run_in(tmp_path / str(count), records)), "curves", drawn)
        assert ("PolyCollection" in drawn.read_text()) == (count == 4)


def test_percentages_in_a_heatmap_can_be_read(tmp_path: Path) -> None:
    """White has the contrast 4.5 on the darkest cells alone."""
    records = [
        asked("{}" if trial < depth else "1", depth, trial)
        for depth in (6, 7, 8, 9, 10)
        for trial in range(10)
    ]
    plot(
        load_runs(run_in(tmp_path / "run", records)),
        "heatmap",
        drawn := tmp_path / "x.svg",
    )
    white = re.findall(
        r"<!-- (\d+) -->\s*<g style=\"fill: #ffffff\"", drawn.read_text()
    )
    assert white == ["100"]


@pytest.mark.parametrize("kind", ["curves", "heatmap"])
def test_an_axis_says_what_the_digits_are(kind: Kind, tmp_path: Path) -> None:
    """Those of a division are of quotient and divisor; a depth of other answers is
    none.
    """
    records = [asked("{}", depth, op=op) for depth in (2, 3) for op in (Op.MUL, Op.DIV)]
    own = [one | {"task": "sorting", "reading": None} for one in records]
    texts = []
    for name, some in (("numbers", records), ("sorting", own)):
        run = run_in(tmp_path / name, some)
        plot(load_runs(run), kind, drawn := tmp_path / f"{name}.svg")
        comments = re.findall("<!-- (.*?) -->", drawn.read_text())
        texts.append(" ".join(comments))
    numbers, others = texts
    assert ("digits of quotient" in numbers) == (kind == "curves")
    assert "quotient and" in numbers
    assert "depth" in others
    assert "digits" not in others


def test_models_without_a_known_cost_are_named(tmp_path: Path) -> None:
    costs = {"a": 0.1, "b": 0.2, "c": None}
    records = [asked("{}", model=name, cost_usd=cost) for name, cost in costs.items()]
    plot(
        load_runs(run_in(tmp_path / "run", records)),
        "cost",
        drawn := tmp_path / "x.svg",
    )
    assert "<!-- not drawn, as cost or share is unknown: c -->" in drawn.read_text()


def test_differences_have_one_scale(tmp_path: Path) -> None:
    records = [
        asked("{}" if name == "a" else "1", trial=n, model=name)
        for name in "ab"
        for n in range(9)
    ]
    records += [
        added("{}" if name == "a" or n > 1 else "1", n, model=name)
        for name in "ab"
        for n in range(9)
    ]
    plot(
        load_runs(run_in(tmp_path / "run", records)),
        "differences",
        drawn := tmp_path / "x.svg",
    )
    ticks = [
        re.findall("<!-- (.*?) -->", axis)
        for axis in drawn.read_text().split('id="axes_')[1:]
    ]
    first, second = (
        [text for text in axis if text.strip("\u2212").isdigit()] for axis in ticks
    )
    assert first == second != []


@pytest.mark.parametrize("kind", ["curves", "differences", "cost"])
def test_names_in_figures_are_plain_text(tmp_path: Path, kind: Kind) -> None:
    """Neither a formula for matplotlib nor, with an underscore, a line without a
    name.
    """
    names = [r"$\frac{$", "_hidden"]
    costs = zip(names, (0.01, 0.02), strict=True)
    records = [
        one | {"reply": one["reply"] | {"cost_usd": cost}}
        for name, cost in costs
        for one in all_cells(name, 5, 1)
    ]
    plot(load_runs(run_in(tmp_path / "run", records)), kind, file := tmp_path / "x.svg")
    drawn = file.read_text("utf-8")
    assert all(f"{name} (simulated)" in drawn for name in names)
    assert "mathdefault" not in drawn


def test_a_figure_has_room_for_its_legend(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """If there is none, matplotlib warns and draws one over the other."""
    records = [asked("{}", model=f"{'n' * 50}{number}") for number in range(20)]
    plot(load_runs(run_in(tmp_path / "run", records)), "curves", tmp_path / "x.svg")
    assert not recwarn.list


def test_differences_that_were_not_measured(tmp_path: Path) -> None:
    """Searches are not compared, as their outcomes are no shares of questions."""
    records = [
        one | {"model": name}
        for name in "ab"
        for one in (searched(), searched(repeat=1))
    ]
    with pytest.raises(UsageError, match="nothing to draw"):
        plot(
            load_runs(run_in(tmp_path / "run", records)),
            "differences",
            tmp_path / "x.svg",
        )


def test_a_citation(run: Path) -> None:
    """Facts, prompts and readings; what is special to LaTeX is escaped in BibTeX."""
    text = "\n".join(cite(load_runs(run)))
    for fact in (
        "a (simulated)",
        "first prompt of arithmetic",
        "reading of arithmetic: tolerant",
        "versions: ",
    ):
        assert fact in text
    assert text.count("@misc{") == 2
    title = next(line for line in text.splitlines() if "title = {{a" in line)
    assert "a (simulated)" in title


def test_a_citation_of_programs_and_repeats(tmp_path: Path) -> None:
    """What the page of the run says of how it was made."""
    records = [programmed("A1"), asked("{}")]
    run = run_in(tmp_path / "run", records, repeats=2, seed=7)
    lines = list(cite(load_runs(run)))
    assert {"repeats: 2", "seed: 7", "sandbox: 1 programs strict"} <= set(lines)


def test_keys_and_titles_of_citations(tmp_path: Path) -> None:
    """Runs of one name have different keys; titles keep their capitals and have the
    parameters.
    """
    for place, effort in (("p1", "low"), ("p2", "high")):
        models = [{"name": "o4-mini", "params": {"reasoning_effort": effort}}]
        run_in(tmp_path / place / "X", [asked("{}")], models=models)
    entries = "\n".join(cite(load_runs(tmp_path)))
    assert re.findall(r"@misc\{(.*),", entries)[-2:] == ["X", "X-2"]
    assert r"title = {{o4-mini (reasoning\_effort=low): arithmetic}}" in entries


def test_a_citation_of_llm_arithmetic(tmp_path: Path) -> None:
    """The version is that of the program that grades them now."""
    (tmp_path / "rows.jsonl").write_text(lines_of([ROW]), "ascii")
    text = "\n".join(cite(load_runs(tmp_path)))
    assert "litellm" not in text
    assert f"note = {{Version {version('pytest-llmarith')}}}" in text


def test_a_citation_escapes(tmp_path: Path) -> None:
    """Also the name of a custom task, and the versions."""
    records: list[dict[str, Any]] = [
        one | {"model": "50%_off\\"} for one in all_cells("a", 5, 1)[:1]
    ]
    problem = records[0]["problem"] | {
        "variant": None,
        "depth": None,
        "inputs": {},
        "expected": 1,
    }
    records += [
        records[0]
        | {"task": "\x1b[2J", "problem": problem, "answer": 1, "reading": None}
    ]
    runs = load_runs(
        run_in(
            tmp_path / "run",
            json.loads(json.dumps(records)),
            versions={"python": "\x1b[2J"},
        )
    )
    text = "\n".join(cite(runs))
    assert "\x1b" not in text
    bibtex = text.rpartition("@misc")[2]
    assert r"50\%\_off\textbackslash{}" in bibtex
