"""Runs to be merged, as their recorders would have written them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.keys import key_of
from pytest_llmarith.reports.merging import Refused, Request, merge
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.values import USUAL
from tests.runs_on_disk import counted, summed_up

Make = Callable[..., dict[str, Any]]
Records = Sequence[dict[str, Any]]

THROTTLED = {"target": "openai/o4-mini", "halved": 2, "lowest": 4, "most": 16}
FACTS: dict[str, Any] = {
    "started_at": "2026-11-22T00:31:05+00:00",
    "finished_at": "2026-11-22T00:41:05+00:00",
    "seed": 0,
    "symbols": "ascii",
    "reading": None,
    "conditions": [USUAL.fields()],
    "store": "on",
    "strict": False,
    "oeis": {"sets": None, "limits": [0.5, 4.0], "rules": "default"},
    "models": [{"name": "o4-mini", "target": "openai/o4-mini", "params": {"temperature": 0}, "api_base": None}],
    "versions": {"python": "3.11.7", "litellm": "1.83.0"},
    "asking": {"requests": 3, "cost_usd": 0.1, "retries": {"429": 1}, "throttled": [THROTTLED], "unpriced": 0},
    "stopped": None,
    "partial": False,
    "shard": None,
    "merged": None,
    "exit_status": 0,
}


class Folder:
    """Makes runs in a folder, and merges them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.merged = path / "merged"

    def run(self, name: str, records: Records, **facts: Any) -> Path:
        """A run that has ended, as its recorder would have written it."""
        folder = self.path / name
        folder.mkdir()
        run = {"id": name, "selected": len(records)} | FACTS | facts
        recorded = summed_up(records, run)
        selected = {
            key_of(result): result.measured + result.outcomes.unanswered + result.duplicates
            for result in recorded.results
        }
        (folder / "summary.json").write_text(json.dumps(counted(records, run, selected)), encoding="ascii")
        (folder / "trials.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="ascii")
        return folder

    def shards(self, records: Records, count: int, **facts: Any) -> list[Path]:
        """One run in shards."""
        return [
            self.run(
                f"run_shard-{index + 1}-of-{count}",
                records[index::count],
                **facts,
                shard={
                    "index": index + 1,
                    "count": count,
                    "dealt": len(records[index::count]),
                    "whole": len(records),
                    "selection": "abc",
                },
            )
            for index in range(count)
        ]

    def merge(self, *runs: Path, **allowed: bool) -> dict[str, Any]:
        return as_dict(merge(Request(runs, self.merged, **allowed)))

    def records(self) -> list[dict[str, Any]]:
        lines = (self.merged / "trials.jsonl").read_text(encoding="ascii").splitlines()
        return [json.loads(line) for line in lines]

    def refusal(self, *runs: Path, **allowed: bool) -> str:
        """Why these runs are not merged; nothing was written then."""
        with pytest.raises((Refused, Mistake)) as caught:
            self.merge(*runs, **allowed)
        assert not self.merged.exists()
        assert "\n" not in str(caught.value)
        return str(caught.value)
