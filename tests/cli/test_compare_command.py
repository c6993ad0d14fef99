"""`llmarith compare`, as people use it: what it prints, what it refuses in which words, and README's example."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.cli.compare import WORSE
from pytest_llmarith.values import Condition, NumberFormat
from tests.runs_on_disk import ROW, asked, lines_of, log_in, programmed, run_in

ROOT = Path(__file__).parents[2]
TRANSCRIPTS = ROOT.parent / "shared" / "transcripts"
STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d")
PROGRAMS = {
    "pytest": [sys.executable, "-m", "pytest"],
    "llmarith": [sys.executable, "-c", "from pytest_llmarith.cli import main; raise SystemExit(main())"],
}

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are named as they are from where they lie."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def sums(right: int, wrong: int, **facts: Any) -> list[dict[str, Any]]:
    """Trials of which the first ones are wrong."""
    return [asked("1" if trial < wrong else "{}", trial=trial, **facts) for trial in range(right + wrong)]


def refused(capsys: Captured, *arguments: str) -> str:
    """What is said of a comparison that is not made: one line."""
    assert main(["compare", *arguments]) == WRONG_USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("llmarith compare: ")
    assert err.count("\n") == 1
    return err


def in_commas(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same problems with numbers in groups, which makes other prompts."""
    commas = Condition(NumberFormat.COMMA).fields()
    other = {"condition": commas, "prompt": "the same, in groups"}
    return [record | other | {"nodeid": f"{record['nodeid']}-numbers_comma"} for record in records]


def test_conditions_of_one_run_are_compared(capsys: Captured) -> None:
    """Each problem with itself, whatever its prompt; the names of the conditions stand where those of models do."""
    run_in(Path("run"), sums(40, 0) + in_commas(sums(28, 12)))
    assert main(["compare", "run", "--condition=usual:numbers_comma", "--fail-if-worse=5"]) == WORSE
    out, err = capsys.readouterr()
    assert out.splitlines()[:4] == [
        "A: run, o4-mini, usual",
        "B: run, o4-mini, numbers_comma",
        "paired: 40 questions; without a pair in A 0, in B 0; unanswered in A 0, in B 0",
        "differing: condition (usual and numbers_comma)",
    ]
    assert "over all     40  100.0  70.0  -30.0" in out
    assert "run, o4-mini, numbers_comma, over all: 30.0 points lower than o4-mini, usual (" in err


def test_a_condition_of_two_runs_is_compared(capsys: Captured) -> None:
    """Of both runs the trials in this one alone, and of several models each with the one of its name."""
    for name, wrong in (("old", 0), ("new", 10)):
        others = [sums(10, 10), sums(10, 10, model="gpt-4o"), in_commas(sums(20, 0, model="gpt-4o"))]
        run_in(Path(name), [*in_commas(sums(20 - wrong, wrong)), *(record for other in others for record in other)])
    assert main(["compare", "old", "new", "--condition=numbers_comma", "--format=json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["comparisons"]
    assert [first["first"]["condition"], first["second"]["condition"]] == ["numbers_comma"] * 2
    assert [row["difference"]["points"] for one in (first, second) for row in one["rows"]] == [-50.0, 0.0]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (
            "usual:context_2k",
            "--condition=usual:context_2k: o4-mini in run was asked nothing in a condition 'context_2k'; write "
            "--condition=A:B, where A and B are of numbers_comma, usual",
        ),
        ("usual", "--condition=usual: one run is named, so name two conditions of it: A:B"),
    ],
)
def test_conditions_that_are_not_there(capsys: Captured, condition: str, said: str) -> None:
    """A condition that no trial has is refused with one line that names those that there are."""
    run_in(Path("run"), sums(2, 0) + in_commas(sums(2, 0)))
    assert said in refused(capsys, "run", f"--condition={condition}")


def test_runs_are_compared(capsys: Captured) -> None:
    """What differed, how many questions were paired, and by how much the second is worse."""
    run_in(Path("old"), sums(40, 0), seed=0)
    run_in(Path("new"), sums(30, 10), seed=0, versions={"python": "3.12.1"})
    assert main(["compare", "old", "new"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[:4] == [
        "A: old, o4-mini",
        "B: new, o4-mini",
        "paired: 40 questions; without a pair in A 0, in B 0; unanswered in A 0, in B 0",
        "differing: versions.python (3.11.7 and 3.12.1)",
    ]
    assert "over all     40  100.0  75.0  -25.0  -40.2 to -11.1       0     10  0.0020  *" in out


def test_a_worse_run_fails(capsys: Captured) -> None:
    """Exit status 1, a line per failure on stderr, and the tables all the same."""
    run_in(Path("old"), sums(40, 0))
    run_in(Path("new"), sums(30, 10))
    assert main(["compare", "old", "new", "--fail-if-worse=5"]) == WORSE
    out, err = capsys.readouterr()
    assert "over all" in out
    assert err.startswith("llmarith compare: new, o4-mini, over all: 25.0 points lower than old")
    assert err.count("\n") == 1
    assert main(["compare", "new", "old", "--fail-if-worse=5"]) == 0


def test_a_run_with_outages_fails(capsys: Captured) -> None:
    """Unless as many unanswered questions are allowed."""
    run_in(Path("old"), sums(40, 0))
    run_in(Path("new"), [*sums(39, 0), asked(None, trial=39)])
    assert main(["compare", "old", "new", "--fail-if-worse=5"]) == WORSE
    assert "1 unanswered, 0 are allowed" in capsys.readouterr().err
    assert main(["compare", "old", "new", "--fail-if-worse=5", "--allow-unanswered=1"]) == 0


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_other_formats(form: str, capsys: Captured) -> None:
    """--format writes JSON for programs, and markdown for the summary of a job."""
    run_in(Path("old"), [programmed("A000001"), programmed("A000002")])
    run_in(Path("new"), [programmed("A000001"), programmed("A000002", scores={"0.5": 1.0, "4": 1.0})])
    assert main(["compare", "old", "new", f"--format={form}"]) == 0
    out = capsys.readouterr().out
    if form == "json":
        (comparison,) = json.loads(out)["comparisons"]
        assert comparison["scores"][1]["difference"]["points"] == pytest.approx(16.665)
    else:
        assert "| `starter, 4 s` | 2 | 2 | 66.7 | 83.3 | +16.7 |" in out


def test_two_models_of_one_run(capsys: Captured) -> None:
    """They were asked the same, and are named by --model."""
    run_in(Path("run"), sums(9, 1) + sums(4, 6, model="gpt-4o"))
    assert main(["compare", "run", "--model=o4-mini:gpt-4o"]) == 0
    out = capsys.readouterr().out
    assert "differing: model (o4-mini and gpt-4o)" in out
    assert "over all     10  90.0  40.0  -50.0" in out
    assert "it holds o4-mini, gpt-4o" in refused(capsys, "run")


def test_a_folder_of_runs_beside_one_of_them(capsys: Captured) -> None:
    """Every run in it but the baseline; all of them stand in a row each."""
    for name, wrong in (("a", 0), ("b", 2), ("c", 4)):
        run_in(Path("runs") / name, sums(10 - wrong, wrong))
    assert main(["compare", "runs/a", "runs"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[:4] for line in out.splitlines() if line[:2] in ("b ", "c ")] == [
        ["b", "10", "100.0", "80.0"],
        ["c", "10", "100.0", "60.0"],
    ]
    assert "the baseline is one run, and here are 3; name one" in refused(capsys, "runs", "runs/a")


def test_a_killed_run_is_compared(capsys: Captured) -> None:
    """Its log has what was answered, and nobody knows its facts."""
    run_in(Path("old"), sums(10, 0))
    log_in(Path("new"), sums(5, 0), end='{"task": "ari')
    assert main(["compare", "old", "new/trials.jsonl"]) == 0
    out = capsys.readouterr().out
    assert "paired: 5 questions; without a pair in A 5, in B 0" in out
    assert "B says nothing of versions and parameters" in " ".join(out.split())


def test_rows_of_llm_arithmetic(capsys: Captured) -> None:
    """They are compared by what they asked; the replies are read and graded by today's rules."""
    wrong = ROW | {"model": "gpt-4o", "raw_response": "578", "classification": "Deviate"}
    Path("a.jsonl").write_text(lines_of([ROW]), encoding="ascii")
    Path("b.jsonl").write_text(lines_of([wrong]), encoding="ascii")
    Path("c.jsonl").write_text(lines_of([ROW | {"operands": [1, 578]}]), encoding="ascii")
    assert main(["compare", "a.jsonl", "b.jsonl"]) == 0
    assert "over all      1  100.0  0.0  -100.0" in capsys.readouterr().out
    said = "a.jsonl and c.jsonl: no two trials asked the same question, as no seed is known of them"
    assert said in refused(capsys, "a.jsonl", "c.jsonl")
    assert main(["compare", "a.jsonl", "c.jsonl", "--unpaired"]) == 0
    assert "not paired, as A and B did not ask the same questions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none", "old"], "none: cannot be read"),
        (["old", "none"], "none: cannot be read"),
        (["old"], "one run is compared with itself by --model=A:B"),
        (["old", "old", "--model=x"], "--model=x: no such models"),
        (["old", "old", "--fail-if-worse=-2"], "'-2' is no number of percentage points from 0 to 100; write 2 or 2.5"),
        (["old", "old", "--fail-if-worse=2", "--allow-unanswered=some"], "--allow-unanswered: 'some' is no number"),
        (["old", "old", "--fail-if-worse=2", "--allow-unanswered=-1"], "--allow-unanswered: '-1' is no number"),
        (["old", "old", "--fail-if-worse=2", "--allow-unanswered="], "--allow-unanswered: '' is no number"),
        (["old", "old", "--allow-unanswered=5"], "add --fail-if-worse=POINTS"),
        (["old", "other", "--unpaired", "--fail-if-worse=2", "--allow-unanswered=5"], "no variant and depth"),
        (["old", "empty/trials.jsonl", "--fail-if-worse=2", "--allow-unanswered=5"], "there is no trial in it"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], said: str, capsys: Captured) -> None:
    """Wrong usage is one line: what is wrong, and what to write instead."""
    run_in(Path("old"), sums(2, 0))
    run_in(Path("other"), sums(2, 0, depth=5))
    log_in(Path("empty"), [])
    assert said in refused(capsys, *arguments)


@pytest.mark.parametrize("arguments", [[], ["x", "y", "--format=html"]])
def test_options_that_are_none(arguments: list[str], capsys: Captured) -> None:
    """The parser refuses them, with the same status."""
    with pytest.raises(SystemExit) as left:
        main(["compare", *arguments])
    assert left.value.code == WRONG_USAGE
    assert capsys.readouterr().err.count("\n") == 1


def test_unseeded_transcripts_are_refused(capsys: Captured) -> None:
    """gpt-4.1 and gpt-4o-mini were asked other questions; as two groups their difference has an interval."""
    files = [str(TRANSCRIPTS / f"{name}.jsonl") for name in ("gpt-4.1", "gpt-4o-mini")]
    if not TRANSCRIPTS.is_dir():
        pytest.skip("there are no transcripts here")
    assert "--unpaired" in refused(capsys, *files)
    assert main(["compare", *files, "--unpaired"]) == 0
    out = capsys.readouterr().out
    assert "not paired, as A and B did not ask the same questions" in out
    assert re.search(r"over all +720 +54\.7 +720 +41\.8 +-12\.9 +-15\.7 to -10\.2 +<0\.0001 +\*", out)


def test_the_example_of_the_readme(tmp_path: Path) -> None:
    """Its commands print what stands there, but for the times of the runs, and exit as it says."""
    section = (ROOT / "README.md").read_text("utf-8").split("## Comparing")[1]
    block = section.split("```console\n")[1].split("```")[0]
    commands = [shlex.split(line[2:]) for line in block.splitlines() if line.startswith("$ ")]
    printed = block.split("\n", len(commands))[-1]
    (tmp_path / "pytest.ini").touch()
    shutil.copytree(ROOT / "benches", tmp_path / "benches")
    runs = [started(command, tmp_path) for command in commands[:-1]]
    assert [run.wait() for run in runs] == [0, 0]
    compared = started(commands[-1], tmp_path)
    out, err = compared.communicate()
    assert STARTED.sub("", out) == STARTED.sub("", printed)
    assert compared.returncode == WORSE
    assert [line.split(", ")[2].split(":")[0] for line in err.splitlines()] == ["over all", "int_mul", "int_div"]


def started(command: list[str], folder: Path) -> subprocess.Popen[str]:
    """A command as a shell would start it there."""
    return subprocess.Popen(
        [*PROGRAMS[command[0]], *command[1:]],
        cwd=folder,
        stdout=subprocess.PIPE if command[0] == "llmarith" else subprocess.DEVNULL,
        stderr=subprocess.PIPE if command[0] == "llmarith" else subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
