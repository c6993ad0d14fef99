"""Tasks from the rows of files and of data sets of the Hub."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.session.bench import WAYS, Bench

Write = Callable[[Path, Sequence[Mapping[str, Any]]], None]

HEAD = """
import pytest
from pytest_llmarith import bridges

task = bridges.rows({arguments})

@pytest.mark.llmarith_task(task)
def test_it(problem, ask):
    ask(problem)
"""
LONG = 10**60 + 7
HUB = """
CALLS = []

def load_dataset(name, config, *, split, revision):
    if name == "absent":
        raise FileNotFoundError("no data set")
    assert (name, config, split, revision) == ("some/gsm8k", "main", "train", None)
    return [{"question": "How many?", "answer": "Two. #### 2", "picture": object()}]
"""


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("\n\n".join(map(json.dumps, rows)), "utf-8-sig")


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    lines = [",".join(rows[0])]
    for row in rows:
        lines.append(",".join('"' + str(value) + '"' for value in row.values()))
    path.write_text("\n".join(lines), "utf-8")


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Integers that Parquet lacks are decimals of scale 0."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns: dict[str, Any] = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        kind = None
        if isinstance(values[0], int) and max(values) >= 2**63:
            values, kind = list(map(Decimal, values)), pyarrow.decimal256(76, 0)
        columns[name] = pyarrow.array(values, kind)
    parquet.write_table(pyarrow.table(columns), path)


FORMATS: Mapping[str, Write] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
}

# The lines of rows.jsonl, further arguments, and what the line of the error says.
REFUSED = {
    "no_json": (["{}1"], "", "line 1: is no JSON"),
    "torn": (['{"question": "1", "answer": 1}', '{"question'], "", "line 2: is no"),
    "constant": (['{"question": "1", "answer": NaN}'], "", "answer is 'NaN'"),
    "nested": (["[" * 100_000], "", "line 1: is no JSON"),
    "list": (["[1]"], "", "line 1: is ['1']; write an object"),
    "empty": ([""], "", "has no rows"),
    "no_field": (['{"question": "1"}'], "", "line 1: lacks the field 'answer'"),
    "null": (['{"question": null, "answer": 1}'], "", "lacks the field 'question'"),
    "no_number": (['{"question": "1", "answer": "one"}'], "", "answer is 'one'"),
    "point": (['{"question": "1", "answer": "1,5"}'], "", "answer is '1,5'"),
    "no_letter": (['{"question": "1", "answer": 1}'], 'read="choice"', "answer is '1'"),
    "blank": (['{"question": "1", "answer": " "}'], 'read="text"', "answer is ' '"),
    "ids": (
        [
            '{"question": 1, "answer": 1, "id": 7}',
            '{"question": 2, "answer": 2, "id": 7}',
        ],
        'id="id"',
        "line 2: has the id '7' of line 1",
    ),
    "answers": (
        ['{"question": 1, "answer": 1}', '{"question": 1, "answer": 2}'],
        "",
        "line 2: has the question of line 1",
    ),
    "depth": (['{"question": 1, "answer": 1, "n": 1.5}'], 'depth="n"', "n is '1.5'"),
    "template": (["{}"], 'prompt="why"', "prompt 'why': it has no field"),
    "read": (["{}"], 'read="float"', "read is 'float'"),
    "size_text": (["{}"], 'size="abc"', "size is 'abc'; write a number of rows"),
    "size_point": (["{}"], "size=2.5", "size is 2.5"),
    "size_none": (["{}"], "size=0", "size is 0"),
}


@pytest.fixture
def folder(bench: Bench) -> Path:
    (bench.pytester.path / "test_bench.py").unlink()
    return bench.pytester.path


def write(bench: Bench, arguments: str, name: str = "test_it") -> None:
    bench.pytester.makepyfile(**{name: HEAD.format(arguments=arguments)})


def test_rows_that_cannot_be_used_are_named(bench: Bench, folder: Path) -> None:
    for name, (lines, arguments, _) in REFUSED.items():
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(lines), "utf-8")
        write(bench, f'"{name}.jsonl", {arguments}', f"test_{name}")
    result = bench.run("-p", "no:xdist")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not bench.server.requests
    shown = result.stdout.str()
    assert "Traceback" not in shown
    for name, (_, _, expected) in REFUSED.items():
        (line,) = (one for one in shown.splitlines() if one.startswith(f"{name}.jsonl"))
        assert expected in line, name


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_it_ends_before_anything_is_asked(
    bench: Bench, folder: Path, way: Sequence[str]
) -> None:
    """Also beside tasks that can be asked."""
    write_jsonl(folder / "good.jsonl", [{"question": "1 + 1?", "answer": 2}])
    write(bench, '"good.jsonl"', "test_good")
    write(bench, '"missing.jsonl"', "test_missing")
    bench.script = lambda call: "2"
    result = bench.run(*way)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*missing.jsonl: cannot be read*"])
    assert not bench.server.requests


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_keeps_every_digit(bench: Bench, folder: Path, form: str) -> None:
    data = [
        {"question": f"{LONG - 1} + 1?", "answer": LONG, "digits": 61, "kind": "a b"},
        {"question": "20 + 22?", "answer": 42, "digits": 2, "kind": "c"},
    ]
    FORMATS[form](folder / f"sums.{form}", data)
    write(bench, f'"sums.{form}", depth="digits", variant="kind"')
    bench.script = lambda call: f"It is {LONG:,}."
    assert bench.run("-p", "no:xdist").ret == 0
    long, short = bench.records()
    assert (long["outcome"], short["outcome"]) == ("correct", "deviate")
    assert long["problem"]["expected"] == str(LONG)
    assert long["problem"]["label"] == "a_b-depth_61-trial_0"
    assert long["task"] == "sums"
    assert long["prompt"][-1]["content"] == f"{LONG - 1} + 1?"


def test_solutions_texts_and_choices(bench: Bench, folder: Path) -> None:
    solution = "Half of 4,000 is 2,000.\n#### 2,000"
    write_jsonl(folder / "gsm.jsonl", [{"question": "Half?", "answer": solution}])
    write_jsonl(folder / "text.jsonl", [{"question": "Capital?", "answer": " Oslo\n"}])
    choice = {"question": "Which?", "options": ["Rome", "Oslo"], "answer": "(b)"}
    write_jsonl(folder / "choice.jsonl", [choice])
    write(bench, '"gsm.jsonl"', "test_gsm")
    write(bench, '"text.jsonl", read="text"', "test_text")
    template = '"{question} {options}"'
    write(bench, f'"choice.jsonl", {template}, read="choice"', "test_choice")
    replies = {"Half?": "It is $2,000.", "Capital?": "\nOslo "}
    bench.script = lambda call: replies.get(call.prompt, "The answer is **(B)**.")
    assert bench.run("-p", "no:xdist").ret == 0
    assert {one["task"]: one["outcome"] for one in bench.records()} == {
        "gsm": "correct",
        "text": "correct",
        "choice": "correct",
    }
    assert 'Which? ["Rome", "Oslo"]' in bench.server.asked


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        (" (b). ", "B"),
        ("B) Oslo", "B"),
        ("A is Rome, so the answer is B, as option C is Paris.", "B"),
        ("Answer: A? No.\nAnswer: **B**", "B"),
        (r"Thus \boxed{\text{(B)}}.", "B"),
        ("I choose option B", "B"),
        ("A reply without a choice", None),
        ("", None),
    ],
)
def test_letters_in_replies(folder: Path, reply: str, letter: str | None) -> None:
    from pytest_llmarith import Problem, bridges

    task = bridges.rows("choice.csv", read="choice")
    answer = task.read(reply, Problem({"question": "Which?"}, "B"))
    assert (answer if isinstance(answer, str) else None) == letter


def test_equal_rows_are_asked_once_and_some_are_drawn(
    bench: Bench, folder: Path
) -> None:
    data = [{"question": f"{n % 30}?", "answer": n % 30, "name": n} for n in range(60)]
    write_jsonl(folder / "n.jsonl", data)
    write(bench, '"n.jsonl", id="name"')
    bench.script = lambda call: "1"
    assert bench.run("-p", "no:xdist").ret == 0
    labels = [one["problem"]["label"] for one in bench.records()]
    assert labels == [str(n) for n in range(30)]
    write(bench, '"n.jsonl", size=5, id="name"')
    drawn = []
    for seed in ("0", "0", "1"):
        assert bench.run("-p", "no:xdist", f"--llm-seed={seed}").ret == 0
        drawn.append([one["problem"]["label"] for one in bench.records()])
    assert len(drawn[0]) == 5
    assert drawn[0] == drawn[1] != drawn[2]


def test_other_files(bench: Bench, folder: Path) -> None:
    """One line for each, with what to write."""
    (folder / "torn.parquet").write_text("PAR1 no")
    (folder / "long.csv").write_text('question,answer\n"1",2,3\n')
    (folder / "quote.csv").write_text('question,answer\n"1"1,2\n')
    (folder / "latin.jsonl").write_bytes(b'{"question": "\xe9", "answer": 1}')
    (folder / "rows.txt").touch()
    expected = {
        "torn.parquet": "is no Parquet",
        "long.csv": "line 2: has more values",
        "quote.csv": "after line 1: is no CSV",
        "latin.jsonl": "cannot be read (UnicodeDecodeError",
        "rows.txt": "ends in none of .jsonl, .csv, .parquet",
    }
    for number, name in enumerate(expected):
        write(bench, f'"{name}"', f"test_{number}")
    write_parquet_of_floats(folder / "float.parquet")
    expected["float.parquet"] = "row 1: answer: 1e+16, a binary float"
    write(bench, '"float.parquet"', "test_float")
    result = bench.run("-p", "no:xdist")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    for name, why in expected.items():
        (line,) = (one for one in result.outlines if one.startswith(name))
        assert why in line


def write_parquet_of_floats(path: Path) -> None:
    write_parquet(
        path, [{"question": "1", "answer": 0.5}, {"question": "2", "answer": 1e16}]
    )


def test_data_sets_of_the_hub(
    bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "datasets.py").write_text(HUB)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    write(bench, '"hub:some/gsm8k", config="main", split="train"')
    bench.script = lambda call: "2"
    assert bench.run("-p", "no:xdist").ret == 0
    (record,) = bench.records()
    assert (record["task"], record["outcome"]) == ("gsm8k", "correct")
    write(bench, '"hub:absent"')
    absent = bench.run("-p", "no:xdist")
    assert absent.ret == pytest.ExitCode.USAGE_ERROR
    absent.stdout.fnmatch_lines(["hub:absent: cannot be loaded*no data set*"])
    (folder / "datasets.py").write_text("raise ImportError")
    missing = bench.run("-p", "no:xdist")
    assert missing.ret == pytest.ExitCode.USAGE_ERROR
    missing.stdout.fnmatch_lines(["hub:absent: needs the package datasets; run *"])
