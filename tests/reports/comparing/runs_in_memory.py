"""Runs made in memory, a letter for each outcome, and what a comparison of them says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith import records
from pytest_llmarith.records import Run, convert
from pytest_llmarith.reports.comparing import Request, compare
from pytest_llmarith.reports.mistake import Mistake
from tests.runs_on_disk import asked, programmed, record_of, run_facts

Record = dict[str, Any]

WORDS = {"c": "correct", "d": "deviate", "n": "nan", "h": "cheat", "u": "unanswered"}
FACTS: dict[str, Any] = {
    "id": "one",
    "started_at": "2026-11-22T00:31:05+00:00",
    "seed": 0,
    "symbols": "ascii",
    "reading": None,
    "limits": {"concurrency": 16},
    "models": [{"name": "m", "target": "openai/m", "params": {"temperature": 0}, "api_base": None, "simulated": False}],
    "versions": {"python": "3.11.7"},
    "oeis": {"limits": [0.5, 4.0]},
}


@dataclass
class Opened:
    """A run as it is read, in memory."""

    path: Path
    trials: Sequence[Record]
    told: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0

    @property
    def facts(self) -> Run | None:
        return convert(run_facts(**self.told), Run) if self.told else None

    def records(self) -> Iterator[records.Record]:
        return map(_whole, self.trials)


def _whole(record: Record) -> records.Record:
    """The record that is told in part; what it lacks decides nothing."""
    sequence, searched = "set" in record["problem"], "search" in record
    usual = programmed("A1") if sequence else asked("7")
    problem = usual["problem"] if not searched else _SEARCHED
    whole = usual | record | {"problem": problem | record["problem"], "grade": None}
    if record["outcome"] != "unanswered":
        whole["reply"] = usual["reply"] | (record["reply"] or {})
    if sequence:
        whole["oeis"] = usual["oeis"] | record["oeis"]
    if whole["outcome"] == "deviate" and not (sequence or searched):
        whole["grade"] = usual["grade"]
    return record_of(whole)


_SEARCHED = {"kind": "breaking_point", "op": "add", "dtype": "int", "seed": 0, "of": "arithmetic"}


def sums(
    outcomes: str, variant: str = "int_add", model: str = "m", first: int = 0, seed: int | None = 0
) -> list[Record]:
    """Records of sums, a letter each; the same number is the same sum."""
    return [
        {
            "task": "arithmetic",
            "model": model,
            "simulated": False,
            "outcome": WORDS[letter],
            "reading": "tolerant",
            "problem": {
                "seed": seed,
                "trial": number,
                "variant": variant,
                "depth": 2,
                "lhs": str(number),
                "rhs": "1",
                "expected": str(number + 1),
            },
            "prompt": f"{variant}: {number}, 1",
            "reply": None if letter == "u" else {"text": "", "served_model": "m-2026"},
        }
        for number, letter in enumerate(outcomes, first)
    ]


def programs(scores: Sequence[float | None], name: str = "starter", model: str = "m") -> list[Record]:
    """Records of programs by their score in 4 s; in 0.5 s it is half of that. None is unanswered."""
    return [
        {
            "task": "oeis",
            "model": model,
            "simulated": False,
            "outcome": "unanswered" if score is None else "correct" if score == 1 else "deviate",
            "problem": {"set": name, "number": f"A{number:06}", "offset": 1, "name": "x", "keywords": ["easy"]},
            "prompt": f"Name: {number}",
            "reply": None,
            "oeis": {"scores": None if score is None else {"0.5": score / 2, "4": score}},
        }
        for number, score in enumerate(scores)
    ]


def searches(outcomes: str, budget: int = 80, seed: int = 0) -> list[Record]:
    """Records of searches for a breaking point, a variant each; the prompt is the question at which one ended."""
    return [
        {
            "task": "breaking_point",
            "model": "m",
            "simulated": False,
            "outcome": WORDS[letter],
            "problem": {"seed": seed, "of": "arithmetic", "variant": f"variant_{number}", "budget": budget},
            "prompt": f"the question that was {WORDS[letter]} in the end",
            "reply": None,
            "search": {
                "ended": "shrunk",
                "questions": 1,
                "minimum": None,
                "not_reproduced": 0,
                "largest_right": None,
                "trail": [],
            },
        }
        for number, letter in enumerate(outcomes)
    ]


def put(trials: Sequence[Record], repeat: int = 0, **condition: str) -> list[Record]:
    """The same questions in another condition, or again; commas change the prompt, a system prompt does not."""
    whole = {"numbers": "plain", "symbols": "ascii", "context": None, "prompt": None, "system": None} | condition
    comma = ", with commas" * (whole["numbers"] == "comma")
    return [one | {"condition": whole, "repeat": repeat, "prompt": one["prompt"] + comma} for one in trials]


def run(*trials: Sequence[Record], name: str = "one", facts: Mapping[str, Any] | None = None) -> Opened:
    """A run of these trials, with the usual facts."""
    return Opened(Path(name), [record for some in trials for record in some], FACTS if facts is None else facts)


def compared(first: Opened, second: Opened, **wanted: Any) -> dict[str, Any]:
    """The only comparison of two runs."""
    (comparison,) = compare(Request(first, [second], **wanted))["comparisons"]
    found: dict[str, Any] = comparison
    return found


def refusal(first: Opened, *others: Opened, **wanted: Any) -> str:
    """Why these runs are not compared."""
    with pytest.raises(Mistake) as caught:
        compare(Request(first, others, **wanted))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def row_of(comparison: Mapping[str, Any], *what: str) -> dict[str, Any]:
    """The row of a variant, a set or a task; that over all without a name."""
    names = what or (None,)
    found: dict[str, Any] = next(row for row in comparison["rows"] if (row["name"] or row["task"]) == names[0])
    return found
