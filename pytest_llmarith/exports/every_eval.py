"""Runs as Every Eval Ever has them: for each model, task and condition a file with its
figures, and one with a line for each trial.

Its schema, 0.3.0: https://github.com/evaleval/every_eval_ever. The intervals are those
of the summary.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from pytest_llmarith.exports.common import (
    asked_in,
    plain,
    results_of,
    task_name,
    valid,
)
from pytest_llmarith.figures.estimates import Figure, Result
from pytest_llmarith.records import Record, as_text
from pytest_llmarith.results.keys import key_of, label_of, parameters_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.run_files import encode, new_folder
from pytest_llmarith.summaries import described
from pytest_llmarith.types import Outcome, text_of

_SCHEMA = "0.3.0"
_MEASURES = ("correct_percentage", "score")
_GENERATION = ("temperature", "top_p", "top_k", "max_tokens")
_UNKNOWN = {"deployment_type": "unknown", "model_availability": "unknown"}


def write_every_eval(
    runs: Sequence[LoadedRun], target: Path, note: Callable[[str], None]
) -> None:
    """Write the figures and trials of runs into a new folder, laid out as its data
    store.

    Raises UsageError if it cannot be written, or if trials have no prompt.
    """
    with new_folder(target) as folder, ExitStack() as stack:
        for run in runs:
            series = {}
            for key, result in results_of(run, note).items():
                one = _Series(run, result, folder)
                series[key] = one, stack.enter_context(one.trials.open("xb"))
            for record in run.records():
                if key_of(record) in series:
                    one, file = series[key_of(record)]
                    one.add(record, file)
            for one, _ in series.values():
                one.finish(folder)


class _Series:
    """The two files of a result."""

    def __init__(self, run: LoadedRun, result: Result, folder: Path) -> None:
        self._run, self._result = run.summary().run, result
        # litellm takes names without a provider for those of OpenAI.
        *_, developer, name = ("openai", *result.model.split("/"))
        self._model = f"{plain(developer)}/{plain(name)}"
        self._task = task_name(result)
        whose = [self._run.id, result.model, result.task, label_of(result.condition)]
        # The store wants the form of a random id; this one is the same in each export.
        digest = hashlib.sha256(json.dumps(whose).encode()).digest()
        self._id = uuid.UUID(bytes=digest[:16], version=4)
        self._name = f"{self._task}/{self._model}/{self._id}"
        place = folder / "data" / self._task / self._model
        place.mkdir(parents=True, exist_ok=True)
        self.trials = place / f"{self._id}_samples.jsonl"
        self._file = place / f"{self._id}.json"
        self._digest, self._rows = hashlib.sha256(), 0

    def add(self, record: Record, file: BinaryIO) -> None:
        line = encode(self._trial(record)) + b"\n"
        self._digest.update(line)
        self._rows += 1
        file.write(line)

    def finish(self, folder: Path) -> None:
        """Write the figures, and what proves that the trials are theirs."""
        run, result = self._run, self._result
        when = run.started_at or result.facts.date
        written = run.finished_at or when or "1970-01-01"
        seconds = datetime.fromisoformat(written).timestamp()
        version = run.versions.get("pytest-llmarith") or "unknown"
        figures: dict[str, Any] = {
            "schema_version": _SCHEMA,
            "evaluation_id": self._name,
            "retrieved_timestamp": str(seconds),
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_name": run.id,
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "pytest-llmarith", "version": version},
            "model_info": {
                "name": result.model,
                "id": self._model,
                "additional_details": _UNKNOWN,
            },
            "evaluation_results": list(self._results()),
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": self.trials.relative_to(folder).as_posix(),
                "hash_algorithm": "sha256",
                "checksum": self._digest.hexdigest(),
                "total_rows": self._rows,
            },
        }
        if when:
            figures["evaluation_timestamp"] = when
        self._file.write_bytes(encode(figures, indent=2) + b"\n")

    def _results(self) -> Iterator[dict[str, Any]]:
        result = self._result
        meanings = described(_MEASURES)
        parameters = dict(parameters_of(self._run, result.model) or {})
        sent = {
            name: parameters.pop(name) for name in _GENERATION if name in parameters
        }
        details = {name: as_text(value) or "" for name, value in parameters.items()}
        details["seed_of_problems"] = str(self._run.seed)
        for key in _MEASURES:
            figure = result.get(key)
            if figure is None or not isinstance(figure.value, int | float):
                continue
            one = meanings[key]
            yield {
                "evaluation_result_id": self._result_id(key),
                "evaluation_name": self._task,
                "source_data": {"dataset_name": result.task, "source_type": "other"},
                "metric_config": {
                    "metric_id": key,
                    "metric_name": one.title,
                    "evaluation_description": one.meaning,
                    "metric_unit": "percent",
                    "lower_is_better": False,
                    "score_type": "continuous",
                    "min_score": 0,
                    "max_score": 100,
                },
                "score_details": {"score": figure.value} | _uncertainty(figure),
                "generation_config": {
                    "generation_args": sent,
                    "additional_details": details,
                },
            }

    def _result_id(self, measure: str) -> str:
        return f"{self._name}/{measure}"

    def _trial(self, record: Record) -> dict[str, Any]:
        reply, expected = record.reply, valid(as_text(record.problem.expected) or "")
        asked = valid(text_of(asked_in(record)))
        score = record.grade.score if record.grade else None
        trial: dict[str, Any] = {
            "schema_version": _SCHEMA,
            "evaluation_id": self._name,
            "model_id": self._model,
            "evaluation_name": self._task,
            "evaluation_result_id": self._result_id(_MEASURES[0]),
            "sample_id": f"{record.problem.label}#{record.repeat}",
            "sample_hash": hashlib.sha256((asked + expected).encode()).hexdigest(),
            "interaction_type": "single_turn",
            "input": {"raw": asked, "reference": [expected]},
            "output": {"raw": [valid(reply.text) if reply else ""]},
            "answer_attribution": [],
            "evaluation": {
                "score": score or 0.0,
                "is_correct": record.outcome is Outcome.CORRECT,
            },
            "metadata": {
                "outcome": str(record.outcome),
                "reason": valid(record.why or ""),
                "variant": record.problem.variant or "",
                "depth": str(record.problem.depth),
            },
        }
        if record.answer_text is not None:
            found = {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": valid(record.answer_text),
                "extraction_method": str(record.reading or "task"),
                "is_terminal": True,
            }
            trial["answer_attribution"] = [found]
        if reply is None:
            trial["error"] = valid(record.why or "no reply")
            return trial
        if reply.reasoning:
            trial["output"]["reasoning_trace"] = [valid(reply.reasoning)]
        if reply.tokens is not None:
            trial["token_usage"] = {
                "input_tokens": reply.prompt_tokens or 0,
                "output_tokens": reply.completion_tokens or 0,
                "total_tokens": reply.tokens,
                "reasoning_tokens": reply.reasoning_tokens,
            }
        if reply.latency_s is not None:
            trial["performance"] = {"latency_ms": reply.latency_s * 1000}
        return trial


def _uncertainty(figure: Figure) -> dict[str, Any]:
    if figure.low is None or figure.high is None:
        return {}
    interval = {
        "lower": figure.low,
        "upper": figure.high,
        "confidence_level": 0.95,
        "method": figure.method,
    }
    found: dict[str, Any] = {"confidence_interval": interval}
    if figure.n is not None:
        found["num_samples"] = figure.n
    return {"uncertainty": found}
