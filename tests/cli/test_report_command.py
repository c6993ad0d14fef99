"""`llmarith report`: a run as it showed itself at its end, many in one table, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from tests.runs_on_disk import ROW, added, asked, lines_of, log_in, run_in

HOSTILE = "<img src=x onerror=alert(1)>|`[a](javascript:b)`\x1b[2J\u202e@you http://a.bc =1+1"
UNFINISHED = "unfinished: no summary.json, killed or still running\n"
ROOT = Path(__file__).parents[2]
TRANSCRIPTS = ROOT.parent / "shared" / "transcripts"
COLUMNS = "run model task date trials unanswered correct nan deviate cheat cost tokens latency error"


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Additions at the depths 3, 5 and 8, the deepest wrong, and an integer addition without a number."""
    records = [asked("7" if depth == 8 else "{}", depth, trial) for depth in (3, 5, 8) for trial in range(3)]
    return run_in(tmp_path / "2026-11-22T00-31-05_o4-mini", [*records, added("no number")])


@pytest.fixture
def runs(tmp_path: Path, run: Path) -> Path:
    """That run, a killed one, and rows of llm_arithmetic, in a folder."""
    log_in(tmp_path / "killed", [asked("{}", model="gpt-4o", cost_usd=None), asked(None, trial=1, model="gpt-4o")])
    (tmp_path / "gpt-4.1.jsonl").write_text(lines_of([ROW, ROW | {"depth": 7, "raw_response": "580"}]), "ascii")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What a command that goes well prints."""
    assert main(["report", *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What a command says that does not go well: one line."""
    assert main(["report", *map(str, arguments)]) == WRONG_USAGE
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_many_runs_are_one_table(runs: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below each row stands what has to be known of it. A run that is named twice is one."""
    out = printed(capsys, runs)
    assert out.startswith("3 runs: 13 answered, 1 unanswered\n")
    lines = out.splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith("gpt-4.1 "))
    assert lines[at + 1] == "  gpt-4.1.jsonl; lacks 2 of 4 cells that others have: int_add"
    assert any(line.startswith(f"  killed; {UNFINISHED.strip()}; incomplete, 1 of 2") for line in lines)
    assert f"  {run.name}; nan: 1 unreadable" in lines
    assert "by variant" not in out
    assert printed(capsys, runs, run, run / "trials.jsonl") == out


def test_a_killed_run_is_unfinished(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many trials it was to have is not known. A run that was killed at once can be shown, too."""
    out = printed(capsys, runs / "killed")
    assert out.startswith("killed: 1 answered, 1 unanswered\n" + UNFINISHED)
    assert printed(capsys, runs / "killed", "--format=html", f"--output={tmp_path / 'page.html'}") == ""
    assert UNFINISHED.strip() in (tmp_path / "page.html").read_text("utf-8")
    log_in(tmp_path / "empty", [])
    assert "0 answered" in printed(capsys, tmp_path / "empty")


def test_runs_of_one_model_are_told_apart_by_what_was_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for effort in ("low", "high"):
        sent = {"reasoning_effort": effort, "seed": 1, **({"temperature": 0.5} if effort == "low" else {})}
        run_in(tmp_path / effort[0], [asked("{}")], models=[{"name": "o4-mini", "target": "a/b", "params": sent}])
    shown = [line for line in printed(capsys, tmp_path).splitlines() if "effort" in line]
    assert shown == ["  h; reasoning_effort=high, no temperature", "  l; reasoning_effort=low, temperature=0.5"]


def test_all_figures_are_of_the_depths_that_are_wanted(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = rows(printed(capsys, run, "--min-depth=5", "--format=csv"))
    assert [row[name] for name in ("measured", "correct", "deviate", "correct_percent")] == ["6", "3", "3", "50.0"]
    assert (row["cost_usd"], row["prompt_tokens"], row["selected"], row["run"]) == ("0.006", "180", "", run.name)
    (row,) = rows(printed(capsys, run, "--max-depth=5", "--format=csv"))
    assert (row["measured"], row["deviate"], row["median_relative_error"]) == ("6", "0", "")
    out = printed(capsys, run, "--min-depth=4", "--max-depth=5")
    assert out.splitlines()[:2] == [f"{run.name}: 3 answered", "only --min-depth=4 --max-depth=5"]


@pytest.mark.parametrize(
    ("options", "models"),
    [
        (["--model=gpt-*"], ["gpt-4.1", "gpt-4o"]),
        (["--model=gpt-4o", "--model=o4-mini", "--task=arithmetic"], ["gpt-4o", "o4-mini"]),
        (["--sort=model"], ["gpt-4.1", "gpt-4o", "o4-mini", "o4-mini"]),
        (["--sort=cost"], ["o4-mini", "o4-mini", "gpt-4.1", "gpt-4o"]),
        (["--sort=-cost"], ["gpt-4.1", "o4-mini", "o4-mini", "gpt-4o"]),
    ],
)
def test_results_are_chosen_and_sorted(
    runs: Path, options: list[str], models: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Words from a to z, figures from the largest, what is unknown last; a minus turns it round."""
    found = [row["model"] for row in rows(printed(capsys, runs, "--format=csv", *options))]
    assert (found if "--sort" in options[0] else sorted(found)) == models


def test_a_run_that_lacks_cells_of_others_comes_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All right at the easy depth is not better than most right at all."""
    easy = [asked("{}", 2, trial, model="easy") for trial in range(9)]
    run_in(tmp_path / "easy", easy + [asked(None, 9, trial, model="easy") for trial in range(9)])
    for model, right in (("good", 8), ("poor", 2)):
        texts = ["{}"] * right + ["1"] * (9 - right)
        run_in(tmp_path / model, [asked(text, d, n, model=model) for d in (2, 9) for n, text in enumerate(texts)])
    for order, models in (("correct", ["good", "poor", "easy"]), ("-correct", ["poor", "good", "easy"])):
        shown = rows(printed(capsys, tmp_path, "--format=csv", f"--sort={order}"))
        assert [row["model"] for row in shown] == models
    assert printed(capsys, tmp_path).count("lacks 1 of 2 cells that others have: int_add") == 1


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (["--min-depth=9", "--max-depth=4"], "--min-depth=9 --max-depth=4: no depth is in this range"),
        (
            ["--model=o3", "--min-depth=5"],
            "no trial of --model=o3 --min-depth=5; the runs have models gpt-4.1, gpt-4o,",
        ),
        (["--sort=colour"], f"--sort=colour: not a column; write one of {COLUMNS.replace(' ', ', ')}, or -run"),
        (["--format=html"], "add --output=report.html"),
        (["--format=html", "--output={}/no/page.html"], "cannot be written"),
        (["--format=html", "--output={}/killed/trials.jsonl"], "one of the input files"),
        (["--output={}/killed/trials.jsonl", "--force"], "one of the input files"),
        (["--format=json", "--spreadsheet"], "--spreadsheet: --format=json is not CSV"),
    ],
)
def test_wrong_usage_is_one_line(
    runs: Path, options: list[str], cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cause in refused(capsys, runs, *(option.format(runs) for option in options))


def test_json_is_a_list_of_summaries(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.loads((run / "summary.json").read_text(encoding="ascii"))
    assert json.loads(printed(capsys, run, "--format=json")) == [whole]


def test_markdown(run: Path, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The overview, and folded in the other tables and the trials that are not correct. Of many runs the overview."""
    out = printed(capsys, run, "--format=markdown")
    assert out.startswith(f"## `{run.name}`\n\n- `all 10 answered`\n\n| model | task | trials |")
    assert "| `o4-mini` | `arithmetic` | 9 | 2026-11-22 | 66.7 | 35.4-87.9 |" in out
    assert "- `o4-mini, integer_addition`: `nan: 1 unreadable`\n" in out
    assert out.count("<details><summary>") == out.count("\n</details>\n") == 6
    assert "| `int_add` | 3 | 3 | 0 | 66.7 |" in out
    assert out.count("| `test[o4-mini-int_add-depth_8-trial_") == 3
    out = printed(capsys, runs, "--format=markdown", "--sort=model")
    assert out.startswith("## `3 runs`\n")
    assert "- `gpt-4.1, arithmetic`: `gpt-4.1.jsonl; lacks 2 of 4 cells" in out
    assert "<details>" not in out


@pytest.mark.parametrize("form", ["terminal", "markdown", "json", "csv"])
def test_hostile_names_have_no_effect(tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a terminal nor a browser nor a spreadsheet sees more in a name than a name."""
    log_in(tmp_path / "run", [asked("{}") | {"model": HOSTILE}, asked("7", trial=1) | {"model": "=1+1"}])
    out = printed(capsys, tmp_path / "run", f"--format={form}", *["--spreadsheet"] * (form == "csv"))
    assert not {"\x1b", "\u202e"} & set(out)
    if form == "markdown":
        assert "<img" not in out.replace("``<img", "")
    if form == "csv":
        assert [row["model"][:2] for row in rows(out)] == ["<i", "'="]


@pytest.mark.proof
@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the replies of real models are not here")
def test_the_example_in_the_documents(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    command = "$ COLUMNS=150 llmarith report transcripts/ --min-depth=5 --sort=correct\n"
    _, example = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8").split(command)
    assert printed(capsys, TRANSCRIPTS, "--min-depth=5", "--sort=correct") == example.split("```")[0]
