"""`llmarith report`: a run as it showed itself at its end, many in one table, in every format."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.records import decode_summary
from pytest_llmarith.reports.formats.markdown import code
from pytest_llmarith.reports.formats.spreadsheet import cell
from pytest_llmarith.reports.reporting.ordering import COLUMNS
from pytest_llmarith.reports.tables.terminal import summary_section
from tests.runs_on_disk import ROW, added, asked, lines_of, log_in, programmed, run_in

HOSTILE = "<img src=x onerror=alert(1)>|`[a](javascript:b)`\x1b[2J\u202e@you http://a.bc =1+1"
UNFINISHED = "unfinished: no summary.json, killed or still running\n"

ROOT = Path(__file__).parents[2]
TRANSCRIPTS = ROOT.parent / "shared" / "transcripts"


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Additions at the depths 3 and 8, the deeper ones wrong, and an integer addition."""
    records = [asked("{}", depth=depth, trial=trial) for depth in (3, 5) for trial in range(3)]
    wrong = [asked("7", depth=8, trial=trial) for trial in range(3)]
    return run_in(tmp_path / "2026-11-22T00-31-05_o4-mini", [*records, *wrong, added("no number")])


@pytest.fixture
def runs(tmp_path: Path, run: Path) -> Path:
    """That run, a killed one, and rows of llm_arithmetic, in a folder."""
    log_in(tmp_path / "killed", [asked("{}", model="gpt-4o", cost_usd=None), asked(None, trial=1, model="gpt-4o")])
    rows = [ROW, ROW | {"depth": 7, "raw_response": "580"}]
    (tmp_path / "gpt-4.1.jsonl").write_text(lines_of(rows), encoding="ascii")
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


@pytest.fixture
def conditions(tmp_path: Path) -> Path:
    """Two questions that were asked in the usual way and with commas, the latter twice."""
    usual = [asked("{}", trial=trial) for trial in range(2)]
    comma = {"numbers": "comma", "symbols": "ascii", "context": None, "prompt": None, "system": None}
    put = [
        one | {"condition": comma, "repeat": repeat, "nodeid": f"{one['nodeid']}-numbers_comma-repeat_{repeat}"}
        for one in (asked("7", trial=trial) for trial in range(2))
        for repeat in range(2)
    ]
    return run_in(tmp_path / "2026-11-22T00-31-05_o4-mini", [*usual, *put])


def rows(text: str) -> list[dict[str, str]]:
    """CSV as a reader sees it."""
    return list(csv.DictReader(io.StringIO(text)))


def test_a_run_shows_itself_as_at_its_end(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report of one run is, line by line, what pytest showed at its end."""
    summary = decode_summary((run / "summary.json").read_bytes())
    assert printed(capsys, run).splitlines() == summary_section(summary, 160)


def test_a_killed_run_does_not_say_that_it_is_whole(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A killed run is shown as unfinished, as nobody knows how many trials it was to have."""
    out = printed(capsys, runs / "killed")
    assert out.startswith("killed: 1 answered, 1 unanswered\n" + UNFINISHED)
    assert "correct of 1 by variant and depth" in out


def test_many_runs_in_one_table(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row per run, model and task, below it whose it is and what it takes to read it; none has tables of its own."""
    out = printed(capsys, runs)
    assert out.startswith("3 runs: 13 answered, 1 unanswered\n")
    lines = out.splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith("gpt-4.1 "))
    assert lines[at + 1] == "  gpt-4.1.jsonl; lacks 2 of 4 cells that others have: int_add 5 8"
    assert any(line.startswith(f"  killed; {UNFINISHED.strip()}; incomplete, 1 of 2") for line in lines)
    assert "  2026-11-22T00-31-05_o4-mini; nan: 1 unreadable" in lines
    assert "by variant" not in out


def test_a_page_says_that_a_run_is_unfinished(runs: Path, tmp_path: Path) -> None:
    """On its top, in the row of the overview, and where the run's facts stand."""
    page = tmp_path / "page.html"
    assert main(["report", str(runs / "killed"), "--format=html", f"--output={page}"]) == 0
    text = page.read_text("utf-8")
    assert text.count(UNFINISHED.strip()) == 4
    assert f'<span class="part">{UNFINISHED.strip()}; 1 answered, 1 unanswered</span>' in text


def test_runs_of_one_model_are_told_apart_by_what_was_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Parameters that differ stand in the note and beside the name on the page; those that are alike do not."""
    for effort in ("low", "high"):
        sent = {"reasoning_effort": effort, "seed": 1, **({"temperature": 0.5} if effort == "low" else {})}
        models = [{"name": "o4-mini", "target": "openai/o4-mini", "params": sent}]
        run_in(tmp_path / effort[0], [asked("{}")], models=models)
    low, high = "reasoning_effort=low, temperature=0.5", "reasoning_effort=high, no temperature"
    lines = printed(capsys, tmp_path).splitlines()
    assert [line for line in lines if "effort" in line] == [f"  h; {high}", f"  l; {low}"]
    assert "effort" not in printed(capsys, tmp_path / "l")
    assert main(["report", str(tmp_path), "--format=html", f"--output={tmp_path / 'page.html'}"]) == 0
    text = (tmp_path / "page.html").read_text("utf-8")
    assert f'data-sort="o4-mini, {low}"' in text
    assert "<title>o4-mini, reasoning_effort=high, no temperature and o4-mini, " in text


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (["--min-depth=9", "--max-depth=4"], "--min-depth=9 --max-depth=4: no depth is between these"),
        (["--min-depth=-1"], "--min-depth=-1: expected a depth, which is 1 or more"),
        (["--max-depth=0"], "--max-depth=0: expected a depth, which is 1 or more"),
    ],
)
def test_bounds_between_which_no_depth_is_are_refused(
    run: Path, options: list[str], cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Depths that no trial has are refused with one line, where an empty table would say nothing."""
    assert cause in refused(capsys, run, *options)


def test_a_run_that_is_named_twice_is_one(runs: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run counts once that is named by its folder, its log and the folder in which it lies."""
    assert printed(capsys, runs, run, run / "trials.jsonl") == printed(capsys, runs)


def test_depths_bound_all_figures_of_a_row(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts, percentages, money, tokens and errors are of the trials that are deep enough, and of nothing else."""
    out = printed(capsys, run, "--min-depth=5", "--format=csv")
    (row,) = rows(out)
    assert [row[name] for name in ("measured", "correct", "deviate", "correct_percent")] == ["6", "3", "3", "50.0"]
    assert (row["cost_usd"], row["prompt_tokens"], row["selected"]) == ("0.006", "180", "")
    assert row["run"] == run.name
    (row,) = rows(printed(capsys, run, "--max-depth=5", "--format=csv"))
    assert (row["measured"], row["deviate"], row["median_relative_error"]) == ("6", "0", "")
    assert printed(capsys, run, "--min-depth=4", "--max-depth=5").splitlines()[:2] == [
        "2026-11-22T00-31-05_o4-mini: 3 answered",
        "only depth 4 to 5",
    ]


@pytest.mark.parametrize(
    ("options", "models"),
    [
        (["--model=gpt-4o"], ["gpt-4o"]),
        (["--model=gpt-*"], ["gpt-4.1", "gpt-4o"]),
        (["--model=gpt-4o", "--model=o4-mini", "--task=arithmetic"], ["gpt-4o", "o4-mini"]),
        (["--task=integer_addition"], ["o4-mini"]),
    ],
)
def test_models_and_tasks_are_chosen(
    runs: Path, options: list[str], models: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Models and tasks are chosen by their names, or by a part of a name and a star."""
    assert sorted(row["model"] for row in rows(printed(capsys, runs, "--format=csv", *options))) == models


def test_a_choice_of_nothing_names_what_there_is(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A choice that fits no trial is refused with one line that names what may be chosen."""
    assert "no trial of model o3, depth 5 and more; there are models gpt-4.1, gpt-4o, o4-mini and tasks " in refused(
        capsys, runs, "--model=o3", "--min-depth=5"
    )


@pytest.mark.parametrize(
    ("order", "models"),
    [
        ("model", ["gpt-4.1", "gpt-4o", "o4-mini", "o4-mini"]),
        ("-trials", ["o4-mini", "gpt-4o", "gpt-4.1", "o4-mini"]),
        ("cost", ["o4-mini", "o4-mini", "gpt-4.1", "gpt-4o"]),
        ("-cost", ["gpt-4.1", "o4-mini", "o4-mini", "gpt-4o"]),
    ],
)
def test_results_are_sorted(runs: Path, order: str, models: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Words from a to z, figures from the largest, what is unknown last; a minus turns it round."""
    assert [row["model"] for row in rows(printed(capsys, runs, "--format=csv", f"--sort={order}"))] == models


@pytest.mark.parametrize("order", ["correct", "-correct"])
def test_a_run_that_lacks_cells_of_others_comes_last(
    tmp_path: Path, order: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """All right at the easy depth is not better than most right at all; which cells are missing is said."""
    easy = [asked("{}", depth=2, trial=trial, model="easy") for trial in range(9)]
    lost = [asked(None, depth=9, trial=trial, model="easy") for trial in range(9)]
    for model, right in (("good", 8), ("poor", 2)):
        both = [
            asked("{}" if trial < right else "1", depth, trial, model=model) for depth in (2, 9) for trial in range(9)
        ]
        run_in(tmp_path / model, both)
    run_in(tmp_path / "easy", [*easy, *lost])
    shown = rows(printed(capsys, tmp_path, "--format=csv", f"--sort={order}"))
    assert [row["model"] for row in shown] == [*(["good", "poor"] if order == "correct" else ["poor", "good"]), "easy"]
    assert printed(capsys, tmp_path, f"--sort={order}").count("lacks 1 of 2 cells that others have: int_add 9") == 1
    assert "lacks" not in printed(capsys, tmp_path, f"--sort={order}", "--max-depth=2")


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_sorts(runs: Path, column: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A report can be sorted by every column, also where some of its values are unknown."""
    assert len(rows(printed(capsys, runs, "--format=csv", f"--sort={column}"))) == 4


def test_another_column_is_none(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sorting by what is no column is refused with a line that names the columns."""
    assert "--sort=colour: no column; write one of run, model, task, date, trials" in refused(
        capsys, runs, "--sort=colour"
    )


def test_json_is_a_list_of_summaries(runs: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--format=json is a list of named summaries, each as it would be written today."""
    whole = json.loads((run / "summary.json").read_text(encoding="ascii"))
    assert json.loads(printed(capsys, run, "--format=json")) == [whole]
    names = [summary["run"]["id"] for summary in json.loads(printed(capsys, runs, "--format=json"))]
    assert names == ["gpt-4.1.jsonl", "2026-11-22T00-31-05_o4-mini", "killed"]


def test_markdown_of_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The markdown of a run is a heading, a table, and what a terminal shows of it folded in."""
    out = printed(capsys, run, "--format=markdown")
    assert out.startswith("## `2026-11-22T00-31-05_o4-mini`\n\n- `all 10 answered`\n\n| model | task |")
    assert "| `o4-mini` | `arithmetic` | `2026-11-22` | 9 | 66.7 (35.4-87.9) |" in out
    assert "- `o4-mini, integer_addition`: `nan: 1 unreadable`\n" in out
    assert out.count("<details><summary>") == out.count("\n</details>\n") == 4
    assert out.count("```text\n") == 3
    assert ["int_add", "3", "3", "0", "66.7"] in [line.split() for line in out.splitlines()]


def test_markdown_of_many_runs(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The markdown of many runs is the table alone: a job's summary has no room for more."""
    out = printed(capsys, runs, "--format=markdown", "--sort=model")
    assert out.startswith("## `3 runs`\n")
    assert "- `gpt-4.1, arithmetic`: `gpt-4.1.jsonl; lacks 2 of 4 cells" in out
    assert "<details>" not in out


@pytest.mark.parametrize("layout", ["terminal", "markdown", "json", "csv"])
def test_hostile_names_are_shown_and_not_obeyed(
    tmp_path: Path, layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a terminal nor a browser nor a spreadsheet sees more in a name than a name."""
    log_in(tmp_path / "run", [asked("{}") | {"model": HOSTILE}, asked("7", trial=1) | {"model": "=1+1"}])
    options = ["--spreadsheet"] if layout == "csv" else []
    out = printed(capsys, tmp_path / "run", f"--format={layout}", *options)
    assert not {"\x1b", "\u202e"} & set(out)
    if layout == "markdown":
        table = [line for line in out.splitlines() if line.startswith("|")]
        assert {line.count("|") for line in table} == {12, 5}  # results, and items below them
        assert "<img" not in out.replace(code(HOSTILE), "").split("```")[0].split("<details>", 1)[1]
    if layout == "csv":
        assert [row["model"][:2] for row in rows(out)] == ["<i", "'="]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("o4-mini", "`o4-mini`"),
        ("a`b", "``a`b``"),
        ("``", "``` `` ```"),
        ("a|b", r"`a\x7cb`"),
        (" a", "`  a `"),
        ("", "`  `"),
        ("a\nb", r"`a\nb`"),
    ],
)
def test_code_ends_where_we_end_it(text: str, shown: str) -> None:
    """Code in markdown is fenced by more backticks than stand together in it, so that it cannot end itself."""
    assert code(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "true"),
        (0.5, "0.5"),
        (-3, "-3"),
        ("-12.50", "-12.50"),
        ("1.2e-05", "1.2e-05"),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "  '=1"),
        ("\t=1", r"\t=1"),
        ("\r\n=1", r"\r\n=1"),
        ("＝1", "'＝1"),
        ("a; =1", "a; '=1"),
        ("a=1", "a=1"),
        ("\x1b[2J", r"\x1b[2J"),
    ],
)
def test_cells_are_no_formulas(value: Any, shown: str) -> None:
    """Numbers stay numbers, and what a spreadsheet would obey is text, whatever hides it."""
    assert cell(value, spreadsheet=True) == shown


def test_one_sequence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its program, terms and the evidence of its judges, of every model that was asked for it."""
    log_in(tmp_path / "a", [programmed("A000045"), programmed("A000040"), asked("{}")])
    log_in(tmp_path / "b", [programmed("A000045", "gpt-4o")])
    out = printed(capsys, tmp_path, "--sequence=a000045")
    assert [line for line in out.splitlines() if "A000045" in line] == ["A000045 of starter: A sequence."] * 2
    assert out.startswith("a\nA000045")
    assert "\n\nb\nA000045" in out
    for shown in ("  1  print(input())", "static judge: no lookup table", "  no long literal", "gpt-4o: deviate"):
        assert shown in out.splitlines()
    assert "A000040" not in out
    assert "gpt-4o" not in printed(capsys, tmp_path, "--sequence=A000045", "--model=o4-mini")


def test_a_sequence_that_nobody_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line names those that there are; other layouts have no place for one."""
    log_in(tmp_path / "a", [programmed("A000045"), programmed("A000040")])
    said = refused(capsys, tmp_path, "--sequence=A7")
    assert "--sequence=A7: no such sequence in these runs; there are A000040, A000045\n" in said
    assert "a sequence is shown as text" in refused(capsys, tmp_path, "--sequence=A000045", "--format=csv")
    log_in(tmp_path / "b", [asked("{}")])
    assert "there are no sequences in these runs" in refused(capsys, tmp_path / "b", "--sequence=A7")


def test_a_file_is_written_and_with_force_again(tmp_path: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It holds what would have been printed; no file of a run is ever replaced."""
    target = tmp_path / "report.md"
    expected = printed(capsys, run, "--format=markdown")
    for again in ([], ["--force"]):
        assert printed(capsys, run, "--format=markdown", f"--output={target}", *again) == ""
        assert target.read_text(encoding="utf-8") == expected
    assert "the file exists; name another or add --force" in refused(capsys, run, f"--output={target}")
    for name in ("trials.jsonl", "summary.json"):
        assert "one of the files to read" in refused(capsys, run, f"--output={run / name}", "--force")


def test_a_page_of_many_runs(tmp_path: Path, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is a file, of what was chosen, and takes the place of no record."""
    page = tmp_path / "report.html"
    assert printed(capsys, runs, "--format=html", f"--output={page}", "--model=gpt-*") == ""
    shown = page.read_text(encoding="utf-8")
    assert ("gpt-4o" in shown, "integer_addition" in shown) == (True, False)
    assert "name it with --output=report.html" in refused(capsys, runs, "--format=html")
    assert "no trial of model o3" in refused(capsys, runs, "--format=html", f"--output={page}", "--model=o3", "--force")
    log = runs / "killed" / "trials.jsonl"
    assert "one of the files to read" in refused(capsys, runs, "--format=html", f"--output={log}")
    assert "cannot be written" in refused(capsys, runs, "--format=html", f"--output={tmp_path / 'no' / 'page.html'}")


def test_the_page_of_a_run_is_written_over_with_force(
    tmp_path: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else it stays as it was, and one line says what to do."""
    page = run / "report.html"
    page.write_text("as the run made it", encoding="utf-8")
    told = refused(capsys, run, "--format=html", f"--output={page}")
    assert told == f"llmarith report: --output {page}: the file exists; name another or add --force\n"
    assert page.read_text(encoding="utf-8") == "as the run made it"
    assert printed(capsys, run, "--format=html", f"--output={page}", "--force") == ""
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_is_no_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a folder holds no run, one line says so and tells what to name instead."""
    assert "no run in this folder; name a run's folder" in refused(capsys, tmp_path)


def test_a_run_without_a_trial(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was killed at once, which is no reason not to show it."""
    log_in(tmp_path / "run", [])
    for layout in ("terminal", "markdown", "csv"):
        assert "0 answered" in printed(capsys, tmp_path / "run", f"--format={layout}") or layout == "csv"


def test_the_width_of_the_terminal_counts(run: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """A report is as wide as the terminal at most, like the tables at the end of a run."""
    monkeypatch.setenv("COLUMNS", "80")
    assert shutil.get_terminal_size().columns == 80
    assert max(map(len, printed(capsys, run).splitlines())) <= 80


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the replies of real models are not here")
def test_the_example_in_the_documents(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The table of thirteen published runs is the one that is printed."""
    monkeypatch.setenv("COLUMNS", "150")
    command = "$ COLUMNS=150 llmarith report transcripts/ --min-depth=5 --sort=correct\n"
    _, example = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8").split(command)
    assert printed(capsys, TRANSCRIPTS, "--min-depth=5", "--sort=correct") == example.split("```")[0]


def test_conditions_are_told_apart_in_every_layout(conditions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row is of one condition and says of which; so do the tables below it."""
    table = rows(printed(capsys, conditions, "--format=csv"))
    assert [(row["condition"], row["correct"], row["measured"]) for row in table] == [
        ("", "2", "2"),
        ("numbers_comma", "0", "4"),
    ]
    markdown = printed(capsys, conditions, "--format=markdown")
    assert "| `o4-mini` | `arithmetic, numbers_comma` |" in markdown
    assert "<summary>o4-mini, arithmetic, numbers_comma</summary>" in markdown
    terminal = printed(capsys, conditions)
    spending, anatomy = terminal.split("how answers deviate")
    assert "\nnumbers_comma  sum " in spending
    assert anatomy.splitlines()[3].strip() == "numbers_comma"
