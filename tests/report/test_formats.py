"""The same tables in every format: figures, marks, hostile names, and a new column."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from docs.columns import DEFINITIONS
from pytest_llmarith.cli import main
from pytest_llmarith.report.definitions.results import OVERVIEW
from pytest_llmarith.views import kinds
from pytest_llmarith.views.table import Column
from tests.runs_on_disk import asked, log_in, run_in

TEXTS = ("terminal", "markdown", "latex", "html")
FORMATS = (*TEXTS, "csv", "json")
HOSTILE = "<b onclick=alert(1)>|`$\\=1+2\x1b[31m\u202e"


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def shown(folder: Path, form: str, *options: str) -> str:
    """What a report writes in a format."""
    target = folder.parent / f"shown.{form}"
    named = [f"--format={form}", f"--output={target}", "--force"]
    assert main(["report", str(folder), *named, *options]) == 0
    return target.read_bytes().decode("utf-8")


def plain(text: str) -> str:
    """A page or a document without its markup, with one space between words."""
    text = unescape(re.sub(r"<[^>]*>", " ", text))
    return " ".join(text.replace("--", "-").replace("$", "").replace("`", "").split())


def trials(model: str, right: int, first: int = 0, **facts: Any) -> Iterator[Any]:
    for trial in range(20):
        text = "{}" if trial < right else "1"
        yield asked(text, 3, first + trial, model=model, **facts)


def test_a_figure_is_the_same_in_every_format(tmp_path: Path) -> None:
    """Correct answers with their interval, and the difference to --llm-baseline."""
    records = [*trials("good", 18), *trials("poor", 5)]
    run = run_in(tmp_path / "run", records, baseline="poor")
    keys = ("value", "low", "high")
    data = json.loads(shown(run, "json"))["estimates"]
    rows = csv.DictReader(io.StringIO(shown(run, "csv")))
    good, row = (of(some, "correct_percentage", "good") for some in (data, rows))
    assert [float(row[key]) for key in keys] == [good[key] for key in keys]
    percent, low, high = (f"{good[key]:.1f}" for key in keys)
    for form in TEXTS:
        text = plain(shown(run, form))
        assert re.search(rf"\b{percent} \(?{low}-{high}\b", text), form
    difference = of(data, "difference", "good")
    assert (difference["by"], difference["at"]) == ("model", "poor")
    points = f"{difference['value']:+.1f}"
    assert points == "+65.0"
    for form in ("terminal", "html"):
        assert points in plain(shown(run, form))
        assert "-65.0" not in plain(shown(run, form))


COST = ("cost_usd", "real")
FIGURES = ("value", "low", "high", "n", "method")


def of(rows: Iterable[dict[str, Any]], measure: str, model: str) -> dict[str, Any]:
    """The estimate of a whole result."""
    (found,) = (
        row
        for row in rows
        if (row["measure"], row["model"]) == (measure, model)
        if row["variant"] in ("", None)
        if row["depth"] in ("", None)
    )
    return found


@pytest.mark.parametrize("form", FORMATS)
def test_what_must_not_be_lost(tmp_path: Path, form: str) -> None:
    """Fake models, runs that have not ended, and costs that are unknown."""
    folder = tmp_path / "runs"
    fake = [one | {"simulated": True} for one in trials("fake", 9)]
    run_in(folder / "ended", fake)
    log_in(folder / "killed", [*trials("real", 9, cost_usd=None)])
    text = shown(folder, form)
    if form in TEXTS:
        assert re.search(r"fake \(?simulated", plain(text))
        assert re.search(r"real \(?unfinished", plain(text))
        return
    rows = list(csv.DictReader(io.StringIO(text)))
    if form == "json":
        rows = json.loads(text)["estimates"]
    assert str(of(rows, "measured", "fake")["simulated"]).lower() == "true"
    assert str(of(rows, "measured", "real")["unfinished"]).lower() == "true"
    assert not [row for row in rows if (row["measure"], row["model"]) == COST]
    assert str(of(rows, "unpriced", "real")["value"]) == "20"


@pytest.mark.parametrize("form", FORMATS)
def test_names_replies_and_reasons_are_hostile(tmp_path: Path, form: str) -> None:
    """Wherever they stand they are text, and control nothing."""
    records = [one | {"reason": HOSTILE} for one in trials(HOSTILE, 9)]
    records += [*trials("other", 9), asked(None, trial=99, model=HOSTILE)]
    records = [one | {"task": HOSTILE} for one in records]
    run = run_in(tmp_path / HOSTILE.replace("/", ""), records)
    options = [] if form in ("html", "csv", "json") else ["-v"]
    if form == "csv":
        options = ["--spreadsheet"]
    text = shown(run, form, *options)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<b onclick" not in text or form in ("terminal", "csv", "json", "markdown")
    if form == "latex":
        assert "\\=1" not in text


def test_a_column_is_one_entry(tmp_path: Path) -> None:
    """A new one is in all formats and in the reference."""
    from docs.columns import columns

    column: Column[int] = Column(
        "squared", "squared", kinds.COUNT, "a new figure", lambda item: 1_234_567
    )
    assert isinstance(OVERVIEW.columns, list)
    OVERVIEW.columns.append(column)
    try:
        run = run_in(tmp_path / "run", [*trials("m", 9)])
        for form in TEXTS:
            text = shown(run, form)
            assert "squared" in text
            assert "1,234,567" in text
        assert "| squared | " in columns()
    finally:
        OVERVIEW.columns.remove(column)


def test_measures_are_chosen(tmp_path: Path) -> None:
    """Each estimate is one row, and no other row has its key."""
    run = run_in(tmp_path / "run", [*trials("a", 9), *trials("b", 3)])
    rows = json.loads(shown(run, "json"))["estimates"]
    keys = [[v for k, v in one.items() if k not in FIGURES] for one in rows]
    assert len({json.dumps(key) for key in keys}) == len(rows)
    chosen = json.loads(shown(run, "json", "--measure=nan", "--measure=difference"))
    assert {one["measure"] for one in chosen["estimates"]} == {"nan", "difference"}
    assert chosen["estimates"] == [
        one for one in rows if one["measure"] in ("nan", "difference")
    ]


def test_keys_and_columns_are_unique() -> None:
    """Each table has a key of its own, and each part of a column."""
    keys = [one.key for one in DEFINITIONS]
    assert len(set(keys)) == len(keys)
    for definition in DEFINITIONS:
        parts = [one.key for one in definition.columns]
        assert len(set(parts)) == len(parts)
        assert all(one.meaning for one in definition.columns)
