"""Trials as a DataFrame and as Parquet: typed, and every value as it was.

The readers run in processes of their own, as they are slow to import and start threads.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from tests.cli.test_csv_readers import SURROGATE, VALUES, hostile, number_in
from tests.runs_on_disk import ROW, asked, lines_of, log_in, run_in

TEXTS = (*VALUES, SURROGATE)
SEED = 10**30
PRINTED = "\nimport json\nprint(json.dumps(found, default=str))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with hostile texts, an outage, and numbers that no column of numbers holds,
    as Parquet and CSV, too.
    """
    folder = tmp_path_factory.mktemp("run")
    trials = [hostile(text, trial) for trial, text in enumerate(TEXTS)]
    trials.append(asked(None, trial=len(TEXTS)))
    problem: Any = trials[0]["problem"]
    problem["seed"] = SEED
    run_in(folder / "run", trials)
    for form in ("parquet", "csv"):
        output = f"--output={folder / f'trials.{form}'}"
        assert main(["export", str(folder / "run"), f"--format={form}", output]) == 0
    return folder


def found(program: str, folder: Path) -> Any:
    """The value that the program leaves in `found`."""
    command = [sys.executable, "-W", "error", "-c", program + PRINTED]
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=240
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.proof
def test_a_frame_has_every_value_as_it_was(folder: Path) -> None:
    """Texts, exact numbers and the outcome `nan` are neither missing nor converted; the
    columns are those of the CSV.
    """
    program = """
import pytest_llmarith
frame = pytest_llmarith.load("run")
found = {
    "columns": list(frame),
    "outcomes": frame["outcome"].value_counts().to_dict(),
    "groups": frame.groupby("outcome", observed=True).size().to_dict(),
    "missing": frame.isna().sum().to_dict(),
    "dtypes": frame.dtypes.astype(str).to_dict(),
    "mean": frame["cost_usd"].mean(),
    "year": int(frame["asked_at"].dt.year.max()),
    "rows": frame[["text", "prompt", "inputs", "expected", "seed"]].to_dict("records"),
}
"""
    seen = found(program, folder)
    with (folder / "trials.csv").open(encoding="utf-8", newline="") as file:
        assert seen["columns"] == next(csv.reader(file))
    counted = {"nan": len(TEXTS), "unanswered": 1}
    assert seen["groups"] == counted
    assert seen["outcomes"] == counted | dict.fromkeys(
        ("correct", "deviate", "cheat"), 0
    )
    assert [seen["missing"][name] for name in ("outcome", "depth", "cost_usd")] == [
        0,
        0,
        1,
    ]
    kinds = ("outcome", "text", "expected", "depth", "simulated", "cost_usd")
    assert [seen["dtypes"][name] for name in kinds] == [
        "category",
        "str",
        "str",
        "Int64",
        "boolean",
        "float64",
    ]
    assert (round(seen["mean"], 6), seen["year"]) == (0.001, 2026)
    assert seen["rows"][0]["seed"] == str(SEED)
    for row, text in zip(seen["rows"], (*VALUES, r"408 \ud800"), strict=False):
        assert [row["text"], row["prompt"]] == [text, text]
        assert json.loads(row["inputs"])["lhs"] == number_in(text)
        assert row["expected"] == number_in(text)


def test_every_kind_of_run_is_loaded(tmp_path: Path) -> None:
    """A killed run without a trial has the same columns as others, and rows of
    llm_arithmetic are graded.
    """
    log_in(tmp_path / "killed", [])
    log_in(tmp_path / "runs" / "one", [asked("{}"), asked("7", trial=1)])
    (tmp_path / "rows.jsonl").write_text(lines_of([ROW]), encoding="ascii")
    program = """
from pathlib import Path
from pytest_llmarith import load
none = load("killed")
some = load([Path("runs"), "rows.jsonl"])
found = [len(none), (none.dtypes == some.dtypes).all(), some["outcome"].to_list(),
         some["run"].to_list()]
"""
    assert found(program, tmp_path) == [
        0,
        "True",
        ["correct", "deviate", "correct"],
        ["one", "one", "rows.jsonl"],
    ]


def test_estimates_are_a_table(tmp_path: Path) -> None:
    """A number of any size is text beside its value, in Parquet as in a frame."""
    trials = [asked(text, trial=trial) for trial, text in enumerate(("{}", "7" * 40))]
    run_in(tmp_path / "run", trials)
    output = f"--output={tmp_path / 'long.parquet'}"
    command = ["export", str(tmp_path / "run"), "--estimates", "--format=parquet"]
    assert main([*command, output]) == 0
    program = """
import pandas
from pytest_llmarith import load
frame, read = load("run", estimates=True), pandas.read_parquet("long.parquet")
whole = frame[frame["variant"].isna() & frame["depth"].isna()].set_index("measure")
found = [
    whole.loc["correct_percentage", ["value", "text", "low", "n"]].to_list(),
    float(whole.loc["average_absolute_error", "text"]) > 1e38,
    list(read) == list(frame), len(read) == len(frame),
]
"""
    (value, text, low, n), *facts = found(program, tmp_path)
    assert (value, text, n) == (50, "50.0", "2")
    assert 0 < low < value
    assert facts == [True] * 3


def test_a_fault_is_one_line(tmp_path: Path) -> None:
    record = asked("7")
    record["reply"]["asked_at"] = "2026-13-32T00:00:00Z"
    log_in(tmp_path / "undated", [record])
    program = """
import sys
from pytest_llmarith import load
from pytest_llmarith.results.run_files import UsageError
found = []
for name, without in (("missing", "-"), ("undated", "-"), ("undated", "pyarrow")):
    sys.modules[without] = None
    try:
        load(name)
    except UsageError as error:
        found.append(str(error))
"""
    said = found(program, tmp_path)
    facts = ("missing", "asked_at is 2026-13-32T00:00:00Z", "pip install")
    for line, fact in zip(said, facts, strict=True):
        assert fact in line
        assert "\n" not in line


def test_parquet_needs_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is no text for a terminal or a spreadsheet, and replaces no file."""
    for further in ([], ["--output=other.parquet", "--spreadsheet"]):
        command = ["export", str(folder / "run"), "--format=parquet", *further]
        assert main(command) == WRONG_USAGE
        assert "--output=FILE" in capsys.readouterr().err
    there = f"--output={folder / 'trials.parquet'}"
    command = ["export", str(folder / "run"), "--format=parquet", there]
    assert main(command) == WRONG_USAGE
    assert "--force" in capsys.readouterr().err


READERS = {
    "duckdb": """
import duckdb
read = duckdb.sql("select * from 'trials.parquet'")
types = {name: str(kind) for name, kind in zip(read.columns, read.types)}
rows = [dict(zip(read.columns, row)) for row in read.fetchall()]
""",
    "polars": """
import polars
read = polars.read_parquet("trials.parquet")
types = {name: str(kind) for name, kind in read.schema.items()}
rows = read.to_dicts()
""",
    "datasets": """
import datasets
datasets.disable_progress_bars()
read = datasets.load_dataset(
    "parquet", data_files="trials.parquet", cache_dir="cache", split="train"
)
types = {name: kind.dtype for name, kind in read.features.items()}
rows = list(read)
""",
}
KINDS = ("outcome", "text", "expected", "depth", "simulated", "cost_usd", "asked_at")
TYPES = {
    "duckdb": "VARCHAR VARCHAR VARCHAR BIGINT BOOLEAN DOUBLE TIMESTAMP WITH TIME ZONE",
    "polars": "String String String Int64 Boolean Float64 "
    "Datetime(time_unit='us', time_zone='UTC')",
    "datasets": "string string string int64 bool float64 timestamp[us, tz=UTC]",
}


@pytest.mark.proof
@pytest.mark.parametrize("reader", READERS)
def test_others_read_the_parquet_file(folder: Path, reader: str) -> None:
    """Every type and value; make proof installs the readers."""
    pytest.importorskip(reader)
    ending = "\nfound = [types, [{**row, 'asked_at': None} for row in rows]]"
    types, rows = found(READERS[reader] + ending, folder)
    assert " ".join(types[name] for name in KINDS) == TYPES[reader]
    assert [row["outcome"] for row in rows] == ["nan"] * len(TEXTS) + ["unanswered"]
    for row, text in zip(rows, (*VALUES, r"408 \ud800"), strict=False):
        assert [row["text"], row["expected"]] == [text, number_in(text)]
        assert (row["depth"], row["cost_usd"], row["rounded"]) == (3, 0.001, None)
    assert rows[-1]["cost_usd"] is None
