"""What the formats share: a new folder, and the results and trials of runs."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.records import Record
from pytest_llmarith.results.keys import Key, key_of, label_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.run_files import UsageError, name_of
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import Message

_LONGEST_NAME = 120
_OTHER = re.compile(r"[^A-Za-z0-9.]+")


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder that gets its name when its files are complete.

    Raises UsageError if there is something of this name, or it cannot be written.
    """
    if target.exists():
        raise UsageError(f"--output {name_of(target)}: exists; name a new folder")
    try:
        # A folder beside it, which a rename moves; another disk would be a copy.
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=".llmarith.", dir=target.parent, ignore_cleanup_errors=True
        ) as draft:
            folder = Path(draft, "files")
            folder.mkdir()
            yield folder
            folder.rename(target)
    except OSError as error:
        raise UsageError(
            f"--output {name_of(target)}: cannot be written ({error.strerror}); name "
            f"another folder"
        ) from error


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


def prompt_of(record: Record) -> Sequence[Message]:
    """The prompt of a trial. Raises UsageError if another program asked it."""
    if record.prompt is None:
        raise UsageError(
            f"{sanitize_name(record.task, _LONGEST_NAME)}: another tool asked, and "
            f"its prompts are not known; write --format=csv or parquet"
        )
    return record.prompt
