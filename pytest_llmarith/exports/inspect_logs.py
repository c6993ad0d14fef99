"""Runs as logs of inspect_ai: a JSON file for each model, task and condition.

The fields are those of its version 2, https://inspect.aisi.org.uk/eval-logs.html. The
rest of a record is in the metadata of its sample, so that `llmarith report` reads the
trials from the log as they were.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from pytest_llmarith.exports.common import (
    asked_in,
    results_of,
    task_name,
    valid,
)
from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.records import Record, Reply, as_dict, as_text
from pytest_llmarith.results.foreign import METADATA, kept_of
from pytest_llmarith.results.keys import Key, key_of, label_of, parameters_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.run_files import encode, new_folder
from pytest_llmarith.types import NanReason, Outcome

_NOT_KNOWN = "1970-01-01T00:00:00+00:00"
# inspect's names of providers whose names in litellm are others.
_PROVIDERS = {
    "gemini": "google",
    "xai": "grok",
    "together_ai": "together",
    "hosted_vllm": "vllm",
    "ollama_chat": "ollama",
}
_STOPS = {
    "stop": "stop",
    "length": "max_tokens",
    "content_filter": "content_filter",
}
_REASONS = {
    NanReason.EMPTY: "no_response",
    NanReason.REFUSAL: "refusal",
    NanReason.FILTERED: "refusal",
}
_VALUES = {Outcome.CORRECT: "C", Outcome.NAN: "N"}
# Of request parameters, those that inspect's configuration has.
_CONFIGURATION = (
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "seed",
    "reasoning_effort",
    "frequency_penalty",
    "presence_penalty",
)


def write_inspect(
    runs: Sequence[LoadedRun], target: Path, note: Callable[[str], None]
) -> None:
    """Write the trials of runs as logs into a new folder.

    Raises UsageError if it cannot be written, or if trials have no prompt.
    """
    with new_folder(target) as folder:
        for number, run in enumerate(runs):
            results = results_of(run, note)
            asked: dict[Key, dict[str, int]] = {key: {} for key in results}
            for record in run.records():  # most repeats of each question
                if (key := key_of(record)) in asked:
                    label = record.problem.label
                    most = max(record.repeat, asked[key].get(label, 0))
                    asked[key][label] = most
            with ExitStack() as stack:
                logs = {}
                for key, result in results.items():
                    header = _header(run, result, asked[key])
                    name = _file_name(header["eval"], number)
                    logs[key] = stack.enter_context(_samples_of(folder / name, header))
                for record in run.records():
                    if (key := key_of(record)) in logs:
                        logs[key](_sample(record))


@contextmanager
def _samples_of(
    file: Path, header: Mapping[str, object]
) -> Iterator[Callable[[object], None]]:
    """Write a log sample by sample, as it may be larger than the memory."""
    separators = chain([b"\n"], repeat(b",\n"))
    with file.open("xb") as written:
        written.write(encode(header).removesuffix(b"}") + b', "samples": [')

        def add(sample: object) -> None:
            written.write(next(separators) + encode(sample))

        yield add
        written.write(b"\n]}\n")


def _file_name(spec: Mapping[str, Any], run: int) -> str:
    """As inspect names logs: it takes the task from the middle part."""
    when = spec["created"][:19].replace(":", "-")
    return f"{when}_{spec['task']}_{spec['eval_id'][:12]}{run}.json"


def _id(*parts: object) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(parts, default=str)).hex


def _header(run: LoadedRun, result: Result, asked: Mapping[str, int]) -> dict[str, Any]:
    """A log without samples; `asked` are its questions with their last repeats."""
    summary = run.summary()
    facts = summary.run
    label = label_of(result.condition)
    parameters = dict(parameters_of(facts, result.model) or {})
    config = {
        name: parameters.pop(name) for name in _CONFIGURATION if name in parameters
    }
    created = facts.started_at or result.facts.date or _NOT_KNOWN
    if len(created) == len("2026-11-22"):
        created += "T00:00:00+00:00"
    version = facts.versions.get("pytest-llmarith") or "unknown"
    measured, unanswered = result.count("measured"), result.count("unanswered")
    return {
        "version": 2,
        "status": "error" if unanswered or run.unfinished else "success",
        "eval": {
            "eval_id": _id(facts.id, result.model, result.task, label),
            "run_id": _id(facts.id),
            "created": created,
            "task": task_name(result),
            "task_id": _id(result.task, label),
            "task_version": version,
            "dataset": {
                "name": result.task,
                "samples": len(asked),
                "sample_ids": list(asked),
                "shuffled": False,
            },
            "model": _model(result.model, simulated=result.facts.simulated),
            "model_generate_config": config,
            "model_args": parameters,
            "config": {"epochs": 1 + max(asked.values(), default=0)},
            "packages": {"pytest-llmarith": version},
            "metadata": {
                METADATA: {
                    "run": facts.id,
                    "seed": facts.seed,
                    "model": result.model,
                    "condition": as_dict(result.condition),
                }
            },
        },
        # Its readers of headers need one.
        "plan": {"name": "plan", "steps": [], "config": config},
        "results": {
            "total_samples": measured + unanswered,
            "completed_samples": measured,
            "scores": [_scores(result, measured, unanswered)],
        },
        "stats": {
            "started_at": created,
            "completed_at": facts.finished_at or created,
            "model_usage": {},
        },
    }


def _scores(result: Result, measured: int, unanswered: int) -> dict[str, Any]:
    """The figures of the summary, with the limits of the 95 % interval as metrics."""
    metrics = {}
    for name, key in (("accuracy", "correct_percentage"), ("mean_score", "score")):
        figure = result.get(key)
        if figure is None or figure.value is None:
            continue
        method = {"interval": figure.method, "level": 0.95}
        values = (("", figure.value), ("_low", figure.low), ("_high", figure.high))
        for end, value in values:
            if isinstance(value, int | float):
                whole = {"name": name + end, "value": value / 100, "params": method}
                metrics[name + end] = whole
    return {
        "name": METADATA,
        "scorer": METADATA,
        "scored_samples": measured,
        "unscored_samples": unanswered,
        "metrics": metrics,
    }


def _model(name: str, *, simulated: bool) -> str:
    """The model with a provider that inspect knows: it refuses to score others."""
    provider, slash, rest = name.partition("/")
    if simulated:
        return f"mockllm/{rest or name}"
    if not slash:
        return f"openai/{name}"
    return f"{_PROVIDERS.get(provider, provider)}/{rest}"


def _sample(record: Record) -> dict[str, Any]:
    problem, reply = record.problem, record.reply
    id_ = _id(record.run, record.model, record.nodeid, problem.label, record.repeat)
    messages = [
        {"id": f"{id_}{number}", "role": one.role, "content": valid(one.content)}
        for number, one in enumerate(asked_in(record))
    ]
    sample: dict[str, Any] = {
        "id": problem.label,
        "epoch": record.repeat + 1,
        "input": list(messages),
        "target": valid(as_text(problem.expected) or ""),
        "messages": messages,
        "metadata": {
            "variant": problem.variant,
            "depth": problem.depth,
            METADATA: kept_of(record),
        },
        "uuid": id_,
    }
    if reply is not None:
        output = _output(record.model, reply, id_)
        sample["messages"] = [*messages, output["choices"][0]["message"]]
        sample["output"] = output
        sample["started_at"] = reply.asked_at
        sample["total_time"] = reply.latency_s
        sample["model_usage"] = {output["model"]: output["usage"]}
        event = {
            "event": "model",
            "uuid": f"{id_}e",
            "timestamp": reply.asked_at or _NOT_KNOWN,
            "working_start": 0,
            "model": output["model"],
            "input": messages,
            "tools": [],
            "tool_choice": "none",
            "config": {},
            "output": output,
        }
        sample["events"] = [event]  # of which its table of messages is made
    if record.outcome is Outcome.UNANSWERED:
        sample["error"] = {
            "message": valid(record.why or "no reply"),
            "traceback": "",
            "traceback_ansi": "",
        }
    else:
        sample["scores"] = {METADATA: _score(record)}
    return sample


def _output(model: str, reply: Reply, id_: str) -> dict[str, Any]:
    content: object = valid(reply.text)
    if reply.reasoning:
        thought = {"type": "reasoning", "reasoning": valid(reply.reasoning)}
        content = [thought, {"type": "text", "text": content}]
    name = valid(reply.served_model or model)
    message = {"id": f"{id_}r", "role": "assistant", "source": "generate"}
    return {
        "model": name,
        "choices": [
            {
                "message": message | {"content": content, "model": name},
                "stop_reason": _STOPS.get(reply.finish_reason or "", "unknown"),
            }
        ],
        "usage": {
            "input_tokens": reply.prompt_tokens or 0,
            "output_tokens": reply.completion_tokens or 0,
            "total_tokens": reply.tokens or 0,
            "reasoning_tokens": reply.reasoning_tokens,
            "total_cost": reply.cost_usd,
        },
        "time": reply.latency_s,
    }


def _score(record: Record) -> dict[str, Any]:
    why = record.why or record.error_class
    score: dict[str, Any] = {
        "value": _VALUES.get(record.outcome, "I"),
        "answer": valid(record.answer_text or ""),
        "explanation": valid(why) if why else None,
        "metadata": {
            "outcome": record.outcome,
            "score": record.grade.score if record.grade else None,
        },
    }
    if record.outcome is Outcome.NAN:
        reason = record.reason
        known = _REASONS.get(NanReason(reason)) if reason in set(NanReason) else None
        score["reason"] = known or "invalid_response_format"
    return score
