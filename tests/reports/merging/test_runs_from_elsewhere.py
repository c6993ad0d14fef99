"""Runs that somebody else wrote, or broke: hostile lines, records and summaries are refused in one line."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests.reports.merging.runs import FACTS, Folder, Make


def test_a_killed_run(folder: Folder, trials: Any) -> None:
    """A killed run is refused whatever the options, as nobody knows what it was to ask."""
    killed = folder.run("killed", trials("cc"))
    (killed / "summary.json").unlink()
    for allowed in (False, True):
        refusal = folder.refusal(killed, allow_missing=allowed, allow_differing=allowed, allow_overlap=allowed)
        assert refusal.startswith(f"{killed}: no summary.json, so it was killed or still runs; the same command ")


def test_a_log_that_lacks_records(folder: Folder, trials: Any) -> None:
    """A torn line is no record; a log that is not what its summary counts was not copied whole."""
    run = folder.run("run", trials("ccc"))
    log = run / "trials.jsonl"
    log.write_bytes(log.read_bytes()[:-40])
    assert folder.refusal(run) == (
        f"{run}: its log holds 2 records, its summary counts 3; copy its files again, or add --allow-missing"
    )
    assert folder.merge(run, allow_missing=True)["answered"] == 2


HOSTILE_LINES = {
    "not JSON": b"{x}\n",
    "not a JSON object": b"[1]\n",
    "nested too deep": b"[" * 100_000 + b"]" * 100_000 + b"\n",
    "can't decode": b'{"a": "\xff"}\n',
    "NaN is no JSON": b'{"format": NaN}\n',
    "the format of the record is not 1": b'{"format": 2}\n',
    "nodeid is not a text": b'{"format": 1, "nodeid": null}\n',
}


@pytest.mark.parametrize(("why", "line"), HOSTILE_LINES.items(), ids=list(HOSTILE_LINES))
def test_a_line_that_is_no_record(folder: Folder, trials: Any, why: str, line: bytes) -> None:
    """A line that is no record is refused with its file, its number and what is wrong with it."""
    run = folder.run("run", trials("cc"))
    with (run / "trials.jsonl").open("ab") as log:
        log.write(line)
    refusal = folder.refusal(run)
    assert refusal.startswith(f"{run / 'trials.jsonl'}, line 3: ")
    assert why in refusal
    assert refusal.endswith("; expected a record of a run")


SEQUENCE = {"set": "starter", "number": "A000045"}
PROGRAM = {"scores": {}, "isolation": {"level": "strict"}, "judges": {"static": None, "llm": None}}
GRADE = {"absolute_error": None, "relative_error": None, "rounded": False}
WRONG_RECORDS: dict[str, dict[str, Any]] = {
    "task is not a text": {"task": 7},
    "model is not a text": {"model": ["o4-mini"]},
    "the outcome is none of ours": {"outcome": "great"},
    "simulated is neither": {"simulated": "no"},
    "the reason is not a text": {"reason": 7},
    "the problem is not a JSON object": {"problem": []},
    "problem.depth is no whole number": {"problem": {"variant": "int_add", "depth": "2"}},
    "problem.int1 is not a text": {"problem": {"int1": 1, "int2": "2"}},
    "problem.set is not a text": {"problem": {"set": None}},
    "the reply is not a JSON object": {"reply": "7"},
    "cost_usd of the reply is missing": {"reply": {}},
    "grade.absolute_error is no number": {"grade": {"absolute_error": "much"}},
    "grade.relative_error is no number": {"grade": {"absolute_error": None, "relative_error": "NaN"}},
    "grade.leading_digits is no count": {
        "grade": {"absolute_error": "1", "relative_error": "1", "rounded": False, "leading_digits": 0.5}
    },
    "problem.number is missing": {"problem": {"set": "starter"}},
    "oeis is not a JSON object": {"problem": SEQUENCE, "grade": None},
    "grade.rounded is missing": {"grade": {"absolute_error": None, "relative_error": None}},
    "grade.dlength is no count": {"grade": GRADE | {"dlength": "long"}},
    "grade.digit_match is no amount": {"grade": GRADE | {"digit_match": None}},
    "grade.error_class is none of ours": {"grade": GRADE | {"error_class": ["carry"]}},
    "oeis.scores does not hold": {
        "problem": SEQUENCE,
        "oeis": {"scores": {"soon": 1}, "isolation": {"level": "strict"}, "judges": {}},
    },
    "oeis.judges.static is no verdict": {
        "problem": SEQUENCE,
        "oeis": {"scores": {}, "isolation": {"level": "strict"}, "judges": {"static": 1}},
    },
    "oeis.terms is no list": {"problem": SEQUENCE, "oeis": PROGRAM | {"terms": 7}},
    "a term is not a JSON object": {"problem": SEQUENCE, "oeis": PROGRAM | {"terms": [7]}},
    "a term has no status or no seconds": {"problem": SEQUENCE, "oeis": PROGRAM | {"terms": [{"status": "ok"}]}},
}


@pytest.mark.parametrize(("why", "wrong"), WRONG_RECORDS.items(), ids=list(WRONG_RECORDS))
def test_a_record_of_wrong_shape(folder: Folder, trials: Any, why: str, wrong: dict[str, Any]) -> None:
    """A record of another shape is refused in one line, and not counted."""
    run = folder.run("run", trials("cc"))
    (run / "trials.jsonl").write_text(json.dumps(trials("c")[0] | wrong) + "\n", encoding="ascii")
    assert f"line 1: {why}" in folder.refusal(run)


@pytest.mark.parametrize("amount", ["much", -1, True, 1e999, 10**400, [1]])
def test_an_amount_that_is_none(folder: Folder, trials: Any, make_reply: Make, amount: Any) -> None:
    """Costs, tokens and seconds are numbers that can be added up."""
    run = folder.run("run", trials("c"))
    record = trials("c")[0] | {"reply": make_reply(completion_tokens=amount)}
    (run / "trials.jsonl").write_text(json.dumps(record).replace("Infinity", "1e999") + "\n", encoding="ascii")
    assert "completion_tokens of the reply is no amount" in folder.refusal(run)


WRONG_SUMMARIES: dict[str, Any] = {
    "not a JSON object": [],
    "the format is not 1": {"format": 2},
    "run is not a JSON object": {"run": 7},
    "run.id is not a text": {"run": FACTS | {"id": 7}},
    "run.versions is not a JSON object": {"run": FACTS | {"id": "r", "versions": None}},
    "run.finished_at is not a time in UTC": {"run": FACTS | {"id": "r", "finished_at": "now"}},
    "run.started_at is not a time in UTC": {"run": FACTS | {"id": "r", "started_at": "2026-11-22T00:00:00"}},
    "run.models is no list of models": {"run": FACTS | {"id": "r", "models": ["o4-mini"]}},
    "run.selected is no count": {"run": FACTS | {"id": "r", "selected": -1}},
    "run.shard is no shard": {"run": FACTS | {"id": "r", "shard": {"index": 6, "count": 5}}},
    "run.asking.requests is no number": {"run": FACTS | {"id": "r", "asking": {"requests": "many"}}},
    "run.asking.retries does not hold numbers": {"run": FACTS | {"id": "r", "asking": {"retries": {"429": "x"}}}},
    "run.asking.throttled is no list of models": {"run": FACTS | {"id": "r", "asking": {"throttled": [{"target": 1}]}}},
    "results is no list of results": {"results": [{"model": "m"}]},
    "answered, unanswered or duplicates is no count": {"answered": "all"},
}


@pytest.mark.parametrize(("why", "wrong"), WRONG_SUMMARIES.items(), ids=list(WRONG_SUMMARIES))
def test_a_summary_of_wrong_shape(folder: Folder, trials: Any, why: str, wrong: Any) -> None:
    """A summary of another shape is refused with its file and what is wrong with it."""
    run = folder.run("run", trials("cc"))
    summary = json.loads((run / "summary.json").read_text(encoding="ascii"))
    content = json.dumps(summary | wrong if isinstance(wrong, dict) else wrong)
    (run / "summary.json").write_text(content, encoding="ascii")
    refusal = folder.refusal(run)
    assert refusal.startswith(f"{run / 'summary.json'}: {why}")
    assert refusal.endswith("; expected the summary of a run")


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000], ids=["cut", "no UTF-8", "deep"])
def test_a_summary_that_is_no_json(folder: Folder, trials: Any, content: bytes) -> None:
    """A summary that is no JSON is refused with its file."""
    run = folder.run("run", trials("cc"))
    (run / "summary.json").write_bytes(content)
    assert folder.refusal(run).startswith(f"{run / 'summary.json'}: ")


def test_a_summary_that_would_block(folder: Folder, trials: Any) -> None:
    """A summary that is no regular file is refused, and not opened, as that could block."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    run = folder.run("run", trials("cc"))
    (run / "summary.json").unlink()
    os.mkfifo(run / "summary.json")
    assert "not a regular file" in folder.refusal(run)
