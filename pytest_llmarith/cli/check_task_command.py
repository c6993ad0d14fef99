"""`llmarith check-task`: a task is tried with the fake models."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pytest_llmarith.cli.parser import (
    NOT_DONE,
    NotDoneError,
    add_command,
    sanitize_line,
    say,
)
from pytest_llmarith.models.fake import UNKNOWN
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.types import Outcome

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.records import Record

# What each fake model says, and what is wrong if that is or is not correct.
_FAKES = {
    "oracle": ("the right answer", "expected, read, grade or replies is wrong"),
    "junk": (
        "a wrong answer",
        "the grader takes too much, or one is right by chance: then name wrong ones "
        "in Task(replies=...)",
    ),
    "parrot": ("the question", "note that the answer is read from the question"),
}
_MOST_SHOWN = 3
_LONGEST = 100


def add_check_task(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Try a task with the fake models, before a model is paid for"
    details = (
        "Its questions are made in two processes. The exit status is 1 if the right "
        "answer is not correct, a wrong one is, or the questions differ. "
        "docs/own-task.md says what to do then."
    )
    command = add_command(commands, "check-task", purpose, details, _check_task)
    command.add_argument("test", metavar="FILE::TEST", help="The test of the task")
    command.add_argument(
        "--trials", type=int, metavar="N", help="As --llm-trials (default: the test's)"
    )
    command.add_argument(
        "--limit",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="How long all questions may take (default: 120)",
    )


def _check_task(request: argparse.Namespace) -> int:
    file = request.test.partition("::")[0]
    if not Path(file).exists():
        raise UsageError(f"{file}: there is no such file; write FILE::TEST")
    args = [request.test]
    if request.trials is not None:
        args.append(f"--llm-trials={request.trials}")
    with TemporaryDirectory() as folder:
        # Texts have other hashes in the second one, and sets another order.
        runs = [
            _Run(args, [*_FAKES], "1", Path(folder, "1")),
            _Run(args, ["oracle"], "2", Path(folder, "2")),
        ]
        end = time.monotonic() + request.limit
        try:
            first, second = [list(run.records(end, request.limit)) for run in runs]
        except NotDoneError as error:
            say(sanitize_line(f"{request.test}: {error}"))
            return NOT_DONE
        finally:
            for run in runs:
                run.kill()
    findings = [_is_odd(fake, first) for fake in _FAKES]
    return NOT_DONE if any([*findings, _differ(first, second)]) else 0


# --- processes ------------------------------------------------------------------------


class _Run:
    """A process of pytest that asks fake models."""

    def __init__(
        self, args: list[str], fakes: list[str], hash_seed: str, folder: Path
    ) -> None:
        folder.mkdir()
        self._folder = folder
        models = [f"--llm-model={name}=llmarith/{name}" for name in fakes]
        options = [
            *("--llm-store=off", f"--llm-reports={folder / 'reports'}"),
            *("--json-report", f"--json-report-file={folder / 'pytest.json'}"),
        ]
        with (folder / "output").open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *args, *models, *options],
                env=os.environ | {"PYTHONHASHSEED": hash_seed},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def records(self, end: float, limit_s: float) -> Iterator[Record]:
        """The records, once it has ended. Raises NotDoneError."""
        from pytest_llmarith.results.log import records_in

        try:
            self._process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise NotDoneError(
                f"it takes longer than --limit={limit_s:g} seconds; make its functions "
                f"faster, or ask fewer questions with --trials=N"
            ) from None
        logs = list(self._folder.glob("reports/*/trials.jsonl"))
        if not logs:
            raise NotDoneError(f"no question was asked: {self._why()}")
        yield from records_in(logs[0])

    def _why(self) -> str:
        """The error of the collection, or else the last line of what pytest prints."""
        with suppress(OSError, ValueError):
            report = json.loads((self._folder / "pytest.json").read_text("utf-8"))
            for collector in report.get("collectors", ()):
                lines = collector.get("longrepr", "").splitlines()
                for line in lines:
                    # A syntax error has the place first, which is indented.
                    if re.match(r"E   \S", line):
                        return str(line[1:].strip())
                if lines:
                    return str(lines[-1])
        output = (self._folder / "output").read_text("utf-8", "replace")
        said = output.strip().splitlines() or ["pytest prints nothing"]
        errors = [line for line in said if "error: " in line.lower()]
        return (errors or said)[-1]

    def kill(self) -> None:
        """End the process and those that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


# --- findings -------------------------------------------------------------------------


def _is_odd(fake: str, records: list[Record]) -> bool:
    """Print how often a fake model is correct; returns whether that is wrong.

    The answer of some tasks stands in the question, so that this is only told.
    """
    asked = [one for one in records if one.model == fake]
    right = [one for one in asked if one.outcome is Outcome.CORRECT]
    ungraded = [one for one in asked if one.outcome is Outcome.UNANSWERED]
    odd = right
    if fake == "oracle":
        odd = [one for one in asked if one not in right]
    said, advice = _FAKES[fake]
    if fake == "oracle" and any(one.reply and one.reply.text == UNKNOWN for one in odd):
        advice = "no right answer is known; name right ones in Task(replies=...)"
    head = f"{fake} ({said}): {len(right):,} of {len(asked):,} correct"
    if ungraded:
        head += f"; {len(ungraded):,} not graded"
    elif odd:
        head += f"; {advice}"
    say(head)
    for one in [*ungraded, *odd][:_MOST_SHOWN]:
        reply = one.reply.text if one.reply else ""
        say(
            sanitize_line(
                f"  {one.problem.label}: expected {_short(one.problem.expected)}, "
                f"replied {_short(reply)}: {one.raised or one.why or one.outcome}"
            )
        )
    return bool(ungraded or (odd and fake != "parrot"))


def _differ(first: list[Record], second: list[Record]) -> bool:
    """Whether the second process made other questions."""
    here, there = _questions(first), _questions(second)
    other = [key for key in {**here, **there} if here.get(key) != there.get(key)]
    if not other:
        say("two processes: the same questions")
        return False
    say(
        f"two processes: {len(other):,} questions differ with another PYTHONHASHSEED; "
        f"draw from random.Random(f'{{seed}}/...'), and sort sets"
    )
    for task, label in other[:_MOST_SHOWN]:
        for made in (here, there):
            question = made.get((task, label), "none")
            say(sanitize_line(f"  {label}: {_short(question)}"))
    return True


def _questions(records: list[Record]) -> dict[tuple[str, str], Any]:
    """The prompt and the expected answer by task and label."""
    return {
        (one.task, one.problem.label): [one.prompt_text, one.problem.expected]
        for one in records
        if one.model == "oracle"
    }


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return sanitize(text, _LONGEST)
