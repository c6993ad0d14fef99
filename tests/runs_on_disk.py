"""Runs as they lie on disk, made of real grades, without a pytest run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pytest_llmarith.evaluate import AskedTrial, unanswered_record
from pytest_llmarith.records import Record, Reply, as_dict, convert
from pytest_llmarith.results.keys import Key, key_of
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.summaries import Run, RunSummary, as_file
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import (
    Dtype,
    Failure,
    Model,
    Op,
    Reading,
    RequestLimits,
    RequestTotals,
)
from tests.asked import number_record
from tests.golden.frozen import summary_of

_EMPTY_RUN: dict[str, Any] = {
    **dict.fromkeys(
        (
            *("selected", "stopped", "exit_status", "shard", "seed", "conditions"),
            "prompt_texts",
        )
    ),
    **dict.fromkeys(
        (
            *("repeats", "search", "baseline", "reading", "store", "strict", "asking"),
            *("limits", "tasks", "merged", "git"),
        )
    ),
    "id": "2026-11-22T00-31-05_o4-mini",
    "started_at": "2026-11-22T00:31:05+00:00",
    "finished_at": "2026-11-22T00:41:05+00:00",
    "partial": False,
    "versions": {"python": "3.11.7"},
}


def run_facts(**named: Any) -> dict[str, Any]:
    """What a summary says of its run; what is not named is not known."""
    facts = _EMPTY_RUN | {"models": [{"name": "o4-mini"}]} | named
    facts["models"] = [
        {"target": f"openai/{model['name']}"} | model for model in facts["models"]
    ]
    facts["limits"] = facts["limits"] and asdict(RequestLimits()) | facts["limits"]
    facts["asking"] = facts["asking"] and asdict(RequestTotals()) | facts["asking"]
    return facts


# A row of llm_arithmetic.
ROW = {
    "model": "gpt-4.1",
    "variant": "int_add",
    "depth": 3,
    "operands": [123, 456],
    "correct": 579,
    "raw_response": "579",
    "parsed": 579,
    "classification": "Correct",
    "error": None,
    "tokens": {"prompt_tokens": 27, "completion_tokens": 2},
    "cost": 0.0001,
    "timestamp": "2025-05-12T01:17:51.432406Z",
}


FACTS = run_facts()


def record_of(facts: Mapping[str, Any]) -> Record:
    """The record that builtins describe."""
    return convert(facts, Record)


def summed_up(
    records: Iterable[Mapping[str, Any]],
    run: Mapping[str, Any] | None = None,
    selected: Mapping[Key, int] | None = None,
) -> RunSummary:
    """The summary of records."""
    summary = Summary()
    for record in records:
        summary.add(record_of(record))
    return summary.of_run(convert(run_facts(**(run or {})), Run), selected)


def counted(
    records: Iterable[Mapping[str, Any]],
    run: Mapping[str, Any] | None = None,
    selected: Mapping[Key, int] | None = None,
) -> dict[str, Any]:
    """The same in the shape of the frozen rows."""
    text = json.dumps(as_file(summed_up(records, run, selected)))
    return summary_of(text.encode())


def asked(
    text: str | None,
    depth: int = 3,
    trial: int = 0,
    dtype: Dtype = Dtype.INT,
    op: Op = Op.ADD,
    **facts: Any,
) -> dict[str, Any]:
    """The record of an arithmetic trial with this reply, in which `{}` stands for the
    right answer.
    """
    return _recorded(
        arithmetic.problem(0, dtype, op, depth, trial), text, Reading.TOLERANT, **facts
    )


def added(text: str | None, trial: int = 0, **facts: Any) -> dict[str, Any]:
    """The record of an integer addition with this reply."""
    return _recorded(addition.problem(0, trial), text, Reading.STRICT, **facts)


def programmed(number: str, model: str = "o4-mini", **facts: Any) -> dict[str, Any]:
    """The record of a program for a sequence with two of three terms right; what is
    named replaces what is told.
    """
    term = {"n": 1, "expected": "1", "got": "1", "status": "ok", "seconds": 0.01}
    scores = (
        {"0.5": 0.6667, "4": 0.6667}
        if facts.get("scores", 0) == 0
        else facts.pop("scores") or {}
    )
    told = {
        "program": "print(input())",
        "detail": None,
        "rules": "default",
        "limits": [0.5, 4.0],
        "memory_bytes": 2**30,
        "terms": [
            term,
            term | {"n": 2},
            term | {"n": 3, "expected": "2", "got": "3", "status": "wrong"},
        ],
        "judges": {
            "static": {"cheat": False, "evidence": ["no long literal"]},
            "llm": None,
        },
        "addresses_judge": [],
        "isolation": {"level": "strict", "enforced": [], "remarks": []},
        "machine": None,
    }
    problem = {
        "label": f"starter-{number}",
        "seed": 0,
        "variant": "starter",
        "depth": None,
        "trial": 0,
        "inputs": {"number": number, "name": "A sequence.", "comments": ""},
        "expected": None,
        "question": f"{number} A sequence.",
    }
    return asked("7", model=model) | {
        "nodeid": f"test_bench.py::test_oeis[{model}-starter-{number}]",
        "task": "oeis",
        "outcome": "deviate",
        "reason": "2 of 3 terms right; n = 3: expected 2, got 3",
        "problem": problem,
        "reading": None,
        "answer": None,
        "answers": {},
        "grade": {
            "score": scores.get("4"),
            "scores": scores,
            "details": {"kind": "own", "values": told | facts},
        },
    }


def searched(repeat: int = 0, **found: Any) -> dict[str, Any]:
    """The record of a search for a breaking point; what is named replaces that it found
    nothing.
    """
    problem = {
        "label": "int_mul",
        "seed": 0,
        "variant": "int_mul",
        "depth": None,
        "trial": 0,
        "inputs": {"of": "arithmetic"},
        "expected": None,
    }
    search = {
        "kind": "search",
        "trail": [],
        "budget": 80,
        "questions": 80,
        "ended": "budget",
        "minimum": None,
        "largest_right": None,
        "not_reproduced": 0,
    }
    outcome = "deviate" if found.get("minimum") else "correct"
    told = {
        "task": "breaking_point",
        "problem": problem,
        "answer": None,
        "answers": {},
        "reading": None,
    }
    grade = {"score": None, "scores": {}, "details": search | found}
    return asked("{}") | told | {"repeat": repeat, "grade": grade, "outcome": outcome}


def _recorded(
    problem: TaskProblem,
    text: str | None,
    reading: Reading,
    model: str = "o4-mini",
    **facts: Any,
) -> dict[str, Any]:
    behind, nodeid = (
        Model(model, f"openai/{model}"),
        f"test_bench.py::test[{model}-{problem.label}]",
    )
    if text is None:
        return as_dict(
            unanswered_record(
                AskedTrial.of(problem, behind, "prompt", nodeid), Failure("timeout")
            )
        )
    usual: dict[str, Any] = {
        "prompt_tokens": 30,
        "completion_tokens": 3,
        "cost_usd": 0.001,
        "asked_at": "2026-11-22T00:31:07+00:00",
        "latency_s": 1.5,
        "text": text.replace("{}", problem.expected),
    }
    reply = convert(usual | facts, Reply)
    return as_dict(
        number_record(
            problem, AskedTrial.of(problem, behind, "prompt", nodeid), reading, reply
        )
    )


def log_in(folder: Path, records: Iterable[Mapping[str, Any]], end: str = "") -> Path:
    """The log of a run, which was killed as long as it has no summary."""
    folder.mkdir(parents=True, exist_ok=True)
    (log := folder / "trials.jsonl").write_text(
        lines_of(records) + end, encoding="ascii"
    )
    return log


def run_in(folder: Path, records: Sequence[Mapping[str, Any]], **facts: Any) -> Path:
    """A run that has ended."""
    log_in(folder, records)
    keys = [key_of(record_of(record)) for record in records]
    whole = as_file(
        summed_up(
            records,
            {"selected": len(records)} | facts,
            {key: keys.count(key) for key in keys},
        )
    )
    (folder / "summary.json").write_text(json.dumps(whole), encoding="ascii")
    return folder


def said(text: str) -> list[dict[str, str]]:
    """A prompt of one message."""
    return [{"role": "user", "content": text}]


def lines_of(records: Iterable[Mapping[str, Any]]) -> str:
    """JSON, a line for each."""
    return "".join(f"{json.dumps(record)}\n" for record in records)
