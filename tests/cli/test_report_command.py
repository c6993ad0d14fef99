"""`llmarith report`: a run as it showed itself at its end, many in one table, in every
format.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.records import as_dict
from pytest_llmarith.report.report import screen
from pytest_llmarith.report.run_status import run_lines
from pytest_llmarith.results.load import UNFINISHED, load_runs
from pytest_llmarith.views.table import Level
from tests.report.latex import tables_in
from tests.results.made import measured
from tests.runs_on_disk import (
    ROW,
    added,
    asked,
    lines_of,
    log_in,
    run_in,
)

MARKDOWN_ROW = "| `o4-mini` | `arithmetic` | 9 | 66.7 (35.4-87.9) | 5? | $0.0090 |"
LATEX_ROW = r"o4-mini & arithmetic & 9 & 66.7 (35.4--87.9) & 5? & \$0.0090"


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Additions at the depths 3, 5 and 8, the deepest wrong, and an integer addition
    without a number.
    """
    records = [
        asked("7" if depth == 8 else "{}", depth, trial)
        for depth in (3, 5, 8)
        for trial in range(3)
    ]
    return run_in(
        tmp_path / "2026-11-22T00-31-05_o4-mini", [*records, added("no number")]
    )


@pytest.fixture
def runs(tmp_path: Path, run: Path) -> Path:
    """That run, a killed one, and rows of llm_arithmetic, in a folder."""
    log_in(
        tmp_path / "killed",
        [
            asked("{}", model="gpt-4o", cost_usd=None),
            asked(None, trial=1, model="gpt-4o"),
        ],
    )
    (tmp_path / "gpt-4.1.jsonl").write_text(
        lines_of([ROW, ROW | {"depth": 7, "raw_response": "580"}]), "ascii"
    )
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What a command that goes well prints."""
    assert main(["report", *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def figures(text: str) -> dict[tuple[str, str], str]:
    """The values of whole results by measure, and what names one of several."""
    return {
        (row["measure"], row["at"]): row["value"]
        for row in rows(text)
        if not row["variant"] and not row["depth"]
    }


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_run_is_shown_as_at_its_end(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = load_runs(run)[0].summary()
    first = run_lines(summary, 160)
    for options, level in (([], Level.BRIEF), (["-v"], Level.FULL)):
        end = screen(summary, 160, level)
        assert printed(capsys, run, *options).splitlines() == [*first, *end]


def test_many_runs_are_one_screen(
    runs: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row has what must be known of it; with -v, its run, too.

    A run that is named twice is one.
    """
    out = printed(capsys, runs)
    assert out.startswith(f"3 runs: 13 answered, 1 unanswered\nkilled: {UNFINISHED}")
    lines = out.splitlines()
    at = max(number for number, line in enumerate(lines) if line.startswith("gpt-4.1 "))
    assert lines[at + 1].startswith("  lacks 2 of 4 cells that others have: int_add")
    assert any(line.startswith("  incomplete, 1 of 2") for line in lines)
    assert printed(capsys, runs, run, run / "trials.jsonl") == out
    assert f"  nan: 1 unreadable; {run.name}" in printed(capsys, runs, "-v")


def test_a_killed_run_is_unfinished(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """How many trials it was to have is not known.

    A run that was killed at once can be shown, too.
    """
    out = printed(capsys, runs / "killed")
    assert out.startswith(f"killed: 1 answered, 1 unanswered\nkilled: {UNFINISHED}")
    assert (
        printed(
            capsys,
            runs / "killed",
            "--format=html",
            f"--output={tmp_path / 'page.html'}",
        )
        == ""
    )
    assert UNFINISHED in (tmp_path / "page.html").read_text("utf-8")
    log_in(tmp_path / "empty", [])
    assert "0 answered" in printed(capsys, tmp_path / "empty")


def test_runs_of_one_model_are_told_apart_by_what_was_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for effort in ("low", "high"):
        sent = {
            "reasoning_effort": effort,
            "seed": 1,
            **({"temperature": 0.5} if effort == "low" else {}),
        }
        run_in(
            tmp_path / effort[0],
            [asked("{}")],
            models=[{"name": "o4-mini", "target": "a/b", "params": sent}],
        )
    out = printed(capsys, tmp_path, "--format=markdown")
    for label in (
        "reasoning_effort=high, no temperature",
        "reasoning_effort=low, temperature=0.5",
    ):
        assert f"| `o4-mini, {label}` | `arithmetic` | 1 | 100.0 (20.7-100) |" in out


def test_runs_of_one_model_are_told_apart_by_the_reading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If it differs in a task that both have."""
    records = [asked("It is {}.", trial=trial) for trial in range(3)] + [added("{}")]
    run_in(tmp_path / "tolerant", records)
    assert (
        main(
            [
                "regrade",
                str(tmp_path / "tolerant"),
                "--match=strict",
                f"--output={tmp_path / 'strict.jsonl'}",
            ]
        )
        == 0
    )
    capsys.readouterr()
    out = printed(capsys, tmp_path, "--format=markdown")
    assert "| `o4-mini, strict reading` | `arithmetic` | 3 | 0.0 (0.0-56.1) |" in out
    assert (
        "| `o4-mini, tolerant reading` | `arithmetic` | 3 | 100.0 (43.9-100) |" in out
    )
    run_in(tmp_path / "others" / "arithmetic", records[:3])
    run_in(tmp_path / "others" / "addition", records[3:])
    assert " reading" not in printed(capsys, tmp_path / "others", "--format=markdown")


def test_a_start_that_was_continued_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A killed one, and one that Ctrl-C ended.

    With other replies, another question or reading, or alone they stay.
    """
    whole = [asked("{}", trial=trial, stored=trial < 3) for trial in range(5)]
    log_in(tmp_path / "1", whole[:2], end='{"format": 1, "ru')
    run_in(tmp_path / "2", [*whole[:3], asked(None, trial=3)], selected=5)
    assert main(["report", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("incomplete, 3 of 5 answered")
    assert err.startswith("note: ")
    assert err.count("\n") == 1
    assert err.split(": ")[-1] == "1\n"
    run_in(tmp_path / "3", whole)
    assert main(["report", str(tmp_path), "--format=csv"]) == 0
    out, err = capsys.readouterr()
    assert {row["run"] for row in rows(out)} == {"3"}
    assert err.endswith(": 1, 2\n")
    named = [tmp_path / name for name in "123"]
    out = printed(capsys, *named, "--format=csv", "--measure=measured")
    assert len({row["run"] for row in rows(out)} - {""}) == 3
    other = whole[0] | {
        "reply": whole[0]["reply"] | {"asked_at": "2026-11-23T00:00:00+00:00"}
    }
    seeded = whole[0] | {"problem": whole[0]["problem"] | {"seed": 7}}
    strict = whole[0] | {"reading": "strict"}
    for name, record in (
        ("4", other),
        ("5", strict),
        ("6", asked("{}", trial=9)),
        ("7", seeded),
    ):
        log_in(tmp_path / "kept" / name, [record])
    run_in(tmp_path / "kept" / "8", whole)
    assert printed(capsys, tmp_path / "kept").startswith("5 runs: ")


def test_all_figures_are_of_the_depths_that_are_wanted(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arithmetic = ("--task=arithmetic", "--format=csv")
    found = figures(printed(capsys, run, "--min-depth=5", *arithmetic))
    names = ("measured", "correct", "deviate", "correct_percentage")
    assert [found[name, ""] for name in names] == ["6", "3", "3", "50.0"]
    assert found["cost_usd", "sum"] == "0.006"
    assert float(found["prompt_tokens", "sum"]) == 180
    found = figures(printed(capsys, run, "--max-depth=5", *arithmetic))
    assert found["measured", ""] == "6"
    assert found["deviate", ""] == "0"
    assert ("median_relative_error", "") not in found
    out = printed(capsys, run, "--min-depth=4", "--max-depth=5")
    assert out.splitlines()[:2] == [f"{run.name}: 3 answered", "only depths 4 to 5"]


@pytest.mark.parametrize(
    ("options", "models"),
    [
        (["--model=gpt-*"], ["gpt-4.1", "gpt-4o"]),
        (
            ["--model=gpt-4o", "--model=o4-mini", "--task=arithmetic"],
            ["gpt-4o", "o4-mini"],
        ),
        (["--sort=model"], ["gpt-4.1", "gpt-4o", "o4-mini", "o4-mini"]),
        (["--sort=cost"], ["o4-mini", "o4-mini", "gpt-4.1", "gpt-4o"]),
        (["--sort=-cost"], ["gpt-4.1", "o4-mini", "o4-mini", "gpt-4o"]),
    ],
)
def test_results_are_chosen_and_sorted(
    runs: Path,
    options: list[str],
    models: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Words from a to z, figures from the largest, what is unknown last; a minus turns
    it round.
    """
    named = ("--format=csv", "--measure=measured", *options)
    found = [
        row["model"]
        for row in rows(printed(capsys, runs, *named))
        if not row["variant"] and not row["depth"]
    ]
    assert (found if "--sort" in options[0] else sorted(found)) == models


def test_a_run_that_lacks_cells_of_others_comes_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All right at the easy depth is not better than most right at all."""
    easy = [asked("{}", 2, trial, model="easy") for trial in range(9)]
    run_in(
        tmp_path / "easy",
        easy + [asked(None, 9, trial, model="easy") for trial in range(9)],
    )
    for model, right in (("good", 8), ("poor", 2)):
        texts = ["{}"] * right + ["1"] * (9 - right)
        run_in(
            tmp_path / model,
            [
                asked(text, d, n, model=model)
                for d in (2, 9)
                for n, text in enumerate(texts)
            ],
        )
    for order, models in (
        ("correct", ["good", "poor", "easy"]),
        ("-correct", ["poor", "good", "easy"]),
    ):
        named = ("--format=csv", f"--sort={order}", "--measure=measured")
        shown = rows(printed(capsys, tmp_path, *named))
        assert list(dict.fromkeys(row["model"] for row in shown)) == models
    assert (
        printed(capsys, tmp_path).count("lacks 1 of 2 cells that others have: int_add")
        == 1
    )


@pytest.mark.parametrize(
    ("form", "row"), [("markdown", MARKDOWN_ROW), ("latex", LATEX_ROW)]
)
def test_tables_for_documents(
    run: Path, form: str, row: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = printed(capsys, run, f"--format={form}")
    assert row in out
    assert "ow answers deviate" not in out
    out = printed(capsys, run, f"--format={form}", "-v")
    for text in ("orrect of 3 by depth", "ow answers deviate"):
        assert text in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--min-depth=5"], "Only depths 5 and more."),
        (["--max-depth=5", "--task=arith*"], r"Only tasks arith{*}; depths up to 5."),
        (["--min-depth=5", "--max-depth=8"], "Only depths 5 to 8."),
        (["--model=o4-mini"], "Only models o4-mini."),
    ],
)
def test_captions_have_the_selection(
    run: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = tables_in(printed(capsys, run, "--format=latex", *options))
    assert [said in table.caption for table in found] == [True] * len(found)


@pytest.mark.parametrize(
    ("models", "choice"),
    [
        (["x", "x"], ""),
        (["xy", "yz"], ""),
        (["x", "y"], " --model=x:y"),
        (["xy", "z"], " --model=x:z"),
        (["xy", "z", "x"], " --model=x:z"),
    ],
)
def test_several_runs_are_compared_by_another_command(
    models: list[str], choice: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line of several runs names it for the first two, and it works."""
    paths = []
    for number, names in enumerate(models):
        records = [asked("{}", 5, n, model=name) for name in names for n in range(9)]
        paths.append(str(run_in(tmp_path / f"run {number}", records)))
    assert "llmarith compare" not in printed(capsys, paths[0])
    command = shlex.join(["compare", *paths[:2]]) + choice
    for form in ("terminal", "markdown"):
        out = " ".join(printed(capsys, *paths, f"--format={form}").split())
        assert f"question by question: llmarith {command}" in out
    assert main(shlex.split(command)) == 0


def test_markdown_with_all_tables(
    run: Path, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The overview, and folded in the other tables and the wrong trials.

    The same of many runs.
    """
    out = printed(capsys, run, "--format=markdown", "-v")
    assert out.startswith(f"## `{run.name}`\n\n- `all 10 answered`\n- `o4-mini, ")
    assert "1 of 1 replies without a sure answer" in out
    assert "`\n\n| model | task | date | trials |" in out
    assert "| `o4-mini` | `arithmetic` | 2026-11-22 | 9 | 66.7 (35.4-87.9) |" in out
    assert "- `o4-mini, integer_addition`: `nan: 1 unreadable`\n" in out
    assert out.count("<details><summary>") == out.count("\n</details>\n") > 5
    assert "| `int_add` | 3 | 3 | 0 | 5? |" in out
    assert out.count("| `test[o4-mini-int_add-depth_8-trial_") == 3
    out = printed(capsys, runs, "--format=markdown", "--sort=model", "-v")
    assert out.startswith("## `3 runs`\n")
    assert "lacks 2 of 4 cells that others have: int_add; gpt-4.1.jsonl`" in out
    assert out.count("<summary>arithmetic: D50 by variant") == 1


def test_d50_of_adaptive_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Documents have it, with the number of questions; csv has no percentage, and no
    cells.
    """
    run_in(tmp_path / "run", [as_dict(one) for one in measured(mul=5)])
    for options in (["--format=markdown"], ["--format=latex"], []):
        assert main(["report", str(tmp_path / "run"), *options]) == 0
        assert re.search(
            r"5\.\d \(\d\.\d to \d\.\d\), 54 asked", capsys.readouterr().out
        )
    assert main(["report", str(tmp_path / "run"), "--format=csv"]) == 0
    found = figures(capsys.readouterr().out)
    assert found["correct", ""] == "1"
    assert ("correct_percentage", "") not in found
