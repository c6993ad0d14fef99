"""Logs of inspect_ai and samples of lm-evaluation-harness as lines of JSON that a run
log or a file of llm_arithmetic may have.

A file is known by its content. Trials that were exported from a run are the same
records again. Others must ask for one calculation, whose exact result is their target;
they are graded as rows of llm_arithmetic are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_llmarith.records import Record, as_dict, parse_json
from pytest_llmarith.results.llm_arithmetic import OtherQuestionError, row_asking
from pytest_llmarith.results.run_files import UsageError, name_of

METADATA = "llmarith"  # the name of the metadata and of the score in inspect's logs
_INSPECT = re.compile(rb'\s*\{\s*"version":\s*2,\s*"status":')
_ZIP = b"PK\x03\x04"
_HARNESS = {"doc_id", "arguments", "resps", "target"}
_HEAD = 1 << 12  # bytes
_ATTACHMENT = "attachment://"


def kept_of(record: Record) -> dict[str, Any]:
    """What inspect's fields have no place for: all of a record but the words that were
    sent and those of its reply.
    """
    kept = as_dict(record)
    if record.prompt == record.asked:
        del kept["prompt"]
    if kept["reply"] is not None:
        kept["reply"]["text"] = ""
        kept["reply"].pop("reasoning", None)
        if kept["reply"].get("sent"):
            kept["reply"]["sent"]["messages"] = []
    return kept


def foreign_lines(file: Path) -> Iterator[tuple[int, str]] | None:
    """A line for each trial of the file, with its number; None if it is another file.

    Raises OSError and UsageError.
    """
    with file.open("rb") as opened:
        head = opened.read(_HEAD)
        if head.startswith(_ZIP):
            raise UsageError(
                f"{name_of(file)}: packed; if it is a log of inspect, write: inspect "
                f"log convert --to json --output-dir FOLDER {name_of(file)}"
            )
        if _INSPECT.match(head):
            return _in_lines(file, _of_inspect(file))
        opened.seek(0)
        first = opened.readline(1 << 24) if head.startswith(b'{"doc_id"') else b""
    if first and json.loads(first).keys() >= _HARNESS:
        return _in_lines(file, _of_harness(file))
    return None


def _in_lines(
    file: Path, trials: Iterator[dict[str, Any]]
) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        for number, trial in enumerate(trials, 1):
            yield number, json.dumps(trial) + "\n"
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        why = f"{type(error).__name__}: {error}"
        if isinstance(error, OtherQuestionError):
            why = str(error)
        raise UsageError(f"{name_of(file)}: sample {number + 1}: {why}") from error


# --- inspect --------------------------------------------------------------------------


def _of_inspect(file: Path) -> Iterator[dict[str, Any]]:
    log = parse_json(file.read_bytes())
    for sample in log.get("samples") or ():
        sample = _attached(sample, sample.get("attachments") or {})
        kept = (sample.get("metadata") or {}).get(METADATA)
        yield _row(log, sample) if kept is None else _own(sample, kept)


def _attached(value: Any, attachments: dict[str, str]) -> Any:
    """The value with the long texts that inspect keeps elsewhere in the sample."""
    if isinstance(value, dict):
        return {key: _attached(each, attachments) for key, each in value.items()}
    if isinstance(value, list):
        return [_attached(each, attachments) for each in value]
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    return value


def _own(sample: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """The record of a trial that was exported."""
    messages = []
    for message in sample["input"]:
        text, _ = _content(message)
        messages.append({"role": message["role"], "content": text})
    kept.setdefault("prompt", messages)
    reply = kept["reply"]
    if reply is not None:
        reply["text"], thought = _content(sample["output"]["choices"][0]["message"])
        if thought:
            reply["reasoning"] = thought
        if reply.get("sent"):
            reply["sent"]["messages"] = messages
    return kept


def _content(message: dict[str, Any]) -> tuple[str, str]:
    """Text and thoughts of a message."""
    if message.get("tool_calls") or message["role"] == "tool":
        raise OtherQuestionError("calls tools; only single questions are read")
    parts = message["content"]
    if isinstance(parts, str):
        return parts, ""
    texts = [part["text"] for part in parts if part["type"] == "text"]
    thoughts = [part["reasoning"] for part in parts if part["type"] == "reasoning"]
    return "".join(texts), "".join(thoughts)


def _row(log: dict[str, Any], sample: dict[str, Any]) -> dict[str, Any]:
    """The row of a trial that inspect ran."""
    if sample.get("choices"):
        raise OtherQuestionError("offers choices; only calculations are graded")
    asked = sample["input"]
    if not isinstance(asked, str):
        users = [message for message in asked if message["role"] != "system"]
        if len(users) != 1:
            raise OtherQuestionError("several turns; only single questions are read")
        asked, _ = _content(users[0])
    output = sample.get("output") or {}
    choices = output.get("choices") or ()
    usage = output.get("usage") or {}
    scores = [one["value"] for one in (sample.get("scores") or {}).values()]
    row = row_asking(asked, sample["target"])
    return row | {
        "model": log["eval"]["model"],
        "raw_response": _content(choices[0]["message"])[0] if choices else None,
        "failed_to_get_reply": not choices,
        "classification": "Correct" if scores[:1] in (["C"], [1]) else "Deviate",
        "cost": usage.get("total_cost"),
        "tokens": {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
        },
    }


# --- lm-evaluation-harness ------------------------------------------------------------


def _of_harness(file: Path) -> Iterator[dict[str, Any]]:
    """The name of the folder is that of the model, with `__` for a slash."""
    with file.open("rb") as opened:
        for line in opened:
            sample = parse_json(line)
            asked = sample["arguments"]
            first = (
                asked["gen_args_0"]["arg_0"] if isinstance(asked, dict) else asked[0][0]
            )
            row = row_asking(first, str(sample["target"]))
            score = next(iter(map(sample.get, sample.get("metrics") or ())), None)
            yield row | {
                "model": file.absolute().parent.name.replace("__", "/"),
                "raw_response": sample["resps"][0][0],
                "failed_to_get_reply": False,
                "classification": "Correct" if score == 1 else "Deviate",
            }
