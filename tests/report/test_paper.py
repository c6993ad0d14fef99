"""Figures and citations of runs."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pytest_llmarith.report.cite import cite
from pytest_llmarith.report.plot import Kind, plot
from pytest_llmarith.results.load import load_runs
from pytest_llmarith.results.run_files import UsageError
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
        ("differences", ".svg", b"<svg"),
        ("cost", ".svg", b"<svg"),
    ],
)
def test_figures(
    run: Path, tmp_path: Path, kind: Kind, ending: str, start: bytes
) -> None:
    """Every kind in every format; the same runs make the same file, but for the order
    of resources in a PDF.
    """
    files = [tmp_path / f"{name}{ending}" for name in "xy"]
    for file in files:
        plot(load_runs(run), kind, file)
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(start)
    assert sorted(first) == sorted(second)
    assert ending == ".pdf" or first == second
    if ending == ".svg":
        assert "simulated" in first.decode()


def texts_of(drawn: Path) -> list[str]:
    """The texts of a figure, which is well-formed XML."""
    tree = ElementTree.fromstring(drawn.read_bytes())
    return [one.text or "" for one in tree.iter("{http://www.w3.org/2000/svg}text")]


def test_a_model_has_one_colour_in_all_charts(tmp_path: Path) -> None:
    """Also if it was not asked the first task."""
    records = [*all_cells("a", 2, 1), *(added("{}", n, model="b") for n in range(9))]
    plot(load_runs(run_in(tmp_path / "run", records)), "curves", tmp_path / "x.svg")
    drawn = (tmp_path / "x.svg").read_text()
    slots = re.findall(r'class="mark (s\d)"[^>]*><title>(\w)', drawn)
    assert set(slots) == {("s1", "a"), ("s2", "b")}


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
    white = re.findall(r'class="x light"[^>]*>(\d+)<', drawn.read_text())
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
        texts.append(" ".join(texts_of(drawn)))
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
    assert "No known cost: c." in texts_of(drawn)


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
    ticks = [text for text in texts_of(drawn) if re.fullmatch(r"[-+]?\d+", text)]
    assert len(ticks) == 10
    assert ticks[:5] == ticks[5:]


@pytest.mark.parametrize("kind", ["curves", "heatmap", "differences", "cost"])
def test_names_in_figures_are_plain_text(tmp_path: Path, kind: Kind) -> None:
    """Neither markup nor characters that XML lacks."""
    names = [r"$\frac{$", "</text><script>", "a\x1b[2J\x00\ud800&\uffff"]
    costs = zip(names, (0.01, 0.02, 0.03), strict=True)
    records = [
        one | {"reply": one["reply"] | {"cost_usd": cost}}
        for name, cost in costs
        for one in all_cells(name, 5, 1)
    ]
    runs = load_runs(run_in(tmp_path / "run", json.loads(json.dumps(records))))
    plot(runs, kind, file := tmp_path / "x.svg")
    shown = [one for one in texts_of(file) if "(simulated)" in one]
    for name in (names[0], names[1], r"a\x1b[2J\x00\ud800&\uffff"):
        assert any(name in one for one in shown)


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
