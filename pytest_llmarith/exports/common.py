"""What the formats share: results, prompts, and names that their readers take."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.records import Record
from pytest_llmarith.results.keys import Key, key_of, label_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import Message

_LONGEST_NAME = 120
_OTHER = re.compile(r"[^A-Za-z0-9.]+")


def results_of(run: LoadedRun, note: Callable[[str], None]) -> dict[Key, Result]:
    """The results of a run, without those of searches, which have no accuracy."""
    found = {}
    for result in run.summary().results:
        if result.facts.searched:
            name = sanitize_name(f"{result.model}, {result.task}", _LONGEST_NAME)
            note(f"left out, as searches have no accuracy: {name}")
        else:
            found[key_of(result)] = result
    return found


def plain(text: str) -> str:
    """A name for files and readers: letters, digits, points and hyphens."""
    return _OTHER.sub("-", text).strip("-.") or "none"


def task_name(result: Result) -> str:
    """The task and its condition."""
    label = label_of(result.condition)
    return plain(f"{result.task}-{label}" if label else result.task)


def valid(text: str) -> str:
    """Text without halves of surrogate pairs, which readers of JSON refuse."""
    with suppress(UnicodeEncodeError):
        text.encode()
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def asked_in(record: Record) -> Sequence[Message]:
    """What was asked in a trial. Raises UsageError if another program asked it."""
    if record.asked is None:
        raise UsageError(
            f"{sanitize_name(record.task, _LONGEST_NAME)}: another tool asked, and "
            f"its prompts are not known; write --format=csv or parquet"
        )
    return record.asked
