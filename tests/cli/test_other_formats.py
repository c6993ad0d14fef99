"""Runs in the formats of other tools, and logs of other tools as runs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.records import as_dict
from pytest_llmarith.results.loaded import load_all_runs
from tests.runs_on_disk import ROW, added, asked, programmed, run_in, said, searched

Captured = pytest.CaptureFixture[str]
_SENT = {
    "model": "openai/o4-mini",
    "api_base": None,
    "messages": said("prompt"),
    "params": {"temperature": 0},
}


_BRIEF = {"role": "system", "content": "Be brief."}
_SHOTS = [*said("1 + 1"), {"role": "assistant", "content": "2"}, *said("2 + 3")]
_BASE_TEXT = "Be brief.\n\nQuestion: 1 + 1\nAnswer: 2\n\nQuestion: 2 + 3\nAnswer:"
# A prompt, what was sent for it, and the same as one text.
_ASKED: dict[str, tuple[Any, Any, str]] = {
    "the prompt": (said("2 + 3"), said("2 + 3"), "2 + 3"),
    "with the system prompt of a run": (
        said("2 + 3"),
        [_BRIEF, *said("2 + 3")],
        "system: Be brief.\n\nuser: 2 + 3",
    ),
    "with it in place of the task's": (
        [{"role": "system", "content": "Think."}, *said("2 + 3")],
        [_BRIEF, *said("2 + 3")],
        "system: Be brief.\n\nuser: 2 + 3",
    ),
    "without the task's": (
        [{"role": "system", "content": "Think."}, *said("2 + 3")],
        said("2 + 3"),
        "2 + 3",
    ),
    "examples": (
        _SHOTS,
        [_BRIEF, *_SHOTS],
        "system: Be brief.\n\nuser: 1 + 1\n\nassistant: 2\n\nuser: 2 + 3",
    ),
    "a base model": ([_BRIEF, *_SHOTS], said(_BASE_TEXT), _BASE_TEXT),
    "not known": (said("2 + 3"), None, "2 + 3"),
}


def some_trials() -> list[dict[str, Any]]:
    """Of three tasks: thoughts, a refusal, a large number, hostile text, no reply."""
    trials = [
        asked("{}", sent=_SENT, reasoning="first 5, then 7", finish_reason="stop"),
        asked("x" * 4000, depth=10, trial=1),
        asked("</script>\x1b[2J \u2028 {}", trial=2, finish_reason="length"),
        asked("I cannot help with that.", trial=3),
        asked(None, trial=4),
        asked("7", trial=5) | {"repeat": 2},
        added("{}"),
        programmed("A000040"),
    ]
    for trial in trials:
        trial["prompt"] = said("prompt")
    return trials


def kept(path: Path) -> dict[str, Any]:
    """The records of runs, by their item."""
    runs = load_all_runs([path], print)
    records = [as_dict(record) for run in runs for record in run.records()]
    return {one["nodeid"] + str(one["repeat"]): one for one in records}


def exported(run: Path, form: str, folder: Path, *more: str) -> Path:
    assert (
        main(["export", str(run), f"--format={form}", f"--output={folder}", *more]) == 0
    )
    return folder


def test_a_log_of_inspect_gives_the_same_records(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run", some_trials())
    logs = exported(run, "inspect", tmp_path / "logs")
    assert len(list(logs.iterdir())) == 3
    assert kept(logs) == kept(run)


@pytest.mark.parametrize("system", [None, "1"])
@pytest.mark.parametrize("kind", _ASKED)
def test_what_was_sent_is_the_input(
    kind: str, system: str | None, tmp_path: Path
) -> None:
    """In every format, with the system prompt; the records come back unchanged."""
    prompt, messages, text = _ASKED[kind]
    prefix = "text-completion-" if kind == "a base model" else ""
    sent = messages and _SENT | {
        "model": f"{prefix}openai/o4-mini",
        "messages": messages,
    }
    trials = [asked("{}", trial=number, sent=sent) for number in range(2)]
    for trial in trials:
        trial["prompt"] = prompt
        trial["condition"] |= {"numbers": "comma", "system": system}
    run = run_in(tmp_path / "run", trials)
    logs = exported(run, "inspect", tmp_path / "logs")
    assert kept(logs) == kept(run)
    (file,) = logs.iterdir()
    for sample in json.loads(file.read_bytes())["samples"]:
        for found in (sample["input"], sample["events"][0]["input"]):
            told = [{"role": one["role"], "content": one["content"]} for one in found]
            assert told == (messages or prompt)
    (file,) = exported(run, "eee", tmp_path / "store").rglob("*.jsonl")
    lines = file.read_text("ascii").splitlines()
    assert [json.loads(line)["input"]["raw"] for line in lines] == [text] * 2
    folder = exported(run, "hf", tmp_path / "set", "--dataset=me/sums")
    rows = parquet.read_table(folder / "data" / "trials.parquet")
    assert rows.column("prompt").to_pylist() == [text] * 2


def test_rows_of_another_program_have_no_prompts(
    tmp_path: Path, capsys: Captured
) -> None:
    (file := tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n", "ascii")
    arguments = ["export", str(file), "--format=inspect", f"--output={tmp_path / 'a'}"]
    assert main(arguments) == WRONG_USAGE
    assert "prompts are not known" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


def test_what_readers_of_inspect_need(tmp_path: Path) -> None:
    """Its fields for the outcome, the interval, the reason and the reply."""
    run = run_in(tmp_path / "run", some_trials())
    logs = exported(run, "inspect", tmp_path / "logs")
    (file,) = logs.glob("*_arithmetic_*.json")
    log = json.loads(file.read_bytes())
    assert log["status"] == "error"  # a question has no reply
    assert log["eval"]["model"] == "openai/o4-mini"
    (scores,) = log["results"]["scores"]
    metrics = scores["metrics"]
    low, high = (metrics[f"accuracy_{end}"]["value"] for end in ("low", "high"))
    assert low < metrics["accuracy"]["value"] < high
    first, long, _, refused, unanswered, _ = log["samples"]
    assert first["output"]["choices"][0]["message"]["content"][0] == {
        "type": "reasoning",
        "reasoning": "first 5, then 7",
    }
    assert first["scores"]["llmarith"]["value"] == "C"
    assert long["scores"]["llmarith"]["value"] == "N"
    assert refused["scores"]["llmarith"]["reason"] == "refusal"
    assert unanswered["error"]["message"] == "timeout"
    assert "scores" not in unanswered


def test_every_eval_has_intervals_and_a_digest(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run", some_trials())
    folder = exported(run, "eee", tmp_path / "data store")
    (file,) = (folder / "data" / "arithmetic").rglob("*.json")
    figures = json.loads(file.read_bytes())
    detail = figures["detailed_evaluation_results"]
    trials = (folder / detail["file_path"]).read_bytes()
    assert hashlib.sha256(trials).hexdigest() == detail["checksum"]
    assert len(trials.splitlines()) == detail["total_rows"] == 6
    accuracy = figures["evaluation_results"][0]["score_details"]
    interval = accuracy["uncertainty"]["confidence_interval"]
    assert interval["lower"] < accuracy["score"] < interval["upper"]
    again = exported(run, "eee", tmp_path / "again")
    assert [one.name for one in again.rglob("*.json")] == [
        one.name for one in folder.rglob("*.json")
    ]


def test_a_dataset_of_the_hub(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run", some_trials())
    folder = exported(run, "hf", tmp_path / "set", "--dataset=me/sums")
    assert (folder / "data" / "trials.parquet").stat().st_size
    (file,) = (folder / "models").rglob("*.yaml")
    assert file.relative_to(folder).parts[1:3] == ("o4-mini", ".eval_results")
    first = json.loads(file.read_text("utf-8"))[0]
    assert first["dataset"] == {"id": "me/sums", "task_id": "arithmetic"}
    assert first["notes"].startswith("no-tools; 95 % interval ")
    assert "| o4-mini | arithmetic |" in (folder / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format=inspect"], "add --output=FOLDER"),
        (["--format=eee", "--output=new", "--force"], "and no other option"),
        (["--format=hf", "--output=new"], "--dataset=OWNER/NAME"),
        (["--format=hf", "--output=new", "--dataset=x"], "write OWNER/NAME"),
        (["--format=eee", "--output=new", "--dataset=a/b"], "goes with --format=hf"),
        (["--format=inspect", "--output=run"], "this exists; name a new folder"),
    ],
)
def test_wrong_usage(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    monkeypatch.chdir(tmp_path)
    run_in(tmp_path / "run", some_trials())
    assert main(["export", "run", *arguments]) == WRONG_USAGE
    assert said in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["run"]


def test_searches_are_left_out(tmp_path: Path, capsys: Captured) -> None:
    run = run_in(tmp_path / "run", [searched()])
    logs = exported(run, "inspect", tmp_path / "logs")
    assert list(logs.iterdir()) == []
    assert (
        "searches have no accuracy: o4-mini, breaking_point" in capsys.readouterr().err
    )


# --- logs of other tools --------------------------------------------------------------


def sample(
    question: object, target: str, reply: str | None, **more: Any
) -> dict[str, Any]:
    """A sample as inspect writes it, as far as it is read."""
    message = {"role": "assistant", "content": reply}
    choices = [] if reply is None else [{"message": message, "stop_reason": "stop"}]
    usage = {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}
    return {
        "id": 1,
        "epoch": 1,
        "input": question,
        "target": target,
        "messages": [],
        "output": {"model": "m", "choices": choices, "usage": usage},
        "scores": {"match": {"value": "C"}},
        "metadata": {},
    } | more


def inspect_log(file: Path, *samples: dict[str, Any]) -> Path:
    log = {"version": 2, "status": "success", "eval": {"model": "openai/o4-mini"}}
    file.write_text(json.dumps(log | {"samples": samples}), "utf-8")
    return file


def harness_log(folder: Path, *samples: tuple[str, str, str]) -> Path:
    """As lm-evaluation-harness logs samples, as far as it is read."""
    folder.mkdir()
    lines = []
    for number, (question, target, reply) in enumerate(samples):
        one = {
            "doc_id": number,
            "doc": {},
            "target": target,
            "arguments": {"gen_args_0": {"arg_0": question, "arg_1": {}}},
            "resps": [[reply]],
            "metrics": ["exact_match"],
            "exact_match": 1.0,
        }
        lines.append(json.dumps(one) + "\n")
    file = folder / "samples_sums_2026-11-22T00-31-05.jsonl"
    file.write_text("".join(lines), "utf-8")
    return file


def test_a_log_of_inspect_is_graded_again(tmp_path: Path, capsys: Captured) -> None:
    """A wrong reply that its own scorer took for right is seen."""
    inspect_log(
        tmp_path / "log.json",
        sample("What is 12 + 30?", "42", "It is 42."),
        sample([{"role": "user", "content": "84 / 7 = ?"}], "12", "13"),
        sample("1.5 * 3", "4.5", None),
    )
    outcomes = [one.outcome for one in load_all_runs([tmp_path], print)[0].records()]
    assert outcomes == ["correct", "deviate", "unanswered"]
    assert main(["regrade", str(tmp_path / "log.json")]) == 0
    assert "correct" in capsys.readouterr().out


def test_samples_of_the_harness_are_graded_again(tmp_path: Path) -> None:
    """Of few-shot prompts the last question counts; the folder names the model."""
    shots = "Q: 1 + 1\nA: 2\nQ: What is 53 + 45?\nA:"
    file = harness_log(
        tmp_path / "me__small", (shots, " 98", " 98"), ("2 - 5 =", "-3", "3")
    )
    records = list(load_all_runs([file], print)[0].records())
    assert [(one.model, one.outcome) for one in records] == [
        ("me/small", "correct"),
        ("me/small", "deviate"),
    ]
    assert [one.problem.variant for one in records] == ["int_add", "int_sub"]


TURNS = [{"role": "user", "content": "1 + 1"}, {"role": "assistant", "content": "2"}]
CALLS = {"role": "user", "content": "1 + 1", "tool_calls": [{"id": "a"}]}


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (sample("Who?", "me", "you"), "asks for no calculation"),
        (sample("2 + 2", "5", "5"), "is not its exact result, 4"),
        (sample("2 / 0", "0", "0"), "is not its exact result"),
        (sample("1 + 1", "2", "2", choices=["2", "3"]), "offers choices"),
        (sample(TURNS, "2", "2"), "several turns"),
        (sample([CALLS], "2", "2"), "calls tools"),
        (sample(7, "2", "2"), "TypeError"),
        ({"metadata": {"llmarith": 7}}, "sample 2: "),
        ({"metadata": {"llmarith": {"reply": None}}, "input": []}, "format"),
        (sample(f"{'9' * 5000} + 1", "2", "2"), "sample 2: "),
    ],
)
def test_other_samples_are_refused_in_a_line(
    bad: dict[str, Any], said: str, tmp_path: Path, capsys: Captured
) -> None:
    file = inspect_log(tmp_path / "log.json", sample("1 + 1", "2", "2"), bad)
    assert main(["report", str(file)]) == WRONG_USAGE
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_packed_log_is_refused_with_the_command(
    tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "log.eval"
    file.write_bytes(b"PK\x03\x04...")
    assert main(["report", str(file)]) == WRONG_USAGE
    assert "inspect log convert --to json" in capsys.readouterr().err


def test_a_run_log_is_read_as_nothing_else(tmp_path: Path, capsys: Captured) -> None:
    """A log of inspect is read as a whole, a run log by lines of a limited length."""
    inspect_log(tmp_path / "trials.jsonl", sample("1 + 1", "2", "2"))
    assert main(["report", str(tmp_path / "trials.jsonl")]) == WRONG_USAGE
    assert "line 1" in capsys.readouterr().err


def test_two_logs_are_compared(tmp_path: Path, capsys: Captured) -> None:
    """Theirs against a file of llm_arithmetic, question by question."""
    log = inspect_log(tmp_path / "log.json", sample("Compute 123 + 456", "579", "578"))
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(ROW) + "\n", "ascii")
    assert main(["compare", str(rows), str(log)]) == 0
    assert "paired: 1" in capsys.readouterr().out
